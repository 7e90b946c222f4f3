-- autograd(f, options) as torch-autograd's programs use it, against closed forms.
local torch = require 'torch'
local autograd = require 'autograd'
local assertClose = require('spec.support.close').assertClose

local tolerance = 1e-12

describe('autograd(f)', function()
  it('gives gradients in the structure of the parameters, then what f returned', function()
    local df = autograd(function(p, x)
      local y = p.W * x + p.deep[1].b
      return torch.sum(torch.cmul(y, y)) * p.scale, y, 'text', p.scale * 2
    end)
    local p = { W = torch.DoubleTensor { { 1, 2 }, { 3, 4 } }, deep = { { b = torch.ones(2) } }, scale = 3, unused = torch.ones(1) }
    local x = torch.DoubleTensor { 1, -1 }
    local _, loss, y, text, twice = df(p, x)
    assertClose({ 0, 0 }, y)
    assert.equal(0, loss)
    assert.equal('text', text)
    assert.equal(6, twice)
    assert.is_false(y:isTracked())
    x = torch.DoubleTensor { 1, 0 }                          -- y = 2, 4
    local gradients
    gradients, loss = df(p, x)
    assert.equal(60, loss)
    assertClose({ { 12, 0 }, { 24, 0 } }, gradients.W)
    assertClose({ 12, 24 }, gradients.deep[1].b)
    assert.equal(20, gradients.scale)
    assert.is_nil(gradients.unused)
    assert.is_false(p.W:isTracked())
  end)

  it('takes a single tensor, a number, and other arguments than the first', function()
    assertClose({ 2, 4 }, (autograd(function(x) return torch.sum(torch.pow(x, 2)) end)(torch.DoubleTensor { 1, 2 })))
    assert.equal(27, (autograd(function(x) return x ^ 3 end)(3)))
    local second = autograd(function(x, w) return torch.sum(torch.cmul(x, w)) end, { gradArg = 2 })
    assertClose({ 1, 2 }, (second(torch.DoubleTensor { 1, 2 }, torch.ones(2))))
  end)

  it('lets numbers stand where tensors stand for them', function()
    local df = autograd(function(p, x)
      local s = torch.sum(p) * 0.5
      local sums = torch.sum(torch.mul(x, s)) + torch.sum(torch.div(x, p[1])) + torch.sum(x * s) + torch.sum(s * x)
      return sums + torch.sum(torch.add(x, p[2], x))
    end)
    -- With X = sum of x: 3 s X + X / p1 + X + p2 X, s = (p1 + p2) / 2.
    local g, loss = df(torch.DoubleTensor { 2, 4 }, torch.FloatTensor { 1, 2 }:double())
    assert.equal(3 * 3 * 3 + 3 / 2 + 3 + 12, loss)
    assertClose({ 4.5 - 3 / 4, 4.5 + 3 }, g, tolerance)
    assert.is_false(pcall(torch.mul, torch.ones(2), torch.ones(1)))
  end)

  it('takes the values alone of max, sort and the like in the last place of a call', function()
    local x = torch.DoubleTensor { { 1, 5 }, { 7, 3 } }
    assertClose({ { 0, 1 }, { 1, 0 } }, (autograd(function(p) return torch.sum(torch.max(p, 2)) end)(x)))
    assertClose({ { 0, 2 / 5 }, { 2 / 7, 0 } }, (autograd(function(p) return torch.sum(torch.mul(torch.log(torch.max(p, 2)), 2)) end)(x)))
    local weighted = torch.DoubleTensor { { 1, 10 }, { 2, 3 } }
    assertClose({ { 1, 10 }, { 3, 2 } }, (autograd(function(p) return torch.sum(torch.cmul(weighted, torch.sort(p, 2))) end)(x)))
    assertClose({ { 1, 10 }, { 2, 3 } }, weighted)
    autograd(function(p)                                     -- two results that are both meant
      local values, positions = torch.max(p, 2)
      assertClose({ { 5 }, { 7 } }, torch.gather(p, 2, positions):detach())
      assertClose({ { 10 }, { 7 } }, torch.cmul(values, positions):detach())
      return torch.sum(values)
    end)(x)
  end)

  it('gives gradients that are the caller\'s own', function()
    local df = autograd(function(p) return torch.sum(torch.add(p.a, p.b)) end)
    local g = df { a = torch.ones(2), b = torch.ones(2) }
    g.a:mul(10)
    assertClose({ 1, 1 }, g.b)
  end)

  it('reports an invalid loss', function()
    local function run(f) return function() autograd(f)(torch.ones(2)) end end
    assert.error_matches(run(function() return 3 end), 'A node type was not returned. This is either because a gradient was')
    local before, printed = print, nil
    _G.print = function(x) printed = x end
    local done, message = pcall(run(function(x) return torch.mul(x, 2) end))
    _G.print = before
    assert.is_false(done)
    assert.matches('Autograd only supports scalar return values. Output is not scalar', message)
    assertClose({ 2, 2 }, printed:detach())
    assert.error_matches(function() autograd(function(x) return x end, { optimize = true })(torch.ones(2)) end,
      'invalid return value type from autograd function, autograd only supports scalar return values')
    assert.error_matches(function() autograd(3) end, 'autograd: f: a number, expected a function')
  end)

  it('puts torch back after an error', function()
    local mul = torch.mul
    assert.error_matches(function() autograd(function() error('inside', 0) end)(torch.ones(1)) end, 'inside')
    assert.equal(mul, torch.mul)
  end)

  it('runs forward only, or from a given gradient', function()
    local function f(p, x) return torch.cmul(p.w, x) end
    local p, x = { w = torch.DoubleTensor { 2, 3 } }, torch.DoubleTensor { 5, 7 }
    assertClose({ 10, 21 }, autograd(f, { withGradients = false })(p, x))
    local g, y = autograd(f, { partialGrad = true })(p, x, torch.DoubleTensor { 1, 10 })
    assertClose({ 5, 70 }, g.w)
    assertClose({ 10, 21 }, y)
    local only = { autograd(f, { withForward = false })(p, x, torch.DoubleTensor { 1, 10 }) }
    assert.equal(1, #only)
    assertClose({ 5, 70 }, only[1].w)
  end)

  it('keeps its options\' promises', function()
    local df = autograd(function(p) return torch.sum(torch.pow(p.x, 2)) end, { optimize = true, stableGradients = true })
    local first = df { x = torch.DoubleTensor { 1 } }
    local second = df { x = torch.DoubleTensor { 3 } }
    assert.equal(first.x, second.x)
    assertClose({ 6 }, first.x)
    assert.error_matches(function() autograd(function() end, { stableGradients = true }) end,
      'stable gradient tensors only available in optimized mode')
    assert.error_matches(function() autograd(function() end, { optimize = true, profile = 'detailed' }) end,
      'detailed profile not available in optimized mode')
    assert.is_false(autograd.optimizing())
    autograd.optimize(true)
    assert.is_true(autograd.optimizing())
    autograd.optimize(false)
    assert.same({ OFF = 'off', SUMMARY = 'summary', DETAILED = 'detailed' }, autograd.profile)
  end)

  it('differentiates gradients, to the third order', function()
    local first = autograd(function(x) return torch.sum(torch.pow(x, 4)) end)
    local second = autograd(function(x) return torch.sum((first(x))) end)
    local third = autograd(function(x) return torch.sum((second(x))) end)
    assertClose({ 4, 32 }, (first(torch.DoubleTensor { 1, 2 })), tolerance)
    assertClose({ 12, 48 }, (second(torch.DoubleTensor { 1, 2 })), tolerance)
    assertClose({ 24, 48 }, (third(torch.DoubleTensor { 1, 2 })), tolerance)
    -- A gradient penalty, in tables: p'p for f = x'p^2 / 2 + numbers.
    local inner = autograd(function(p, x) return torch.sum(torch.cmul(x, torch.pow(p.w, 2))) / 2 + p.s ^ 3 end)
    local outer = autograd(function(p, x)
      local g, loss = inner(p, x)
      return torch.sum(torch.pow(g.w, 2)) + loss + g.s
    end)
    local g = outer({ w = torch.DoubleTensor { 3 }, s = 2 }, torch.DoubleTensor { 5 })
    assertClose({ 2 * 25 * 3 + 15 }, g.w, tolerance)
    assert.equal(3 * 4 + 6 * 2, g.s)
  end)

  it('is autograd.grad, too, beside gradients of tracked tensors', function()
    assert.equal(6, (autograd.grad(function(x) return x ^ 2 end)(3)))
    local x = torch.DoubleTensor { 3 }:requiresGrad()
    assertClose({ 6 }, autograd.grad(torch.square(x), x))
  end)

  it('trains with loops, recursion and assignment', function()
    local function power(x, n) return n == 1 and x or torch.cmul(x, power(x, n - 1)) end
    assertClose({ 4 * 8 }, (autograd(function(x) return torch.sum(power(x, 4)) end)(torch.DoubleTensor { 2 })))
    local df = autograd(function(x)
      local y = torch.zeros(3):double()
      for i = 1, 3 do y[i] = x[i] * i end
      return torch.sum(torch.cmul(y, y))
    end)
    assertClose({ 2, 8, 18 }, (df(torch.ones(3):double())))
  end)
end)

describe('a look inside', function()
  it('calls the debugHook where numbers go wrong', function()
    local seen = {}
    local df = autograd(function(p)
      local y = torch.log(p)
      local z = torch.sum(y)
      return z
    end, { debugHook = function(debugger, message, gen) seen[#seen + 1] = { debugger.generateDot(), message, gen } end })
    df(torch.DoubleTensor { 0, 1 })
    assert.matches('digraph autograd.*log', seen[1][1])
    assert.matches('^autograd debugger detected a nan or inf value for log at ', seen[1][2])
    assert.matches('torch_log%(rlocals%[1%], p1%)', seen[1][3].source)
    assert.equal(4, seen[1][3].line)
  end)

  it('prints times, the recorded ops, and a drawing', function()
    local lines, before, file = {}, print, os.tmpname()
    _G.print = function(line) lines[#lines + 1] = line end
    local done, message = pcall(function()
      local df = autograd(function(p) return torch.sum(torch.exp(p)) end,
        { profile = autograd.profile.DETAILED, profileReportFrequency = 2, showCode = true, dotFile = file })
      df(torch.ones(2))
      df(torch.ones(2))
    end)
    _G.print = before
    assert.is_true(done, message)
    assert.matches('torch_exp%(rlocals%[1%], p1%)\n    torch_sum%(rlocals%[2%], rlocals%[1%]%)', lines[1])
    assert.matches('%[autograd%] 2 calls: forward [%d.]+ ms, backward [%d.]+ ms, overall [%d.]+ ms', lines[2])
    assert.matches('ms .* %% .*at ', lines[3])
    local handle = io.open(file)
    assert.matches('x1 %-> y1', handle:read '*a')
    handle:close()
    os.remove(file)
  end)
end)

describe("require 'autograd.gradcheck' {...}", function()
  local checker = require 'autograd.gradcheck' { randomizeInput = true }
  local before
  setup(function() before, _G.print = print, function() end end)
  teardown(function() _G.print = before end)

  it('accepts right gradients and finds wrong ones', function()
    local p = { W = torch.randn(2, 3), deep = { b = torch.randn(2), s = 0.5 } }
    assert.is_true(checker(function(q, x) return torch.sum(torch.tanh(q.W * x + q.deep.b)) * q.deep.s end, p, torch.randn(3)))
    assert.is_true(checker(function(x) return x ^ 2 end, 3))
    local wrong = autograd.Function { forward = function(_, x) return torch.mul(x, 2) end, backward = function(_, g) return g end }
    assert.is_false(checker(function(x) return torch.sum(wrong(x)) end, torch.randn(2)))
  end)
end)
