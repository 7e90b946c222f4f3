-- Functions in threads, queues and channels of ipc.
local torch, ipc = require 'torch', require 'ipc'

local function fails(expected, f, ...)
  local good, problem = pcall(f, ...)
  assert.is_false(good)
  assert.truthy(tostring(problem):find(expected, 1, true), tostring(problem))
end

describe('ipc.map', function()
  it('returns the results of all threads in order', function()
    local map = ipc.map(3, function(a, b, id) return a + id, b .. id end, 10, 'x')
    assert.same({ 11, 'x1', 12, 'x2', 13, 'x3' }, { map:join() })
    assert.equal(5, select('#', ipc.map(5, function() return nil end):join()))
  end)

  it('shares the memory of tensors', function()
    local x = torch.zeros(4)
    local y = ipc.map(4, function(t, id)
      t[id] = id
      return t
    end, x):join()
    assert.equal(10, x:sum())
    assert.equal(x:storage():data(), y:storage():data())
  end)

  it('raises errors of threads', function()
    local map = ipc.map(2, function(id) if id == 2 then error 'broken' end end)
    fails('broken', map.join, map)
    fails('map arg #2 expected a function', ipc.map, 1)
    fails('ipc.map: n: 0', ipc.map, 0, function() end)
    local failed = ipc.map(1, function() error 'at once' end)
    local good = true
    while good do good = pcall(failed.checkErrors, failed) end
    assert.is_nil((failed:join()))
  end)

  it('runs code first', function()
    assert.same({ 7, 8 }, { ipc.map_extended(2, '_G.base = 6', function(id) return _G.base + id end):join() })
  end)
end)

describe('ipc.workqueue', function()
  it('takes questions to threads, and answers back', function()
    local queue, created = ipc.workqueue 'squares'
    assert.equal(1, created)
    local again, createdAgain = ipc.workqueue 'squares'
    assert.equal(0, createdAgain)
    local map = ipc.map(3, function()
      local mine, isNew = require('libipc').workqueue 'squares'
      assert(isNew == 0)
      local count = 0
      while true do
        local question = mine:read()
        if question == nil then return count end
        count = count + 1
        mine:write { question = question, answer = question ^ 2 }
      end
    end)
    for i = 1, 20 do queue:write(i) end
    queue:drain()
    local sum = 0
    for _ = 1, 20 do
      local answer = again:read()
      assert.equal(answer.question ^ 2, answer.answer)
      sum = sum + answer.answer
    end
    assert.equal(2870, sum)
    assert.equal(0, select('#', queue:read(true)))
    queue:write(nil, nil, nil)
    local a, b, c = map:join()
    assert.equal(20, a + b + c)
    queue:close()
    fails('workqueue is not open', queue.write, queue, 1)
    assert.equal(1, select(2, ipc.workqueue 'squares'))
  end)

  it('is sent as an argument, and carries tensors by reference and functions with upvalues', function()
    local queue, x = ipc.workqueue(), torch.zeros(2)
    local map = ipc.map(1, function(q)
      local f, t = q:read(), q:read()
      t:fill(f(2))
      q:write(t)
      local good, problem = pcall(q.drain, q)
      return good, problem
    end, queue)
    local scale = 21
    queue:writeup(function(n) return n * scale end)
    queue:write(x)
    assert.equal(84, queue:read():sum())
    assert.equal(42, x[1])
    local good, problem = map:join()
    assert.is_false(good)
    assert.truthy(problem:find('workqueue drain is only available on the owner thread', 1, true))
  end)

  it('wakes those that wait when it is closed', function()
    local queue = ipc.workqueue()
    local map = ipc.map(2, function(q)
      q:write 'here'
      local _, problem = pcall(q.read, q)
      return problem
    end, queue)
    queue:read()
    queue:read()
    queue:close()
    local a, b = map:join()
    assert.truthy(a:find('workqueue is not open', 1, true) and b:find('workqueue is not open', 1, true))
  end)
end)

describe('ipc.channel', function()
  it('keeps the order, also of nil', function()
    local channel = ipc.channel()
    assert.equal(ipc.channel.OPEN, channel:write(1, nil, 'three'))
    assert.equal(3, channel:num_items())
    assert.same({ 0, 1 }, { channel:read() })
    assert.equal(2, select('#', channel:read()))
    assert.same({ 0, 'three' }, { channel:read() })
    assert.same({ 0 }, { channel:read(true) })
  end)

  it('is drained after it is closed', function()
    local channel = ipc.channel()
    channel:write(1, 2)
    assert.equal(ipc.channel.CLOSED, channel:close())
    assert.is_true(channel:closed())
    assert.equal(ipc.channel.CLOSED, channel:write(3))
    assert.same({ ipc.channel.CLOSED, 1 }, { channel:read() })
    assert.is_false(channel:drained())
    assert.same({ ipc.channel.CLOSED, 2 }, { channel:read() })
    assert.same({ ipc.channel.DRAINED }, { channel:read() })
    assert.is_true(channel:drained())
    assert.equal(ipc.channel.DRAINED, channel:write(3))
  end)

  it('passes every item once, from several threads to several', function()
    local channel = ipc.channel()
    local map = ipc.map(4, function(c, id)
      if id <= 2 then
        for i = 1, 100 do c:write(i + 1000 * id) end
        return 0
      end
      local sum = 0
      while true do
        local status, item = c:read()
        if status == require('ipc').channel.DRAINED then return sum end
        sum = sum + item
        if sum % 7 == 0 then collectgarbage() end
      end
    end, channel)
    local count = 0
    while count < 200 do      -- until all are written, and taken
      count = channel._items.first - 1
    end
    channel:close()
    local _, _, c, d = map:join()
    assert.equal(2 * 5050 + 100 * 3000, c + d)
  end)
end)

describe('ipc.mutex', function()
  it('lets one thread in at a time, as often as it likes', function()
    local mutex, x = ipc.mutex(), torch.zeros(2)
    ipc.map(4, function(m, t)
      for _ = 1, 200 do
        m:lock()
        m:lock()
        local before = t[1]
        t[2] = t[2] + 1
        t[1] = before + 1
        m:unlock()
        m:unlock()
      end
    end, mutex, x):join()
    assert.equal(800, x[1])
    assert.equal(800, x[2])
    fails('ipc.mutex: unlock: this thread does not have the lock', mutex.unlock, mutex)
  end)

  it('has a barrier that serves again', function()
    local mutex, x = ipc.mutex(), torch.zeros(3)
    local map = ipc.map(3, function(m, t, id)
      local good = true
      for round = 1, 20 do
        t[id] = round
        m:barrier(3)
        good = good and t:min() == round and t:max() == round
        m:barrier(3)
      end
      return good
    end, mutex, x)
    assert.same({ true, true, true }, { map:join() })
  end)
end)

describe('ipc.marshal', function()
  it('is read any number of times, with shared tensors', function()
    local x = torch.zeros(2)
    local value = ipc.marshal { x = x, name = 'n' }
    assert.same({ 'n1', 'n2' }, { ipc.map(2, function(m, id)
      local t, again = m:read(), m:read()
      t.x[id] = id
      t.name = t.name .. id
      return again.name .. t.name:sub(2)
    end, value):join() })
    assert.equal(3, x:sum())
    value:close()
    fails('ipc.marshal: read: it is closed', value.read, value)
    fails('must provide object to serialize at arg 1', ipc.marshal)
    assert.is_false((pcall(torch.serialize, ipc.marshal(1))))
  end)
end)
