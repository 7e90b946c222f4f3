-- cudnn's modules are nn's under its names, on the emulated GPUs.
if not require 'spec.support.with_cuda' then return end
local torch = require 'torch'
require 'cunn'
local nn, cudnn = require 'nn', require 'cudnn'

local function net(package)
  torch.manualSeed(1)
  return nn.Sequential():add(package.SpatialConvolution(2, 3, 3, 3)):add(package.ReLU()):add(package.SpatialMaxPooling(2, 2))
    :add(nn.View(-1, 27)):add(nn.Linear(27, 4)):add(package.LogSoftMax())
end

describe('cudnn', function()
  it('has classes that are nn\'s under its names', function()
    assert.equal('cudnn.SpatialConvolution', torch.type(cudnn.SpatialConvolution(2, 3, 3, 3)))
    assert.is_true(torch.isTypeOf(cudnn.ReLU(), 'nn.ReLU'))
    assert.equal(cudnn.ReLU().inplace, nn.ReLU().inplace)
    local convolution = cudnn.SpatialConvolution(2, 3, 3, 3)
    assert.equal(convolution, convolution:fastest():setMode(1, 1, 1))
    cudnn.benchmark, cudnn.fastest, cudnn.verbose = true, true, false
    local x = torch.rand(2, 2, 8, 8)
    assert.same(net(nn):forward(x):totable(), net(cudnn):forward(x):totable())
    assert.same({ 0, 0.5, 2 }, cudnn.ClippedReLU(2):forward(torch.Tensor { -1, 0.5, 3 }):totable())
  end)

  it('converts networks, there and back', function()
    local made = net(nn)
    assert.equal(made, cudnn.convert(made, cudnn))
    assert.equal('cudnn.SpatialConvolution', torch.type(made:get(1)))
    assert.equal('nn.Linear', torch.type(made:get(5)))
    cudnn.convert(made, nn)
    assert.equal('nn.SpatialConvolution', torch.type(made:get(1)))
    cudnn.convert(made, cudnn, function(module) return torch.type(module):find 'ReLU' end)
    assert.same({ 'cudnn.SpatialConvolution', 'nn.ReLU' }, { torch.type(made:get(1)), torch.type(made:get(2)) })
    assert.error_matches(function() cudnn.convert(made, torch) end, 'cudnn.convert: package: expected cudnn or nn')
  end)

  it('is in files under its names', function()
    local made = net(cudnn)
    local copy = torch.deserialize(torch.serialize(made))
    assert.equal('cudnn.SpatialMaxPooling', torch.type(copy:get(3)))
    local x = torch.rand(2, 2, 8, 8)
    assert.same(made:forward(x):totable(), copy:forward(x):totable())
    local pooling = torch.deserialize(torch.serialize(cudnn.SpatialAveragePooling(2, 2):setCountExcludePad()))
    assert.is_false(pooling.count_include_pad)
  end)
end)
