-- Retrains a published network for another task, from a few examples: `th examples/retrain.lua --weights FILE`, and --help for more. CREPE
-- tells pitch, in steps of 20 cents; `examples/published/fetch FOLDER` gets its weights, FOLDER/crepe_tiny.pth. Here it learns the names of
-- notes, C to B, whatever the octave, the timbre and the noise: the body is frozen, and a new head learns from one to twenty frames a note.
-- The last line printed is how many unseen frames are right after ten frames a note. The picture compares the same with a body of random
-- weights: what the published body knows is worth more than examples.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local plot, zoo = require 'plot', require 'zoo'

local command = torch.CmdLine()
command:text 'Retrains a published network for another task: th examples/retrain.lua --weights FILE'
command:option('--weights', '', 'crepe_tiny.pth of examples/published/fetch')
command:option('--shots', '1,2,5,10,20', 'frames a note to learn from')
command:option('--test', 600, 'frames to test on')
command:option('--steps', 200, 'steps of the head')
command:option('--lr', 0.01, 'learning rate of the head')
command:option('--seed', 1, 'of sounds and weights')
command:option('--curve', 'retrain.svg', "where the picture goes; '' draws none")
command:option('--save', '', 'where the network goes that learnt from the most frames')
command:option('--threads', 1, 'number of threads')

local rate, frame, notes, lowest = 16000, 1024, 12, 130.81      -- Hz: C, the lowest note

-- Frames of notes in turn, in four octaves, up to 20 cents out of tune, of instruments with any harmonics, with noise.
local function drawFrames(count)
  local time, x, y = torch.range(0, frame - 1):div(rate), torch.Tensor(count, frame), torch.LongTensor(count)
  for i = 1, count do
    local note = (i - 1) % notes
    local pitch = lowest * 2 ^ (torch.random(0, 3) + (note + torch.uniform(-0.2, 0.2)) / notes)
    local sound, fall = torch.zeros(frame), torch.uniform(0.3, 1.5)
    for h = 1, math.min(12, math.floor(rate / 2 / pitch)) do
      local phase = torch.uniform(0, 2 * math.pi)
      sound:add(torch.uniform(0.2, 1) / h ^ fall, torch.sin(time * (2 * math.pi * h * pitch) + phase))
    end
    sound:div(sound:std()):add(torch.uniform(0, 1), torch.randn(frame))
    x[i] = sound:add(-sound:mean()):div(sound:std())
    y[i] = note + 1
  end
  return x, y
end

-- What comes to the head, for each frame: the body stays as it is, so this is computed once.
local function featuresOf(net, x)
  local found, batches = nil, {}
  local hook = net.classifier:registerForwardPreHook(function(_, input) found = input end)
  torch.noGrad(function()
    for i, batch in ipairs(x:split(60, 1)) do
      net(batch)
      batches[i] = found:clone()
    end
  end)
  hook:remove()
  return torch.cat(batches, 1)
end

-- Puts a new head on a network; features are scaled to deviation 1. Returns the share of the test's frames, in %, that are then right.
local function retrain(net, features, labels, test, testLabels, options)
  net:freeze()
  local head = nn.Sequential(nn.BatchNorm1d(features:size(2)), nn.Linear(features:size(2), notes)):requiresGrad()
  local optimiser = optim.AdamW(head:parameters(), { learningRate = options.lr })
  local targets = torch.zeros(labels:size(1), notes):scatter(2, labels:view(-1, 1), 1)
  for _ = 1, options.steps do
    optimiser:zeroGrad()
    nn.functional.bceWithLogits(head(features), targets):backward()
    optimiser:step()
  end
  net.classifier = head
  net:eval()
  local found = torch.noGrad(function() return head(test):argmax(2):view(-1) end)
  return 100 * torch.eq(found, testLabels):double():mean()
end

local options = command:parse(arg or {})
torch.setnumthreads(options.threads)
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local isRead, published = pcall(zoo.load, 'crepe_tiny', options.weights)
if not isRead then
  local nothing = options.weights == '' and 'nothing, expected crepe_tiny.pth of examples/published/fetch'
  io.stderr:write('retrain: --weights: ', nothing or published:gsub('^%S+:%d+: ', ''), '\n')
  os.exit(2, true)
end
local shots = {}
for count in options.shots:gmatch '%d+' do shots[#shots + 1] = tonumber(count) end
local most = math.max(unpack(shots))
local x, labels = drawFrames(notes * most)
local testX, testLabels = drawFrames(options.test)
local right = {}
for _, name in ipairs { 'published', 'random' } do
  local net = name == 'published' and published or zoo.make('crepe_tiny'):eval()
  local features, test = featuresOf(net, x), featuresOf(net, testX)
  right[name] = {}
  for i, count in ipairs(shots) do
    local n = notes * count
    right[name][i] = retrain(net, features:narrow(1, 1, n), labels:narrow(1, 1, n), test, testLabels, options)
  end
end
for i, count in ipairs(shots) do
  io.write(('%3d frames a note: %5.1f %% right, %5.1f %% with a random body\n'):format(count, right.published[i], right.random[i]))
end
if options.save ~= '' then torch.save(options.save, published) end
if options.curve ~= '' then
  local figure = plot.figure { width = 480, height = 320 }
  local axes = figure:subplot(1, 1, 1):plot(shots, right.published, 'o-', { label = 'published body' })
  axes:plot(shots, right.random, 's--', { label = 'random body' })
  axes:axhline(100 / notes, { color = 'gray', linestyle = ':', label = 'at random' })
  axes:title('Names of notes, from few frames'):xlabel('frames a note'):ylabel('% right'):ylim(0, 105):legend():grid()
  figure:save(options.curve)
end
local place = 1
for i, count in ipairs(shots) do place = count <= 10 and i or place end
io.write(('%.1f %% of unseen frames are right after %d frames a note\n'):format(right.published[place], shots[place]))
