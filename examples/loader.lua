-- Learns to read digits that two workers shift and darken at random each time: `th examples/loader.lua`. It writes a checkpoint every 20
-- batches. If it is stopped, `-resume` continues with the same batches as an uninterrupted run, and ends with the same numbers.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch = require 'torch'
local nn, optim, data = require 'nn', require 'optim', require 'data'
local digits, newCurve = require 'digits.data', require 'curve'

local line = torch.CmdLine()
line:text 'Learns digits from a loader with workers.'
line:option('-epochs', 3, 'passes over the pictures')
line:option('-pictures', 4000, 'how many are drawn to learn from')
line:option('-batch', 50, 'pictures a step')
line:option('-workers', 2, 'threads that prepare batches; 0: none')
line:option('-seed', 1, 'of pictures, weights, order and changes')
line:option('-checkpoint', 'loader.t7', 'where checkpoints go')
line:option('-curve', 'loader.svg', "where the curves go; '' draws none")
line:option('-stop', 0, 'end after so many steps, as if interrupted')
line:option('-resume', false, 'continue from the checkpoint')
local options = line:parse(arg)

torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)

-- Runs in the workers. Its random numbers depend only on the seed, the epoch and the picture's position.
local function change(sample)
  local picture = torch.FloatTensor(28, 28):zero()
  local dx, dy, size = torch.random(-2, 2), torch.random(-2, 2), 28
  local w, h = size - math.abs(dx), size - math.abs(dy)
  local from = sample.input:narrow(1, 1 + math.max(-dy, 0), h):narrow(2, 1 + math.max(-dx, 0), w)
  picture:narrow(1, 1 + math.max(dy, 0), h):narrow(2, 1 + math.max(dx, 0), w):copy(from)
  return { input = picture:mul(torch.uniform(0.5, 1) / 255), target = sample.target }
end

local function setOf(drawn) return data.TensorDataset { input = drawn.images, target = drawn.labels } end

local function plain(sample) return { input = sample.input:float():div(255), target = sample.target } end

local loader = setOf(digits.draw(options.pictures, options.seed)):loader {
  batchSize = options.batch, shuffle = true, workers = options.workers, seed = options.seed, transform = change,
}
local test = setOf(digits.draw(500, options.seed + 1e6)):loader { batchSize = 100, transform = plain }

local net = nn.Sequential():add(nn.View(784)):add(nn.Linear(784, 128)):add(nn.ReLU()):add(nn.Linear(128, 10)):add(nn.LogSoftMax())
local criterion, state, sum, points = nn.ClassNLLCriterion(), {}, 0, nil

if options.resume then
  local saved = torch.load(options.checkpoint)
  net, state, sum, points = saved.net, saved.state, saved.sum, saved.points
  loader:resume(saved.loader)
end
local parameters = net:requiresGrad():parameters()
local steps = optim.Adam(parameters, { learningRate = 2e-3 })
steps.state = state

local function accuracy()
  local right, count = 0, 0
  torch.noGrad(function()
    for batch in test() do
      local _, best = net(batch.input):max(2)
      right, count = right + best:view(-1):eq(batch.target:long()):sum(), count + batch.target:size(1)
    end
  end)
  return 100 * right / count
end

local taken, curve = 0, newCurve(options.curve, 'epoch', { 'loss', 'accuracy [%]' }, points)
for epoch = loader.epoch, options.epochs do
  for batch, k in loader() do
    steps:zeroGrad()
    local loss = criterion(net(batch.input), batch.target)
    loss:backward()
    steps:step()
    sum, taken = sum + loss:item(), taken + 1
    if k % 20 == 0 then
      torch.save(options.checkpoint, { net = net, state = steps.state, sum = sum, loader = loader:state(), points = curve.points })
    end
    if taken == options.stop then
      print(('stopped in epoch %d after batch %d'):format(epoch, k))
      os.exit(0, true)
    end
  end
  local loss, reached = sum / loader:size(), accuracy()
  print(('epoch %d  loss %.4f  accuracy %.1f %%'):format(epoch, loss, reached))
  curve:add(epoch, { loss, reached })
  sum = 0
end
