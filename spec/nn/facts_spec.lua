-- Properties of Torch7's modules besides their values: printing, initialisation, errors, shared memory; as tables of facts.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local function make(text) return assert(loadstring('local nn, torch = ...; return ' .. text))(nn, torch) end

describe('Modules print as', function()
  local expected = {
    ['Linear(10, 5)'] = 'nn.Linear(10 -> 5)', ['Linear(10, 5):noBias()'] = 'nn.Linear(10 -> 5) without bias',
    ['LinearWeightNorm(3, 2)'] = 'nn.LinearWeightNorm(3 -> 2)', ['PartialLinear(3, 2)'] = 'nn.PartialLinear(3 -> 2)',
    ['Bilinear(5, 4, 3)'] = 'nn.Bilinear(5x4 -> 3) ', ['Bilinear(5, 4, 3, false)'] = 'nn.Bilinear(5x4 -> 3)  without bias',
    ['Dropout()'] = 'nn.Dropout(0.500000)', ['SpatialDropout(0.2)'] = 'nn.SpatialDropout(0.200000)',
    ['VolumetricDropout()'] = 'nn.VolumetricDropout(0.500000)', ['ELU()'] = 'nn.ELU (alpha:1.000000)',
    ['LeakyReLU()'] = 'nn.LeakyReLU(0.01)',
    ['RReLU(0.1, 0.3)'] = 'nn.RReLU (l:0.100000, u:0.300000)', ['Normalize(2)'] = 'nn.Normalize(2)', ['Reshape(2, 3)'] = 'nn.Reshape(2x3)',
    ['View(2, 3)'] = 'nn.View(2, 3)', ['SelectTable(-1)'] = 'nn.SelectTable(-1)', ['Unsqueeze(2)'] = 'nn.Unsqueeze(dim 2)',
    ['WhiteNoise()'] = 'nn.WhiteNoise mean: 0.000000, std: 0.100000', ['NaN(nn.Tanh(), 7)'] = 'nn.NaN(7) @ nn.Tanh',
    ['GPU(nn.Tanh(), 2)'] = 'nn.GPU(2) @ nn.Tanh', ['Bottle(nn.Linear(3, 2))'] = 'nn.Bottle @ nn.Linear(3 -> 2)', ['CReLU(1)'] = 'CReLU()',
    ['MapTable(nn.Tanh())'] = 'nn.MapTable {\n  nn.Tanh\n}', ['Mean(1)'] = 'nn.Mean', ['Tanh()'] = 'nn.Tanh',
    ['Concat(1):add(nn.Sequential():add(nn.Tanh())):add(nn.Sequential():add(nn.Exp()))'] = table.concat({
      'nn.Concat {', '  input', '    |`-> (1): nn.Sequential {', '    |      [input -> (1) -> output]', '    |      (1): nn.Tanh',
        '    |    }',
      '     `-> (2): nn.Sequential {', '           [input -> (1) -> output]', '           (1): nn.Exp', '         }',
        '     ... -> output', '}' },
      '\n'),
  }
  for text, printed in pairs(expected) do
    it(printed:match '^[^\n]*', function() assert.equal(printed, tostring(make('nn.' .. text))) end)
  end
end)

describe('Parameters', function()
  -- text, field, bound of a uniform distribution
  local uniform = {
    { 'Linear(25, 40)', 'weight', 1 / 5 }, { 'Linear(25, 40)', 'bias', 1 / 5 }, { 'Add(16)', 'bias', 1 / 4 },
    { 'CAdd(4, 25)', 'bias', 1 / 10 },
    { 'CMul(4, 25)', 'weight', 1 / 10 }, { 'Mul()', 'weight', 1 }, { 'Bilinear(4, 5, 9)', 'weight', 1 / 2 },
    { 'Cosine(9, 25)', 'weight', 1 / 5 }, { 'Euclidean(25, 9)', 'weight', 1 / 5 }, { 'WeightedEuclidean(25, 9)', 'weight', 1 / 5 },
    { 'SparseLinear(100, 9)', 'weight', 1 / 10 }, { 'SparseLinear(100, 90)', 'bias', 1e-7 }, { 'Kmeans(9, 10)', 'weight', 1 },
    { 'LinearWeightNorm(25, 4)', 'weight', 1 / 5 },
  }
  for _, case in ipairs(uniform) do
    it(('of %s: %s starts in uniform(-s, s), s = %g'):format(unpack(case)), function()
      torch.manualSeed(5)
      local x = make('nn.' .. case[1])[case[2]]
      local largest = x:clone():abs():max()
      assert.is_true(largest <= case[3])
      if x:nElement() > 15 then assert.is_true(largest > 0.8 * case[3]) end
    end)
  end

  it('are drawn one number an element, weight before bias', function()
    torch.manualSeed(7)
    local net = nn.Linear(2, 3)
    torch.manualSeed(7)
    local numbers = torch.DoubleTensor(9):uniform(-1 / math.sqrt(2), 1 / math.sqrt(2))
    assertClose(numbers:narrow(1, 1, 6), net.weight:view(-1), 1e-15)
    assertClose(numbers:narrow(1, 7, 3), net.bias, 1e-15)
  end)

  it('start at fixed values', function()
    assert.equal(0.25, nn.PReLU(2).weight[2])
    assert.equal(1, nn.WeightedEuclidean(3, 2).diagCov:min())
    assert.equal(0, nn.PartialLinear(3, 2).bias:norm())
    assert.equal(1, nn.LayerNormalization(3, 0.5).modules[5].weight:min())
    assert.equal(0.5, nn.LayerNormalization(3, 0.5).modules[6].bias:max())
    assert.equal(0, nn.IndexLinear(3, 2).weight:norm())
  end)

  it('have the names that programs know', function()
    local norm = nn.WeightNorm(nn.Linear(3, 2))
    local parameters, gradients = norm:parameters()
    assert.is_true(rawequal(norm.v, parameters[1]) and rawequal(norm.g, parameters[2]) and rawequal(norm.bias, parameters[3]))
    assert.is_true(rawequal(norm.gradV, gradients[1]))
    assert.is_true(rawequal(norm.weight, norm.modules[1].weight))
    parameters, gradients = nn.WeightedEuclidean(3, 2):parameters()
    assert.equal(2, #parameters)
    assert.equal(2, #gradients)
  end)
end)

describe('Refusals', function()
  local x = torch.ones(4, 3)
  local cases = {
    { 'nn.BatchNormalization()', 'Missing argument #1: dimensionality of input. ' },
    { 'nn.BatchNormalization(0)', 'To set affine=false call BatchNormalization%(nOutput,  eps, momentum, false%) ' },
    { 'nn.Threshold("a")', 'nn.Threshold%(threshold, value%)' }, { 'nn.Threshold(0, 1, true)', 'in%-place processing requires value' },
    { 'nn.HardTanh(1, 0)', 'max_value must be larger than min_value' }, { 'nn.RReLU(0.5, 0.1)', 'nn.RReLU' },
    { 'nn.Dropout(1)', '<Dropout> illegal percentage, must be 0 <= p < 1' }, { 'nn.MulConstant(torch.ones(2))', 'input is not scalar!' },
    { 'nn.AddConstant(1, 5)', 'in%-place flag must be boolean' }, { 'nn.Constant("a")', 'Expecting number or tensor at arg 1' },
    { 'nn.Normalize()', 'p%-norm not provided' }, { 'nn.Normalize(-1)', '%-1%-norm not supported' },
    { 'nn.Narrow(1)', 'nn.Narrow%(dimension, offset, length%)' },
    { 'nn.NarrowTable()', 'nn.NarrowTable%(offset, length%)' }, { 'nn.Sum(1, 1, true, 5)', 'squeeze has to be true/false' },
    { 'nn.Unsqueeze()', 'the position to insert singleton dim not specified' },
    { 'nn.MapTable(nn.Tanh()):add(nn.Tanh())', 'Single module required' },
    { 'nn.LookupTable(3, 2):forward(torch.ones(2, 2, 3))', 'input must be a vector or matrix' },
    { 'nn.Euclidean(3, 2):forward(torch.ones(2, 2, 3))', '1D or 2D input expected' },
    { 'nn.Normalize(2):forward(torch.ones(2, 2, 3))', 'only 1d layer supported' },
    { 'nn.PReLU(5):forward(torch.ones(2, 3))', 'Wrong number of input planes. Expected 5 but got 3.' },
    { 'nn.GatedLinearUnit():forward(torch.ones(2, 3))', 'Halving dimension must be even. Dim 2 is size 3' },
    { 'nn.SoftMax():forward(torch.ones(1, 1, 1, 1, 1))', '1D, 2D, 3D or 4D tensor expected' },
    { 'nn.SelectTable(3):forward { torch.ones(1) }', 'index does not exist in the input table' },
    { 'nn.FlattenTable():forward(torch.ones(1))', 'input must be a table' },
    { 'nn.Sum(3):forward(torch.ones(1, 2))', 'dimension exceeds input dimensions' },
    { 'nn.Unsqueeze(4):forward(torch.ones(2))', 'Invalid position: 4' }, { 'nn.Squeeze():forward {}', 'Squeeze only works on tensors' },
    { 'nn.Bottle(nn.View(-1)):forward(torch.ones(2, 3, 4))', 'Wrong number of output dims on module. Expected: 2' },
    { 'nn.MM():forward { torch.ones(2, 3), torch.ones(2, 3) }', 'matrix sizes do not match' },
    { 'nn.PairwiseDistance():forward { torch.ones(1, 1, 1), torch.ones(1, 1, 1) }', 'input must be vector or matrix' },
    { 'nn.MixtureTable():forward { torch.ones(2), { torch.ones(1) } }', 'Should be one gater output per expert' },
    { 'nn.SpatialDropout():forward(torch.ones(2))', 'Input must be 4D %(nbatch, nfeat, h, w%) or 3D %(nfeat, h, w%)' },
    { 'nn.VolumetricDropout():forward(torch.ones(2))', 'Input must be 5D' },
    { 'nn.BCECriterion():forward(torch.Tensor { 2 }, torch.Tensor { 1 })', 'input value should be between 0~1, but got 2.0' },
    { 'nn.BCECriterion():forward(torch.Tensor { 1 }, torch.Tensor { 1, 1 })', 'input and target size mismatch' },
    { 'nn.MultiMarginCriterion(3)', 'only p=1 and p=2 supported' },
    { 'nn.MultiMarginCriterion():forward(torch.ones(2), 3)', 'target out of range' },
    { 'nn.MultiMarginCriterion():forward(torch.ones(2, 2), torch.ones(3))', 'inconsistent target size' },
    { 'nn.MultiLabelMarginCriterion():forward(torch.ones(2), torch.Tensor { 3, 0 })', 'target out of range' },
    { 'nn.DistKLDivCriterion():forward(torch.ones(2), torch.ones(3))', 'input and target should have the same size' },
    { 'nn.ClassSimplexCriterion(1)', 'Required positive integer argument nClasses > 1' },
    { 'nn.SpatialClassNLLCriterion():forward(torch.ones(1, 1, 1, 1), torch.ones(1, 1))', 'only batches of spatial targets supported' },
    { 'nn.MSECriterion():type()', 'Criterion: must provide a type to convert to' },
    { 'nn.SparseLinear(5, 2):forward(torch.Tensor { { 6, 1 } })', 'index out of bound. updateOutput: 6 not between 1 and 5' },
    { 'nn.utils.recursiveFill("a", 1)', 'expecting tensor or table thereof. Got string instead' },
    { 'nn.utils.recursiveCopy(1, "a")', 'expecting nested tensors or tables. Got number and string instead' },
  }
  it('point at the line of the program, also where constructors and functions of ours call each other', function()
    for _, code in ipairs { 'ReLU(5)', 'CReLU(1, 5)', 'ELU(1, 5)', 'Narrow(1)', 'SpatialConvolution(1, 1, 0, 3)', 'UpSampling(1.5)',
      'SpatialUpSamplingNearest(0.5)', 'SpatialSubtractiveNormalization(1, torch.ones(2, 2))',
      'SpatialFullConvolutionMap(torch.ones(2), 1)', 'SpatialContrastiveNormalization(1, torch.ones(2, 2))',
      'BatchNormalization()', 'SpatialBatchNormalization()', 'RReLU(0.5, 0.1)', 'HardTanh(1, 0)', 'Normalize()',
      'utils.recursiveFill({ { "a" } }, 1)', 'utils.recursiveAdd({ { 1 } }, { { torch.ones(1) } })' } do
      local _, message = pcall(loadstring('local nn, torch = ...\nlocal module = nn.' .. code, '=program'), nn, torch)
      assert.match('^program:2: ', message, nil, code)
    end
  end)
  for _, case in ipairs(cases) do
    it(case[1], function() assert.error_matches(function() return loadstring('local nn, torch = ...; return ' .. case[1])(nn,
      torch) end, case[2]) end)
  end

  describe('of what is no tensor', function()
    local declared = require 'spec.nn.declared'
    local others = { numbers = { 1, 2 }, tensors = { x, x }, string = 'abc', empty = {} }

    local function made(text)
      return loadstring('local nn, torch = ...; return ' .. (text:find '^nn' and '' or 'nn.') .. text)(nn, torch)
    end

    -- Sizes, or a list of them where tables are taken.
    local function takesTensor(case) return type(case[2][1]) == 'number' end

    local function refuses(case, run)
      for kind, other in pairs(others) do
        local module = made(case[1])
        local done, message = pcall(run, module, other)
        local says = done or message:find 'In %d+ module of' or message:find 'only works on tensors' or message:find 'batches of spatial'
        if not says then
          for _, accident in ipairs { 'attempt to', 'bad argument', 'arguments: ' } do
            assert.no_match(accident, message, nil, case[1] .. ' ' .. kind)
          end
          assert.match('nput', message, nil, case[1] .. ' ' .. kind)
        end
      end
    end

    it('names module, argument and what came, on the tape and off it', function()
      for _, case in ipairs(declared.modules) do
        if takesTensor(case) then
          refuses(case, function(module, other) return module:forward(other) end)
          refuses(case, function(module, other) return torch.noGrad(function() return module(other) end) end)
        end
      end
      for _, case in ipairs(declared.criteria) do
        if takesTensor(case) then refuses(case, function(criterion, other) return criterion:forward(other, x) end) end
      end
    end)

    it('says what was expected', function()
      local function says(message, run) assert.error_matches(run, message) end
      says('nn.Linear: input: a table of numbers, expected a tensor: torch.Tensor%(table%) makes one',
        function() nn.Linear(2, 1):forward { 1, 2 } end)
      says('nn.Linear: input: nil, expected a tensor', function() nn.Linear(2, 1):forward() end)
      says('nn.Tanh: input: a table of tensors, expected a tensor', function() nn.Tanh():requiresGrad()({ x, x }) end)
      says('nn.CAddTable: input: a torch.DoubleTensor, expected a table of tensors', function() nn.CAddTable():forward(x) end)
      says('nn.GRU: input: a string, expected a tensor or a table of tensors', function() nn.GRU(2, 3):forward 'ab' end)
      says('nn.MSECriterion: input: a number, expected a tensor', function() nn.MSECriterion():forward(2, x) end)
    end)

    it('leaves a module of a program to say what went wrong in it', function()
      local Own = torch.class('nn.SpecOwnInput', 'nn.Module')
      function Own:compute(input) return self.table[input[1]] end
      assert.error_matches(function() nn.SpecOwnInput():forward { 1, 2 } end, "attempt to index field 'table'")
      local done, message = pcall(nn.Linear(3, 2).forward, nn.Linear(3, 2), torch.ones(2, 4))
      assert.is_false(done)
      assert.no_match(', expected a tensor', message)
    end)
  end)

  it('of dropout to go back after evaluation', function()
    for _, text in ipairs { 'SpatialDropout', 'WhiteNoise' } do
      local net, planes = nn[text](), torch.ones(1, 2, 2, 2)
      net:evaluate()
      net:forward(planes)
      assert.error_matches(function() net:backward(planes, planes) end, 'backprop only defined while training')
    end
  end)

  it('of tables of unlike sizes', function()
    local net = nn.ConcatTable():add(nn.Identity()):add(nn.NarrowTable(1, 1))
    net:forward { x, x }
    assert.error_matches(function() net:backward({ x, x }, { { x }, { x } }) end, 'table size mismatch')
  end)
end)

describe('At the kink', function()
  local function slope(text, x)
    local net = make('nn.' .. text)
    net:forward(torch.Tensor { x })
    return net:backward(torch.Tensor { x }, torch.ones(1))[1]
  end
  for text, expected in pairs {
    ['Abs()'] = { 0, 1 }, ['Sqrt()'] = { 0, 0 }, ['HardTanh()'] = { 1, 0 }, ['ReLU6()'] = { 6, 0 }, ['ReLU()'] = { 0, 0 },
    ['HardShrink()'] = { 0.5, 0 }, ['SoftShrink()'] = { 0.5, 0 }, ['LeakyReLU(0.2)'] = { 0, 0.2 }, ['ELU(0.5)'] = { 0, 0.5 },
    ['Threshold(1, 2)'] = { 1, 0 }, ['SoftPlus()'] = { 25, 1 }, ['LogSigmoid()'] = { -800, 1 }, ['ELU(2)'] = { 1000, 1 },
  } do
    it(('the gradient of %s at %g is %g'):format(text, expected[1], expected[2]), function()
      assert.equal(expected[2], slope(text, expected[1]))
    end)
  end

  it('criteria take sides as in Torch7', function()
    local function gradient(criterion, x, y)
      x, y = torch.Tensor { x }, type(y) == 'number' and torch.Tensor { y } or y
      criterion:forward(x, y)
      return criterion:backward(x, y)[1]
    end
    assert.equal(1, gradient(nn.AbsCriterion(), 2, 2))
    assert.equal(-1, gradient(nn.HingeEmbeddingCriterion(), 1, -1))
    assert.equal(0, gradient(nn.L1Cost(), 0, 1))
    assert.equal(0, gradient(nn.BCECriterion(), 0, 0))
    local ranking, pair = nn.MarginRankingCriterion(1), { torch.Tensor { 1 }, torch.Tensor { 0 } }
    ranking:forward(pair, 1)
    assertClose({ -1 }, ranking:backward(pair, 1)[1])
  end)

  it('NaN and infinities go where they belong', function()
    local y = nn.Threshold(0, 7):forward(torch.Tensor { 0 / 0, -math.huge, math.huge })
    assertClose({ 7, 7 }, y:narrow(1, 1, 2))
    assert.equal(math.huge, y[3])
    assert.equal(-1, nn.ELU():forward(torch.Tensor { -math.huge })[1])
  end)
end)

describe('Random modules', function()
  local x = torch.ones(50, 40)

  it('of dropout drop whole planes, unscaled', function()
    local net, planes = nn.SpatialDropout(0.25), torch.ones(100, 30, 2, 2)
    local y = net:forward(planes)
    local sums = y:sum(4):sum(3):view(-1)
    assert.equal(3000, torch.eq(sums, 0):sum() + torch.eq(sums, 4):sum())
    assert.is_true(math.abs(torch.eq(sums, 0):sum() - 750) < 120)         -- five standard deviations
    assertClose(y, net:backward(planes, planes))
    net:evaluate()
    assert.equal(0.75, net:forward(planes):max())
  end)

  it('of RReLU draw a slope for each element that is not positive', function()
    torch.manualSeed(3)
    local net = nn.RReLU(0.1, 0.3)
    local y = net:forward(torch.Tensor { -1, 2, -1 })
    torch.manualSeed(3)
    local slopes = torch.Tensor(2):uniform(0.1, 0.3)
    assertClose({ -slopes[1], 2, -slopes[2] }, y, 1e-15)
    assertClose({ slopes[1], 1, slopes[2] }, net:backward(torch.Tensor { -1, 2, -1 }, torch.ones(3)), 1e-15)
    net:evaluate()
    assert.near(-0.2, net:forward(torch.Tensor { -1 })[1], 1e-15)
  end)

  it('go back by the numbers of the last forward, whatever tensor is given', function()
    local net = nn.Dropout(0.5)
    local y = net:forward(x):clone()
    assertClose(y, net:backward(x:clone(), x))
  end)

  it('of noise add it while training, its mean afterwards', function()
    local net = nn.WhiteNoise(2, 0.5)
    local y = net:forward(x)
    assert.near(3, y:mean(), 0.06)
    assertClose(net.noise, torch.csub(y, x), 1e-15)
    net:evaluate()
    assert.equal(3, net:forward(x):min())
  end)
end)

describe('In place', function()
  it('modules write over their input', function()
    for _, text in ipairs { 'ReLU(true)', 'ReLU6(true)', 'Threshold(0.5, 0.1, true)', 'HardTanh(-1, 1, true)', 'LeakyReLU(0.1, true)',
      'ELU(1, true)',
                            'RReLU(0.1, 0.1, true)', 'Dropout(0.5, false, true)', 'CAddTable(true)' } do
      local net = make('nn.' .. text)
      local plain = make('nn.' .. text:gsub(', true%)', ')'):gsub('%(true%)', '()'))
      local x = layers.input(4, 3)
      local kept, given = x:clone(), text:find 'Table' and { x, x:clone() } or x
      torch.manualSeed(2)
      local y = net:forward(given)
      torch.manualSeed(2)
      assertClose(plain:forward(text:find 'Table' and { kept, kept } or kept), y, 1e-15, text)
      assertClose(y, x, 0, text)
    end
  end)

  it('constants are taken back in backward', function()
    local x = layers.input(4, 3)
    for _, net in ipairs { nn.AddConstant(3, true), nn.MulConstant(4, true) } do
      local given, g = x:clone(), torch.ones(4, 3)
      net:forward(given)
      local gradInput = net:backward(given, g)
      assertClose(x, given, 1e-15)
      assertClose(torch.ones(4, 3):mul(torch.type(net) == 'nn.MulConstant' and 4 or 1), gradInput)
    end
  end)
end)

describe('Copies and views', function()
  local x = layers.input(4, 3)

  it('are as in Torch7', function()
    local function shares(text)
      return require('libmoontorch').sharesStorage(make('nn.' .. text):forward(x), x)
    end
    for _, text in ipairs { 'Identity()', 'View(12)', 'Replicate(2)', 'Unsqueeze(1)', 'Contiguous()' } do assert.is_true(shares(text),
      text) end
    for _, text in ipairs { 'Narrow(1, 1, 2)', 'Select(1, 1)', 'Transpose({ 1, 2 })', 'Dropout(0)', 'AddConstant(0)' } do
      assert.is_false(shares(text), text)
    end
  end)

  it('of gradients are dense and apart from each other', function()
    local sum, g = nn.Sum(1), torch.ones(3)
    sum:forward(x)
    assert.is_true(sum:backward(x, g):isContiguous())
    local add, both = nn.CAddTable(), { x, x }
    add:forward(both)
    local given = torch.ones(4, 3)
    local gradInput = add:backward(both, given)
    gradInput[1]:mul(5)
    assertClose(torch.ones(4, 3), gradInput[2])
    assertClose(torch.ones(4, 3), given)
  end)
end)

describe('A batch without samples', function()
  for text, sizes in pairs {
    ['Collapse(2)'] = { 0, 3, 2 }, ['View(-1):setNumInputDims(2)'] = { 0, 2, 3 }, ['View(3, -1):setNumInputDims(2)'] = { 0, 2, 3 },
    ['GroupNorm(2, 4)'] = { 0, 4, 5 }, ['LayerNorm({ 2, 3 })'] = { 0, 2, 3 }, ['Linear(3, 2)'] = { 0, 3 },
    ['SpatialConvolution(2, 3, 3, 3)'] = { 0, 2, 5, 5 }, ['SpatialBatchNormalization(2)'] = { 0, 2, 5, 5 },
    ['SpatialMaxPooling(2, 2)'] = { 0, 2, 5, 5 }, ['LogSoftMax()'] = { 0, 3 },
  } do
    it('goes through ' .. text, function()
      local net = assert(loadstring('local nn = ...; return nn.' .. text))(nn):double()
      local full = torch.LongStorage(sizes)
      full[1] = 2
      local wanted = net:forward(layers.input(unpack(full:totable()))):size():totable()
      wanted[1] = 0
      local x = torch.DoubleTensor(torch.LongStorage(sizes))
      net:zeroGradParameters()
      local output = net:forward(x)
      assert.same(wanted, output:size():totable())
      assert.same(sizes, net:backward(x, output):size():totable())
      local _, gradients = net:parameters()
      for _, gradient in ipairs(gradients or {}) do assertClose(gradient:clone():zero(), gradient) end
    end)
  end

  it('goes through nn.LookupTable and nn.BCECriterion', function()
    local net = nn.LookupTable(3, 2)
    net:backward(torch.LongTensor(0, 2), net:forward(torch.LongTensor(0, 2)))
    assertClose(torch.zeros(3, 2), net.gradWeight)
    local none = torch.DoubleTensor(0, 3)
    local criterion = nn.BCECriterion(nil, false)
    assert.equal(0, criterion:forward(none, none))
    assert.same({ 0, 3 }, criterion:backward(none, none):size():totable())
  end)
end)

describe('nn.LookupTable', function()
  local function table53(...) return nn.LookupTable(5, 3, ...) end

  it('takes positions of any type, and gives zeros of that type back', function()
    for _, kind in ipairs { 'torch.LongTensor', 'torch.DoubleTensor', 'torch.ByteTensor' } do
      local net, positions = table53(), torch.Tensor { { 1, 5 }, { 2, 1 } }:type(kind)
      local y = net:forward(positions)
      assertClose(net.weight[5], y[1][2])
      net:zeroGradParameters()
      local gradInput = net:backward(positions, torch.ones(2, 2, 3))
      assert.equal(kind, gradInput:type())
      assert.equal(0, gradInput:double():norm())
      assertClose({ 2, 1, 0, 0, 1 }, net.gradWeight:select(2, 1))
    end
  end)

  it('leaves padding without gradient, scales by frequency, and shortens long rows', function()
    local net, positions = table53(2), torch.LongTensor { 1, 2, 1, 3 }
    net:scaleGradByFreq()
    net:zeroGradParameters()
    net:forward(positions)
    net:backward(positions, torch.ones(4, 3), 2)
    assertClose({ 2, 0, 2, 0, 0 }, net.gradWeight:select(2, 1))
    net:requiresGrad()
    torch.sum(net(positions)):backward()
    assertClose({ 1, 0, 1, 0, 0 }, net.weight.grad:select(2, 1))
    local short = table53(0, 0.1)
    short.weight:fill(1)
    short:forward(positions)
    assert.near(0.1, short.weight[1]:norm(), 1e-6)
    assert.equal(1, short.weight[4][1])
  end)

  it('steps at once without a gradient', function()
    local net, positions = table53():accUpdateOnly(), torch.LongTensor { 4 }
    net.weight:fill(1)
    net:forward(positions)
    net:accUpdateGradParameters(positions, torch.ones(1, 3), 0.25)
    assert.is_nil(net.gradWeight)
    assertClose({ 1, 1, 1, 0.75, 1 }, net.weight:select(2, 1))
    assert.error(function() net:forward(torch.LongTensor { 6 }) end)
  end)
end)

describe('Sparse modules', function()
  local a, b = torch.Tensor { { 1, 0.5 }, { 3, 2 } }, torch.Tensor { { 2, 1 }, { 5, -1 }, { 2, 0.25 } }
  local dense = torch.Tensor { { 0.5, 0, 2, 0, 0 }, { 0, 1.25, 0, 0, -1 } }

  it('of lists of positions and values work as on dense ones', function()
    local net = nn.SparseLinear(5, 2, true)
    assertClose(torch.mm(dense, net.weight:t()):add(net.bias:view(1, 2):expand(2, 2)), net:forward { a, b }, 1e-15)
    assertClose(net:forward({ a, b })[1], net:forward(a), 1e-15)
    net:zeroGradParameters()
    local g = torch.Tensor { { 1, 2 }, { 3, 4 } }
    net:forward { a, b }
    local gradInput = net:backward({ a, b }, g)
    assertClose(torch.mm(g:t(), dense), net.gradWeight, 1e-15)
    assertClose({ 4, 6 }, net.gradBias)
    assertClose(torch.mm(g, net.weight)[2], gradInput[2]:select(2, 2), 1e-15)
    local before = net.weight:clone()
    net:updateParameters(0.5)
    assertClose(torch.csub(before, torch.mul(net.gradWeight, 0.5)), net.weight, 1e-15)
    net:zeroGradParameters()
    assert.equal(0, net.gradWeight:norm())
  end)

  it('of positions and values apart, too', function()
    local net = nn.IndexLinear(5, 2, true)
    net:reset()
    local keys = { torch.LongTensor { 1, 3 }, torch.LongTensor { 2, 5, 2 } }
    local values = { a:select(2, 2):clone(), b:select(2, 2):clone() }
    local expected = torch.mm(dense, net.weight):add(net.bias:view(1, 2):expand(2, 2))
    assertClose(expected, net:forward { keys, values }, 1e-15)
    assertClose(expected[1], net:forward { keys[1], values[1] }, 1e-15)
    local flat = { torch.cat(keys, 1), torch.cat(values, 1), torch.LongTensor { 2, 3 } }
    assertClose(expected, net:forward(flat), 1e-15)
    net:zeroGradParameters()
    local g, before = torch.Tensor { { 1, 2 }, { 3, 4 } }, net.weight:clone()
    local gradInput = net:backward(flat, g)
    assertClose(torch.mm(g, before:t()), gradInput[2], 1e-15)
    net:updateParameters(0.5)
    assertClose(before:add(-0.5, torch.mm(dense:t(), g)), net.weight, 1e-15)
  end)

  it('pass nn.SparseJacobian', function()
    local net, test = nn.SparseLinear(5, 2, true), nn.SparseJacobian
    local function input() return torch.Tensor { { 1, 1 }, { 4, 1 }, { 2, 1 } } end
    assert.is_true(test.testJacobian(net, input()) < 1e-7)
    assert.is_true(test.testJacobianParameters(net, input(), net.weight, net.gradWeight) < 1e-7)
    assert.is_true(test.testJacobianUpdateParameters(net, input(), net.bias) < 1e-7)
    assert.equal(0, (test.testIO(net, input())))
    for _, distance in pairs(test.testAllUpdate(net, input(), 'weight', 'gradWeight')) do assert.is_true(distance < 1e-12) end
  end)
end)

describe('nn.Jacobian', function()
  local test = nn.Jacobian

  it('agrees with right modules', function()
    local net, x = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()), torch.Tensor(2, 3)
    assert.is_true(test.testJacobian(net, x) < 1e-7)
    local linear = net:get(1)
    assert.is_true(test.testJacobianParameters(net, x, linear.weight, linear.gradWeight) < 1e-7)
    assert.is_true(test.testJacobianUpdateParameters(net, x, linear.bias) < 1e-7)
    for _, distance in pairs(test.testAllUpdate(linear, x, 'weight', 'gradWeight')) do assert.is_true(distance < 1e-12) end
    local forwardError, backwardError = test.testIO(net, x)
    assert.equal(0, forwardError)
    assert.equal(0, backwardError)
  end)

  it('finds wrong ones', function()
    local net = nn.Tanh()
    function net:updateGradInput(_, gradOutput)
      self.gradInput = gradOutput:clone()
      return self.gradInput
    end
    assert.is_true(test.testJacobian(net, torch.Tensor(2, 3)) > 0.1)
  end)
end)

describe('Other helpers', function()
  it('make connection tables', function()
    assertClose({ { 1, 1 }, { 2, 1 }, { 1, 2 }, { 2, 2 } }, nn.tables.full(2, 2))
    assertClose({ { 1, 1 }, { 2, 2 } }, nn.tables.oneToOne(2))
    local random = nn.tables.random(4, 3, 2)
    assertClose({ 1, 1, 2, 2, 3, 3 }, random:select(2, 2))
    for o = 0, 2 do assert.not_equal(random[2 * o + 1][1], random[2 * o + 2][1]) end
  end)

  it('train by nn.StochasticGradient', function()
    local net, data = nn.Linear(2, 1, false), { { torch.Tensor { 1, 0 }, torch.Tensor { 3 } },
      { torch.Tensor { 0, 1 }, torch.Tensor { -2 } } }
    function data.size() return 2 end
    local trainer, errors = nn.StochasticGradient(net, nn.MSECriterion()), {}
    trainer.learningRate, trainer.maxIteration, trainer.verbose = 0.2, 40, false
    trainer.hookIteration = function(_, iteration, loss) errors[iteration] = loss end
    trainer:train(data)
    assertClose({ { 3, -2 } }, net.weight, 1e-6)
    assert.equal(40, #errors)
    assert.is_true(errors[40] < 1e-9)
  end)

  it('find centres by nn.Kmeans', function()
    local x = torch.Tensor { { 0, 0 }, { 0, 1 }, { 9, 9 }, { 9, 8 } }
    local net = nn.Kmeans(2, 2)
    net:initKmeansPlus(x)
    for _ = 1, 20 do
      net:zeroGradParameters()
      net:forward(x)
      net:backward(x)
      net:updateParameters(0.5)
    end
    local y = net:forward(x)
    assert.equal(y[1], y[2])
    assert.not_equal(y[1], y[3])
    assert.near(1, net.loss, 1e-4)
    local first = net.weight[y[1]]
    assertClose({ 0, 0.5 }, first, 1e-3)
  end)

  it('square derivatives by nn.hessian', function()
    -- It changes classes permanently: in a separate process.
    local program = require 'spec.support.program'
    local script = program.script [[
      require 'nn'
      nn.hessian.enable()
      local net, x, test = nn.Linear(3, 2), torch.Tensor(3), nn.Jacobian
      assert(test.testDiagHessianInput(net, x) < 1e-12 and test.testDiagHessianWeight(net, x) < 1e-12
        and test.testDiagHessianBias(net, x) < 1e-12)
      local row = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh())
      row:initDiagHessianParameters()
      local _, _, diagonal = row:getParameters()
      row:forward(x)
      local criterion = nn.MSECriterion()
      criterion:forward(row.output, row.output)
      row:backwardDiagHessian(x, criterion:updateDiagHessianInput(row.output, row.output))
      local slope = 1 - row.output[1] ^ 2
      assert(math.abs(row:get(1).diagHessianBias[1] - slope ^ 2) < 1e-12 and diagonal:nElement() == 8)
      io.write 'right'
    ]]
    local output, _, errors = program.run { script }
    assert.equal('', errors)
    assert.equal('right', output)
  end)
end)

describe('nn.test and nn.testTHNN', function()
  it('run checks by name', function()
    local program = require 'spec.support.program'
    local output, status = program.run { program.script "require 'nn'; nn.test { 'Linear', 'Tanh' }; nn.testTHNN { 'Sigmoid' }" }
    assert.equal(0, status)
    assert.equal(2, select(2, output:gsub('0 failures and 0 errors', '')))
  end)
end)
