--- Methods that write and read tensors, storages and generators in t7 files: geometry as longs, contents as one block.
-- @module torch.file.tensors
local ffi = require 'ffi'
local C = require 'libmoontorch'
local class = require 'torch.class'
local binary = require 'torch.file.binary'
local damage = require 'torch.file.damage'
local handle = require 'torch.file.handle'
local imageLayout = require 'torch.file.image_layout'
local kinds = require 'torch.file.kinds'
local scalars = require 'torch.file.scalars'
local types = require 'torch.devices.types'

local complex = require 'torch.names.complex'

local positions = {}
for i, info in ipairs(C.dtypes) do positions[info.torch] = i end

local typename = class.typename
local readInt, readLong = scalars.int, scalars.long
local exactIntegers, mostDims = 2 ^ 53, 64

local function writeTensor(given, file)
  local self = complex.apart(given)
  file = handle.state(file)
  file:writeInt(self:dim())
  file:_writeStorage('Long', self:size())
  file:_writeStorage('Long', self:stride())
  file:writeLong(self:storageOffset())
  file:writeObject(self:storage())
end

-- Reads sizes or strides, as a table; damaged files may contain any number of them, so they are read in a storage.
local function readSizes(file, dim, what)
  local at = file._channel:position() + 1
  local single = dim <= mostDims and file._encoding == binary
  local sizes = single and {} or file:_readStorage('Long', C.newStorage(positions.Long - 1), dim)
  for d = 1, dim do
    if single then sizes[d] = readLong(file) end
    if sizes[d] < 0 or sizes[d] > exactIntegers then damage.raise(at, what .. ' from 0 to 2^53', tostring(sizes[d])) end
  end
  return sizes
end

-- Returns the last element's position in the storage, counted from 1; 0 if there are no elements.
local function lastPlace(sizes, strides, offset)
  local last = offset
  for d = 1, #sizes do
    if sizes[d] == 0 then return 0 end
    last = last + (sizes[d] - 1) * strides[d]
  end
  return last
end

local function readTensor(storageName)
  return function(self, file)
    file = handle.state(file)
    local at = file._channel:position() + 1
    local dim = readInt(file)
    if dim < 0 or not file:_fits('Long', 2 * dim) then
      damage.raise(at, 'a number of dimensions that the file has room for', tostring(dim))
    end
    local sizes, strides = readSizes(file, dim, 'sizes'), readSizes(file, dim, 'strides')
    local offsetAt = file._channel:position() + 1
    local offset = readLong(file)
    if offset < 1 or offset > exactIntegers then damage.raise(offsetAt, 'a storage offset, 1 or more', tostring(offset)) end
    local storageAt = file._channel:position() + 1
    local storage = file:readObject()
    if storage == nil then
      -- Moontorch allows sizes of 0. Old 32-bit machines did not, but the head of a matrix with longs of 8 bytes has zeros if read as longs
      -- of 4.
      local needsOne = file._longSize == 4 or lastPlace(sizes, strides, offset) > 0
      if dim > 0 and needsOne then damage.raise(storageAt, 'a ' .. storageName, 'nil') end
      if dim > 0 then self:resize(sizes, strides) end
      return
    end
    if typename(storage) ~= storageName then damage.raise(storageAt, 'a ' .. storageName, class.type(storage)) end
    local needed = dim == 0 and 0 or lastPlace(sizes, strides, offset)
    if needed > storage:size() then
      damage.raise(at, ('sizes, strides and offset within %d elements'):format(storage:size()), ('a last element at %.0f'):format(needed))
    end
    self:set(storage, offset, sizes, strides)
  end
end

local function writeStorage(kindName)
  return function(self, file)
    file = handle.state(file)
    file:writeLong(self:size())
    file:_writeStorage(kindName, self)
  end
end

-- Any byte except 0 is true, and true must be 1 in memory.
local function normalizeBools(storage)
  local lent = C.lend(storage)
  local p = ffi.cast(kinds.Bool.pointer, lent:data())
  for i = 0, lent:size() - 1 do p[i] = p[i] ~= 0 and 1 or 0 end
  C.releaseStorage(lent)
end

local function readStorage(kindName, onDevice)
  return function(self, file, version)
    file = handle.state(file)
    local at = file._channel:position() + 1
    local n = readLong(file)
    if n < 0 or not file:_fits(kindName, n) then
      damage.raise(at, ('a number of %ss that the file has room for'):format(kindName:lower()), tostring(n))
    end
    local here = onDevice and C.newStorage(positions[kindName] - 1) or self
    file:_readStorage(kindName, here, n)
    if kindName == 'Bool' and n > 0 then normalizeBools(here) end
    if onDevice then self:resize(n):copy(here) end
    imageLayout.restore(self, version)
  end
end

-- A generator is written as the raw bytes of its state; the first ones contain their number.
local function installGenerator(torch)
  local generator = class.getmetatable('torch.Generator')
  local function write(self, file) handle.state(file):_writeStorage('Byte', torch.getRNGState(self):storage()) end
  local function read(self, file)
    file = handle.state(file)
    local header = torch.ByteTensor(file:_readStorage('Byte', torch.ByteStorage(), C.rngStateBytes()))
    local more = C.rngStateBytes(header) - header:nElement()
    local rest = torch.ByteTensor(file:_readStorage('Byte', torch.ByteStorage(), more))
    torch.setRNGState(self, more > 0 and torch.cat(header, rest) or header)
  end
  rawset(generator, 'write', write)
  rawset(generator, 'read', read)
end

local tensors = {}

--- Returns the methods write and read of a dtype's classes on devices of a kind.
-- @string dtype as in torch.<dtype>Tensor
-- @string kind
-- @treturn table of the class of tensors
-- @treturn table of the class of storages
function tensors.onDevices(dtype, kind)
  local storageName = 'torch.' .. types.name(kind, dtype) .. 'Storage'
  return { write = writeTensor, read = readTensor(storageName) },
    { write = writeStorage(dtype), read = readStorage(dtype, true) }
end

--- Adds the methods write and read to the generator and every tensor and storage class with a plain name.
-- @tparam table torch
function tensors.install(torch)
  installGenerator(torch)
  for kindName in pairs(kinds) do
    local storageName = 'torch.' .. kindName .. 'Storage'
    local storageClass, tensorClass = class.getmetatable(storageName), class.getmetatable('torch.' .. kindName .. 'Tensor')
    if storageClass then
      rawset(storageClass, 'write', writeStorage(kindName))
      rawset(storageClass, 'read', readStorage(kindName))
    end
    if tensorClass then
      rawset(tensorClass, 'write', writeTensor)
      rawset(tensorClass, 'read', readTensor(storageName))
    end
  end
end

return tensors
