-- torch.graph.cond, whileLoop and scan: the same results as plain Lua, and the same ones from captured graphs.
local torch, nn = require 'torch', require 'nn'
local graph = torch.graph
local isClose = require('spec.support.close').isClose

local function same(actual, expected) return assert.is_true(isClose(expected, actual, { rtol = 0, atol = 0, sameType = true })) end

-- Captures f with samples, and compares runs with f for other inputs, a list each; with the same random numbers.
local function agrees(f, samples, ...)
  local g = graph.capture(f, samples)
  for _, inputs in ipairs { samples, ... } do
    torch.manualSeed(7)
    local expected = { f(unpack(inputs)) }
    torch.manualSeed(7)
    local actual = { g:run(unpack(inputs)) }
    assert.equal(#expected, #actual)
    for i = 1, #expected do same(actual[i], expected[i]) end
  end
  return g
end

local function steps(g, op)
  local count = 0
  for _, name in ipairs(g:info().ops) do count = count + (name == op and 1 or 0) end
  return count
end

local T = torch.Tensor

describe('torch.graph.cond', function()
  local function clipped(x)
    local norm = torch.norm(x:view(1, -1), 2, 2):view(1)
    return graph.cond(torch.gt(norm, 1), function(a, n) return torch.cdiv(a, n:expandAs(a)) end, function(a) return a end, { x, norm })
  end

  it('takes the branch that each run demands', function()
    same(clipped(T { 3, 4 }), T { 0.6, 0.8 })
    same(clipped(T { 0.3, 0.4 }), T { 0.3, 0.4 })
    local g = agrees(clipped, { T { 3, 4 } }, { T { 0.1, 0.2 } }, { T { -2, 5 } })
    assert.equal(1, steps(g, 'cond'))
  end)

  it('accepts numbers and booleans, which are as they were during a capture', function()
    local function f(x, flag) return graph.cond(flag, torch.exp, torch.neg, { x }) end
    same(f(T { 2 }, true), torch.exp(T { 2 }))
    same(f(T { 2 }, 0), T { -2 })
    same(f(T { 2 }, 0.5), torch.exp(T { 2 }))
    same(f(T { 2 }, false), T { -2 })
    assert.equal(0, steps(agrees(function(x) return f(x, true) end, { T { 2 } }), 'cond'))
  end)

  it('returns several tensors in memory of their own', function()
    local function f(p, x) return graph.cond(p, function(a) return a, a end, function(a) return torch.exp(a), a end, { x }) end
    agrees(f, { torch.ones(1), torch.randn(3) }, { torch.zeros(1), torch.randn(3) })
    local g = graph.capture(f, { torch.ones(1), torch.randn(3) })
    for _, run in ipairs { f, function(...) return g:run(...) end } do
      local x = T { 1, 2, 3 }
      local a, b = run(torch.ones(1), x)
      a:zero()
      same(b, T { 1, 2, 3 })
      b:zero()
      same(x, T { 1, 2, 3 })
    end
  end)

  it('reads tensors of the program, also those that the capture has computed, as they are in each run', function()
    local w = T { 1, 2 }
    local function f(p, x)
      local doubled = torch.mul(x, 2)
      return graph.cond(p, function() return torch.add(doubled, w) end, function() return torch.cmul(doubled, w) end)
    end
    local g = agrees(f, { torch.ones(1), torch.randn(2) }, { torch.zeros(1), torch.randn(2) })
    w:fill(7)
    same(g:run(torch.ones(1), T { 1, 1 }), T { 9, 9 })
    assert.same({ 'c1' }, g:info().constants)
  end)

  it('writes to tensors of the program in the branch that runs', function()
    local count, made = torch.zeros(1), nil
    local function f(p, x)
      local sum = torch.zeros(2)                                            -- a tensor of the capture
      local y = graph.cond(p, function(a)
        count:add(1)
        sum:add(a)
        return torch.exp(a)
      end, function(a)
        made = torch.neg(a)
        return made
      end, { x })
      return y, sum
    end
    local g = graph.capture(f, { torch.ones(1), T { 1, 2 } })
    same(count, T { 1 })                                                   -- of the run; the captures of the branches left no trace
    local _, sum = g:run(torch.ones(1), T { 3, 4 })
    same(sum, T { 3, 4 })
    same(count, T { 2 })
    _, sum = g:run(torch.zeros(1), T { 3, 4 })
    same(sum, torch.zeros(2))
    same(count, T { 2 })
    assert.error_matches(function()
      graph.capture(function(p, x) return f(p, x), torch.exp(made) end, { torch.ones(1), T { 1, 2 } })
    end, 'a tensor that a body of control flow has computed')
  end)

  it('refuses functions whose results differ', function()
    local function captured(ifTrue, ifFalse)
      return function() graph.capture(function(x) return graph.cond(x, ifTrue, ifFalse, { x }) end, { torch.ones(1) }) end
    end
    assert.error_matches(captured(torch.exp, function(a) return a, a end), 'graph.cond: ifFalse: 2 results, expected 1')
    assert.error_matches(captured(torch.exp, function(a) return a:float() end),
      'graph.cond: ifFalse: torch.FloatTensor %[1%] as result 1, expected torch.DoubleTensor %[1%]')
    assert.error_matches(captured(torch.exp, function() return torch.ones(2) end),
      'torch.DoubleTensor %[2%] as result 1, expected torch.DoubleTensor %[1%]')
    assert.error_matches(captured(function() end, torch.exp), 'graph.cond: ifTrue: 0 results, expected 1 or more')
    assert.error_matches(captured(function() return 3 end, torch.exp), 'graph.cond: ifTrue: 3, expected tensors')
    assert.error_matches(function() graph.cond({}, torch.exp, torch.neg) end,
      'graph.cond: predicate: .*, expected a tensor with one element')
    assert.error_matches(function() graph.cond(torch.ones(2), torch.exp, torch.neg) end,
      'predicate: torch.DoubleTensor %[2%], expected one element')
    assert.error_matches(function() graph.cond(true, 3, torch.neg) end, 'graph.cond: ifTrue: ')
    assert.error_matches(function() graph.cond(true, torch.exp, torch.neg, { 1 }) end, 'graph.cond: operands: 1, expected tensors')
  end)

  it('leaves the program as it was if a function fails in a capture', function()
    local buffer = torch.zeros(2)
    torch.manualSeed(5)
    local expected = torch.rand(3)
    torch.manualSeed(5)
    local done, err = pcall(graph.capture, function(x)
      return graph.cond(x, function(a)
        buffer:add(torch.rand(2))
        return torch.narrow(a, 1, 5, 1)
      end, torch.exp, { x })
    end, { torch.ones(1) })
    assert.is_false(done)
    assert.matches('narrow: ', err)
    same(buffer, torch.zeros(2))
    same(torch.rand(3), expected)
    same(graph.capture(torch.exp, { T { 1 } }):run(T { 2 }), torch.exp(T { 2 }))      -- no capture runs any more
  end)
end)

describe('torch.graph.whileLoop', function()
  -- Newton's iteration for a square root.
  local function root(a)
    return graph.whileLoop(function(x) return torch.gt(torch.abs(torch.cmul(x, x) - a), 1e-12) end,
      function(x) return torch.mul(x + torch.cdiv(a, x), 0.5) end, { torch.ones(1) })
  end

  it('makes as many iterations as each run demands', function()
    assert.is_true(math.abs(root(T { 2 })[1] - math.sqrt(2)) < 1e-12)
    local g = agrees(root, { T { 2 } }, { T { 1 } }, { T { 1e6 } }, { T { 0.25 } })
    assert.equal(1, steps(g, 'while'))
  end)

  it('may make none, and at most as many as the limit', function()
    for limit = 0, 3 do
      local function f(x, n)
        return graph.whileLoop(function(_, k) return torch.gt(k, 0) end, function(a, k) return torch.mul(a, 2), k - 1 end, { x, n }, limit)
      end
      agrees(f, { T { 3 }, T { 2 } }, { T { 3 }, T { 0 } }, { T { 3 }, T { 9 } })
      same(f(T { 3 }, T { 9 }), T { 3 * 2 ^ limit })
    end
    local x = torch.ones(1)
    local y = graph.whileLoop(function() return false end, torch.exp, { x })
    y:zero()
    same(x, torch.ones(1))
  end)

  it('writes to tensors of the program', function()
    local log, state = torch.zeros(4), torch.ones(1)
    local function f(n)
      return graph.whileLoop(function(k) return torch.gt(k, 0) end, function(k)
        state:mul(2)
        log:narrow(1, 2, 2):add(state:expand(2))
        return k - 1
      end, { n })
    end
    local g = graph.capture(f, { T { 2 } })
    same(state, T { 4 })
    same(log, T { 0, 6, 6, 0 })
    g:run(T { 1 })
    same(state, T { 8 })
    same(log, T { 0, 14, 14, 0 })
    g:run(T { 0 })
    same(state, T { 8 })
  end)

  it('refuses what it can not repeat', function()
    local always = function() return torch.ones(1) end
    local function refused(message, ...)
      local arguments = { ... }
      assert.error_matches(function() graph.whileLoop(unpack(arguments)) end, message)
    end
    refused('graph.whileLoop: body: 2 results, expected 1', always, function(a) return a, a end, { torch.ones(1) })
    refused('graph.whileLoop: body: torch.DoubleTensor %[3%] as result 1 of iteration 1, expected torch.DoubleTensor %[1%]', always,
      function() return torch.ones(3) end, { torch.ones(1) })
    refused('graph.whileLoop: state: no tensor, expected one or more', always, torch.exp, {})
    refused('graph.whileLoop: limit: ', always, torch.exp, { torch.ones(1) }, -1)
    refused('graph.whileLoop: body: a write to argument 1, expected a function that returns new values', always,
      function(a) return a:add(1) end, { torch.ones(1) }, 3)
    local function captured(condition, body)
      return function() graph.capture(function(x) return graph.whileLoop(condition, body, { x }) end, { torch.ones(1) }) end
    end
    assert.error_matches(captured(always, function(a) return a:add(1) end),
      'add: a write to an argument of a body %(.*control_capture_spec.lua:%d+%), expected ')
    assert.error_matches(captured(function() return true end, torch.exp), 'graph.whileLoop: condition: true, expected tensors')
    assert.error_matches(captured(always, function(a) return a, a end), 'graph.whileLoop: body: 2 results, expected 1')
    assert.error_matches(captured(function(a) return torch.lt(a, 3) end, function() return torch.ones(2) end),
      'while: body: torch.DoubleTensor %[2%] as output 1 of iteration 1, expected torch.DoubleTensor %[1%]')
    local total = torch.zeros(1)
    assert.error_matches(captured(function(a) return total:add(a) end, torch.exp),
      'while: a condition that writes to a tensor of the program')
    same(total, torch.zeros(1))
    assert.error_matches(captured(function(a) return torch.gt(a, a:item()) end, torch.exp), 'read: an element that the program reads')
  end)
end)

describe('torch.graph.scan', function()
  local function cell(w, u, b)
    return function(h, x)
      local new = torch.tanh(torch.mv(w, x) + torch.mv(u, h) + b)
      return new, new
    end
  end

  it('is a recurrent network', function()
    local w, u, b = torch.randn(4, 3), torch.randn(4, 4), torch.randn(4)
    local function f(h, x) return graph.scan(cell(w, u, b), { h }, { x }) end
    local h, x = torch.randn(4), torch.randn(6, 3)
    local last, all = f(h, x)
    local expected = h
    for t = 1, 6 do
      expected = torch.tanh(torch.mv(w, x[t]) + torch.mv(u, expected) + b)
      same(all[t], expected)
    end
    same(last, expected)
    local g = agrees(f, { h, x }, { torch.randn(4), torch.randn(6, 3) })
    assert.same({ 'scan' }, g:info().ops)
    assert.same({ 'mv', 'mv', 'add', 'add', 'tanh' }, g:info().bodies[1].body.ops)
    local prepared = g:prepare()
    for i, y in ipairs { prepared(h, x) } do same(y, select(i, f(h, x))) end
  end)

  it('goes backward with reverse, and over several sequences', function()

         local function products(s, a, b) return s + torch.cmul(a, b), s, a end
    local function f(x, y) return graph.scan(products, { torch.zeros(2) }, { x, y }, true) end
    local x, y = torch.randn(5, 2), torch.randn(5, 2)
    agrees(f, { x, y }, { y, x })
    local last, before, same_x = f(x, y)
    assert.is_true(isClose(torch.sum(torch.cmul(x, y), 1):view(2), last, { rtol = 1e-12, atol = 1e-12 }))
    same(before[5], torch.zeros(2))
    same(same_x, x)
  end)

  it('of length 0 runs nothing', function()
    local total = torch.zeros(2)
    local function f(s, x)
      return graph.scan(function(h, v)
        total:add(v)
        return h + v, torch.gt(v, 0), torch.rand(3)
      end, { s }, { x })
    end
    torch.manualSeed(2)
    local last, signs, random = f(torch.ones(2), T(0, 2))
    same(torch.rand(1), (function() torch.manualSeed(2) return torch.rand(1) end)())
    same(last, torch.ones(2))
    same(total, torch.zeros(2))
    assert.same({ 0, 2 }, signs:size():totable())
    assert.equal(torch.gt(T { 1 }, 0):type(), signs:type())
    assert.same({ 0, 3 }, random:size():totable())
    agrees(f, { torch.ones(2), T(0, 2) })
    same(total, torch.zeros(2))
  end)

  it('keeps the state of modules, and draws anew for each slice', function()
    local net = nn.Sequential():add(nn.Linear(3, 3)):add(nn.BatchNormalization(3)):add(nn.Dropout(0.5))
    local function f(x)
      return select(2, graph.scan(function(s, v)
        local y = net:forward(v)
        return s + y, y
      end, { torch.zeros(4, 3) }, { x }))
    end
    net:forward(torch.randn(4, 3))
    local norm = net:get(2)
    local before = norm.running_mean:clone()
    local g = graph.capture(f, { torch.randn(6, 4, 3) })
    for _ = 1, 2 do
      local x = torch.randn(6, 4, 3)
      norm.running_mean:copy(before)
      torch.manualSeed(9)
      local expected, mean = f(x), norm.running_mean:clone()
      norm.running_mean:copy(before)
      torch.manualSeed(9)
      same(g:run(x), expected)
      same(norm.running_mean, mean)
      assert.is_false(torch.equal(torch.eq(expected[1], 0), torch.eq(expected[2], 0)))
    end
  end)

  it('uses the same module in several loops, and outside', function()
    local drop = nn.Dropout(0.5)
    local function f(x)
      local first = graph.scan(function(s, v) return s + drop:forward(v) end, { torch.zeros(3) }, { x })
      local second = graph.scan(function(s, v) return s + drop:forward(v) end, { first }, { x })
      return second, drop:forward(x)
    end
    agrees(f, { torch.randn(4, 3) }, { torch.randn(4, 3) })
    agrees(f, { torch.randn(4, 3) }, { torch.randn(4, 3) })
  end)

  it('uses the same scratch memory in several loops', function()
    local buffer = T()
    local function body(s, v)
      buffer:resize(3):copy(v):mul(2)
      return s + buffer
    end
    local function f(x) return (graph.scan(body, { graph.scan(body, { torch.zeros(3) }, { x }) }, { x })) end
    local g = graph.capture(f, { torch.randn(4, 3) })
    assert.same({}, g:info().constants)
    local x = torch.randn(4, 3)
    same(g:run(x), f(x))
  end)

  it('leaves statistics of modules after the capture as after one run', function()
    local norm, x = nn.BatchNormalization(3), torch.randn(5, 4, 3)
    local function f() return graph.scan(function(v) return norm:forward(v) end, {}, { x }) end
    graph.capture(f, {})
    local mean, variance = norm.running_mean:clone(), norm.running_var:clone()
    norm.running_mean:zero()
    norm.running_var:fill(1)
    f()
    same(mean, norm.running_mean)
    same(variance, norm.running_var)
  end)

  it('refuses branches that use overlapping parts of memory, of which one is written', function()
    local whole = torch.zeros(6)
    local a, b = whole:narrow(1, 1, 4), whole:narrow(1, 3, 4)
    local function captured(ifTrue, ifFalse)
      return graph.capture(function(p) return graph.cond(p, ifTrue, ifFalse) end, { torch.ones(1) })
    end
    local function reads(x) return function() return torch.mul(x, 2) end end
    captured(reads(a), reads(b))
    assert.error_matches(function()
      captured(function()
        a:add(1)
        return torch.mul(a, 2)
      end, reads(b))
    end, 'cond: two parts of one storage, of which one is written, expected one')
    same(whole, torch.zeros(6))
  end)

  it('may be abandoned by a coroutine', function()
    local suspended = coroutine.create(function()
      graph.capture(function(x)
        return graph.scan(function(s, v)
          coroutine.yield()
          return s + v
        end, { torch.zeros(1) }, { x })
      end, { torch.ones(3) })
    end)
    assert.is_true(coroutine.resume(suspended))
    suspended = nil                                                        -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    same(graph.capture(torch.exp, { T { 1 } }):run(T { 2 }), torch.exp(T { 2 }))
  end)

  it('has bodies whose convolutions are fused in prepared runs', function()
    local w, b = torch.randn(2, 2, 3, 3), torch.randn(2)
    local function f(x)
      return graph.scan(function(s, v)
        local y = torch.relu(torch.conv2d(v, w, b, 1, 1, 1, 1))
        return s + y, y
      end, { torch.zeros(1, 2, 5, 5) }, { x })
    end
    local g = graph.capture(f, { torch.randn(3, 1, 2, 5, 5) })
    local run, x = g:prepare(), torch.randn(3, 1, 2, 5, 5)
    local info = run:graph():info()
    local _, bodies = next(info.bodies)
    assert.equal('conv2d_unit', bodies.body.ops[1])
    for i, y in ipairs { run(x) } do assert.is_true(isClose((select(i, f(x))), y, { rtol = 1e-10, atol = 1e-10 })) end
  end)

  it('nests in loops and branches, which write to tensors outside of all of them', function()
    local count = torch.zeros(1)
    local function f(x, n)
      local scale = torch.mul(n, 2)
      return graph.scan(function(s, v)
        local k = graph.whileLoop(function(a) return torch.lt(a, 3) end, function(a)
          count:add(1)
          return a + graph.cond(torch.gt(v, 0), function() return torch.abs(scale) end, function(b) return torch.abs(b) + 1 end, { v })
        end, { torch.zeros(1) })
        return s + k, k
      end, { torch.zeros(1) }, { x })
    end
    local x, n = T { 0.5, -1, 2 }, T { 0.75 }
    local last, each = f(x, n)
    same(each, T { { 3 }, { 4 }, { 3 } })
    same(last, T { 10 })
    same(count, T { 6 })
    local g = agrees(f, { x, n }, { T { -5, -5, 1 }, T { 0.1 } })
    count:zero()
    g:run(x, n)
    same(count, T { 6 })
  end)

  it('refuses sequences that do not fit', function()
    local f = function(s, v) return s + v end
    local function refused(message, ...)
      local arguments = { ... }
      assert.error_matches(function() graph.scan(unpack(arguments)) end, message)
      assert.error_matches(function() graph.capture(function() return graph.scan(unpack(arguments)) end, {}) end, message)
    end
    refused('graph.scan: sequences: no tensor, expected one or more', f, { torch.ones(1) }, {})
    refused('graph.scan: sequences: 3 and 2 slices, expected sequences of one length', f, {}, { torch.ones(2), torch.ones(3) })
    refused('graph.scan: sequences: torch.DoubleTensor %[%], expected one dimension', f, {}, { T() })
    refused('graph.scan: body: 0 results, expected 1 or more', function() end, { torch.ones(1) }, { torch.ones(2) })
    refused('graph.scan: body: 0 results, expected 1 or more', function() end, {}, { torch.ones(2) })
    refused('graph.scan: reverse: 1, expected true or false', f, { torch.ones(1) }, { torch.ones(2) }, 1)
    refused('scan: body: torch.DoubleTensor %[2%] as .* 1 of iteration 1, expected torch.DoubleTensor %[1%]',
      function() return torch.ones(2) end, { torch.ones(1) }, { torch.ones(2) })
  end)

  it('works with sequences of any length', function()
    local function f(x, y) return graph.scan(function(s, a, b) return s + a, torch.cmul(s, b) end, { torch.zeros(2) }, { x, y }) end
    local g = graph.capture(f, { torch.randn(4, 2), torch.randn(4, 2) }, { dynamic = { x1 = 1, x2 = 1 } })
    for _, length in ipairs { 0, 1, 9 } do
      local x, y = torch.randn(length, 2), torch.randn(length, 2)
      local last, all = f(x, y)
      local actualLast, actualAll = g:run(x, y)
      same(actualLast, last)
      same(actualAll, all)
    end
    local function slices(x) return graph.scan(function(s, a) return s + a:sum() end, { torch.zeros(1) }, { x:t() }) end
    assert.error_matches(function() graph.capture(slices, { torch.randn(4, 2) }, { dynamic = { x1 = 1 } }) end,
      'dynamic: step %d .*, scan: a body whose sizes change, expected the same ones in each run')
  end)

  it('and other control flow work with lazy ops', function()
    local function f(x, n)
      local y = graph.whileLoop(function(_, k) return torch.gt(k, 0) end, function(a, k) return a + 1, k - 1 end, { x, n })
      local z = graph.cond(torch.gt(n, 2), function(a) return torch.mul(a, 2) end, function(a) return a end, { y })
      return z, graph.scan(function(s, v) return s + torch.cmul(v, z), torch.exp(s) end, { x }, { torch.ones(4, 3) })
    end
    local x, n = torch.randn(3), T { 3 }
    local expected, g = { f(x, n) }, graph.capture(f, { x, n })
    local captured = function(a, b) return graph.capture(f, { a, b }):run(a, b) end
    for _, run in ipairs { f, function(a, b) return g:run(a, b) end, captured } do
      for i, y in ipairs { torch.lazy(function() return run(torch.add(x, 0), torch.add(n, 0)) end) } do same(y, expected[i]) end
    end
  end)

  it('works with guards, whose functions get numbers', function()
    local function f(x)
      if x:sum() > 0 then x = torch.neg(x) end
      return graph.scan(function(s, v) return s + v end, { torch.zeros(1) }, { x })
    end
    local g = graph.capture(f, { T { 1, 2 } }, { guards = true })
    same(g:run(T { 1, 2 }), T { -3 })
    same(g:run(T { -1, -4 }), T { -5 })
  end)
end)
