-- Networks on devices: created or moved there, and the sizes of their results without computation.
local torch, nn = require 'torch', require 'nn'

local function network()
  return nn.Sequential():add(nn.SpatialConvolution(3, 8, 3, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
    :add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(8 * 3 * 3, 10)):add(nn.LogSoftMax())
end

local function step(net, kind)
  local x, g = torch.empty(4, 3, 8, 8, kind), torch.empty(4, 10, kind)
  local y, gradient = net:forward(x), net:backward(x, g)
  return { y:type(), y:device(), y:size():totable(), gradient:device(), gradient:size():totable() }
end

describe('a network', function()
  it('runs on meta where it was made', function()
    local net = torch.withDevice('meta', network)
    assert.same({ 'torch.DoubleTensor', 'meta', { 4, 10 }, 'meta', { 4, 3, 8, 8 } }, step(net, 'meta'))
  end)

  it('goes to a device, in its type or another, and stays there in another type', function()
    local net = network()
    assert.equal(net, net:to 'meta')
    assert.equal('torch.DoubleTensor', net:type())
    assert.same({ 'torch.DoubleTensor', 'meta', { 4, 10 }, 'meta', { 4, 3, 8, 8 } }, step(net, 'meta'))
    assert.equal('torch.FloatTensor', net:float():type())
    assert.same({ 'torch.FloatTensor', 'meta', { 4, 10 }, 'meta', { 4, 3, 8, 8 } }, step(net, 'float on meta'))
    assert.equal('torch.HalfTensor', network():to('half on meta'):get(1).weight:type())
    assert.equal('meta', network():to('half on meta'):get(1).weight:device())
    assert.equal('meta', nn.ClassNLLCriterion(torch.ones(3)):to('meta').weights:device())
  end)

  it('keeps what its tensors share', function()
    local net = network()
    local flat = net:getParameters()
    net:to 'meta'
    local moved = net:getParameters()
    assert.equal(flat:nElement(), moved:nElement())
    assert.equal('meta', moved:device())
    assert.equal(torch.pointer(net:get(1).weight:storage()), torch.pointer(net:get(5).bias:storage()))
  end)

  it('refuses a device that is none', function()
    assert.error_matches(function() network():to 'moon' end, 'nn.Sequential: type: typename: moon is no type of tensor here')
    assert.error_matches(function() network():to 'float on moon' end, 'typename: float on moon is no type of tensor here')
  end)
end)
