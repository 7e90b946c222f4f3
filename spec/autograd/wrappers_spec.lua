-- nn objects as functions, functions as nn objects, functions of other packages on the tape, and further parts of torch-autograd.
local torch = require 'torch'
local autograd = require 'autograd'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local program = require 'spec.support.program'
local assertClose = require('spec.support.close').assertClose

describe('autograd.nn', function()
  it('gives modules as functions of their parameters, with nn\'s own gradients', function()
    local linear, p = autograd.nn.Linear(3, 2)
    local act, mse = autograd.nn.Tanh(), autograd.nn.MSECriterion()
    assert.equal('nn.Linear', torch.type(linear.module))
    assert.equal(linear.module.weight, p[1])
    local x, y = torch.randn(4, 3), torch.randn(4, 2)
    local df = autograd(function(q, input, target)
      local out = act(linear(q, input))
      return mse(out, target), out
    end)
    local gradients, loss, out = df(p, x, y)
    local net, criterion = nn.Sequential():add(linear.module):add(nn.Tanh()), nn.MSECriterion()
    net:zeroGradParameters()
    assertClose(net:forward(x), out, 1e-15)
    assert.equal(criterion:forward(net.output, y), loss)
    net:backward(x, criterion:backward(net.output, y))
    assertClose(linear.module.gradWeight, gradients[1], 1e-15)
    assertClose(linear.module.gradBias, gradients[2], 1e-15)
  end)

  it('takes other parameters than the module\'s, several times in one function', function()
    local linear = autograd.nn.Linear(2, 2)
    local a = { torch.DoubleTensor { { 1, 2 }, { 3, 4 } }, torch.DoubleTensor { 0, 1 } }
    local b = { torch.DoubleTensor { { 0, 1 }, { 1, 0 } }, torch.DoubleTensor { 5, 5 } }
    local df = autograd(function(p, x) return torch.sum(linear(p.b, linear(p.a, x))) end)
    local g, loss = df({ a = a, b = b }, torch.DoubleTensor { 1, -1 })
    assert.equal((-1 + 5) + (0 + 5), loss)                 -- a x = -1, 0; b swaps them and adds 5
    assertClose({ { 1, -1 }, { 1, -1 } }, g.a[1])
    assertClose({ { -1, 0 }, { -1, 0 } }, g.b[1])
    assertClose({ 1, 1 }, g.b[2])
    assertClose(b[1], linear.module.weight)
    assertClose({ 6, 4 }, linear(a, torch.DoubleTensor { 2, 2 }) - torch.DoubleTensor { 0, 11 })
    local x = torch.ones(2)
    assert.error_matches(function() linear({ torch.ones(2, 2) }, x) end, 'a list of 1, expected a list of 2 tensors for nn.Linear')
    assert.error_matches(function() linear({ torch.ones(3, 2), x }, x) end, 'tensor 1 is %[3, 2%], expected %[2, 2%]')
  end)

  it('takes containers, modules of one\'s own, and casts to the input\'s type', function()
    local Own = torch.class('wrappersSpec.Scale', 'nn.Module', {})
    function Own:__init() nn.Module.__init(self); self.factor, self.gradFactor = torch.ones(1):fill(3), torch.zeros(1) end
    function Own:updateOutput(x) self.output = x * self.factor[1]; return self.output end
    function Own:updateGradInput(_, g) self.gradInput = g * self.factor[1]; return self.gradInput end
    function Own:accGradParameters(x, g, scale) self.gradFactor:add(scale * torch.dot(x, g)) end
    function Own:parameters() return { self.factor }, { self.gradFactor } end
    local net, p = autograd.functionalize(nn.Sequential():add(nn.Linear(2, 2)):add(torch.getmetatable('wrappersSpec.Scale').new()))
    local q = { torch.eye(2), torch.zeros(2), torch.ones(1):fill(5) }
    local g, loss = autograd(function(given, x) return torch.sum(net(given, x)) end)(q, torch.DoubleTensor { 1, 2 })
    assert.equal(15, loss)
    assertClose({ 3 }, g[3])
    assertClose({ { 5, 10 }, { 5, 10 } }, g[1])
    assert.equal(3, #p)
    local linear, r = autograd.nn.Linear(2, 2)
    assert.equal('torch.FloatTensor', linear({ r[1]:float(), r[2]:float() }, torch.FloatTensor { 1, 1 }):type())
  end)

  it('refuses what is no nn object', function()
    assert.error_matches(function() autograd.functionalize(3) end, 'Input is not a package name or nn object')
    assert.error_matches(function() autograd.functionalize 'nosuchpackage' end, "Could not load package 'nosuchpackage'")
    assert.is_not_nil(autograd.functionalize('nn').ReLU)
    assert.is_nil(autograd.nn.NoSuchClass)
  end)
end)

describe('AutoModule and AutoCriterion', function()
  it('come with files that have their modules, where nn alone was asked for', function()
    local name = os.tmpname()
    torch.save(name, autograd.nn.AutoModule('SpecSaved')(function(x, w) return torch.cmul(x, w) end, torch.DoubleTensor { 2, 3 }),
      'binary', { functions = true })
    assert.equal('autograd.nn.module.SpecSaved 8 15', program.evaluate(([[
      local nn, module = require 'nn', torch.load(%q, 'binary', { functions = true })
      local y = module:forward(torch.DoubleTensor { 4, 5 })
      io.write(torch.type(module), ' ', y[1], ' ', y[2])]]):format(name)))
    os.remove(name)
  end)

  it('make nn classes of functions', function()
    local function affine(x, w, b) return torch.cmul(x, torch.expandAs(w, x)) * torch.sum(w) + torch.expandAs(b, x) end
    local module = autograd.nn.AutoModule('SpecAffine')(affine, torch.DoubleTensor { { 1, 2 } }, torch.DoubleTensor { { 0.5, 1 } })
    assert.equal('autograd.nn.module.SpecAffine', torch.type(module))
    assert.is_not_nil(autograd.auto.SpecAffine)
    assertClose({ { 3.5, 13 }, { 0.5, 1 } }, module:forward(torch.DoubleTensor { { 1, 2 }, { 0, 0 } }))
    layers.checkGradients(module, layers.input(3, 2))
    local copy = module:clone()
    assertClose({ { 3.5, 13 } }, copy:forward(torch.DoubleTensor { { 1, 2 } }))
    local again = autograd.nn.AutoModule('SpecAffine')(affine, torch.ones(1, 2), torch.zeros(1, 2))
    assertClose({ { 2, 2 } }, again:forward(torch.DoubleTensor { { 1, 1 } }))

    local criterion = autograd.nn.AutoCriterion('SpecAbsolute')(function(x, y) return torch.sum(torch.abs(x - y)), x * 2 end)
    assert.equal(3, criterion:forward(torch.DoubleTensor { 1, -2 }, torch.zeros(2)))
    assertClose({ 1, -1 }, criterion:backward(torch.DoubleTensor { 1, -2 }, torch.zeros(2)))
    assertClose({ 2, -4 }, criterion.predictions)
    assert.error_matches(function() autograd.nn.AutoModule() end, 'You must provide a name for your auto%-differentiated module.')
    assert.error_matches(function() autograd.nn.AutoModule 'x' (3) end, 'An autograd function must be specified as input to AutoModule')
  end)
end)

describe('autograd.overload', function()
  it('puts functions of a package on the tape', function()
    local package_ = {
      cube = function(x) local y = x:clone(); return y:cmul(x):cmul(x) end,
      total = function(x) return x:sum() end,
      refused = function(x) return x end, other = function(x) return x end, count = function(x) return x:clone():fill(x:nElement()) end,
    }
    autograd.overload.module('spec', package_, function(m)
      m.gradient('cube', { function(g, _, x) return torch.mul(torch.cmul(g, torch.pow(x, 2)), 3) end })
      m.gradient('total', { function(g, _, x) return torch.expandAs(g, x) end })
      m.static 'count'
      m.unsupported 'refused'
      m.defaultUnsupported()
    end)
    local df = autograd(function(x) return package_.total(torch.cmul(package_.cube(x), package_.count(x))) end)
    assertClose({ 3 * 2, 12 * 2 }, (df(torch.DoubleTensor { 1, 2 })))
    local ddf = autograd(function(x) return torch.sum((df(x))) end)
    assertClose({ 12, 24 }, (ddf(torch.DoubleTensor { 1, 2 })), 1e-12)
    for _, name in ipairs { 'refused', 'other' } do
      assert.error_matches(function() autograd(function(x) return package_[name](x) end)(torch.ones(1)) end,
        'function spec.' .. name .. ' not currently supported by autograd')
    end
    assert.equal(3, package_.total(torch.ones(3)))
    local seen = {}
    autograd.overload.install(function(f, ...)
      seen[#seen + 1] = 'called'
      return f(...)
    end)
    package_.total(torch.ones(1))
    autograd.overload.uninstall()
    package_.total(torch.ones(1))
    assert.same({ 'called' }, seen)
  end)
end)

describe('autograd.model', function()
  local function fill(tree)
    if torch.isTensor(tree) then return tree:normal(0, 0.4) end
    for _, element in pairs(tree) do fill(element) end
  end

  it('makes networks with right gradients', function()
    local before = print
    _G.print = function() end
    local checker = require 'autograd.gradcheck' { randomizeInput = false }
    local x = torch.randn(2, 3, 4)
    for name, options in pairs {
      RecurrentNetwork = {}, RecurrentGRUNetwork = { outputType = 'all' }, RecurrentLSTMNetwork = { outputType = 'all' },
      RecurrentFWNetwork = { S = 2 },
    } do
      options.inputFeatures, options.hiddenFeatures = 4, 3
      local f, p = autograd.model[name](options)
      assert.equal(0, p[1].W:clone():abs():sum())
      fill(p)
      assert.is_true(checker(function(q) return torch.sum((f(q, x))) end, p), name)
      local y, state = f(p, x[1])
      assert.same(options.outputType == 'all' and { 1, 3, 3 } or { 1, 3 }, y:size():totable())
      -- Two halves with the state handed over are the whole.
      local _, half = f(p, x[1]:narrow(1, 1, 1))
      local _, rest = f(p, x[1]:narrow(1, 2, 2), half)
      assertClose(state.h, rest.h, 1e-14)
    end
    _G.print = before
  end)

  it('makes networks of layers', function()
    local f, p, parts = autograd.model.NeuralNetwork {
      inputFeatures = 4, hiddenFeatures = { 5, 2 }, classifier = true, batchNormalization = true, dropoutProb = 0.1, activations = 'Tanh',
    }
    assert.equal(3, #p)
    assert.equal(7, #parts)
    local g = autograd(function(q, x) return torch.sum(f(q, x)) end)(p, torch.randn(3, 4))
    assert.same({ 5, 4 }, g[1][1]:size():totable())
    assert.same({ 2 }, g[3][2]:size():totable())
  end)
end)

describe('autograd.module', function()
  it('normalises, and attends', function()
    local norm, p = autograd.module.LayerNormalization { nOutputs = 4 }
    local y = norm(p, torch.randn(3, 4), 0)
    assertClose({ 0, 0, 0 }, torch.sum(y, 2):view(-1), 1e-12)
    assertClose({ 4, 4, 4 }, torch.sum(torch.pow(y, 2), 2):view(-1), 1e-12)
    local attend, q = autograd.module.SoftAttention { hiddenFeatures = 2, subjectFeatures = 3, subjectChoices = 4 }
    local subject = torch.randn(2, 3, 4)
    local attention, focus = attend(q, subject, torch.randn(2, 2))
    assertClose(torch.DoubleTensor(2, 4):fill(0.25), focus)
    assertClose(torch.mean(subject, 3):view(2, 3), attention, 1e-14)
    local masked, r, state = autograd.module.MaskedBatchNormalization { nOutputs = 1, momentum = 1 }
    local normal = masked(r, torch.DoubleTensor { { 2 }, { 4 }, { 100 } }, torch.ByteTensor { { 1 }, { 1 }, { 0 } }, state, 0)
    assertClose({ { -0.1 }, { 0.1 }, { 0 } }, normal, 1e-14)
  end)
end)

describe('autograd.loss', function()
  it('computes its formulas', function()
    local loss, out, target = autograd.loss, torch.DoubleTensor { 0.2, 0.5, 0.3 }, torch.DoubleTensor { 0, 1, 0 }
    assert.equal(-0.5, loss.logMultinomialLoss(out, target))
    assert.is_true(math.abs(loss.logBCELoss(out, target) + math.log(0.8) + math.log(0.5) + math.log(0.7)) < 1e-14)
    local value, prediction = loss.crossEntropy(out, target)
    local sum = math.exp(0.2) + math.exp(0.5) + math.exp(0.3)
    assert.is_true(math.abs(value - (math.log(sum) - 0.5)) < 1e-14)
    assertClose({ 0.2 - math.log(sum), 0.5 - math.log(sum), 0.3 - math.log(sum) }, prediction, 1e-14)
    local _, probabilities = loss.binaryCrossEntropy(out, target)
    assertClose({ 1 / (1 + math.exp(-0.2)), 1 / (1 + math.exp(-0.5)), 1 / (1 + math.exp(-0.3)) }, probabilities, 1e-14)
    assert.is_true(math.abs(loss.leastSquares(out, target) - 0.38) < 1e-14)
    assert.is_true(math.abs(loss.margin(out, target) - (1 + 0.2 - 0.5 + 1 + 0.3 - 0.5)) < 1e-14)
    assert.error_matches(function() loss.leastSquares(out, torch.ones(1)) end, 'leastSquares: target: %[1%], expected %[3%]')
  end)
end)

describe('autograd.optim', function()
  it('steps all parameters with states of their own', function()
    local df = autograd(function(p, x) return torch.sum(torch.pow(p.a - x, 2)) + torch.sum(torch.pow(p.b[1], 2)) end)
    local p = { a = torch.DoubleTensor { 1, 2 }, b = { torch.DoubleTensor { 4 } } }
    local step, states = autograd.optim.sgd(df, { learningRate = 0.25 }, p)
    local gradients, loss = step(torch.DoubleTensor { 3, 3 })
    assert.equal(4 + 1 + 16, loss)
    assertClose({ -4, -2 }, gradients.a)
    assertClose({ 2, 2.5 }, p.a)
    assertClose({ 2 }, p.b[1])
    assert.equal(2, #states)
    assert.equal(1, states[2].evalCounter)
  end)
end)

describe('autograd.util', function()
  local util = autograd.util
  it('compares, counts, joins and finds', function()
    assert.is_true(util.lt(1, 2) and util.ge(torch.ones(1), 1) and not util.eq(1, 2))
    assertClose({ 1, 0 }, util.gt(torch.DoubleTensor { 3, 1 }, 2))
    assertClose({ 1, 0 }, util.lt(2, torch.DoubleTensor { 3, 1 }))
    assertClose({ { 1, 0, 0 }, { 0, 0, 1 } }, util.oneHot(torch.DoubleTensor { 1, 3 }))
    assertClose({ { 0, 1, 0, 0 } }, util.oneHot(torch.LongTensor { 2 }, 4))
    assertClose({ 1, 2 }, util.cat(1, 2))
    assertClose({ 1, 1, 0 }, util.cat { torch.ones(2), torch.zeros(1) })
    assertClose({ { 5, 6 }, { 1, 2 } }, util.lookup(torch.range(1, 6):view(3, 2), torch.LongTensor { 3, 1 }))
    assert.is_true(math.abs(util.logSumExp(torch.zeros(4)) - math.log(4)) < 1e-14)
    assertClose({ 0, 7, 0 }, util.selectSliceCopy(torch.DoubleTensor { 7 }, torch.ones(3, 1):double(), 1, 2):view(-1))
    assertClose({ 0, 1, 2 }, util.narrowSliceCopy(torch.DoubleTensor { 1, 2 }, torch.ones(3):double(), 1, 2, 2))
    assertClose({ 0, 5 }, util.indexAdd(torch.DoubleTensor { 2, 3 }, torch.ones(2):double(), 1, torch.LongTensor { 2, 2 }))
    assertClose({ 0, 9 }, util.setNotEqual(torch.DoubleTensor { 1, 2 }, torch.DoubleTensor { 1, 3 }, torch.DoubleTensor { 8, 9 }))
    assertClose({ 2, 2 }, util.fillSameSizeAs(torch.ones(2), 2))
  end)

  it('visits tables in the order of their keys', function()
    local tree = { b = { 1, 2 }, a = { x = 3 } }
    assert.same({ 3, 1, 2 }, util.sortedFlatten(tree))
    assert.same({ { 'a', 'x' }, { 'b', 1 }, { 'b', 2 } }, util.sortedFlattenKeys(tree))
    assert.equal(3, util.nestedGet(tree, { 'a', 'x' }))
    assert.is_nil(util.nestedGet(tree, { 'c', 'x' }))
    util.nestedSet(tree, { 'c', 'x' }, 5)
    assert.equal(5, tree.c.x)
    local copy = util.deepCopy { torch.ones(1) }
    assert.equal(1, copy[1][1])
    assert.is_true(util.defaultBool(nil, true))
    assert.equal('torch.FloatTensor', util.cast({ torch.ones(1) }, 'float')[1]:type())
  end)
end)
