--- Streams and events of CUDA: work on a stream is done in its order, beside that of others.
-- @module torch.cuda.stream
local class, check = require 'torch.class', require 'torch.check'
local regions = require 'torch.start.regions'
local api = require 'torch.cuda.api'

local streams = {}

-- What frees a number in the library when the last object of it is collected.
local function guarded(number, free)
  local guard = newproxy(true)
  getmetatable(guard).__gc = function() free(number) end
  return guard
end

--- A stream. Work on it is done in order, and beside what is on other streams.
-- @type torch.cuda.Stream
local Stream = class.define('torch.cuda.Stream', nil, streams, true)

--- @tparam[opt] int|string device where it is; the current one unless given
-- @int[opt=0] priority below 0 for a stream whose work goes first
function Stream:__init(device, priority)
  local where = 'torch.cuda.Stream'
  local number = api.device(where, device)
  if priority ~= nil and not tonumber(priority) then
    check.raise(('%s: priority: %s came, a number was expected'):format(where, class.type(priority)))
  end
  self.device = number + 1
  self.id = api.number(where, 'stream_create', number, priority or 0)
  self._guard = guarded(self.id, api.library().mt_cuda_stream_destroy)
end

--- Waits until all that is on the stream is done.
-- @treturn torch.cuda.Stream self
function Stream:synchronize()
  api.call('torch.cuda.Stream.synchronize', 'stream_synchronize', self.id)
  return self
end

--- Whether all that is on the stream is done.
-- @treturn boolean
function Stream:query() return api.number('torch.cuda.Stream.query', 'stream_is_done', self.id) ~= 0 end

--- What comes onto the stream from now on begins after all that is on another one now.
-- @tparam torch.cuda.Stream other
-- @treturn torch.cuda.Stream self
function Stream:waitStream(other)
  streams.expect('torch.cuda.Stream.waitStream', 'other', other, 'torch.cuda.Stream')
  api.call('torch.cuda.Stream.waitStream', 'stream_wait_stream', self.id, other.id)
  return self
end

--- What comes onto the stream from now on begins after an event.
-- @tparam torch.cuda.Event event
-- @treturn torch.cuda.Stream self
function Stream:waitEvent(event)
  streams.expect('torch.cuda.Stream.waitEvent', 'event', event, 'torch.cuda.Event')
  api.call('torch.cuda.Stream.waitEvent', 'stream_wait_event', self.id, event.id)
  return self
end

--- An event that happens when all that is on the stream now is done.
-- @tparam[opt] torch.cuda.Event event one that is recorded anew
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

--- An event: a place in a stream's work, to be waited for, or measured from.
-- @type torch.cuda.Event
local Event = class.define('torch.cuda.Event', nil, streams, true)

--- @tparam[opt] table options `timing`: whether its time can be told; `device`: where it is, the current one unless given
function Event:__init(options)
  local where = 'torch.cuda.Event'
  if options ~= nil and type(options) ~= 'table' then
    check.raise(('%s: options: %s came, a table was expected'):format(where, class.type(options)))
  end
  options = options or {}
  local number = api.device(where, options.device)
  self.device = number + 1
  self.id = api.number(where, 'event_create', number, options.timing and 1 or 0)
  self._guard = guarded(self.id, api.library().mt_cuda_event_destroy)
end

--- Puts the event after all that is on a stream now.
-- @tparam[opt] torch.cuda.Stream stream the current one of the event's device unless given
-- @treturn torch.cuda.Event self
function Event:record(stream)
  local where = 'torch.cuda.Event.record'
  if stream ~= nil then streams.expect(where, 'stream', stream, 'torch.cuda.Stream') end
  local id = stream and stream.id or api.number(where, 'current_stream', self.device - 1)
  api.call(where, 'event_record', self.id, id)
  return self
end

--- What comes onto a stream from now on begins after the event.
-- @tparam[opt] torch.cuda.Stream stream the current one of the event's device unless given
-- @treturn torch.cuda.Event self
function Event:wait(stream)
  (stream or streams.currentStream(self.device)):waitEvent(self)
  return self
end

--- Waits until it has happened.
-- @treturn torch.cuda.Event self
function Event:synchronize()
  api.call('torch.cuda.Event.synchronize', 'event_synchronize', self.id)
  return self
end

--- Whether it has happened.
-- @treturn boolean
function Event:query() return api.number('torch.cuda.Event.query', 'event_is_done', self.id) ~= 0 end

--- The milliseconds from this event to a later one. Both were made with `timing`, and have happened.
-- @tparam torch.cuda.Event later
-- @treturn number
function Event:elapsedTime(later)
  streams.expect('torch.cuda.Event.elapsedTime', 'later', later, 'torch.cuda.Event')
  return api.number('torch.cuda.Event.elapsedTime', 'event_elapsed_ms', self.id, later.id)
end

function Event:__tostring__() return ('torch.cuda.Event %d on cuda:%d'):format(self.id, self.device) end

-- An object for a stream that somebody else owns.
local function borrowed(id, device)
  local stream = class.factory 'torch.cuda.Stream'()
  stream.id, stream.device = id, device
  return stream
end

--- Raises an error unless a value is a stream or an event.
function streams.expect(where, argument, value, wanted)
  if class.isTypeOf(value, wanted) then return end
  check.raise(('%s: %s: %s came, a %s was expected'):format(where, argument, class.type(value), wanted))
end

--- The current stream of a device.
-- @tparam[opt] int|string device
-- @treturn torch.cuda.Stream
function streams.currentStream(device)
  local number = api.device('torch.cuda.currentStream', device)
  return borrowed(api.number('torch.cuda.currentStream', 'current_stream', number), number + 1)
end

--- The stream that is a device's current one unless another is set.
-- @tparam[opt] int|string device
-- @treturn torch.cuda.Stream
function streams.defaultStream(device)
  local number = api.device('torch.cuda.defaultStream', device)
  return borrowed(number, number + 1)
end

--- Makes a stream the current one of its device, in this thread: work that programs ask for goes there.
-- @tparam torch.cuda.Stream stream
function streams.setStream(stream)
  streams.expect('torch.cuda.setStream', 'stream', stream, 'torch.cuda.Stream')
  api.call('torch.cuda.setStream', 'set_current_stream', stream.id)
  streams.held = streams.held or {}
  streams.held[stream.device] = stream      -- as long as it is current
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
