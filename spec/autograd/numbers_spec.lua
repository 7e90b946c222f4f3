-- One element of a tracked tensor is the tape's number: it scales as a Lua number would. Truth: the same with plain numbers.
local torch, autograd = require 'torch', require 'autograd'
local program = require 'spec.support.program'
local assertClose = require('spec.support.close').within(1e-12)

local M = torch.DoubleTensor { { 1, 2 }, { 3, 4 } }
local v = torch.DoubleTensor { 1, 2, 3 }

-- Computations with a number n, tracked or not.
local uses = {
  ['M * n'] = function(n) return M * n end, ['n * M'] = function(n) return n * M end, ['v * n'] = function(n) return v * n end,
  ['n * v'] = function(n) return n * v end, ['a batch * n'] = function(n) return torch.ones(2, 2, 2) * n end,
  ['torch.mul(x, n)'] = function(n) return torch.mul(M, n) end, ['torch.div(x, n)'] = function(n) return torch.div(M, n) end,
  ['x:mul(n)'] = function(n) return M:clone():mul(n) end, ['x:div(n)'] = function(n) return M:clone():div(n) end,
  ['torch.mul(result, x, n)'] = function(n) return torch.mul(torch.DoubleTensor(2, 2), M, n) end,
  ['x:fill(n)'] = function(n) return torch.zeros(2, 3):fill(n) end,
  ['M / n'] = function(n) return M / n end, ['M + n'] = function(n) return M + n end, ['n - v'] = function(n) return n - v end,
}

it('a string that is a number counts as the number in derivatives, too, in any position', function()
  local x = torch.DoubleTensor { 0.5, 2 }:requiresGrad()
  local function derivatives(y)
    local first = autograd.grad(torch.sum(y), x, { createGraph = true })
    return first:detach(), autograd.grad(torch.sum(first), x)
  end
  local rate = math.log(3)
  local first, second = derivatives(torch.pow('3', x))      -- d 3^x / dx = log(3) 3^x
  assertClose({ rate * 3 ^ 0.5, rate * 9 }, first)
  assertClose({ rate ^ 2 * 3 ^ 0.5, rate ^ 2 * 9 }, second)
  first, second = derivatives(torch.pow(x, '3'))
  assertClose({ 0.75, 12 }, first)
  assertClose({ 3, 12 }, second)
end)

describe('a tracked number', function()
  for name, use in pairs(uses) do
    it('is taken by ' .. name, function()
      local t = torch.DoubleTensor { 2.5, 7 }:requiresGrad()
      assertClose(use(2.5), use(t[1]))
      local y = use(t[1])
      torch.sum(torch.cmul(y, torch.cos(torch.range(1, y:nElement())):viewAs(y))):backward()
      local function value(n)
        local z = use(n)
        return torch.sum(torch.cmul(z, torch.cos(torch.range(1, z:nElement())):viewAs(z)))
      end
      assert.near((value(2.5 + 1e-5) - value(2.5 - 1e-5)) / 2e-5, t.grad[1], 1e-8)
      assert.equal(0, t.grad[2])
    end)
    it('is taken by ' .. name .. ' in a differentiated function', function()
      local df = autograd(function(p) return torch.sum(use(p.n)) end)
      local g, loss = df { n = 2.5 }
      assertClose(torch.sum(use(2.5)), loss)
      assert.near((torch.sum(use(2.5 + 1e-5)) - torch.sum(use(2.5 - 1e-5))) / 2e-5, g.n, 1e-7)
    end)
  end

  it('leaves products of vectors what they are', function()
    local w, x = torch.ones(3, 1):requiresGrad(), torch.DoubleTensor { 5 }:requiresGrad()
    assert.same({ 3 }, (w * x):size():totable())
    assert.same({ 1 }, (x * x):size():totable())
    assert.error_matches(function() return torch.ones(2, 3) * torch.ones(2):requiresGrad() end, 'size')
    assert.error_matches(function() return torch.ones(2, 3) * torch.ones(1) end, 'size')
    assert.error_matches(function() return torch.mul(M, torch.ones(1)) end, 'mul: arguments')
  end)
end)

describe('a reduction of a number', function()
  for name, expected in pairs { sum = 5, mean = 5, prod = 5, max = 5, min = 5, norm = 5 } do
    it(name .. ' gives the number', function() assert.equal(expected, (torch[name](5))) end)
  end
  it('of a negative one is its magnitude by norm', function() assert.equal(5, torch.norm(-5)) end)
  it('is differentiated where its argument is the tape\'s', function()
    local a = torch.DoubleTensor { { 2, 1 }, { 0.5, 3 } }
    assert.is_true(autograd.gradcheck(function(x) return torch.sum(torch.det(x)) end, { a }))
  end)
  it('of something else is refused', function()
    assert.error_matches(function() torch.sum 'x' end, 'sum: arguments')
    assert.error_matches(function() torch.sum(5, 1) end, 'sum: arguments')
  end)
end)

describe('a message about a tensor', function()
  local head = "local torch = require 'torch'; require 'autograd'; local w = torch.ones(2):requiresGrad(); "
  local function complaint(code)
    local _, status, errors = program.run { '-e', head .. code }
    assert.equal(1, status)
    return errors
  end
  it('in a condition names item()', function() assert.matches(':item%(%)', complaint 'if torch.sum(w) > 0 then end') end)
  it('that came to a function of math names the op', function()
    assert.matches('a tensor: torch%.exp', complaint 'return 1 + math.exp(torch.sum(w))')
    assert.matches('a tensor: torch%.floor', complaint 'return 1 + math.floor(w)')
  end)
  it('in a list for a new tensor names torch.stack', function()
    assert.matches('tensor; torch%.stack', complaint 'return torch.Tensor { w[1], w[2] }')
  end)
end)
