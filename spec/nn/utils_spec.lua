-- nn.utils by PyTorch's names: limits of gradients, vectors of parameters, fusion, modules without draws.
local torch, C = require 'torch', require 'libmoontorch'
local nn = require 'nn'
local assertClose = require('spec.support.close').assertClose

describe('nn.utils, gradients:', function()
  local function tensors() return { torch.DoubleTensor { 3, 0 }, torch.DoubleTensor { -4 } } end

  it('have a total norm, and are scaled and clamped', function()
    assertClose(5, nn.utils.getTotalNorm(tensors()), 1e-12)
    assertClose(7, nn.utils.getTotalNorm(tensors(), 1), 1e-12)
    assert.equal(4, nn.utils.getTotalNorm(tensors(), math.huge))
    local list = tensors()
    assertClose(5, nn.utils.clipGradNorm(list, 1), 1e-12)
    assertClose({ 0.6, 0 }, list[1], 1e-6)
    list = tensors()
    nn.utils.clipGradsWithNorm(list, 1, 10)
    assertClose({ 0.3, 0 }, list[1], 1e-6)
    assertClose({ -0.4 }, list[2], 1e-6)
    list = tensors()
    nn.utils.clipGradsWithNorm(list, 10, 5)
    assertClose({ 3, 0 }, list[1])
    nn.utils.clipGradValue(list, 2)
    assertClose({ 2, 0 }, list[1])
    assertClose({ -2 }, list[2])
    local x = torch.DoubleTensor { 1, 2 }:requiresGrad()
    torch.sum(x * 3):backward()
    assertClose(math.sqrt(18), nn.utils.clipGradNorm(x, 1), 1e-12)
    assertClose(1, x.grad:norm(), 1e-6)
  end)

  it('that are not finite are errors if wanted, and mistakes have names', function()
    local list = { torch.DoubleTensor { 1, math.huge } }
    assert.error_matches(function() nn.utils.clipGradNorm(list, 1, 2, { errorIfNonfinite = true }) end,
      'nn.utils.clipGradNorm: tensors: a norm of inf, expected a finite one')
    assert.equal(1, list[1][1])
    assert.error_matches(function() nn.utils.clipGradNorm(torch.DoubleTensor { 1, 0 / 0 }, 1, 2, { errorIfNonfinite = true }) end,
      'nn.utils.clipGradNorm: tensors: a norm of %-?nan, expected a finite one')
    assert.error_matches(function() nn.utils.getTotalNorm(list, 2, true) end, 'nn.utils.getTotalNorm: tensors: a norm of inf')
    assert.error_matches(function() nn.utils.clipGradNorm(list, -1) end, 'nn.utils.clipGradNorm: maxNorm: %-1')
    assert.error_matches(function() nn.utils.clipGradNorm(list, 1, 2, { strict = true }) end, 'nn.utils.clipGradNorm: options: strict')
    assert.error_matches(function() nn.utils.getTotalNorm(3) end, 'nn.utils.getTotalNorm: tensors: a number')
    assert.error_matches(function() nn.utils.clipGradsWithNorm(list, 1, 'x') end, 'nn.utils.clipGradsWithNorm: totalNorm')
  end)
end)

describe('nn.utils, vectors:', function()
  it('have the parameters in order, there and back, with gradients', function()
    local net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1)):double():requiresGrad()
    local v = nn.utils.parametersToVector(net:parameters())
    assert.equal(6 + 2 + 2 + 1, v:nElement())
    torch.sum(torch.cmul(v, torch.range(1, 11):double())):backward()
    assertClose({ { 1, 2, 3 }, { 4, 5, 6 } }, net:get(1).weight.grad)
    assertClose({ 11 }, net:get(2).bias.grad)
    local memory = torch.pointer(net:get(1).weight:storage())
    nn.utils.vectorToParameters(torch.range(1, 11):double(), net:parameters())
    assertClose({ { 1, 2, 3 }, { 4, 5, 6 } }, net:get(1).weight:detach())
    assertClose({ { 9, 10 } }, net:get(2).weight:detach())
    assert.equal(memory, torch.pointer(net:get(1).weight:storage()))
    assert.is_true(net:get(1).weight:isLeaf() and C.tracked(net:get(1).weight))
    local parameters, _ = net:getParameters()
    nn.utils.vectorToParameters(parameters:narrow(1, 1, 11), net:parameters())
    assertClose(torch.range(1, 11), parameters:detach():double())
  end)

  it('refuse other sizes, and change nothing then', function()
    local x = torch.zeros(2)
    assert.error_matches(function() nn.utils.vectorToParameters(torch.ones(3), { x }) end,
      'nn.utils.vectorToParameters: vector: a tensor of size %[3%], expected %[2%]')
    assert.error_matches(function() nn.utils.parametersToVector {} end, 'nn.utils.parametersToVector: parameters: an empty list')
    assert.error_matches(function() nn.utils.parametersToVector { 3 } end, 'parameters: number 1: number, expected a tensor')
    assert.equal(0, x:sum())
  end)
end)

-- Gives a batch normalisation statistics and parameters.
local function settled(norm)
  norm:double()
  norm.running_mean:uniform(-1, 1)
  norm.running_var:uniform(0.5, 2)
  if norm.weight then
    norm.weight:uniform(-1, 2)
    norm.bias:uniform(-1, 1)
  end
  norm:evaluate()
  return norm
end

describe('nn.utils, fusion:', function()
  local cases = {
    { nn.SpatialConvolution(2, 3, 3, 2), nn.SpatialBatchNormalization(3), { 2, 2, 5, 6 }, 'Conv' },
    { nn.SpatialConvolutionMM(2, 3, 3, 2), nn.SpatialBatchNormalization(3), { 2, 2, 5, 6 }, 'Conv' },
    { nn.SpatialConvolution(2, 3, 3, 2):noBias(), nn.SpatialBatchNormalization(3, nil, nil, false), { 2, 2, 5, 6 }, 'Conv' },
    { nn.SpatialFullConvolution(2, 3, 3, 2), nn.SpatialBatchNormalization(3), { 2, 2, 5, 6 }, 'Conv', true },
    { nn.VolumetricConvolution(2, 3, 2, 1, 3), nn.VolumetricBatchNormalization(3), { 2, 2, 4, 4, 5 }, 'Conv' },
    { nn.Linear(4, 3), nn.BatchNormalization(3), { 5, 4 }, 'Linear' },
    { nn.Linear(4, 3, false), nn.BatchNormalization(3), { 5, 4 }, 'Linear' },
  }
  for _, case in ipairs(cases) do
    local layer, norm, sizes, kind, transpose = unpack(case, 1, 5)
    it(('one %s does what it and a batch normalisation do%s'):format(torch.type(layer), layer.bias and '' or ', without bias'), function()
      layer:double():evaluate()
      settled(norm)
      local before = layer.weight:clone()
      local fused = nn.utils[('fuse%sBnEval'):format(kind)](layer, norm, transpose)
      local x = torch.DoubleTensor(torch.LongStorage(sizes)):normal()
      assertClose(norm:forward(layer:forward(x)), fused:forward(x), 1e-10)
      assert.is_true(torch.equal(before, layer.weight))
      fused:training()
      fused:forward(x)
      fused:backward(x, fused.output)
      local weight, bias = nn.utils[('fuse%sBnWeights'):format(kind)](layer.weight, layer.bias, norm.running_mean, norm.running_var,
        norm.eps, norm.weight, norm.bias, transpose)
      assertClose(fused.weight, weight, 1e-12)
      assertClose(fused.bias, bias, 1e-12)
    end)
  end

  it('refuses training mode and other sizes', function()
    local conv, norm = nn.SpatialConvolution(2, 3, 3, 2), settled(nn.SpatialBatchNormalization(3))
    conv:training()
    assert.error_matches(function() nn.utils.fuseConvBnEval(conv:double(), norm) end,
      'nn.utils.fuseConvBnEval: modules: one in training mode, expected both in evaluation mode')
    conv:evaluate()
    assert.error_matches(function() nn.utils.fuseConvBnEval(conv, settled(nn.SpatialBatchNormalization(2))) end,
      'nn.utils.fuseConvBnEval: runningMean: 2 elements, expected the size of dimension 1 of the weight')
    assert.error_matches(function() nn.utils.fuseLinearBnEval(nn.Tanh():eval(), norm) end, 'layer: weight: nil')
  end)
end)

describe('nn.utils.skipInit', function()
  it('draws no numbers, and leaves the class as it was', function()
    local random = torch.getRNGState()
    local net = nn.utils.skipInit(nn.Linear, 3, 2)
    assert.is_true(torch.equal(random, torch.getRNGState()))
    assert.same({ 2, 3 }, net.weight:size():totable())
    assert.same({ 0, 0 }, net.gradBias:totable())
    nn.Linear(3, 2)
    assert.is_false(torch.equal(random, torch.getRNGState()))
    assert.is_false((pcall(nn.utils.skipInit, nn.Linear, 'x')))
    assert.is_truthy(nn.Linear(3, 2):reset())
    assert.error_matches(function() nn.utils.skipInit(3) end, 'nn.utils.skipInit: class: a number, expected a class')
  end)
end)
