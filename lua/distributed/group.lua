--- Groups of ranks.
-- @module distributed.group
local ffi = require 'ffi'
local check = require 'torch.check'
local native = require 'distributed.native'
local operation = require 'distributed.operation'

local group = {}

local Group = {}
Group.__index = Group

--- Returns this process's rank in the group, from 0; nil outside of it.
function Group:rank()
  local rank = native.mt_distributed_rank(self._number)
  return rank >= 0 and rank or nil
end

--- Returns the number of ranks.
function Group:size() return #self.ranks end

-- Returns the rank in this group of a rank of the world; nil outside of it.
function Group:_place(rank) return self._places[rank] end

local byRanks = {}      -- the first group of each list of ranks

local function new(number, ranks)
  local places = {}
  for i, rank in ipairs(ranks) do places[rank] = i - 1 end
  local made, key = setmetatable({ _number = number, ranks = ranks, _places = places }, Group), table.concat(ranks, ' ')
  byRanks[key] = byRanks[key] or made
  return made
end

--- Returns the first group that was created with a list of ranks: modules from files and copies have no other name of theirs.
-- @tparam {int,...} ranks of the world
-- @treturn ?Group
function group.find(ranks) return byRanks[table.concat(ranks, ' ')] end

--- Sets the group of all ranks, after MPI has started.
function group.start()
  local ranks = {}
  for i = 1, native.mt_distributed_size(0) do ranks[i] = i - 1 end
  group.world = new(0, ranks)
end

--- Returns the group in a table of options, or the world, in which this process must be.
-- @string name of the function, for messages
-- @tparam ?table options
function group.of(name, options)
  if not group.world then check.raise(operation.message(name, 'not started, expected a call of torch.distributed.init before')) end
  local chosen = options and options.group or group.world
  if getmetatable(chosen) ~= Group then
    check.raise(operation.message(name, ('group: %s, expected a group of torch.distributed.newGroup'):format(check.describe(chosen))))
  end
  if not chosen:rank() then
    check.raise(operation.message(name, ('group: ranks %s, expected one with this process, rank %d'):format(
      table.concat(chosen.ranks, ', '), group.world:rank())))
  end
  return chosen
end

--- Returns a group, by default the world, in which this process need not be.
-- @string name of the function, for messages
-- @tparam ?Group ranks
function group.any(name, ranks)
  local chosen = ranks == nil and group.of(name) or ranks
  if getmetatable(chosen) ~= Group then
    check.raise(operation.message(name, ('ranks: %s, expected a group of torch.distributed.newGroup'):format(check.describe(chosen))))
  end
  return chosen
end

--- Returns the rank in a group of a rank of the world, which must be in it.
function group.place(name, argument, chosen, rank)
  local place = type(rank) == 'number' and chosen:_place(rank)
  if not place then
    check.raise(operation.message(name, ('%s: %s, expected a rank of the group: %s'):format(argument, check.describe(rank),
      #chosen.ranks < 20 and table.concat(chosen.ranks, ', ') or ('%d ranks'):format(#chosen.ranks))))
  end
  return place
end

--- Creates a group. All ranks call it, with the same list.
-- @tparam {int,...} ranks of the world, in the order of the group
-- @tparam[opt] table options `timeout`
-- @treturn Group
function group.create(ranks, options)
  local world = group.of('newGroup')
  check.table('torch.distributed.newGroup', 'ranks', ranks)
  local seen, numbers = {}, ffi.new('int32_t[?]', math.max(#ranks, 1))
  for i, rank in ipairs(ranks) do
    group.place('newGroup', ('ranks: [%d]'):format(i), world, rank)
    if seen[rank] then check.raise(operation.message('newGroup', ('ranks: rank %d twice, expected it once'):format(rank))) end
    seen[rank], numbers[i - 1] = true, rank
  end
  if #ranks == 0 then check.raise(operation.message('newGroup', 'ranks: an empty list, expected one or more ranks')) end
  options = operation.options('newGroup', options, { 'timeout' })
  local key = ('newGroup { %s }'):format(table.concat(ranks, ', '))
  operation.run('newGroup', world, { kind = 'barrier', key = key }, options)
  local number = native.mt_distributed_new_group(numbers, #ranks, key, operation.line(), options.timeout or operation.timeout)
  if number < 0 then check.raise(operation.message('newGroup', ffi.string(native.mt_distributed_error()))) end
  local copy = {}
  for i, rank in ipairs(ranks) do copy[i] = rank end
  return new(number, copy)
end

return group
