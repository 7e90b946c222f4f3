--- The element types in files: name, C type, size in bytes and the name of their storage class.
-- @module torch.file.kinds
local ffi = require 'ffi'
local C = require 'libmoontorch'
local element = require 'torch.index.element'

local kinds = {}

for _, info in ipairs(C.dtypes) do
  local name, isNumber, isComplex = info.torch, element.isNumber[info.torch], info.kind == 'complex'
  local ctype = (isNumber or isComplex) and element.ctypes[name] or ('uint%d_t'):format(8 * info.size)      -- other floats as bits
  kinds[name] = {
    name = name,
    phrase = (name == 'Int' and 'an ' or 'a ') .. name:lower(),
    storage = 'torch.' .. name .. 'Storage',
    size = info.size,
    parts = isComplex and 2 or 1,      -- numbers of an element
    pointer = ffi.typeof(ctype .. ' *'),
    constPointer = ffi.typeof('const ' .. ctype .. ' *'),
    cell = ffi.typeof(ctype .. '[1]'),
    viaFloat = not isNumber and not isComplex or nil,      -- as text in ascii files
  }
end

kinds.Byte.raw, kinds.Char.raw = true, true     -- raw bytes even in ascii files

return kinds
