-- Initialisation of parameters: closed forms, and moments of random draws.
local nn, torch, nninit = require 'nn', require 'torch', require 'nninit'
local assertClose = require('spec.support.close').assertClose

-- A tolerance of five standard errors of a standard deviation of n draws.
local function hasDeviation(expected, x)
  assert.near(expected, x:std(), 5 * expected / math.sqrt(2 * x:nElement()) * 1.5)
  assert.near(0, x:mean(), 5 * expected / math.sqrt(x:nElement()))
end

describe('nninit', function()
  it('sets no global and returns the module from init', function()
    assert.is_nil(rawget(_G, 'nninit'))
    local layer = nn.Linear(3, 2)
    assert.equal(layer, layer:init('weight', nninit.constant, 2):init('bias', nninit.constant, 3))
    assert.same({ { 2, 2, 2 }, { 2, 2, 2 } }, layer.weight:totable())
    assert.same({ 3, 3 }, layer.bias:totable())
    assert.is_nil(rawget(_G, 'gain'))
    assert.is_nil(rawget(_G, 'dist'))
  end)

  it('reaches fields, parts of them, and what a function returns', function()
    local layer = nn.Linear(3, 2):init('weight', nninit.constant, 0)
    layer:init({ 'weight', 1 }, nninit.constant, 1)
    layer:init({ 'weight', { {}, 3 } }, nninit.constant, 5)
    layer:init(function(module) return module.weight:narrow(2, 2, 1) end, nninit.addConstant, 10)
    assert.same({ { 1, 11, 5 }, { 0, 10, 5 } }, layer.weight:totable())
    assert.error_matches(function() layer:init(3, nninit.constant, 0) end, 'Unsupported accessor')
    assert.error_matches(function() layer:init('none', nninit.constant, 0) end, 'nn.Module.init: accessor: a nil, expected a tensor')
    assert.error_matches(function() layer:init('weight', nil) end, 'nn.Module.init: initialiser: a nil')
  end)

  it('calls a program\'s initialiser with the module, the tensor and the rest', function()
    local layer, given = nn.Linear(3, 2), nil
    layer:init('bias', function(...) given = { ... } end, 'a', 7)
    assert.equal(layer, given[1])
    assert.equal(layer.bias, given[2])
    assert.same({ 'a', 7 }, { given[3], given[4] })
  end)

  it('copies, adds and multiplies', function()
    local layer = nn.Linear(2, 2):init('weight', nninit.copy, torch.Tensor { { 1, 2 }, { 3, 4 } })
    layer:init('weight', nninit.mulConstant, 2):init('weight', nninit.addConstant, -1)
    assert.same({ { 1, 3 }, { 5, 7 } }, layer.weight:totable())
  end)

  it('draws, and adds draws', function()
    local layer = nn.Linear(100, 100):init('weight', nninit.normal, 0, 3)
    hasDeviation(3, layer.weight)
    layer:init('weight', nninit.constant, 0):init('weight', nninit.addNormal, 0, 2)
    hasDeviation(2, layer.weight)
    layer:init('weight', nninit.uniform, -6, 6)
    hasDeviation(6 / math.sqrt(3), layer.weight)
    assert.is_true(layer.weight:max() <= 6 and layer.weight:max() > 5.9)
    layer:init('weight', nninit.constant, 100):init('weight', nninit.addUniform, 0, 1)
    assert.is_true(layer.weight:min() >= 100 and layer.weight:max() <= 101 and layer.weight:std() > 0.2)
    assert.error_matches(function() layer:init('weight', nninit.normal, 0) end, 'nninit.normal: stdv: a nil, expected a number')
  end)

  it('scales xavier by both fans and kaiming by the inputs', function()
    local layer = nn.Linear(300, 100)
    layer:init('weight', nninit.xavier)
    hasDeviation(math.sqrt(2 / 400), layer.weight)
    local bound = math.sqrt(3) * math.sqrt(2 / 400)
    assert.is_true(layer.weight:max() <= bound and layer.weight:max() > 0.99 * bound)
    layer:init('weight', nninit.xavier, { dist = 'normal', gain = 'tanh' })
    hasDeviation(5 / 3 * math.sqrt(2 / 400), layer.weight)
    assert.is_true(layer.weight:max() > 2 * bound)
    layer:init('weight', nninit.kaiming)
    hasDeviation(math.sqrt(1 / 300), layer.weight)
    layer:init('weight', nninit.kaiming, { dist = 'uniform', gain = 'relu' })
    hasDeviation(math.sqrt(2 / 300), layer.weight)
    layer:init('weight', nninit.kaiming, { gain = { 'lrelu', leakiness = 0.5 } })
    hasDeviation(math.sqrt(2 / 1.25 / 300), layer.weight)
    local before = layer.weight:clone()
    layer:init('weight', nninit.kaiming, { dist = 'none' })
    assert.is_true(torch.equal(before, layer.weight))
  end)

  it('knows the gains', function()
    local gains = require 'nninit.gains'
    assert.equal(1, gains(nil))
    assert.equal(1, gains 'linear')
    assert.equal(1, gains 'sigmoid')
    assert.equal(1, gains 'unknown')
    assert.equal(5 / 3, gains 'tanh')
    assert.equal(math.sqrt(2), gains 'relu')
    assert.equal(0.3, gains(0.3))
    assert.near(math.sqrt(2 / 1.01), gains { 'lrelu', leakiness = 0.1 }, 1e-15)
  end)

  it('counts the fans of every kind of layer', function()
    local fans = require 'nninit.fans'
    for _, case in ipairs {
      { nn.Linear(3, 5), 3, 5 }, { nn.LookupTable(7, 4), 4, 7 }, { nn.TemporalConvolution(3, 5, 2), 6, 5 },
      { nn.SpatialConvolution(3, 5, 2, 4), 24, 40 }, { nn.SpatialConvolutionMM(3, 5, 2, 4), 24, 40 },
      { nn.SpatialFullConvolution(3, 5, 2, 4), 24, 40 }, { nn.VolumetricConvolution(3, 5, 2, 4, 6), 144, 240 },
      { nn.VolumetricFullConvolution(3, 5, 2, 4, 6), 144, 240 },
    } do
      local fanIn, fanOut = fans(case[1])
      assert.same({ case[2], case[3] }, { fanIn, fanOut }, torch.type(case[1]))
    end
    assert.error_matches(function() nn.Add(3):init('bias', nninit.xavier) end, 'Unsupported module')
  end)

  it('makes orthonormal rows, or columns where there are fewer', function()
    local function isIdentity(x, factor)
      assertClose(torch.eye(x:size(1)) * factor, x, 1e-12)
    end
    local wide = nn.Linear(7, 4):init('weight', nninit.orthogonal).weight
    isIdentity(wide * wide:t(), 1)
    local tall = nn.Linear(4, 7):init('weight', nninit.orthogonal, { gain = 'relu' }).weight
    isIdentity(tall:t() * tall, 2)
    local kernels = nn.SpatialConvolution(3, 5, 2, 2):init('weight', nninit.orthogonal).weight:view(5, 12)
    isIdentity(kernels * kernels:t(), 1)
    local float = nn.Linear(4, 4):float():init('weight', nninit.orthogonal).weight:double()
    assert.is_true((float * float:t() - torch.eye(4)):abs():max() < 1e-6)
    assert.error_matches(function() nn.Linear(2, 2):init('bias', nninit.orthogonal) end, 'only supports tensors with 2 or more dimensions')
  end)

  it('sets a share of the elements to zero', function()
    local layer = nn.Linear(10, 10):init('weight', nninit.constant, 1)
    layer:init('weight', nninit.sparse, 0.37)
    assert.equal(63, layer.weight:sum())
    layer:init('weight', nninit.constant, 1):init(function(m) return m.weight:t():narrow(1, 1, 4) end, nninit.sparse, 0.5)
    assert.equal(80, layer.weight:sum())
    assert.equal(20, layer.weight:narrow(2, 1, 4):sum())
    layer:init('weight', nninit.constant, 1):init('weight', nninit.sparse, 0)
    assert.equal(100, layer.weight:sum())
    layer:init('weight', nninit.sparse, 1)
    assert.equal(0, layer.weight:sum())
    assert.error_matches(function() layer:init('weight', nninit.sparse, 2) end, 'nninit.sparse: sparsity: 2, expected a number from 0 to 1')
  end)

  it('makes layers that pass their input on', function()
    local x = torch.randn(3, 4)
    local linear = nn.Linear(4, 4):init('weight', nninit.eye):init('bias', nninit.constant, 0)
    assert.is_true(torch.equal(x, linear:forward(x)))
    local mean = torch.randn(2, 5, 6)
    local convolution = nn.SpatialConvolution(2, 3, 3, 3, 1, 1, 1, 1):init('weight', nninit.eye):init('bias', nninit.constant, 0)
    local expected = (mean[1] + mean[2]) / 2
    for plane = 1, 3 do assert.is_true((convolution:forward(mean)[plane] - expected):abs():max() < 1e-14) end
    local volume = nn.VolumetricConvolution(1, 1, 3, 3, 3, 1, 1, 1, 1, 1, 1):init('weight', nninit.eye):init('bias', nninit.constant, 0)
    local cube = torch.randn(1, 3, 4, 5)
    assert.is_true(torch.equal(cube, volume:forward(cube)))
    local frames = torch.randn(6, 2)
    local temporal = nn.TemporalConvolution(2, 2, 3):init('weight', nninit.eye):init('bias', nninit.constant, 0)
    local average = frames:narrow(1, 2, 4):mean(2)
    for plane = 1, 2 do assert.is_true((temporal:forward(frames):narrow(2, plane, 1) - average):abs():max() < 1e-14) end
    local mm = nn.SpatialConvolutionMM(2, 3, 3, 3):init('weight', nninit.eye).weight:view(3, 2, 3, 3)
    assert.equal(3, mm:sum())
    assert.equal(0.5, mm[2][1][2][2])
    assert.error_matches(function() linear:init('bias', nninit.eye) end, "nninit.eye only supports 'weight' tensor")
    assert.error_matches(function() nn.PReLU():init('weight', nninit.eye) end, 'Unsupported module')
  end)

  it('draws convolution-aware kernels from real spectra, with kaiming\'s variance', function()
    local signal = require 'signal'
    local layer = nn.SpatialConvolution(4, 3, 5, 5):init('weight', nninit.convolutionAware, { gain = 'relu', std = 0 })
    assert.near(math.sqrt(2 / 100), layer.weight:std(), 1e-12)
    for m = 1, 3 do                                                -- real coefficients: no imaginary parts in a kernel's transform
      for n = 1, 4 do
        local spectrum = signal.rfft2(layer.weight[m][n])
        assert.is_true(spectrum:select(3, 2):abs():max() < 1e-12)
        assert.is_true(spectrum:select(3, 1):abs():max() > 1e-2)
      end
    end
    layer:init('weight', nninit.convolutionAware)
    assert.near(math.sqrt(1 / 100), layer.weight:std(), 1e-12)
    assert.error_matches(function() nn.SpatialConvolution(1, 1, 2, 3):init('weight', nninit.convolutionAware) end, 'square filters')
    assert.error_matches(function() nn.Linear(2, 2):init('weight', nninit.convolutionAware) end, '4 dimensions')
  end)
end)
