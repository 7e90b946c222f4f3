--- Methods of files that read and write text and raw bytes.
-- @module torch.file.text
local ffi = require 'ffi'
local class = require 'torch.class'
local access, kinds = require 'torch.file.access', require 'torch.file.kinds'
local binary = require 'torch.file.binary'

local forReading, forWriting, fail = access.forReading, access.forWriting, access.fail
local min, type, cast = math.min, type, ffi.cast
local bytePtr = ffi.typeof 'uint8_t *'
local NEWLINE = 10

local File = {}

--- Writes the characters of a string as an array of chars.
function File:_writeText(text) access.writeElements(self, kinds.Char, cast(kinds.Char.constPointer, text), #text) end

--- Reads an array of n chars as a string.
function File:_readText(n)
  local channel = self._channel
  if n > 0 and self._encoding == binary then
    local p, count = channel:peek()
    if count >= n then
      local text = ffi.string(p, n)
      channel:skip(n)
      return text
    end
  end
  local at = channel:position()
  local text = self:_readBytes(n)
  if #text < n then access.shortRead(self, kinds.Char, at, n, #text) end
  if n > 0 then self._encoding.finish(self) end
  return text
end

--- Reads n bytes, or up to the end of the file, as a string.
function File:_readBytes(n)
  local channel = forReading(self)
  local parts = {}
  while n > 0 do
    local p, count = channel:peek()
    if count == 0 then break end
    count = min(count, n)
    parts[#parts + 1], n = ffi.string(p, count), n - count
    channel:skip(count)
  end
  return #parts == 1 and parts[1] or table.concat(parts)
end

--- Reads text: the rest of the file for '*a', a line without its newline for '*l'.
-- @raise at the end of the file, unless the file is quiet (then it returns '')
function File:readString(format)
  local channel = forReading(self)
  if format ~= '*a' and format ~= '*l' then error("format must be '*a' or '*l'", 3) end
  local parts, complete, found = {}, false, false
  repeat
    local p, n = channel:peek()
    if n > 0 then
      found = true
      local stop = n
      if format == '*l' then
        for i = 0, n - 1 do
          if p[i] == NEWLINE then
            stop, complete = i, true
            break
          end
        end
      end
      parts[#parts + 1] = ffi.string(p, stop)
      channel:skip(complete and stop + 1 or stop)
    end
  until n == 0 or complete
  if not found then fail(self, 'read error: read 0 blocks instead of 1') end
  return table.concat(parts)
end

--- Writes raw text, without a length. Returns the number of bytes.
function File:writeString(text)
  local channel = forWriting(self)
  if type(text) == 'number' then text = tostring(text) end
  if type(text) ~= 'string' then error('writeString: text: ' .. class.type(text) .. ', expected a string', 3) end
  local written, message = channel:write(cast(bytePtr, cast('const uint8_t *', text)), #text)
  if written == #text and self._unbuffered then
    local good, problem = channel:flush()
    if not good then written, message = 0, problem end
  end
  if written < #text then fail(self, ('write error: wrote %d blocks instead of %d: %s'):format(written, #text, message)) end
  return written
end

return File
