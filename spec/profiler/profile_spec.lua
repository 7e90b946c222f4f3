-- torch.profiler: programs whose ops, times and events are known.
local torch, autograd, nn, optim = require 'torch', require 'autograd', require 'nn', require 'optim'
local C = require 'libmoontorch'

local profiler = torch.profiler

local function here() return debug.getinfo(2, 'l').currentline end

-- The rows by key.
local function byKey(rows)
  local found = {}
  for _, row in ipairs(rows) do found[row.key] = row end
  return found
end

-- The names and numbers of calls of what the profile saw, as text.
local function callsOf(p)
  local list = {}
  for _, row in ipairs(p:keyAverages { sortBy = 'name' }) do list[#list + 1] = row.key .. ' ' .. row.calls end
  return table.concat(list, ', ')
end

local function isIdle()
  local done = pcall(function() return profiler.start():stop() end)
  return done
end

describe('torch.profiler.profile', function()
  after_each(function() assert.is_true(isIdle()) end)

  it('counts the ops of a program, and returns its results', function()
    local x = torch.ones(4, 4)
    local p, a, b, c = profiler.profile(function(_, n)
      for _ = 1, n do torch.exp(x) end
      return torch.add(x, 1):mul(2), nil, 'c'
    end, nil, 5)
    assert.equal('add 1, exp 5, mul 1', callsOf(p))
    assert.equal(4, a[1][1])
    assert.is_nil(b)
    assert.equal('c', c)
  end)

  it('sees the ops that a trace sees: of modules, the tape and optimisers', function()
    local net = nn.Sequential():add(nn.Linear(4, 3)):add(nn.Tanh()):add(nn.Linear(3, 2))
    local x, y = torch.randn(5, 4), torch.randn(5, 2)
    local criterion = nn.MSECriterion()
    local optimizer = optim.Adam(net:parameters())
    local function protocol()
      net:zeroGradParameters()
      net:backward(x, criterion:backward(net:forward(x), y))
      net:updateParameters(0.1)
    end
    local function tape()
      criterion(net(x), y):backward()
      optimizer:step()
      net:zeroGrad()
    end
    for _, program in ipairs { protocol, tape } do
      if program == tape then net:requiresGrad() end
      program()
      C.traceOps(true)
      program()
      local counts = {}
      for _, name in ipairs((C.traceOps(false))) do counts[name] = (counts[name] or 0) + 1 end
      local p = profiler.profile(program)
      for name, row in pairs(byKey(p:keyAverages())) do
        if row.kind == 'op' then counts[name] = (counts[name] or 0) - row.calls end
      end
      assert.equal(2, byKey(p:keyAverages()).linear_weight_grad.calls)
      counts.linear_weight_grad = nil                            -- a trace doesn't see products that are added onto a sum
      for name, rest in pairs(counts) do assert.equal(0, rest, name .. ' ' .. rest) end
    end
  end)

  it('has times that add up', function()
    local x = torch.randn(200, 200)
    local p = profiler.profile(function()
      profiler.record('outer', function()
        for _ = 1, 3 do profiler.record('inner', function() return torch.exp(x * x) end) end
        torch.log(torch.abs(x))
      end)
    end)
    local events, selfSum, shares, inOps = p:events(), 0, 0, 0
    assert.equal(12, #events)
    for _, event in ipairs(events) do inOps = inOps + (event.kind == 'op' and event.duration or 0) end
    local units = require 'torch.units'
    assert.equal(('%s, %s of them in 8 ops'):format(units.duration(p:duration()), units.duration(inOps)), tostring(p):match '^[^\n]*')
    for i, event in ipairs(events) do
      local around = event.parent and events[event.parent]
      assert.is_true(event.duration >= 0 and event.start >= 0)
      if around then
        assert.is_true(event.start >= around.start and event.start + event.duration <= around.start + around.duration + 1e-12)
        assert.is_true(event.parent < i)
      end
    end
    local rows = byKey(p:keyAverages())
    for _, row in pairs(rows) do
      selfSum, shares = selfSum + row.selfTime, shares + row.share
      assert.is_true(row.selfTime <= row.total + 1e-12)
      assert.near(row.total / row.calls, row.mean, 1e-15)
    end
    assert.near(rows.outer.total, selfSum, 1e-9)
    assert.near(1, shares, 1e-9)
    assert.equal(3, rows.inner.calls)
    assert.is_true(rows.inner.total < rows.outer.total and rows.outer.total <= p:duration())
    assert.equal('region', rows.inner.kind)
    assert.equal('inner', events[events[3].parent].name)
  end)

  it('counts time by the line of the program', function()
    local x, first = torch.randn(50, 50):requiresGrad(), nil
    local p = profiler.profile(function()
      first = here() + 1
      local y = torch.exp(x)
      local z = torch.sum(y)
      z:backward()
    end)
    local rows = byKey(p:byLine())
    local function at(line)
      for key, row in pairs(rows) do
        if key:find('profile_spec.lua:' .. line .. '$') then return row end
      end
    end
    local backward = {}
    for _, event in ipairs(p:events()) do backward[event.backward] = true end
    assert.same({ [true] = true, [false] = true }, backward)
    assert.is_true(at(first).backward > 0)                      -- its gradient counts for the call
    assert.is_true(at(first).backward < at(first).selfTime)
    assert.is_nil(profiler.profile(function() torch.exp(x) end, { lines = false }):byLine()[1])
  end)

  it('counts time by module, forward and backward, under both protocols', function()
    local net = nn.Sequential():add(nn.Linear(4, 3)):add(nn.Sequential():add(nn.Tanh()))
    local x, g = torch.randn(5, 4), torch.randn(5, 3)
    local function protocol()
      net:forward(x)
      net:backward(x, g)
    end
    local function tape() torch.dot(net(x):view(-1), g:view(-1)):backward() end
    for _, program in ipairs { protocol, tape } do
      if program == tape then net:requiresGrad() end
      for _, modules in ipairs { { net = net }, true } do
        local rows = byKey(profiler.profile(program, { modules = modules }):byModule())
        for _, key in ipairs { 'net.1 (nn.Linear)', 'net.2.1 (nn.Tanh)' } do
          assert.is_true(rows[key].backward > 0 and rows[key].backward < rows[key].selfTime, key)
        end
      end
    end
    assert.is_nil(rawget(net, 'updateOutput'))
  end)

  it('tells calls of different shapes apart', function()
    local p = profiler.profile(function()
      for n = 2, 3 do
        local x = torch.ones(n, n)
        torch.mm(x, x)
        torch.mm(x, x)
      end
    end, { shapes = true })
    local rows = byKey(p:keyAverages { groupBy = 'shapes', sortBy = 'calls' })
    assert.equal(2, rows['mm([2, 2], [2, 2])'].calls)
    assert.equal(2, rows['mm([3, 3], [3, 3])'].calls)
    assert.equal(2, rows['ones()'].calls)
    p = profiler.profile(function() torch.cat({ torch.ones(2), torch.ones(3) }, 1) end, { shapes = true })
    assert.equal(1, byKey(p:keyAverages { groupBy = 'shapes' })['cat([2], [3])'].calls)
  end)

  it('sorts and limits rows', function()
    local x = torch.ones(10)
    local p = profiler.profile(function()
      torch.exp(x)
      for _ = 1, 3 do torch.abs(x) end
      for _ = 1, 2 do torch.sin(x) end
    end)
    local rows = p:keyAverages { sortBy = 'calls', limit = 2 }
    assert.same({ 'abs', 'sin' }, { rows[1].key, rows[2].key })
    assert.equal(2, #rows)
    rows = p:keyAverages { sortBy = 'time' }
    assert.is_true(rows[1].total >= rows[2].total and rows[2].total >= rows[3].total)
    assert.matches('^op +calls +total +self +mean +threads +share\nabs +3 ', tostring(p:keyAverages { sortBy = 'calls' }))
    assert.matches('^[%d.]+ %S+, [%d.]+ %S+ of them in 6 ops\nop ', tostring(p))
  end)

  it('runs fused loops and prepared runs as they are', function()
    local x = torch.randn(64)
    local graph = torch.graph.capture(function(a) return torch.mul(torch.exp(torch.abs(a)), 2) end, { x })
    local expected = graph:run(x)
    local p, result = profiler.profile(function() return graph:run(x) end)
    assert.equal('fused: abs, exp, mul 1', callsOf(p))
    assert.equal('unit', p:keyAverages()[1].kind)
    assert.same(expected:totable(), result:totable())
    local run = nn.Sequential():add(nn.Linear(3, 3)):add(nn.Exp()):prepare(3)
    p = profiler.profile(function() run(torch.ones(3)) end)
    assert.equal('ones 1, prepared run 1', callsOf(p))
  end)

  it('lets a capture run inside', function()
    local net = nn.Sequential():add(nn.Linear(3, 3)):add(nn.Exp())
    local p = profiler.profile(function()
      local run = net:prepare(3)
      run(torch.ones(3))
      torch.abs(torch.ones(2))
    end)
    assert.equal(1, byKey(p:keyAverages())['prepared run'].calls)
    assert.equal(1, byKey(p:keyAverages()).abs.calls)
  end)

  it('runs lazy ops at once', function()
    torch.lazy(function()
      local p = profiler.profile(function() return torch.exp(torch.ones(3)) end)
      assert.equal('exp 1, ones 1', callsOf(p))
      assert.is_true(torch.isLazy())
    end)
  end)

  it('leaves no hook and no region behind after an error', function()
    local x = torch.ones(3)
    local thrown = {}
    local done, value = pcall(profiler.profile, function()
      profiler.record('outer', function() error(thrown) end)
    end)
    assert.is_false(done)
    assert.equal(thrown, value)
    local p = profiler.profile(function()
      pcall(profiler.record, 'fails', function() torch.add(x, torch.ones(4)) end)
      torch.abs(x)
    end)
    local events = p:events()
    assert.equal('abs', events[#events].name)
    assert.is_nil(events[#events].parent)
    assert.error_matches(function() profiler.profile(function() error 'oh no' end) end, 'oh no')
  end)

  it('is refused inside of another one, a search for NaNs and a trace', function()
    local function inside() return profiler.profile(print) end
    local message = 'torch.profiler.profile: a profile or a search for NaNs of this state is running, expected none'
    assert.error_matches(function() profiler.profile(inside) end, message)
    assert.error_matches(function() autograd.checkNaN(inside) end, message)
    C.traceOps(true)
    local done, text = pcall(inside)
    C.traceOps(false)
    assert.is_false(done)
    assert.matches('torch.profiler.profile: a capture or a trace of this state is running, expected none', text)
  end)

  it('names wrong arguments', function()
    assert.error_matches(function() profiler.profile(3) end, 'torch.profiler.profile: f: number, expected a function')
    assert.error_matches(function() profiler.profile(print, { memroy = true }) end, 'torch.profiler.profile: .*memroy')
    assert.error_matches(function() profiler.profile(print, { modules = 3 }) end, 'torch.profiler.profile: modules: 3, expected a table')
    assert.error_matches(function() profiler.start { schedule = 3 } end, 'torch.profiler.start: schedule: number, expected a function')
    assert.error_matches(function() profiler.record(nil, print) end, 'torch.profiler.record: name: nil, expected a string')
    assert.error_matches(function() profiler.record('x', 3) end, 'torch.profiler.record: f: number, expected a function')
    local p = profiler.profile(function() end)
    assert.error_matches(function() p:keyAverages { groupBy = 'colour' } end, 'groupBy: colour, expected one of line, module, op')
    assert.error_matches(function() p:keyAverages { sortBy = 'colour' } end, 'keyAverages: sortBy: colour, expected one of bytes, calls')
    assert.error_matches(function() p:keyAverages { limit = 0 } end, 'keyAverages: limit: 0, expected a whole number, 1 or more')
    assert.error_matches(function() p:memoryBy() end, 'memoryBy: a profile without memory, expected the option memory = true')
    assert.error_matches(function() p:exportStacks 'x' end, 'exportStacks: a profile without stacks')
  end)

  it('passes regions through when no profile runs', function()
    assert.same({ 1, 2 }, { profiler.record('name', function(...) return ... end, 1, 2) })
    assert.error_matches(function() profiler.record('name', error, 'oh no') end, 'oh no')
  end)
end)

describe('torch.profiler.start', function()
  it('measures until stop', function()
    local p = profiler.start()
    torch.abs(torch.ones(2))
    assert.equal('abs 1, ones 1', callsOf(p))                   -- while it runs
    assert.equal(p, p:stop())
    torch.exp(torch.ones(2))
    assert.equal('abs 1, ones 1', callsOf(p:stop()))
    assert.is_true(isIdle())
  end)

  it('is stopped without its object', function()
    local p = profiler.start()
    assert.equal(p, profiler.stop())
    assert.is_nil(profiler.stop())
  end)

  it('measures the coroutines that run meanwhile', function()
    local inside = coroutine.wrap(function()
      return profiler.profile(function()
        torch.exp(torch.ones(2))
        coroutine.yield()
        torch.abs(torch.ones(2))
      end)
    end)
    inside()
    torch.log(torch.ones(2))
    assert.equal('abs 1, exp 1, log 1, ones 3', callsOf(inside()))
    local known = setmetatable({}, { __mode = 'k' })
    local made = coroutine.create(function() profiler.profile(torch.abs, nil) end)
    known[made] = true
    coroutine.resume(made)
    made = nil      -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(known))                                   -- a profile that has ended keeps no coroutine
  end)
end)

describe('torch.profiler.schedule', function()
  it('names what happens in each step', function()
    local schedule = profiler.schedule { skipFirst = 1, wait = 1, warmup = 1, active = 2, repeats = 2 }
    local actions = {}
    for step = 1, 10 do actions[step] = schedule(step) end
    assert.equal('none none warmup record save none warmup record save none', table.concat(actions, ' '))
    local once = profiler.schedule { active = 1, repeats = 1 }
    assert.same({ 'save', 'none', 'none' }, { once(1), once(2), once(3) })
    local always = profiler.schedule { active = 1 }
    assert.equal('save', always(1))
    assert.equal('save', always(1000))
    assert.error_matches(function() profiler.schedule { active = 0 } end, 'torch.profiler.schedule: active: 0, expected a whole number, 1')
    assert.error_matches(function() profiler.schedule { active = 1, wait = -1 } end, 'torch.profiler.schedule: wait: %-1')
    assert.error_matches(function() profiler.schedule() end, 'torch.profiler.schedule: options: nil')
  end)

  it('measures only the recorded steps, and hands over each cycle', function()
    local x, ready = torch.ones(2), {}
    local ops = { torch.abs, torch.sin, torch.cos, torch.exp, torch.sqrt, torch.tanh, torch.floor, torch.ceil }
    local p = profiler.profile(function(p)
      for i = 1, 8 do
        ops[i](x)
        p:step()
      end
    end, {
      schedule = profiler.schedule { wait = 1, warmup = 1, active = 1, repeats = 2 },
      onTraceReady = function(made) ready[#ready + 1] = callsOf(made) end,
    })
    assert.same({ 'cos 1', 'tanh 1' }, ready)
    assert.equal('tanh 1', callsOf(p))
    -- a cycle that the end of f cuts short
    ready = {}
    profiler.profile(function(made)
      for i = 1, 2 do
        ops[i](x)
        made:step()
      end
      ops[3](x)
    end, { schedule = profiler.schedule { wait = 1, active = 5 }, onTraceReady = function(made) ready[#ready + 1] = callsOf(made) end })
    assert.same({ 'cos 1, sin 1' }, ready)
  end)

  it('lets onTraceReady stop the profile, which calls it once', function()
    local count = 0
    local p = profiler.profile(function(p)
      for _ = 1, 4 do
        torch.abs(torch.ones(1))
        p:step()
      end
    end, {
      schedule = profiler.schedule { active = 1 },
      onTraceReady = function(p)
        count = count + 1
        p:stop()
      end,
    })
    assert.equal(1, count)
    assert.equal('abs 1, ones 1', callsOf(p))
    local steps = {}
    profiler.profile(function(made)
      made:step()
      made:step()
    end, { schedule = function(step) steps[#steps + 1] = step return 'none' end })
    assert.same({ 1, 2, 3 }, steps)
    assert.error_matches(function() profiler.start { schedule = function() return 3 end } end, 'schedule: 3, expected none, warmup')
    assert.is_true(isIdle())
  end)

  it('ends regions of a profile that has ended with it', function()
    local second
    local first = profiler.start()
    profiler.record('outer', function()
      first:stop()
      second = profiler.start()
      profiler.record('inner', torch.abs, torch.ones(1))
    end)
    torch.exp(torch.ones(1))
    second:stop()
    assert.equal('outer 1', callsOf(first))
    assert.equal('abs 1, exp 1, inner 1, ones 2', callsOf(second))
    assert.is_nil(second:events()[4].parent)
  end)

  it('ends with the errors of onTraceReady', function()
    local function fail() error 'no room' end
    assert.error_matches(function()
      profiler.profile(function(p) p:step() end, { schedule = profiler.schedule { active = 1 }, onTraceReady = fail })
    end, 'no room')
    assert.is_true(isIdle())
  end)
end)
