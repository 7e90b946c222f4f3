-- Properties of torch-autograd on which programs rely. Truth: closed forms, and facts of that package.
local autograd = require 'autograd'
local globals = { nn = rawget(_G, 'nn'), optim = rawget(_G, 'optim') }
local torch, nn = require 'torch', require 'nn'
local util = autograd.util
local program = require 'spec.support.program'
local assertClose = require('spec.support.close').within(1e-12)

it("require 'autograd' sets the globals nn and optim", function()
  assert.equal(require 'nn', globals.nn)
  assert.equal(require 'optim', globals.optim)
  assert.equal('table table', program.evaluate "require 'autograd'; io.write(type(nn), ' ', type(optim))")
end)

it('its files have the names by which programs require them', function()
  for _, name in ipairs { 'loss', 'model', 'module', 'nnwrapper', 'optim', 'overload', 'util' } do
    assert.equal(autograd[name], require('autograd.' .. name))
  end
end)

it('autograd.runtime.codegen.Value returns lengths', function()
  local Value = require 'autograd.runtime.codegen.Value'
  assert.equal(3, Value.len { 1, 2, 3 })
  assert.equal(2, Value.len(torch.zeros(2, 5)))
  autograd(function(p)
    assert.equal(2, Value.len(p.layers))
    return torch.sum(p.layers[1])
  end)({ layers = { torch.ones(2), torch.ones(3) } })
end)

describe('numbers among the parameters are factors of sums of products:', function()
  local m, x, y = torch.ones(2, 3, 4), torch.ones(2, 3, 5) * 2, torch.ones(2, 5, 4)
  for _, optimize in ipairs { false, true } do
    it('baddbmm(beta, m, a, b), optimize ' .. tostring(optimize), function()
      local df = autograd(function(p) return torch.sum(torch.baddbmm(p.v1, p.M, p.X, p.Y)) end, { optimize = optimize })
      local g, loss = df { v1 = 3, M = m, X = x, Y = y }
      assert.equal(24 * (3 + 10), loss)      -- 24 elements, each 3 + 5 * 2
      assert.equal(24, g.v1)
      assertClose(m * 3, g.M)
      assertClose(torch.ones(2, 3, 5) * 4, g.X)
      assertClose(torch.ones(2, 5, 4) * 6, g.Y)
    end)
    it('baddbmm(beta, m, alpha, a, b), optimize ' .. tostring(optimize), function()
      local df = autograd(function(p) return torch.sum(torch.baddbmm(p.v1, p.M, p.v2, p.X, p.Y)) end, { optimize = optimize })
      local g, loss = df { v1 = 3, v2 = 0.5, M = m, X = x, Y = y }
      assert.equal(24 * (3 + 5), loss)
      assert.equal(24, g.v1)
      assert.equal(240, g.v2)
      assertClose(torch.ones(2, 3, 5) * 2, g.X)
    end)
  end
  for name, arguments in pairs {
    addmm = { torch.randn(2, 3), torch.randn(2, 4), torch.randn(4, 3) },
    addmv = { torch.randn(2), torch.randn(2, 4), torch.randn(4) },
    addr = { torch.randn(2, 3), torch.randn(2), torch.randn(3) },
    addbmm = { torch.randn(3, 4), torch.randn(2, 3, 5), torch.randn(2, 5, 4) },
  } do
    it(name, function()
      local M, a, b = unpack(arguments)
      local df = autograd(function(p) return torch.sum(torch[name](p[1], M, p[2], a, b)) end)
      local g, loss = df { 2, 3 }
      assert.near(torch[name](2, M, 3, a, b):sum(), loss, 1e-12)
      assert.near(M:sum(), g[1], 1e-12)
      assert.near(torch[name](0, M, a, b):sum(), g[2], 1e-12)
    end)
  end
end)

describe('autograd.util', function()
  local weights = torch.DoubleTensor { { 1, 2 }, { 3, 4 }, { 5, 6 } }
  local function gradient(f, x) return (autograd(function(g) return torch.sum(torch.cmul(f(g), weights)) end)(x)) end

  it('fill is differentiable with respect to its value', function()
    local a = torch.DoubleTensor { 1, 2, 3, 4 }
    assertClose({ 4, 4, 4, 4 }, (autograd(function(b) return torch.sum(util.fill(b, torch.sum(b))) end)(a)))
    assertClose({ 7, 7 }, util.fill(torch.zeros(2), 7))
  end)
  it('selectSliceCopy, narrowSliceCopy and indexAdd put the gradient where it belongs', function()
    local like = torch.ones(3, 2)
    assertClose({ 3, 4 }, gradient(function(g) return util.selectSliceCopy(g, like, 1, 2) end, torch.ones(2)))
    assertClose({ { 3, 4 }, { 5, 6 } }, gradient(function(g) return util.narrowSliceCopy(g, like, 1, 2, 2) end, torch.ones(2, 2)))
    local twice = function(g) return util.indexAdd(g, like, 1, torch.LongTensor { 3, 3 }) end
    assertClose({ { 5, 6 }, { 5, 6 } }, gradient(twice, torch.ones(2, 2)))
    assertClose({ { 0, 0 }, { 0, 0 }, { 2, 2 } }, twice(torch.ones(2, 2)))
  end)
end)

describe('in optimized mode', function()
  it('the gradient of a loss that does not depend on the parameters is zeros', function()
    local df = autograd(function() return torch.sum(torch.ones(2)) end, { optimize = true })
    local g, loss = df { w = torch.ones(2, 3), 5 }
    assertClose(torch.zeros(2, 3), g.w)
    assert.equal(0, g[1])
    assert.equal(2, loss)
    local direct = autograd(function() return torch.sum(torch.ones(2)) end)
    assert.error_matches(function() direct { w = torch.ones(2, 3) } end, 'A node type was not returned')
  end)
  it('that of a parameter that is not used, too', function()
    local g = autograd(function(p) return torch.sum(p.a) end, { optimize = true }) { a = torch.ones(2), b = torch.ones(3) }
    assertClose({ 0, 0, 0 }, g.b)
    assertClose({ 1, 1 }, g.a)
    assert.is_nil(autograd(function(p) return torch.sum(p.a) end) { a = torch.ones(2), b = torch.ones(3) }.b)
  end)
  it('that of a gradient that is constant, too', function()
    local inner = autograd(function(w, x) return torch.sum(torch.cmul(w, x)) end, { optimize = true })
    local outer = autograd(function(w, x) return torch.sum((inner(w, x))) end, { optimize = true })
    assertClose({ 0, 0 }, (outer(torch.ones(2), torch.ones(2) * 3)))
  end)
end)

it('the gradient by the target of a criterion is zeros', function()
  local criterion = autograd.nn.MSECriterion()
  local df = autograd(function(p) return criterion(p.x, p.y) end)
  local g, loss = df { x = torch.DoubleTensor { 1, 3 }, y = torch.DoubleTensor { 0, 1 } }
  assert.equal(2.5, loss)
  assertClose({ 1, 2 }, g.x)
  assertClose({ 0, 0 }, g.y)
end)

it("backward of a functionalized module leaves the gradients in the module's own tensors", function()
  local f, params = autograd.functionalize(nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh()):add(nn.Linear(2, 1)))
  local df = autograd(function(p, x) return torch.sum(f(p, x)) end)
  for _, typename in ipairs { 'double', 'float', 'double' } do
    local given = util.cast(params, typename)
    local g = df(given, torch.randn(4, 3)[typename](torch.randn(4, 3)))
    local _, own = f.module:parameters()
    for i = 1, #own do
      assert.equal(g[i]:type(), own[i]:type())
      assertClose(g[i]:double(), own[i])
      assert.is_true(own[i]:norm() > 0)
    end
  end
end)

describe('the program as a text', function()
  it('is what a debugHook gets, with the line that made the bad value', function()
    local found
    local df = autograd(function(W, x) return torch.sum(torch.div(W * x, 0)) end, { optimize = true, debugHook = function(_, message, gen)
      found = found or { message, gen }
    end })
    df(torch.ones(2, 3), torch.ones(3))
    assert.matches('^autograd debugger detected a nan or inf value for div', found[1])
    local lines = {}
    for line in found[2].source:gmatch '([^\n]*)\n' do lines[#lines + 1] = line end
    assert.equal('    torch_div(rlocals[2], rlocals[1], 0)', lines[found[2].line])
    assert.is_function(loadstring(found[2].source))
  end)
  it('is printed once by showCode', function()
    local shown = program.evaluate [[
      local torch, autograd = require 'torch', require 'autograd'
      local df = autograd(function(w) return torch.sum(torch.tanh(w)) end, { showCode = true })
      df(torch.ones(2)) df(torch.ones(2))]]
    assert.matches('local torch_tanh = torch.tanh', shown)
    assert.matches('return function%(p1%)', shown)
    assert.equal(1, select(2, shown:gsub('torch_sum%(', '')))
  end)
end)
