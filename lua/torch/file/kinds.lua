--- The element types in files: name, C type, size in bytes and the name of their storage class.
-- @module torch.file.kinds
local ffi = require 'ffi'

local kinds = {}

local function kind(name, ctype, article)
  kinds[name] = {
    name = name,
    phrase = article .. ' ' .. name:lower(),
    storage = 'torch.' .. name .. 'Storage',
    size = ffi.sizeof(ctype),
    pointer = ffi.typeof(ctype .. ' *'),
    constPointer = ffi.typeof('const ' .. ctype .. ' *'),
    cell = ffi.typeof(ctype .. '[1]'),
  }
end

kind('Byte', 'uint8_t', 'a')
kind('Char', 'int8_t', 'a')
kind('Short', 'int16_t', 'a')
kind('Int', 'int32_t', 'an')
kind('Long', 'int64_t', 'a')
kind('Float', 'float', 'a')
kind('Double', 'double', 'a')
kind('Half', 'uint16_t', 'a')        -- as bits
kind('BFloat16', 'uint16_t', 'a')    -- as bits
kind('Bool', 'uint8_t', 'a')

kinds.Byte.raw, kinds.Char.raw = true, true     -- raw bytes even in ascii files
kinds.Half.viaFloat, kinds.BFloat16.viaFloat = true, true   -- as text in ascii files

return kinds
