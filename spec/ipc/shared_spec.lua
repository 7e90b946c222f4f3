-- Tables that threads share, and functions in background threads.
local torch, ipc = require 'torch', require 'ipc'
local newTask, newPool = require 'ipc.BackgroundTask', require 'ipc.BackgroundTaskPool'

local function fails(expected, f, ...)
  local good, problem = pcall(f, ...)
  assert.is_false(good)
  assert.truthy(tostring(problem):find(expected, 1, true), tostring(problem))
end

describe('ipc.sharedtable', function()
  it('has the entries of a table: copies, and the elements of tensors', function()
    local x = torch.ones(2)
    local given = { 1, 'two', { 3 }, x, name = 'n', [true] = false, chars = torch.CharStorage { 1, 2 } }
    function given.twice(y) return 2 * y end
    local t = ipc.sharedtable(given)
    assert.same({ 1, 'two', 'n', false }, { t[1], t[2], t.name, t[true] })
    assert.same({ 3 }, t[3])
    assert.are_not.equal(t[3], t[3])
    assert.equal(14, t.twice(7))
    assert.equal(3, t.chars[1] + t.chars[2])
    assert.equal(4, #t)
    t[3].changed = 1
    assert.is_nil(t[3].changed)
    t[4]:fill(5)
    assert.equal(10, x:sum())
    assert.is_nil(t.absent)
    t.name = nil
    assert.is_nil(t.name)
    assert.equal('ipc.SharedTable[7]', tostring(t))
  end)

  it('is empty without a table, and empties one that it moves', function()
    local t, given = ipc.sharedtable(), { 1, a = 2 }
    assert.equal(0, #t)
    assert.is_nil(pairs(t)())
    local moved = ipc.sharedtable(given, true, "require 'torch'", 1024, 1024)
    assert.is_nil(next(given))
    assert.same({ 1, 2 }, { moved[1], moved.a })
  end)

  it('has the length of a list of any length', function()
    for n = 0, 40 do
      local t = ipc.sharedtable()
      for i = 1, n do t[i] = i end
      assert.equal(n, #t)
    end
  end)

  it('iterates', function()
    local t = ipc.sharedtable { 'a', 'b', { 'c' }, x = 4 }
    local found, list = {}, {}
    for key, value in pairs(t) do found[key] = value end
    for i, value in ipairs(t) do list[i] = value end
    assert.same({ 'a', 'b', { 'c' }, x = 4 }, found)
    assert.same({ 'a', 'b', { 'c' } }, list)
  end)

  it('is one table for all threads, as argument, upvalue, result and entry', function()
    local t = ipc.sharedtable { inner = ipc.sharedtable() }
    local map = ipc.map(4, function(u, id)
      local mine = require('libipc').sharedtable { id = id }
      for i = 1, 100 do u[1000 * id + i] = { i } end
      t.inner[id] = mine
      return u
    end, t)
    local back = map:join()
    local count = 0
    for key, value in pairs(t) do
      if type(key) == 'number' then count = count + value[1] end
    end
    assert.equal(4 * 5050, count)
    assert.same({ 1, 2, 3, 4 }, { t.inner[1].id, t.inner[2].id, t.inner[3].id, t.inner[4].id })
    back.last = 'here'
    assert.equal('here', t.last)
    t.inner[2].id = 'changed'
    assert.equal('changed', back.inner[2].id)
  end)

  it('has whole values, whoever writes them', function()
    local t = ipc.sharedtable { value = { 0, 0 } }
    local good = ipc.map(3, function(u, id)
      for i = 1, 300 do
        if id == 1 then
          u.value = { i, -i }
        else
          local pair = u.value
          if pair[1] + pair[2] ~= 0 then return false end
        end
      end
      return true
    end, t)
    assert.same({ true, true, true }, { good:join() })
  end)

  it('tells its size', function()
    local t = ipc.sharedtable()
    assert.equal(0, ipc.sharedtable_size(t))
    t.text = ('x'):rep(10240)
    assert.near(10, ipc.sharedtable_size(t), 0.1)
    t.x = torch.zeros(100000)
    assert.near(10, ipc.sharedtable_size(t), 0.2)
    t.text = nil
    assert.is_true(ipc.sharedtable_size(t) < 0.2)
    local before = ipc.sharedtable_size(t)
    t[('k'):rep(2048)] = true
    assert.near(2, ipc.sharedtable_size(t) - before, 0.1)
    local list = {}
    for i = 1, 1000 do list[i] = i end
    before = ipc.sharedtable_size(t)
    t.list = list
    local added = ipc.sharedtable_size(t) - before
    assert.is_true(added > 8 and added < 80)      -- 1000 numbers
    local numbers, tables = ipc.sharedtable(), ipc.sharedtable()
    for i = 1, 100 do numbers[i], tables[i] = i, { i } end
    assert.is_true(2 * ipc.sharedtable_size(numbers) < ipc.sharedtable_size(tables))      -- numbers are no messages
  end)

  it('refuses what it can not hold, and keeps what was there', function()
    local t = ipc.sharedtable { a = 1 }
    fails('ipc.sharedtable: key: a table, expected a number, string or boolean', function() t[{}] = 1 end)
    fails('ipc.sharedtable: key: nan', function() return t[0 / 0] end)
    fails('ipc.sharedtable: the value of a: ', function() t.a = newproxy() end)
    assert.equal(1, t.a)
    local given = { 1, newproxy() }
    fails('ipc.sharedtable: the value of 2: ', ipc.sharedtable, given, true)
    assert.equal(1, given[1])
    fails('ipc.sharedtable: tbl: 3, expected a table', ipc.sharedtable, 3)
    fails('ipc.sharedtable: requires: a table', ipc.sharedtable, {}, false, {})
    fails('ipc.sharedtable_size: t: a table, expected a table of ipc.sharedtable', ipc.sharedtable_size, {})
    assert.is_false((pcall(torch.serialize, t)))
  end)
end)

describe('ipc.BackgroundTask', function()
  it('returns the results of a function, as often as asked', function()
    local offset, x = 1, torch.zeros(1)
    local task = newTask(function(a, y)
      y[1] = 7
      return a + offset, nil, 'last'
    end, 41, x)
    assert.same({ 42, nil, 'last' }, { task.getResult() })
    assert.equal(3, select('#', task.getResult()))
    assert.is_true(task.isDone())
    assert.equal(7, x[1])
  end)

  it('tells when it is done', function()
    local gate = ipc.channel()
    local task = newTask(function(c) return (select(2, c:read())) end, gate)
    assert.is_false(task.isDone())
    gate:write 'open'
    while not task.isDone() do end
    assert.equal('open', task.getResult())
  end)

  it('raises the error', function()
    local task = newTask(function() error 'as planned' end)
    fails('as planned', task.getResult)
    fails('as planned', task.getResult)
    fails('ipc.BackgroundTask: f: nil, expected a function', newTask)
    fails('ipc.BackgroundTaskPool: addTask: argument 1: ', newTask, print, newproxy())
  end)
end)

describe('ipc.BackgroundTaskPool', function()
  it('runs more tasks than it has threads', function()
    local pool = newPool(2)
    assert.is_false(pool.hasTask())
    local ids = {}
    for i = 1, 30 do ids[i] = pool.addTask(function(n) return n * n end, i) end
    assert.is_true(pool.isDone(ids[30], true))
    assert.equal(900, pool.getResult(ids[30]))
    assert.equal(49, pool.getResult(ids[7]))
    local sum = 0
    assert.is_true(pool.isDone(nil, true))
    for _ = 1, 28 do sum = sum + pool.getResult() end
    assert.equal(9455 - 900 - 49, sum)
    assert.is_false(pool.hasTask())
  end)

  it('runs as many at a time as it has threads', function()
    local pool, mutex = newPool(3), ipc.mutex()
    for _ = 1, 3 do pool.addTask(function(m) m:barrier(3) end, mutex) end      -- all three wait for each other
    for _ = 1, 3 do pool.getResult() end
    assert.is_false(pool.hasTask())
  end)

  it('returns the task that has ended first, and raises the error of its own task alone', function()
    local pool, gate = newPool(2, { closeOnLastTask = true }), ipc.channel()
    local slow = pool.addTask(function(c) return (select(2, c:read())) end, gate)
    local broken = pool.addTask(function() error 'as planned' end)
    assert.is_true(pool.isDone(broken, true))
    assert.is_false(pool.isDone(slow))
    assert.is_true(pool.isDone())
    fails('as planned', pool.getResult)
    fails(('getResult: id: %d, expected the number of a task whose result has not been taken'):format(broken), pool.getResult, broken)
    gate:write 'late'
    assert.equal('late', pool.getResult(slow))
    fails('ipc.BackgroundTaskPool: getResult: there is no task', pool.getResult)
    assert.equal('again', pool.getResult(pool.addTask(function() return 'again' end)))
  end)

  it('refuses wrong arguments', function()
    fails('ipc.BackgroundTaskPool: n: 0', newPool, 0)
    fails('ipc.BackgroundTaskPool: ', newPool, 1, { close = true })
    local pool = newPool(1)
    fails('ipc.BackgroundTaskPool: addTask: f: 3, expected a function', pool.addTask, 3)
    fails('ipc.BackgroundTaskPool: isDone: id: 9, expected', pool.isDone, 9)
  end)
end)
