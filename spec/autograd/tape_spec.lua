--- The tape against closed forms: recorded ops, gradients, and memory that it holds and frees.
local torch = require 'torch'
local autograd = require 'autograd'
local assertClose = require('spec.support.close').within { rtol = 1e-12, atol = 1e-12 }

local function leaf(...) return torch.DoubleTensor { ... }:requiresGrad() end

describe('backward', function()
  it('gives the gradient of a product of functions', function()
    local x, y = leaf(1, 2, 3), leaf(4, 5, 6)
    torch.sum(torch.cmul(torch.add(x, y), torch.tanh(x))):backward()
    local dx, dy = {}, {}
    for i = 1, 3 do
      local t = math.tanh(i)
      dx[i], dy[i] = t + (2 * i + 3) * (1 - t * t), t
    end
    assertClose(dx, x.grad)
    assertClose(dy, y.grad)
  end)

  it('adds to the gradients that leaves have', function()
    local x = leaf(1, 2)
    torch.sum(torch.mul(x, 3)):backward()
    torch.sum(torch.mul(x, 4)):backward()
    assertClose({ 7, 7 }, x.grad)
    x:zeroGrad()
    assertClose({ 0, 0 }, x.grad)
    x.grad = nil
    assert.is_nil(x.grad)
  end)

  it('gives leaves gradients of their own, which may be changed in place', function()
    local x, y = leaf(1, 2), leaf(3, 4)
    torch.sum(torch.add(x, y)):backward()
    x.grad:mul(10)
    assertClose({ 10, 10 }, x.grad)
    assertClose({ 1, 1 }, y.grad)
  end)

  it('takes the gradient of a result of several elements', function()
    local x = leaf(1, 2, 3)
    torch.square(x):backward(torch.DoubleTensor { 1, 10, 100 })
    assertClose({ 2, 40, 600 }, x.grad)
    assert.has_error(function() torch.square(x):backward() end,
      'backward: gradient: none was given, and y has 3 elements; only one element has a gradient of 1')
    assert.has_error(function() torch.square(x):backward(torch.DoubleTensor { 1, 2 }) end,
      'backward: gradient: size [2], expected the size of y: [3]')
    assert.error_matches(function() x.grad = torch.ones(2, 1) end, 'grad: size %[2, 1%], expected the size of x: %[3%]$')
  end)

  it('sums gradients over what was broadcast', function()
    local row, column = torch.DoubleTensor { { 1, 2, 3 } }:requiresGrad(), torch.DoubleTensor { { 10 }, { 20 } }:requiresGrad()
    torch.sum(torch.cmul(row, column)):backward()
    assertClose({ 30, 30, 30 }, row.grad[1])
    assert.same({ 1, 3 }, row.grad:size():totable())
    assertClose({ 6, 6 }, column.grad:t()[1])
  end)

  it('says that a graph was released, and keeps it on demand', function()
    local x = leaf(2)
    local y = torch.sum(torch.exp(x))
    y:backward(nil, { retainGraph = true })
    y:backward()
    assertClose({ 2 * math.exp(2) }, x.grad)
    assert.error_matches(function() y:backward() end, 'sum: backward: this part of the graph was released by an earlier backward')
  end)

  it('refuses a tensor that depends on no leaf', function()
    assert.error_matches(function() torch.DoubleTensor { 1 }:backward() end, 'backward: y: .* depends on no tensor')
  end)

  it('runs back over a chain of a million nodes, and frees it', function()
    local x = leaf(1)
    local y = x
    for _ = 1, 1e6 do y = torch.add(y, x) end
    y:backward()
    assert.equal(1e6 + 1, x.grad[1])
    y = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.is_true(collectgarbage 'count' < 1e5)
  end)

  it('leaves memory where it was over many iterations', function()
    local x = leaf(1, 2, 3)
    local function step()
      x.grad = nil
      torch.sum(torch.cmul(torch.sigmoid(x), torch.exp(x))):backward()
    end
    local function settle()
      for _ = 1, 2000 do step() end
      collectgarbage()
      collectgarbage()
      return collectgarbage 'count'
    end
    local before = settle()
    assert.is_true(settle() < before + 50)
  end)

  it('puts recording back as it was after an error', function()
    local x = leaf(1)
    local handle = x:registerHook(function() error 'from the hook' end)
    assert.error_matches(function() torch.sum(torch.exp(x)):backward() end, 'from the hook')
    handle:remove()
    local y = torch.sum(torch.exp(x))
    assert.is_true(y:isTracked())
    y:backward()
    assertClose({ math.exp(1) }, x.grad)
  end)
end)

describe('what is tracked', function()
  it('starts with requiresGrad, which returns its tensor', function()
    local x = torch.DoubleTensor { 1 }
    assert.is_false(x:isTracked())
    assert.equal(x, x:requiresGrad())
    assert.is_true(x:isTracked() and x.requires_grad and x:isLeaf())
    assert.is_false(torch.exp(x):isLeaf())
    assert.is_false(x:requiresGrad(false):isTracked())
    assert.error_matches(function() torch.LongTensor { 1 }:requiresGrad() end, 'requiresGrad: x: torch.LongTensor')
  end)

  it('is not what noGrad ran, nor a detached tensor, nor a mask', function()
    local x = leaf(1, 2)
    local y, five = torch.noGrad(function(z) return torch.exp(z), 5 end, x)
    assert.equal(5, five)
    assert.is_false(y:isTracked())
    assert.is_false(torch.exp(x):detach():isTracked())
    assert.is_false(torch.gt(x, 1):isTracked())
    torch.noGrad(function()
      assert.is_true(torch.enableGrad(torch.exp, x):isTracked())
      torch.noGrad(function() end)
      assert.is_false(torch.exp(x):isTracked())
    end)
    assert.has_error(function() torch.noGrad(error, 'inside', 0) end, 'inside')
    assert.error_matches(function() torch.noGrad(torch.ones(2)) end, 'noGrad: f: a tensor, expected a function')
    assert.is_true(torch.exp(x):isTracked())
  end)

  it('is a sum over everything, as a tensor of one element', function()
    local x = leaf(1, 2)
    local s = torch.sum(x)
    assert.same({ 1 }, s:size():totable())
    assert.equal(3, s:item())
    assert.equal(3, torch.noGrad(torch.sum, x))
  end)
end)

describe('autograd.grad', function()
  it('gives gradients without touching grad fields', function()
    local x, y = leaf(2), leaf(3)
    local z = torch.cmul(x, torch.square(y))
    local gx, gy = unpack(autograd.grad(z, { x, y }))
    assertClose({ 9 }, gx)
    assertClose({ 12 }, gy)
    assert.is_nil(x.grad)
  end)

  it('differentiates gradients, to the third order', function()
    local x = leaf(2)
    local first = autograd.grad(torch.pow(x, 4), x, { createGraph = true })
    local second = autograd.grad(first, x, { createGraph = true })
    local third = autograd.grad(second, x)
    assertClose({ 32 }, first)
    assertClose({ 48 }, second)
    assertClose({ 48 }, third)
  end)

  it('gives gradients of results on the way', function()
    local x = leaf(2)
    local y = torch.square(x)
    assertClose({ 8 }, autograd.grad(torch.square(y), y))
  end)

  it('says which tensor is not used', function()
    local x, y = leaf(2), leaf(3)
    assert.error_matches(function() autograd.grad(torch.exp(x), { x, y }) end, 'grad: xs: y does not depend on tensor 2')
    assert.is_nil(autograd.grad(torch.exp(x), y, { allowUnused = true }))
  end)
end)

describe('in-place ops', function()
  it('are recorded', function()
    local x = leaf(0.5, -1)
    local y = torch.mul(x, 2)
    y:add(1):tanh()
    torch.sum(y):backward()
    assertClose({ 2 * (1 - math.tanh(2) ^ 2), 2 * (1 - math.tanh(-1) ^ 2) }, x.grad)
  end)

  it('save the old value if a rule needs it', function()
    local x = leaf(2, 3)
    local y = torch.mul(x, 2)
    y:cmul(x)
    torch.sum(y):backward()
    assertClose({ 8, 12 }, x.grad)
  end)

  it('stop at leaves', function()
    local x = leaf(1, 2)
    assert.error_matches(function() x:add(1) end, 'add: result: a leaf that requires a gradient cannot be changed in place')
    assert.error_matches(function() x:narrow(1, 1, 1):fill(0) end, 'fill: result: a view of a leaf')
    torch.noGrad(function() x:add(1) end)
    assertClose({ 2, 3 }, x)
  end)

  it('make a tensor that is kept for a gradient stale', function()
    local x = leaf(1, 2)
    local y = torch.exp(x)
    y:add(1)
    assert.error_matches(function() torch.sum(y):backward() end,
      'exp: backward: its result, kept for the gradient, was changed in place or set to other memory since')
    local a, b = torch.mul(x, 2), torch.mul(x, 3)
    local z = torch.cmul(a, b)
    b:add(1)
    assert.error_matches(function() torch.sum(z):backward() end, "cmul: backward: argument 2 'y', kept for the gradient")
  end)

  it('take no offence at a change that no gradient needs', function()
    local x = leaf(1, 2)
    local y = torch.mul(x, 2)
    local z = torch.add(y, x)
    y:zero()
    torch.sum(z):backward()
    assertClose({ 3, 3 }, x.grad)
  end)

  it('through a view change the history of its base and of other views', function()
    local x, y = leaf(1, 2, 3), leaf(4, 5)
    local z = torch.mul(x, 2)
    local tail, head = z:narrow(1, 2, 2), z:narrow(1, 1, 2)
    tail:cmul(y)                                              -- z = 2 x1, 2 x2 y1, 2 x3 y2
    torch.add(torch.sum(torch.square(z)), torch.sum(torch.square(head))):backward()
    assertClose({ 16, 16 * 2 * 16, 8 * 3 * 25 }, x.grad)
    assertClose({ 16 * 4 * 4, 8 * 9 * 5 }, y.grad)
  end)

  it('through a view of a view, and twice', function()
    local x = leaf(1, 2, 3, 4)
    local z = torch.mul(x, 1)
    local middle = z:narrow(1, 2, 3):narrow(1, 1, 2)          -- x2, x3
    middle:mul(3)
    z:narrow(1, 3, 2):cmul(z:narrow(1, 1, 2))                 -- z = x1, 3 x2, 3 x3 x1, x4 3 x2
    torch.sum(z):backward()
    assertClose({ 1 + 9, 3 + 12, 3, 6 }, x.grad)
  end)
end)

describe('hooks', function()
  it('see the complete gradient, may replace it, and can be removed', function()
    local x = leaf(1, 2)
    local seen = {}
    local handle = x:registerHook(function(g)
      seen[#seen + 1] = g[1]
      return torch.mul(g, 10)
    end)
    torch.sum(torch.add(torch.mul(x, 2), torch.mul(x, 3))):backward()
    assert.same({ 5 }, seen)
    assertClose({ 50, 50 }, x.grad)
    handle:remove()
    x.grad = nil
    torch.sum(x):backward()
    assertClose({ 1, 1 }, x.grad)
  end)

  it('work on results, whose gradients can be kept', function()
    local x = leaf(3)
    local y = torch.square(x):retainGrad()
    torch.square(y):backward()
    assertClose({ 18 }, y.grad)
    assertClose({ 108 }, x.grad)
  end)

  it('may run a backward of their own', function()
    local x, inner = leaf(3), leaf(5)
    local y = torch.square(x)
    y:registerHook(function() torch.enableGrad(torch.square, inner):backward() end)
    torch.square(y):backward()
    assertClose({ 108 }, x.grad)
    assertClose({ 10 }, inner.grad)
  end)
end)

describe('a tensor that the tape does not follow', function()
  local function parameter() return torch.ones(2):requiresGrad() end

  it('takes them by index, and where its memory is its own', function()
    local b, x = torch.zeros(3, 2), parameter()
    b[2] = x
    b:sum():backward()
    assert.same({ 1, 1 }, x.grad:totable())
    local c = torch.Tensor(1, 2):squeeze()         -- its base is garbage
    c:copy(x)
    c:sum():backward()
    assert.same({ 2, 2 }, x.grad:totable())
  end)
end)

describe('a tensor kept for backward', function()
  local function backwardAfter(change)
    local w, x = torch.ones(4):narrow(1, 1, 2), torch.ones(2):requiresGrad()
    local y = torch.sum(torch.cmul(x, w))
    change(w)
    y:backward()
  end

  it('must not be made to show other elements meanwhile', function()
    for _, change in ipairs { function(w) w:set() end, function(w) w:set(torch.ones(2)) end, function(w) w:set(w:storage(), 3, 2) end,
                              function(w) w:set():resize(2):fill(1) end, function(w) torch.narrow(w, torch.ones(5), 1, 1, 2) end } do
      assert.error_matches(function() backwardAfter(change) end, 'was changed in place')
    end
    backwardAfter(function() end)
  end)
end)

describe('a tensor that is made to show others', function()
  it('by a constructor, too, keeps their history', function()
    for _, alias in ipairs { torch.Tensor, torch.DoubleTensor.new, function(z) return z:new() end, function(z) return z:new(z) end } do
      local x = torch.ones(2):requiresGrad()
      torch.sum(alias(torch.mul(x, 3))):backward()
      assert.same({ 3, 3 }, x.grad:totable())
      assert.is_false(torch.noGrad(function() return alias(x):isTracked() end))
    end
  end)

  it('follows a tracked one', function()
    local x, y = torch.ones(2, 2):requiresGrad(), torch.zeros(3)
    local z = torch.mul(x, 3)
    y:set(z:t())
    assert.is_true(y:isTracked())
    y[1]:mul(2)                                    -- y is a view: z is written to
    torch.sum(z):backward()
    assert.same({ { 6, 3 }, { 6, 3 } }, x.grad:totable())
  end)

  it('loses its past to an untracked one; a leaf stays a leaf', function()
    local x = torch.ones(2):requiresGrad()
    local y = torch.mul(x, 3)
    y:set(torch.ones(3))
    assert.is_false(y:isTracked())
    x:set(torch.zeros(3))
    torch.sum(x):backward()
    assert.same({ 1, 1, 1 }, x.grad:totable())
    assert.error_matches(function() x:set(torch.mul(x, 2)) end, 'set: self: a leaf')
  end)

  it('keeps its sizes when it is a result', function()
    local y = torch.mul(torch.ones(2, 3):requiresGrad(), 2)
    assert.equal(y, y:resize(2, 3))
    assert.error_matches(function() y:resize(6) end, 'resize: self: the result of mul, .* use view or reshape')
    assert.error_matches(function() y:resizeAs(torch.ones(6)) end, 'resizeAs: self: the result of mul')
    torch.noGrad(function() y:resize(6) end)
  end)
end)

describe('A backward pass outside of Lua', function()
  it('comes back for hooks and functions of users, and goes on', function()
    local square = autograd.Function {
      name = 'square',
      forward = function(ctx, x) ctx:save(x) return torch.cmul(x, x) end,
      backward = function(ctx, g) return torch.mul(torch.cmul(g, ctx:saved()), 2) end,
    }
    local x = torch.DoubleTensor { 1, 2 }:requiresGrad()
    local seen
    local y = torch.mul(x, 3)
    y:registerHook(function(g) seen = g:clone() return torch.mul(g, 10) end)
    torch.sum(square(y)):backward()                                   -- 9 x^2: 18 x, times 10
    assert.same({ 6, 12 }, seen:totable())
    assert.same({ 180, 360 }, x.grad:totable())
  end)

  it('leaves nothing behind when it fails', function()
    local x = torch.DoubleTensor { 1, 2 }:requiresGrad()
    local y = torch.tanh(x)
    local z = torch.cmul(y, y)
    y:registerHook(function() error 'no further' end)
    assert.has_error(function() torch.sum(z):backward({ retainGraph = true }) end)
    assert.is_nil(x.grad)
    local w = torch.cmul(x, x)
    torch.sum(w):backward()
    assert.same({ 2, 4 }, x.grad:totable())
  end)

  it('may be started by a hook, on the same graph', function()
    local x = torch.DoubleTensor { 3 }:requiresGrad()
    local y = torch.cmul(x, x)
    local z = torch.mul(y, 2)
    local depth = 0
    z:registerHook(function()
      depth = depth + 1
      if depth == 1 then z:backward({ retainGraph = true }) end
    end)
    torch.sum(z):backward({ retainGraph = true })
    assert.same({ 24 }, x.grad:totable())
  end)

  it('knows views of what was written after they were made', function()
    local x = torch.DoubleTensor { { 1, 2 }, { 3, 4 } }:requiresGrad()
    local base = torch.mul(x, 2)
    local row, column = torch.select(base, 1, 2), torch.narrow(torch.t(base), 1, 2, 1)
    base:mul(5)
    torch.sum(torch.cmul(row, row)):backward({ retainGraph = true })  -- (10 x)^2 in the second row
    assert.same({ { 0, 0 }, { 600, 800 } }, x.grad:totable())
    x:zeroGrad()
    torch.sum(column):backward()
    assert.same({ { 0, 10 }, { 0, 10 } }, x.grad:totable())
  end)

  it('knows views whose graph was released', function()
    local x = torch.DoubleTensor { 1, 2, 3 }:requiresGrad()
    local y = torch.mul(x, 2)
    local part = torch.narrow(y, 1, 2, 2)
    torch.sum(part):backward()
    y:zero()
    assert.same({ 0, 0 }, part:totable())
    assert.same(0, torch.sum(torch.mul(part, 3)):item())
  end)

  it('says which kept tensor was changed', function()
    local x = torch.DoubleTensor { 1, 2 }:requiresGrad()
    local factor = torch.DoubleTensor { 3, 4 }
    local y = torch.sum(torch.cmul(x, factor))
    factor:fill(0)
    assert.error_matches(function() y:backward() end, "cmul: backward: argument 2 'y', kept for the gradient, was changed in place")
  end)
end)
