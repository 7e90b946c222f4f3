-- Constructors take their arguments in a table by name, too; a name that a class lacks is an error.
local torch = require 'torch'
local nn = require 'nn'
local guard = require 'torch.check.guard'
local nested = require 'nn.nested'
local samples = require 'spec.support.nn_samples'
local assertClose = require('spec.support.close').assertClose

-- The classes of nn that Moontorch brings, by name.
local function classes()
  local list = {}
  for _, name in ipairs(debug.getmetatable(nn).__names()) do
    if torch.getmetatable('nn.' .. name) then list[#list + 1] = name end
  end
  for name in ('LSTM GRU RNN LSTMCell GRUCell RNNCell Embedding LayerNorm'):gmatch '%a+' do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- The arguments of a class's samples, as a list a sample.
local function argumentsOf(class)
  local lists = {}
  for _, sample in ipairs(samples.of(class)) do
    local inner = sample[1]:match '^[%w_]+(%b())$'
    if inner then
      lists[#lists + 1] = { loadstring('local nn, torch = ... return ' .. inner:sub(2, -2))(nn, torch) }
      lists[#lists].sample = sample
    end
  end
  return lists
end

-- The names of a constructor's arguments; nil if it accepts any number of them.
local function namesOf(class)
  local names = {}
  if class.__init == class.declaredInit then
    for i, option in ipairs(class.declaredOptions) do names[i] = option[1] end
    return names
  end
  local init = guard.written[class.__init] or class.__init
  if debug.getinfo(init, 'u').isvararg then return nil end
  for i = 2, debug.getinfo(init, 'u').nparams do names[i - 1] = debug.getlocal(init, i) end
  return names
end

-- The results of a module or criterion for a sample's input, with parameters that no sample sets.
local function outputOf(module, sample)
  module:double()
  for i, parameter in ipairs(module.parameters and samples.parametersOf(module) or {}) do
    parameter:copy(samples.like(parameter, 1.7 + 0.3 * i))
  end
  torch.manualSeed(3)
  local target = samples.isCriterion(sample.class) and samples.targetOf(sample) or nil
  local output = module:forward(samples.inputOf(sample), target)
  return type(output) == 'number' and torch.DoubleTensor { output } or nested.map(output, function(x) return x:clone() end)
end

it('All classes of nn are met', function() assert.is_true(#classes() > 170) end)

describe('An option that there is not is an error of', function()
  for _, name in ipairs(classes()) do
    it('nn.' .. name, function()
      local class = nn[name]
      local lists = argumentsOf(class)
      lists[#lists + 1] = {}
      for _, arguments in ipairs(lists) do
        arguments[#arguments + 1] = { thereIsNoSuchOption = 1 }
        local done, message = pcall(function() return class(unpack(arguments)) end)
        assert.is_false(done)
        local argument = class._takesNames and 'update: thereIsNoSuchOption: ' or 'options: thereIsNoSuchOption, '
        assert.matches('^spec/nn/options_spec.lua:%d+: nn%.' .. name .. ': ' .. argument .. '.*expected ', message)
      end
    end)
  end
end)

describe('All arguments may come by name:', function()
  local compared = 0
  for _, class in ipairs(samples.classes()) do
    local names = namesOf(class)
    for _, arguments in ipairs(names and names[1] ~= 'options' and argumentsOf(class) or {}) do
      if #arguments > 0 and not arguments.sample[1]:find '{ %a+ = ' then
        compared = compared + 1
        it('nn.' .. arguments.sample[1], function()
          torch.manualSeed(5)
          local expected = class(unpack(arguments))
          local shown, numbers = tostring(expected), outputOf(expected, arguments.sample)
          for from = 1, #arguments do      -- those before it by their places
            local given, named = { unpack(arguments, 1, from - 1) }, {}
            for i = from, #arguments do named[names[i]] = arguments[i] end
            if next(named) ~= nil then
              given[from] = named
              torch.manualSeed(5)
              local module = class(unpack(given, 1, from))
              assert.equal(shown, tostring(module))
              assertClose(numbers, outputOf(module, arguments.sample))
            end
          end
        end)
      end
    end
  end

  it('most classes have samples with arguments', function() assert.is_true(compared > 100) end)
end)

-- Modules that are nothing without their bias, and those that have it in a part of theirs.
local isBias = { Add = true, CAdd = true }

describe('bias = false leaves the bias out of', function()
  local count = 0
  for _, class in ipairs(samples.classes()) do
    local name = class.declaration.name:match '%w+$'
    for _, arguments in ipairs(isBias[name] and {} or argumentsOf(class)) do
      local made = not samples.isCriterion(class) and class(unpack(arguments))
      if made and torch.isTensor(made.bias) and arguments[#arguments] ~= true and type(arguments[#arguments]) ~= 'table' then
        count = count + 1
        it('nn.' .. arguments.sample[1], function()
          local with = class(unpack(arguments)):double()
          local given = { unpack(arguments) }
          given[#given + 1] = { bias = false }
          local without = class(unpack(given)):double()
          assert.is_nil(without.bias)
          assert.is_nil(without.gradBias)
          assert.equal(#with:parameters() - 1, #without:parameters())
          without:reset()
          for i, parameter in ipairs(without:parameters()) do
            parameter:copy(samples.like(parameter, 1.7 + 0.3 * i))
            with:parameters()[i]:copy(parameter)
          end
          with.bias:zero()
          local results = {}
          for i, module in ipairs { with, without } do
            local input = samples.inputOf(arguments.sample)
            module:zeroGradParameters()
            local output = module:forward(input)
            local gradInput = module:backward(input, samples.like(output, 0.7))
            results[i] = { output, gradInput, (select(2, module:parameters()))[1] }
          end
          assertClose(results[1], results[2])
        end)
      end
    end
  end

  it('those that have one, about twenty', function() assert.is_true(count >= 20) end)

  it('nn.IndexLinear and nn.LayerNormalization', function()
    local sparse = nn.IndexLinear(3, 2, { bias = false })
    sparse.weight:fill(1)
    assertClose({ 5, 5 }, sparse:forward { torch.LongTensor { 1, 3 }, torch.Tensor { 2, 3 } })
    sparse:zeroGradParameters()
    sparse:backward({ torch.LongTensor { 1, 3 }, torch.Tensor { 2, 3 } }, torch.ones(2))
    sparse:updateParameters(1)
    assertClose({ { -1, -1 }, { 1, 1 }, { -2, -2 } }, sparse.weight)
    assert.equal(1, #sparse:parameters())
    assert.equal(1, #nn.LayerNormalization(4, { bias = false }):parameters())
    assertClose({ { -1, 1 } }, nn.LayerNormalization(2, { bias = false }):forward(torch.Tensor { { 1, 3 } }), 1e-9)
  end)
end)

describe('PyTorch\'s names say the same:', function()
  for theirs, ours in pairs {
    ['Linear { in_features = 3, out_features = 2, bias = false }'] = 'Linear(3, 2, false)',
    ['SpatialConvolution { in_channels = 3, out_channels = 4, kernel_size = 5, stride = 2, padding = 1 }'] =
      'SpatialConvolution(3, 4, 5, 5, 2, 2, 1, 1)',
    ['SpatialConvolution(3, 4, { kernel_size = { 5, 3 }, stride = { 1, 2 } })'] = 'SpatialConvolution(3, 4, 3, 5, 2, 1)',
    ['SpatialDilatedConvolution(3, 4, 3, 3, { dilation = 2 })'] = 'SpatialDilatedConvolution(3, 4, 3, 3, 1, 1, 0, 0, 2, 2)',
    ['SpatialFullConvolution(3, 4, 3, 3, { stride = 2, output_padding = 1 })'] = 'SpatialFullConvolution(3, 4, 3, 3, 2, 2, 0, 0, 1, 1)',
    ['VolumetricConvolution(3, 4, { kernel_size = { 2, 3, 4 } })'] = 'VolumetricConvolution(3, 4, 2, 4, 3)',
    ['TemporalConvolution(3, 4, { kernelSize = 2, stride = 2 })'] = 'TemporalConvolution(3, 4, 2, 2)',
    ['SpatialMaxPooling { kernel_size = 3, stride = 2, ceil_mode = true }'] = 'SpatialMaxPooling(3, 3, 2, 2):ceil()',
    ['SpatialAveragePooling(2, 2, { count_include_pad = false })'] = 'SpatialAveragePooling(2, 2):setCountExcludePad()',
    ['BatchNormalization { num_features = 3, eps = 0.1, affine = false }'] = 'BatchNormalization(3, 0.1, nil, false)',
    ['GroupNorm { num_groups = 2, num_channels = 4 }'] = 'GroupNorm(2, 4)',
    ['LayerNorm({ 3, 4 }, { elementwise_affine = false })'] = 'LayerNorm({ 3, 4 }, nil, false)',
    ['LeakyReLU { negative_slope = 0.2 }'] = 'LeakyReLU(0.2)', ['HardTanh { min_val = -2, max_val = 3 }'] = 'HardTanh(-2, 3)',
    ['Dropout { p = 0.3 }'] = 'Dropout(0.3)', ['SoftPlus { beta = 2 }'] = 'SoftPlus(2)', ['ELU { alpha = 2 }'] = 'ELU(2)',
    ['Embedding { num_embeddings = 5, embedding_dim = 3, padding_idx = 2 }'] = 'Embedding(5, 3, 2)',
    ['LookupTable { num_embeddings = 5, embedding_dim = 3 }'] = 'LookupTable(5, 3)',
    ['LSTM(3, 4, { num_layers = 2, batch_first = true })'] = 'LSTM(3, 4, { layers = 2, batchFirst = true })',
    ['LSTM { input_size = 3, hidden_size = 4, num_layers = 2, bias = false }'] = 'LSTM(3, 4, { layers = 2, bias = false })',
    ['GRUCell { input_size = 3, hidden_size = 4 }'] = 'GRUCell(3, 4)', ['GRU(3, 4, {})'] = 'GRU(3, 4)',
    ['MultiheadAttention { embed_dim = 4, num_heads = 2, dropout = 0.5 }'] = 'MultiheadAttention(4, 2, { dropout = 0.5 })',
    ['MultiheadAttention(4, 2, { Dropout = 0.5 })'] = 'MultiheadAttention(4, 2, { dropout = 0.5 })',
    ['CrossEntropyCriterion { weight = torch.ones(3), size_average = false }'] = 'CrossEntropyCriterion(torch.ones(3), false)',
    ['ClassNLLCriterion { ignore_index = 2 }'] = 'ClassNLLCriterion(nil, nil, 2)',
    ['MarginCriterion { sizeAverage = false }'] = 'MarginCriterion(1, false)',
    ['SpatialAdaptiveMaxPooling { output_size = { 2, 3 } }'] = 'SpatialAdaptiveMaxPooling(3, 2)',
    ['UpSampling(2, { mode = "linear" })'] = 'UpSampling(2, "linear")',
    ['SpatialUpSamplingNearest { scale_factor = 2 }'] = 'SpatialUpSamplingNearest(2)',
  } do
    it(theirs, function()
      local modules = {}
      for i, text in ipairs { theirs, ours } do
        torch.manualSeed(1)
        modules[i] = loadstring('local nn, torch = ... return nn.' .. text)(nn, torch)
      end
      local function fields(module)
        local plain = {}
        for key, value in pairs(module) do
          if not torch.isTensor(value) and (type(value) ~= 'table' or not torch.typename(value)) then plain[key] = value end
        end
        return plain
      end
      assert.same(fields(modules[2]), fields(modules[1]))
      if modules[1].parameters then assertClose(modules[2]:parameters() or {}, modules[1]:parameters() or {}) end
    end)
  end
end)

describe('Mistakes among options are told:', function()
  for code, expected in pairs {
    ['SpatialConvolution(3, 4, 3, 3, { nInputPlane = 2 })'] =
      'nn.SpatialConvolution: options: nInputPlane, which is argument 1 already',
    ['Linear(2, 3, true, { bias = false })'] = 'nn.Linear: options: bias, which is argument 3 already',
    ['SpatialConvolution(3, 4, 3, 3, { bias = 1 })'] = 'nn.SpatialConvolution: bias: 1, expected true or false',
    ['SpatialConvolution(3, 4, { kernel_size = { 3, 3, 3 } })'] =
      'nn.SpatialConvolution: kernel_size: a list of 3 numbers, expected a number or 2, one for each dimension',
    ['SpatialConvolution(3, 4, 3, 3, { 1, bias = false })'] = 'nn.SpatialConvolution: options: 1, expected one of bias, dH, dW, padH, padW',
    ['SpatialConvolution(3, { kW = 3, kH = 3 })'] = 'nn.SpatialConvolution: nOutputPlane: nil, expected a whole number, 1 or more',
    ['SpatialMaxPooling(2, 2, { stride = "a" }):forward(torch.ones(1, 4, 4))'] = "nn.SpatialMaxPooling: dH: 'a', expected a whole number",
    ['Tanh { inplace = true }'] = 'nn.Tanh: options: inplace, expected no options',
    ['LSTM(2, 3, { nonlinearity = "relu" })'] =
      'nn.LSTM: options: nonlinearity, expected one of batchFirst, bias, bidirectional, dropout, numLayers, projSize',
    ['RNN(2, 3, { nonlinearity = "gelu" })'] = "nn.RNN: nonlinearity: 'gelu', expected one of 'tanh', 'relu'",
    ['UpSampling { scale = 2 }'] = 'nn.UpSampling: options: scale, expected one of odepth, oheight, owidth',
    ['SpatialUpSamplingBilinear { oheight = 2, width = 2 }'] =
      'nn.SpatialUpSamplingBilinear: options: width, expected one of oheight, owidth',
  } do
    it(code, function()
      assert.error_matches(function() loadstring('local nn, torch = ... return nn.' .. code)(nn, torch) end, (expected:gsub('%p', '%%%0')))
    end)
  end
end)

describe('A class of a program', function()
  it('hands a table on to a parent that takes nothing, as in Torch7', function()
    local Own, parent = torch.class('nn.SpecOptionsOwn', 'nn.Module')
    function Own:__init(opt)
      parent.__init(self, opt)
      self.size = opt.size
    end
    assert.equal(3, nn.SpecOptionsOwn { size = 3 }.size)
  end)

  it('hands names on to a parent that has them', function()
    local Own, parent = torch.class('nn.SpecOptionsConvolution', 'nn.SpatialConvolution')
    function Own:__init(size, opt) parent.__init(self, 1, 2, size, size, opt) end
    assert.is_nil(nn.SpecOptionsConvolution(3, { bias = false }).bias)
    assert.is_not_nil(nn.SpecOptionsConvolution(3).bias)
  end)

  it('may stand for a module as a plain table', function()
    local plain = { forward = function() return 1 end, size = 2 }
    assert.equal(plain, nn.StochasticGradient(plain, plain).module)
  end)
end)
