--- The calls that move Lua values, in the format of torch.save: tables, strings, numbers, tensors, modules, but no functions, since loading
-- one would run a rank's code on another.
-- @module distributed.objects
local torch = require 'torch'
local check = require 'torch.check'
local group, operation, tensors = require 'distributed.group', require 'distributed.operation', require 'distributed.tensors'
local packing = require 'distributed.packing'

local objects = {}

local function where(name) return 'torch.distributed.' .. name end

local function packed(name, value) return packing.pack(where(name), value) end
local function unpacked(name, bytes) return packing.unpack(where(name), bytes) end

-- Returns the options of a call, and those of the calls before its last one, which alone may run while the program computes.
local function asked(name, options, others)
  options = check.options(where(name), options, { 'group', 'timeout', unpack(others or { 'async' }) })
  group.of(name, options)
  return options, { group = options.group, timeout = options.timeout, tag = options.tag }
end

-- Collects the lengths of the byte tensors of all ranks, and returns room for the longest with this rank's bytes.
local function collected(bytes, options)
  local sizes, longest = tensors.allGather(torch.LongTensor { bytes:nElement() }, options), 0
  for i, size in ipairs(sizes) do
    sizes[i] = size[1]
    longest = math.max(longest, sizes[i])
  end
  local room = torch.ByteTensor(longest):zero()
  room:narrow(1, 1, bytes:nElement()):copy(bytes)
  return sizes, room
end

-- Returns a function that turns byte tensors of one length into values.
local function values(name, sizes)
  return function(list)
    local result = {}
    for i, bytes in ipairs(list or {}) do result[i] = unpacked(name, bytes:narrow(1, 1, sizes[i]):clone()) end
    return list and result
  end
end

--- Copies the value of one rank to all others.
-- @param value on the source: any value that torch.save accepts without functions; ignored on the others
-- @int[opt=0] source a rank
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`: returns a handle as soon as all ranks know the length
-- @return the source's value
function objects.broadcastObject(value, source, options)
  local before
  options, before = asked('broadcastObject', options)
  local isSource = group.world:rank() == (source or 0)
  local bytes = isSource and packed('broadcastObject', value)
  local size = torch.LongTensor { bytes and bytes:nElement() or 0 }
  tensors.broadcast(size, source, before)
  return operation.map(tensors.broadcast(bytes or torch.ByteTensor(size[1]), source, options), function(came)
    if isSource then return value end
    return unpacked('broadcastObject', came)
  end)
end

--- Collects the values of all ranks on each rank.
-- @param value any value that torch.save accepts without functions
-- @tparam[opt] table options as of `broadcastObject`
-- @treturn table a value for each rank of the group, in order
function objects.allGatherObject(value, options)
  local before
  options, before = asked('allGatherObject', options)
  local sizes, room = collected(packed('allGatherObject', value), before)
  return operation.map(tensors.allGather(room, options), values('allGatherObject', sizes))
end

--- Collects the values of all ranks on one rank.
-- @param value any value that torch.save accepts without functions
-- @int[opt=0] target a rank
-- @tparam[opt] table options as of `broadcastObject`
-- @treturn ?table on the target: a value for each rank of the group, in order
function objects.gatherObject(value, target, options)
  local before
  options, before = asked('gatherObject', options)
  local sizes, room = collected(packed('gatherObject', value), before)
  return operation.map(tensors.gather(room, target, options), values('gatherObject', sizes))
end

--- Sends one value of a list of one rank to each rank.
-- @tparam ?table list on the source: a value for each rank of the group, each of which torch.save accepts without functions, from 1 to the
-- group's size; ignored on the others
-- @int[opt=0] source a rank
-- @tparam[opt] table options as of `broadcastObject`
-- @return this rank's value
function objects.scatterObject(list, source, options)
  local before
  options, before = asked('scatterObject', options)
  local ranks = group.of('scatterObject', options)
  local place = group.place('scatterObject', 'source', ranks, source or 0)
  local lengths, rooms
  if ranks:rank() == place then
    check.table(where 'scatterObject', 'list', list)
    if #list ~= ranks:size() then
      check.raise(('%s: list: %d values, expected %d, one for each rank'):format(where 'scatterObject', #list, ranks:size()))
    end
    local longest = 0
    lengths, rooms = {}, {}
    for i, value in ipairs(list) do
      rooms[i] = packed('scatterObject', value)
      longest = math.max(longest, rooms[i]:nElement())
    end
    for i, bytes in ipairs(rooms) do
      lengths[i] = torch.LongTensor { bytes:nElement(), longest }
      rooms[i] = torch.ByteTensor(longest):zero()
      rooms[i]:narrow(1, 1, bytes:nElement()):copy(bytes)
    end
  end
  local length = tensors.scatter(torch.LongTensor(2), lengths, source, before)
  return operation.map(tensors.scatter(torch.ByteTensor(length[2]), rooms, source, options), function(bytes)
    return unpacked('scatterObject', bytes:narrow(1, 1, length[1]):clone())
  end)
end

--- Sends a value to a rank, and waits until that has received it.
-- @param value any value that torch.save accepts without functions
-- @int target a rank
-- @tparam[opt] table options `tag`, `group`, `timeout` in seconds, `async`: returns a handle at once
function objects.sendObject(value, target, options)
  options = asked('sendObject', options, { 'tag', 'async' })
  local bytes = packed('sendObject', value)
  local length = tensors.send(torch.LongTensor { bytes:nElement() }, target, options)
  local sent = tensors.send(bytes, target, options)
  return operation.map(sent, function()
    if options.async then length:wait() end
  end)
end

--- Receives a value from a rank.
-- @int source a rank
-- @tparam[opt] table options `tag`, `group`, `timeout` in seconds
-- @return the value
function objects.receiveObject(source, options)
  options = asked('receiveObject', options, { 'tag' })
  local size = tensors.receive(torch.LongTensor(1), source, options)
  return unpacked('receiveObject', tensors.receive(torch.ByteTensor(size[1]), source, options))
end

return objects
