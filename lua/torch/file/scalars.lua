--- Single numbers between the arrays of an object in a file: tags, lengths, indices, sizes.
-- Bytes in the machine's order are read directly from the channel's buffer. Other encodings fall back to the file's methods, which also
-- report the end of the file.
-- @module torch.file.scalars
local ffi = require 'ffi'
local binary = require 'torch.file.binary'

local isLittle = ffi.abi 'le'
local cell, halves = ffi.new 'int32_t[1]', ffi.new 'int32_t[2]'
local low, high = isLittle and 0 or 1, isLittle and 1 or 0
local exactHigh = 2 ^ 21      -- doubles hold integers up to 2^53

local scalars = {}

--- Reads an int.
-- @tparam table file state of a file that is open for reading
-- @treturn int
function scalars.int(file)
  if file._encoding == binary and not file._swapped then
    local channel = file._channel
    local count = channel:read(cell, 4)
    if count == 4 then return cell[0] end
    channel:unread(count)
  end
  return file:readInt()
end

--- Reads a long.
-- @tparam table file state of a file that is open for reading
-- @return a number if doubles represent it, else a 64-bit integer
function scalars.long(file)
  if file._encoding == binary and not file._swapped and file._longSize == 8 then
    local channel = file._channel
    local count = channel:read(halves, 8)
    local top = halves[high]
    if count == 8 and top < exactHigh and top >= -exactHigh then return top * 4294967296 + halves[low] % 4294967296 end
    channel:unread(count)
  end
  return file:readLong()
end

return scalars
