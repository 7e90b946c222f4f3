-- A convolutional network on small digits: batches come from worker threads, which distort pictures; a log with plots, a confusion
-- matrix, and checkpoints from which the program continues.
require 'torch'
require 'nn'
require 'optim'
require 'image'
require 'gnuplot'
require 'xlua'
local Threads = require 'threads'

local cmd = torch.CmdLine()
cmd:text()
cmd:text('Training on digits')
cmd:text()
cmd:text('Options:')
cmd:option('-save', paths.tmpname(), 'subdirectory to save/log experiments in')
cmd:option('-network', '', 'reload pretrained network')
cmd:option('-plot', false, 'plot while training')
cmd:option('-optimization', 'SGD', 'optimization method: SGD | LBFGS')
cmd:option('-learningRate', 0.05, 'learning rate, for SGD only')
cmd:option('-batchSize', 25, 'batch size')
cmd:option('-momentum', 0.9, 'momentum, for SGD only')
cmd:option('-weightDecay', 1e-4, 'weight decay')
cmd:option('-nThreads', 2, 'threads that load')
cmd:option('-manualSeed', 2, 'seed')
cmd:option('-nEpochs', 20, 'passes')
cmd:text()
local opt = cmd:parse(arg or {})
torch.manualSeed(opt.manualSeed)
torch.setdefaulttensortype('torch.FloatTensor')
torch.setnumthreads(1)
paths.mkdir(opt.save)

------------------------------------------------------------------------ digits drawn as seven segments
local classes = { '1', '2', '3', '4', '5', '6', '7', '8', '9', '0' }
local segments = {          -- top, upper left, upper right, middle, lower left, lower right, bottom
  '0010010', '1011101', '1011011', '0111010', '1101011', '1101111', '1010010', '1111111', '1111011', '1110111',
}
local strokes = { { 2, 2, 4, 8 }, { 2, 2, 7, 3 }, { 2, 7, 7, 8 }, { 7, 2, 8, 8 }, { 7, 2, 13, 3 }, { 7, 7, 13, 8 }, { 12, 2, 13, 8 } }
local function draw(class)
  local picture = torch.zeros(1, 16, 12)
  for i, s in ipairs(strokes) do
    if segments[class]:sub(i, i) == '1' then picture[{ 1, { s[1] + 1, s[3] + 1 }, { s[2] + 1, s[4] + 1 } }] = 1 end
  end
  return picture
end

local function make(n)
  local set = { data = torch.ByteTensor(n, 1, 16, 12), labels = torch.LongTensor(n) }
  for i = 1, n do
    set.labels[i] = (i - 1) % 10 + 1
    set.data[i]:copy(draw(set.labels[i]):mul(200):add(torch.rand(1, 16, 12):mul(40)))
  end
  function set:size() return n end
  return set
end
local trainData, testData = make(200), make(50)

local mean, std = trainData.data:float():mean(), trainData.data:float():std()

------------------------------------------------------------------------ workers share the pictures, and distort what they take
Threads.Threads.serialization('threads.sharedserialize')
local data, labels, seed = trainData.data, trainData.labels, opt.manualSeed
local donkeys = Threads.Threads(opt.nThreads,
  function()
    require 'torch'
    require 'image'
  end,
  function(idx)
    donkey_id = idx
    torch.setdefaulttensortype('torch.FloatTensor')
    torch.manualSeed(seed + idx)
    trainset = { data = data, labels = labels }
    local function distort(x)
      x = image.translate(x, torch.random(-1, 1), torch.random(-1, 1))
      x = image.rotate(x, torch.uniform(-0.1, 0.1), 'bilinear')
      if torch.uniform() < 0.3 then x = image.scale(image.scale(x, 10, 13), 12, 16) end
      return x
    end
    function getBatch(indices)
      local batch = torch.FloatTensor(indices:size(1), 1, 16, 12)
      for i = 1, indices:size(1) do batch[i]:copy(distort(trainset.data[indices[i]]:float():add(-mean):div(std))) end
      return batch, trainset.labels:index(1, indices)
    end
  end)
Threads.Threads.serialization('threads.serialize')

------------------------------------------------------------------------ the model
local model, logs
if opt.network == '' then
  model = nn.Sequential()
  model:add(nn.SpatialConvolutionMM(1, 8, 3, 3))
  model:add(nn.SpatialBatchNormalization(8))
  model:add(nn.ReLU(true))
  model:add(nn.SpatialMaxPooling(2, 2, 2, 2))
  model:add(nn.View(8 * 7 * 5):setNumInputDims(3))
  model:add(nn.Dropout(0.2))
  model:add(nn.Linear(8 * 7 * 5, #classes))
  model:add(nn.LogSoftMax())
else
  print('<trainer> reloading previously trained network')
  model = torch.load(opt.network)
end
local parameters, gradParameters = model:getParameters()
local criterion = nn.ClassNLLCriterion()
local confusion = optim.ConfusionMatrix(classes)
local trainLogger = optim.Logger(paths.concat(opt.save, 'train.log'))
local testLogger = optim.Logger(paths.concat(opt.save, 'test.log'))
local sgdState = { learningRate = opt.learningRate, momentum = opt.momentum, weightDecay = opt.weightDecay, learningRateDecay = 5e-7 }
local epoch = 1

local function step(inputs, targets)
  local feval = function(x)
    collectgarbage()
    if x ~= parameters then parameters:copy(x) end
    gradParameters:zero()
    local outputs = model:forward(inputs)
    local f = criterion:forward(outputs, targets)
    model:backward(inputs, criterion:backward(outputs, targets))
    confusion:batchAdd(outputs, targets)
    return f, gradParameters
  end
  if opt.optimization == 'LBFGS' then return optim.lbfgs(feval, parameters, { maxIter = 2, lineSearch = optim.lswolfe }) end
  local _, fs = optim.sgd(feval, parameters, sgdState)
  return fs[1]
end

local function train()
  model:training()
  local time, seen, loss = sys.clock(), 0, 0
  print('<trainer> on training set:')
  print('<trainer> online epoch # ' .. epoch .. ' [batchSize = ' .. opt.batchSize .. ']')
  local indices = torch.randperm(trainData:size()):long():split(opt.batchSize)
  for t, v in ipairs(indices) do
    donkeys:addjob(
      function() return getBatch(v) end,
      function(inputs, targets)
        seen = seen + inputs:size(1)
        loss = loss + step(inputs, targets)
        xlua.progress(seen, trainData:size())
      end)
    assert(t <= 8)
  end
  donkeys:synchronize()
  assert(seen == trainData:size())
  time = (sys.clock() - time) / trainData:size()
  print('<trainer> time to learn 1 sample = ' .. (time * 1000) .. 'ms')
  confusion:updateValids()
  print(confusion)
  trainLogger:add { ['% mean class accuracy (train set)'] = confusion.totalValid * 100, ['loss'] = loss / #indices }
  confusion:zero()
  epoch = epoch + 1
end

local function test()
  model:evaluate()
  for t = 1, testData:size(), opt.batchSize do
    local last = math.min(t + opt.batchSize - 1, testData:size())
    local inputs = testData.data[{ { t, last } }]:float():add(-mean):div(std)
    confusion:batchAdd(model:forward(inputs), testData.labels[{ { t, last } }])
  end
  confusion:updateValids()
  testLogger:add { ['% mean class accuracy (test set)'] = confusion.totalValid * 100 }
  local accuracy = confusion.totalValid
  confusion:zero()
  return accuracy
end

local accuracy
for _ = 1, opt.nEpochs do
  train()
  accuracy = test()
  local filename = paths.concat(opt.save, 'digits.net')
  os.execute('mkdir -p ' .. sys.dirname(filename))
  if paths.filep(filename) then os.execute('mv ' .. filename .. ' ' .. filename .. '.old') end
  torch.save(filename, model:clearState())
end
assert(accuracy > 0.8, 'accuracy ' .. accuracy)

------------------------------------------------------------------------ plots of the log, and what the first layer sees
if sys.execute('command -v gnuplot') ~= '' then
  trainLogger:style { ['% mean class accuracy (train set)'] = '-', ['loss'] = '+-' }
  trainLogger:display(false)
  trainLogger:plot()
  assert(paths.filep(paths.concat(opt.save, 'train.log.eps')), 'the plot is there')
  gnuplot.pngfigure(paths.concat(opt.save, 'weights.png'))
  gnuplot.imagesc(model:get(1).weight:view(8, 9), 'color')
  gnuplot.plotflush()
  gnuplot.closeall()
end
local weights = image.toDisplayTensor { input = model:get(1).weight:view(8, 3, 3), padding = 1, nrow = 4, scaleeach = true }
image.save(paths.concat(opt.save, 'layer1.png'), image.scale(weights, '*8', 'simple'))
local size = image.getSize(paths.concat(opt.save, 'layer1.png'))
assert(size[1] == 1 and size[2] == 8 * weights:size(1) and size[3] == 8 * weights:size(2))

------------------------------------------------------------------------ it goes on from its checkpoint
local log = torch.DiskFile(paths.concat(opt.save, 'train.log')):readString('*a')
assert(#log:split('\n') == opt.nEpochs + 1 and log:find 'mean class accuracy')
model = torch.load(paths.concat(opt.save, 'digits.net'))
assert(test() == accuracy)
donkeys:terminate()
os.execute('rm -r ' .. opt.save)
print('ok')
