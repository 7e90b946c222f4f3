--- A run of bytes of a file, mapped or unpacked, and the numbers in it, of either byte order. Offsets count from 0; callers check them.
-- @module torch.file.block
local ffi = require 'ffi'
local C = require 'libmoontorch'
local raw = require 'torch.file.raw_elements'
local torch = require 'torch'

local cast, bswap = ffi.cast, bit.bswap
local isBigHost = ffi.abi 'be'
local bytePtr, wordPtr = ffi.typeof 'const uint8_t *', ffi.typeof 'const uint32_t *'

local Block = {}
Block.__index = Block

--- Makes a block.
-- @tparam torch.ByteStorage storage its memory isn't resized while the block is used
-- @int size number of the bytes
-- @bool swapped whether numbers have the other byte order
function Block.over(storage, size, swapped)
  local lent = C.lend(storage)
  local bytes = cast(bytePtr, lent:data())
  return setmetatable({ storage = storage, size = size, swapped = swapped or false, _lent = lent, _bytes = bytes }, Block)
end

--- Returns the 4 bytes at an offset as an unsigned integer.
function Block:word(at)
  local word = cast(wordPtr, self._bytes + at)[0]
  if self.swapped then word = bswap(word) end
  return word % 2 ^ 32
end

--- Returns the 4 bytes at an offset as a signed integer.
function Block:int(at)
  local word = self:word(at)
  return word < 2 ^ 31 and word or word - 2 ^ 32
end

--- Returns the 8 bytes at an offset as an unsigned integer, exact up to 2^53.
function Block:long(at)
  local first, second = self:word(at), self:word(at + 4)
  if self.swapped ~= isBigHost then return first * 2 ^ 32 + second end
  return second * 2 ^ 32 + first
end

--- Returns n bytes at an offset as a string.
function Block:text(at, n) return ffi.string(self._bytes + at, n) end

--- Returns the address of the byte at an offset.
function Block:address(at) return self._bytes + at end

--- Returns numbers as a tensor of one dimension, which may share the block's memory.
-- @tparam table type of `torch.file.raw_elements`
-- @int at
-- @int count
function Block:numbers(type, at, count)
  if count == 0 then return torch[type.kind.name .. 'Tensor']() end
  return torch[type.kind.name .. 'Tensor'](raw.storage(self.storage, at, type, count, self.swapped))
end

--- Returns numbers as a tensor of one dimension that has memory of its own.
function Block:copied(type, at, count)
  local x = self:numbers(type, at, count)
  return self.swapped and type.size > 1 and x or x:clone()      -- swapped ones are copied already
end

return Block
