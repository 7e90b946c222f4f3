-- Layers free their last output and gradients themselves, before the collector would.
local ffi = require 'ffi'
local torch = require 'torch'
local nn = require 'nn'

local function live() return torch.memory().live end

-- Bytes that `passes` forwards and backwards leave while nothing is collected.
local function left(net, input, passes)
  local output = net:forward(input)
  local gradient = output:clone():fill(1)
  net:backward(input, gradient)
  net:forward(input)
  collectgarbage()
  collectgarbage()
  collectgarbage 'stop'
  local before = live()
  for _ = 1, passes do
    net:forward(input)
    net:backward(input, gradient)
  end
  local after = live()
  collectgarbage 'restart'
  return after - before
end

describe('passes leave no memory to the collector:', function()
  local passes = 20
  for name, case in pairs {
    Linear = { nn.Linear(100, 100), { 100, 100 } }, ReLU = { nn.ReLU(), { 100, 100 } }, Tanh = { nn.Tanh(), { 100, 100 } },
    Dropout = { nn.Dropout(), { 100, 100 } }, LogSoftMax = { nn.LogSoftMax(), { 100, 100 } },
    SpatialConvolution = { nn.SpatialConvolution(8, 8, 3, 3), { 2, 8, 30, 30 } },
    SpatialMaxPooling = { nn.SpatialMaxPooling(2, 2), { 4, 8, 30, 30 } },
    BatchNormalization = { nn.BatchNormalization(100), { 100, 100 } }, MulConstant = { nn.MulConstant(2), { 100, 100 } },
    ['a row'] = { nn.Sequential():add(nn.Linear(100, 100)):add(nn.Tanh()):add(nn.Linear(100, 100)):add(nn.ReLU()), { 100, 100 } },
  } do
    it(name, function()
      local net, size = case[1]:double(), torch.LongStorage(case[2])
      local input = torch.DoubleTensor(size):uniform()
      local one = input:nElement() * 8
      local grown = left(net, input, passes)
      assert.is_true(grown < 6 * one, ('%d bytes in %d passes over %d'):format(grown, passes, one))
    end)
  end

  it('LookupTable, whose rows go where the last ones were', function()
    local net, input = nn.LookupTable(100, 500):double(), torch.range(1, 100)
    local function place() return tonumber(ffi.cast('uintptr_t', net:forward(input):data())) end
    local before = place()
    assert.equal(before, place())
    local kept = net.output:narrow(1, 1, 10)
    local rows = kept:clone()
    net:forward(torch.range(100, 1, -1))
    assert.is_true(torch.equal(rows, kept))                      -- other owners keep them
  end)
end)

it('what passes leave nevertheless is collected in time', function()
  local net, x = nn.TemporalConvolution(64, 64, 5):float(), torch.FloatTensor(16, 100, 64):uniform()
  local g = net:forward(x):clone()
  local before = live()
  for _ = 1, 150 do net:backward(x, g) end                       -- 2 MB each
  assert.is_true(live() - before < 1.2e8, live() - before .. ' bytes are left')
end)

describe('what a program has of an output', function()
  local function layers()
    return { nn.Linear(3, 3), nn.ReLU(), nn.Tanh(), nn.Dropout(0.5), nn.BatchNormalization(3), nn.MulConstant(2), nn.View(3), nn.Sigmoid() }
  end

  it('stays when the module goes on', function()
    for _, net in ipairs(layers()) do
      local x = torch.randn(4, 3)
      local output = net:forward(x)
      local view, values = output:narrow(2, 1, 2), output:narrow(2, 1, 2):clone()
      local gradient = net:backward(x, torch.randn(4, 3)):select(1, 1)
      local slopes = gradient:clone()
      for _ = 1, 3 do net:backward(x, net:forward(torch.randn(4, 3))) end
      assert.is_true(torch.equal(values, view), torch.type(net))
      assert.is_true(torch.equal(slopes, gradient), torch.type(net))
    end
  end)

  it('is what it gave in, where it works in place', function()
    for _, net in ipairs { nn.ReLU(true), nn.Dropout(0.5, false, true), nn.MulConstant(2, true), nn.Threshold(0, 0, true) } do
      local x = torch.randn(4, 3)
      local output = net:forward(x)
      assert.equal(12, x:nElement())
      assert.is_true(torch.equal(x, output))
      local g = torch.randn(4, 3)
      local gradient = net:backward(x, g)
      assert.equal(12, g:nElement())
      assert.is_true(torch.equal(g, gradient))
      net:forward(torch.randn(4, 3))
      assert.equal(12, x:nElement())
    end
  end)
end)

describe('a call without gradients', function()
  local x = torch.randn(100, 100)
  local function called(net, input) return torch.noGrad(function() return net(input) end) end

  it('frees what lies between modules', function()
    local inner = nn.Sequential(nn.Linear(100, 100), nn.ReLU())
    local net = nn.Sequential(inner, nn.Tanh(), nn.Linear(100, 100), nn.Sequential(nn.ReLU(), nn.View(100, 100)), nn.Sigmoid()):double()
    called(net, x)
    collectgarbage()
    collectgarbage()
    collectgarbage 'stop'
    local before = live()
    local results = {}
    for i = 1, 20 do results[i] = called(net, x) end
    local grown = live() - before
    assert.equal(20, #results)
    collectgarbage 'restart'
    assert.is_true(grown < 23 * x:nElement() * 8, grown .. ' bytes for 20 results')
  end)

  it('keeps what others see', function()
    local seen = {}
    local hooked = nn.Tanh()
    hooked:registerForwardHook(function(_, input, output) seen.input, seen.output = input, output end)
    local both = nn.ConcatTable():add(nn.Identity()):add(nn.Abs())
    local net = nn.Sequential(nn.Exp(), hooked, nn.View(50, 200), both)
    local y = called(net, x)
    assert.is_true(torch.equal(torch.exp(x), seen.input))
    assert.is_true(torch.equal(torch.tanh(torch.exp(x)), seen.output))
    assert.is_true(torch.equal(seen.output:view(50, 200), y[1]) and torch.equal(y[1], y[2]))
    assert.equal(100, x:size(1))
    local views = nn.Sequential(nn.Exp(), nn.View(50, 200), nn.Transpose({ 1, 2 }), nn.Identity())
    assert.is_true(torch.equal(torch.exp(x):view(50, 200):t(), called(views, x)))
  end)

  it('keeps what a class of the program keeps', function()
    local Keeper = torch.class('memory_spec.Keeper', 'nn.Module', {})
    function Keeper:forward(input)
      self.kept = input
      return input
    end
    local keeper = Keeper.new()
    called(nn.Sequential(nn.Exp(), keeper, nn.Tanh()), x)
    assert.is_true(torch.equal(torch.exp(x), keeper.kept))
    called(nn.Sequential(nn.Sequential(nn.Exp(), keeper), nn.Tanh(), nn.Abs()), x)
    assert.is_true(torch.equal(torch.exp(x), keeper.kept))
  end)
end)
