--- Numbers of the FFI in t7 files, in the form of objects: integers of 64 bits, as which elements of LongTensors beyond 2^53 are read, and
-- complex numbers.
-- @module torch.file.ffi_numbers
local ffi = require 'ffi'
local scalars = require 'torch.file.scalars'

local cast, istype = ffi.cast, ffi.istype
local int64, uint64, complex = ffi.typeof 'int64_t', ffi.typeof 'uint64_t', ffi.typeof 'complex'

-- Kinds by their names in files, where objects have those of classes.
local kinds = {
  ['torch.Int64'] = { type = int64, write = function(file, x) file:writeLong(x) end, read = scalars.long },
  ['torch.UInt64'] = {
    type = uint64, write = function(file, x) file:writeLong(cast(int64, x)) end,
    read = function(file) return cast(uint64, cast(int64, scalars.long(file))) end,
  },
  ['torch.Complex'] = {
    type = complex,
    write = function(file, x)
      file:writeDouble(x.re)
      file:writeDouble(x.im)
    end,
    read = function(file)
      local real = file:readDouble()
      return complex(real, file:readDouble())
    end,
  },
}

local ffi_numbers = {}

--- Returns the name in files of a number's kind; nil for other values.
function ffi_numbers.nameOf(x)
  if type(x) ~= 'cdata' then return nil end
  for name, kind in pairs(kinds) do
    if istype(kind.type, x) then return name end
  end
end

--- Writes a number after its name.
function ffi_numbers.write(file, name, x) kinds[name].write(file, x) end

--- The readers of numbers, functions of the file, by the names in files.
ffi_numbers.readers = {}
for name, kind in pairs(kinds) do ffi_numbers.readers[name] = kind.read end

return ffi_numbers
