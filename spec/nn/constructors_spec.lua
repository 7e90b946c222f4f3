-- Arguments that constructors accept but don't check: the first forward reports missing ones, and fractions are truncated.
local torch = require 'torch'
local nn = require 'nn'
local layers, warned = require 'spec.support.layers', require 'spec.support.warnings'
local assertClose = require('spec.support.close').assertClose

local picture, volume, sequence = { 2, 8, 8 }, { 2, 8, 8, 8 }, { 8, 2 }

local function made(text) return assert(loadstring('local nn, torch = ... return nn.' .. text))(nn, torch) end

describe('A constructor takes what it does not use, and the first forward asks for it:', function()
  for _, case in ipairs {
    { 'Concat()', sequence, 'dimension: nil' }, { 'DepthConcat()', picture, 'dimension: nil' },
    { 'JoinTable()', 'table', 'dimension: nil' }, { "JoinTable('a')", 'table', "dimension: 'a'" },
    { 'SplitTable()', sequence, 'dimension: nil' }, { 'Select()', sequence, 'dimension: nil' },
    { 'Select(1)', sequence, 'index: nil' }, { 'SpatialMaxPooling()', picture, 'kH: nil' }, { 'SpatialMaxPooling(2)', picture, 'kH: nil' },
    { 'SpatialAveragePooling()', picture, 'kH: nil' }, { 'SpatialDilatedMaxPooling()', picture, 'kH: nil' },
    { 'VolumetricMaxPooling()', volume, 'kT: nil' }, { 'VolumetricAveragePooling(2, 2)', volume, 'kH: nil' },
    { 'VolumetricDilatedMaxPooling()', volume, 'kT: nil' }, { 'TemporalMaxPooling()', sequence, 'kW: nil' },
    { 'TemporalDynamicKMaxPooling()', sequence, 'minK: nil' }, { 'SpatialAdaptiveMaxPooling(2)', picture, 'H: nil' },
    { 'SpatialAdaptiveAveragePooling()', picture, 'W: nil' }, { 'SpatialZeroPadding()', picture, 'pad_l: nil' },
    { 'SpatialReflectionPadding()', picture, 'pad_l: nil' }, { 'SpatialReplicationPadding()', picture, 'pad_l: nil' },
    { 'VolumetricReplicationPadding()', volume, 'pleft: nil' }, { 'SpatialCrossMapLRN()', picture, 'size: nil' },
    { 'SpatialCrossMapLRN(4)', picture, 'size: 4, expected an odd number' }, { 'OneHot()', sequence, 'outputSize: nil' },
    { 'Reshape()', sequence, '' }, { 'CAdd()', sequence, '' }, { 'CMul()', sequence, '' },
    { 'Decorator()', sequence, '' }, { 'Profile()', sequence, '' }, { 'Bottle()', sequence, '' },
    { "BatchNormalization(2, 'a')", sequence, 'batchNorm' }, { 'FeatureLPPooling(2, 1)', sequence, '' },
    { "SpatialMaxPooling('a', 2)", picture, "kW: 'a'" }, { 'Parallel(1)', sequence, '' },
  } do
    local text, sizes, message = unpack(case)
    it('nn.' .. text, function()
      local module = made(text)
      if text:find '^%a*Concat' then module:add(nn.Identity()):add(nn.Identity()) end
      local input = sizes == 'table' and { torch.ones(2), torch.ones(2) } or torch.ones(torch.LongStorage(sizes))
      local done, said = pcall(module.forward, module, input)
      assert.is_false(done)
      assert.is_truthy(said:find(message, 1, true), said)
      if message ~= '' then assert.is_truthy(said:find('nn.' .. text:match '^%w+', 1, true), said) end
    end)
  end

  it('decorators of a program that bring their module later', function()
    local Own, parent = torch.class('nn.SpecLateDecorator', 'nn.Decorator')
    function Own:__init(size)
      parent.__init(self)
      self.modules[1] = nn.MulConstant(size)
    end
    assertClose({ 3, 3 }, nn.SpecLateDecorator(3):forward(torch.ones(2)))
    assert.error_matches(function() nn.Decorator(nn.Tanh) end, 'nn.Decorator: module: the class nn.Tanh, expected a module')
  end)
end)

describe('Flags count by their truth:', function()
  it("nn.Linear's bias and nn.Dropout's inplace", function()
    assert.is_not_nil(nn.Linear(3, 2, 1).bias)
    assert.is_not_nil(nn.Linear(3, 2, nil).bias)
    assert.is_nil(nn.Linear(3, 2, false).bias)
    local drop, x = nn.Dropout(0.5, false, 1), torch.ones(4)
    assert.is_true(drop:forward(x):storage() == x:storage())
  end)
end)

describe('Of a number the whole part counts:', function()
  for fraction, whole in pairs {
    ['SpatialConvolution(2, 3, 2, 4, 1, 1, (2 - 1) / 2, (4 - 1) / 2)'] = 'SpatialConvolution(2, 3, 2, 4, 1, 1, 0, 1)',
    ['SpatialConvolution(2, 3, 2.7, 3, 1.5)'] = 'SpatialConvolution(2, 3, 2, 3, 1)',
    ['SpatialMaxPooling(3.5, 2.5, 2.5, 1.5, 0.5)'] = 'SpatialMaxPooling(3, 2, 2, 1, 0)',
    ['SpatialAveragePooling(7 / 2, 7 / 3)'] = 'SpatialAveragePooling(3, 2)',
    ['SpatialFullConvolution(2, 3, 4, 4, 2, 2, 1.5, 1.5)'] = 'SpatialFullConvolution(2, 3, 4, 4, 2, 2, 1, 1)',
    ['SpatialZeroPadding(1.5, -1.5, 0.5, 2)'] = 'SpatialZeroPadding(1, -1, 0, 2)',
    ['SpatialReplicationPadding(3 / 2)'] = 'SpatialReplicationPadding(1)',
    ['SpatialAdaptiveMaxPooling(2.5, 3.5)'] = 'SpatialAdaptiveMaxPooling(2, 3)',
    ['SpatialDepthWiseConvolution(2, 2, 2.5, 2, 1, 1, 0.5)'] = 'SpatialDepthWiseConvolution(2, 2, 2, 2, 1, 1, 0)',
    ['SpatialConvolutionLocal(2, 3, 8, 8, 2.5, 2, 1, 1, 0.5)'] = 'SpatialConvolutionLocal(2, 3, 8, 8, 2, 2, 1, 1, 0)',
    ['VolumetricConvolution(2, 3, 2.5, 2, 2, 1, 1, 1, 0.5)'] = 'VolumetricConvolution(2, 3, 2, 2, 2, 1, 1, 1, 0)',
    ['VolumetricMaxPooling(2.5, 2.5, 2)'] = 'VolumetricMaxPooling(2, 2, 2)',
    ['TemporalConvolution(2, 3, 2.5, 1.5)'] = 'TemporalConvolution(2, 3, 2, 1)',
    ['TemporalMaxPooling(2.5)'] = 'TemporalMaxPooling(2)',
  } do
    it('nn.' .. fraction, function()
      local kind = fraction:match '^%u%l+'
      local x = layers.input(unpack(kind == 'Temporal' and sequence or kind == 'Volumetric' and volume or picture))
      local outputs = {}
      for i, text in ipairs { fraction, whole } do
        torch.manualSeed(3)
        local _, module = warned(made, text)
        outputs[i] = module:forward(x)
      end
      assertClose(outputs[2], outputs[1])
    end)
  end
end)

describe('Options at the end may come in a table by their names:', function()
  it('as in Python', function()
    assert.is_nil(nn.Linear(2, 3, { bias = false }).bias)
    assert.is_not_nil(nn.Linear(2, 3, { bias = true }).bias)
    assert.same({ 3, 2 }, nn.Linear(2, { outputSize = 3 }).weight:size():totable())
  end)

  it('others are refused', function()
    for message, f in pairs {
      ['nn.Linear: options: biass, expected one of bias'] = function() nn.Linear(2, 3, { biass = false }) end,
      ['nn.Linear: outputSize: nil, expected a whole number, 1 or more'] = function() nn.Linear(2, { bias = false }) end,
    } do
      assert.error_matches(f, message)
    end
  end)
end)
