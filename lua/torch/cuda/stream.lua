--- CUDA streams and events: work on a stream runs in its order, concurrently with other streams.
-- @module torch.cuda.stream
local class, check = require 'torch.class', require 'torch.check'
local regions = require 'torch.start.regions'
local api = require 'torch.cuda.api'

local streams = {}

-- Frees a number in the library when its last object is collected.
local function guarded(number, free)
  local guard = newproxy(true)
  getmetatable(guard).__gc = function() free(number) end
  return guard
end

--- A stream. Its work runs in order, and concurrently with that of other streams.
-- @type torch.cuda.Stream
local Stream = class.define('torch.cuda.Stream', nil, streams, true)

--- @tparam[opt] int|string device default: the current one
-- @int[opt=0] priority below 0 for a stream with higher priority
function Stream:__init(device, priority)
  local where = 'torch.cuda.Stream'
  local number = api.device(where, device)
  if priority ~= nil and not tonumber(priority) then
    check.raise(('%s: priority: %s, expected a number'):format(where, class.type(priority)))
  end
  self.device = number + 1
  self.id = api.number(where, 'stream_create', number, priority or 0)
  self._guard = guarded(self.id, api.library().mt_cuda_stream_destroy)
end

--- Waits until all work on the stream is done.
-- @treturn torch.cuda.Stream self
function Stream:synchronize()
  api.call('torch.cuda.Stream.synchronize', 'stream_synchronize', self.id)
  return self
end

--- Returns whether all work on the stream is done.
-- @treturn boolean
function Stream:query() return api.number('torch.cuda.Stream.query', 'stream_is_done', self.id) ~= 0 end

--- Makes later work on the stream wait for the present work of another one.
-- @tparam torch.cuda.Stream other
-- @treturn torch.cuda.Stream self
function Stream:waitStream(other)
  streams.expect('torch.cuda.Stream.waitStream', 'other', other, 'torch.cuda.Stream')
  api.call('torch.cuda.Stream.waitStream', 'stream_wait_stream', self.id, other.id)
  return self
end

--- Makes later work on the stream wait for an event.
-- @tparam torch.cuda.Event event
-- @treturn torch.cuda.Stream self
function Stream:waitEvent(event)
  streams.expect('torch.cuda.Stream.waitEvent', 'event', event, 'torch.cuda.Event')
  api.call('torch.cuda.Stream.waitEvent', 'stream_wait_event', self.id, event.id)
  return self
end

--- Returns an event that is complete when the present work on the stream is done.
-- @tparam[opt] torch.cuda.Event event an event to record again
-- @treturn torch.cuda.Event
function Stream:recordEvent(event)
  if event ~= nil then streams.expect('torch.cuda.Stream.recordEvent', 'event', event, 'torch.cuda.Event') end
  return (event or streams.Event { device = self.device }):record(self)
end

--- Calls a function with the stream as the current one of its device.
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
function Stream:with(f, ...) return streams.withStream(self, f, ...) end

function Stream:__eq__(other) return self.id == other.id end
function Stream:__tostring__() return ('torch.cuda.Stream %d on cuda:%d'):format(self.id, self.device) end

--- An event: a position in a stream's work, for waiting and time measurement.
-- @type torch.cuda.Event
local Event = class.define('torch.cuda.Event', nil, streams, true)

--- @tparam[opt] table options `timing`: whether its time can be measured; `device`: default: the current one
function Event:__init(options)
  local where = 'torch.cuda.Event'
  if options ~= nil and type(options) ~= 'table' then
    check.raise(('%s: options: %s, expected a table'):format(where, class.type(options)))
  end
  options = options or {}
  local number = api.device(where, options.device)
  self.device = number + 1
  self.id = api.number(where, 'event_create', number, options.timing and 1 or 0)
  self._guard = guarded(self.id, api.library().mt_cuda_event_destroy)
end

--- Records the event after the present work on a stream.
-- @tparam[opt] torch.cuda.Stream stream default: the current one of the event's device
-- @treturn torch.cuda.Event self
function Event:record(stream)
  local where = 'torch.cuda.Event.record'
  if stream ~= nil then streams.expect(where, 'stream', stream, 'torch.cuda.Stream') end
  local id = stream and stream.id or api.number(where, 'current_stream', self.device - 1)
  api.call(where, 'event_record', self.id, id)
  return self
end

--- Makes later work on a stream wait for the event.
-- @tparam[opt] torch.cuda.Stream stream default: the current one of the event's device
-- @treturn torch.cuda.Event self
function Event:wait(stream)
  (stream or streams.currentStream(self.device)):waitEvent(self)
  return self
end

--- Waits until the event is complete.
-- @treturn torch.cuda.Event self
function Event:synchronize()
  api.call('torch.cuda.Event.synchronize', 'event_synchronize', self.id)
  return self
end

--- Returns whether the event is complete.
-- @treturn boolean
function Event:query() return api.number('torch.cuda.Event.query', 'event_is_done', self.id) ~= 0 end

--- Returns the milliseconds from this event to a later one. Both must have `timing`, and be complete.
-- @tparam torch.cuda.Event later
-- @treturn number
function Event:elapsedTime(later)
  streams.expect('torch.cuda.Event.elapsedTime', 'later', later, 'torch.cuda.Event')
  return api.number('torch.cuda.Event.elapsedTime', 'event_elapsed_ms', self.id, later.id)
end

function Event:__tostring__() return ('torch.cuda.Event %d on cuda:%d'):format(self.id, self.device) end

-- Returns an object for a stream that other code owns.
local function borrowed(id, device)
  local stream = class.factory 'torch.cuda.Stream'()
  stream.id, stream.device = id, device
  return stream
end

--- Raises an error unless a value is a stream or an event.
function streams.expect(where, argument, value, wanted)
  if class.isTypeOf(value, wanted) then return end
  check.raise(('%s: %s: %s, expected a %s'):format(where, argument, class.type(value), wanted))
end

--- Returns the current stream of a device.
-- @tparam[opt] int|string device
-- @treturn torch.cuda.Stream
function streams.currentStream(device)
  local number = api.device('torch.cuda.currentStream', device)
  return borrowed(api.number('torch.cuda.currentStream', 'current_stream', number), number + 1)
end

--- Returns the default stream of a device, which is current unless another one is set.
-- @tparam[opt] int|string device
-- @treturn torch.cuda.Stream
function streams.defaultStream(device)
  local number = api.device('torch.cuda.defaultStream', device)
  return borrowed(number, number + 1)
end

--- Sets the current stream of its device, in this thread: work of the program is launched there.
-- @tparam torch.cuda.Stream stream
function streams.setStream(stream)
  streams.expect('torch.cuda.setStream', 'stream', stream, 'torch.cuda.Stream')
  api.call('torch.cuda.setStream', 'set_current_stream', stream.id)
  streams.held = streams.held or {}
  streams.held[stream.device] = stream      -- kept alive while it is current
end

local function change(stream)
  local before = streams.held and streams.held[stream.device] or streams.currentStream(stream.device)
  streams.setStream(stream)
  return before
end

--- Calls a function with another current stream.
-- @tparam torch.cuda.Stream stream
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
function streams.withStream(stream, f, ...)
  streams.expect('torch.cuda.withStream', 'stream', stream, 'torch.cuda.Stream')
  check.callable('torch.cuda.withStream', 'f', f)
  return regions.call(change, stream, f, ...)
end

return streams
