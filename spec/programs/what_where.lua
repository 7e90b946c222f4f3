--[[
A what-where autoencoder: a small convnet halves pictures by max pooling, its mirror puts the values back where they were. The decoder is
saved by itself. A second, fully connected encoder gets pictures where it was given rows, as such scripts do.
]]
unpack = table.unpack or unpack

require 'torch'
require 'nn'
require 'optim'
require 'image'

local opt = {
  seed = 3, side = 16, n = 48, batch = 12, epochs = 12, rate = 0.01,
  planes = { 1, 6, 8 }, validation = 0.25,
}

torch.manualSeed(opt.seed)
torch.setdefaulttensortype('torch.FloatTensor')

-- data: bars and blobs in noise ----------------------------------------------------------------------------------------
local function bar(picture)
  local at = torch.random(3, opt.side - 3)
  if torch.bernoulli() == 1 then
    picture:narrow(2, at, 2):fill(1)
  else
    picture:narrow(1, at, 2):fill(1)
  end
  return 1
end

local function blob(picture)
  local size = torch.random(5, 8)
  local kernel = image.gaussian{ width = size, height = size, amplitude = 1 }
  local x, y = torch.random(1, opt.side - size + 1), torch.random(1, opt.side - size + 1)
  picture:narrow(1, y, size):narrow(2, x, size):copy(kernel)
  return 2
end

local function load(n)
  local data = torch.zeros(n, 1, opt.side, opt.side)
  local labels = torch.zeros(n)
  for i = 1, n do
    local draw = (i % 2 == 0) and bar or blob
    labels[i] = draw(data[i][1])
    data[i]:add(torch.randn(1, opt.side, opt.side):mul(0.02))
  end
  return data, labels
end

local data, labels = load(opt.n)

-- half of an odd number of samples, a fraction of a fraction: the whole part counts
local shuffle = torch.randperm(opt.n):long()
local nValid = opt.n * opt.validation
local valid = data:index(1, shuffle:narrow(1, 1, nValid))
local train = data:index(1, shuffle:narrow(1, nValid + 1, opt.n - nValid))
local trainLabels = labels:index(1, shuffle:narrow(1, nValid + 1, opt.n - nValid))
local third = train:narrow(1, 1, train:size(1) / 5)
assert(third:size(1) == 7)

-- model ------------------------------------------------------------------------------------------------------------------
local pools = {}

local function encoder()
  local net = nn.Sequential()
  for i = 1, #opt.planes - 1 do
    net:add(nn.SpatialConvolution(opt.planes[i], opt.planes[i + 1], 3, 3, 1, 1, (3 - 1) / 2))
    net:add(nn.ReLU(true))
    pools[i] = nn.SpatialMaxPooling(2, 2)
    net:add(pools[i])
  end
  return net
end

local function decoder()
  local net = nn.Sequential()
  for i = #opt.planes - 1, 1, -1 do
    net:add(nn.SpatialMaxUnpooling(pools[i]))
    net:add(nn.SpatialConvolution(opt.planes[i + 1], opt.planes[i], 3, 3, 1, 1, (3 - 1) / 2))
    if i > 1 then net:add(nn.ReLU(true)) end
  end
  return net
end

local what, where = encoder(), decoder()
local model = nn.Sequential():add(what):add(where)
local criterion = nn.MSECriterion()
local params, gradParams = model:getParameters()

local function loss(x) return criterion:forward(model:forward(x), x) end

-- training ----------------------------------------------------------------------------------------------------------------
local first = loss(valid)
local config = { learningRate = opt.rate }
local log = {}
for epoch = 1, opt.epochs do
  local order = torch.randperm(train:size(1)):long()
  local sum, n = 0, 0
  for t = 1, train:size(1), opt.batch do
    local size = math.min(opt.batch, train:size(1) - t + 1)
    if size < opt.batch then break n = -1 end             -- luacheck: ignore 511
    local x = train:index(1, order:narrow(1, t, size))
    local feval = function(p)
      if p ~= params then params:copy(p) end
      gradParams:zero()
      local f = criterion:forward(model:forward(x), x)
      model:backward(x, criterion:backward(model.output, x))
      sum, n = sum + f, n + 1
      return f, gradParams
    end
    optim.adam(feval, params, config)
  end
  log[#log + 1] = sum / n
end
assert(#log == opt.epochs and log[#log] < log[1])
assert(loss(valid) < 0.3 * first, ('%g of %g'):format(loss(valid), first))

-- the decoder by itself: where the values were goes with it ------------------------------------------------------------------
local codes = what:forward(valid):clone()
local expected = where:forward(codes):clone()
local name = os.tmpname()
torch.save(name, where)
local alone = torch.load(name)
os.remove(name)
assert((alone:forward(codes) - expected):abs():max() < 1e-5)

-- a state that is dropped on one side stays on the other
where:get(1):clearState()
assert(pools[#pools].indices:nElement() == codes:nElement())
local again = where:forward(codes)
assert((again - expected):abs():max() < 1e-5)

-- a classifier whose first layer is given rows, and pictures in its backward -----------------------------------------------
local flat = nn.Sequential()
flat:add(nn.Linear(opt.side * opt.side, 20)):add(nn.Tanh()):add(nn.Linear(20, 2)):add(nn.LogSoftMax())
local nll = nn.ClassNLLCriterion()
local pictures = train:select(2, 1)
for i = 1, 30 do
  local rows = pictures:contiguous():view(pictures:size(1), -1)
  flat:zeroGradParameters()
  local out = flat:forward(rows)
  nll:forward(out, trainLabels)
  local g = nll:backward(out, trainLabels)
  flat:backward(i == 1 and pictures or rows, g)          -- the slip of the first round does nothing
  if i == 1 then assert(flat:get(1).gradWeight:abs():max() == 0) end
  flat:updateParameters(0.3)
end
local _, guess = torch.max(flat.output, 2)
local right = guess:view(-1):eq(trainLabels:long()):sum() / trainLabels:size(1)
assert(right > 0.9, right)

-- one layer for every pixel's channels
local perPixel = nn.Linear(3, 1):forward(torch.rand(4, 5, 3))
assert(perPixel:dim() == 3 and perPixel:size(3) == 1)

local line = ('-'):rep(3, '+')
assert(line == '-+-+-')
print(('loss %.4f -> %.4f, %d%% right'):format(first, log[#log], right * 100))
print 'ok'
