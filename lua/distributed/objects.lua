--- The calls that move Lua values, in the format of torch.save: tables, strings, numbers, tensors, modules, but no functions, since loading
-- one would run a rank's code on another.
-- @module distributed.objects
local torch = require 'torch'
local check = require 'torch.check'
local group, tensors = require 'distributed.group', require 'distributed.tensors'
local packing = require 'distributed.packing'

local objects = {}

local function where(name) return 'torch.distributed.' .. name end

local function packed(name, value) return packing.pack(where(name), value) end
local function unpacked(name, bytes) return packing.unpack(where(name), bytes) end

-- Returns the options of the calls that an object takes.
local function asked(name, options)
  return check.options(where(name), options, { 'group', 'timeout', 'tag' })
end

-- Returns the list of the byte tensors of all ranks, each of its length.
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

-- Returns a list of values from byte tensors of one length.
local function values(name, list, sizes)
  local result = {}
  for i, bytes in ipairs(list) do result[i] = unpacked(name, bytes:narrow(1, 1, sizes[i]):clone()) end
  return result
end

--- Copies the value of one rank to all others.
-- @param value on the source: any value that torch.save accepts without functions; ignored on the others
-- @int[opt=0] source a rank
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @return the source's value
function objects.broadcastObject(value, source, options)
  options = asked('broadcastObject', options)
  group.of('broadcastObject', options)
  local isSource = group.world:rank() == (source or 0)
  local bytes = isSource and packed('broadcastObject', value)
  local size = torch.LongTensor { bytes and bytes:nElement() or 0 }
  tensors.broadcast(size, source, options)
  bytes = tensors.broadcast(bytes or torch.ByteTensor(size[1]), source, options)
  if isSource then return value end
  return unpacked('broadcastObject', bytes)
end

--- Collects the values of all ranks on each rank.
-- @param value any value that torch.save accepts without functions
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn table a value for each rank of the group, in order
function objects.allGatherObject(value, options)
  options = asked('allGatherObject', options)
  group.of('allGatherObject', options)
  local sizes, room = collected(packed('allGatherObject', value), options)
  return values('allGatherObject', tensors.allGather(room, options), sizes)
end

--- Collects the values of all ranks on one rank.
-- @param value any value that torch.save accepts without functions
-- @int[opt=0] target a rank
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn ?table on the target: a value for each rank of the group, in order
function objects.gatherObject(value, target, options)
  options = asked('gatherObject', options)
  group.of('gatherObject', options)
  local sizes, room = collected(packed('gatherObject', value), options)
  local list = tensors.gather(room, target, options)
  return list and values('gatherObject', list, sizes)
end

--- Sends a value to a rank, and waits until that has received it.
-- @param value any value that torch.save accepts without functions
-- @int target a rank
-- @tparam[opt] table options `tag`, `group`, `timeout` in seconds
function objects.sendObject(value, target, options)
  options = asked('sendObject', options)
  group.of('sendObject', options)
  local bytes = packed('sendObject', value)
  tensors.send(torch.LongTensor { bytes:nElement() }, target, options)
  tensors.send(bytes, target, options)
end

--- Receives a value from a rank.
-- @int source a rank
-- @tparam[opt] table options as of `sendObject`
-- @return the value
function objects.receiveObject(source, options)
  options = asked('receiveObject', options)
  group.of('receiveObject', options)
  local size = tensors.receive(torch.LongTensor(1), source, options)
  return unpacked('receiveObject', tensors.receive(torch.ByteTensor(size[1]), source, options))
end

return objects
