-- Gradients of control flow in graphs: against the tape, which records loops and branches in Lua as they run; forward mode and batches.
local torch, nn, autograd = require 'torch', require 'nn', require 'autograd'
local graph = torch.graph
local isClose = require('spec.support.close').isClose

local function close(actual, expected)
  return assert.is_true(isClose(expected, actual, { rtol = 1e-12, atol = 1e-12, sameType = true }))
end

local T = torch.Tensor

-- The gradients of sum(w . output) by the inputs, recorded while f runs in Lua.
local function onTape(f, inputs, weights)
  local leaves, loss = {}, 0
  for i, x in ipairs(inputs) do leaves[i] = x:isFloatingPoint() and x:clone():requiresGrad() or x end
  for i, y in ipairs { f(unpack(leaves)) } do
    if y:isTracked() then loss = torch.sum(torch.cmul(y, weights[i])) + loss end
  end
  loss:backward()
  local gradients = {}
  for i, leaf in ipairs(leaves) do gradients[i] = leaf.grad or torch.zerosLike(leaf) end
  return gradients
end

-- Compares torch.graph.gradient of the captured f with the tape, for each list of inputs. `wrt`: numbers of the inputs.
local function agrees(f, wrt, ...)
  local samples = (...)
  local g = graph.capture(f, samples)
  local names = {}
  for k, i in ipairs(wrt) do names[k] = 'x' .. i end
  local derivative = graph.gradient(g, names)
  for _, inputs in ipairs { ... } do
    local weights, seeds = {}, {}
    for i, y in ipairs { g:run(unpack(inputs)) } do
      local loss = y:nElement() == 1
      weights[i] = loss and torch.onesLike(y) or torch.randn(y:size())
      if not loss then seeds[#seeds + 1] = weights[i] end
    end
    local arguments = { unpack(inputs) }
    for _, seed in ipairs(seeds) do arguments[#arguments + 1] = seed end
    local actual, expected = { derivative:run(unpack(arguments)) }, onTape(f, inputs, weights)
    for k, i in ipairs(wrt) do close(actual[k], expected[i]) end
  end
  return derivative, g
end

local function count(g, op)
  local found = 0
  for _, name in ipairs(g:info().ops) do found = found + (name == op and 1 or 0) end
  return found
end

describe('the gradient of scan', function()
  local function rnn(h, x, w)
    return graph.scan(function(s, v)
      local new = torch.tanh(torch.mv(w, s) + v)
      return new, torch.cmul(new, v)
    end, { h }, { x })
  end

  it('is a scan from the other end', function()
    local d = agrees(rnn, { 1, 2, 3 }, { torch.randn(3), torch.randn(5, 3), torch.randn(3, 3) },
      { torch.randn(3), torch.randn(5, 3), torch.randn(3, 3) })
    assert.equal(2, count(d, 'scan'))
    local function reversed(h, x, w) return graph.scan(function(s, v) return torch.sin(torch.mv(w, s) + v), s end, { h }, { x }, true) end
    agrees(reversed, { 1, 2, 3 }, { torch.randn(3), torch.randn(4, 3), torch.randn(3, 3) })
  end)

  it('by some inputs only, and of some outputs only', function()
    local inputs = { torch.randn(3), torch.randn(5, 3), torch.randn(3, 3) }
    for i = 1, 3 do agrees(rnn, { i }, inputs) end
    agrees(function(h, x, w) return (rnn(h, x, w)) end, { 1, 2, 3 }, inputs)
    agrees(function(h, x, w) return (select(2, rnn(h, x, w))) end, { 1, 2, 3 }, inputs)
  end)

  it('of vectors, several sequences, integers, and values that a body returns unchanged', function()
    local function f(a, x, y)
      local s, n, first, both = graph.scan(function(s, n, v, u)
        return torch.cmul(s, v) + u, n + 1, s, torch.cat(v, s, 1)
      end, { a, torch.LongTensor { 0 } }, { x, y })
      return s, first, both, torch.mul(n:double(), 2)
    end
    agrees(f, { 1, 2, 3 }, { T { 2 }, torch.randn(4), torch.randn(4, 1) })
    agrees(function(a, x) return graph.scan(function(s, v) return s, v, s end, { a }, { x }) end, { 1, 2 },
      { torch.randn(2), torch.randn(3, 2) })
  end)

  it('of sequences of length 0 and 1', function()
    local w = torch.randn(3, 3)
    for length = 0, 1 do agrees(function(h, x) return rnn(h, x, w) end, { 1 }, { torch.randn(3), torch.randn(length, 3) }) end
  end)

  it('by constants, and by values that the program computes before', function()
    local w = torch.randn(3, 3)
    local h, x = torch.randn(3), torch.randn(4, 3)
    local function f(matrix) return function(a, b) return (rnn(a, b, torch.exp(matrix))) end end
    local g = graph.capture(f(w), { h, x })
    local seed = torch.randn(3)
    close(graph.gradient(g, 'c1'):run(h, x, seed), onTape(function(m) return f(m)(h, x) end, { w }, { seed })[1])
  end)

  it('by views whose memory was written to since', function()
    local function f(x, y)
      local base = torch.mul(x, 1)
      local part = torch.narrow(base, 1, 2, 2)
      base:mul(3)
      return (graph.scan(function(s, v) return torch.sin(s + torch.cmul(v, part)) end, { torch.zeros(2) }, { y }))
    end
    agrees(f, { 1, 2 }, { torch.randn(4), torch.randn(3, 2) })
  end)

  it('of a scan in a scan', function()
    agrees(function(a, x)
      return graph.scan(function(s, row)
        local inner, all = graph.scan(function(t, v) return torch.sin(t + torch.cmul(v, a)), t end, { s }, { row })
        return inner, all
      end, { torch.zeros(1) }, { x })
    end, { 1, 2 }, { T { 0.7 }, torch.randn(3, 4) })
  end)

  it('has gradients', function()
    local function f(h, x) return torch.sum((graph.scan(function(s, v) return torch.tanh(torch.cmul(s, v)) end, { h }, { x }))) end
    local h, x, v = torch.randn(2), torch.randn(3, 2), torch.randn(2)
    local g = graph.capture(f, { h, x })
    local twice = graph.gradient(graph.gradient(g, 'x1'), { 'x1', 'x2' })
    local a, b = h:clone():requiresGrad(), x:clone():requiresGrad()
    local first = autograd.grad(f(a, b), a, { createGraph = true })
    local expected = { autograd.grad(torch.sum(torch.cmul(first, v)), { a, b }) }
    if type(expected[1]) == 'table' then expected = expected[1] end
    for i, actual in ipairs { twice:run(h, x, v) } do close(actual, expected[i]) end
    close(select(2, graph.jvp(graph.gradient(g, 'x1'), 'x1'):run(h, x, v)), expected[1])       -- the Hessian is symmetric
  end)
end)

describe('the gradient of cond', function()
  it('is a cond', function()
    local function f(p, x, y)
      return graph.cond(p, function(a, b) return torch.cmul(a, b), torch.exp(a) end, function(a) return torch.sin(a), a end, { x, y })
    end
    local x, y = torch.randn(3), torch.randn(3)
    local d = agrees(f, { 2, 3 }, { torch.ones(1), x, y }, { torch.zeros(1), x, y })
    assert.equal(1, count(d, 'cond'))                                     -- the first one is dead
    agrees(f, { 3 }, { torch.ones(1), x, y }, { torch.zeros(1), x, y })
    agrees(function(p, a)
      local b = torch.exp(a)
      return graph.cond(p, function() return torch.cmul(b, a) end, function() return torch.sin(b) end)
    end, { 2 }, { torch.ones(1), x }, { torch.zeros(1), x })
  end)

  it('is 0 by operands on which no result depends', function()
    agrees(function(p, x, y)
      local constant = graph.cond(p, function() return torch.ones(3) end, function() return torch.zeros(3) end, { x })
      local last = graph.scan(function(s) return s + 1 end, { torch.zeros(1) }, { y })
      local stack = graph.scan(function(v) return torch.gt(v, 0):double() end, {}, { y })
      return torch.cmul(constant, x), last, stack + y
    end, { 2, 3 }, { torch.ones(1), torch.randn(3), torch.randn(2, 2) }, { torch.zeros(1), torch.randn(3), torch.randn(2, 2) })
  end)

  it('in a scan, and around one', function()
    agrees(function(h, x)
      return graph.scan(function(s, v)
        local gated = graph.cond(torch.gt(torch.sum(v, 1), 0), function(a, b) return torch.cmul(a, b) end, function(a, b) return a - b end,
          { s, v })
        return gated, torch.sin(gated)
      end, { h }, { x })
    end, { 1, 2 }, { torch.randn(2), torch.randn(6, 2) }, { torch.randn(2), torch.randn(6, 2) })
    agrees(function(p, h, x)
      return graph.cond(p, function(a, b) return (graph.scan(function(s, v) return torch.sin(s) + v end, { a }, { b })) end,
        function(a) return torch.mul(a, 3) end, { h, x })
    end, { 2, 3 }, { torch.ones(1), torch.randn(2), torch.randn(3, 2) }, { torch.zeros(1), torch.randn(2), torch.randn(3, 2) })
  end)

  it('is refused for functions that draw or write', function()
    local total = torch.zeros(2)
    local function captured(f)
      return function()
        local g = graph.capture(function(p, x) return graph.cond(p, f, torch.exp, { x }) end, { torch.ones(1), torch.ones(2) })
        graph.gradient(g, 'x2')
      end
    end
    assert.error_matches(captured(function(a) return torch.cmul(a, torch.rand(2)) end),
      'graph.cond: ifTrue: random numbers or a write, expected neither where a gradient is needed')
    assert.error_matches(function()
      graph.capture(function(p, x)
        x = x:detach():requiresGrad()
        graph.cond(p, function(a) total:add(a:detach()) return torch.exp(a) end, torch.exp, { x })
      end, { torch.ones(1), torch.ones(2) })
    end, 'graph.cond: ifTrue: random numbers or a write')
  end)
end)

describe('training with control flow', function()
  it('runs as a graph: the tape and the optimiser inside a capture', function()
    local function make()
      torch.manualSeed(3)
      local cell, out = nn.Sequential():add(nn.JoinTable(1)):add(nn.Linear(5, 3)):add(nn.Tanh()), nn.Linear(3, 1)
      local parameters = { cell:get(2).weight, cell:get(2).bias, out.weight, out.bias }
      for i, p in ipairs(parameters) do parameters[i] = p:requiresGrad() end
      return function(x, y)
        local last = graph.scan(function(h, v) return cell { v, h } end, { torch.zeros(3) }, { x })
        local loss = torch.sum(torch.pow(out(last) - y, 2))
        local gradients = autograd.grad(loss, parameters)
        for i, p in ipairs(parameters) do autograd.noGrad(function() p:add(-0.05, gradients[i]) end) end
        return loss:detach()
      end
    end
    local eager, step = make(), make()
    local x, y = torch.randn(6, 2), T { 0.5 }
    local g, first = graph.capture(step, { x, y })
    close(first, eager(x, y))
    assert.equal(2, count(g, 'scan'))
    local losses = {}
    for i = 1, 20 do
      losses[i] = g:run(x, y)[1]
      assert.is_true(math.abs(losses[i] - eager(x, y)[1]) < 1e-12)
    end
    assert.is_true(losses[20] < losses[1] / 2)
  end)

  it('unrolls loops whose functions draw', function()
    local function f(x, w)
      return graph.scan(function(s, v) return s + torch.cmul(torch.cmul(v, torch.rand(2)), w) end, { torch.zeros(2) }, { x })
    end
    local x, w, seed = torch.randn(4, 2), torch.randn(2), torch.ones(2)
    local g = graph.gradient(graph.capture(f, { x, w }), 'x2')
    torch.manualSeed(5)
    local factors = torch.zeros(2)
    for t = 1, 4 do factors:add(torch.cmul(x[t], torch.rand(2))) end
    torch.manualSeed(5)
    close(g:run(x, w, seed), factors)
  end)

  it('unrolls loops whose functions write', function()
    local total, w = torch.zeros(2), torch.ones(2):requiresGrad()
    local function f(x)
      local y = graph.scan(function(s, v)
        total:add(v)
        return s + torch.cmul(torch.cmul(v, w), total:clone())
      end, { torch.zeros(2) }, { x })
      return (autograd.grad(torch.sum(y), w))
    end
    local g = graph.capture(f, { torch.ones(3, 2) })
    total:zero()
    close(g:run(torch.ones(3, 2)), T { 6, 6 })
    close(total, T { 3, 3 })
  end)

  it('unrolls loops whose functions draw and write', function()
    local drop, norm, w = nn.Dropout(0.5), nn.BatchNormalization(2), torch.randn(2):requiresGrad()
    local function f(x)
      local y = graph.scan(function(s, v) return s + norm(drop(torch.cmul(v, w:expandAs(v)))) end, { torch.zeros(3, 2) }, { x })
      return (autograd.grad(torch.sum(torch.pow(y, 2)), w))
    end
    norm:forward(torch.randn(3, 2))
    local mean = norm.running_mean:clone()
    local g = graph.capture(f, { torch.randn(4, 3, 2) })
    local x = torch.randn(4, 3, 2)
    norm.running_mean:copy(mean)
    torch.manualSeed(1)
    local expected, after = f(x), norm.running_mean:clone()
    norm.running_mean:copy(mean)
    torch.manualSeed(1)
    close(g:run(x), expected)
    close(norm.running_mean, after)
    assert.equal(0, count(g, 'scan'))
  end)

  it('refuses loops of unknown length', function()
    local function goesOn(a) return torch.lt(torch.sum(a, 1), 9) end
    local function f(x) return graph.whileLoop(goesOn, function(a) return torch.mul(a, 2) end, { x }) end
    local g = graph.capture(f, { torch.ones(2) })
    assert.error_matches(function() graph.gradient(g, 'x1') end, 'graph.whileLoop: state: a tracked tensor inside a capture, expected none')
    local x = torch.ones(2):requiresGrad()
    torch.sum(f(x)):backward()                                            -- in Lua
    close(x.grad, T { 8, 8 })
  end)
end)

describe('transforms of graphs with control flow', function()
  local function f(x, w)
    local s = graph.scan(function(a, v) return torch.sin(a + torch.cmul(v, w)) end, { torch.zeros(2) }, { x })
    return graph.cond(torch.gt(torch.sum(s, 1), 0), function(a) return torch.mul(a, 3) end, function(a) return torch.exp(a) end, { s })
  end

  it('jvp: the derivative along a direction', function()
    local x, w, t = torch.randn(4, 2), torch.randn(2), torch.randn(2)
    local y, along = graph.jvp(graph.capture(f, { x, w }), 'x2'):run(x, w, t)
    close(y, (f(x, w)))
    local eps = 1e-5
    local difference = torch.mul(f(x, torch.add(w, eps, t)) - f(x, torch.add(w, -eps, t)), 1 / (2 * eps))
    assert.is_true(isClose(difference, along, { rtol = 1e-6, atol = 1e-8 }))
  end)

  it('vmap: bodies draw anew for each example', function()
    local function g(x) return graph.scan(function(s, v) return s + torch.cmul(v, torch.rand(2)) end, { torch.zeros(2) }, { x }) end
    local batch = graph.vmap(graph.capture(g, { torch.ones(3, 2) }), 4)
    local x = torch.ones(4, 3, 2)
    torch.manualSeed(4)
    local expected = torch.Tensor(4, 2)
    for i = 1, 4 do expected[i]:copy(g(x[i])) end
    torch.manualSeed(4)
    close(batch:run(x), expected)
  end)

  it('vmap: each example makes its own iterations', function()
    local function g(n, x, w)
      local y, k = graph.whileLoop(function(_, i) return torch.gt(i, 0) end, function(a, i) return torch.cmul(a, w), i - 1 end, { x, n })
      return y, f(torch.cmul(x:view(1, 2):expand(3, 2), torch.exp(y):view(1, 2):expand(3, 2)), w), k
    end
    local n, x, w = torch.Tensor { { 0 }, { 3 }, { 1 }, { 2 } }, torch.randn(4, 2), torch.randn(2)
    local batch = graph.vmap(graph.capture(g, { n[1], x[1], w }), 4, { 'x1', 'x2' })
    local all = { batch:run(n, x, w) }
    for i = 1, 4 do
      for k, y in ipairs { g(n[i], x[i], w) } do close(all[k][i], y) end
    end
  end)
end)
