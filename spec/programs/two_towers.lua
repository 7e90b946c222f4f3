--[[
Two towers joined, as a graph: options on the command line, closures for optim, a log with plots, checkpoints to go on from.
]]
require 'torch'
require 'xlua'
require 'optim'
require 'nngraph'

local cmd = torch.CmdLine()
cmd:text()
cmd:text('Which of two vectors is longer?')
cmd:text()
cmd:option('-seed', 3, 'random seed')
cmd:option('-hidden', 12, 'units of a tower')
cmd:option('-epochs', 6, 'passes over the data')
cmd:option('-batchSize', 20, 'samples of a step')
cmd:option('-learningRate', 0.02, 'of adam')
cmd:option('-save', paths.tmpname() .. '_towers', 'folder of logs and checkpoints')
cmd:option('-plot', true, 'live plots')
local opt = cmd:parse(arg)
paths.mkdir(opt.save)
cmd:log(paths.concat(opt.save, 'train.txt'), opt)
torch.manualSeed(opt.seed)
torch.setdefaulttensortype('torch.FloatTensor')

-- data
local N, n = 400, 3
local a, b = torch.randn(N, n), torch.randn(N, n)
local labels = torch.gt(a:norm(2, 2), b:norm(2, 2)):long():add(1):squeeze()

-- model: both towers share their weights
local tower = nn.Sequential():add(nn.Square()):add(nn.Linear(n, opt.hidden)):add(nn.ReLU(true)):add(nn.Linear(opt.hidden, 1))
local left, right = nn.Identity()(), nn.Identity()()
local first = tower(left):annotate { name = 'first', graphAttributes = { color = 'blue' } }
local second = tower:clone('weight', 'bias', 'gradWeight', 'gradBias')(right):annotate { name = 'second' }
local scores = nn.JoinTable(2) { second, first }
local model = nn.gModule({ left, right }, { nn.LogSoftMax()(scores) })
model.name = 'towers'
local criterion = nn.ClassNLLCriterion()
assert(tostring(model) == 'towers')
graph.dot(model.fg, 'towers', paths.concat(opt.save, 'towers'))
assert(paths.filep(paths.concat(opt.save, 'towers.dot')))

local parameters, gradParameters = model:getParameters()
assert(parameters:size(1) == n * opt.hidden + opt.hidden + opt.hidden + 1, 'shared weights are there once')
local confusion = optim.ConfusionMatrix { 'shorter', 'longer' }
local logger = optim.Logger(paths.concat(opt.save, 'train.log'))
logger:setNames { '% mean class accuracy', 'loss_value' }
logger:style { '+-', '-' }
logger:display(false)

local state = { learningRate = opt.learningRate }
local function train(epoch)
  model:training()
  local shuffle, total, steps = torch.randperm(N):long(), 0, 0
  for t = 1, N, opt.batchSize do
    local rows = shuffle:narrow(1, t, math.min(opt.batchSize, N - t + 1))
    local inputs, targets = { a:index(1, rows), b:index(1, rows) }, labels:index(1, rows)
    local feval = function(x)
      if x ~= parameters then parameters:copy(x) end
      gradParameters:zero()
      local outputs = model:forward(inputs)
      local f = criterion:forward(outputs, targets)
      model:backward(inputs, criterion:backward(outputs, targets))
      confusion:batchAdd(outputs, targets)
      total, steps = total + f, steps + 1
      return f, gradParameters
    end
    optim.adam(feval, parameters, state)
  end
  confusion:updateValids()
  logger:add { confusion.totalValid * 100, total / steps }
  local accuracy = confusion.totalValid
  confusion:zero()
  if opt.plot and epoch > 1 then logger:plot() end
  torch.save(paths.concat(opt.save, 'model_' .. epoch .. '.t7'), { model = model, opt = opt, state = state, epoch = epoch })
  return accuracy
end

local accuracy
for epoch = 1, opt.epochs do accuracy = train(epoch) end
assert(accuracy > 0.9, accuracy)

-- the checkpoint goes on
local checkpoint = torch.load(paths.concat(opt.save, 'model_' .. opt.epochs .. '.t7'))
local again = checkpoint.model
assert((again:forward { a, b } - model:forward { a, b }):abs():max() == 0)
assert(checkpoint.opt.hidden == opt.hidden and checkpoint.state.t == opt.epochs * N / opt.batchSize)
for _, node in ipairs(again.forwardnodes) do
  if node.data.annotations.name == 'first' then assert(torch.type(node.data.module) == 'nn.Sequential') end
end
local linear = again:findModules('nn.Linear')
assert(#linear == 4)
linear[1].weight:fill(7)
assert(linear[3].weight:min() == 7, 'what was shared is shared after a load')

-- the log and its picture
local lines = 0
for line in io.lines(paths.concat(opt.save, 'train.log')) do
  lines = lines + 1
  if lines == 1 then assert(line:find 'loss_value') end
end
assert(lines == opt.epochs + 1)
if paths.findprogram 'gnuplot' then
  local eps = io.open(paths.concat(opt.save, 'train.log.eps')):read '*a'
  assert(eps:find '^%%!PS' and eps:find('loss_value', 1, true))
end
paths.rmall(opt.save, 'yes')
print 'ok'
