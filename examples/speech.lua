-- Finds speech in a sound: `th examples/speech.lua --weights FILE --sound FILE.wav`, and --help for more. Silero's detector goes through it
-- in chunks of 32 ms with a state; `examples/published/fetch FOLDER` gets its weights, FOLDER/silero.jit. Without --sound, the sound is
-- generated: twice a synthetic voice that says vowels, between silence, a tone and noise. Where the voice speaks is known, and the last
-- line printed is how many chunks are right. With --sound, lines say from when to when somebody speaks. The picture shows the probability.
-- Sources: Silero Team (2024), github.com/snakers4/silero-vad; the voice: Klatt (1980), "Software for a cascade/parallel formant
-- synthesizer", JASA 67; formants: Peterson & Barney (1952), "Control Methods Used in a Study of the Vowels", JASA 24, men.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, plot, zoo = require 'torch', require 'plot', require 'zoo'
local readRecording = require 'published.recording'

local command = torch.CmdLine()
command:text 'Finds speech in a sound: th examples/speech.lua --weights FILE --sound FILE.wav'
command:option('--weights', '', 'silero.jit of examples/published/fetch')
command:option('--sound', '', "a WAV file; '' generates a voice among other sounds")
command:option('--least', 0.5, 'probability from which on a chunk is speech')
command:option('--pause', 0.3, 'seconds without speech that end a stretch of it')
command:option('--seed', 1, 'of the generated sound')
command:option('--curve', 'speech.svg', "where the picture goes; '' draws none")
command:option('--threads', 1, 'number of threads')

local rate, chunk, before = 16000, 512, 64
local formants = { { 730, 1090, 2440 }, { 270, 2290, 3010 }, { 300, 870, 2240 }, { 530, 1840, 2480 }, { 570, 840, 2410 } }      -- Hz

-- Syllables of vowels for some seconds: pulses of the throat through three resonators, one after the other.
local function speak(seconds)
  local n, i, phase = seconds * rate, 0, 0
  local sound, memory = torch.zeros(n), { { 0, 0 }, { 0, 0 }, { 0, 0 } }
  while i < n do
    local vowel, pitch = formants[torch.random(#formants)], torch.uniform(100, 160)
    local length, gap = math.floor(torch.uniform(0.08, 0.2) * rate), math.floor(torch.uniform(0.02, 0.06) * rate)
    for k = 0, math.min(length, n - i) - 1 do
      local loudness = math.sqrt(math.sin(math.pi * k / length))
      phase = phase + pitch * (1 + 0.1 * math.sin(2 * math.pi * k / length)) / rate
      local x = torch.normal() * 0.01
      if phase >= 1 then phase, x = phase - 1, x + 1 end
      for j, state in ipairs(memory) do
        local radius = math.exp(-math.pi * (60 + 30 * j) / rate)
        x = x * (1 - radius) + 2 * radius * math.cos(2 * math.pi * vowel[j] / rate) * state[1] - radius ^ 2 * state[2]
        state[1], state[2] = x, state[1]
      end
      i = i + 1
      sound[i] = x * loudness
    end
    i = i + gap
  end
  return sound:mul(0.3 / torch.abs(sound):max())
end

-- A sound, and whether each sample is speech.
local function generate()
  local quiet, loud = torch.randn(1.5 * rate) * 0.003, torch.randn(1.5 * rate) * 0.02
  local tone = torch.sin(torch.range(1, 1.5 * rate) * (2 * math.pi * 440 / rate)) * 0.2
  local parts = { quiet, speak(2), quiet, tone, loud, speak(2), quiet }
  local isSpeech = {}
  for i, part in ipairs(parts) do isSpeech[i] = part:clone():fill((i == 2 or i == 6) and 1 or 0) end
  return torch.cat(parts, 1), torch.cat(isSpeech, 1)
end

-- The probability of speech in each chunk.
local function probabilitiesOf(net, sound)
  local padded, found, state = torch.cat(torch.zeros(before), sound, 1):float(), {}, nil
  for i = 0, math.floor(sound:size(1) / chunk) - 1 do
    local probability
    probability, state = torch.noGrad(function() return net(padded:narrow(1, i * chunk + 1, before + chunk):view(1, -1), state) end)
    found[i + 1] = probability:sum()
  end
  return torch.Tensor(found)
end

-- Prints from when to when there is speech.
local function printStretches(probabilities, least, pause)
  local seconds, from, to = chunk / rate, nil, nil
  for i = 1, probabilities:size(1) do
    if probabilities[i] >= least then from, to = from or (i - 1) * seconds, i * seconds end
    if from and (i * seconds - to > pause or i == probabilities:size(1)) then
      io.write(('%.2f s to %.2f s\n'):format(from, to))
      from = nil
    end
  end
end

local options = command:parse(arg or {})
local function fail(name, message)
  io.stderr:write('speech: ', name, ': ', (message:gsub('^%S+:%d+: ', '')), '\n')
  os.exit(2, true)
end
torch.setnumthreads(options.threads)
torch.manualSeed(options.seed)
if options.weights == '' then fail('--weights', 'nothing, expected silero.jit of examples/published/fetch') end
local isRead, net = pcall(zoo.load, 'silero_vad', options.weights)
if not isRead then fail('--weights', net) end
local sound, truth
if options.sound ~= '' then
  local isThere, found = pcall(readRecording, options.sound)
  if not isThere then fail('--sound', found) end
  sound = found
else
  sound, truth = generate()
end
if sound:size(1) < chunk then fail('--sound', ('%d samples at 16 kHz, expected %d or more'):format(sound:size(1), chunk)) end
local probabilities = probabilitiesOf(net:float(), sound)

if options.curve ~= '' then
  local time = torch.range(1, probabilities:size(1)) * chunk / rate
  local figure = plot.figure { width = 900, height = 320 }
  local axes = figure:subplot(1, 1, 1)
  local loudest = torch.abs(sound:narrow(1, 1, time:size(1) * chunk):view(-1, chunk)):max(2):view(-1)
  axes:fillBetween(time, loudest, loudest * -1, { color = 'C0', alpha = 0.4, label = 'sound' })
  if truth then
    local isSpeech = truth:unfold(1, chunk, chunk):select(2, chunk / 2):contiguous()
    axes:plot(time, isSpeech, { color = 'gray', linestyle = '--', label = 'truth' })
  end
  axes:plot(time, probabilities, { color = 'C1', label = 'probability of speech' }):xlabel('time [s]'):legend():grid()
  figure:save(options.curve)
end
if truth then
  local expected = truth:unfold(1, chunk, chunk):select(2, chunk / 2)
  local right = torch.eq(torch.ge(probabilities, options.least):double(), expected):double():mean()
  io.write(('%.1f %% of %d chunks are right\n'):format(100 * right, probabilities:size(1)))
else
  printStretches(probabilities, options.least, options.pause)
end
