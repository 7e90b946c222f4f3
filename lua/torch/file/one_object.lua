--- Reads and writes one object on a channel of bytes: writes t7 format, and reads the variants of all Torch7 versions.
-- @module torch.file.one_object
local ffi = require 'ffi'
local File = require 'torch.file.file'
local damage = require 'torch.file.damage'
local reader = require 'torch.file.object_reader'

local oneObject = {}

local function configure(file, mode, options)
  if mode == 'ascii' then file:ascii() else file:binary() end
  if mode == 'b32' then file:longSize(4) end
  if options.referenced ~= nil then file:referenced(options.referenced) end
  if options.functions ~= nil then file:allowFunctions(options.functions) end
  if options.transient ~= nil then file:lean(not options.transient) end
  return file
end

--- Writes one object.
-- @tparam table channel
-- @string name for messages
-- @param object
-- @string mode 'binary' or 'ascii'
-- @tparam table options `referenced`, `functions` (false: an error), `transient`
function oneObject.write(channel, name, object, mode, options)
  local file = configure(File:_new(channel, name, 'w'), mode, options)
  file._withoutFunctions = options.functions == false
  file:writeObject(object, options.functions == false and name or nil)
  file:synchronize()
end

--- Reads one object in a given mode.
-- @tparam table channel
-- @string name for messages
-- @string mode 'binary', 'ascii', 'b32' or 'b64'
-- @tparam table options `referenced`, `functions`
-- @bool[opt=false] swapped whether the byte order is the opposite of the machine's
-- @treturn bool whether it was read completely
-- @return the object, or the error's message
function oneObject.read(channel, name, mode, options, swapped)
  local file = configure(File:_new(channel, name, 'r'), mode, options)
  file._swapped = swapped
  local good, value = pcall(reader.read, file)
  if good then return true, value end
  if not damage.is(value) then value = ('at byte %d: %s'):format(file:position(), tostring(value)) end
  return false, tostring(value)
end

-- Infers from the first object's tag whether a file is text, and whether its machine was big-endian.
local function looksOf(channel)
  local p, n = channel:peek()
  if n < 2 then return false, false end
  local digit, newline, tag = 48, 10, 8
  if p[0] >= digit and p[0] <= digit + tag and p[1] == newline then return true, false end
  local low, high = ffi.abi 'le' and 0 or 3, ffi.abi 'le' and 3 or 0
  return false, n >= 4 and p[low] == 0 and p[1] == 0 and p[2] == 0 and p[high] > 0 and p[high] <= tag
end

--- Reads one object in the given mode, or else in the mode and byte order inferred from the channel's bytes. Old 32-bit machines wrote
-- longs of 4 bytes. A file that seems damaged with longs of 8 bytes is read again with longs of 4. This second attempt must consume the
-- whole file, because the beginning of a damaged file may make sense.
-- @tparam table channel
-- @string name for messages
-- @string[opt] mode 'binary', 'ascii', 'b32' or 'b64'
-- @tparam table options `referenced`, `functions`
-- @treturn bool whether it was read completely
-- @return the object, or the error's message
function oneObject.detect(channel, name, mode, options)
  local text, swapped = looksOf(channel)
  if mode == nil then mode = text and 'ascii' or 'binary' end
  swapped = swapped and mode ~= 'ascii'
  local good, value = oneObject.read(channel, name, mode, options, swapped)
  if good or mode ~= 'binary' or not channel:seek(0) then return good, value end
  local goodShort, short = oneObject.read(channel, name, 'b32', options, swapped)
  if goodShort and channel:remaining() == 0 then return true, short end
  return false, value
end

return oneObject
