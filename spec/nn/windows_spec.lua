-- Properties of modules with windows that windows.lua's sweep doesn't test: indices, unpooling, random windows, initial parameters, fields,
-- printing, and errors.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

describe('Where the largest values are', function()
  it('is told by max pooling, in the plane', function()
    local net = nn.SpatialMaxPooling(2, 2):double()
    net:forward(torch.DoubleTensor { { { { 1, 2, 5, 5 }, { 3, 0, 5, 5 } } } })
    assertClose({ { { { 5, 3 } } } }, net.indices)
    assert.equal('torch.LongTensor', net.indices:type())
  end)

  it('is told by adaptive pooling, columns and rows in the bin', function()
    local net = nn.SpatialAdaptiveMaxPooling(2, 1):double()
    assertClose({ { { 7, 8 } } }, net:forward(torch.DoubleTensor { { { 1, 2, 3, 8 }, { 4, 7, 6, 5 } } }))
    assertClose({ { { { 2, 2 } } }, { { { 2, 1 } } } }, net.indices)
  end)

  it('is told by adaptive pooling as a function, in the plane', function()
    local x = torch.DoubleTensor { { { 1, 2, 3, 8 }, { 4, 7, 8, 5 } } }:requiresGrad()
    for _, case in ipairs { { 2, { 7, 8 }, { 6, 4 }, { { 0, 0, 0, 2 }, { 0, 1, 0, 0 } } }, { 3, { 7, 8, 8 }, { 6, 7, 4 }, nil } } do
      local y, places = nn.functional.adaptiveMaxPool2d(x, { 1, case[1] }, true)
      assertClose({ { case[2] } }, y)
      assertClose({ { case[3] } }, places)
      if case[4] then
        y:backward(torch.DoubleTensor { { { 1, 2 } } })
        assertClose({ case[4] }, x.grad)
      end
    end
    local single = nn.functional.adaptiveMaxPool2d(x:detach(), 1)
    assertClose({ { { 8 } } }, single)
  end)

  it('averages bins of equal sizes and of others', function()
    local x = torch.range(1, 24):double():view(1, 4, 6):requiresGrad()
    local y = nn.functional.adaptiveAvgPool2d(x, { 2, 3 })
    assertClose({ { { 4.5, 6.5, 8.5 }, { 16.5, 18.5, 20.5 } } }, y)
    y:backward(torch.DoubleTensor { { { 4, 8, 12 }, { 16, 20, 24 } } })
    assertClose({ { { 1, 1, 2, 2, 3, 3 }, { 1, 1, 2, 2, 3, 3 }, { 4, 4, 5, 5, 6, 6 }, { 4, 4, 5, 5, 6, 6 } } }, x.grad)
    assertClose({ { { 4.5, 5.5, 7.5, 8.5 }, { 16.5, 17.5, 19.5, 20.5 } } }, nn.functional.adaptiveAvgPool2d(x:detach(), { 2, 4 }))
  end)

  it('is told by pooling over time, in the window from 0', function()
    local net = nn.TemporalMaxPooling(2):double()
    net:forward(torch.DoubleTensor { { 1, 5 }, { 2, 4 }, { 9, 0 }, { 3, 8 } })
    assertClose({ { 1, 0 }, { 0, 1 } }, net.indices)
  end)

  it('is told by volumetric pooling in three bytes: depth, row, column in the window', function()
    local net, x = nn.VolumetricMaxPooling(2, 2, 3):double(), torch.DoubleTensor(1, 4, 3, 2):zero()
    x[1][2][3][2] = 7
    x[1][3][2][1] = 8
    net:forward(x)
    assert.same({ 1 + 256 * 2 + 65536 * 1, 256 * 1 }, net.indices:view(-1):totable())
    assert.same({ 4, 3, 2 }, { net.itime, net.iheight, net.iwidth })
  end)
end)

describe('Unpooling', function()
  it('puts values back to where they were, and takes gradients from there', function()
    for _, case in ipairs {
      { nn.SpatialMaxPooling(2, 3), nn.SpatialMaxUnpooling, 2, 2, 6, 5 }, { nn.SpatialMaxPooling(2, 2), nn.SpatialMaxUnpooling, 2, 4, 5 },
      { nn.VolumetricMaxPooling(2, 2, 1), nn.VolumetricMaxUnpooling, 2, 2, 5, 4, 4 },
      { nn.VolumetricDilatedMaxPooling(2, 2, 2, 2, 2, 2, 1, 0, 1, 1, 2, 1), nn.VolumetricMaxUnpooling, 2, 4, 4, 5 },
    } do
      local pooling, x = case[1]:double(), layers.input(unpack(case, 3))
      local net, y = case[2](pooling):double(), pooling:forward(x):clone()
      local back = net:forward(y)
      assert.same(x:size():totable(), back:size():totable())
      assertClose(pooling:backward(x, y), back)                   -- the gradient of pooling puts its argument there, too
      layers.checkGradients(net, y)
      layers.checkBothWorlds(net, y)
    end
    assert.equal('nn.SpatialMaxUnpooling associated to nn.SpatialMaxPooling(2x2, 2,2)',
      tostring(nn.SpatialMaxUnpooling(nn.SpatialMaxPooling(2, 2))))
  end)

  it('shares the indices of its pooling module, and keeps them in a file of its own', function()
    local name = os.tmpname()
    for _, case in ipairs {
      { nn.SpatialMaxPooling(2, 2), nn.SpatialMaxUnpooling, { 2, 4, 6 } },
      { nn.VolumetricMaxPooling(2, 2, 2), nn.VolumetricMaxUnpooling, { 2, 4, 4, 6 } },
    } do
      local pooling, x = case[1]:double(), layers.input(unpack(case[3]))
      local net = case[2](pooling):double()
      local y = pooling:forward(x):clone()
      torch.save(name, net)                                         -- before its forward
      assert.is_true(torch.equal(net:forward(y), torch.load(name):forward(y)))
      assert.is_true(rawequal(net.indices, pooling.indices))
      torch.save(name, net)
      local read = torch.load(name)
      assert.is_true(torch.equal(net:forward(y), read:forward(y)))
      read.pooling:forward(x:clone():mul(-1))
      assert.is_false(torch.equal(net:forward(y), read:forward(y)))
      local positions = pooling.indices:clone()
      net:clearState()
      assert.is_true(torch.equal(positions, pooling.indices))
      assert.same(x:size():totable(), net:forward(y):size():totable())
    end
    os.remove(name)
  end)

  it('refuses positions outside, windows that overlap, and what is no pooling', function()
    local pooling = nn.SpatialMaxPooling(2, 2)
    local net = nn.SpatialMaxUnpooling(pooling)
    pooling:forward(torch.Tensor(1, 4, 4):zero())
    pooling.iheight = 2
    assert.error_matches(function() net:forward(torch.Tensor(1, 2, 2)) end,
      'found an invalid max index 11 %(output volumes are of size 2x4%)')
    assert.error_matches(function() nn.SpatialMaxUnpooling(nn.SpatialMaxPooling(3, 3, 2, 2)) end, 'must be equal to its stride')
    assert.error_matches(function() nn.SpatialMaxUnpooling(nn.Identity()) end, 'Argument must be a')
  end)
end)

describe('Fractional pooling', function()
  local function picture(...)
    local x, i = torch.DoubleTensor(...), 0
    return x:apply(function()
      i = i + 1
      return math.sin(1.7 * i)
    end)
  end

  -- Indices by torch 1.13's fractional_max_pool2d and fractional_max_pool3d with these samples (theirs count from 0, and volumes' axes have
  -- other names: time comes first).
  it('has its windows where the samples say', function()
    local net = nn.SpatialFractionalMaxPooling(2, 3, 4, 3):double():fixPoolingRegions()
    net.randomSamples = torch.DoubleTensor { { { 0.1, 0.7 } } }
    local x = picture(1, 6, 6)
    local y = net:forward(x):clone()
    assert.same({ 0, 7, 15, 11, 7, 7, 15, 11, 18, 26, 33, 22 }, torch.add(net.indices, -1):view(-1):totable())
    assertClose(x:view(-1):index(1, net.indices:view(-1)), y:view(-1))
    layers.checkGradients(net, x)
    local volumes = nn.VolumetricFractionalMaxPooling(3, 2, 2, 2, 3, 2):double():fixPoolingRegions()
    volumes.randomSamples = torch.DoubleTensor { { { 0.7, 0.4, 0.1 } } }
    volumes:forward(picture(1, 1, 5, 6, 7))
    assert.same({ 0, 11, 22, 26, 37, 74, 133, 181, 148, 144, 155, 207 }, torch.add(volumes.indices, -1):view(-1):totable())
    layers.checkBothWorlds(volumes, picture(1, 1, 5, 6, 7))
  end)

  it('draws new windows at each forward unless told not to', function()
    local net, x = nn.SpatialFractionalMaxPooling(2, 2, 0.5, 0.6):double(), layers.input(2, 3, 9, 9)
    local first = net:forward(x):clone()
    assert.same({ 2, 3, 5, 4 }, first:size():totable())
    assert.same({ 2, 3, 2 }, net.randomSamples:size():totable())
    assert.is_true((net:forward(x) - first):abs():max() > 0)
    net:fixPoolingRegions()
    local fixed = net:forward(x):clone()
    assertClose(fixed, net:forward(x))
    net:fixPoolingRegions(false)
    assert.is_true((net:forward(x) - fixed):abs():max() > 0)
  end)

  it('prints its sizes, and refuses windows that are too large', function()
    assert.equal('nn.SpatialFractionalMaxPooling(4x3, 2,3)', tostring(nn.SpatialFractionalMaxPooling(2, 3, 4, 3)))
    local net = nn.SpatialFractionalMaxPooling(3, 2, 4, 3)
    assert.error_matches(function() net:forward(torch.Tensor(1, 6, 6)) end, 'poolSizeW %(3%) too large relative to input')
  end)
end)

describe('First parameters', function()
  local cases = {
    { 'SpatialConvolutionMM(2, 3, 2, 3)', 1 / math.sqrt(12), 36, 3 },
    { 'SpatialDepthWiseConvolution(2, 3, 2, 3)', 1 / math.sqrt(12), 36, 6 },
    { 'SpatialConvolutionLocal(2, 3, 4, 3, 2, 3)', 1 / math.sqrt(12), 108, 9 },
    { 'SpatialFullConvolution(2, 3, 2, 3)', 1 / math.sqrt(12), 36, 3 },
    { 'VolumetricConvolution(2, 3, 2, 1, 3)', 1 / math.sqrt(12), 36, 3 },
    { 'VolumetricFullConvolution(2, 3, 2, 1, 3)', 1 / math.sqrt(12), 36, 3 }, { 'TemporalConvolution(2, 3, 4)', 1 / math.sqrt(8), 24, 3 },
    { 'TemporalRowConvolution(2, 4)', 1 / math.sqrt(8), 8, 2 }, { 'SpatialSubSampling(2, 3, 4)', 1 / math.sqrt(12), 2, 2 },
    { 'TemporalSubSampling(2, 4)', 1 / math.sqrt(4), 2, 2 },
  }
  for _, case in ipairs(cases) do
    it('are drawn once, weight before bias: ' .. case[1], function()
      torch.manualSeed(5)
      local net = assert(loadstring('return require("nn").' .. case[1]))()
      torch.manualSeed(5)
      local expected = torch.Tensor(case[3] + case[4]):uniform(-case[2], case[2])
      assertClose(expected:narrow(1, 1, case[3]), net.weight:view(-1))
      assertClose(expected:narrow(1, case[3] + 1, case[4]), net.bias:view(-1))
      net:reset(0.1)
      local bound = 0.1 * math.sqrt(3)
      assert.is_true(net.weight:max() <= bound and net.weight:min() >= -bound)
      assert.is_true(net.gradWeight:isSameSizeAs(net.weight) and net.gradBias:isSameSizeAs(net.bias))
    end)
  end

  it('depend on how many planes are connected', function()
    local net = nn.SpatialConvolutionMap(torch.Tensor { { 1, 1 }, { 2, 1 }, { 2, 2 } }, 2, 2)
    assert.is_true(net.weight:narrow(1, 1, 2):max() <= 1 / math.sqrt(8))
    assert.is_true(net.weight:narrow(1, 3, 1):max() <= 1 / math.sqrt(4))
    local weight = net.weight:clone()
    net:decayParameters(0.25)
    assertClose(weight * 0.75, net.weight, 1e-15)
  end)
end)

describe('Arguments left out', function()
  it('have Torch7\'s defaults', function()
    for _, case in ipairs {
      { nn.SpatialAveragePooling(3, 2), dW = 1, dH = 1, padW = 0, padH = 0, ceil_mode = false, count_include_pad = true, divide = true },
      { nn.SpatialMaxPooling(3, 2), dW = 3, dH = 2, padW = 0, padH = 0, ceil_mode = false },
      { nn.SpatialConvolution(1, 1, 3, 2, 1, 1, 2), padW = 2, padH = 2 },
      { nn.SpatialFullConvolution(1, 1, 3, 2, 1, 1, 2), padW = 2, padH = 0, adjW = 0, adjH = 0 },
      { nn.VolumetricConvolution(1, 1, 3, 2, 4, 1, 1, 1, 2), padT = 2, padW = 2, padH = 2 },
      { nn.VolumetricFullConvolution(1, 1, 3, 2, 4, 1, 1, 1, 2), padT = 2, padW = 0, padH = 0 },
      { nn.VolumetricAveragePooling(3, 2, 4), dT = 3, dW = 2, dH = 4 },
      { nn.VolumetricMaxPooling(3, 2, 4), dT = 3, dW = 2, dH = 4, padT = 0 },
      { nn.SpatialSubSampling(1, 3, 2), dW = 1, dH = 1 }, { nn.TemporalMaxPooling(3), dW = 3 }, { nn.TemporalConvolution(1, 1, 3), dW = 1 },
      { nn.SpatialZeroPadding(2, 1), pad_l = 2, pad_r = 1, pad_t = 2, pad_b = 2 },
      { nn.SpatialCrossMapLRN(5), alpha = 1e-4, beta = 0.75, k = 1 },
    } do
      for field, value in pairs(case) do
        if field ~= 1 then assert.equal(value, case[1][field], tostring(case[1]) .. '.' .. field) end
      end
    end
  end)

  it('let sums be taken for means', function()
    local net, x = nn.SpatialAveragePooling(2, 2), torch.ones(1, 2, 2)
    assert.equal(1, net:forward(x)[1][1][1])
    net.divide = false
    assert.equal(4, net:forward(x)[1][1][1])
  end)
end)

describe('Modules with windows print', function()
  for text, make in pairs {
    ['nn.SpatialConvolutionMM(3 -> 8, 5x5, 2,2)'] = function() return nn.SpatialConvolutionMM(3, 8, 5, 5, 2, 2) end,
    ['nn.SpatialConvolutionLocal(3 -> 8, 6x7, 5x4)'] = function() return nn.SpatialConvolutionLocal(3, 8, 6, 7, 5, 4) end,
    ['nn.SpatialDilatedConvolution(3 -> 8, 5x4, 2,1) without bias'] =
      function() return nn.SpatialDilatedConvolution(3, 8, 5, 4, 1, 1, 0, 0, 2, 1):noBias() end,
    ['nn.SpatialFullConvolution(3 -> 8, 5x4, 2,3, 1,0, 1,2)'] =
      function() return nn.SpatialFullConvolution(3, 8, 5, 4, 2, 3, 1, 0, 1, 2) end,
    ['nn.VolumetricConvolution(3 -> 8, 2x5x4, 1,1,2)'] = function() return nn.VolumetricConvolution(3, 8, 2, 5, 4, 1, 1, 2) end,
    ['nn.VolumetricMaxPooling(2x3x4, 2,3,4, 1,0,0)'] = function() return nn.VolumetricMaxPooling(2, 3, 4, 2, 3, 4, 1) end,
    ['nn.SpatialAveragePooling(3x2, 1,1)'] = function() return nn.SpatialAveragePooling(3, 2) end,
    ['nn.SpatialZeroPadding(l=1, r=2, t=3, b=4)'] = function() return nn.SpatialZeroPadding(1, 2, 3, 4) end,
    ['nn.SpatialUpSamplingBilinear(2)'] = function() return nn.SpatialUpSamplingBilinear(2) end,
    ['nn.SpatialUpSamplingBilinear(4, 5)'] = function() return nn.SpatialUpSamplingBilinear { oheight = 4, owidth = 5 } end,
    ['nn.UpSampling(2x, nearest)'] = function() return nn.UpSampling(2) end,
    ['nn.UpSampling(4x5, linear)'] = function() return nn.UpSampling({ oheight = 4, owidth = 5 }, 'bilinear') end,
    ['nn.TemporalRowConvolution(3, 2, 4)'] = function() return nn.TemporalRowConvolution(3, 2, 4) end,
  } do
    it(text, function() assert.equal(text, tostring(make())) end)
  end
end)

describe('Modules with windows refuse', function()
  local function refuses(what, make, input)
    it(what, function() assert.error_matches(function() make():forward(input) end, what) end)
  end
  refuses('3D or 4D input tensor expected but got: %[2 x 3%]', function() return nn.SpatialConvolution(2, 3, 2, 2) end,
    torch.Tensor(2, 3))
  refuses('4D or 5D input tensor expected but got', function() return nn.VolumetricMaxPooling(2, 2, 2) end, torch.Tensor(2, 3))
  refuses('Given input size: %(2 x 2 x 5%). Calculated output size: %(3 x 0 x 4%). Output size is too small',
    function() return nn.SpatialConvolution(2, 3, 2, 3) end, torch.Tensor(2, 2, 5))
  refuses('Given input size: %(2 x 1 x 5%). Calculated output size: %(2 x 0 x 2%). Output size is too small',
    function() return nn.SpatialMaxPooling(2, 2) end, torch.Tensor(2, 1, 5))
  refuses('pad should be smaller than half of kernel size', function() return nn.SpatialAveragePooling(2, 2, 1, 1, 2) end,
    torch.Tensor(1, 4, 4))
  refuses('inconsistent with expected input size', function() return nn.SpatialConvolutionLocal(1, 1, 4, 4, 2, 2) end,
    torch.Tensor(1, 4, 5))
  refuses('invalid input frame size. Got: 4, Expected: 3', function() return nn.TemporalConvolution(3, 2, 2) end, torch.Tensor(5, 4))
  refuses('input sequence smaller than kernel size. Got: 1, Expected: 2', function() return nn.TemporalConvolution(3, 2, 2) end,
    torch.Tensor(1, 3))
  refuses('2D or 3D %(batch mode%) tensor expected for input', function() return nn.TemporalMaxPooling(2) end, torch.Tensor(4))
  refuses('too small for desired k value', function() return nn.TemporalDynamicKMaxPooling(3) end, torch.Tensor(2, 2))
  refuses('invalid number of input planes', function() return nn.SpatialSubSampling(3, 2, 2) end, torch.Tensor(2, 4, 4))
  refuses('input image smaller than kernel size', function() return nn.SpatialSubSampling(2, 3, 3) end, torch.Tensor(2, 2, 4))
  refuses('input is too small', function() return nn.SpatialZeroPadding(-2, -2) end, torch.Tensor(1, 4, 4))
  refuses('input must be 3 or 4%-dimensional', function() return nn.SpatialReflectionPadding(1) end, torch.Tensor(4, 4))
  refuses('less than the corresponding size', function() return nn.SpatialReflectionPadding(4) end, torch.Tensor(1, 4, 4))
  refuses('adjW and adjH must be smaller than self.dW %- 1', function() return nn.SpatialFullConvolution(1, 1, 2, 2, 2, 2, 0, 0, 2) end)
  refuses('kernel size should be greater than zero', function() return nn.SpatialConvolution(1, 1, 0, 2) end)
  refuses('stride should be greater than zero', function() return nn.VolumetricMaxPooling(1, 1, 1, 1, 1, 0) end)
  refuses('scale_factor must be greater than 1', function() return nn.SpatialUpSamplingNearest(0) end)
  refuses('scale_factor must be integer', function() return nn.SpatialUpSamplingNearest(1.5) end)
  refuses('UpSampling only supports 4D or 5D tensors', function() return nn.UpSampling(2) end, torch.Tensor(2, 3, 3))
  refuses('averaging kernel must have ODD dimensions', function() return nn.SpatialSubtractiveNormalization(1, torch.ones(2, 3)) end)
  refuses('averaging kernel must be 2D or 1D', function() return nn.SpatialDivisiveNormalization(1, torch.ones(3, 3, 3)) end)
  refuses('Input must be 3D or 4D', function() return nn.SpatialCrossMapLRN(3) end, torch.Tensor(3, 3))
  refuses('width must be within 2 to 16', function() return nn.FeatureLPPooling(1, 1, 2) end)
  refuses('stride must be within 1 to 4', function() return nn.FeatureLPPooling(2, 5, 2) end)
end)

describe('Files of old versions', function()
  it('have one padding, and weights as matrices', function()
    local net, x = nn.SpatialConvolution(2, 3, 3, 2, 1, 1, 1):double(), layers.input(2, 2, 5, 6)
    local expected = net:forward(x):clone()
    net.padding, net.padW, net.padH = 1, nil, nil
    net.weight, net.gradWeight = net.weight:view(3, 12), net.gradWeight:view(3, 12)
    assertClose(expected, net:forward(x))
    layers.checkGradients(net, x)
  end)
end)

describe('Local normalisation', function()
  it('leaves nothing of a constant picture, up to the border', function()
    local net = nn.SpatialSubtractiveNormalization(2):double()
    assertClose(torch.DoubleTensor(2, 12, 10):zero(), net:forward(torch.DoubleTensor(2, 12, 10):fill(3)), 1e-14)
    assertClose(torch.DoubleTensor(2, 5, 10):zero(), net:forward(torch.DoubleTensor(2, 5, 10):fill(3)), 1e-14)       -- another size
  end)
end)
