-- Parametrizations, weight norms and pruning: PyTorch's names, values and gradients, on the tape and by Torch7's protocol.
local torch, C = require 'torch', require 'libmoontorch'
local nn, optim = require 'nn', require 'optim'
local assertClose = require('spec.support.close').assertClose
local figures = require 'spec.nn.parametrize_figures'

local parametrize, parametrizations, prune = nn.utils.parametrize, nn.utils.parametrizations, nn.utils.prune

local function series(sizes, rate)
  local x = torch.DoubleTensor(torch.LongStorage(sizes))
  local flat = x:view(-1)
  for i = 1, flat:size(1) do flat[i] = math.sin(i * rate + 0.5) end
  return x
end

local function settled(net)
  net:double()
  torch.noGrad(function()
    for i, parameter in ipairs(net:parameters()) do parameter:copy(series(parameter:size():totable(), 0.7 + 0.1 * (i - 1))) end
  end)
  return net
end

local function linear(inputs, outputs) return settled(nn.Linear(inputs or 3, outputs or 4)) end
local function conv() return settled(nn.SpatialConvolution(2, 4, 2, 3)) end
local function up() return settled(nn.SpatialFullConvolution(2, 3, 2, 3)) end

local function withVectors(net, u, v)
  for i, x in ipairs { u, v } do
    x:copy(series({ x:nElement() }, i == 1 and 1.3 or 1.7))
    x:div(x:norm())
  end
  return net
end

local function spectral(net, ...)
  parametrizations.spectralNorm(net, 'weight', ...)
  local holder = net.parametrizations.weight[1]
  return withVectors(net, holder.u, holder.v)
end

local function oldSpectral(net, ...)
  nn.utils.spectralNorm(net, 'weight', ...)
  return withVectors(net, net.weight_u, net.weight_v)
end

local nets = {
  weightNorm = function() return parametrizations.weightNorm(linear()) end,
  weightNorm2 = function() return parametrizations.weightNorm(conv(), 'weight', 2) end,
  weightNormWhole = function() return parametrizations.weightNorm(linear(), 'weight', false) end,
  oldWeightNorm = function() return nn.utils.weightNorm(conv()) end,
  oldWeightNormWhole = function() return nn.utils.weightNorm(linear(), 'weight', false) end,
  spectralNorm = function() return spectral(linear(), 2) end,
  spectralNormUp = function() return spectral(up()) end,
  oldSpectralNorm = function() return oldSpectral(conv()) end,
  oldSpectralNormUp = function() return oldSpectral(up(), 3) end,
  l1 = function() return prune.l1Unstructured(conv(), 'weight', 0.3) end,
  l1Half = function() return prune.l1Unstructured(linear(3, 5), 'weight', 0.5) end,
  l1Twice = function() return prune.l1Unstructured(prune.l1Unstructured(conv(), 'weight', 5), 'weight', 0.25) end,
  l1Scores = function() return prune.l1Unstructured(linear(), 'weight', 4, series({ 4, 3 }, 2.1)) end,
  bias = function() return prune.l1Unstructured(linear(), 'bias', 2) end,
  ln = function() return prune.lnStructured(conv(), 'weight', 0.5, 2, 1) end,
  lnLast = function() return prune.lnStructured(conv(), 'weight', 1, math.huge, -1) end,
  lnMixed = function() return prune.l1Unstructured(prune.lnStructured(conv(), 'weight', 2, 1, 1), 'weight', 0.4) end,
  lnTwice = function() return prune.lnStructured(prune.l1Unstructured(conv(), 'weight', 9), 'weight', 1, 2, 1) end,
  custom = function() return prune.customFromMask(linear(), 'weight', series({ 4, 3 }, 1):gt(0):double()) end,
  removed = function() return prune.remove(prune.l1Unstructured(linear(), 'weight', 5), 'weight') end,
  identity = function() return prune.identity(linear(), 'weight') end,
}

-- Series have rank 2.
local function regular(net)
  net.weight:add(2, torch.eye(net.weight:size(1), net.weight:size(2)):double())
  return net
end

for name in pairs(figures) do
  local map, shape = name:match '^plain_(.*)_(%a+)$'
  local square = name:match '^orthogonal_(.*)$'
  if map then
    nets[name] = function()
      local net = regular(shape == 'tall' and linear(3, 5) or shape == 'wide' and linear(5, 3) or linear(4, 4))
      return parametrizations.orthogonal(net, 'weight', map, { useTrivialization = false })
    end
  elseif square then
    nets[name] = function()
      local net = parametrizations.orthogonal(regular(linear(4, 4)), 'weight', square)
      local x = net.parametrizations.weight.original
      x:copy(series({ 4, 4 }, 0.4) * 0.3)
      for i = 1, square == 'householder' and 4 or 0 do x[i][i] = -1 end
      return net
    end
  end
end

local function rounded(figure, net, output, gradients)
  assert.same(figure.state, torch.pt.keys(net:stateDict()))
  assertClose(figure.output, output:detach():contiguous():view(-1), 1e-11)
  for name, gradient in pairs(gradients) do assertClose(figure.gradients[name], gradient:contiguous():view(-1), 1e-10) end
end

describe("PyTorch's names, value and gradients:", function()
  for name, figure in pairs(figures) do
    if name ~= 'global' then
      local x, g = series(figure.input, 0.3), nil
      it(name .. " by Torch7's protocol", function()
        local net = nets[name]()
        local output = net:forward(x)
        g = series(output:size():totable(), 0.9)
        net:zeroGradParameters()
        net:backward(x, g)
        local gradients, count = {}, 0
        for key, _, gradient in net:namedParameters() do gradients[key], count = gradient, count + 1 end
        assert.equal(#net:parameters(), count)
        rounded(figure, net, output, gradients)
        net:evaluate()
        assertClose(figure.weight, (name == 'bias' and net.bias or net.weight):contiguous():view(-1), 1e-11)
        assertClose(figure.output, net:forward(x):contiguous():view(-1), 1e-11)
        assertClose(figure.output, net:clone():forward(x):contiguous():view(-1), 1e-11)
        assert.same(figure.state, torch.pt.keys(net:clone():stateDict()))
        assert.equal('torch.FloatTensor', net:clone():float():forward(x:float()):type())
      end)

      it(name .. ' on the tape', function()
        local net = nets[name]():requiresGrad()
        local output = net(x)
        torch.sum(torch.cmul(output, series(output:size():totable(), 0.9))):backward()
        local gradients = {}
        for key, parameter in net:namedParameters() do gradients[key] = parameter.grad end
        rounded(figure, net, output, gradients)
        assert.is_false(C.tracked(name == 'removed' and torch.ones(1) or name == 'bias' and net.bias or net.weight))
      end)
    end
  end

  it('globalUnstructured', function()
    local net = settled(nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)))
    local first, second = net:get(1), net:get(2)
    prune.l1Unstructured(first, 'weight', 2)
    prune.globalUnstructured({ { first, 'weight' }, { second, 'weight' }, { second, 'bias' } }, prune.L1Unstructured, { amount = 0.4 })
    for i, mask in ipairs { first.weight_mask, second.weight_mask, second.bias_mask } do
      assertClose(figures.global.masks[i], mask:view(-1), 0)
    end
  end)
end)

-- A symmetric matrix.
local Symmetric = torch.class('ParametrizeSymmetric', 'nn.Module')
function Symmetric:forward(x)
  self.calls = (self.calls or 0) + 1
  return torch.add(torch.triu(x), torch.t(torch.triu(x, 1)))
end
function Symmetric.rightInverse(_, value) return torch.triu(value) end

local Double = torch.class('ParametrizeDouble', 'nn.Module')
function Double.forward(_, x) return x * 2 end
function Double.rightInverse(_, value) return value / 2 end

describe('A parametrization', function()
  local x = series({ 2, 3 }, 0.3)

  it('of a program, and several of one tensor', function()
    local net = linear(3, 3)
    local original, value = net.weight, net.weight:clone()
    assert.is_false(parametrize.isParametrized(net))
    assert.equal(net, parametrize.registerParametrization(net, 'weight', Double()))
    assert.equal(original, net.parametrizations.weight.original)
    assertClose(value, net.weight, 1e-12)
    assertClose(value / 2, original, 1e-12)
    parametrize.registerParametrization(net, 'weight', Symmetric())
    assert.is_true(parametrize.isParametrized(net) and parametrize.isParametrized(net, 'weight'))
    assert.is_false(parametrize.isParametrized(net, 'bias'))
    assertClose(net.weight:t():contiguous(), net.weight)
    assertClose(torch.triu(value), torch.triu(net.weight), 1e-12)
    assert.equal('nn.Linear', parametrize.typeBeforeParametrizations(net))
    assert.equal('nn.ParametrizationList', torch.type(net.parametrizations.weight))
    assert.equal(2, #net.parametrizations.weight)
    net.parametrizations.weight:rightInverse(torch.ones(3, 3):double())
    assertClose(torch.triu(torch.ones(3, 3)):double() / 2, original)
    assertClose(torch.ones(3, 3):double(), net.parametrizations.weight())
    local fixed = net:forward(x):clone()
    parametrize.removeParametrizations(net, 'weight')
    assert.equal(original, net.weight)
    assert.is_nil(rawget(net, 'parametrizations') or rawget(net, '_derived') or rawget(net, 'updateOutput'))
    assertClose(fixed, net:forward(x), 1e-12)
    assertClose(torch.ones(3, 3):double(), net.weight)
  end)

  it('may be removed without its effect', function()
    local net = linear(3, 3)
    local value = net.weight:clone()
    parametrize.registerParametrization(net, 'weight', Symmetric())
    parametrize.removeParametrizations(net, 'weight', { leaveParametrized = false })
    assertClose(torch.triu(value), net.weight)
    assert.error_matches(function() parametrize.removeParametrizations(parametrizations.weightNorm(net), 'weight', false) end,
      'leaveParametrized: false, expected true, as there are several originals')
    parametrize.removeParametrizations(net, 'weight')
    assertClose(torch.triu(value), net.weight, 1e-12)
    assert.same({ 'bias', 'weight' }, torch.pt.keys(net:stateDict()))
  end)

  it('trains in containers, by optimisers of both worlds', function()
    for _, isTape in ipairs { true, false } do
      local inner = linear(3, 3)
      parametrize.registerParametrization(inner, 'weight', Symmetric())
      local net, criterion, target = nn.Sequential(inner, nn.Tanh()), nn.MSECriterion():double(), series({ 2, 3 }, 0.9)
      local before = criterion:forward(net:forward(x), target)
      if isTape then
        local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.3 })
        for _ = 1, 10 do
          steps:zeroGrad()
          criterion(net(x), target):backward()
          steps:step()
        end
      else
        local flat, gradients = net:getParameters()
        assert.equal(12, flat:nElement())
        for _ = 1, 10 do
          gradients:zero()
          net:backward(x, criterion:backward(net:forward(x), target))
          flat:add(-0.3, gradients)
        end
      end
      assert.is_true(criterion:forward(net:forward(x), target) < 0.95 * before)
      assertClose(inner.weight:t():contiguous(), inner.weight)
    end
  end)

  it('is in a file, follows modes, freezes by name, and goes with hooks', function()
    local net = spectral(linear())
    local file = torch.MemoryFile('rw')
    file:writeObject(net:evaluate() or net)
    file:seek(1)
    local copy = file:readObject()
    local u = net.parametrizations.weight[1].u:clone()
    assertClose(net:forward(x), copy:forward(x), 1e-12)
    assertClose(u, net.parametrizations.weight[1].u, 0)
    net:training()
    net:forward(x)
    assert.is_false(torch.equal(u, net.parametrizations.weight[1].u))
    net:freeze 'parametrizations'
    assert.equal(1, #net:parameters())
    net:unfreeze()
    assert.equal(2, #net:parameters())
    for order = 1, 2 do
      local both, seen = linear(3, 3), 0
      local function hook() return both:registerForwardHook(function(_, _, y) seen = seen + 1; return y * 3 end) end
      local handle = order == 1 and hook() or nil
      parametrize.registerParametrization(both, 'weight', Symmetric())
      local plain = order == 2 and both:forward(x):clone() or nil
      handle = handle or hook()
      local hooked = both:forward(x):clone()
      assert.equal(1, seen)
      local copied = both:clone()
      handle:remove()
      plain = plain or both:forward(x):clone()
      assertClose(plain * 3, hooked, 1e-12)
      assertClose(plain, both:forward(x), 1e-12)
      assertClose(plain, copied:forward(x), 1e-12)
      handle = hook()
      parametrize.removeParametrizations(both, 'weight')
      assertClose(plain * 3, both:forward(x), 1e-12)
      handle:remove()
      assertClose(plain, both:forward(x), 1e-12)
      assert.is_nil(rawget(both, 'updateOutput'))
    end
  end)

  it('is computed once inside cached', function()
    local net, symmetric = linear(3, 3), Symmetric()
    parametrize.registerParametrization(net, 'weight', symmetric)
    net:requiresGrad()
    local function twice() return torch.sum(net(x) + net(x)) end
    symmetric.calls = 0
    twice():backward()
    local gradient = net.parametrizations.weight.original.grad:clone()
    assert.equal(2, symmetric.calls)
    net:zeroGrad()
    symmetric.calls = 0
    local loss, second = parametrize.cached(function(a) return twice(), a end, 7)
    loss:backward()
    assert.equal(1, symmetric.calls)
    assert.equal(7, second)
    assertClose(gradient, net.parametrizations.weight.original.grad, 1e-12)
    -- Values without gradients, and those of Torch7's protocol, are not used on the tape.
    net:zeroGrad()
    parametrize.cached(function()
      torch.noGrad(twice)
      twice():backward()
    end)
    assertClose(gradient, net.parametrizations.weight.original.grad, 1e-12)
    net:zeroGrad()
    parametrize.cached(function()
      net:forward(x)
      net:backward(x, torch.ones(2, 3):double())
      twice():backward()
    end)
    assertClose(gradient, net.parametrizations.weight.original.grad, 1e-12)
    assertClose(gradient / 2, net.parametrizations.weight.gradOriginal, 1e-12)
    assert.is_false((pcall(parametrize.cached, error, 'no')))
    symmetric.calls = 0
    twice()
    assert.equal(2, symmetric.calls)
  end)

  it('is transferred with its parameters', function()
    local from, to = parametrizations.weightNorm(linear()):requiresGrad(), nn.Linear(3, 4):double()
    parametrize.transferParametrizationsAndParams(from, to)
    assertClose(from.weight, to.weight, 1e-12)
    assert.is_true(C.tracked(to.parametrizations.weight.original0))
    torch.noGrad(function() to.parametrizations.weight.original0:fill(9) end)
    assert.is_true(from.parametrizations.weight.original0:detach():max() < 9)
    assert.error_matches(function() parametrize.transferParametrizationsAndParams(linear(), to) end,
      'from: a nn.Linear, expected a parametrized')
  end)

  it("works in a class with Torch7's methods, whose own parameters its node has", function()
    local Old, parent = torch.class('ParametrizeOld', 'nn.Module')
    function Old:__init()
      parent.__init(self)
      self:declare('weight', torch.DoubleTensor { 2, 3 })
      self:double()
    end
    function Old:updateOutput(input)
      self.output = torch.cmul(input, self.weight)
      return self.output
    end
    function Old:updateGradInput(_, gradOutput)
      self.gradInput = torch.cmul(gradOutput, self.weight)
      return self.gradInput
    end
    function Old:accGradParameters(input, gradOutput, scale) self.gradWeight:add(scale or 1, torch.cmul(input, gradOutput)) end
    local net, y = Old(), torch.DoubleTensor { 5, 7 }
    parametrize.registerParametrization(net, 'weight', Double())
    assertClose({ 10, 21 }, net:forward(y))
    assertClose({ 2, 3 }, net:backward(y, torch.ones(2):double()))
    assertClose({ 10, 14 }, net.parametrizations.weight.gradOriginal)
    net:requiresGrad()
    torch.sum(net(y)):backward()
    assertClose({ 10, 14 }, net.parametrizations.weight.original.grad)
  end)

  it('begins in the mode of its module', function()
    local net, symmetric = linear(3, 3), Symmetric()
    net:evaluate()
    parametrize.registerParametrization(net, 'weight', symmetric)
    assert.is_false(symmetric.train)
    net:training()
    assert.is_true(symmetric.train)
  end)

  it('works in a class with forward', function()
    local w = nn.Parameter(torch.ones(3, 3):double())
    local net = nn.TableModule { w = w, forward = function(self, y) return torch.mm(y, self.w) end }
    parametrize.registerParametrization(net, 'w', Double())
    assert.same({ 'parametrizations.w.original' }, torch.pt.keys(net:stateDict()))
    torch.sum(net(x)):backward()
    assert.is_true(net.parametrizations.w.original.grad:norm() > 0)
    assertClose(torch.mm(x, torch.ones(3, 3):double()), net:forward(x), 1e-12)
    assert.equal(1, #net:parameters())
    assertClose(net.output, net:clone():forward(x), 1e-12)
  end)

  it('refuses what does not fit, and changes nothing then', function()
    local net = linear(3, 4)
    local Wrong = torch.class('ParametrizeWrong', 'nn.Module')
    function Wrong.forward(_, w) return w:narrow(1, 1, 2) end
    for message, f in pairs {
      ['parametrization: a result of torch.DoubleTensor %[2, 3%], expected a torch.DoubleTensor of size %[4, 3%], or unsafe'] =
        function() parametrize.registerParametrization(net, 'weight', Wrong()) end,
      ['registerParametrization: tensorName: w, expected the name of a tensor of a nn.Linear'] =
        function() parametrize.registerParametrization(net, 'w', Double()) end,
      ['registerParametrization: parametrization: nil'] = function() parametrize.registerParametrization(net, 'weight') end,
      ['registerParametrization: options: safe'] = function()
        parametrize.registerParametrization(net, 'weight', Double(), { safe = 1 })
      end,
      ['removeParametrizations: tensorName: weight, expected a parametrized'] = function()
        parametrize.removeParametrizations(net, 'weight')
      end,
      ['weightNorm: dim: '] = function() parametrizations.weightNorm(net, 'weight', 5) end,
      ['spectralNorm: nPowerIterations: 0'] = function() parametrizations.spectralNorm(net, 'weight', 0) end,
      ['orthogonal: orthogonalMap: x, expected matrixExp, cayley or householder'] = function()
        parametrizations.orthogonal(net, 'weight', 'x')
      end,
      ['orthogonal: name: a tensor of size %[4%], expected a matrix'] = function() parametrizations.orthogonal(net, 'bias') end,
      ['nn.utils.weightNorm: name: w, expected the name of a parameter'] = function() nn.utils.weightNorm(net, 'w') end,
      ['nn.utils.removeWeightNorm: name: weight, expected a weight with such a norm'] = function() nn.utils.removeWeightNorm(net) end,
      ['nn.ParametrizationList: modules: an empty list'] = function() nn.ParametrizationList({}, torch.ones(1)) end,
      ['nn.ParametrizationList: original: number, expected a tensor'] = function() nn.ParametrizationList({ Double() }, 3) end,
      ['nn.utils.removeSpectralNorm: name: weight'] = function() nn.utils.removeSpectralNorm(net) end,
    } do
      assert.error_matches(f, message)
    end
    assert.same({ 'weight', 'bias' }, torch.pt.keys(net:stateDict()))
    assert.is_nil(rawget(net, '_derived'))
  end)
end)

describe('The older norms', function()
  it('can be removed, with the value that they had', function()
    local x = series({ 2, 3 }, 0.3)
    for _, kind in ipairs { 'Weight', 'Spectral' } do
      local net = linear()
      local original = net.weight
      nn.utils[kind == 'Weight' and 'weightNorm' or 'spectralNorm'](net)
      local value = net:forward(x):clone()
      nn.utils['remove' .. kind .. 'Norm'](net)
      assert.same({ 'bias', 'weight' }, torch.pt.keys(net:stateDict()))
      assert.equal(original, net.weight)
      assertClose(value, net:forward(x), 1e-12)
      assert.is_nil(rawget(net, '_derived') or rawget(net, '_normalised') or rawget(net, 'updateOutput') or net.weight_g or net.weight_u)
    end
  end)
end)

describe('Pruning', function()
  it('has classes and sequences of methods', function()
    local t = torch.DoubleTensor { 1, -5, 2, 4 }
    assertClose({ 0, -5, 0, 4 }, prune.L1Unstructured(2):prune(t))
    assertClose({ 1, 1, 1, 0 }, prune.L1Unstructured(1):computeMask(torch.DoubleTensor { 3, 2, 4, 1 }, torch.ones(4):double()))
    assertClose(t, prune.Identity():prune(t))
    assertClose({ 1, 0, 2, 0 }, prune.CustomFromMask(torch.DoubleTensor { 1, 0, 1, 0 }):prune(t))
    assertClose({ { 0, 0 }, { 3, 4 } }, prune.LnStructured(1, 2, 1):prune(torch.DoubleTensor { { 1, 2 }, { 3, 4 } }))
    assert.equal(3, prune.RandomUnstructured(0.75):prune(torch.ones(4):double()):eq(0):sum())
    local rows = prune.RandomStructured(2, 1):prune(torch.ones(5, 3):double())
    assert.equal(3, torch.sum(rows, 2):eq(3):sum())
    assert.equal(2, torch.sum(rows, 2):eq(0):sum())
    local container = prune.PruningContainer(prune.L1Unstructured(1))
    container:addPruningMethod(prune.L1Unstructured(1))
    assert.equal(2, container:size())
    assertClose({ 0, 1, 0, 1 }, container:computeMask(t, torch.DoubleTensor { 0, 1, 1, 1 }))
    local Every = torch.class('PruneEveryOther', 'nn.pruning.BasePruningMethod')
    function Every.computeMask(_, x, mask)
      mask = mask:clone()
      for i = 1, x:nElement(), 2 do mask:view(-1)[i] = 0 end
      return mask
    end
    local net = linear()
    assert.equal(net, Every:apply(net, 'weight'))
    assert.equal(6, net.weight:eq(0):sum())
    prune.L1Unstructured:apply(net, 'weight', 2)
    assert.equal(8, net.weight:eq(0):sum())
    assertClose(net.weight, Every():applyMask(net, 'weight'))
    Every():remove(net, 'weight')
    assert.is_false(prune.isPruned(net))
  end)

  it('draws other masks by the generator, keeps zeros while it trains, and is undone with the same tensor', function()
    torch.manualSeed(4)
    local net, x = linear(6, 5), series({ 3, 6 }, 0.3)
    local original = net.weight
    prune.randomUnstructured(net, 'weight', 0.5)
    prune.randomStructured(net, 'weight', 1, 2)
    local zeros = net.weight:eq(0)
    assert.is_true(zeros:sum() >= 15 and prune.isPruned(nn.Sequential(net)))
    net:requiresGrad()
    local steps = optim.SGD(net:parameters(), { learningRate = 0.1 })
    torch.sum(torch.pow(net(x), 2)):backward()
    steps:step()
    net:forward(x)
    assert.is_true(torch.equal(zeros, net.weight:eq(0)))
    local output = net:forward(x):detach():clone()
    prune.remove(net, 'weight')
    assert.equal(original, net.weight)
    assertClose(output, net:forward(x):detach(), 1e-12)
    assert.is_nil(rawget(net, '_derived') or net.weight_orig or net.weight_mask)
    assert.same({}, net._bufferNames)
  end)

  it('refuses amounts, masks and names, and changes nothing then', function()
    local net = linear()
    for message, f in pairs {
      ['L1Unstructured: amount: 13, expected a whole number, 12 or less'] = function() prune.l1Unstructured(net, 'weight', 13) end,
      ['L1Unstructured: amount: %-1'] = function() prune.l1Unstructured(net, 'weight', -1) end,
      ['L1Unstructured: amount: 2.5'] = function() prune.l1Unstructured(net, 'weight', 2.5) end,
      ['l1Unstructured: name: w, expected the name of a parameter of a nn.Linear'] = function() prune.l1Unstructured(net, 'w', 1) end,
      ['LnStructured: dim'] = function() prune.lnStructured(net, 'weight', 1, 2, 3) end,
      ['t: a tensor of size %[4%], expected 2 dimensions or more'] = function() prune.LnStructured(1, 2, 1):prune(torch.ones(4)) end,
      ['CustomFromMask: mask: a tensor of size %[3%], expected %[4, 3%]'] = function()
        prune.customFromMask(net, 'weight', torch.ones(3))
      end,
      ['importanceScores: mask: a tensor of size %[2%], expected %[4, 3%]'] = function()
        prune.l1Unstructured(net, 'weight', 1, torch.ones(2))
      end,
      ['prune.remove: name: weight, expected a pruned tensor'] = function() prune.remove(net, 'weight') end,
      ['globalUnstructured: pruningMethod: nn.pruning.LnStructured, expected an unstructured one'] = function()
        prune.globalUnstructured({ { net, 'weight' } }, prune.LnStructured, { amount = 1 })
      end,
      ['globalUnstructured: parameters: an empty list'] = function() prune.globalUnstructured({}, prune.L1Unstructured) end,
      ['globalUnstructured: parameters: number 1: no pair'] = function()
        prune.globalUnstructured({ { net, 'x' } }, prune.L1Unstructured)
      end,
      ['BasePruningMethod: computeMask: not defined'] = function() prune.BasePruningMethod():prune(torch.ones(1)) end,
      ['PruningContainer: method: number, expected a pruning method'] = function() prune.PruningContainer(3) end,
    } do
      assert.error_matches(f, message)
    end
    assert.same({ 'weight', 'bias' }, torch.pt.keys(net:stateDict()))
  end)
end)
