-- Elementwise modules, softmaxes and modules that only rearrange: closed forms, gradients, both worlds.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local function check(module, ...)
  module:double()
  layers.checkGradients(module, layers.input(...))
  layers.checkBothWorlds(module, layers.input(...))
end

describe('nn.Tanh, nn.Sigmoid, nn.ReLU, nn.Threshold', function()
  it('compute their functions', function()
    local x = torch.DoubleTensor { -2, 0, 0.5 }
    assertClose({ math.tanh(-2), 0, math.tanh(0.5) }, nn.Tanh():forward(x), 1e-15)
    assertClose({ 1 / (1 + math.exp(2)), 0.5, 1 / (1 + math.exp(-0.5)) }, nn.Sigmoid():forward(x), 1e-15)
    assertClose({ 0, 0, 0.5 }, nn.ReLU():forward(x))
    assertClose({ 7, 7, 0.5 }, nn.Threshold(0.1, 7):forward(x))
  end)

  it('have the gradients that differences show, in both worlds', function()
    for _, module in ipairs { nn.Tanh(), nn.Sigmoid(), nn.ReLU(), nn.Threshold(0.1, 7) } do check(module, 4, 3) end
  end)

  it('have gradient 0 at the kink', function()
    local net, x = nn.ReLU():double(), torch.DoubleTensor { 0 }
    net:forward(x)
    assertClose({ 0 }, net:backward(x, torch.DoubleTensor { 1 }))
  end)

  it('write over the input when told to', function()
    local net, x = nn.ReLU(true):double(), torch.DoubleTensor { -1, 2 }
    local output = net:forward(x)
    assertClose({ 0, 2 }, x)
    assertClose({ 0, 2 }, output)
    assertClose({ 0, 5 }, net:backward(x, torch.DoubleTensor { 4, 5 }))
    check(nn.Sequential():add(nn.Linear(3, 3)):add(nn.ReLU(true)), 4, 3)
    assert.error_matches(function() nn.Threshold(0, 1, true) end, 'in%-place processing requires value')
  end)
end)

describe('nn.SoftMax and nn.LogSoftMax', function()
  it('normalise over the classes', function()
    local e = math.exp(1)
    assertClose({ { 1 / (1 + e), e / (1 + e) } }, nn.SoftMax():forward(torch.DoubleTensor { { 1000, 1001 } }), 1e-15)
    assertClose({ { -math.log(1 + e), 1 - math.log(1 + e) } }, nn.LogSoftMax():forward(torch.DoubleTensor { { 0, 1 } }), 1e-15)
  end)

  it('take the class dimension by the number of dimensions', function()
    for _, case in ipairs { { { 4 }, 1 }, { { 3, 4 }, 2 }, { { 4, 2, 3 }, 1 }, { { 2, 4, 2, 3 }, 2 } } do
      local sizes, dim = case[1], case[2]
      local y = nn.SoftMax():forward(layers.input(unpack(sizes)))
      local total = y:sum(dim)
      assertClose(total:clone():fill(1), total, 1e-14)
      check(nn.SoftMax(), unpack(sizes))
      check(nn.LogSoftMax(), unpack(sizes))
    end
    assert.error_matches(function() nn.SoftMax():forward(torch.Tensor(1, 1, 1, 1, 1)) end, '1D, 2D, 3D or 4D tensor expected')
  end)
end)

describe('nn.Identity', function()
  it('gives the very object', function()
    local net, x, g = nn.Identity(), { torch.Tensor { 1 } }, { torch.Tensor { 2 } }
    assert.is_true(rawequal(x, net:forward(x)))
    assert.is_true(rawequal(g, net:backward(x, g)))
    check(nn.Sequential():add(nn.Linear(3, 2)):add(nn.Identity()), 4, 3)
  end)
end)

describe('nn.View and nn.Reshape', function()
  local function sizes(module, ...) return module:forward(torch.Tensor(...)):size():totable() end

  it('keep the batch', function()
    assert.same({ 5, 12 }, sizes(nn.View(12), 5, 3, 4))
    assert.same({ 12 }, sizes(nn.View(12), 3, 4))
    assert.same({ 4, 3 }, sizes(nn.View(4, 3), 12))
    assert.same({ 5, 4, 3 }, sizes(nn.View(4, 3), 5, 12))
    assert.same({ 60 }, sizes(nn.View(-1), 5, 12))
    assert.same({ 5, 12 }, sizes(nn.View(-1):setNumInputDims(2), 5, 3, 4))
    assert.same({ 1, 12 }, sizes(nn.View(-1):setNumInputDims(2), 1, 3, 4))
    assert.same({ 5, 12 }, sizes(nn.Reshape(12), 5, 3, 4))
    assert.same({ 12 }, sizes(nn.Reshape(12), 3, 4))
    assert.same({ 1, 12 }, sizes(nn.Reshape(12, true), 1, 3, 4))
    assert.same({ 12 }, sizes(nn.Reshape(12, false), 1, 3, 4))
    assert.same({ 3, 4 }, sizes(nn.Reshape(torch.LongStorage { 3, 4 }), 12))
  end)

  it('hand gradients back in the shape of the input, of a transposed one too', function()
    check(nn.View(6), 4, 2, 3)
    check(nn.Reshape(6), 4, 2, 3)
    layers.checkBothWorlds(nn.Reshape(6):double(), layers.input(3, 4, 2):transpose(1, 2))
  end)

  it('refuse what does not fit', function()
    assert.error_matches(function() nn.View(5):forward(torch.Tensor(2, 3)) end, 'input view %(2x3%) and desired view %(5%) do not match')
    assert.error_matches(function() nn.View(-1, -1) end, 'only one dimension can be at %-1')
    assert.equal('nn.View(2, 3)', tostring(nn.View(2, 3)))
    assert.equal('nn.Reshape(2x3)', tostring(nn.Reshape(2, 3)))
  end)
end)

describe('nn.Dropout', function()
  it('keeps a share of 1 - p, scaled by 1 / (1 - p)', function()
    local y = nn.Dropout(0.25):double():forward(torch.ones(10000):double())
    local kept = torch.gt(y, 0):sum()
    -- the standard deviation of the count is 43
    assert.is_true(math.abs(kept - 7500) < 215)
    assert.near(4 / 3, y:max(), 1e-15)
  end)

  it('does nothing in evaluation, or scales there with v1', function()
    local x = layers.input(4)
    local net, old = nn.Dropout(0.5):double(), nn.Dropout(0.5, true):double()
    net:evaluate()
    old:evaluate()
    assertClose(x, net:forward(x))
    assertClose(x * 0.5, old:forward(x))
  end)

  it('has the same zeros in backward', function()
    local function seed() torch.manualSeed(3) end
    layers.checkGradients(nn.Dropout(0.5):double(), layers.input(20), seed)
    layers.checkBothWorlds(nn.Dropout(0.5):double(), layers.input(20), seed)
  end)

  it('refuses impossible shares', function()
    assert.error_matches(function() nn.Dropout(1) end, 'illegal percentage, must be 0 <= p < 1')
    assert.equal('nn.Dropout(0.500000)', tostring(nn.Dropout()))
  end)
end)
