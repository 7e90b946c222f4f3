--[[
Rings in the plane, by torchnet as its examples use it: no line requires nn. Data sets over data sets, an engine with hooks, meters, a log,
and a file of samples that is read back.
]]
local tnt = require 'torchnet'
local argcheck = require 'argcheck'

local cmd = torch.CmdLine()
cmd:option('-seed', 1, 'manual seed')
cmd:option('-n', 240, 'points')
cmd:option('-batchsize', 20, 'of a step')
cmd:option('-maxepoch', 20, 'passes')
cmd:option('-lr', 0.4, 'learning rate')
local opt = cmd:parse(arg or {})
torch.manualSeed(opt.seed)

-- points, and which of three rings each is on -----------------------------------------------------------------------------
local points = {}
for i = 1, opt.n do
  local ring = i % 3 + 1
  local angle, radius = torch.uniform(0, 2 * math.pi), ring * 2 + torch.normal(0, 0.2)
  points[i] = { radius * math.cos(angle), radius * math.sin(angle), ring }
end

local makePoint = argcheck{
  { name = 'point', type = 'table' },
  call = function(point)
    return { input = torch.Tensor{ point[1], point[2] }, target = torch.LongTensor{ point[3] }, source = { point = point } }
  end
}

local function getDataset(mode)
  local dataset = tnt.ListDataset{
    list = points,
    load = function(point) return makePoint{ point = point } end
  }
  local parts = dataset:shuffle():split{ train = 0.75, test = 0.25 }
  parts:select(mode)
  return parts
end

local squared = { input = function(x) return torch.cat(x, torch.cmul(x, x)):div(10) end, target = function(y) return y:double() end }

local function getIterator(mode)
  torch.manualSeed(opt.seed)                  -- the same parts for both
  local dataset = getDataset(mode):transform(squared)
  if mode == 'train' then dataset = tnt.ShuffleDataset{ dataset = dataset } end
  return tnt.DatasetIterator{ dataset = tnt.BatchDataset{ dataset = dataset, batchsize = opt.batchsize } }
end

-- a transform changed samples, and none of the set's own tables ------------------------------------------------------------------
local plain = tnt.TableDataset{ data = { { input = torch.ones(2), tags = { 'a' } } } }
local marked = plain:transform(function(sample)
  sample.tags[1] = 'b'
  sample.extra = true
  return sample
end)
assert(marked:get(1).tags[1] == 'b' and plain:get(1).tags[1] == 'a' and plain:get(1).extra == nil)
assert(plain:get(1).input == plain:get(1).input)

-- another order each epoch, through the layers -----------------------------------------------------------------------------------
local train, test = getIterator('train'), getIterator('test')
torch.manualSeed(opt.seed + 1)
local function order()
  local seen = {}
  for sample in train() do seen[#seen + 1] = ('%.3f'):format(sample.input[1][1]) end
  return table.concat(seen, ' ')
end
local before = order()
train:exec('resample')
assert(order() ~= before, 'exec reached nothing')

-- the net -------------------------------------------------------------------------------------------------------------------------
local net = nn.Sequential():add(nn.Linear(4, 16)):add(nn.Tanh()):add(nn.Linear(16, 3)):add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()

local engine = tnt.SGDEngine()
local loss, clerr, timer = tnt.AverageValueMeter(), tnt.ClassErrorMeter{}, tnt.TimeMeter{ unit = true }
local log = tnt.Log{ keys = { 'epoch', 'loss', 'error' } }
local lines = {}
log:attach('onFlush', { function(self) lines[#lines + 1] = ('%d %.4f %.1f'):format(self:get'epoch', self:get'loss', self:get'error') end })

engine.hooks.onStartEpoch = function(state)
  loss:reset()
  clerr:reset()
  state.iterator:exec('resample')
end
engine.hooks.onSample = function(state)
  state.sample.target = state.sample.target:view(-1)
end
engine.hooks.onForwardCriterion = function(state)
  loss:add(state.criterion.output)
  clerr:add(state.network.output, state.sample.target)
  timer:incUnit()
  if loss.n == 1 then
    local mean, deviation = loss:value()
    assert(mean == state.criterion.output and deviation ~= deviation, 'one loss has no deviation')
  end
end
engine.hooks.onEndEpoch = function(state)
  log:set{ epoch = state.epoch, loss = (loss:value()), error = clerr:value{ k = 1 } }
  log:flush()
end

engine:train{ network = net, iterator = train, criterion = criterion, lr = opt.lr, maxepoch = opt.maxepoch }
assert(#lines == opt.maxepoch and timer:value() > 0)

loss:reset()
clerr:reset()
engine:test{ network = net, iterator = test, criterion = criterion }
local testError = clerr:value{ k = 1 }
assert(testError < 20, testError)

-- precision and recall of one ring, at the usual threshold -----------------------------------------------------------------------------
local precision, recall, auc = tnt.PrecisionMeter{}, tnt.RecallMeter{}, tnt.AUCMeter()
for sample in test() do
  local p = net:forward(sample.input):select(2, 1):clone():exp()
  local isFirst = sample.target:view(-1):eq(1):double()
  precision:add(p, isFirst)
  recall:add(p, isFirst)
  auc:add(p, isFirst)
end
local p, r = precision:value()[0.5], recall:value()[0.5]
assert(p > 70 and r > 70 and auc:value() > 0.9, ('%g %g'):format(p, r))
local moving = tnt.MovingAverageValueMeter{ windowsize = 3 }
moving:add(2)
local _, spread = moving:value()
assert(spread ~= spread)

-- an indexed data set of what was learnt ------------------------------------------------------------------------------------------------
local folder = paths.tmpname()
paths.mkdir(folder)
local writer = tnt.IndexedDatasetWriter{ indexfilename = folder .. '/code.idx', datafilename = folder .. '/code.bin', type = 'float' }
for sample in test() do
  for i = 1, sample.input:size(1) do writer:add(net:forward(sample.input[i]):float()) end
end
writer:close()
local codes = tnt.IndexedDataset{ fields = { 'code' }, path = folder, mmap = true }
assert(codes:size() == opt.n / 4 and math.abs(codes:get(1).code:clone():exp():sum() - 1) < 1e-5)
paths.rmall(folder, 'yes')
print(table.concat({ lines[1], lines[#lines], ('test %.1f'):format(testError) }, '; '))
print 'ok'
