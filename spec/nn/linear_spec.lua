-- nn.Linear, and with it the functions of nn.Module for parameters: initialisation, scale, missing and frozen ones.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

describe('nn.Linear', function()
  it('computes W x + b for a vector and for rows', function()
    local net = nn.Linear(2, 3):double()
    net.weight:copy(torch.DoubleTensor { { 1, 2 }, { 3, 4 }, { 5, 6 } })
    net.bias:copy(torch.DoubleTensor { 0.5, 0, -0.5 })
    assertClose({ 5.5, 11, 16.5 }, net:forward(torch.DoubleTensor { 1, 2 }))
    assertClose({ { 5.5, 11, 16.5 }, { 2.5, 4, 5.5 } }, net:forward(torch.DoubleTensor { { 1, 2 }, { 0, 1 } }))
  end)

  it('draws weight, then bias, uniformly between -1/sqrt(in) and 1/sqrt(in) in the order of storage', function()
    torch.manualSeed(7)
    local net = nn.Linear(4, 3):double()
    torch.manualSeed(7)
    for i = 1, 3 do
      for j = 1, 4 do assert.equal(torch.uniform(-0.5, 0.5), net.weight[i][j]) end
    end
    for i = 1, 3 do assert.equal(torch.uniform(-0.5, 0.5), net.bias[i]) end
  end)

  it('has the gradients that differences show', function()
    layers.checkGradients(nn.Linear(4, 3):double(), layers.input(5, 4))
    layers.checkGradients(nn.Linear(4, 3):double(), layers.input(4))
    layers.checkGradients(nn.Linear(4, 3, false):double(), layers.input(5, 4))
  end)

  it('gives the same on the tape', function()
    layers.checkBothWorlds(nn.Linear(4, 3):double(), layers.input(5, 4))
    layers.checkBothWorlds(nn.Linear(4, 3):float(), layers.input(5, 4):float())
  end)

  it('maps the last dimension of any number of them, as the rows of a matrix', function()
    local net, flat = nn.Linear(3, 2):double(), nn.Linear(3, 2):double()
    flat.weight:copy(net.weight)
    flat.bias:copy(net.bias)
    local turned = layers.input(3, 5, 4):transpose(1, 3)
    for _, x in ipairs { layers.input(4, 5, 3), layers.input(2, 3, 2, 2, 3), turned, layers.input(1, 1, 3) } do
      local sizes, rows = x:size():totable(), x:contiguous():view(-1, 3)
      sizes[#sizes] = 2
      local y, expected = net:forward(x), flat:forward(rows)
      assert.same(sizes, y:size():totable())
      assertClose(expected, y:view(-1, 2))
      local g = layers.input(unpack(sizes))
      net:zeroGradParameters()
      flat:zeroGradParameters()
      local gradInput, rowGradient = net:backward(x, g), flat:backward(rows, g:view(-1, 2))
      assert.same(x:size():totable(), gradInput:size():totable())
      assertClose(rowGradient, gradInput:view(-1, 3))
      assertClose(flat.gradWeight, net.gradWeight)
      assertClose(flat.gradBias, net.gradBias)
    end
    layers.checkGradients(net, layers.input(2, 4, 3))
    layers.checkGradients(nn.Linear(3, 2, false):double(), layers.input(2, 2, 2, 3))
    layers.checkGradients(nn.LinearWeightNorm(3, 2):double(), layers.input(2, 2, 3))
    layers.checkBothWorlds(net, layers.input(2, 4, 3))
    assert.equal(4, net:forward(layers.input(4, 3)):size(1))
  end)

  it('names the sizes that do not fit', function()
    local net = nn.Linear(3, 2)
    assert.error_matches(function() net:forward(torch.ones(2, 5, 4)) end, 'nn.Linear.*%[2, 5, 4%].*3')
    assert.error_matches(function() net:forward(torch.Tensor()) end, 'nn.Linear: input: a tensor without dimensions')
  end)

  it('ignores in backward an input of more dimensions than that of the forward, as Torch7 did', function()
    local net, pictures = nn.Linear(12, 2):double(), layers.input(5, 3, 4)
    local encoder = nn.Sequential():add(net):add(nn.Tanh())
    local code = encoder:forward(pictures:view(5, 12))
    encoder:zeroGradParameters()
    local gradInput = encoder:backward(pictures, code)
    assert.same({ 5, 3, 4 }, gradInput:size():totable())
    assert.equal(0, gradInput:abs():max())
    assert.equal(0, net.gradWeight:abs():max())
    net.gradInput = nil
    assert.is_nil(net:backward(pictures, code))
    assert.equal(0, net.gradBias:abs():max())
  end)

  it('adds scale times the gradients of the parameters', function()
    local net, x, g = nn.Linear(2, 1):double(), torch.DoubleTensor { { 1, 2 } }, torch.DoubleTensor { { 1 } }
    net.gradWeight:fill(10)
    net.gradBias:fill(20)
    net:forward(x)
    net:backward(x, g, 0.5)
    assertClose({ { 10.5, 11 } }, net.gradWeight)
    assertClose({ 20.5 }, net.gradBias)
  end)

  it('computes no gradient by the input when gradInput is nil', function()
    local net, x = nn.Linear(2, 1):double(), torch.DoubleTensor { { 1, 2 } }
    net.gradInput = nil
    net:zeroGradParameters()
    net:forward(x)
    assert.is_nil(net:backward(x, torch.DoubleTensor { { 1 } }))
    assertClose({ { 1, 2 } }, net.gradWeight)
  end)

  it('works without a bias, taken away by hand or by noBias', function()
    local net = nn.Linear(2, 1):double()
    net.bias, net.gradBias = nil, nil
    net.weight:fill(1)
    assertClose({ 3 }, net:forward(torch.DoubleTensor { 1, 2 }))
    assert.equal(1, #net:parameters())
    assert.equal('nn.Linear(2 -> 1) without bias', tostring(nn.Linear(2, 1):noBias()))
    assert.equal('nn.Linear(2 -> 1)', tostring(nn.Linear(2, 1)))
  end)

  it('uses the weight as it is at each call', function()
    local net, x = nn.Linear(2, 1, false):double(), torch.DoubleTensor { 1, 2 }
    net.weight:fill(1)
    net:forward(x)
    net.weight = torch.DoubleTensor { { 2, 3 } }
    assertClose({ 8 }, net:forward(x))
    net.weight:set(torch.DoubleStorage { 5, 6, 7 }, 2, torch.LongStorage { 1, 2 })
    assertClose({ 20 }, net:forward(x))
  end)

  it('leaves a frozen weight alone', function()
    local net, x = nn.Linear(2, 1):double(), torch.DoubleTensor { { 1, 2 } }
    net.gradWeight = nil
    net:zeroGradParameters()
    net:forward(x)
    net:backward(x, torch.DoubleTensor { { 1 } })
    assertClose({ 1 }, net.gradBias)
    local before = net.weight:clone()
    net:updateParameters(1)
    assertClose(before, net.weight)
  end)

  it('says what is wrong with arguments and input', function()
    assert.error_matches(function() nn.Linear(0, 3) end, 'nn.Linear: inputSize: 0, expected a whole number, 1 or more')
    assert.error_matches(function() nn.Linear(2, 'x') end, "nn.Linear: outputSize: 'x', expected a whole number")
    assert.error_matches(function() nn.Linear(2, 3):forward(torch.Tensor()) end, 'a tensor without dimensions, expected a vector')
  end)
end)
