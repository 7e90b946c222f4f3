-- Guarded graphs against the function itself, run without a capture: branches, loops whose length depends on data, sizes, random numbers.
local torch, nn = require 'torch', require 'nn'
local graph = torch.graph

local function same(a, b) return a:isSameSizeAs(b) and torch.equal(a, b) end

-- Runs a guarded graph and the function on copies of inputs; results, inputs and the constants must be the same.
local function follow(f, constants, runs)
  local copies, g = {}, nil
  local function bound(list) return function(...) return f(list, ...) end end
  for i, c in ipairs(constants) do copies[i] = c:clone() end
  local eager = bound(copies)
  for i, inputs in ipairs(runs) do
    local mine, yours = {}, {}
    for k, x in ipairs(inputs) do mine[k], yours[k] = x:clone(), x:clone() end
    local state = torch.getRNGState()
    local result
    if g then result = g:run(unpack(mine)) else g, result = graph.capture(bound(constants), mine, { guards = true }) end
    local after = torch.uniform()
    torch.setRNGState(state)
    local expected = eager(unpack(yours))
    assert.is_true(same(result, expected), ('result of run %d'):format(i))
    assert.equal(torch.uniform(), after, ('the generator after run %d'):format(i))
    for k, x in ipairs(mine) do assert.is_true(same(x, yours[k]), ('input %d of run %d'):format(k, i)) end
    for k, c in ipairs(constants) do assert.is_true(same(c, copies[k]), ('constant %d of run %d'):format(k, i)) end
  end
  return g:info()
end

-- Runs with one vector each.
local function vectors(...)
  local runs = {}
  for i, elements in ipairs { ... } do runs[i] = { torch.Tensor(elements) } end
  return runs
end

-- The text of the graph behind the guards, without origins.
local function restOf(f, x)
  local g = graph.capture(f, { x }, { guards = true })
  return (tostring(g:info().graphs[1].rest):gsub('  %-%-[^\n]*', ''))
end

describe('a guarded graph', function()
  it('fuses the steps behind the guards', function()
    local function f(x)
      local y = torch.exp(x)
      if torch.sum(y) > 0 then return torch.mul(torch.sin(y), 2) end
    end
    assert.equal([[
graph(x1: float64[3], r2: float64[3]) {
  fused {
    %1 = sin(r2)
    %2 = mul(%1, 2)
  }
  return %2
}
]], restOf(f, torch.ones(3)))
  end)

  it('computes cheap steps of the guards again', function()
    local function f(x)
      local y = torch.mul(x, 2)
      if torch.sum(y) > 0 then return torch.sin(y) end
    end
    local text = restOf(f, torch.ones(3))
    assert.is_truthy(text:find('graph(x1: float64[3]) {', 1, true) or text:find('r2: float64[3]', 1, true), text)
    local state = torch.ones(3)
    follow(function(c, x)
      local y = torch.mul(c[1], 2)
      local positive = torch.sum(y) > 0
      c[1]:add(x)
      return torch.add(y, torch.sin(c[1])), positive
    end, { state }, { { torch.ones(3) }, { torch.ones(3) } })
  end)

  it('takes the branch of an element', function()
    local info = follow(function(_, x)
      if x[1] > 0 then return x * 2 end
      return x - 1
    end, {}, vectors({ 1, 2 }, { 1, 5 }, { -1, 2 }, { 1, 7 }, { -1, 0 }))
    assert.equal(2, info.capture)
    assert.equal(3, info.graph)
    assert.equal(1, #info.graphs[1].guards)
    assert.equal(1, info.graphs[1].guards[1].value:nElement())     -- only the element that was read
    assert.matches('guards_spec%.lua:%d+$', info.graphs[1].guards[1].origin)
  end)

  it('takes the branch of a condition on all elements', function()
    local info = follow(function(_, x)
      if torch.all(torch.gt(x, 0)) then return torch.log(x) end
      return torch.exp(x)
    end, {}, vectors({ 1, 2 }, { 3, 4 }, { -1, 2 }, { 5, -6 }, { 7, 8 }))
    assert.equal(2, info.capture)
  end)

  it('gets the numbers that a function gets without a capture', function()
    local info = follow(function(_, x)
      local sum, largest = x:sum(), x:max()
      assert(type(sum) == 'number' and type(largest) == 'number' and x:totable()[1] == x[1])
      return x * sum + largest
    end, {}, { { torch.Tensor { 1, 2 } }, { torch.Tensor { 1, 2 } }, { torch.Tensor { 2, 2 } } })
    assert.equal(2, info.capture)
  end)

  it('repeats a loop as often as the elements say', function()
    local function f(_, x, n)
      local y = x
      for _ = 1, n[1] do y = torch.tanh(y * 2) end
      while y:norm() > 0.5 do y = y * 0.5 end
      return y
    end
    local x, runs = torch.Tensor { 0.3, -0.2 }, {}
    for i, n in ipairs { 3, 0, 3, 5, 0 } do runs[i] = { x, torch.LongTensor { n } } end
    assert.equal(3, follow(f, {}, runs).capture)
  end)

  it('runs ops whose sizes depend on elements', function()
    local info = follow(function(_, x)
      local positive = x:maskedSelect(x:gt(0))
      local y = torch.zeros(1)
      for i = 1, positive:nElement() do y = y + positive:narrow(1, i, 1) * i end
      return y
    end, {}, vectors({ 1, -2, 3 }, { -1, 2, 4 }, { 1, 2, 3 }, { 5, 6, -1 }))
    assert.equal(2, info.capture)
    assert.is_true(info.graphs[1].guards[1].sizes)
  end)

  it('changes nothing when a guard differs', function()
    local function f(constants, x)
      local total, count = unpack(constants)
      total:add(x)
      count:add(1)
      if total[1] > 3 then total:zero() else x:mul(2) end
      return total * count[1]
    end
    local runs = {}
    for i = 1, 8 do runs[i] = { torch.Tensor { 1, i } } end
    follow(f, { torch.zeros(2), torch.zeros(1) }, runs)
  end)

  it('draws random numbers as the function does, also before a guard that differs', function()
    torch.manualSeed(5)
    local function f(_, x)
      local a = torch.Tensor(3):uniform()
      local b = torch.Tensor(1):bernoulli(0.5)
      local c = b[1] > 0 and torch.Tensor(3):normal() or torch.Tensor(3):uniform() * 3
      return x + a + c
    end
    local runs = {}
    for i = 1, 8 do runs[i] = { torch.ones(3) } end
    assert.equal(2, follow(f, {}, runs).capture)
  end)

  it('does not fail in the steps of another branch', function()
    local function f(_, x)
      if x[1] > 0 then
        local root = torch.potrf(torch.diag(x), 'L')
        if root[1][1] > 10 then return root * 2 end
        return root
      end
      return torch.diag(x)
    end
    follow(f, {}, { { torch.Tensor { 1, 4 } }, { torch.Tensor { -1, -2 } }, { torch.Tensor { 1, 4 } } })
  end)

  it('is captured again for other sizes and dtypes', function()
    local f = function(_, x) return torch.exp(x) end
    local two, three = torch.ones(2), torch.ones(3)
    local info = follow(f, {}, { { two }, { three }, { two }, { torch.FloatTensor { 1, 2 } }, { three } })
    assert.equal(3, info.capture)
    assert.equal(2, info.graph)
  end)

  it('has inputs by name, and others than tensors', function()
    local g = graph.capture(function(t) return { t.x * t.n, t.n, t.up and 'up' or 'down' } end, { x = torch.ones(2), n = 2, up = true },
      { guards = true })
    local a, b = g:run { x = torch.Tensor { 3, 4 }, n = 2, up = true }, g { x = torch.Tensor { 3, 4 }, n = 3, up = false }
    assert.same({ 6, 8 }, a[1]:totable())
    assert.same({ 2, 'up' }, { a[2], a[3] })
    assert.same({ 9, 12 }, b[1]:totable())
    assert.same({ 3, 'down' }, { b[2], b[3] })
    assert.equal(1, g:info().graph)
  end)

  describe('that is patient', function()
    local function made(limit) return torch.GuardedGraph(function(x) return torch.exp(x) end, limit, true) end
    local function run(g, ...)
      for _, n in ipairs { ... } do
        local x = torch.randn(n)
        assert.is_true(torch.equal(torch.exp(x), (g:run(x))))
      end
      local info = g:info()
      return { plain = info.plain, capture = info.capture, graph = info.graph, graphs = #info.graphs }
    end

    it('captures the second run of each size', function()
      assert.same({ plain = 2, capture = 2, graph = 3, graphs = 2 }, run(made(2), 1, 1, 1, 2, 2, 2, 1))
    end)

    it('keeps graphs that run, and lets others make room', function()
      local g = made(2)
      assert.same({ plain = 2, capture = 2, graph = 0, graphs = 2 }, run(g, 1, 1, 2, 2))
      assert.same({ plain = 5, capture = 2, graph = 1, graphs = 2 }, run(g, 3, 3, 2, 3))      -- no room: 1 and 2 ran lately
      local most = run(g, 3, 2, 3, 2, 3, 2)      -- 1 has not run for more than 8 runs
      assert.equal(3, most.capture)
      assert.equal(2, most.graphs)
      assert.equal(most.graph + 2, run(g, 2, 3).graph)
      assert.equal(most.capture, run(g, 1).capture)
    end)

    it('remembers a bounded number of sizes', function()
      local g, count = made(2), 0
      for n = 1, 40 do run(g, n) end
      for _ in pairs(g.bySignature) do count = count + 1 end
      assert.equal(8, count)
      assert.equal(0, g:info().capture)
      assert.equal(1, run(g, 40).capture)
      assert.equal(1, run(g, 1).capture)      -- forgotten
      for n = 50, 60 do run(g, n) end
      assert.same({ 0, 0 }, { g.count, #g:info().graphs })      -- with its graph
    end)
  end)

  it('runs the function without a graph when it has as many graphs as the limit', function()
    local calls = 0
    local g = graph.capture(function(x) calls = calls + 1 return x * x[1] end, { torch.Tensor { 1 } }, { guards = true, limit = 2 })
    for i = 1, 5 do assert.same({ i * i }, g:run(torch.Tensor { i }):totable()) end
    assert.equal(5, calls)
    local info = g:info()
    assert.same({ 2, 1, 3 }, { info.capture, info.graph, info.plain })
  end)

  it('keeps what it has when the function fails in a capture', function()
    local g = graph.capture(function(x)
      if x[1] < 0 then error 'negative' end
      return x * 2
    end, { torch.Tensor { 1 } }, { guards = true })
    assert.matches('guards_spec%.lua:%d+: negative', select(2, pcall(g.run, g, torch.Tensor { -1 })))
    assert.same({ 2 }, g:run(torch.Tensor { 1 }):totable())
    assert.equal(1, g:info().capture)
    assert.error_matches(function() g:run(torch.ones(1), 'x', {}) end, 'capture: x3: {}, expected a tensor')
    assert.equal(1, torch.ones(1)[1])
  end)

  it('runs the function on the tape for tracked inputs', function()
    local g = graph.capture(function(x) return torch.sum(torch.pow(x, 2)) end, { torch.ones(2) }, { guards = true })
    local x = torch.Tensor { 3, 4 }:requiresGrad()
    g:run(x):backward()
    assert.same({ 6, 8 }, x.grad:totable())
  end)

  it('trains a network until the loss is small', function()
    local function make()
      torch.manualSeed(6)
      return nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 1)), nn.MSECriterion()
    end
    local function step(net, criterion, state)
      return function(x, y)
        net:zeroGradParameters()
        local loss = torch.Tensor(1):fill(0) + criterion:forward(net:forward(x), y)
        net:backward(x, criterion:backward(net.output, y))
        if torch.any(torch.gt(loss, 0.6)) then net:updateParameters(0.1) else state:add(1) end
        return loss
      end
    end
    local net, criterion = make()
    local twin, twinCriterion = make()
    local state, twinState = torch.zeros(1), torch.zeros(1)
    local eager, g = step(twin, twinCriterion, twinState), nil
    for i = 1, 20 do
      local x = torch.randn(5, 3)
      local y = torch.randn(5, 1)
      local loss
      if g then loss = g:run(x, y) else g, loss = graph.capture(step(net, criterion, state), { x, y }, { guards = true }) end
      assert.is_true(same(loss, eager(x, y)), ('loss of step %d'):format(i))
    end
    assert.is_true(same(net:getParameters(), twin:getParameters()))
    assert.is_true(twinState[1] > 0 and twinState[1] < 20 and state[1] == twinState[1])
    assert.equal(2, g:info().capture)
  end)

  it('leaves the statistics of batch normalisation alone when a guard behind it differs', function()
    local function make()
      local net = nn.BatchNormalization(2)
      net.weight:fill(1)
      return net
    end
    local net, twin = make(), make()
    local function f(module)
      return function(x)
        local y = module:forward(x):clone()
        if torch.any(torch.gt(y:narrow(1, 1, 1), 0.7)) then return y * 2 end
        return y
      end
    end
    local eager, g = f(twin), nil
    for i = 1, 8 do
      local x = torch.randn(4, 2)
      local y
      if g then y = g:run(x) else g, y = graph.capture(f(net), { x }, { guards = true }) end
      assert.is_true(same(y, eager(x)), 'run ' .. i)
      assert.is_true(same(net.running_mean, twin.running_mean) and same(net.running_var, twin.running_var), 'statistics ' .. i)
    end
    assert.equal(2, g:info().capture)
  end)

  it('is part of the capture around it', function()
    local inner = graph.capture(function(x) return x[1] > 0 and x * 2 or x end, { torch.ones(2) }, { guards = true })
    local outer = graph.capture(function(x) return inner:run(x) + 1 end, { torch.ones(2) }, { guards = true })
    assert.same({ 7, 9 }, outer:run(torch.Tensor { 3, 4 }):totable())
    assert.same({ -2, 5 }, outer:run(torch.Tensor { -3, 4 }):totable())
    assert.error_matches(function() graph.capture(function(x) return inner:run(x) end, { torch.ones(2) }) end, 'read: an element')
  end)

  it('shows its guards and graphs', function()
    local g = graph.capture(function(x) return x * x[2] end, { torch.Tensor { 1, 3 } }, { guards = true })
    assert.matches('guard 3  %-%- .-guards_spec%.lua:%d+\ngraph%(x1: float64%[2%]%)', tostring(g))
  end)

  it('refuses wrong options', function()
    local function f(x) return x end
    local function message(...) return select(2, pcall(graph.capture, ...)) end
    local one = { torch.ones(1) }
    assert.matches("options: the key 'guard', expected guards, limit or dynamic", message(f, one, { guard = true }))
    assert.matches('capture: options: 3, expected a table', message(f, one, 3))
    assert.matches('limit: 0, expected a positive number', message(f, one, { guards = true, limit = 0 }))
    assert.matches('capture: f: 3, expected a function', message(3, one, { guards = true }))
    assert.matches('capture: inputs: 3, expected a table', message(f, 3, { guards = true }))
  end)
end)

describe('a capture without guards', function()
  it('draws numbers that nothing uses', function()
    local g = graph.capture(function(x) torch.Tensor(5):uniform() return x * 2 end, { torch.ones(1) })
    torch.manualSeed(2)
    g:run(torch.ones(1))
    local after = torch.uniform()
    torch.manualSeed(2)
    torch.Tensor(5):uniform()
    assert.equal(torch.uniform(), after)
  end)
end)

describe('a capture without guards refuses', function()
  it('conditions', function()
    for _, f in ipairs { function(x) return torch.equal(x, x) and x end, function(x) return x:gt(0):all() and x end } do
      assert.error_matches(function() graph.capture(f, { torch.ones(2) }) end, 'a condition that the program tests inside a capture')
    end
  end)
  it('no element that select returns: it is a tensor', function()
    local g = graph.capture(function(x) return torch.select(x, 1, 2) * 3 end, { torch.ones(2) })
    assert.same({ 12 }, g:run(torch.Tensor { 1, 4 }):view(1):totable())
  end)
end)

-- Random programs: a step is an op, a write, or a branch on an element, and reads results of earlier ones.
describe('guarded graphs', function()
  it('are captured again for another precision', function()
    local x = torch.randn(3, 3):float()
    local g = graph.capture(function(a) return torch.mm(a, a) end, { x }, { guards = true })
    local low = torch.autocast('float16', function() return (g:run(x)) end)
    assert.equal('torch.HalfTensor', low:type())
    assert.equal('torch.FloatTensor', (g:run(x)):type())
  end)
end)

describe('random programs with guards', function()
  for seed = 1, 12 do
    it('run as without a capture, seed ' .. seed, function()
      torch.manualSeed(seed)
      local function pick(n) return torch.random(n) end
      local program = {}
      for i = 1, 14 do program[i] = { pick(7), pick(i), pick(i), pick(3) } end
      local function f(constants, x)
        local values = { x, constants[1] }
        for _, step in ipairs(program) do
          local kind, a, b, at = unpack(step)
          local p, q = values[(a - 1) % #values + 1], values[(b - 1) % #values + 1]
          if kind == 1 then values[#values + 1] = p + q
          elseif kind == 2 then values[#values + 1] = torch.tanh(p) * 2
          elseif kind == 3 then p:add(0.25, q:clone())
          elseif kind == 4 then p:narrow(1, at, 1):copy(q:narrow(1, 1, 1):clone())
          elseif kind == 5 then values[#values + 1] = p:narrow(1, 1, 3)
          elseif kind == 6 then
            if torch.any(torch.gt(p:narrow(1, at, 1), 0)) then p:mul(0.5) else values[#values + 1] = torch.exp(-torch.abs(q)) end
          else values[#values + 1] = torch.Tensor(3):uniform() - p end
        end
        return values[#values] + values[#values - 1]
      end
      local runs = {}
      for i = 1, 10 do runs[i] = { torch.randn(3) } end
      follow(f, { torch.randn(3) }, runs)
    end)
  end
end)
