-- A class behaves as declared in Torch7's protocol, on the tape, and if its formula uses the fallback.
local torch = require 'torch'
local nn = require 'nn'
local autograd = require 'autograd'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local function make(text) return assert(loadstring('local nn, torch = ...; return nn.' .. text))(nn, torch):double() end

describe('A gradient that is declared', function()
  local x, g = torch.DoubleTensor { -2, 0, 1, 3 }, torch.DoubleTensor { 1, 2, 3, 4 }

  it('is that of the methods, for one in another shape and type, too', function()
    local net = make 'Abs()'
    net:forward(x)
    assertClose({ -1, 2, 3, 4 }, net:backward(x, g))
    assertClose({ -1, 2, 3, 4 }, net:backward(x, g:view(2, 2)))
    assertClose({ -1, 2, 3, 4 }, net:backward(x, g:float()):double())
  end)

  it('is that of the tape', function()
    for text, expected in pairs {
      ['Abs()'] = { -1, 2, 3, 4 }, ['HardTanh(-2, 3)'] = { 0, 2, 3, 0 }, ['GradientReversal(3)'] = { -3, -6, -9, -12 },
    } do
      local leaf = x:clone():requiresGrad()
      assertClose(expected, autograd.grad(make(text)(leaf), leaf, { gradOutputs = g }), 1e-15, text)
    end
  end)

  it('by the output leaves programs to write on into it on the tape', function()
    for _, text in ipairs { 'ELU(0.7)', 'SoftPlus()', 'Sqrt()' } do
      local leaf = x:clone():abs():requiresGrad()
      local net = make(text)
      local y = net(leaf)
      y:mul(2)
      net:forward(x:clone():abs())
      assertClose(net:backward(x:clone():abs(), g * 2), autograd.grad(y, leaf, { gradOutputs = g }), 1e-14, text)
    end
  end)

  it('takes fields as they are now', function()
    local net = make 'ELU(1)'
    net:forward(x)
    net.alpha = 3
    assertClose({ (math.exp(-2) - 1 + 3) * 1, 2 * 3, 3, 4 }, net:backward(x, g), 1e-15)
  end)
end)

describe('What is drawn', function()
  for _, text in ipairs { 'Dropout(0.5)', 'SpatialDropout(0.5)', 'RReLU()' } do
    it('by ' .. text .. ' serves a backward that the formula cannot go, and a copy', function()
      local net, x = make(text), torch.randn(2, 3, 4, 4):double()
      local y = net:forward(x)
      local expected = net:backward(x, x):clone()
      assertClose(y, expected)
      assertClose(expected, net:backward(x, x:float()):double(), 1e-6)
      assertClose(expected, net:clone():backward(x, x:float()):double(), 1e-6)
      assertClose(expected, net:backward(x, x))
    end)

    it('by ' .. text .. ' for a call is not written over by the next forward', function()
      local net, leaf = make(text), torch.randn(2, 3, 4, 4):double():requiresGrad()
      local y = net(leaf)
      net:forward(leaf:detach())
      y:sum():backward()
      assertClose(y:detach(), torch.cmul(leaf.grad, leaf:detach()), 1e-15)
    end)
  end

  it('is drawn once a forward', function()
    local net, x = make 'Dropout(0.5)', torch.ones(50):double()
    torch.manualSeed(4)
    local y = net:forward(x)
    torch.manualSeed(4)
    assertClose(torch.DoubleTensor(50):bernoulli(0.5):mul(2), y)
    local after = torch.random()
    torch.manualSeed(4)
    net:forward(x)
    assert.equal(after, torch.random())
  end)
end)

describe('What a backward needs of the last forward', function()
  for _, text in ipairs { 'BatchNormalization(3)', 'SpatialBatchNormalization(3)', 'RMSNorm(3)' } do
    it('is still there in ' .. text .. ' after a call on the tape', function()
      local net = make(text)
      local x = text:find 'Spatial' and layers.input(4, 3, 2, 2) or layers.input(4, 3)
      local g = net:forward(x):clone()
      local expected, leaf = net:backward(x, g):clone(), torch.mul(x, 3):add(1):requiresGrad()
      net:forward(x)
      net(leaf):sum():backward()
      net(leaf)
      assertClose(expected, net:backward(x, g), 1e-14)
    end)

    it('of ' .. text .. ' may be a call without gradients', function()
      local net, x = make(text), text:find 'Spatial' and layers.input(4, 3, 2, 2) or layers.input(4, 3)
      local other = torch.mul(x, 3):add(1)
      local fresh = net:clone()
      local g = fresh:forward(other):clone()
      torch.noGrad(function() net(x) net.output = net(other) end)
      assertClose(fresh:backward(other, g), net:backward(other, g), 1e-14)
    end)
  end
end)

describe('nn.LookupTable', function()
  it('gives and takes rows in the shape of the positions, whatever came before', function()
    local net, rows = nn.LookupTable(5, 2):double(), torch.LongTensor { 4, 2, 4 }
    for _, input in ipairs { rows, rows:view(1, 3), rows:view(3, 1), rows:view(1, 3):double(), rows } do
      local y = net:forward(input)
      assert.same(input:dim() == 1 and { 3, 2 } or { input:size(1), input:size(2), 2 }, y:size():totable())
      assertClose(net.weight:index(1, rows), y:view(3, 2))
      net:zeroGradParameters()
      net:backward(input, y:clone():fill(1), 0.5)
      assertClose({ { 0, 0 }, { 0.5, 0.5 }, { 0, 0 }, { 1, 1 }, { 0, 0 } }, net.gradWeight)
    end
  end)

  it('goes back by the positions that are given', function()
    local net = nn.LookupTable(5, 2):double()
    local y = net:forward(torch.LongTensor { 1, 2 })
    net:zeroGradParameters()
    net:backward(torch.LongTensor { 5, 5 }, y:clone():fill(1))
    assertClose({ { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 2, 2 } }, net.gradWeight)
  end)
end)

describe('What an op of a formula would take', function()
  it('is no input of a module: numbers', function()
    for _, text in ipairs { 'Abs()', 'Exp()', 'HardTanh()', 'Square()', 'MulConstant(2)' } do
      assert.error_matches(function() make(text):forward(5) end, 'input: a number, expected a tensor')
    end
  end)

  it('is drawn once where the output had another type', function()
    torch.manualSeed(4)
    local expected = torch.FloatTensor(50):bernoulli(0.5):mul(2)
    torch.manualSeed(4)
    assert.same(expected:totable(), nn.Dropout(0.5):double():forward(torch.FloatTensor(50):fill(1)):totable())
  end)

  it('is a dimension that counts from 1', function()
    assert.has_error(function() nn.Transpose({ 1, 2 }):setNumInputDims(2):double():forward(torch.DoubleTensor { 1, 2 }) end)
  end)
end)

it('nn.OneHot says which position is none', function()
  assert.has_error(function() nn.OneHot(3):forward(torch.LongTensor { 2, 4 }) end, 'nn.OneHot: input: position 4, expected 1..3')
end)

it('nn.OneHot of no position, and nn.GradientReversal of an empty tensor, give nothing', function()
  assert.same({ 0, 4 }, nn.OneHot(4):forward(torch.DoubleTensor()):size():totable())
  assert.equal(0, nn.GradientReversal():forward(torch.DoubleTensor()):nElement())
end)
