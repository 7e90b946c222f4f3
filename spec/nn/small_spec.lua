-- Modules that figures.py can't describe: constants, selections by index, other gradients than their functions have, types, timing, checks.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local x = layers.input(4, 3)

-- Output and gradInput, in Torch7's protocol.
local function run(module, input, gradOutput)
  local output = module:forward(input)
  return output, module:backward(input, gradOutput)
end

describe('Modules with gradients of their own', function()
  local g = layers.input(3, 4):view(4, 3)

  it('reverse it', function()
    local net = nn.GradientReversal(0.5)
    local y, gradInput = run(net, x, g)
    assertClose(x, y)
    assertClose(torch.mul(g, -0.5), gradInput)
    net:setLambda(2)
    assertClose(torch.mul(g, -2), net:backward(x, g))
    net.gradInput = nil
    assert.is_nil(net:backward(x, g))
    local leaf = x:clone():requiresGrad()
    net(leaf):backward(g)
    assertClose(torch.mul(g, -2), leaf.grad)
  end)

  it('are that of a criterion by the first of its two arguments', function()
    local net, target = nn.CriterionTable(nn.MSECriterion()), layers.input(4, 3):mul(2)
    local loss, gradInput = run(net, { x, target }, 1)
    local difference = torch.csub(x, target)
    assert.is_true(math.abs(loss - torch.mean(torch.cmul(difference, difference))) < 1e-12)
    assert.equal(1, #gradInput)
    assertClose(torch.mul(difference, 2 / 12), gradInput[1])
  end)

  it('forget it', function()
    local y, gradInput = run(nn.ZeroGrad(), x, g)
    assertClose(x, y)
    assertClose(torch.mul(x, 0), gradInput)
  end)

  it('add that of a penalty', function()
    local net = nn.L1Penalty(0.1, true)
    local y, gradInput = run(net, x, g)
    assertClose(x, y)
    assert.near(0.1 * x:norm(1) / 12, net.loss, 1e-15)
    assertClose(torch.add(g, 0.1 / 12, torch.sign(x)), gradInput, 1e-15)
    assertClose(torch.mul(torch.sign(x), 3), select(2, run(nn.L1Penalty(3, false, false), x, g)), 1e-15)
  end)

  it('have none', function()
    local y, gradInput = run(nn.Constant(torch.Tensor { 5, 6 }, 1), x, torch.ones(4, 2))
    assertClose({ { 5, 6 }, { 5, 6 }, { 5, 6 }, { 5, 6 } }, y)
    assertClose(torch.mul(x, 0), gradInput)
    assertClose({ 7 }, nn.Constant(7):forward(x))
    y, gradInput = run(nn.OneHot(3), torch.LongTensor { { 1, 3 } }, torch.ones(1, 2, 3))
    assertClose({ { { 1, 0, 0 }, { 0, 0, 1 } } }, y)
    assert.equal(0, gradInput:sum())
    y, gradInput = run(nn.OneHot(3), 2, torch.ones(3))
    assertClose({ 0, 1, 0 }, y)
    assert.equal(0, gradInput)
    assert.equal('torch.FloatTensor', nn.OneHot(3):float():forward(torch.LongTensor { 1 }):type())
  end)
end)

describe('nn.PrintSize', function()
  it('gives what it gets, and prints the sizes of both', function()
    local screen, printed, net = print, {}, nn.PrintSize 'here'
    rawset(_G, 'print', function(title, sizes) table.insert(printed, title .. table.concat(sizes:totable(), ' ')) end)
    local good, y, gradInput = pcall(run, net, x, torch.mul(x, 2))
    rawset(_G, 'print', screen)
    assert.is_true(good)
    assertClose(x, y)
    assertClose(torch.mul(x, 2), gradInput)
    assert.same({ 'here:input\n4 3', 'here:gradOutput\n4 3' }, printed)
  end)
end)

describe('Selections', function()
  it('by index give zeros for the index', function()
    local index = torch.LongTensor { 3, 1, 3 }
    local y, gradInput = run(nn.Index(1), { x, index }, torch.ones(3, 3))
    assertClose(x[3], y[1])
    assertClose({ 1, 0, 2, 0 }, gradInput[1]:select(2, 1))
    assert.equal('torch.LongTensor', gradInput[2]:type())
    assert.equal(0, gradInput[2]:sum())
  end)

  it('by mask', function()
    local mask = torch.gt(x, 0)
    local y, gradInput = run(nn.MaskedSelect(), { x, mask }, torch.ones(mask:sum()))
    assertClose(x[mask], y)
    assertClose(mask:double(), gradInput[1])
    assert.equal('torch.ByteTensor', gradInput[2]:type())
  end)

  it('of tables by name', function()
    local net, input = nn.SelectTable 'b', { a = x, b = torch.ones(2), torch.ones(1) }
    local y, gradInput = run(net, input, torch.Tensor { 5, 6 })
    assertClose({ 1, 1 }, y)
    assertClose({ 5, 6 }, gradInput.b)
    assertClose(torch.mul(x, 0), gradInput.a)
    assertClose({ 0 }, gradInput[1])
    assert.is_true(rawequal(input.b, y))
    net:forward { b = x }
    assertClose({ 1, 1 }, y)
    net:clearState()
    assertClose(input.b, net:forward(input))
    assert.equal(2, input.b:nElement())
  end)

  it('record the sizes that they saw', function()
    assert.same({ 8, 3 }, (function()
      local net = nn.JoinTable(1)
      net:forward { x, x }
      return net.size:totable()
    end)())
  end)
end)

describe('Types', function()
  it('are converted by nn.Copy and nn.Convert', function()
    local net = nn.Copy('torch.DoubleTensor', 'torch.FloatTensor')
    local y, gradInput = run(net, x, torch.ones(4, 3):float())
    assert.equal('torch.FloatTensor', y:type())
    assert.equal('torch.DoubleTensor', gradInput:type())
    assert.equal('torch.FloatTensor', nn.Convert():float():forward(torch.IntTensor { 1, 2 }):type())
    local sizes = nn.Convert('bhwc', 'bchw'):forward(torch.Tensor(2, 3, 4, 5)):size():totable()
    assert.same({ 2, 5, 3, 4 }, sizes)
    assert.same({ 5, 3, 4 }, nn.Convert('hwc', 'chw'):forward(torch.Tensor(3, 4, 5)):size():totable())
    assert.same({ 2, 60 }, nn.Convert('bchw', 'bf'):forward(torch.Tensor(2, 3, 4, 5)):size():totable())
    assert.same({ 2 }, nn.Convert('bf', 'b'):forward(torch.Tensor(2, 1)):size():totable())
    local _, byPicture = run(nn.Convert('bchw', 'bhwc'), torch.Tensor(2, 3, 4, 5), torch.Tensor(2, 4, 5, 3))
    assert.same({ 2, 3, 4, 5 }, byPicture:size():totable())
    assert.error_matches(function() nn.Convert('b*', 'bf') end, 'Both or neither')
  end)

  it('stay in nn.DontCast', function()
    local inner = nn.Linear(3, 2):double()
    local net = nn.Sequential():add(nn.DontCast(inner, true)):add(nn.Tanh()):float()
    assert.equal('torch.DoubleTensor', inner.weight:type())
    local y, gradInput = run(net, x:float(), torch.FloatTensor(4, 2):fill(1))
    assert.equal('torch.FloatTensor', y:type())
    assert.equal('torch.FloatTensor', gradInput:type())
    local bare = nn.DontCast(nn.Linear(3, 2):double()):float()
    assert.equal('torch.DoubleTensor', bare:forward(x):type())
  end)

  it('are kept together by one cache', function()
    local a, b, cache = nn.Linear(2, 2), nn.Linear(2, 2), {}
    b:share(a, 'weight')
    a:type('torch.FloatTensor', cache)
    b:type('torch.FloatTensor', cache)
    a.weight:fill(3)
    assert.equal(12, b.weight:sum())
    assert.error_matches(function() nn.Linear(1, 1):type 'torch.NoTensor' end, 'torch.NoTensor')
  end)
end)

describe('Wrappers', function()
  it('measure', function()
    local printed = {}
    local net, kept = nn.Profile(nn.Linear(3, 2), 2, 'mine'), print
    rawset(_G, 'print', function(text) printed[#printed + 1] = text end)
    local done, message = pcall(function()
      net:forward(x)
      net:forward(x)
    end)
    rawset(_G, 'print', kept)
    assert(done, message)
    assert.equal(1, #printed)
    assert.matches('^mine took', printed[1])
    assert.equal(2, net.numFwds)
    local copy = net:clone()
    assertClose(net:forward(x), copy:forward(x))
    assert.equal(3, copy.numFwds)
  end)

  it('find NaNs', function()
    local net = nn.NaN(nn.Linear(3, 2), 'here')
    net:forward(x)
    local bad = x:clone()
    bad[1][1] = 0 / 0
    assert.error_matches(function() net:forward(bad) end, '^NaN found in input of module :\nnn.NaN%(here%) @ nn.Linear')
    net:forward(x)
    assert.error_matches(function() net:backward(x, torch.Tensor(4, 2):fill(0 / 0)) end, 'NaN found in gradOutput of module')
    net.modules[1].weight:fill(0 / 0)
    assert.error_matches(function() net:forward(x) end, 'NaN found in parameters of module')
    assert.not_equal(nn.NaN(nn.Tanh()).id, nn.NaN(nn.Tanh()).id)
  end)

  it('share the methods of one child', function()
    local class, parent = torch.class('nn.SpecWrapped', 'nn.Container')
    nn.Decorator.decorate(class)
    assert.is_nil(parent.compute)
    local net = nn.SpecWrapped()
    net:add(nn.Linear(3, 2))
    net:double()
    layers.checkGradients(net, x:clone())
    assert.equal('nn.SpecWrapped @ nn.Linear(3 -> 2)', tostring(net))
  end)

  it('map tables by clones that come and go', function()
    local net = nn.MapTable(nn.Linear(3, 2))
    net:forward { x, x, x }
    assert.equal(3, #net.modules)
    net:forward { x }
    assert.equal(1, #net.modules)
    net:resize(2)
    net.module.weight:fill(2)
    assert.equal(2, net.modules[2].weight[1][1])
    net:zeroGradParameters()
    net.module.gradWeight:fill(1)
    net:updateParameters(0.5)
    assert.equal(1.5, net.module.weight[1][1])
    net:clearState()
    assert.equal(1, #net.modules)
    assert.same({}, net:forward {})
    assert.same({}, net:backward({}, {}))
    assert.equal(1, #net.modules)
    net = nn.MapTable(nn.Linear(3, 2), false)
    net:resize(2)
    net.module.weight:fill(2)
    assert.not_equal(2, net.modules[2].weight[1][1])
  end)

  it('normalise weights, but not in evaluation', function()
    local net = nn.WeightNorm(nn.Linear(3, 2)):double()
    net:forward(x)
    local weight = net.weight:clone()
    assertClose(torch.cdiv(torch.cmul(net.v, net.g:expandAs(net.v)), torch.cmul(net.v, net.v):sum(2):add(1e-4):sqrt():expandAs(net.v)),
      weight, 1e-15)
    net:evaluate()
    net.v:fill(1)
    net:forward(x)
    assertClose(weight, net.weight)
    net:training()
    net:forward(x)
    assert.is_true(torch.csub(weight, net.weight):norm() > 1e-3)
    assert.is_true(rawequal(net.output, net:get(1).output))
    net = nn.WeightNorm(nn.Linear(3, 2)):double()      -- also before the first pass
    net:evaluate()
    assertClose(net:clone():forward(x):clone(), net:forward(x), 1e-15)
    local linear = nn.Linear(3, 2):double()
    local norm = nn.LinearWeightNorm.fromLinear(linear):double()
    assertClose(linear:forward(x), norm:forward(x), 1e-14)
    assertClose(linear:forward(x), norm:toLinear():forward(x), 1e-14)
  end)
end)

describe('nn.WeightNorm', function()
  local function gradientsOf(net)
    net:forward(x)
    local gradInput = net:backward(x, torch.ones(x:size(1), 2):double())
    assert.is_true(rawequal(gradInput, net:get(1).gradInput))
    local _, gradients = net:parameters()
    return gradients
  end

  it('shares with a clone what is named, its own and the child\'s', function()
    local net = nn.WeightNorm(nn.Linear(3, 2)):double()
    net:zeroGradParameters()
    local copy = net:clone('v', 'g', 'bias', 'gradV', 'gradG', 'gradBias')
    local once = {}
    for i, gradient in ipairs(gradientsOf(net)) do once[i] = gradient:clone() end
    for i, gradient in ipairs(gradientsOf(copy)) do assertClose(torch.mul(once[i], 2), gradient, 1e-14) end
    local usual = net:clone('weight', 'bias', 'gradWeight', 'gradBias')
    usual:zeroGradParameters()
    for i, gradient in ipairs(gradientsOf(usual)) do assertClose(once[i], gradient, 1e-14) end
    copy:updateParameters(1)
    for i, parameter in ipairs((net:parameters())) do assertClose(parameter, copy:parameters()[i]) end

    local output, weight, child = net:forward(x):clone(), net.weight, net:get(1)
    net.weight, child.weight = nil, nil                              -- like programs that copy fields that are not shared
    local rest = net:clone()
    net.weight, child.weight = weight, weight
    assertClose(output, rest:forward(x), 1e-14)
  end)
end)

describe('A weight made of directions and lengths', function()
  local usualNames = { 'weight', 'bias', 'gradWeight', 'gradBias' }

  for _, make in ipairs {
    function() return nn.WeightNorm(nn.Linear(3, 2)) end,
    function() return nn.Sequential():add(nn.WeightNorm(nn.SpatialConvolution(1, 2, 3, 1), 2)):add(nn.Tanh()) end,
    function() return nn.LinearWeightNorm(3, 2) end,
  } do
    it('is shared by its name: ' .. torch.type(make()), function()
      local net = make():double()
      local input = torch.isTypeOf(net, 'nn.Sequential') and x:view(1, 1, x:size(1), 3) or x
      net:zeroGradParameters()
      local copy = net:clone(unpack(usualNames))
      net:forward(input)
      net:backward(input, net.output:clone():fill(1))
      net:updateParameters(0.5)
      assertClose(net:forward(input):clone(), copy:forward(input))
      local parameters, gradients = net:parameters()
      local others, theirs = copy:parameters()
      for i = 1, #parameters do
        assert.equal(parameters[i]:storage(), others[i]:storage())
        assert.equal(gradients[i]:storage(), theirs[i]:storage())
      end
      others = net:clone('weight'):parameters()
      assert.equal(parameters[1]:storage(), others[1]:storage())
      assert.not_equal(gradients[1]:storage(), select(2, net:clone('weight'):parameters())[1]:storage())
    end)
  end

  it('is one in all clones of a MapTable', function()
    local map = nn.MapTable(nn.WeightNorm(nn.Linear(3, 2))):double()
    local all = map.module:clone()
    local one, ones = torch.ones(2, 2):double(), torch.ones(4, 2):double()
    map:zeroGradParameters()
    local outputs = map:forward { x:narrow(1, 1, 2), x:narrow(1, 3, 2) }
    assertClose(all:forward(x), torch.cat(outputs, 1), 1e-15)
    map:backward({ x:narrow(1, 1, 2), x:narrow(1, 3, 2) }, { one, one })
    all:zeroGradParameters()
    all:backward(x, ones)
    local _, expected = all:parameters()
    local _, gradients = map.module:parameters()
    for i = 1, #expected do assertClose(expected[i], gradients[i], 1e-13) end
  end)

  it('has gradients on the tape in evaluation, by those of the kept weight', function()
    local net = nn.WeightNorm(nn.Linear(3, 2)):double()
    net:forward(x)
    net:evaluate()
    net.v:mul(2):add(0.25)                                           -- the kept weight is that of before
    net:zeroGradParameters()
    local expected = net:forward(x):clone()
    net:backward(x, torch.ones(x:size(1), 2):double())
    local parameters, gradients = net:requiresGrad():parameters()
    local output = net(x)
    assertClose(expected, output:detach(), 0)
    output:sum():backward()
    for i = 1, #parameters do
      assert.is_true(gradients[i]:norm() > 1e-3)
      assertClose(gradients[i], parameters[i].grad, 1e-13)
    end
    assertClose(expected, torch.noGrad(function() return net(x) end), 0)
  end)
end)

describe('Modules of old files', function()
  -- As if read from a file of a version that did not have the field.
  local function without(module, ...)
    for _, field in ipairs { ... } do module[field] = nil end
    return module
  end

  it('work without the fields that came later', function()
    local labels = torch.LongTensor { 1, 2, 3, 1 }
    for _, pair in ipairs {
      { without(nn.LookupTable(3, 2), 'paddingValue'), labels }, { without(nn.HardTanh(), 'min_val', 'max_val', 'inplace'), x },
      { without(nn.Threshold(0, 0), 'inplace'), x }, { without(nn.Dropout(), 'inplace', 'stochasticInference'), x },
      { without(nn.Sum(1), 'squeeze'), x }, { without(nn.LeakyReLU(), 'inplace'), x }, { without(nn.CAddTable(), 'inplace'), { x, x } },
    } do
      local net, input = unpack(pair)
      local y = net:forward(input)
      net:zeroGradParameters()
      net:backward(input, y:clone())
    end
    local scores = torch.log(torch.rand(4, 3))
    assert.equal((nn.ClassNLLCriterion():forward(scores, labels)),
      (without(nn.ClassNLLCriterion(), 'ignoreIndex', 'target'):forward(scores, labels)))
    assert.equal(nn.CrossEntropyCriterion():forward(scores, labels),
      without(nn.CrossEntropyCriterion(), 'sizeAverage'):forward(scores, labels))
  end)
end)

describe("Torch7's protocol", function()
  it('takes inputs with names, and integers among them', function()
    local Named = torch.class('nn.SpecNamed', 'nn.Module')
    function Named:compute(input) return torch.cmul(torch.index(input.rows, 1, input.at), input.factor) end
    local net = nn.SpecNamed()
    local input = { rows = x, at = torch.LongTensor { 2, 2 }, factor = torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } } }
    local y, gradInput = run(net, input, torch.ones(2, 3))
    assertClose(torch.cmul(x[2], input.factor[1]), y[1])
    assertClose({ 5, 7, 9 }, gradInput.rows[2])
    assertClose(x[2], gradInput.factor[1])
    assert.equal(0, gradInput.at:sum())
  end)

  it('goes back for an earlier input, a replaced weight, or without saying for which', function()
    local net, first, second, g = nn.Linear(3, 2):double(), x, layers.input(4, 3):mul(2), torch.ones(4, 2):double()
    net:forward(first)
    net:forward(second)
    net:zeroGradParameters()
    net:accGradParameters(first, g)
    assertClose(torch.mm(g:t(), first), net.gradWeight, 1e-14)
    net:forward(first)
    net.weight = net.weight:clone():fill(2)
    assertClose(torch.Tensor(4, 3):fill(4), net:updateGradInput(first, g))
    assertClose(torch.Tensor(4, 3):fill(4), net:updateGradInput(nil, g))
  end)

  it('leaves the caller recording after an error', function()
    local net = nn.Linear(3, 2)
    net:forward(x)
    net.weight:resize(5, 5)
    assert.error(function() net:backward(x, torch.ones(4, 2)) end)
    assert.error(function() net:forward(torch.ones(4, 4)) end)
    local leaf = torch.ones(1):requiresGrad()
    assert.is_true((leaf * 2):isTracked())
  end)

  it('leaves out what was set to nil', function()
    local net = nn.Linear(3, 2)
    net.bias, net.gradBias = nil, nil
    assertClose(torch.mm(x, net.weight:t()), net:forward(x), 1e-15)
    assert.equal(1, #net:parameters())
    net.gradInput = nil
    assert.is_nil(net:backward(x, torch.ones(4, 2)))
    for _, frozen in ipairs { nn.Linear(3, 2), nn.LookupTable(3, 2) } do
      frozen.gradWeight = nil
      local input = torch.type(frozen) == 'nn.Linear' and x or torch.LongTensor { 1, 2, 3, 1 }
      frozen:forward(input)
      frozen:backward(input, torch.ones(4, 2))
    end
  end)

  it('skips children of nn.Concat that have no gradInput', function()
    local net = nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Linear(3, 2))
    net:get(1).gradInput = nil
    net:forward(x)
    assertClose(torch.mm(torch.ones(4, 2), net:get(2).weight), net:backward(x, torch.ones(4, 4)), 1e-15)
  end)
end)

describe('nn.SpatialBatchNormalization in floats', function()
  it('keeps its accuracy far from zero, whatever the first values are', function()
    local pictures = layers.input(16, 2, 8, 8):add(1e4)
    local strange = pictures:clone()
    strange[1]:narrow(2, 1, 4):zero()
    local constant = strange:clone()
    constant:narrow(1, 2, 15):fill(7)
    for _, input in ipairs { pictures, strange, constant } do
      input = input:float()
      local net = nn.SpatialBatchNormalization(2, 1e-5, 0.1, false)
      local got = net:float():forward(input):double()
      assertClose(net:double():forward(input:double()), got, 1e-6)
    end
  end)
end)

describe('A table of many tensors', function()
  it('is added up and multiplied', function()
    for _, count in ipairs { 1, 8, 9, 30, 250 } do
      local input = {}
      for i = 1, count do input[i] = torch.DoubleTensor { 1, 2 ^ (1 / count) } end
      local sum, product = nn.CAddTable():double(), nn.CMulTable():double()
      assert.equal(count, sum:forward(input)[1])
      assert.equal(count, #sum:backward(input, torch.DoubleTensor { 1, 1 }))
      assert.equal(1, sum.gradInput[count][1])
      assert.near(2, product:forward(input)[2], 1e-12)
      assert.near(2 / 2 ^ (1 / count), product:backward(input, torch.DoubleTensor { 1, 1 })[count][2], 1e-12)
    end
  end)
end)
