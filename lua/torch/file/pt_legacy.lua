--- PyTorch's files before version 1.6: pickles in a row, then the storages; and those of 0.1, tar archives of such.
-- @module torch.file.pt_legacy
local ffi = require 'ffi'
local damage = require 'torch.file.damage'
local objects = require 'torch.file.python_tables'
local pickle = require 'torch.file.pickle'

local bytePtr = ffi.typeof 'uint8_t *'
local magic, version = 119547037146038801333356, 1001
local block = 512      -- of a tar archive

local legacy = {}

local Reader = {}
Reader.__index = Reader

-- Creates a reader of the bytes from `at` to `stop`, counted from 0.
local function readerOf(mapped, at, stop)
  return setmetatable({ mapped = mapped, bytes = ffi.cast(bytePtr, mapped:data()), at = at, stop = stop }, Reader)
end

function Reader:pickle(hooks)
  local value, used = pickle.read(self.bytes + self.at, self.stop - self.at, self.at, hooks)
  self.at = self.at + used
  return value
end

-- Returns the position of the next n bytes and moves behind them.
function Reader:take(n, what)
  local at = self.at
  if n > self.stop - at then
    damage.raise(at + 1, ('%s of %.0f bytes'):format(what, n), ('%.0f bytes to the end'):format(self.stop - at))
  end
  self.at = at + n
  return at
end

-- Returns a little-endian unsigned integer of n bytes.
function Reader:integer(n, what)
  local at, value = self:take(n, what), 0
  for i = at + n - 1, at, -1 do value = value * 256 + self.bytes[i] end
  return value
end

-- Returns a list, or raises damage.
function Reader:list(hooks, what)
  local at = self.at
  local value = self:pickle(hooks)
  local note = type(value) == 'table' and objects.note(value)
  if not note or note.keys then damage.raise(at + 1, what, 'another value') end
  return value, at + 1
end

function Reader:count(hooks, what)
  local at = self.at
  local n = self:pickle(hooks)
  if type(n) ~= 'number' or n < 0 or n % 1 ~= 0 or n > self.stop then damage.raise(at + 1, what, tostring(n)) end
  return n
end

local function storageClass(value)
  local note = type(value) == 'table' and objects.note(value)
  return note and note.storage
end

-- Storages' keys are decimal numbers, in tar archives also as integers.
local function keyOf(value)
  if type(value) == 'number' then return ('%.0f'):format(value) end
  return type(value) ~= 'table' and tostring(value) or nil
end

-- Reads the next storage: the number of its elements, and these.
local function placeStorage(reader, tensors, key, dtype)
  local at = reader.at
  local count = reader:integer(8, 'a storage')
  local record = tensors.records[key]
  if record and record.count ~= count then
    damage.raise(at + 1, ('storage "%s" of %.0f elements'):format(key, record.count), ('%.0f'):format(count))
  end
  local bytes = count * dtype.type.size * dtype.parts
  local first = reader:take(bytes, 'a storage')
  if record then tensors:place(key, reader.mapped, first, bytes, first + 1) end
end

--- Returns whether a file has this form.
-- @string head the first bytes
function legacy.isRow(head)
  local number = '\138\10l\252\156F\249 j\168P\25%.'
  return (head:find('^\128[\2-\5]' .. number) or head:find('^\128[\4\5]\149........' .. number)) ~= nil
end

--- Reads pickles in a row: a magic number, a version, the machine, the value, the storages' keys; then the storages.
-- @tparam torch.ByteStorage mapped the file
-- @tparam table tensors `torch.file.pt_tensors`
-- @tparam function find `torch.file.pt_classes`
-- @return the value
function legacy.readRow(mapped, tensors, find)
  local reader, plain = readerOf(mapped, 0, mapped:size()), { find = find }
  local found = reader:pickle(plain)
  if found ~= magic then damage.raise(1, "PyTorch's magic number", type(found)) end
  local at = reader.at + 1
  found = reader:pickle(plain)
  if found ~= version then damage.raise(at, 'version ' .. version, type(found) == 'number' and tostring(found) or type(found)) end
  reader:pickle(plain)
  local value = reader:pickle {
    find = find,
    persistent = function(state, id)
      local note = type(id) == 'table' and objects.note(id)
      if note and id[1] == 'module' and type(id[2]) == 'table' then return id[2] end      -- a class with its source
      local dtype = note and storageClass(id[2])
      local key = dtype and keyOf(id[3])
      if not key or id[1] ~= 'storage' then state:fail('the class, key, device and size of a storage', state.shown(id)) end
      local whole = tensors:storage(state, key, dtype, id[5])
      local part = id[6]
      if part == nil or part == objects.none then return whole end
      local partKey = type(part) == 'table' and keyOf(part[1])
      if not partKey then state:fail('the key, offset and size of a part', state.shown(part)) end
      return tensors:part(state, whole, 'part ' .. partKey, part[2], part[3])
    end,
  }
  local keys, keysAt = reader:list(plain, "a list of storages' keys")
  local done = {}
  for _, each in ipairs(keys) do
    local key = keyOf(each)
    local record = key and tensors.records[key]
    if not record or record.whole or done[key] then damage.raise(keysAt, 'the key of a storage, once', tostring(key)) end
    done[key] = true
    placeStorage(reader, tensors, key, record.dtype)
  end
  for key, record in pairs(tensors.records) do
    if not record.whole and not done[key] then damage.raise(keysAt, ('storage "%s"'):format(key), 'none') end
  end
  tensors:finish()
  return value
end

--- Returns whether a file is a tar archive.
-- @string head the first bytes, 262 or more
function legacy.isTar(head) return head:sub(258, 262) == 'ustar' end

-- Returns readers of the members by name.
local function tarMembers(mapped)
  local members, at, size, bytes = {}, 0, mapped:size(), ffi.cast(bytePtr, mapped:data())
  while at + block <= size and bytes[at] ~= 0 do
    local head = ffi.string(bytes + at, block)
    local name, digits = head:match '^([^%z]*)', head:sub(125, 136):match '^%s*([0-7]+)[%z%s]*$'
    if head:sub(258, 262) ~= 'ustar' or not digits then damage.raise(at + 1, 'the header of a member', ('%q'):format(name)) end
    local length = tonumber(digits, 8)
    if length > size - at - block then
      damage.raise(at + 1, ('%q of %.0f bytes'):format(name, length), ('%.0f bytes to the end of the file'):format(size - at - block))
    end
    members[name:gsub('^%./', '')] = readerOf(mapped, at + block, at + block + length)
    at = at + block + math.ceil(length / block) * block
  end
  return members
end

-- Returns the state, for `torch.file.pt_tensors`, of what is read outside of a pickle.
local function placed(at)
  return {
    first = at - 1, opcodeAt = 0, work = function() end, key = function() end, shown = tostring,
    fail = function(_, expected, read) damage.raise(at, expected, read) end,
  }
end

-- Reads the member `storages`: their number; for each key, device and class, then the elements; last the parts of storages.
local function readStorages(reader, tensors, hooks, values)
  for _ = 1, reader:count(hooks, 'a number of storages') do
    local head, at = reader:list(hooks, 'key, device and class of a storage')
    local key, dtype = keyOf(head[1]), storageClass(head[3])
    if not key or not dtype or tensors.records[key] then damage.raise(at, 'key, device and class of a storage', 'others') end
    local countAt = reader.at
    local count = reader:integer(8, 'a storage')
    if count > reader.stop then damage.raise(countAt + 1, 'a number of elements', ('%.0f'):format(count)) end
    reader.at = countAt
    values[key] = tensors:storage(placed(at), key, dtype, count)
    placeStorage(reader, tensors, key, dtype)
  end
  local parts, at = reader:list(hooks, "a list of storages' parts")
  for _, part in ipairs(parts) do
    local isPart = type(part) == 'table' and objects.note(part)
    local key, whole = isPart and keyOf(part[1]), isPart and keyOf(part[2])
    local isNew = key and whole and values[whole] and not values[key]
    if not isNew then damage.raise(at, 'keys of a part and its storage', 'others') end
    values[key] = tensors:part(placed(at), values[whole], key, part[3], part[4])
  end
end

-- Reads the member `tensors`: their number; for each key, storage and class, then dimensions, sizes, strides and offset.
local function readTensors(reader, tensors, hooks, values)
  for _ = 1, reader:count(hooks, 'a number of tensors') do
    local head, at = reader:list(hooks, 'key, storage and class of a tensor')
    local key, storage = keyOf(head[1]), keyOf(head[2])
    local isNew = key and storage and values[storage] and not values[key]
    if not isNew then damage.raise(at, 'keys of a tensor and its storage', 'others') end
    local dims = reader:integer(4, 'a tensor')
    reader:take(4, 'a tensor')
    reader:take(16 * dims + 8, 'a tensor')
    reader.at = reader.at - 16 * dims - 8
    local state = placed(at)
    if dims > 64 then state:fail('at most 64 dimensions', tostring(dims)) end
    local sizes, strides = {}, {}
    for d = 1, dims do sizes[d] = reader:integer(8, 'sizes') end
    for d = 1, dims do strides[d] = reader:integer(8, 'strides') end
    values[key] = tensors:view(state, values[storage], reader:integer(8, 'an offset'), objects.tuple(sizes), objects.tuple(strides))
  end
end

--- Reads a tar archive of the members `storages`, `tensors` and `pickle`.
-- @tparam torch.ByteStorage mapped the file
-- @tparam table tensors `torch.file.pt_tensors`
-- @tparam function find `torch.file.pt_classes`
-- @return the value
function legacy.readTar(mapped, tensors, find)
  local members, values, hooks = tarMembers(mapped), {}, { find = find }
  for _, name in ipairs { 'storages', 'tensors', 'pickle' } do
    if not members[name] then damage.raise(1, ('a tar archive with the member %s, as PyTorch 0.1 wrote'):format(name), 'none') end
  end
  readStorages(members.storages, tensors, hooks, values)
  readTensors(members.tensors, tensors, hooks, values)
  local value = members.pickle:pickle {
    find = find,
    persistent = function(state, id)
      local note = type(id) == 'table' and objects.note(id)
      if note then return type(id[1]) == 'table' and id[1] or state:fail('a class', state.shown(id)) end      -- a class with its source
      return values[keyOf(id)] or state:fail('the key of a tensor', state.shown(id))
    end,
  }
  tensors:finish()
  return value
end

return legacy
