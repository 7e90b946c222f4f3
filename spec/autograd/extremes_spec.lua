-- Gradients are finite wherever values are, however large, small, alike or zero the arguments.
local torch = require 'torch'
local autograd = require 'autograd'
local sweep = require 'spec.support.sweep'
local assertClose = require('spec.support.close').within { rtol = 1e-6 }

describe('every op has a finite gradient where its value is finite:', function()
  for title, check in sweep 'extremes' do it(title, check) end
end)

-- Values of closed forms, in float32, where squares of the arguments overflow or underflow. Its epsilon is 6e-8.
describe('the gradient far from 1 is that of the closed form:', function()
  local function leaf(...) return torch.FloatTensor { ... }:requiresGrad() end

  -- First and second derivative of the sum of f at x, by x.
  local function derivatives(f, x)
    local g = autograd.grad(torch.sum(f(x)), x, { createGraph = true })
    return g:detach(), autograd.grad(torch.sum(g), x)
  end

  it('asinh, acosh', function()
    local g, h = derivatives(torch.asinh, leaf(1e30, -1e30, 1e10))
    assertClose({ 1e-30, 1e-30, 1e-10 }, g)
    assertClose({ -1e-20 }, h:narrow(1, 3, 1))
    g, h = derivatives(torch.acosh, leaf(1e30, 1e10, 1.25))
    assertClose({ 1e-30, 1e-10, 4 / 3 }, g)
    assertClose({ -1e-20, -1.25 / 0.75 ^ 3 }, h:narrow(1, 2, 2))
  end)
  it('asin, acos, atanh beside 1', function()
    local x = 1 - 2 ^ -20
    local rest = 2 ^ -19 - 2 ^ -40      -- 1 - x^2
    local g, h = derivatives(torch.asin, leaf(x, -x))
    assertClose({ rest ^ -0.5, rest ^ -0.5 }, g)
    assertClose({ x * rest ^ -1.5, -x * rest ^ -1.5 }, h)
    g, h = derivatives(torch.acos, leaf(x, -x))
    assertClose({ -rest ^ -0.5, -rest ^ -0.5 }, g)
    assertClose({ -x * rest ^ -1.5, x * rest ^ -1.5 }, h)
    g, h = derivatives(torch.atanh, leaf(x, -x))
    assertClose({ 1 / rest, 1 / rest }, g)
    assertClose({ 2 * x / rest ^ 2, -2 * x / rest ^ 2 }, h)
  end)
  it('atan2', function()
    local y, x = leaf(1e-30, 3e20), leaf(1e-30, 4e20)
    torch.sum(torch.atan2(y, x)):backward()
    assertClose({ 0.5e30, 4 / 25e20 }, y.grad)
    assertClose({ -0.5e30, -3 / 25e20 }, x.grad)
    local _, h = derivatives(function(v) return torch.atan2(v, torch.FloatTensor { 2e-15 }) end, leaf(1e-15))
    assertClose({ -2 * 2e-30 / 25e-60 }, h)     -- -2 x y / r^4
  end)
  it('hypot', function()
    local x, y = leaf(0, 3e30), leaf(0, 4e30)
    torch.sum(torch.hypot(x, y)):backward()
    assertClose({ 0, 0.6 }, x.grad)
    assertClose({ 0, 0.8 }, y.grad)
    local _, h = derivatives(function(v) return torch.hypot(v, torch.FloatTensor { 4e15 }) end, leaf(3e15))
    assertClose({ 16e30 / 125e45 }, h)
  end)
  it('addcdiv', function()
    local b = leaf(1e-15)
    local _, h = derivatives(function(v) return torch.addcdiv(torch.zeros(1):float(), 2, torch.FloatTensor { 1e-15 }, v) end, b)
    assertClose({ 4e30 }, h)                       -- 2 value a / b^3
    local g = derivatives(function(v) return torch.addcdiv(torch.zeros(1):float(), torch.FloatTensor { 1e-25 }, v) end, leaf(1e-25))
    assertClose({ -1e25 }, g)
  end)
  it('logsumexp', function()
    local g, h = derivatives(function(v) return torch.logsumexp(v, 1) end, leaf(1e8, 1e8, 1e8))
    assertClose({ 1 / 3, 1 / 3, 1 / 3 }, g)
    assert.is_true(torch.max(torch.abs(h)) < 1e-7)      -- a row of diag(p) - p p', which adds up to 0
  end)
  it('norm, matrix_norm and std', function()
    assertClose({ 0.6, 0.8 }, (derivatives(torch.norm, leaf(3e-30, 4e-30))))
    local function frobenius(v) return torch.matrix_norm(torch.view(v, 1, 2)) end
    assertClose({ 0.6, 0.8 }, (derivatives(frobenius, leaf(3e-30, 4e-30))))
    assertClose({ 0, 0 }, (derivatives(frobenius, leaf(0, 0))))
    local w = torch.FloatTensor { 1, 0 }
    local x = leaf(1e-30, 3e-30)
    local g = autograd.grad(torch.std(x), x, { createGraph = true })
    assertClose({ -math.sqrt(0.5), math.sqrt(0.5) }, g:detach())
    assertClose({ 0, 0 }, autograd.grad(torch.sum(torch.cmul(g, w)), x))     -- std is |x2 - x1| / sqrt(2)
    assertClose({ 0, 0 }, (derivatives(torch.std, leaf(5, 5))))
  end)
  it('corrcoef, which no scale changes', function()
    local x = torch.FloatTensor { { 1, 2, 4, 3 }, { 2, 1, 3, 5 } }
    local function gradient(scale)
      local v = torch.mul(x, scale):requiresGrad()
      torch.sum(torch.cmul(torch.corrcoef(v), torch.FloatTensor { { 0, 1 }, { 0, 0 } })):backward()
      return torch.mul(v.grad, scale)
    end
    local expected = gradient(1)
    for _, scale in ipairs { 2 ^ 60, 2 ^ -60 } do assertClose(expected, gradient(scale), { rtol = 1e-5 }) end
  end)
  it('svd and lstsq, which scale', function()
    local a, b = torch.FloatTensor { { 3, 1 }, { 0.5, 2 }, { 1, -1 } }, torch.FloatTensor { { 1 }, { 2 }, { 3 } }
    local weights = torch.FloatTensor { { 1, 2 }, { 3, 5 }, { 7, 4 } }
    local function ofVectors(scale)
      local v = torch.mul(a, scale):requiresGrad()
      local u, _, w = torch.svd(v)
      torch.sum(torch.mm(torch.cmul(u, weights), w:t())):backward()
      return torch.mul(v.grad, scale)
    end
    assertClose(ofVectors(1), ofVectors(2 ^ -70), { rtol = 1e-4 })
    local function ofSolution(scale)
      local v = torch.mul(a, scale):requiresGrad()
      torch.sum(torch.lstsq(v, torch.mul(b, scale))):backward()
      return torch.mul(v.grad, scale)
    end
    assertClose(ofSolution(1), ofSolution(2 ^ -90), { rtol = 1e-4 })
  end)
  it('trtrs with a unit diagonal', function()
    local b, a = torch.FloatTensor { { 1 }, { 2 } }, torch.FloatTensor { { 1, 0 }, { 1e30, 1 } }:requiresGrad()
    local x = torch.trtrs(b, a, 'L', 'N', 'U')          -- x2 = b2 - a21 b1
    torch.sum(x):backward()
    assertClose({ { 0, 0 }, { -1, 0 } }, a.grad)
  end)
  it('cumsum behind a large gradient', function()
    local x = torch.FloatTensor { 1, 2, 3 }:requiresGrad()
    torch.sum(torch.cmul(torch.cumsum(x), torch.FloatTensor { 1e30, 2, 3 })):backward()
    assertClose({ 1e30, 5, 3 }, x.grad)
  end)
  it('cumprod with zeros, by the products that are left', function()
    local x = torch.DoubleTensor { 2, 0, 3, 0, 5 }
    -- y = 2, 2 b, 2 b 3, 2 b 3 d, 2 b 3 d 5 with weights 1 .. 5; at b = d = 0
    local w, v = torch.DoubleTensor { 1, 2, 3, 4, 5 }, x:clone():requiresGrad()
    torch.sum(torch.cmul(torch.cumprod(v), w)):backward()
    assert.same({ 1, 2 * 2 + 3 * 6, 0, 0, 0 }, v.grad:totable())
    local m = torch.DoubleTensor { { 2, 0, 3 }, { 4, 5, 6 } }:requiresGrad()
    torch.sum(torch.cumprod(m, 2)):backward()
    assert.same({ { 1, 2 + 6, 0 }, { 1 + 5 + 30, 4 + 24, 20 } }, m.grad:totable())
    assert(autograd.gradcheck(function(t) return torch.cumprod(t, 1) end, { torch.DoubleTensor { 0.5, 2, 0, 3 } }))
  end)
  it('pow to the power of 0', function()
    local x, y = torch.DoubleTensor { 0, 2, 0 }:requiresGrad(), torch.DoubleTensor { 0, 0, 2 }
    torch.sum(torch.pow(x, y)):backward()
    assert.same({ 0, 0, 0 }, x.grad:totable())
  end)
end)
