--- Streams in cutorch's interface: every device has the same count of reserved streams, numbered from 1; 0 is the default stream. The
-- number of the stream in use is the same for all devices.
-- @module cutorch.streams
local check, class = require 'torch.check', require 'torch.class'
local api, cudaStreams = require 'torch.cuda.api', require 'torch.cuda.stream'

local streams = {}

local reserved = {}      -- device -> streams, from 1
local count, inUse = 0, 0
local handles, handle = 1, 1

local function whole(where, argument, value, least, most)
  if type(value) == 'number' and value % 1 == 0 and value >= least and value <= most then return value end
  check.raise(('cutorch.%s: %s: %s, expected a whole number from %d to %.0f'):format(where, argument,
    type(value) == 'number' and tostring(value) or class.type(value), least, most))
end

local function listOf(where, argument, value)
  if type(value) ~= 'table' then
    check.raise(('cutorch.%s: %s: %s, expected a table'):format(where, argument, class.type(value)))
  end
  return value
end

-- The stream of a number on a device.
local function streamOf(where, device, number)
  whole(where, 'stream', number, 0, count)
  if number == 0 then return cudaStreams.defaultStream(device) end
  return reserved[device][number]
end

--- Reserves streams until every device has at least n in addition to the default one.
-- @int n
-- @tparam[opt] boolean nonblocking accepted: here no stream waits for the default one implicitly
function streams.reserveStreams(n, nonblocking)      -- luacheck: no unused args
  whole('reserveStreams', 'n', n, 0, 1024)
  for device = 1, api.count() do
    reserved[device] = reserved[device] or {}
    for i = #reserved[device] + 1, n do reserved[device][i] = cudaStreams.Stream(device) end
  end
  count = math.max(count, n)
end

--- The number of reserved streams.
-- @treturn int
function streams.getNumStreams() return count end

--- Selects the stream to use, on all devices.
-- @int n 0 is the default one
function streams.setStream(n)
  whole('setStream', 'n', n, 0, count)
  for device = 1, api.count() do cudaStreams.setStream(streamOf('setStream', device, n)) end
  inUse = n
end

--- The number of the stream in use.
-- @treturn int
function streams.getStream() return inUse end

--- Selects the default stream.
function streams.setDefaultStream() streams.setStream(0) end

--- Lets later work on a stream of the current device wait for the work that other streams have now.
-- @int waiting
-- @tparam {int,...} others
function streams.streamWaitFor(waiting, others)
  streams.streamWaitForMultiDevice(api.current(), waiting, { [api.current()] = listOf('streamWaitFor', 'streams', others) })
end

--- Like `streamWaitFor`, for streams of several devices.
-- @int device of the stream that waits
-- @int waiting
-- @tparam table others device -> list of streams
function streams.streamWaitForMultiDevice(device, waiting, others)
  local where = 'streamWaitForMultiDevice'
  local stream = streamOf(where, api.device('cutorch.' .. where, device) + 1, waiting)
  for other, list in pairs(listOf(where, 'streams', others)) do
    local place = api.device('cutorch.' .. where, other) + 1
    for _, number in ipairs(listOf(where, 'streams', list)) do stream:waitEvent(streamOf(where, place, number):recordEvent()) end
  end
end

--- Synchronises streams of the current device: later work on each begins after the present work of all.
-- @tparam {int,...} list
function streams.streamBarrier(list)
  streams.streamBarrierMultiDevice { [api.current()] = listOf('streamBarrier', 'streams', list) }
end

--- Like `streamBarrier`, for streams of several devices.
-- @tparam table lists device -> list of streams
function streams.streamBarrierMultiDevice(lists)
  local where, all, events = 'streamBarrierMultiDevice', {}, {}
  for device, list in pairs(listOf(where, 'streams', lists)) do
    local place = api.device('cutorch.' .. where, device) + 1
    for _, number in ipairs(listOf(where, 'streams', list)) do all[#all + 1] = streamOf(where, place, number) end
  end
  for i, stream in ipairs(all) do events[i] = stream:recordEvent() end
  for _, stream in ipairs(all) do
    for _, event in ipairs(events) do stream:waitEvent(event) end
  end
end

--- Waits until all work on a stream of the current device is done.
-- @int stream
function streams.streamSynchronize(stream) streamOf('streamSynchronize', api.current(), stream):synchronize() end

--- An event that occurs after the present work of the stream in use.
-- @type cutorch.Event
local Event = class.define('cutorch.Event', nil, streams, true)

function Event:__init() self.event = cudaStreams.Event():record() end

--- Lets later work on the stream in use wait for the event.
function Event:waitOn() cudaStreams.currentStream():waitEvent(self.event) end

--- Accepted for compatibility: Torch7 reserved n handles of cuBLAS. Here each stream has one.
-- @int n
function streams.reserveBlasHandles(n) handles = math.max(handles, whole('reserveBlasHandles', 'n', n, 0, 1024)) end

--- The number of handles from `reserveBlasHandles`.
-- @treturn int
function streams.getNumBlasHandles() return handles end

--- Stores the number of the handle to use, without other effect.
-- @int n
function streams.setBlasHandle(n) handle = whole('setBlasHandle', 'n', n, 1, handles) end

--- The number from `setBlasHandle`.
-- @treturn int
function streams.getBlasHandle() return handle end

return streams
