--- Storages over foreign memory: files, shared memory, memory at a pointer.
-- @module torch.file.mapped
local ffi = require 'ffi'
local check = require 'torch.check'
local C = require 'libmoontorch'

local mapped = {}

local lowest = 65536      -- systems map nothing below it: such a number is a mistake, not an address

local function optional(name, value, kind)
  if value ~= nil and type(value) ~= kind then error(('storage: %s: %s, expected a %s'):format(name, type(value), kind), 4) end
  return value
end

--- Creates a storage over a file.
-- @int dtype counted from 0
-- @string path of the file; with sharedMem the name of POSIX shared memory
-- @tparam[opt=false] boolean shared true: writes go to the file, which is created and extended to `size` if necessary; false: writes stay
--   private
-- @int[opt=0] size elements; 0 means the whole file
-- @tparam[opt=false] boolean sharedMem the name is removed together with the storage, as in Torch7; storages that have it open keep the
--   memory
-- @return storage, which can't be resized
-- @raise if the file can't be opened or is too small
function mapped.file(dtype, path, shared, size, sharedMem)
  optional('shared', shared, 'boolean')
  optional('size', size, 'number')
  optional('sharedMem', sharedMem, 'boolean')
  local bytes = C.dtypes[dtype + 1].size
  local place = sharedMem and '/dev/shm/' .. path:gsub('^/', '') or path
  local good, whole = pcall(C.mapFile, place, shared or false, (size or 0) * bytes, sharedMem or false)
  if not good then
    local why = whole:gsub('^mapFile: [^:]*: ', '')
    check.raise(('storage: file: unable to open file <%s> in %s mode: %s'):format(path, shared and 'read-write' or 'read-only', why))
  end
  return C.viewStorage(whole, dtype, 0, math.floor(whole:size() / bytes))
end

--- Creates a storage over n elements at a pointer; the memory must live as long as the storage.
-- @int dtype counted from 0
-- @int n
-- @tparam cdata|number pointer or its address
function mapped.pointer(dtype, n, pointer)
  if type(pointer) ~= 'cdata' and type(pointer) ~= 'number' then
    error('storage: pointer: ' .. type(pointer) .. ', expected a pointer or its address', 3)
  end
  local good, address = pcall(function() return tonumber(ffi.cast('intptr_t', pointer)) end)
  local aligned = good and address >= lowest and address % C.dtypes[dtype + 1].size == 0
  if not aligned then error('storage: pointer: it does not point to an element', 3) end
  if not (n >= 0 and n < 2 ^ 62) then error('storage: size: ' .. n .. ', expected 0 or more', 3) end
  return C.borrowStorage(dtype, n, address)
end

return mapped
