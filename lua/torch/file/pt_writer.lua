--- Writes values as pickles of protocol 2, with those names alone that PyTorch's `torch.load(..., weights_only=True)` accepts, and the
-- other members of the archive.
-- @module torch.file.pt_writer
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check, class = require 'torch.check', require 'torch.class'
local complex = require 'torch.names.complex'
local kinds = require 'torch.file.kinds'
local objects = require 'torch.file.python_tables'
local little = require('torch.file.outside').littleEndian
local utf8 = require 'torch.file.utf8'

local int64 = ffi.typeof 'int64_t'
local folder, alignment, deepest, exactIntegers = 'archive/', 64, 500, 2 ^ 53
local expected = 'a tensor, number, string, boolean or table'

local dtypes = {}
for _, info in ipairs(C.dtypes) do dtypes[info.torch] = info end

local Writer = {}
Writer.__index = Writer

function Writer:put(text)
  self.count = self.count + 1
  self.parts[self.count] = text
end

local function fail(place, actual, hint)
  check.raise(('torch.pt.save: %s: %s, expected %s%s'):format(place, actual, expected, hint and ': ' .. hint or ''))
end

function Writer:name(module, name) self:put('c' .. module .. '\n' .. name .. '\n') end

function Writer:text(text) self:put('X' .. little(#text, 4) .. text) end

local function latin1(c) return utf8.char(c:byte()) end

function Writer:string(text)
  if utf8.isValid(text) then return self:text(text) end
  self:name('_codecs', 'encode')
  self:text((text:gsub('[\128-\255]', latin1)))
  self:text 'latin1'
  self:put '\134R'
end

-- Writes an int64.
function Writer:long(value)
  local bytes, negative = {}, value < 0
  local rest, done = ffi.cast('uint64_t', value), negative and 0xffffffffffffffffULL or 0ULL
  for i = 1, 8 do
    local byte = tonumber(rest % 256)
    bytes[i] = string.char(byte)
    rest = rest / 256
    if negative then rest = rest + 0xff00000000000000ULL end
    if rest == done and (byte >= 128) == negative then break end
  end
  self:put('\138' .. string.char(#bytes) .. table.concat(bytes))
end

local double = ffi.typeof 'double[1]'

function Writer:number(value)
  local isWhole = value % 1 == 0 and math.abs(value) <= exactIntegers and not (value == 0 and 1 / value < 0)
  if isWhole and value >= 0 and value < 256 then return self:put('K' .. string.char(value)) end
  if isWhole and value >= -2 ^ 31 and value < 2 ^ 31 then return self:put('J' .. little(value % 2 ^ 32, 4)) end
  if isWhole then return self:long(int64(value)) end
  local bytes = ffi.string(double(value), 8)
  self:put('G' .. (ffi.abi 'le' and bytes:reverse() or bytes))
end

-- Writes a reference to a value that was written before; returns whether it was.
function Writer:again(value)
  local index = self.memo[value]
  if index then self:put('j' .. little(index, 4)) end
  return index ~= nil
end

function Writer:remember(value)
  self.memo[value], self.memoized = self.memoized, self.memoized + 1
  self:put('r' .. little(self.memo[value], 4))
end

-- Writes a reference to a storage.
function Writer:storage(storage, kind)
  local id = torch.pointer(storage)
  local record = self.storages[id]
  if not record then
    local host = C.lend(C.onHost(storage))
    local bytes, isTyped = host:size() * kind.size, not dtypes[kind.name].storage
    record = { key = tostring(#self.records), storage = storage, host = host, count = isTyped and host:size() or bytes, bytes = bytes }
    self.storages[id], self.records[#self.records + 1] = record, record
  end
  self:put '('
  self:text 'storage'
  -- PyTorch has no class of storages for the types without arithmetic: it saves their bytes.
  if dtypes[kind.name].storage then self:name('torch.storage', 'UntypedStorage') else self:name('torch', kind.name .. 'Storage') end
  self:text(record.key)
  self:text 'cpu'
  self:number(record.count)
  self:put 'tQ'
end

function Writer:numbers(list)
  self:put '('
  for _, n in ipairs(list) do self:number(n) end
  self:put 't'
end

function Writer:tensor(given)
  local x = complex.apart(given)
  local kind = kinds[C.dtypeOf(x)]
  local sizes, strides = x:size():totable(), x:stride():totable()
  if #sizes == 0 then sizes, strides = { 0 }, { 1 } end
  local dtype = dtypes[kind.name]
  self:name('torch._utils', dtype.storage and '_rebuild_tensor_v3' or '_rebuild_tensor_v2')
  self:put '('
  self:storage(x:storage() or torch[kind.name .. 'Storage'](), kind)
  self:number(x:nElement() > 0 and x:storageOffset() - 1 or 0)
  self:numbers(sizes)
  self:numbers(strides)
  self:put '\137'      -- requires_grad
  self:name('collections', 'OrderedDict')
  self:put ')R'
  if dtype.storage then self:name('torch', dtype.name) end
  self:put 'tR'
  self:remember(given)
end

-- Returns the length of a table that is a list; nil for others.
local function lengthOf(t, note)
  local length, count = #t, 0
  for _ in next, t do count = count + 1 end
  return count == length and (length > 0 or note ~= nil and note.keys == nil) and length or nil
end

local function inside(place, key)
  return type(key) == 'string' and key:find '^[%a_][%w_]*$' and place .. '.' .. key or ('%s[%s]'):format(place, tostring(key):sub(1, 60))
end

function Writer:list(t, length, name, place, depth)
  local isTuple = name == 'tuple' or name == 'torch.Size'
  if name == 'torch.Size' then self:name('torch', 'Size') end
  if isTuple then
    self:put '('
  else
    self:put ']'
    self:remember(t)
    self:put '('
  end
  for i = 1, length do self:value(t[i], ('%s[%d]'):format(place, i), depth) end
  self:put(name == 'torch.Size' and 't\133R' or isTuple and 't' or 'e')
  if isTuple then self:remember(t) end
end

function Writer:dictionary(t, name, place, depth)
  if name == 'collections.OrderedDict' then
    self:name('collections', 'OrderedDict')
    self:put ')R'
  else
    self:put '}'
  end
  self:remember(t)
  self:put '('
  for _, key in ipairs(objects.keys(t)) do
    local kind = type(key)
    if kind ~= 'string' and kind ~= 'number' and kind ~= 'boolean' and key ~= objects.none then
      check.raise(('torch.pt.save: %s: a key that is %s, expected strings, numbers and booleans'):format(place, class.type(key)))
    end
    self:value(key, place, depth)
    local value = t[key]
    if value == nil then value = objects.none end
    self:value(value, inside(place, key), depth)
  end
  self:put 'u'
end

local plainObjects = { ['argparse.Namespace'] = true, ['types.SimpleNamespace'] = true }

function Writer:table(t, place, depth)
  if self:again(t) then return end
  if depth > deepest then fail(place, 'a table in ' .. deepest .. ' others', 'cycles of tuples and deeper nesting are not supported') end
  local note = objects.note(t)
  local name = note and note.class
  if note and note.isObject and not plainObjects[name] or name == 'type' then fail(place, 'an object of ' .. name, 'its fields') end
  local length = lengthOf(t, note)
  if length then self:list(t, length, name, place, depth + 1) else self:dictionary(t, name, place, depth + 1) end
end

-- Returns where a module has its tensors; nil for other objects.
local function hintOf(value)
  local isModule = type(value) == 'table' and torch.typename(value) and value.parameters
  if not isModule then return nil end
  return value.stateDict and 'net:stateDict() has its tensors' or 'net:parameters() has its tensors'
end

--- Writes any value.
function Writer:value(value, place, depth)
  local kind = type(value)
  if value == objects.none then return self:put 'N' end
  if kind == 'boolean' then return self:put(value and '\136' or '\137') end
  if kind == 'number' then return self:number(value) end
  if kind == 'string' then return self:string(value) end
  if torch.isTensor(value) then
    if not self:again(value) then self:tensor(value) end
    return
  end
  if kind == 'cdata' and ffi.istype(int64, value) then return self:long(value) end
  if kind ~= 'table' or torch.typename(value) then fail(place, class.type(value), hintOf(value)) end
  self:table(value, place, depth)
end

local writer = {}

--- Returns the members of an archive, for `torch.file.zip`.
-- @param state
function writer.members(state)
  local self = setmetatable({ parts = {}, count = 0, memo = {}, memoized = 0, storages = {}, records = {} }, Writer)
  self:put '\128\2'
  self:value(state, 'state', 1)
  self:put '.'
  local members = {}
  local function add(name, header, data, bytes, keep)
    members[#members + 1] = { name = folder .. name, header = header, data = data, bytes = bytes or 0, alignment = alignment, keep = keep }
  end
  add('data.pkl', table.concat(self.parts))
  add('.format_version', '1')
  add('.storage_alignment', tostring(alignment))
  add('byteorder', ffi.abi 'le' and 'little' or 'big')
  for _, record in ipairs(self.records) do
    local data = record.bytes > 0 and ffi.cast('const uint8_t *', record.host:data()) or nil
    add('data/' .. record.key, '', data, record.bytes, record)
  end
  add('version', '3\n')
  return members
end

return writer
