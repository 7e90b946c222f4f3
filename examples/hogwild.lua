-- Hogwild: several workers learn one network at the same time, without waiting for each other: `th examples/hogwild.lua --workers 2`.
-- Its parameters are in shared memory. Each worker computes gradients of its batches, and adds them to the parameters, which the others
-- read and change at the same time. Simultaneous updates may be lost in part, and gradients are slightly out of date; neither does harm
-- as long as the steps are small. Source: Recht et al. (2011), "Hogwild!: A Lock-Free Approach to Parallelizing Stochastic Gradient
-- Descent", NeurIPS.
-- The last line printed is the accuracy on pictures that it hasn't seen, and the pictures learned in a second of the
-- fastest epoch.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch = require 'torch'
local nn, sys = require 'nn', require 'sys'
local data, newCurve = require 'digits.data', require 'curve'

local cmd = torch.CmdLine()
cmd:text 'Learns to read digits with several workers at a time.'
cmd:option('--workers', 2, 'how many')
cmd:option('--by', 'processes', 'processes or threads')
cmd:option('--data', '', 'folder of MNIST\'s files; without it, digits are drawn')
cmd:option('--pictures', 8000, 'learn from the first of them')
cmd:option('--epochs', 3, 'passes over the pictures')
cmd:option('--batch', 32, 'pictures a step')
cmd:option('--lr', 0.05, 'length of steps, a tenth of it in the last epoch')
cmd:option('--curve', 'hogwild.svg', "where the curves go; '' draws none")
cmd:option('--seed', 1, 'of weights, drawing and order')
local options = cmd:parse(arg)
if options.by ~= 'processes' and options.by ~= 'threads' then
  io.stderr:write(('hogwild: --by: %s, expected processes or threads\n'):format(options.by))
  os.exit(2, true)
end

torch.setnumthreads(1)      -- a worker has one thread, and so has the serial run for comparison
torch.manualSeed(options.seed)
torch.setdefaulttensortype 'torch.FloatTensor'

local function makeNetwork()
  return nn.Sequential()
    :add(nn.SpatialConvolution(1, 16, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
    :add(nn.SpatialConvolution(16, 32, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
    :add(nn.View(512))
    :add(nn.Linear(512, 128)):add(nn.ReLU())
    :add(nn.Linear(128, 10)):add(nn.LogSoftMax())
end

local function readSets()
  local train, test
  if options.data ~= '' then
    train, test = data.read(options.data)
  else
    train, test = data.draw(options.pictures, options.seed), data.draw(2000, options.seed + 1e6)
  end
  local count = math.min(options.pictures, train.labels:size(1))
  return { images = train.images:narrow(1, 1, count), labels = train.labels:narrow(1, 1, count) }, test
end

-- A worker's part of an epoch: steps along the gradients of a copy of the network that shares the parameters with all workers.
local function makeLearner(net, set, batchOf)
  local criterion = nn.ClassNLLCriterion()
  local copy = net:clone('weight', 'bias')      -- shares these; outputs and gradients are its own
  copy:get(1).gradInput = nil                   -- the gradient with respect to the pictures isn't needed
  local parameters, gradients = copy:parameters()
  return function(order, batch, lr)
    local count, sum = order:size(1), 0
    for first = 1, count, batch do
      local size = math.min(batch, count - first + 1)
      local input, target = batchOf(set, order:narrow(1, first, size))
      copy:zeroGradParameters()
      local output = copy:forward(input)
      sum = sum + size * criterion:forward(output, target)
      copy:backward(input, criterion:backward(output, target))
      for i, parameter in ipairs(parameters) do parameter:add(-lr, gradients[i]) end
    end
    return sum
  end
end

-- Starts the workers. `learn` is a global of each of them.
local function makePool(net, train)
  local batchOf, defaultType = data.batch, torch.getdefaulttensortype()
  local function start()
    require 'torch'.setdefaulttensortype(defaultType)
    rawset(_G, 'learn', makeLearner(net, train, batchOf))
  end
  if options.by == 'processes' then return torch.processes(options.workers, start) end
  local threads = require 'threads'
  threads.Threads.serialization 'threads.sharedserialize'
  return threads.Threads(options.workers, function() require 'nn' end, start)
end

-- The percentage of pictures that are classified correctly.
local function accuracy(net, set)
  local count, right = set.labels:size(1), 0
  local order = torch.range(1, count):long()
  for first = 1, count, 200 do
    local input, target = data.batch(set, order:narrow(1, first, math.min(200, count - first + 1)))
    local _, best = net:forward(input):max(2)
    right = right + torch.eq(best:view(-1), target):sum()
  end
  return 100 * right / count
end

local train, test = readSets()
local net = makeNetwork()
torch.shared { net, train }      -- parameters and pictures; threads share them anyway
local pool = makePool(net, train)
print(('%d pictures to learn, %d to test; %d %s'):format(train.labels:size(1), test.labels:size(1), options.workers, options.by))

local fastest, curve = 0, newCurve(options.curve, 'epoch', { 'loss', 'accuracy [%]' })
for epoch = 1, options.epochs do
  local lr = epoch == options.epochs and epoch > 1 and options.lr / 10 or options.lr
  local order, sum = torch.randperm(train.labels:size(1)):long(), 0
  local began = sys.clock()
  for _, part in ipairs(order:chunk(options.workers, 1)) do
    pool:addjob(
      function() return learn(part, options.batch, lr) end,      -- luacheck: ignore 113
      function(loss) sum = sum + loss end)
  end
  pool:synchronize()
  local rate = order:size(1) / (sys.clock() - began)
  fastest = math.max(fastest, rate)
  local loss, reached = sum / order:size(1), accuracy(net, test)
  print(('epoch %d  loss %.4f  accuracy %.2f %%  %.0f pictures a second'):format(epoch, loss, reached, rate))
  curve:add(epoch, { loss, reached })
end
pool:terminate()
print(('accuracy %.2f %%, up to %.0f pictures a second'):format(accuracy(net, test), fastest))
