--- Tensors over files in memory, of any size, in NumPy's four modes.
-- @module torch.file.memmap
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check, class = require 'torch.check', require 'torch.class'
local kinds, npy, outside = require 'torch.file.kinds', require 'torch.file.npy', require 'torch.file.outside'
local typeName = require 'torch.class.type_name'

local memmap = {}

local modes, most = { 'r', 'c', 'r+', 'w+' }, 2 ^ 53
local dtypeIndex = {}
for i, info in ipairs(C.dtypes) do dtypeIndex[info.torch] = i - 1 end

local function kindOf(where, dtype)
  local name = typeName(dtype)
  local kind = name and kinds[name:match '^torch%.(%w+)Tensor$']
  if not kind then check.raise(('%s: dtype: %s, expected the name of a tensor type'):format(where, check.describe(dtype))) end
  return kind
end

-- Returns sizes as a list, and the number of elements.
local function sizesOf(where, shape)
  local list, count = type(shape) == 'number' and { shape } or C.isStorage(shape) and shape:totable() or shape, 1
  if type(list) ~= 'table' then check.raise(('%s: shape: %s, expected a list of sizes'):format(where, class.type(shape))) end
  for i = 1, #list do count = count * check.int(where, 'shape', list[i], { min = 0 }) end
  if count > most or count ~= count then check.raise(('%s: shape: more than 2^53 elements'):format(where)) end
  return list, count
end

-- Maps a file; `bytes` are needed, 0 for all that it has.
local function map(where, name, mode, bytes)
  local good, whole = pcall(C.memmapFile, name, mode, bytes)
  if not good then check.raise(('%s: %s'):format(where, (whole:gsub('^mapFile: ', '')))) end
  return whole
end

local step = 2 ^ 24      -- bytes

-- Checks the booleans of a file: other bytes than 0 and 1 become 1 in private memory, and are an error in a file that is shared.
local function checkBooleans(where, name, whole, first, count, shared)
  local bytes = torch.ByteTensor(C.viewStorage(whole, dtypeIndex.Byte, first, count))
  for at = 1, count, step do
    local part = bytes:narrow(1, at, math.min(step, count - at + 1))
    if part:max() > 1 then
      if shared then check.raise(('%s: %s: a boolean of byte %d, expected 0 or 1'):format(where, name, part:max())) end
      part:copy(part:ne(0):byte())
    end
  end
end

-- Returns a storage over `count` elements of a mapping.
local function elementsOf(where, name, whole, kind, first, count, mode)
  if first % kind.size ~= 0 then
    check.raise(('%s: offset: %.0f, expected a multiple of the %d bytes of an element'):format(where, first, kind.size))
  end
  if kind.name == 'Bool' and mode ~= 'w+' and count > 0 then checkBooleans(where, name, whole, first, count, mode == 'r+') end
  return C.viewStorage(whole, dtypeIndex[kind.name], first, count)
end

--- Creates a tensor over the bytes of a file, as NumPy's memmap. They are read when they are used, and the system may drop them from memory
-- again, so the file may be larger than the memory. A program must not make the file shorter while a tensor shows it: the system ends
-- programs that read bytes that are gone.
-- @string name file
-- @tparam[opt] table options
--
-- - `dtype`: default 'uint8'
-- - `mode`: 'r+' (default) writes to an existing file; 'w+' creates a file of zeros, in place of a former one; 'r' and 'c' never change the
--   file: writes to the tensor stay in this process
-- - `offset`: bytes in front of the elements, a multiple of an element's size; default 0
-- - `shape`: sizes; default: one dimension with all elements of the file; required for 'w+'
-- - `order`: 'C' (default), or 'F' for strides with the first dimension innermost
-- @treturn torch.Tensor that can't be resized; `x:flush()` waits until its writes are on the disk, which happens later in any case
-- @raise if the file is missing or too short, or is no regular file
-- @usage local x = torch.memmap('x.bin', { dtype = 'float32', mode = 'w+', shape = { 1000, 20 } })
function memmap.memmap(name, options)
  local where = 'torch.memmap'
  name = check.name(where, 'name', name)
  local asked = check.options(where, options, { 'dtype', 'mode', 'offset', 'shape', 'order' })
  local kind = kindOf(where, asked.dtype == nil and 'uint8' or asked.dtype)
  local mode = check.choice(where, 'mode', asked.mode == nil and 'r+' or asked.mode, modes)
  local order = check.choice(where, 'order', asked.order == nil and 'C' or asked.order, { 'C', 'F' })
  local offset = check.int(where, 'offset', asked.offset == nil and 0 or asked.offset, { min = 0 })
  if mode == 'w+' and asked.shape == nil then check.raise(where .. ': shape: nil, expected the sizes of a new file') end
  local sizes, count
  if asked.shape ~= nil then sizes, count = sizesOf(where, asked.shape) end
  local bytes = offset + (count or 0) * kind.size
  if bytes > 2 ^ 53 then
    check.raise(('%s: %s: %g bytes, expected at most 2^53'):format(where, offset > 2 ^ 53 and 'offset' or 'shape', bytes), 'range')
  end
  local whole = map(where, name, mode, count and offset + count * kind.size or 0)
  if not sizes then
    count = (whole:size() - offset) / kind.size
    if count < 0 or count % 1 ~= 0 then
      check.raise(('%s: %s: %.0f bytes, expected elements of %d bytes from byte %.0f on'):format(where, name, whole:size(), kind.size,
        offset))
    end
    sizes = { count }
  end
  return npy._tensor(kind, elementsOf(where, name, whole, kind, offset, count, mode), sizes, order == 'F')
end

--- Maps a .npy file.
-- @string where the start of messages
-- @string name file
-- @string mode 'r', 'c' or 'r+'
-- @treturn torch.Tensor
function memmap.npy(where, name, mode)
  local layout, whole = outside.map(where, check.name(where, 'name', name), function(channel, whole)
    local kind, sizes, count, fortran = npy._mapped(channel)
    return { kind = kind, sizes = sizes, count = count, fortran = fortran, first = channel:position() }, whole
  end, function() return C.memmapFile(name, mode, 0) end)
  return npy._tensor(layout.kind, elementsOf(where, name, whole, layout.kind, layout.first, layout.count, mode), layout.sizes,
    layout.fortran)
end

--- Maps a .npy file, or creates one: `torch.npy.openMemmap`.
function memmap.openNpy(name, options)
  local where = 'torch.npy.openMemmap'
  name = check.name(where, 'name', name)
  local asked = check.options(where, options, { 'mode', 'dtype', 'shape', 'fortranOrder' })
  local mode = check.choice(where, 'mode', asked.mode == nil and 'r+' or asked.mode, modes)
  if mode ~= 'w+' then
    if asked.dtype ~= nil or asked.shape ~= nil or asked.fortranOrder ~= nil then
      check.raise(where .. ': options: dtype, shape or fortranOrder, expected none of them for a file that has its own')
    end
    return memmap.npy(where, name, mode)
  end
  local kind = kindOf(where, asked.dtype == nil and 'float64' or asked.dtype)
  local sizes, count = sizesOf(where, asked.shape)
  local fortran = check.flag(where, 'fortranOrder', asked.fortranOrder) or false
  local header = npy._header(kind, sizes, fortran)
  local whole = map(where, name, mode, #header + count * kind.size)
  ffi.copy(whole:data(), header, #header)
  return npy._tensor(kind, elementsOf(where, name, whole, kind, #header, count, mode), sizes, fortran)
end

--- Waits until the writes to a tensor over a file are on the disk. In the modes 'r' and 'c' writes stay in memory, and this does nothing.
-- @treturn torch.Tensor itself
-- @raise if the tensor is not over a file, or the disk fails
-- @usage x:flush()
function memmap:flush()
  if not C.isTensor(self) then check.raise(('flush: self: %s, expected a tensor'):format(class.type(self))) end
  local storage = self:storage()
  if storage and not check.call(C.flushMapped, storage) then
    check.raise 'flush: self: its elements are in memory, expected those of a file, as from torch.memmap'
  end
  return self
end

return memmap
