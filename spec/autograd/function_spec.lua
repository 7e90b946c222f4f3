--- Functions with a derivative of the user's own.
local torch = require 'torch'
local autograd = require 'autograd'

local function leaf(...) return torch.DoubleTensor { ... }:requiresGrad() end

local cube = autograd.Function {
  name = 'cube',
  forward = function(ctx, x)
    ctx:save(x)
    return torch.pow(x, 3)
  end,
  backward = function(ctx, g)
    local x = ctx:saved()
    return torch.cmul(g, torch.mul(torch.square(x), 3))
  end,
}

-- (a + b, a b)
local sumAndProduct = autograd.Function {
  name = 'sumAndProduct',
  forward = function(ctx, a, b)
    ctx:save(a, b)
    return torch.add(a, b), torch.cmul(a, b)
  end,
  backward = function(ctx, gSum, gProduct)
    local a, b = ctx:saved()
    local ga, gb = gSum, gSum
    if gProduct then
      ga = ga and torch.add(ga, torch.cmul(gProduct, b)) or torch.cmul(gProduct, b)
      gb = gb and torch.add(gb, torch.cmul(gProduct, a)) or torch.cmul(gProduct, a)
    end
    return ga, ctx.needs[2] and gb or nil
  end,
}

describe('autograd.Function', function()
  it('is differentiable as often as its backward is', function()
    assert(autograd.gradcheck(cube, { torch.DoubleTensor { 0.5, -1.5, 2 } }))
  end)

  it('has several results, of which some may go unused', function()
    local a, b = leaf(2), leaf(5)
    local _, product = sumAndProduct(a, b)
    product:backward()
    assert.equal(5, a.grad[1])
    assert.equal(2, b.grad[1])
    local sum
    sum, product = sumAndProduct(a, b)
    torch.cmul(sum, product):backward()                       -- (a + b) a b
    assert.equal(5 + 2 * 2 * 5 + 25, a.grad[1])
    assert.equal(2 + 4 + 2 * 2 * 5, b.grad[1])
    assert(autograd.gradcheck(sumAndProduct, { torch.DoubleTensor { 1, 2 }, torch.DoubleTensor { 3, -4 } }))
  end)

  it('runs unrecorded where nothing is tracked', function()
    assert.is_false(cube(torch.DoubleTensor { 2 }):isTracked())
    assert.is_false(torch.noGrad(cube, leaf(2)):isTracked())
  end)

  it('does not take the node of an argument that it returns', function()
    local same = autograd.Function { forward = function(_, x) return x end, backward = function(_, g) return torch.mul(g, 7) end }
    local x = leaf(1, 2)
    torch.sum(same(x)):backward()
    assert.equal(7, x.grad[1])
    assert.is_true(x:isLeaf())
  end)

  it('names itself and the saved tensor that was changed, and says when it was released', function()
    local x = torch.mul(leaf(1, 2), 1)
    local y = cube(x)
    x:add(1)
    assert.error_matches(function() torch.sum(y):backward() end, 'cube: backward: saved tensor 1 was changed in place')
    y = cube(leaf(1, 2))
    torch.sum(y):backward(nil, { retainGraph = true })
    torch.sum(y):backward()
    assert.error_matches(function() torch.sum(y):backward() end, 'cube: backward: this part of the graph was released')
  end)

  it('reports errors of its definition and of its gradients', function()
    local function made(backward)
      return autograd.Function { name = 'mine', forward = function(_, x) return torch.mul(x, 2) end, backward = backward }
    end
    assert.error_matches(function() autograd.Function(3) end, 'autograd.Function: definition: a number, expected a table')
    assert.error_matches(function() autograd.Function { forward = print } end, 'autograd.Function: backward: a nil, expected a function')
    local cases = {
      { torch.ones(7), 'mine: backward: gradient 1: size %[7%], expected that of the argument: %[2, 3%]' },
      { 'x', 'mine: backward: gradient 1: a string, expected a tensor' },
    }
    for _, case in ipairs(cases) do
      local x = torch.DoubleTensor(2, 3):fill(1):requiresGrad()
      assert.error_matches(function() torch.sum(made(function() return case[1] end)(x)):backward() end, case[2])
    end
    local x = torch.DoubleTensor(2, 3):fill(1):requiresGrad()
    torch.sum(made(function(_, g) return torch.reshape(g, 6) end)(torch.mul(x, 3))):backward()
    assert.is_true(torch.equal(torch.DoubleTensor(2, 3):fill(3), x.grad))
    assert.error_matches(function() x:registerHook(3) end, 'registerHook: fn: a number, expected a function')
  end)
end)
