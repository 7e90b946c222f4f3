--- Tables that threads share. Their entries are outside Lua's heap, in a tds.Hash: numbers, booleans, strings, tensors and storages as they
-- are, all other values as messages between threads, which each read copies. Each single access is atomic. The class of `ipc.sharedtable`.
-- @module threads.shared_table
local C = require 'libmoontorch.threads'
local check = require 'torch.check'

local where = 'ipc.sharedtable'

local Table = { __gc = C.free, __typename = 'ipc.SharedTable' }

local hashes = setmetatable({}, { __mode = 'k' })      -- of the tables in this state

local function hashOf(self)
  local hash = hashes[self]
  if not hash then
    require 'tds'
    hash = C.hashOf(self)
    hashes[self] = hash
  end
  return hash
end

local keys = { number = true, string = true, boolean = true }

local function checkKey(key)
  check.that(keys[type(key)] and key == key, ('%s: key: %s, expected a number, string or boolean'):format(where, check.describe(key)))
  return key
end

local message = 'torch.CharStorage'      -- the class of messages; such a storage of the program is in one, too

local plain = { ['nil'] = true, number = true, string = true, boolean = true }

-- What the hash holds for a value.
local function held(key, value)
  local torch = require 'torch'
  if plain[type(value)] then return value end
  local class = torch.type(value)
  if type(value) == 'userdata' and (torch.isTensor(value) or torch.isStorage(value) and class ~= message) then return value end
  local good, saved = pcall(C.save, value)
  if not good then check.raise(('%s: the value of %s: %s'):format(where, tostring(key), saved)) end
  return saved
end

local function valueOf(stored)
  if type(stored) == 'userdata' and require('torch').type(stored) == message then return C.load(stored) end
  return stored
end

--- Returns the value of a key: tensors and storages share their elements, tables are copies.
function Table:__index(key) return valueOf(hashOf(self)[checkKey(key)]) end

--- Sets the value of a key; nil removes it.
function Table:__newindex(key, value) hashOf(self)[checkKey(key)] = held(key, value) end

--- Returns n such that there is a value at n, and none at n + 1, as of a table.
function Table:__len()
  local hash = hashOf(self)
  local low, high = 0, 1
  while hash[high] ~= nil do low, high = high, 2 * high end
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if hash[middle] ~= nil then low = middle else high = middle end
  end
  return low
end

--- Iterates over keys and values, in the order in which keys came; threads may write meanwhile.
function Table:__pairs()
  local hash = hashOf(self)      -- first, as it brings the pairs that takes a hash
  local following, state, start = pairs(hash)
  return function()
    local key, value = following(state, start)
    return key, valueOf(value)
  end
end

--- Iterates over the values at 1, 2, ... up to the first nil.
function Table:__ipairs()
  local i = 0
  return function()
    i = i + 1
    local value = self[i]
    if value ~= nil then return i, value end
  end
end

function Table:__tostring() return ('ipc.SharedTable[%d]'):format(#hashOf(self)) end

local shared = { class = Table }

--- Returns a new table.
-- @tparam[opt] table given is copied; before that all its entries are checked
function shared.new(given)
  local checked, count = {}, 0
  for key, value in pairs(given or {}) do
    count = count + 1
    checked[count] = { checkKey(key), held(key, value) }
  end
  local self = C.newTable()
  local hash = hashOf(self)
  for i = 1, count do hash[checked[i][1]] = checked[i][2] end
  return self
end

local each = 32      -- bytes of an entry besides its text

--- Returns the bytes of all keys and values, without the elements of tensors.
function shared.bytes(self)
  local total, hash = 0, hashOf(self)
  for key, value in pairs(hash) do
    total = total + each + (type(key) == 'string' and #key or 0)
    if type(value) == 'string' then total = total + #value end
    if type(value) == 'userdata' and require('torch').type(value) == message then total = total + C.savedBytes(value) end
  end
  return total
end

--- Returns whether a value is such a table.
function shared.is(value) return type(value) == 'userdata' and debug.getmetatable(value) == Table end

return shared
