-- Programs that combine parts of the tape in unusual ways. Expected values are closed forms, or a simple form of the same computation.
local torch = require 'torch'
local autograd = require 'autograd'
local enableGrad = require('autograd.mode').enableGrad
local assertClose = require('spec.support.close').assertClose

local tolerance = 1e-12
local function vector(...) return torch.DoubleTensor { ... } end
local function leaf(...) return vector(...):requiresGrad() end

describe('gradients that were asked for', function()
  it("are the caller's own, to change in place", function()
    local w = leaf(3)
    autograd.grad(w + 1, w):mul(10)
    autograd.grad(w + 1, w, { createGraph = true }):detach():mul(10)
    local y = torch.sum(w)
    autograd.grad(y, y):mul(10)
    local two = w * 2
    two:backward()
    assertClose({ 2 }, w.grad)
    local a, b = leaf(1, 2), leaf(1, 2)
    local gradients = autograd.grad(torch.sum(a + b), { a, b })
    assertClose({ 10, 10 }, gradients[1]:mul(10))
    assertClose({ 1, 1 }, gradients[2])
  end)

  it('go through what is not wanted, to results and leaves at once', function()
    local x = leaf(2)
    local y = torch.pow(x, 2)
    y:registerHook(function(g) return g * 2 end)
    local gradients = autograd.grad(torch.sum(torch.cmul(y, x)), { y, x })
    assertClose({ 2 * 2 }, gradients[1])                            -- hooked
    assertClose({ 4 + 4 * 4 }, gradients[2])
  end)

  it('say that the graph was released', function()
    local x = leaf(2)
    local y = torch.sum(torch.exp(x))
    autograd.grad(y, x)
    assert.error_matches(function() autograd.grad(y, x) end, 'this part of the graph was released')
  end)

  it('leave what f found elsewhere alone', function()
    local w = leaf(2)
    local before = torch.exp(w)
    local df = autograd(function(p) return torch.sum(torch.cmul(torch.cmul(p, w), before)) end)
    assertClose({ 2 * math.exp(2) }, (df(vector(3))), tolerance)
    assert.is_nil(w.grad)
    torch.sum(before):backward()
    assertClose({ math.exp(2) }, w.grad, tolerance)
  end)

  it('come for one tensor in two places, deep in tables', function()
    local p = { a = { b = { c = { vector(2), { d = vector(3) } } } } }
    p.again = p.a.b.c[1]
    local g, loss = autograd(function(q) return torch.sum(torch.cmul(q.a.b.c[1], q.again)) * 5 + torch.sum(q.a.b.c[2].d) end)(p)
    assert.same({ 23, 10, 10, 1 }, { loss, g.a.b.c[1][1], g.again[1], g.a.b.c[2].d[1] })
  end)

  it('can be differentiated where the inner function closes over the outer parameter', function()
    local outer = autograd(function(a)
      local inner = autograd(function(b) return torch.sum(torch.cmul(torch.pow(a, 2), torch.pow(b, 3))) end)
      return torch.sum((inner(vector(2))))
    end)
    assertClose({ 2 * 3 * 3 * 4 }, (outer(vector(3))), tolerance)
  end)
end)

describe('writes in place', function()
  it('through views, under a gradient that is one expanded number', function()
    local x = leaf(1, 2, 3, 4)
    local y = x * 2
    local v = torch.narrow(y, 1, 2, 2)
    local w = torch.view(v, 2, 1)
    v:cmul(v)
    w:mul(3)
    assertClose({ 2, 48, 108, 8 }, y:detach())
    torch.sum(y):backward()
    assertClose({ 2, 48, 72, 2 }, x.grad)
  end)

  it('through views of a result whose columns lie one after the other', function()
    local twiceByColumns = autograd.Function {
      forward = function(_, x) return torch.mul(x, 2):t():contiguous():t() end,
      backward = function(_, g) return torch.mul(g, 2) end,
    }
    local x = torch.ones(2, 2):double():requiresGrad()
    local y = twiceByColumns(x)
    torch.view(torch.t(y), 4):narrow(1, 1, 2):mul(3)
    torch.sum(y):backward()
    assertClose({ { 6, 2 }, { 6, 2 } }, x.grad)
  end)

  it('are seen by views that were made before, of any kind', function()
    local kinds = {
      function(y) return torch.narrow(torch.view(y, 2, 2), 1, 2, 1) end,
      function(y) return torch.t(torch.view(y, 2, 2)) end,
      function(y) return torch.sub(torch.narrow(y, 1, 2, 3), 1, 2) end,
      function(y) return torch.expand(torch.narrow(y, 1, 1, 1), 5) end,
      function(y) return torch.expandAs(torch.view(y, 4, 1), torch.ones(4, 3)) end,
      function(y) return torch.unfold(y, 1, 2, 1) end,
    }
    for i, kind in ipairs(kinds) do
      local x, expected = leaf(1, 2, 3, 4), leaf(1, 2, 3, 4)
      local y = x * 2
      local seen = kind(y)
      y:cmul(y)                                              -- 4 x^2
      local other = y * 3
      torch.add(torch.sum(torch.pow(seen, 2)), torch.sum(other)):backward()
      local square = torch.pow(expected, 2) * 4
      torch.add(torch.sum(torch.pow(kind(square), 2)), torch.sum(square * 3)):backward()
      assertClose(expected.grad, x.grad, tolerance, i)
    end
  end)

  it('have derivatives of both orders', function()
    local function part(x, first) return torch.narrow(x, 2, first, 2) end
    local writes = {
      function(x, y) part(y, 1):cmul(part(x, 2)) end,
      function(x, y) part(y, 1):cdiv(torch.exp(part(x, 2))) end,
      function(x, y) torch.t(y):add(torch.pow(x, 2)):cmul(torch.t(x)) end,
      function(x, y)
        y[2] = torch.pow(x[1], 2)
        torch.sub(y, 1, 2, 1, 2):pow(2)
      end,
      function(x, y)
        local v = torch.view(y, 9)
        v:cmul(v)
        torch.narrow(v, 1, 3, 4):cmul(torch.view(x, 9):narrow(1, 1, 4))
      end,
    }
    for _, write in ipairs(writes) do
      local function f(x)
        local y = x * 1
        write(x, y)
        return y
      end
      assert.is_true(autograd.gradcheck(f, { torch.DoubleTensor { { 0.5, -1.1, 2 }, { 1.3, 0.7, -0.4 }, { -1.5, 0.9, 1.2 } } }))
    end
  end)

  it('of one part of a tensor to another', function()
    local x = leaf(1, 2, 3, 4)
    local z = x * 1
    local square = torch.view(z, 2, 2)
    torch.select(square, 2, 1):copy(torch.narrow(z, 1, 1, 2))      -- 1 2 / 2 4
    torch.t(square):add(1)
    torch.sum(torch.cmul(square, square)):backward()
    assertClose({ 2, 3, 3, 5 }, z:detach())
    assertClose({ 4, 12, 0, 10 }, x.grad)
  end)

  it('to a quotient', function()
    local x, y = leaf(1, 2), leaf(2, 4)
    torch.sum(torch.cdiv(x, y):mul(8):add(1)):backward()
    assertClose({ 4, 2 }, x.grad)
    assertClose({ -2, -1 }, y.grad)
  end)

  it('to values found along a dimension, whose positions are all that is kept', function()
    for name, rest in pairs {
      max = { 1 }, min = { 1 }, median = { 1 }, mode = { 1 }, sort = { 1 }, kthvalue = { 2, 1 }, topk = { 2, 1 },
    } do
      local x = leaf(3, 1, 2)
      local values, positions = torch[name](x, unpack(rest))
      values:mul(5)
      torch.sum(values):backward()
      assertClose(torch.zeros(3):double():scatter(1, positions, torch.DoubleTensor(positions:size()):fill(5)), x.grad, tolerance)
    end
  end)
end)

describe('broadcasting', function()
  it('sums the gradient over what was repeated, in the type of the argument', function()
    local whole = torch.range(1, 24):double():view(2, 3, 4)
    for i, sizes in ipairs { { 3, 1 }, { 1 }, { 4 }, { 2, 1, 4 }, { 1, 1, 1 }, { 2, 3, 4 } } do
      local size = torch.LongStorage(sizes)
      local small = torch.FloatTensor(size):fill(1.5):requiresGrad()
      local double = small:detach():double():requiresGrad()
      -- For each position: the corresponding element of the smaller tensor, and its value.
      local seen = torch.range(1, small:nElement()):double():view(size):expandAs(whole):contiguous():view(-1)
      local sums = torch.zeros(small:nElement())
      for k = 1, 24 do sums[seen[k]] = sums[seen[k]] + k end

      torch.sum(torch.cmul(torch.pow(small, 2), whole)):backward()
      assert.equal('torch.FloatTensor', small.grad:type())
      assertClose((sums * 3):view(size), small.grad, tolerance, i)
      local function cubes(x) return torch.sum(torch.cmul(whole, torch.pow(x, 3))) end
      local first = autograd.grad(cubes(double), double, { createGraph = true })
      assertClose((sums * 6.75):view(size), first:detach(), tolerance, i)
      assertClose((sums * 9):view(size), autograd.grad(torch.sum(first), double), tolerance, i)
    end
  end)
end)

describe('types that are mixed', function()
  local mixtures = {
    linear = { torch.linear, { 3, 2 }, { 4, 2 }, { 4 } }, mm = { torch.mm, { 3, 2 }, { 2, 4 } },
    addmm = { torch.addmm, { 3, 4 }, { 3, 2 }, { 2, 4 } }, conv2d = { torch.conv2d, { 1, 2, 3, 3 }, { 4, 2, 2, 2 }, { 4 } },
    batchNorm = { function(x, w, b) return (torch.batchNorm(x, w, b, nil, nil, true)) end, { 3, 4 }, { 4 }, { 4 } },
    lstm_cell = { function(x, c) return (torch.lstm_cell(x, c)) end, { 3, 8 }, { 3, 2 } },
    cat = { function(a, b) return torch.cat(a, b, 1) end, { 3, 2 }, { 1, 2 } },
  }
  for name, case in pairs(mixtures) do
    it('give each leaf a gradient of its own: ' .. name, function()
      local f, count = case[1], #case - 1
      local function gradients(types, method)
        local leaves = {}
        for i = 1, count do
          local x = torch.FloatTensor(torch.LongStorage(case[i + 1]))
          local n = 0
          x:apply(function()
            n = n + 1
            return math.sin(n * (1.3 + i))
          end)
          leaves[i] = x:type(types[i]):requiresGrad()
        end
        return method(torch.sum(torch.square(f(unpack(leaves)))), leaves), leaves
      end
      local function byBackward(y, leaves)
        y:backward()
        local found = {}
        for i, x in ipairs(leaves) do found[i] = x.grad end
        return found
      end
      local double = { 'torch.DoubleTensor', 'torch.DoubleTensor', 'torch.DoubleTensor' }
      local expected = gradients(double, byBackward)
      for i = 1, count do
        for _, method in ipairs { byBackward, autograd.grad } do
          local types = { unpack(double) }
          types[i] = 'torch.FloatTensor'
          for k, gradient in ipairs(gradients(types, method)) do
            assert.equal(types[k], gradient:type())
            assertClose(expected[k], gradient, 1e-3, name)
          end
        end
      end
    end)
  end
end)

describe('hooks', function()
  it('that fail leave the graph as it was', function()
    local retained = { retainGraph = true }
    for _, method in ipairs { function(y) y:backward(retained) end, function(y, x) autograd.grad(y, x, retained) end } do
      local x = leaf(2)
      local y = torch.exp(x)
      local hook = y:registerHook(function() error 'from the hook' end)
      local z = torch.sum(torch.cmul(y, y))
      assert.error_matches(function() method(z, x) end, 'from the hook')
      hook:remove()
      z:backward()
      assertClose({ 2 * math.exp(4) }, x.grad, tolerance)
    end
  end)

  it('must give a gradient of the same size', function()
    local x = leaf(1, 2)
    x:registerHook(function(g) return g:sum() end)
    assert.error_matches(function() torch.sum(x):backward() end, 'registerHook: fn: it returned number for a gradient of size 2')
  end)

  it('may run backward passes over other graphs', function()
    local x, w = leaf(2), leaf(5)
    local y = torch.pow(x, 2)
    y:registerHook(function(g)
      return enableGrad(function()
        torch.sum(torch.pow(w, 2)):backward()
        return torch.cmul(g, autograd.grad(torch.pow(w, 3), w))
      end)
    end)
    torch.sum(y * 1):backward()
    assertClose({ 10 }, w.grad)
    assertClose({ 4 * 75 }, x.grad)
  end)
end)

describe('a checkpoint of views', function()
  it('of a result gives its gradient, also where the result was written to', function()
    for _, kind in ipairs {
      function(y) return y:split(2, 1)[2] end, function(y) return torch.narrow(y, 1, 3, 2) end,
      function(y) return torch.select(torch.view(y, 2, 2), 1, 2) end, function(y) return torch.unfold(y, 1, 2, 2)[2] end,
    } do
      for _, factor in ipairs { 1, 2 } do
        for _, found in ipairs { false, true } do
          local x = leaf(1, 2, 3, 4)
          local y = torch.square(x)
          local v = kind(y)
          if factor ~= 1 then y:mul(factor) end
          local function f(a) return torch.square(a or v) end
          torch.sum(autograd.checkpoint(f, not found and v or nil)):backward()
          assertClose({ 0, 0, factor ^ 2 * 108, factor ^ 2 * 256 }, x.grad, tolerance)  -- 4 x^3
        end
      end
    end
  end)
end)

describe('a checkpoint inside a checkpoint', function()
  local w, x, seen
  local function inner(a) return torch.tanh(torch.cmul(a, w)) end
  local function outer(checkpoint, a)
    local between = torch.cmul(a, w)
    between:registerHook(function(g) seen[#seen + 1] = g:sum() end)
    return torch.sum(torch.exp(checkpoint(inner, between)))
  end
  local function checkpointed() return autograd.checkpoint(outer, autograd.checkpoint, x) end
  local function plain() return outer(function(f, a) return f(a) end, x) end
  before_each(function()
    w, x, seen = leaf(0.5, 0.2), leaf(1, 2), {}
  end)

  it('gives the same gradients, and shows them to hooks once', function()
    checkpointed():backward()
    local gx, gw = x.grad, w.grad
    x.grad, w.grad = nil, nil
    plain():backward()
    assertClose(x.grad, gx, tolerance)
    assertClose(w.grad, gw, tolerance)
    assert.equal(2, #seen)
    assert.near(seen[1], seen[2], tolerance)
    local asked = autograd.grad(checkpointed(), { x, w })
    assertClose(gx, asked[1], tolerance)
    assertClose(gw, asked[2], tolerance)
  end)

  it('gives the same gradients of gradients', function()
    local function penalty(y) return autograd.grad(torch.sum(torch.pow(autograd.grad(y, x, { createGraph = true }), 2)), w) end
    assertClose(penalty(plain()), penalty(checkpointed()), tolerance)
  end)
end)

describe('coroutines', function()
  it('record on one tape', function()
    local x = leaf(1, 2)
    local function power(k)
      return coroutine.wrap(function()
        local y = x
        for _ = 1, 3 do
          y = torch.cmul(y, x) * k
          coroutine.yield()
        end
        return torch.sum(y)
      end)
    end
    local a, b = power(2), power(3)
    local ya, yb
    for _ = 1, 4 do ya, yb = a(), b() end
    torch.add(ya, yb):backward()
    assertClose({ 35 * 4, 35 * 4 * 8 }, x.grad)
  end)

  it('may each run a differentiated function, which is not part of the others', function()
    local mul = torch.mul
    local df = autograd(function(p)
      local y = torch.cmul(p, p)
      coroutine.yield()
      return torch.sum(torch.cmul(y, p))
    end)
    local a, b = coroutine.wrap(df), coroutine.wrap(df)
    a(vector(2))
    b(vector(3))
    assert.same({ 12, 8 }, { (function(g, loss) return g[1], loss end)(a()) })
    assert.same({ 27, 27 }, { (function(g, loss) return g[1], loss end)(b()) })
    assert.equal(mul, torch.mul)
  end)
end)

describe('long graphs', function()
  local length = 20000

  it('leave nothing behind when gradients were asked for', function()
    local x = leaf(1, 2)
    local function heap()
      collectgarbage()
      collectgarbage()
      return collectgarbage 'count'
    end
    local function ask()
      local y = x
      for _ = 1, length do y = y * 1 end
      autograd.grad(torch.sum(y), x)
    end
    autograd.grad(torch.sum(x * 1), x)
    local before = heap()
    ask()
    assert.is_true(heap() - before < 1000, ('%d KB'):format(heap() - before))      -- 4 MB of tables, where a trace kept them
  end)

  it('of views of views may be written to at either end', function()
    for _, written in ipairs { 'view', 'base' } do
      local x = leaf(1, 2)
      local y = x * 1
      local v = y
      for _ = 1, length do v = torch.narrow(v, 1, 1, 2) end
      local target = written == 'view' and v or y
      target:mul(3)
      torch.sum(written == 'view' and y or v):backward()
      assertClose({ 3, 3 }, x.grad)
    end
  end)
end)
