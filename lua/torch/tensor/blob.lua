--- A program's own memory as a tensor, without a copy: memory from FFI or from a C library.
-- @module torch.tensor.blob
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
local typeName = require 'torch.class.type_name'

local blob = {}

local dtypeOfElement = {
  float = 'Float', double = 'Double', ['unsigned char'] = 'Byte', uint8_t = 'Byte', char = 'Char', ['signed char'] = 'Char',
  short = 'Short', int = 'Int', int64_t = 'Long', long = 'Long', bool = 'Bool',
}

local numberOf = {}      -- position of a dtype, from 0
for i, info in ipairs(C.dtypes) do numberOf[info.torch] = i - 1 end

local kept = {}      -- number of a storage -> the objects that keep its memory alive, and the function to call when it is freed
local made = 0

-- Releases the memory that no tensor uses any more.
local function drop()
  local failure
  for number in C.releasedMemory do
    local was = kept[number]
    kept[number] = nil
    if was and was.release then
      local good, message = pcall(was.release, was.pointer)
      if not good then failure = failure or message end
    end
  end
  if failure then C.log('torch.fromBlob: release: ' .. tostring(failure), true) end
end

-- Checks after each collection while there is memory to release.
local watched = false
local function watch()
  if watched or not next(kept) then return end
  watched = true
  local sentinel = newproxy(true)
  getmetatable(sentinel).__gc = function()
    watched = false
    drop()
    watch()
  end
end

-- Returns the nonnegative integers of a list, a LongStorage or a LongTensor.
local function numbers(name, value)
  local list = type(value) == 'table' and value or (C.isStorage(value) or C.isTensor(value)) and value:totable()
  if not list then check.raise(('torch.fromBlob: %s: %s, expected a list of numbers'):format(name, type(value))) end
  for i = 1, #list do check.int('torch.fromBlob', name, list[i], { min = 0 }) end
  return list
end

local function dtypeOf(pointer, dtype)
  if dtype ~= nil then
    local name = type(dtype) == 'string' and typeName(dtype)
    if name then return name:match '^torch%.(%w+)Tensor$' end
    check.raise(('torch.fromBlob: dtype: %s, expected the name of a tensor type'):format(tostring(dtype)))
  end
  local element = type(pointer) == 'cdata' and tostring(ffi.typeof(pointer)):gsub('const ', ''):match '^ctype<([%w_ ]-) ?[%*%[%(]'
  return dtypeOfElement[element]
    or check.raise 'torch.fromBlob: dtype: none, which the pointer does not tell, expected a name such as float32'
end

-- Returns the number of elements that the tensor can reach.
local function reachOf(sizes, strides)
  local last = 0
  for d = 1, #sizes do
    if sizes[d] == 0 then return 0 end
    last = last + (sizes[d] - 1) * strides[d]
  end
  return #sizes > 0 and last + 1 or 0
end

-- Returns the bytes of an array, nil for a pointer.
local function bytesOf(pointer)
  local isArray = type(pointer) == 'cdata' and tostring(ffi.typeof(pointer)):find '%[' and not tostring(ffi.typeof(pointer)):find '%*'
  return isArray and ffi.sizeof(pointer) or nil
end

local function rowMajor(sizes)
  local strides, step = {}, 1
  for d = #sizes, 1, -1 do strides[d], step = step, step * math.max(sizes[d], 1) end
  return strides
end

--- Creates a tensor over memory outside of torch, like PyTorch's from_blob: nothing is copied, and each side sees the other's writes. The
-- memory must not move; the tensor can't be resized beyond it. `x:data()` returns a pointer to it.
-- @tparam cdata|number pointer to the first element, or its address. A cdata is kept alive while a tensor uses its memory
-- @tparam {int,...}|torch.LongStorage sizes
-- @string[opt] dtype such as 'float32' or 'torch.FloatTensor'; default: by the pointer's type
-- @tparam[opt] table options `strides`: in elements; default: row-major; `keep`: another object to keep alive; `release`: a function that
--   is called once with the pointer, at a collection after no tensor uses the memory any more
-- @treturn torch.Tensor
-- @raise if the pointer is null or misaligned, sizes and strides don't match, or they reach beyond an array whose size FFI knows
-- @usage local values = ffi.new('float[6]', { 1, 2, 3, 4, 5, 6 })
-- local x = torch.fromBlob(values, { 2, 3 })
-- x[1][2] = 20      --> values[1] is 20
function blob.fromBlob(pointer, sizes, dtype, options)
  local torch = require 'torch'
  if type(pointer) ~= 'cdata' and type(pointer) ~= 'number' then
    check.raise('torch.fromBlob: pointer: ' .. type(pointer) .. ', expected a pointer or its address')
  end
  local asked = check.options('torch.fromBlob', options or {}, { 'strides', 'keep', 'release' })
  sizes = numbers('sizes', sizes)
  local strides = asked.strides and numbers('strides', asked.strides) or rowMajor(sizes)
  if #strides ~= #sizes then
    check.raise(('torch.fromBlob: strides: %d, expected one for each of %d sizes'):format(#strides, #sizes))
  end
  if asked.release ~= nil and type(asked.release) ~= 'function' then
    check.raise('torch.fromBlob: release: ' .. type(asked.release) .. ', expected a function')
  end
  local type = dtypeOf(pointer, dtype)
  local number = numberOf[type]
  local good, address = pcall(function() return tonumber(ffi.cast('intptr_t', pointer)) end)
  if not good or address < 65536 or address % C.dtypes[number + 1].size ~= 0 then
    check.raise 'torch.fromBlob: pointer: it does not point to an element'
  end
  local count, bytes = reachOf(sizes, strides), bytesOf(pointer)
  if bytes and count * C.dtypes[number + 1].size > bytes then
    check.raise(('torch.fromBlob: sizes: [%s] reach %d bytes far, and the array has %d'):format(table.concat(sizes, ', '),
      count * C.dtypes[number + 1].size, bytes))
  end
  drop()
  made = made + 1
  local storage = check.call(C.borrowMemory, number, count, address, made)
  kept[made] = { pointer = pointer, keep = asked.keep, release = asked.release }
  watch()
  return torch[type .. 'Tensor']():set(storage, 1, torch.LongStorage(sizes), torch.LongStorage(strides))
end

return blob
