-- Tells the pitch of a voice or an instrument: `th examples/pitch.lua --weights FILE --sound FILE.wav`, and --help for more. CREPE looks at
-- frames of 64 ms; `examples/published/fetch FOLDER` gets its weights, FOLDER/crepe_tiny.pth. Without --sound, a melody is generated: the
-- notes of a scale, gliding into each other, with vibrato, harmonics and noise. Its pitch is known, and the last line printed is how many
-- frames are right to half a semitone, and the median error. The picture shows CREPE's activations and the pitch.
-- Source: Kim et al. (2018), "CREPE: A Convolutional Representation for Pitch Estimation", ICASSP, equations 1 and 2.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, plot, zoo = require 'torch', require 'plot', require 'zoo'
local readRecording = require 'published.recording'

local command = torch.CmdLine()
command:text 'Tells the pitch of a voice or an instrument: th examples/pitch.lua --weights FILE --sound FILE.wav'
command:option('--weights', '', 'crepe_tiny.pth of examples/published/fetch')
command:option('--sound', '', "a WAV file; '' generates a melody")
command:option('--hop', 10, 'ms between frames')
command:option('--noise', 0.2, "deviation of the generated sound's noise, as a share of its own")
command:option('--least', 0.3, 'activation that a pitch needs')
command:option('--seed', 1, 'of the noise')
command:option('--curve', 'pitch.svg', "where the picture goes; '' draws none")
command:option('--threads', 1, 'number of threads')

local rate, frame, bins = 16000, 1024, 360
local firstCents, centsPerBin = 1997.3794084376191, 20      -- of CREPE's bins, above 10 Hz

-- A melody and its pitch in Hz at each sample.
local function generate(noise)
  local steps, perNote = { 0, 2, 4, 5, 7, 9, 11, 12, 7, 4, 0 }, 0.35 * rate
  local n = #steps * perNote
  local pitch, phase = torch.Tensor(n), torch.Tensor(n)
  local turns = 0
  for i = 0, n - 1 do
    local note, into = math.floor(i / perNote) + 1, i % perNote / perNote
    local target = steps[note + 1] or steps[note]
    local step = steps[note] + (target - steps[note]) * math.max(0, into * 5 - 4) + 0.3 * math.sin(2 * math.pi * 5.5 * i / rate)
    pitch[i + 1] = 220 * 2 ^ (step / 12)
    turns = turns + pitch[i + 1] / rate
    phase[i + 1] = turns * 2 * math.pi
  end
  local sound = torch.zeros(n)
  for h = 1, 8 do sound:add(1 / h ^ 1.2, torch.sin(phase * h)) end
  return sound:add(noise * sound:std(), torch.randn(n)), pitch
end

-- The pitch in cents above 10 Hz: the mean of the bins around the highest, weighted by their activations.
local function centsOf(activations)
  local highest, places = activations:max(2)
  local cents = torch.Tensor(activations:size(1))
  for i = 1, cents:size(1) do
    local first = math.max(1, places[i][1] - 4)
    local count = math.min(bins, places[i][1] + 4) - first + 1
    local weights = activations[i]:narrow(1, first, count)
    local values = torch.range(first - 1, first + count - 2):mul(centsPerBin):add(firstCents)
    cents[i] = weights:dot(values) / weights:sum()
  end
  return cents, highest:view(-1)
end

local options = command:parse(arg or {})
local function fail(name, message)
  io.stderr:write('pitch: ', name, ': ', (message:gsub('^%S+:%d+: ', '')), '\n')
  os.exit(2, true)
end
torch.setnumthreads(options.threads)
torch.manualSeed(options.seed)
if options.weights == '' then fail('--weights', 'nothing, expected crepe_tiny.pth of examples/published/fetch') end
local isRead, net = pcall(zoo.load, 'crepe_tiny', options.weights)
if not isRead then fail('--weights', net) end
local sound, truth
if options.sound ~= '' then
  local isThere, found = pcall(readRecording, options.sound)
  if not isThere then fail('--sound', found) end
  sound = found
else
  sound, truth = generate(options.noise)
end
if sound:size(1) < frame then fail('--sound', ('%d samples at 16 kHz, expected %d or more'):format(sound:size(1), frame)) end

local hop = math.floor(options.hop * rate / 1000)
local frames = sound:unfold(1, frame, hop):float()
frames = frames - frames:mean(2):expandAs(frames)
frames = torch.cdiv(frames, frames:std(2):add(1e-8):expandAs(frames))
net:float()
local parts = {}
for i, part in ipairs(frames:split(100, 1)) do parts[i] = torch.noGrad(function() return net(part):double() end) end
local activations = torch.cat(parts, 1)
local cents, highest = centsOf(activations)
local time = torch.range(0, cents:size(1) - 1) * hop / rate + frame / 2 / rate
local pitch = torch.exp(cents * (math.log(2) / 1200)) * 10

if options.curve ~= '' then
  local figure = plot.figure { width = 900, height = 340 }
  local low, high = 60, 260                                  -- bins: 63 to 640 Hz
  local axes = figure:subplot(1, 2, 1)
  local extent = { time[1], time[time:size(1)], low, high }
  axes:imshow(activations:narrow(2, low, high - low):t(), { origin = 'lower', aspect = 'auto', extent = extent })
  axes:title("CREPE's activations"):xlabel('time [s]'):ylabel('bin of 20 cents')
  local isVoiced = torch.ge(highest, options.least):nonzero():view(-1)
  axes = figure:subplot(1, 2, 2)
  axes:plot(time:index(1, isVoiced), pitch:index(1, isVoiced), '.', { markersize = 3, label = 'pitch' })
  if truth then
    local every = torch.range(1, truth:size(1), 80):long()
    axes:plot(every:double() / rate, truth:index(1, every), { label = 'truth', linewidth = 0.8 }):legend()
  end
  axes:title('pitch [Hz]'):xlabel('time [s]'):grid()
  figure:save(options.curve)
end
if truth then
  local expected = truth:unfold(1, frame, hop):select(2, frame / 2 + 1)
  local errors = torch.abs(torch.log(torch.cdiv(pitch, expected)) * (1200 / math.log(2)))
  io.write(('%.1f %% of the frames are right to half a semitone, the median error is %.1f cents\n'):format(
    100 * torch.lt(errors, 50):double():mean(), torch.median(errors)[1]))
else
  for i = 1, pitch:size(1) do
    io.write(highest[i] >= options.least and ('%.2f s  %.1f Hz\n'):format(time[i], pitch[i]) or ('%.2f s  none\n'):format(time[i]))
  end
end
