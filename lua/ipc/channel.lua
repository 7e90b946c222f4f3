--- Channels: any thread writes values, any thread reads them, in order.
-- @classmod ipc.Channel
local torch, check = require 'torch', require 'torch.check'
local tds, threads = require 'tds', require 'threads'
local sharedserialize = require 'threads.sharedserialize'
local ipc = require 'ipc'

local Channel = torch.class('ipc.Channel', ipc)

local open, closed, drained = 0, 1, 2

-- Fields of the hash that the threads share: the items by number, `first` and `last`, `waiting` (how many wait for items), `closed`.
function Channel:__init()
  self._lock, self._changed = threads.Mutex(), threads.Condition()
  self._items = tds.Hash { first = 1, last = 0, waiting = 0, closed = false }
end

-- Calls f(items, self, ...) while no other thread uses the channel.
local function held(self, f, ...)
  self._lock:lock()
  local good, status, value = pcall(f, self._items, self, ...)
  self._lock:unlock()
  if not good then error(status, 0) end
  return status, value
end

local function size(items) return items.last - items.first + 1 end

local function status(items)
  if not items.closed then return open end
  return size(items) > 0 and closed or drained
end

local function wake(items, self, count)
  for _ = 1, math.min(items.waiting, count) do self._changed:signal() end
end

local function wait(items, self)
  items.waiting = items.waiting + 1
  self._changed:wait(self._lock)
  items.waiting = items.waiting - 1
end

-- Adds values for a function with a name.
function Channel:_add(where, ...)
  local saved, count = {}, select('#', ...)
  for i = 1, count do
    local good, storage = pcall(sharedserialize.save, (select(i, ...)))
    if not good then check.raise(('%s: argument %d: %s'):format(where, i, storage)) end
    saved[i] = storage
  end
  return (held(self, function(items)
    if items.closed then return status(items) end
    for i = 1, count do items[items.last + i] = saved[i] end
    items.last = items.last + count
    wake(items, self, count)
    return open
  end))
end

--- Adds values, one item each.
-- @param ... tensors and storages are passed by reference
-- @treturn int `ipc.channel.OPEN`; if the channel is closed, which then refuses them, `CLOSED` or `DRAINED`
function Channel:write(...) return self:_add('ipc.channel: write', ...) end

local function take(items)
  local number = items.first
  local storage = items[number]
  items[number], items.first = nil, number + 1
  return items.closed and closed or open, storage
end

--- Takes the next item; waits until there is one, or the channel is closed.
-- @bool[opt=false] nonblocking does not wait
-- @treturn int `ipc.channel.OPEN`, `CLOSED` or `DRAINED`: no more items
-- @return the item, if there was one
function Channel:read(nonblocking)
  local state, storage = held(self, function(items)
    while size(items) == 0 and not items.closed and not nonblocking do wait(items, self) end
    if size(items) == 0 then return status(items) end
    return take(items)
  end)
  if not storage then return state end
  return state, sharedserialize.load(storage)
end

--- Waits until the channel has n items, or is closed.
-- @int n
function Channel:_await(n)
  held(self, function(items)
    while size(items) < n and not items.closed do wait(items, self) end
  end)
end

--- Returns the number of items.
-- @treturn int
function Channel:num_items() return (held(self, size)) end

--- Refuses further items, and wakes the threads that wait for one.
-- @treturn int the status
function Channel:close()
  return (held(self, function(items)
    items.closed = true
    wake(items, self, items.waiting)
    return status(items)
  end))
end

--- Returns whether the channel is closed.
-- @treturn bool
function Channel:closed() return self._items.closed end

--- Returns whether the channel is closed and has no items.
-- @treturn bool
function Channel:drained() return (held(self, status)) == drained end

check.methods(Channel, 'an ipc.channel')
require 'ipc.passing'(Channel, { '_lock', '_changed', '_items' })

--- A new channel. `ipc.channel.OPEN`, `CLOSED` and `DRAINED` are the values of its status.
-- @function ipc.channel
-- @treturn ipc.Channel
return setmetatable({ OPEN = open, CLOSED = closed, DRAINED = drained }, { __call = function() return Channel() end })
