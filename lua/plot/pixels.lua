--- Pixels as a PNG file in memory: 8 bits, RGB, unfiltered.
-- Source: W3C, "Portable Network Graphics (PNG) Specification", second edition.
-- @module plot.pixels
local ffi = require 'ffi'
local bit = require 'bit'
local zlib = require 'torch.file.zlib'

local function bigEndian(n)
  return string.char(bit.band(bit.rshift(n, 24), 255), bit.band(bit.rshift(n, 16), 255), bit.band(bit.rshift(n, 8), 255), bit.band(n, 255))
end

local function bytesOf(text) return ffi.cast('const uint8_t *', text) end

local function chunk(kind, content)
  local body = kind .. content
  return bigEndian(#content) .. body .. bigEndian(bit.tobit(zlib.crc(bytesOf(body), #body)))
end

local function adler32(text)
  local p, a, b = bytesOf(text), 1, 0
  for i = 0, #text - 1 do
    a = (a + p[i]) % 65521
    b = (b + a) % 65521
  end
  return bit.bor(bit.lshift(b, 16), a)
end

local function deflate(text)
  local packed, n = zlib.deflate(bytesOf(text), #text)
  return '\120\156' .. (type(packed) == 'string' and packed or ffi.string(packed, n)) .. bigEndian(adler32(text))
end

--- @tparam table pixels `width`, `height`, and `rgb`, a string of 3 bytes per pixel, rows from the top
-- @treturn string the file
return function(pixels)
  local rows = {}
  for y = 1, pixels.height do rows[y] = '\0' .. pixels.rgb:sub((y - 1) * pixels.width * 3 + 1, y * pixels.width * 3) end
  local header = bigEndian(pixels.width) .. bigEndian(pixels.height) .. '\8\2\0\0\0'
  return '\137PNG\r\n\26\n' .. chunk('IHDR', header) .. chunk('IDAT', deflate(table.concat(rows))) .. chunk('IEND', '')
end
