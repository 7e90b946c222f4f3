-- Tracked values are written to one of several untracked tensors that share memory: the tape tracks all of them. Truth: the sum of each
-- written number's weights, and the same program with torch.cat instead of writes.
local torch = require 'torch'
local autograd = require 'autograd'
local assertClose = require('spec.support.close').within(1e-12)

local function leaf(...) return torch.DoubleTensor { ... }:requiresGrad() end
local weights = torch.DoubleTensor { { 1, 2 }, { 3, 4 } }

describe('tracked values copied into a view of an untracked tensor', function()
  it('make the tensor tracked', function()
    local g, out = leaf(5, 6), torch.zeros(2, 2)
    out:select(1, 2):copy(g)
    assert.is_true(out:isTracked())
    torch.sum(torch.cmul(out, weights)):backward()
    assertClose({ 3, 4 }, g.grad)
    assertClose({ { 0, 0 }, { 5, 6 } }, out:detach())
  end)

  it('reach every other view', function()
    local g, out = leaf(5, 6), torch.ones(2, 2)
    local turned, flat = out:t(), out:view(4)
    out:narrow(1, 1, 1):add(g:view(1, 2))
    torch.sum(torch.cmul(turned, weights)):backward(nil, { retainGraph = true })      -- the first row is the first column there
    assertClose({ 1, 3 }, g.grad)
    flat:sum():backward()
    assertClose({ 2, 4 }, g.grad)
    assert.is_true(torch.isTensor(flat[1]) and flat[1]:isTracked())
    assert.equal(6, flat[1]:item())
  end)

  it('make views follow where the base is written', function()
    local g, out = leaf(2, 3), torch.zeros(2)
    local view = out:narrow(1, 2, 1)
    out:copy(g)
    torch.cmul(view, view):sum():backward()
    assertClose({ 0, 6 }, g.grad)
  end)

  it('row after row, as a program keeps its states', function()
    local x, states = leaf(0.5, -0.25), torch.zeros(3, 2)
    local h, rows = x, {}
    for t = 1, 3 do
      h = torch.tanh(h * 2)
      states[t]:copy(h)
      rows[t] = h:view(1, 2)
    end
    local expected = autograd.grad(torch.square(torch.cat(rows, 1)):sum(), x, { retainGraph = true })
    torch.square(states):sum():backward()
    assertClose(expected, x.grad)
  end)

  it('are forgotten where others are written over them', function()
    local g, out = leaf(2, 3), torch.zeros(2, 2)
    out[1]:copy(g)
    out[1]:fill(1)
    out[2]:copy(g)
    torch.sum(torch.cmul(out, weights)):backward()
    assertClose({ 3, 4 }, g.grad)
  end)

  it('through overlapping and strided views', function()
    local g, memory = leaf(1, 10, 100), torch.zeros(6)
    local windows = memory:unfold(1, 3, 1)
    memory:unfold(1, 1, 2):select(2, 1):copy(g)      -- elements 1, 3 and 5
    windows:sum():backward()                         -- 1 2 3 3 2 1 windows show each element
    assertClose({ 1, 3, 2 }, g.grad)
  end)

  it('have derivatives of any order', function()
    local x, out = leaf(2, 3), torch.zeros(2, 2)
    out:select(2, 1):copy(torch.pow(x, 3))
    local first = autograd.grad(out:sum(), x, { createGraph = true })
    assertClose({ 12, 27 }, first:detach())
    assertClose({ 12, 18 }, autograd.grad(first:sum(), x))
    local function f(y)
      local whole = torch.zeros(2, 3)
      whole:narrow(2, 2, 2):copy(torch.exp(y))
      whole[1]:cmul(whole[2])
      return torch.square(whole)
    end
    assert.is_true(autograd.gradcheck(f, { torch.randn(2, 2) }))
  end)

  it('in every float type, and in a part of a larger storage', function()
    for _, kind in ipairs { 'torch.FloatTensor', 'torch.HalfTensor' } do
      local g = torch.ones(2):type(kind):requiresGrad()
      local out = torch.zeros(5, 2):type(kind):narrow(1, 3, 2)
      out[2]:copy(g)
      out:sum():backward()
      assertClose({ 1, 1 }, g.grad:double())
    end
  end)

  it('stay a constant inside noGrad', function()
    local g, out = leaf(1, 2), torch.zeros(2, 2)
    torch.noGrad(function() out[1]:copy(g) end)
    assert.is_false(out:isTracked())
  end)
end)

describe('a tensor that shares its memory with', function()
  it('a tracked one refuses tracked values: their history would be lost', function()
    local x, y = leaf(1, 2), leaf(3, 4)
    local alias = x:detach()
    assert.error_matches(function() alias:narrow(1, 1, 1):copy(y:narrow(1, 1, 1)) end,
      'copy: result: an untracked tensor that shares its memory with a tracked one')
    local result = x * 2
    local other = result:detach()
    assert.error_matches(function() other:copy(y) end, 'whose history the tape would lose')
    assertClose({ 2, 4 }, result:detach())
  end)

  it('garbage alone takes them', function()
    local y, alias = leaf(3, 4), leaf(1, 2):detach()
    alias:copy(y)
    alias:sum():backward()
    assertClose({ 1, 1 }, y.grad)
  end)

  it('others goes back to the collector with them', function()
    local function memory()
      for _ = 1, 4 do collectgarbage() end
      return torch.memory().live
    end
    local g = torch.ones(1000):requiresGrad()
    local before
    for i = 1, 20 do
      local out = torch.zeros(50, 1000)
      out[i]:copy(g)
      out:sum():backward()
      out = nil      -- luacheck: ignore
      if i == 2 then before = memory() end
    end
    assert.is_true(memory() - before < 1e5)
  end)
end)

describe('as_strided on the tape', function()
  it('has a derivative where it stays within its argument', function()
    assert.is_true(autograd.gradcheck(function(x) return torch.as_strided(torch.square(x), { 3, 2 }, { 1, 2 }, 2) end, { torch.randn(6) }))
  end)
  it('refuses positions out of range', function()
    local x = leaf(1, 2, 3, 4)
    local y = torch.as_strided(x:narrow(1, 2, 2), { 2 }, { 1 }, 1)
    assert.error_matches(function() y:sum():backward() end, 'as_strided: backward: it reaches past its argument')
  end)
end)
