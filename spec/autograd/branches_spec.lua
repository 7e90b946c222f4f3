-- First and second derivatives where a rule divides or branches: zeros, ties, ends of domains.
local torch = require 'torch'
local autograd = require 'autograd'
local sweep = require 'spec.support.sweep'

describe('every op has its derivatives at zeros, ties and ends, too:', function()
  for title, check in sweep 'branches' do it(title, check) end
end)

describe('the second derivative is that of the closed form:', function()
  -- The derivative of the sum of the gradient of the loss f(x).
  local function second(f, x)
    x = x:clone():requiresGrad()
    local g = autograd.grad(f(x), x, { createGraph = true })
    return autograd.grad(torch.sum(g), x):totable()
  end
  local x = torch.DoubleTensor { 2, 0, 3, 4 }
  local function weighted(y) return torch.sum(torch.cmul(y, torch.DoubleTensor { 1, 2, 3, 4 })) end

  -- Entry i is the sum over j ~= i of the product of all but i and j.
  it('prod with one zero and with two', function()
    assert.same({ 12, 26, 8, 6 }, second(torch.prod, x))
    assert.same({ 0, 8, 0, 8 }, second(torch.prod, torch.DoubleTensor { 2, 0, 4, 0 }))
    assert.same({ 0, 0, 0, 0 }, second(torch.prod, torch.DoubleTensor { 0, 0, 4, 0 }))
  end)
  it('prod along a dimension', function()
    local m = torch.DoubleTensor { { 2, 0, 3 }, { 0, 5, 0 }, { 1, 2, 3 } }
    local function rows(t) return torch.sum(torch.prod(t, 2)) end
    assert.same({ { 3, 5, 2 }, { 5, 0, 5 }, { 5, 4, 3 } }, second(rows, m))
    assert.same({ { 3, 5, 2 }, { 5, 0, 5 }, { 5, 4, 3 } }, second(function(t) return torch.sum(torch.prod(t, -1)) end, m))
  end)
  it('cumprod with zeros, also of a product with other factors', function()
    -- f = a + 2 a b + 3 a b c + 4 a b c d at a, b, c, d = 2, 0, 3, 4, and at 2, 0, 0, 4
    local function gradientSum(a, b, c, d)
      return { 2 + 3 * (c + b) + 4 * (c * d + b * d + b * c), 2 + 3 * (c + a) + 4 * (c * d + a * d + a * c),
        3 * (b + a) + 4 * (b * d + a * d + a * b), 4 * (b * c + a * c + a * b) }
    end
    local function f(t) return weighted(torch.cumprod(t)) end
    assert.same(gradientSum(2, 0, 3, 4), second(f, x))
    assert.same(gradientSum(2, 0, 0, 4), second(f, torch.DoubleTensor { 2, 0, 0, 4 }))
  end)
  it('det of a matrix without rank', function()
    -- det = a d - b c: its second derivatives are 1 and -1 for all elements.
    assert.same({ { 1, -1 }, { -1, 1 } }, second(torch.det, torch.zeros(2, 2):double()))
    assert.same({ { 1, -1 }, { -1, 1 } }, second(torch.det, torch.DoubleTensor { { 1, 2 }, { 2, 4 } }))
  end)
  it('pow to the power of 0', function()
    -- d2 (x^y) / dx dy is 1 / x at y = 0
    local base, power = torch.DoubleTensor { 2, 4 }:requiresGrad(), torch.DoubleTensor { 0, 0 }:requiresGrad()
    local g = autograd.grad(torch.sum(torch.pow(base, power)), base, { createGraph = true })
    assert.same({ 0.5, 0.25 }, autograd.grad(torch.sum(g), power):totable())
  end)
  it('the largest magnitude, which ties share', function()
    local t = torch.DoubleTensor { 2, -2, 1 }:requiresGrad()
    torch.norm(t, math.huge):backward()
    assert.same({ 0.5, -0.5, 0 }, t.grad:totable())
  end)
end)
