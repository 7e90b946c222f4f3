-- What integers of 8 bits cost in accuracy: `th bench/quantized.lua DIR`, the folder of MNIST's t10k files and of tinyshakespeare.txt.
-- LeNet learns from 8,000 digits, an LSTM from nine tenths of the text; the rest is held out. After the training with floats, both learn
-- for some more steps, once with floats and once with the rounding.
local torch, nn, optim, quantize = require 'torch', require 'nn', require 'optim', require 'quantize'
torch.setdefaulttensortype 'torch.FloatTensor'
torch.setnumthreads(1)

local folder = arg and arg[1] or '.'

-- Runs `steps` steps on batches from next(), with a rate that falls to 0.
local function learn(model, parameters, criterion, next, steps, rate)
  local algorithm = optim.Adam(parameters, { learningRate = rate })
  for i = 1, steps do
    algorithm.config.learningRate = rate * (1 - (i - 1) / steps)
    local x, y = next()
    algorithm:zeroGrad()
    criterion(model(x), y):backward()
    algorithm:step()
  end
end

-- The measures of a network and its integers. `make` returns a network, `measure(run)` a number.
local function compare(task)
  torch.manualSeed(1)
  local net = task.make()
  net:requiresGrad()
  net:training()
  learn(net, (net:parameters()), task.criterion, task.next, task.steps, task.rate)
  local function report(name, run) print(('%-8s %-28s %.4f'):format(task.name, name, task.measure(run))) end
  local function ofNetwork(network)
    return function(x) return torch.noGrad(function() return network:forward(x) end) end
  end
  local function evaluated(network)
    network:evaluate()
    return ofNetwork(network)
  end
  local function converted(network, options)
    options.input, options.batch = task.example, task.batchDim
    local prepared = quantize.prepare(network, options)
    if options.mode ~= 'dynamic' then
      torch.manualSeed(2)
      for _ = 1, 20 do quantize.calibrate(prepared, (task.next())) end
    end
    return ofNetwork(quantize.convert(prepared))
  end
  report('float32', evaluated(net))
  report('dynamic', converted(net, { mode = 'dynamic' }))
  report('static', converted(net, {}))
  report('static, one scale', converted(net, { perChannel = false }))
  local longer, rounded = net:clone(), net:clone()
  for _, network in ipairs { longer, rounded } do network:requiresGrad() end
  torch.manualSeed(3)
  longer:training()
  learn(longer, (longer:parameters()), task.criterion, task.next, task.more, task.rate / 4)
  report('float32, more steps', evaluated(longer))
  report('static, more steps', converted(longer, {}))
  torch.manualSeed(3)
  rounded:training()
  local prepared = quantize.prepare(rounded, { mode = 'training', input = task.example, batch = task.batchDim })
  learn(prepared, (prepared:parameters()), task.criterion, task.next, task.more, task.rate / 4)
  prepared:evaluate()
  report('training with the rounding', ofNetwork(quantize.convert(prepared)))
end

local function bytes(name, header)
  local file = assert(io.popen(('gzip -dc %q'):format(folder .. '/' .. name), 'r'))
  local text = file:read '*a'
  file:close()
  return torch.ByteTensor(torch.ByteStorage():string(text:sub(header + 1)))
end

local pictures = bytes('t10k-images-idx3-ubyte.gz', 16):view(10000, 1, 28, 28):float():div(255)
local labels = bytes('t10k-labels-idx1-ubyte.gz', 8):long():add(1)

compare {
  name = 'LeNet', steps = 1250, more = 250, rate = 0.002, criterion = nn.ClassNLLCriterion():float(), example = pictures:narrow(1, 1, 2),
  make = function()
    return nn.Sequential():add(nn.SpatialConvolution(1, 16, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
      :add(nn.SpatialConvolution(16, 32, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2)):add(nn.View(512))
      :add(nn.Linear(512, 128)):add(nn.ReLU()):add(nn.Linear(128, 10)):add(nn.LogSoftMax()):float()
  end,
  next = function()
    local chosen = torch.rand(32):mul(8000):floor():add(1):long()
    return pictures:index(1, chosen), labels:index(1, chosen)
  end,
  measure = function(run)
    local right = 0
    for i = 8001, 10000, 500 do
      local _, best = torch.max(run(pictures:narrow(1, i, 500)), 2)
      right = right + torch.eq(best:view(-1), labels:narrow(1, i, 500)):long():sum()
    end
    return right / 2000
  end,
}

local file = assert(io.open(folder .. '/tinyshakespeare.txt', 'rb'))
local text = file:read '*a'
file:close()
local known, count = {}, 0
local numbers = torch.LongTensor(#text)
for i = 1, #text do
  local c = text:byte(i)
  if not known[c] then
    count = count + 1
    known[c] = count
  end
  numbers[i] = known[c]
end
local length, held = 48, math.floor(#text * 0.9)

-- Texts that begin at the given positions: (length, texts), and the characters that follow.
local function texts(positions)
  local x, y = torch.LongTensor(length, #positions), torch.LongTensor(length, #positions)
  for i, from in ipairs(positions) do
    x:select(2, i):copy(numbers:narrow(1, from, length))
    y:select(2, i):copy(numbers:narrow(1, from + 1, length))
  end
  return x, y:view(-1)
end

compare {
  name = 'LSTM', steps = 800, more = 100, rate = 0.006, batchDim = 2, criterion = nn.CrossEntropyCriterion():float(),
  example = (texts { 1, 2 }),
  make = function()
    return nn.Sequential():add(nn.Embedding(count, 64)):add(nn.LSTM(64, 128)):add(nn.Linear(128, count)):add(nn.View(-1, count)):float()
  end,
  next = function()
    local positions = {}
    for i = 1, 32 do positions[i] = torch.random(1, held - length - 1) end
    return texts(positions)
  end,
  measure = function(run)
    local positions = {}
    for from = held + 1, #text - length - 1, 400 do positions[#positions + 1] = from end
    local x, y = texts(positions)
    return nn.CrossEntropyCriterion():float():forward(run(x), y)
  end,
}
