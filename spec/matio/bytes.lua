-- Makes MAT-files of versions 4 and 5 by hand, as The MathWorks' "MAT-File Format" describes them, in either byte order.
local ffi = require 'ffi'
local zlib = require 'torch.file.zlib'

local bytes = {}

local function little(value, size)
  local list = {}
  for i = 1, size do
    list[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(list)
end

local Maker = {}
Maker.__index = Maker

--- Returns functions for files of one byte order.
function bytes.of(isBig) return setmetatable({ isBig = isBig }, Maker) end

--- The bytes of integers; negative ones in two's complement.
function Maker:all(size, ...)
  local list = { ... }
  for i, value in ipairs(list) do
    list[i] = little(value, size)
    if self.isBig then list[i] = list[i]:reverse() end
  end
  return table.concat(list)
end

--- Doubles.
function Maker:doubles(...)
  local list = { ... }
  for i, value in ipairs(list) do
    local text = ffi.string(ffi.new('double[1]', value), 8)
    list[i] = self.isBig == ffi.abi 'be' and text or text:reverse()
  end
  return table.concat(list)
end

--- A data element: a tag, the data, and zeros up to a multiple of 8 bytes.
function Maker:element(type, data) return self:all(4, type, #data) .. data .. ('\0'):rep(-#data % 8) end

--- A small data element: up to 4 bytes beside the tag.
function Maker:small(type, data)
  local tag = self.isBig and self:all(2, #data, type) or self:all(2, type, #data)
  return tag .. data .. ('\0'):rep(4 - #data)
end

--- An array: flags, sizes, name, and the elements behind them.
function Maker:array(class, flags, sizes, name, ...)
  return self:element(14, self:element(6, self:all(4, class + flags, 0)) .. self:element(5, self:all(4, unpack(sizes))) ..
    self:element(1, name) .. table.concat { ... })
end

--- A compressed element; its bytes have no padding.
function Maker:compressed(data)
  local packed, n = zlib.compress(ffi.cast('const uint8_t *', data), #data)
  return self:all(4, 15, tonumber(n)) .. ffi.string(packed, n)
end

--- A file of version 5.
function Maker:file(...)
  return ('MATLAB 5.0 MAT-file' .. (' '):rep(97)) .. ('\0'):rep(8) .. (self.isBig and '\1\0MI' or '\0\1IM') .. table.concat { ... }
end

--- A matrix of version 4: type, sizes, name, data.
function Maker:matrix4(type, m, n, isComplex, name, data)
  return self:all(4, type, m, n, isComplex and 1 or 0, #name + 1) .. name .. '\0' .. data
end

return bytes
