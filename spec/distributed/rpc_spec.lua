-- torch.distributed.rpc with real processes: calls, futures, references, gradients across ranks, errors and time limits.
local ranks, program = require 'spec.support.ranks', require 'spec.support.program'

local start = [[
local rpc = dist.rpc.init { timeout = 30 }
local function fails(expected, f, ...)
  local good, problem = pcall(f, ...)
  assert(not good and tostring(problem):find(expected, 1, true), tostring(problem))
  return problem
end
rpc.register('add', function(a, b) return a + b, rank end)
rpc.register('kept', rpc.kept)
]]

-- Runs code on n ranks, which all shut down at its end.
local function run(n, code)
  local outputs = ranks.run(n, start .. code .. '\nrpc.shutdown(60)\nio.write "ok"')
  for rank = 1, n do assert.equal('ok', outputs[rank]) end
end

describe('torch.distributed.rpc', function()
  it('needs init before a call', function()
    local output = program.evaluate "print((select(2, pcall(require('torch.distributed').rpc.call, 0, 'f'))))"
    assert.truthy(output:find('torch.distributed.rpc.call: not started, expected a call of torch.distributed.rpc.init before', 1, true))
  end)

  it('calls functions of all ranks by name', function()
    run(3, [[
      rpc.register('several', function(...) return select('#', ...), nil, { ... }, nil end)
      dist.barrier()                                                               -- all have registered
      for other = 0, n - 1 do
        local sum, where = rpc.call(other, 'add', torch.ones(2):mul(rank), 3)
        assert(where == other and sum[2] == rank + 3)
      end
      local long = rpc.call((rank + 1) % n, 'add', torch.range(1, 100001), 1)      -- in two parts
      assert(long[1] == 2 and long[100001] == 100002)
      local results = { n = select('#', rpc.call((rank + 1) % n, 'several', nil, 'x', nil)),
        rpc.call((rank + 1) % n, 'several', nil, 'x', nil) }
      assert(results.n == 4 and results[1] == 3 and results[3][2] == 'x' and results[4] == nil)
    ]])
  end)

  it('runs calls of others while it waits', function()
    -- Each rank asks the next, which asks the one after it, around the ring: all wait for each other.
    run(3, [[
      rpc.register('around', function(steps)
        if steps == 0 then return '' end
        return rank .. rpc.call((rank + 1) % n, 'around', steps - 1)
      end)
      dist.barrier()
      local expected = ''
      for i = 0, 6 do expected = expected .. (rank + i) % n end
      assert(rpc.call(rank, 'around', 7) == expected)
    ]])
  end)

  it('returns futures', function()
    run(2, [[
      if rank == 0 then
        local futures = {}
        for i = 1, 20 do futures[i] = rpc.async(1, 'add', i, 100) end
        for i = 20, 1, -1 do assert(futures[i]:wait() == i + 100 and futures[i]:isCompleted() and futures[i]:wait() == i + 100) end
        local polled = rpc.async(1, 'add', 1, 2)
        while not polled:isCompleted() do end
        assert(polled:wait() == 3)
      end
    ]])
  end)

  it('carries errors with the traceback of the other rank', function()
    run(2, [[
      rpc.register('broken', function() local function inner() error 'as planned' end inner() end)
      rpc.register('closure', function() return { function() end } end)
      if rank == 0 then
        local problem = fails('torch.distributed.rpc: broken on rank 1: ', rpc.call, 1, 'broken')
        assert(problem:find 'as planned\n%[rank 1%] stack traceback:.*inner')
        fails("nothing on rank 1: no function is registered under 'nothing'", rpc.call, 1, 'nothing')
        fails('rpc.call: rank: 2, expected a rank of the group: 0, 1', rpc.call, 2, 'add')
        fails('torch.distributed.rpc: value.arguments.1: a function, expected values', rpc.call, 1, 'add', function() end, 1)
        fails('closure on rank 1: torch.distributed.rpc: value.results.1.1: a function', rpc.call, 1, 'closure')
        rpc.register('add', nil)
        fails("no function is registered under 'add'", rpc.call, 0, 'add', 1, 2)
        assert(rpc.call(1, 'add', 1, 2) == 3)
      end
    ]])
  end)

  it('has time limits', function()
    run(2, [[
      if rank == 0 then
        dist.barrier()
        local future = rpc.async(1, 'held up')
        fails('torch.distributed.rpc: held up on rank 1: no answer within 0.1 seconds', future.wait, future, 0.1)
        fails('no answer within 0.1 seconds', future.wait, future, 0.1)
        rpc.call(1, 'go')
        assert(rpc.call(1, 'add', 1, 2) == 3)         -- the late answer is dropped
        fails('rpc.shutdown: ranks 1 have not called it within 0.1 seconds', rpc.shutdown, 0.1)
        dist.barrier()
      else
        local goes = false
        rpc.register('go', function() goes = true end)
        rpc.register('held up', function()
          while not goes do rpc.poll() end
        end)
        dist.barrier()
        dist.barrier()
      end
    ]])
  end)

  it('ends also if references are collected after the last message', function()
    run(2, [[
      dist.barrier()
      local reference = rpc.remote(1 - rank, 'add', 1, 2)
      assert(reference:toHere() == 3)
      local wire = require 'distributed.rpc.wire'
      local send = wire.send
      wire.send = function(to, kind, ...)
        local lost = send(to, kind, ...)
        if kind == wire.last then
          reference = nil
          collectgarbage()
          collectgarbage()
        end
        return lost
      end
    ]])
  end)

  it('serves without a wait in poll', function()
    run(2, [[
      local served = 0
      rpc.register('count', function() served = served + 1 end)
      if rank == 0 then
        rpc.call(1, 'count')
        rpc.call(1, 'count')
      else
        while served < 2 do rpc.poll() end
      end
    ]])
  end)

  it('keeps values for references until these are collected', function()
    run(2, [[
      rpc.register('make', function(size) return torch.range(1, size), 'label' end)
      rpc.register('sum', function(x, y) return x:sum() + (y and y:sum() or 0) end)
      rpc.register('fill', function(x, value) x:fill(value) end)
      rpc.register('broken', function() error 'as planned' end)
      if rank == 0 then
        local a, b = rpc.remote(1, 'make', 4), rpc.remote(1, 'make', 3)
        local x, label = a:toHere()
        assert(x:sum() == 10 and label == 'label' and a:owner() == 1)
        assert(rpc.call(1, 'sum', a, b) == 16 and rpc.call(1, 'kept') == 2)
        rpc.call(1, 'fill', a, 7)                     -- the value itself, there
        assert(a:toHere():sum() == 28 and x:sum() == 10)
        local broken = rpc.remote(1, 'broken')
        fails('broken on rank 1: ', broken.toHere, broken)
        fails('as planned', rpc.call, 1, 'sum', broken)
        local mine = rpc.remote(0, 'make', 2)
        assert(mine:toHere():sum() == 3 and rpc.kept() == 1)
        a, broken, mine = nil, nil, nil
        collectgarbage()
        collectgarbage()
        assert(rpc.call(1, 'kept') == 1, rpc.call(1, 'kept'))
        rpc.poll()
        assert(rpc.kept() == 0 and b:toHere():sum() == 6)
      end
    ]])
  end)
end)

describe('a reference of torch.distributed.rpc', function()
  -- Rank 0 makes it, rank 1 keeps the value, rank 2 gets the reference.
  local three = [[
    rpc.register('make', function(size) return torch.range(1, size) end)
    rpc.register('sum', function(x) return x:sum() end)
    local mine = {}
    rpc.register('take', function(reference)
      table.insert(mine, reference)
      return reference:owner(), reference:toHere():sum()
    end)
    rpc.register('give', function(i) return mine[i], 'with it' end)
    rpc.register('forget', function()
      mine = {}
      collectgarbage()
      collectgarbage()
    end)
    local function kept() return rpc.call(1, 'kept') end
    -- Returns whether an owner keeps nothing in the end: what other ranks tell it may come after this rank's question.
    local function settles(owner)
      for _ = 1, 500 do
        if rpc.call(owner, 'kept') == 0 then return true end
        require('sys').sleep(0.005)
      end
    end
    local function forget()
      collectgarbage()
      collectgarbage()
    end
  ]]

  it('passes to third ranks, and keeps the value until none has one', function()
    run(3, three .. [[
      if rank == 0 then
        local a = rpc.remote(1, 'make', 4)
        local owner, sum = rpc.call(2, 'take', a)             -- at once: the value may not be made yet
        assert(owner == 1 and sum == 10 and kept() == 1)
        a = nil
        forget()
        assert(kept() == 1 and rpc.kept() == 0)               -- rank 2 has one
        local back, text = rpc.call(2, 'give', 1)
        assert(text == 'with it' and back:owner() == 1 and back:toHere():sum() == 10)
        assert(rpc.call(1, 'sum', back) == 10)                -- its owner gets the value
        rpc.call(2, 'forget')
        assert(kept() == 1)                                   -- this rank has one again
        back = nil
        forget()
        assert(settles(1))
      end
    ]])
  end)

  it('comes to its owner as a reference where it is a result', function()
    run(3, three .. [[
      rpc.register('own', function()
        local reference = rpc.call(2, 'give', 1)              -- rank 1 asks for a reference to its own value
        return reference:owner(), reference:toHere():sum(), rpc.call(1, 'sum', reference)
      end)
      if rank == 0 then
        local a = rpc.remote(1, 'make', 3)
        rpc.call(2, 'take', a)
        local owner, sum, again = rpc.call(1, 'own')
        assert(owner == 1 and sum == 6 and again == 6)
        a = nil
        forget()
        rpc.call(2, 'forget')
        rpc.call(1, 'forget')
        assert(settles(1))
      end
    ]])
  end)

  it('goes around while others let go, and the last one ends it', function()
    run(3, three .. [[
      local last
      rpc.register('pass', function(reference, steps)
        if steps == 0 then
          last = reference
          return reference:owner()
        end
        return rpc.call(1 - rank, 'pass', reference, steps - 1)
      end)
      rpc.register('end', function()
        last = nil
        forget()
      end)
      rpc.register('pass back', function(reference) return reference end)
      dist.barrier()
      if rank == 0 then
        for round = 1, 6 do
          assert(rpc.call(0, 'pass', rpc.remote(2, 'make', 5), 2 * round - 1) == 2)      -- ends on rank 1
          forget()
        end
        local reference = rpc.call(1, 'pass back', rpc.remote(2, 'make', 2))
        assert(reference:toHere():sum() == 3)
        reference = nil
        rpc.call(1, 'end')
        for other = 0, 2 do rpc.call(other, 'forget') end
        forget()
        assert(settles(2), rpc.call(2, 'kept'))
      end
    ]])
  end)

  it('raises where it is passed on if its value could not be made, and keeps nothing of a call that was not sent', function()
    run(3, three .. [[
      rpc.register('broken', function() error 'as planned' end)
      if rank == 0 then
        local broken, good = rpc.remote(1, 'broken'), rpc.remote(1, 'make', 2)
        fails('as planned', rpc.call, 2, 'take', broken)
        fails('a function, expected values', rpc.call, 2, 'take', good, function() end)
        fails("no function is registered under 'none'", rpc.call, 2, 'none', good)
        fails('torch.distributed.rpc: none on rank 2', rpc.call, 2, 'none', good)
        rpc.call(2, 'forget')
        broken, good = nil, nil
        forget()
        assert(settles(1), kept())
      end
    ]])
  end)

  it('is released where LuaJIT compiles all that runs a few times', function()
    run(3, "require('jit.opt').start('hotloop=2', 'hotexit=1')\n" .. three .. [[
      rpc.register('own', function()
        local reference = rpc.call(2, 'give', 1)
        return reference:toHere():sum(), rpc.call(1, 'sum', reference)
      end)
      if rank == 0 then
        local a = rpc.remote(1, 'make', 3)
        rpc.call(2, 'take', a)
        for _ = 1, 5 do assert(rpc.call(1, 'own') == 6) end
        a = nil
        forget()
        for other = 1, 2 do rpc.call(other, 'forget') end
        assert(settles(1), kept())
      end
    ]])
  end)

  it('is kept in the right order, whichever message comes first', function()
    local held = require 'distributed.rpc.held'
    held.put(0, 1, 'value')
    held.drop(0, 1, '2:7')            -- rank 2 ends its hold before the announcement of it comes
    held.drop(0, 1, '2:7')
    assert.equal('value', held.get(0, 1))
    held.add(0, 1, '2:7')
    held.add(0, 1, '2:8')
    held.drop(0, 1)                   -- the maker's
    assert.equal('value', held.get(0, 1))
    held.set(0, 1, 'other')
    assert.equal('other', held.get(0, 1))
    held.drop(0, 1, '2:8')
    assert.is_nil(held.get(0, 1))
    held.set(0, 1, 'late')
    assert.equal(0, held.count())
  end)
end)

describe('calls of torch.distributed.rpc', function()
  it('run while a rank waits in calls of torch.distributed', function()
    run(2, [[
      local sum = 0
      rpc.register('count', function(x) sum = sum + x return sum end)
      if rank == 0 then
        for i = 1, 5 do assert(rpc.call(1, 'count', i) == i * (i + 1) / 2) end      -- rank 1 is in the barrier
        dist.barrier()
        assert(rpc.call(1, 'count', 10) == 25)                                    -- in a reduction
        local x = dist.allReduce(torch.ones(3))
        assert(x[2] == 3)
        assert(rpc.call(1, 'count', 1) == 26)                                     -- in receive
        dist.send(torch.ones(2), 1)
        assert(dist.broadcastObject({ 'text' }, 0)[1] == 'text')
      else
        dist.barrier()
        assert(sum == 15 or sum == 25)                    -- the other rank's next call may come before this one's end
        local x = dist.allReduce(torch.ones(3):mul(2))
        assert(x[2] == 3 and (sum == 25 or sum == 26))
        assert(dist.receive(torch.zeros(2), 0):sum() == 2 and sum == 26)
        assert(dist.broadcastObject(nil, 0)[1] == 'text')
      end
    ]])
  end)

  it('may be long, call others themselves, and fail, while their rank waits', function()
    run(3, [[
      rpc.register('through', function(x, steps)
        if steps == 0 then error 'at the end' end
        local y = rpc.call((rank + 1) % n, 'through', x, steps - 1)
        return y
      end)
      rpc.register('size', function(x) return x:nElement() end)
      if rank == 0 then
        fails('at the end', rpc.call, 1, 'through', torch.ones(3), 4)
        assert(rpc.call(2, 'size', torch.zeros(100000)) == 100000)
      end
      dist.barrier()
      assert(dist.allReduce(torch.ones(1))[1] == 3)
    ]])
  end)
end)

describe('the tape of torch.distributed.rpc', function()
  local layers = [[
    torch.manualSeed(5)
    local w1, w2, x = torch.randn(3, 4), torch.randn(4, 2), torch.randn(5, 3)
    local function layer(input, w) return torch.tanh(torch.mm(input, w)) end
    -- in one process
    local a, b, c = w1:clone():requiresGrad(), w2:clone():requiresGrad(), x:clone():requiresGrad()
    local loss = torch.cmul(layer(layer(c, a), b), layer(layer(c, a), b)):sum()
    loss:backward()
  ]]

  it('has the gradients of one process', function()
    run(2, layers .. [[
      local mine = w2:clone():requiresGrad()
      rpc.register('layer', function(input) return layer(input, mine), 'kept as it is' end)
      rpc.register('grad', function() return mine.grad end)
      if rank == 0 then
        local w, input = w1:clone():requiresGrad(), x:clone():requiresGrad()
        local y, text = rpc.call(1, 'layer', layer(input, w))
        assert(text == 'kept as it is' and rpc.call(1, 'kept') == 1)
        local total = torch.cmul(y, y):sum()
        total:backward()
        assert((w.grad - a.grad):abs():max() < 1e-14 and (input.grad - c.grad):abs():max() < 1e-14)
        assert((rpc.call(1, 'grad') - b.grad):abs():max() < 1e-14)
        assert(rpc.call(1, 'kept') == 0)
        -- of a call to itself
        mine.grad = nil
        local own = x:clone():requiresGrad()
        y = rpc.call(0, 'layer', layer(own, w1))
        torch.cmul(y, y):sum():backward()
        assert((own.grad - c.grad):abs():max() < 1e-14 and (mine.grad - b.grad):abs():max() < 1e-14)
      end
    ]])
  end)

  it('goes through several ranks, and through calls without gradients of arguments', function()
    run(3, layers .. [[
      local mine = (rank == 1 and w1 or w2):clone():requiresGrad()
      rpc.register('first', function(input) return layer(input, mine) end)
      rpc.register('both', function(input) return layer(rpc.call(1, 'first', input), mine) end)
      rpc.register('grad', function() return mine.grad end)
      if rank == 0 then
        local y = rpc.async(2, 'both', x):wait()
        torch.cmul(y, y):sum():backward()
        assert((rpc.call(1, 'grad') - a.grad):abs():max() < 1e-14)
        assert((rpc.call(2, 'grad') - b.grad):abs():max() < 1e-14)
      end
    ]])
  end)

  it('has gradients of gradients, also through several ranks', function()
    run(3, [[
      local grad = require('autograd').grad
      torch.manualSeed(4)
      local w, w3 = torch.rand(4):add(0.5):requiresGrad(), torch.rand(4):requiresGrad()
      rpc.register('curve', function(a, b)
        local y = torch.cmul(torch.pow(a, 3), torch.exp(torch.cmul(b, w)))
        return rpc.call(2, 'last', y, a), 7
      end)
      rpc.register('last', function(y, a) return torch.cmul(torch.sin(y), torch.add(a, w3)) end)
      local mine = rank == 1 and w or w3
      rpc.register('clear', function() mine.grad = nil end)
      rpc.register('grad', function() return mine.grad:detach() end)
      -- Compiled code may keep the objects with which it was recorded.
      local function collect()
        jit.flush()
        collectgarbage()
      end
      rpc.register('collect', collect)
      rpc.register('shift', function(d) torch.noGrad(mine.add, mine, d) end)
      if rank == 0 then
        local a, b = torch.rand(4):requiresGrad(), torch.rand(4):requiresGrad()
        local u, v = torch.randn(4), torch.randn(4)
        -- The function and its derivatives along directions, each the gradient of the one before.
        local function f()
          local y = rpc.call(1, 'curve', a, b)
          return torch.cmul(y, y):sum()
        end
        local function first() return torch.cmul(grad(f(), a, { createGraph = true }), u):sum() end
        local function second() return torch.cmul(grad(first(), b, { createGraph = true }), v):sum() end
        -- Compares a gradient with a difference of the function along a direction. `move(step)` changes what it depends on.
        local direction = torch.randn(4)
        local function check(name, g, h, move)
          local function at(d)
            move(direction * d)
            local value = h():item()
            move(direction * -d)
            return value
          end
          local found, expected = torch.dot(g:detach(), direction), (at(1e-5) - at(-1e-5)) / 2e-5
          assert(math.abs(found - expected) < 1e-6 * math.max(1, math.abs(expected)), ('%s: %g %g'):format(name, found, expected))
        end
        local function moving(x) return function(step) torch.noGrad(x.add, x, step) end end
        check('first a', grad(first(), a), first, moving(a))
        check('first b', grad(first(), b), first, moving(b))
        check('second a', grad(second(), a), second, moving(a))
        -- A penalty of the gradient: its gradients at the other ranks, where those of the first pass have been removed.
        local function penalty()
          local g = grad(f(), { a, b }, { createGraph = true })
          return torch.cmul(g[1], g[1]):sum() + torch.cmul(g[2], g[2]):sum()
        end
        local loss = penalty() + f()
        rpc.call(1, 'clear')
        rpc.call(2, 'clear')
        loss:backward()
        for k, g in ipairs { rpc.call(1, 'grad'), (rpc.call(2, 'grad')) } do
          check('rank ' .. k, g, function() return penalty() + f() end,
            function(step) rpc.call(k, 'shift', step) end)
        end
        -- A pass may follow another one that creates a graph; graphs end with what refers to them.
        local y = f()
        local once, again = grad(y, a, { createGraph = true }), grad(y, a, { retainGraph = true })
        assert((once - again):abs():max():item() == 0)
        loss, y, once = nil, nil, nil
        local kept, tries = 1, 0
        while kept > 0 and tries < 100 do             -- a graph ends after those that refer to it, which their ranks collect
          collect()
          rpc.call(1, 'collect')
          rpc.call(2, 'collect')
          kept, tries = rpc.call(1, 'kept'), tries + 1
        end
        assert(kept == 0)
      end
    ]])
  end)

  it('records nothing without a tape, and drops graphs that nothing refers to', function()
    run(2, [[
      local w = torch.ones(2):requiresGrad()
      rpc.register('scale', function(input) return torch.cmul(input, w), torch.add(input, 1), w end)
      if rank == 0 then
        torch.noGrad(function() assert(not rpc.call(1, 'scale', torch.ones(2)):isTracked()) end)
        assert(rpc.call(1, 'kept') == 0)
        local x = torch.ones(2):requiresGrad()
        local y, z = rpc.call(1, 'scale', x)
        assert(y:isTracked() and z:isTracked() and rpc.call(1, 'kept') == 1)
        z:sum():backward()                            -- y is not used
        assert(x.grad[1] == 1)
        fails('released by an earlier backward', function() y:sum():backward() end)
        y, z = rpc.call(1, 'scale', x)
        assert(rpc.call(1, 'kept') == 1)
        y, z = nil, nil
        collectgarbage()
        collectgarbage()
        assert(rpc.call(1, 'kept') == 0)
      end
    ]])
  end)
end)
