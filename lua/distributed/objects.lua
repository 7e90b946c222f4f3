--- The calls that move Lua values, in the format of torch.save: tables, strings, numbers, tensors, modules, but no functions, since loading
-- one would run a rank's code on another.
-- @module distributed.objects
local torch = require 'torch'
local check = require 'torch.check'
local group, operation, tensors = require 'distributed.group', require 'distributed.operation', require 'distributed.tensors'
local packing, receive = require 'distributed.packing', require 'distributed.receiving'

local objects = {}

local function where(name) return 'torch.distributed.' .. name end

-- Returns a value as bytes, and their number. In place of a value that no file can contain, the other ranks get what is wrong with it, and
-- a negative number.
local function packed(name, value)
  local good, bytes = pcall(packing.pack, where(name), value)
  if good then return bytes, bytes:nElement() end
  bytes = packing.pack(where(name), operation.problem(bytes):sub(#where(name) + 3))
  return bytes, -bytes:nElement()
end

-- Returns the value of bytes from a rank.
local function unpacked(name, bytes, count, rank)
  local value = packing.unpack(where(name), bytes:narrow(1, 1, math.abs(count)):clone())
  if count < 0 then check.raise(('%s: %s%s'):format(where(name), rank and ('rank %d: '):format(rank) or '', value)) end
  return value
end

local function isMe(rank) return group.world:rank() == rank end

-- Returns the options of a call, and those of the calls before its last one, which alone may run while the program computes.
local function asked(name, options, others)
  options = operation.options(name, options, { 'group', 'timeout', unpack(others or { 'async' }) })
  group.of(name, options)
  return options, { group = options.group, timeout = options.timeout, tag = options.tag }
end

-- The calls of `tensors`, for a function of this file.
local function calling(name, f, ...) return operation.naming(name, tensors[f], ...) end

-- Collects the lengths of the byte tensors of all ranks, and returns room for the longest with this rank's bytes.
local function collected(name, bytes, count, options)
  local sizes, longest = calling(name, 'allGather', torch.LongTensor { count }, options), 0
  for i, size in ipairs(sizes) do
    sizes[i] = size[1]
    longest = math.max(longest, math.abs(sizes[i]))
  end
  local room = torch.ByteTensor(longest):zero()
  room:narrow(1, 1, bytes:nElement()):copy(bytes)
  return sizes, room
end

-- Returns a function that turns byte tensors of one length into values.
local function values(name, sizes, ranks)
  return function(list)
    for i, count in ipairs(sizes) do
      local rank = ranks.ranks[i]
      if list then
        list[i] = unpacked(name, list[i], count, not isMe(rank) and rank)
      end
    end
    return list
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
  if source == nil then source = 0 end
  group.place('broadcastObject', 'source', group.of('broadcastObject', options), source)
  local bytes, count = nil, 0
  if isMe(source) then bytes, count = packed('broadcastObject', value) end
  count = calling('broadcastObject', 'broadcast', torch.LongTensor { count }, source, before)[1]
  bytes = bytes or torch.ByteTensor(math.abs(count))
  return operation.map(calling('broadcastObject', 'broadcast', bytes, source, options), function(came)
    if isMe(source) and count >= 0 then return value end
    return unpacked('broadcastObject', came, count, not isMe(source) and source)
  end)
end

--- Collects the values of all ranks on each rank.
-- @param value any value that torch.save accepts without functions
-- @tparam[opt] table options as of `broadcastObject`
-- @treturn table a value for each rank of the group, in order
function objects.allGatherObject(value, options)
  local before
  options, before = asked('allGatherObject', options)
  local bytes, count = packed('allGatherObject', value)
  local sizes, room = collected('allGatherObject', bytes, count, before)
  return operation.map(calling('allGatherObject', 'allGather', room, options),
    values('allGatherObject', sizes, group.of('allGatherObject', options)))
end

--- Collects the values of all ranks on one rank.
-- @param value any value that torch.save accepts without functions
-- @int[opt=0] target a rank
-- @tparam[opt] table options as of `broadcastObject`
-- @treturn ?table on the target: a value for each rank of the group, in order
function objects.gatherObject(value, target, options)
  local before
  options, before = asked('gatherObject', options)
  if target == nil then target = 0 end
  local ranks = group.of('gatherObject', options)
  group.place('gatherObject', 'target', ranks, target)
  local bytes, count = packed('gatherObject', value)
  local sizes, room = collected('gatherObject', bytes, count, before)
  return operation.map(calling('gatherObject', 'gather', room, target, options), function(list)
    if count < 0 then unpacked('gatherObject', bytes, count) end
    return values('gatherObject', sizes, ranks)(list)
  end)
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
  if source == nil then source = 0 end
  local place = group.place('scatterObject', 'source', ranks, source)
  local lengths, rooms, problem
  if ranks:rank() == place then
    check.table(where 'scatterObject', 'list', list)
    if #list ~= ranks:size() then
      check.raise(('%s: list: %d values, expected %d, one for each rank'):format(where 'scatterObject', #list, ranks:size()))
    end
    local longest = 0
    lengths, rooms = {}, {}
    for i, value in ipairs(list) do
      local bytes, count = packed('scatterObject', value)
      rooms[i], lengths[i] = bytes, count
      if count < 0 then problem = problem or i end
      longest = math.max(longest, bytes:nElement())
    end
    for i, bytes in ipairs(rooms) do
      lengths[i] = torch.LongTensor { lengths[i], longest }
      rooms[i] = torch.ByteTensor(longest):zero()
      rooms[i]:narrow(1, 1, bytes:nElement()):copy(bytes)
    end
  end
  local length = calling('scatterObject', 'scatter', torch.LongTensor(2), lengths, source, before)
  return operation.map(calling('scatterObject', 'scatter', torch.ByteTensor(length[2]), rooms, source, options), function(bytes)
    if problem then unpacked('scatterObject', rooms[problem], lengths[problem][1]) end
    return unpacked('scatterObject', bytes, length[1], not isMe(source) and source)
  end)
end

--- Sends a value to a rank, and waits until that has received it.
-- @param value any value that torch.save accepts without functions
-- @int target a rank
-- @tparam[opt] table options `tag`, `group`, `timeout` in seconds, `async`: returns a handle at once
function objects.sendObject(value, target, options)
  options = asked('sendObject', options, { 'tag', 'async' })
  local bytes = packing.pack(where 'sendObject', value)
  local length = calling('sendObject', 'send', torch.LongTensor { bytes:nElement() }, target, options)
  local sent = calling('sendObject', 'send', bytes, target, options)
  return operation.map(sent, function()
    if options.async then length:wait() end
  end)
end

--- Receives a value from a rank.
-- @int source a rank
-- @tparam[opt] table options `tag`, `group`, `timeout` in seconds, `async`: returns a handle at once, whose `wait` returns the value;
-- receives from one rank with one tag get its values in order
-- @return the value
function objects.receiveObject(source, options)
  options = asked('receiveObject', options, { 'tag', 'async' })
  local receiving = receive(source, options)
  return options.async and receiving or receiving:wait()
end

return objects
