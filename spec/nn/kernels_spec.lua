-- Torch7's kernels have the same results as the modules of their names, for every case of declared.lua and windows.lua with a kernel.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local declared = require 'spec.nn.declared'
local assertClose = require('spec.support.close').assertClose

local orders = {}
for line in require('nn.THNN.kernels'):gsub('\n  ', ' '):gmatch '[^\n]+' do
  local name, rest = line:match '^(%S+) (.*)$'
  orders[name] = {}
  for word in rest:gmatch '%S+' do table.insert(orders[name], word) end
end

-- Fields of modules that go by other names in kernels.
local fields = { dim = 'dim', ignore_index = 'ignoreIndex', pT = 'padT', pW = 'padW', pH = 'padH', aT = 'adjT', aW = 'adjW', aH = 'adjH',
                 total_weight = 'total_weight_tensor', ceilMode = 'ceil_mode',
                 batchMode = 'batch_mode' }
local kernelNames = { GatedLinearUnit = 'GatedLinear', SpatialConvolution = false, VolumetricConvolution = 'VolumetricConvolutionMM',
                      LookupTable = false, SpatialAdaptiveMaxPooling = false, SpatialAdaptiveAveragePooling = false,
                      SpatialConvolutionLocal = false, SpatialFractionalMaxPooling = false, VolumetricFractionalMaxPooling = false,
                      SpatialMaxUnpooling = false, VolumetricMaxUnpooling = false, TemporalSubSampling = nil }

local function call(x, name, values)
  local list = {}
  for i, argument in ipairs(orders[name]) do
    local value = values[argument]
    if torch.isTensor(value) then value = value:cdata() end
    list[i] = value == nil and nn.THNN.NULL or value
  end
  x.THNN[name](unpack(list, 1, #orders[name]))
end

-- The arguments: fields of the module, unless given.
local function argumentsOf(module, given)
  return setmetatable(given, { __index = function(_, name)
    local value = module[fields[name] or name]
    if value == nil and (name:find '^buffer' or name:find 'put$' or name == 'columns' or name == 'ones' or name == 'gradColumns') then
      return torch.DoubleTensor()
    end
    if value == nil and name:find '^[pd]ad' then return 0 end
    return value
  end })
end

local function check(case, class, base)
  local module = assert(loadstring('local nn, torch = ...; return nn.' .. case[1]))(nn, torch):double()
  if torch.type(module) ~= 'nn.' .. class then return end
  local x = layers.input(unpack(case[2]))
  if case.positive then x:abs():add(0.1) end
  local output = module:forward(x):clone()
  local g = layers.input(output:size())
  module:zeroGradParameters()
  local gradInput = module:backward(x, g):clone()
  local dim = module.dim or x:dim()
  local y, gx = torch.DoubleTensor(), torch.DoubleTensor()
  local height, width = output:dim() > 1 and output:size(output:dim() - 1), output:size(output:dim())
  call(x, base .. '_updateOutput', argumentsOf(module, { input = x, output = y, dim = dim, inplace = false, outputHeight = height,
    outputWidth = width }))
  assertClose(output, y, 1e-12, 'output')
  if orders[base .. '_updateGradInput'] then
    call(x, base .. '_updateGradInput', argumentsOf(module, { input = x, gradOutput = g, gradInput = gx, output = y, dim = dim,
      inplace = false, nbatch = x:size(1), nchannels = x:dim() > 1 and x:size(2), inputHeight = x:dim() > 2 and x:size(x:dim() - 1),
      inputWidth = x:size(x:dim()), outputHeight = height, outputWidth = width }))
    assertClose(gradInput, gx, 1e-12, 'gradInput')
  end
  if orders[base .. '_accGradParameters'] then
    local gradWeight, gradBias = module.gradWeight:clone():zero(), module.gradBias and module.gradBias:clone():zero()
    call(x, base .. '_accGradParameters', argumentsOf(module, { input = x, gradOutput = g, gradWeight = gradWeight, gradBias = gradBias,
      scale = 2, gradInput = gx }))
    assertClose(torch.mul(module.gradWeight, 2), gradWeight, 1e-12, 'gradWeight')
    if gradBias then assertClose(torch.mul(module.gradBias, 2), gradBias, 1e-12, 'gradBias') end
  end
end

describe('The kernels of', function()
  for _, cases in ipairs { declared.modules, require 'spec.nn.windows' } do
    for _, case in ipairs(cases) do
      local class = case[1]:match '^%w+'
      local base = kernelNames[class] == nil and class or kernelNames[class]
      if base and orders[base .. '_updateOutput'] and type(case[2][1]) == 'number' and not case[1]:find 'noBias' then
        it(case[1], function() check(case, class, base) end)
      end
    end
  end

  it('criteria', function()
    local x, t = layers.input(4, 3), layers.input(4, 3):mul(0.7)
    for _, base in ipairs { 'MSECriterion', 'AbsCriterion', 'SmoothL1Criterion', 'SoftMarginCriterion', 'DistKLDivCriterion' } do
      local criterion, y, g = nn[base]():double(), torch.DoubleTensor(), torch.DoubleTensor()
      x.THNN[base .. '_updateOutput'](x:cdata(), t:cdata(), y:cdata(), true)
      x.THNN[base .. '_updateGradInput'](x:cdata(), t:cdata(), g:cdata(), true)
      assert.near(criterion:forward(x, t), y[1], 1e-14)
      assertClose(criterion:backward(x, t), g, 1e-14, base)
    end
    local classes, y, total = torch.LongTensor { 1, 3, 2, 2 }, torch.DoubleTensor(), torch.DoubleTensor()
    local weights = torch.DoubleTensor { 1, 2, 3 }
    x.THNN.ClassNLLCriterion_updateOutput(x:cdata(), classes:cdata(), y:cdata(), true, weights:cdata(), total:cdata(), -100)
    assert.near(nn.ClassNLLCriterion(weights):double():forward(x, classes), y[1], 1e-14)
    assert.equal(8, total[1])
  end)

  it('batch normalisation', function()
    local net, x = nn.BatchNormalization(3):double(), layers.input(4, 3)
    local other = net:clone()
    local y, mean, std = torch.DoubleTensor(), torch.DoubleTensor(), torch.DoubleTensor()
    x.THNN.BatchNormalization_updateOutput(x:cdata(), y:cdata(), net.weight:cdata(), net.bias:cdata(), net.running_mean:cdata(),
      net.running_var:cdata(), mean:cdata(), std:cdata(), true, net.momentum, net.eps)
    assertClose(other:forward(x), y, 1e-14)
    assertClose(other.running_var, net.running_var, 1e-14)
    local g, gx, gw, gb = layers.input(3, 4):view(4, 3), torch.DoubleTensor(), torch.zeros(3):double(), torch.zeros(3):double()
    x.THNN.BatchNormalization_backward(x:cdata(), g:cdata(), gx:cdata(), gw:cdata(), gb:cdata(), net.weight:cdata(),
      net.running_mean:cdata(), net.running_var:cdata(), mean:cdata(), std:cdata(), true, 1, net.eps)
    other:zeroGradParameters()
    assertClose(other:backward(x, g), gx, 1e-14)
    assertClose(other.gradWeight, gw, 1e-14)
    assertClose(other.gradBias, gb, 1e-14)
  end)

  it('tables of vectors', function()
    local weight, positions, g = torch.zeros(5, 2):double(), torch.LongTensor { 1, 3, 1 }, torch.ones(3, 2):double()
    local null = nn.THNN.NULL
    weight.THNN.LookupTable_accGradParameters(positions:cdata(), g:cdata(), weight:cdata(), null, null, null, false, 3, 0.5)
    assertClose({ 1, 0, 0, 0, 0 }, weight:select(2, 1))
    weight.THNN.LookupTable_renorm(positions:cdata(), weight:cdata(), 0.5, 2)
    assert.near(0.5, weight[1]:norm(), 1e-6)
  end)

  it('go by the output that they are given, not by the input', function()
    local g, y, null = layers.input(4, 3), layers.input(4, 3):abs():add(0.1), nn.THNN.NULL
    for name, case in pairs {
      Sigmoid = { torch.cmul(g, torch.cmul(y, 1 - y)) }, Tanh = { torch.cmul(g, 1 - torch.cmul(y, y)) }, Sqrt = { torch.cdiv(g, y) / 2 },
      SoftPlus = { torch.cmul(g, 1 - torch.exp(-y)), 1, 20 }, ELU = { g, 0.7, false },
      SoftMax = { torch.cmul(y, g - torch.cmul(g, y):sum(2):expand(4, 3)) },
      LogSoftMax = { g - torch.cmul(torch.exp(y), g:sum(2):expand(4, 3)) },
    } do
      local gx = torch.DoubleTensor()
      g.THNN[name .. '_updateGradInput'](null, g:cdata(), gx:cdata(), y:cdata(), unpack(case, 2))
      assertClose(case[1], gx, 1e-14, name)
    end
  end)

  it('of pooling go by the indices that they are given', function()
    local x, g, indices, gx = layers.input(2, 4, 4), torch.ones(2, 2, 2):double(), torch.LongTensor(2, 2, 2):fill(3), torch.DoubleTensor()
    x.THNN.SpatialMaxPooling_updateGradInput(x:cdata(), g:cdata(), gx:cdata(), indices:cdata(), 2, 2, 2, 2, 0, 0, false)
    assert.equal(4, gx[1][1][3])
    assert.equal(8, gx:sum())
  end)

  it('of likelihoods write at the targets alone', function()
    local x, target, gx, total = layers.input(2, 3), torch.LongTensor { 3, 1 }, torch.DoubleTensor(2, 3):fill(7), torch.DoubleTensor { 2 }
    x.THNN.ClassNLLCriterion_updateGradInput(x:cdata(), target:cdata(), gx:cdata(), true, nn.THNN.NULL, total:cdata(), -100)
    assertClose({ { 7, 7, -0.5 }, { -0.5, 7, 7 } }, gx)
  end)

  it('of LogSigmoid leave the sum of which the logarithm is', function()
    local x, y, buffer = layers.input(4, 3), torch.DoubleTensor(), torch.DoubleTensor()
    x.THNN.LogSigmoid_updateOutput(x:cdata(), y:cdata(), buffer:cdata())
    assertClose(torch.log(torch.sigmoid(x)), y, 1e-14)
    assertClose(torch.cmax(-x, 0):mul(-1):exp() + torch.exp(-x - torch.cmax(-x, 0)), buffer, 1e-14)
  end)

  it('unknown names and types are refused', function()
    local x = torch.DoubleTensor { 1 }
    assert.is_nil(x.THNN.NoSuchKernel)
    assert.is_nil(torch.IntTensor().THNN)
    assert.error_matches(function() nn.THNN.runKernel('NoSuch', 'torch.DoubleTensor') end, "Function 'NoSuch' not found")
    local function ofIntegers() nn.THNN.runKernel('Tanh_updateOutput', 'torch.IntTensor') end
    assert.error_matches(ofIntegers, 'Unsupported tensor type: torch.IntTensor')
    assert.error_matches(function() x.THNN.LSTMFused_updateOutput() end, 'Not implemented for CPU')
    assert.error_matches(function() x.THNN.Linear_accGradParameters() end,
      "Linear_accGradParameters: input: nothing, expected a tensor's cdata")
    assert.error_matches(function() x.THNN.Linear_accGradParameters(x:cdata(), nn.THNN.NULL, nn.THNN.NULL) end,
      'Linear_accGradParameters: gradOutput: nothing')
    assert.error_matches(function() x.THNN.Tanh_updateOutput(x:cdata()) end, 'Tanh_updateOutput: output: nothing')
    nn.THNN.runKernel('Tanh_updateOutput', 'torch.DoubleTensor', x:cdata(), x:cdata())
    assert.equal(math.tanh(1), x[1])
  end)
end)

describe('Special kernels', function()
  local null = nn.THNN.NULL

  it('of sparse maps do what dense products do', function()
    local input = torch.DoubleTensor { { 1, 1, 0.5 }, { 1, 3, 2 }, { 2, 2, 1 }, { 2, 2, 0.25 } }
    local dense = torch.DoubleTensor { { 0.5, 0, 2 }, { 0, 1.25, 0 } }
    local weight, bias, y = layers.input(2, 3), torch.DoubleTensor { 1, -1 }, torch.DoubleTensor(2, 2)
    weight.THNN.SparseLinear_updateOutput(input:cdata(), y:cdata(), weight:cdata(), bias:cdata())
    assertClose(torch.mm(dense, weight:t()):add(bias:view(1, 2):expand(2, 2)), y, 1e-15)
    local g, gradWeight, gradBias = layers.input(2, 2), torch.zeros(2, 3):double(), torch.zeros(2):double()
    weight.THNN.SparseLinear_accGradParameters(input:cdata(), g:cdata(), gradWeight:cdata(), gradBias:cdata(), weight:cdata(),
      bias:cdata(), 0, 1)
    assertClose(torch.mm(g:t(), dense), gradWeight, 1e-15)
    local expected = torch.add(weight, -0.5, gradWeight)
    weight.THNN.SparseLinear_updateParameters(weight:cdata(), bias:cdata(), gradWeight:cdata(), gradBias:cdata(), input:cdata(), 0.5)
    assertClose(expected, weight, 1e-15)
    weight.THNN.SparseLinear_zeroGradParameters(gradWeight:cdata(), gradBias:cdata(), input:cdata())
    assert.equal(0, gradWeight:norm() + gradBias:norm())
    local legacy, z = torch.DoubleTensor { { { 1, 0.5 }, { 3, 2 } }, { { 2, 1.25 }, { 0, 9 } } }, torch.DoubleTensor(2, 2)
    weight.THNN.SparseLinear_legacyUpdateOutput(legacy:cdata(), z:cdata(), weight:cdata(), bias:cdata())
    assertClose(torch.mm(dense, weight:t()):add(bias:view(1, 2):expand(2, 2)), z, 1e-15)
  end)

  it('of maps by position, too', function()
    local keys, values, sizes = torch.LongTensor { 1, 3, 2 }, torch.DoubleTensor { 0.5, 2, 1.25 }, torch.LongTensor { 2, 1 }
    local dense = torch.DoubleTensor { { 0.5, 0, 2 }, { 0, 1.25, 0 } }
    local weight, bias, y = layers.input(3, 2), torch.DoubleTensor { 1, -1 }, torch.DoubleTensor()
    weight.THNN.IndexLinear_updateOutput(keys:cdata(), 0, values:cdata(), sizes:cdata(), null, y:cdata(), weight:cdata(), bias:cdata(),
      null, 1)
    assertClose(torch.mm(dense, weight):add(bias:view(1, 2):expand(2, 2)), y, 1e-15)
    local g, gradWeight, gradBias = layers.input(2, 2), torch.DoubleTensor(), torch.zeros(2):double()
    weight.THNN.IndexLinear_accGradParameters(keys:cdata(), 0, values:cdata(), sizes:cdata(), null, g:cdata(), gradWeight:cdata(),
      gradBias:cdata(), weight:cdata(), bias:cdata(), null, 0, 1)
    local expected = torch.add(weight, -0.5, torch.mm(dense:t(), g))
    weight.THNN.IndexLinear_updateParameters(gradWeight:cdata(), gradBias:cdata(), weight:cdata(), bias:cdata(), keys:cdata(),
      null, 0, 0, 0.5)
    assertClose(expected, weight, 1e-15)
    expected = torch.add(weight, -0.5, torch.mm(dense:t(), g))
    weight.THNN.IndexLinear_accUpdateGradParameters(keys:cdata(), 0, values:cdata(), sizes:cdata(), null, g:cdata(), weight:cdata(),
      bias:cdata(), 0, 0.5)
    assertClose(expected, weight, 1e-15)
  end)

  it('unfold pictures so that a product convolves them', function()
    local x, columns = layers.input(2, 4, 5), torch.DoubleTensor()
    local net = nn.SpatialConvolution(2, 3, 3, 2, 2, 1, 1, 1):double():noBias()
    local y = net:forward(x)
    x.THNN.unfolded_copy(columns:cdata(), x:cdata(), 3, 2, 2, 1, 1, 1, 2, 5, 4, y:size(3), y:size(2))
    assertClose(y:view(3, -1), torch.mm(net.weight:view(3, -1), columns), 1e-14)
    local back, g = torch.zeros(2, 4, 5):double(), layers.input(3, y:size(2), y:size(3))
    local gColumns = torch.mm(net.weight:view(3, -1):t(), g:view(3, -1))
    x.THNN.unfolded_acc(gColumns:cdata(), back:cdata(), 3, 2, 2, 1, 1, 1, 2, 5, 4, y:size(3), y:size(2))
    assertClose(net:updateGradInput(x, g), back, 1e-14)
  end)

  it('sample pictures at places', function()
    -- Figures: PyTorch's grid_sample of the same numbers, with align_corners.
    local x, grid = layers.input(1, 2, 3, 4), layers.input(1, 2, 3, 2):mul(0.8)
    local y, gx, gg = torch.DoubleTensor(), torch.DoubleTensor(), torch.DoubleTensor()
    x.THNN.SpatialGridSamplerBilinear_updateOutput(x:cdata(), grid:cdata(), y:cdata())
    local weights = layers.input(1, 2, 2, 3)
    x.THNN.SpatialGridSamplerBilinear_updateGradInput(x:cdata(), gx:cdata(), grid:cdata(), gg:cdata(), weights:cdata())
    assert.same({ 1, 2, 2, 3 }, y:size():totable())
    assert.near(3.178290875, torch.cmul(y, weights):sum(), 1e-12)
    assert.near(3.178290875, torch.cmul(gx, layers.input(2, 3, 4):view(1, 2, 3, 4)):sum(), 1e-12)
    assert.near(-1.678311875, torch.cmul(gg, layers.input(2, 3, 2):view(1, 2, 3, 2)):sum(), 1e-12)
  end)

  it('dilate transposed convolutions', function()
    local x, y, weight = layers.input(1, 2, 3, 3), torch.DoubleTensor(), layers.input(2, 3, 2, 2)
    x.THNN.SpatialFullDilatedConvolution_updateOutput(x:cdata(), y:cdata(), weight:cdata(), null, null, null, 2, 2, 1, 1, 0, 0, 2, 2, 0, 0)
    local direct = nn.SpatialDilatedConvolution(3, 2, 2, 2, 1, 1, 0, 0, 2, 2):double():noBias()
    direct.weight:copy(weight)
    direct:forward(torch.zeros(1, 3, 5, 5):double())
    assertClose(direct:updateGradInput(torch.zeros(1, 3, 5, 5):double(), x), y, 1e-14)
  end)
end)
