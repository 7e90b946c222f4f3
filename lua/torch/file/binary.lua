--- Binary encoding of elements: their bytes, without padding; optionally with the other byte order and 4-byte longs.
-- @module torch.file.binary
local ffi = require 'ffi'

local floor, min, cast = math.floor, math.min, ffi.cast
local bytePtr, int32Ptr = ffi.typeof 'uint8_t *', ffi.typeof 'int32_t *'
local block = 4096       -- elements converted at a time

local binary = {}

--- Reverses the bytes of each of n elements.
function binary.reverse(bytes, n, size)
  for i = 0, n - 1 do
    local first, last = i * size, i * size + size - 1
    while first < last do
      bytes[first], bytes[last] = bytes[last], bytes[first]
      first, last = first + 1, last - 1
    end
  end
end

local function isShortLong(file, kind) return file._longSize == 4 and kind.name == 'Long' end

--- Returns the maximum number of elements in a number of bytes.
function binary.most(file, kind, bytes)
  return floor(bytes / (isShortLong(file, kind) and 4 or kind.size))
end

local function readShortLongs(file, p, n)
  local buffer = ffi.new('int32_t[?]', min(n, block))
  local done = 0
  while done < n do
    local wanted = min(n - done, block)
    local count = floor(file._channel:read(buffer, wanted * 4) / 4)
    if file._swapped then binary.reverse(cast(bytePtr, buffer), count, 4) end
    for i = 0, count - 1 do p[done + i] = buffer[i] end
    done = done + count
    if count < wanted then break end
  end
  return done
end

--- Reads up to n elements to p.
-- @treturn int elements read; fewer than n mean the end of the file
function binary.read(file, kind, p, n)
  if isShortLong(file, kind) then return readShortLongs(file, p, n) end
  local size = kind.size
  local count = file._channel:read(p, n * size)
  count = (count - count % size) / size
  if file._swapped and size > 1 then binary.reverse(cast(bytePtr, p), count, size) end
  return count
end

local function writeConverted(file, kind, p, n)
  local shortLong = isShortLong(file, kind)
  local size = shortLong and 4 or kind.size
  local buffer = ffi.new('uint8_t[?]', min(n, block) * size)
  local done = 0
  while done < n do
    local count = min(n - done, block)
    if shortLong then
      local ints = cast(int32Ptr, buffer)
      for i = 0, count - 1 do
        ints[i] = p[done + i]
        if ints[i] ~= p[done + i] then return done + i, 'a long that 4 bytes cannot hold' end
      end
    else
      ffi.copy(buffer, p + done, count * size)
    end
    if file._swapped then binary.reverse(buffer, count, size) end
    local written, message = file._channel:write(buffer, count * size)
    if written < count * size then return done + floor(written / size), message end
    done = done + count
  end
  return done
end

--- Writes n elements from p.
-- @treturn int elements written
-- @treturn ?string the system's message if they are fewer than n
function binary.write(file, kind, p, n)
  local size = kind.size
  if isShortLong(file, kind) or file._swapped and size > 1 then return writeConverted(file, kind, p, n) end
  local written, message = file._channel:write(p, n * size)
  if written < n * size then return floor(written / size), message end
  return n
end

--- Does nothing: no byte follows an array.
function binary.finish() end

return binary
