--- Receives of Lua values: the length of each comes first, then its bytes. A receive begins only when the bytes of those before it, from
-- the same rank and with the same tag, are on their way: else it would get these for its length.
-- @module distributed.receiving
local torch, check = require 'torch', require 'torch.check'
local group, operation = require 'distributed.group', require 'distributed.operation'
local packing, tensors = require 'distributed.packing', require 'distributed.tensors'

local name = 'receiveObject'

local Receiving = {}
Receiving.__index = Receiving

local queues = {}      -- by group, rank and tag: receives whose length has not come

local function receive(self, x) return operation.naming(name, tensors.receive, x, self._source, self._options) end

-- Receives the length of the first in a queue, if it has come; returns whether it had.
local function advance(queue, waits)
  local first = queue[1]
  first._length = first._length or receive(first, torch.LongTensor(1))
  if not waits and not first._length:isCompleted() then return false end
  local good, problem = pcall(function() first._bytes = receive(first, torch.ByteTensor(first._length:wait()[1])) end)
  if not good and not first._length:isCompleted() then error(problem, 0) end      -- an interrupt
  if not good then first._problem = problem end
  table.remove(queue, 1)
  return true
end

-- Goes on until the bytes of this one are on their way.
local function begin(self, waits)
  while not self._bytes and not self._problem do
    if not advance(self._queue, waits) then return false end
  end
  return true
end

--- Returns whether the value has come, without waiting.
-- @treturn bool true also if the receive has failed: `wait` raises the error
function Receiving:isCompleted()
  return self._isDone or begin(self, false) and (self._problem ~= nil or self._bytes:isCompleted())
end

--- Waits for the value.
-- @return the value
-- @raise the error of the call
function Receiving:wait()
  begin(self, true)
  if self._problem then error(self._problem, 0) end
  if not self._isDone then self._value, self._isDone = packing.unpack('torch.distributed.' .. name, self._bytes:wait()), true end
  return self._value
end

check.methods(Receiving, 'a handle of torch.distributed.receiveObject')

--- Begins a receive.
-- @int source a rank
-- @tparam table options `tag`, `group`, `timeout`
-- @return what `wait` and `isCompleted` are called on
return function(source, options)
  local key = ('%d %s %s'):format(group.of(name, options)._number, tostring(source), tostring(options.tag or 0))
  local queue = queues[key] or {}
  local self = setmetatable({ _source = source, _queue = queue,
    _options = { tag = options.tag, group = options.group, timeout = options.timeout, async = true } }, Receiving)
  if not queue[1] then self._length = receive(self, torch.LongTensor(1)) end
  queues[key] = queue
  table.insert(queue, self)
  return self
end
