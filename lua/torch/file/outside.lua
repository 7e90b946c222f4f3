--- Reads formats of other programs from channels of bytes. Every length is checked before its use. Invalid data is damage
-- (`torch.file.damage`), which becomes one sentence with operation, file, offset, expected and actual data.
-- @module torch.file.outside
local ffi = require 'ffi'
local C = require 'libmoontorch'
local class = require 'torch.class'
local refuse = require('torch.check').raise
local damage = require 'torch.file.damage'
local Disk = require 'torch.file.disk_channel'
local Gzip = require 'torch.file.gzip_channel'
local Memory = require 'torch.file.memory_channel'

local bytePtr = ffi.typeof 'uint8_t *'

local outside = {}

--- Returns the next n bytes of a channel as a string.
-- @tparam table channel
-- @int n
-- @string what the term for them in messages
function outside.text(channel, n, what)
  local at, left = channel:position() + 1, channel:remaining()
  if n > left then damage.raise(at, ('%s of %.0f bytes'):format(what, n), ('%.0f bytes to the end of the file'):format(left)) end
  local buffer = ffi.new('uint8_t[?]', n)
  local count = channel:read(buffer, n)
  if count < n then damage.raise(at, ('%s of %.0f bytes'):format(what, n), ('%.0f bytes to the end of the file'):format(count)) end
  return ffi.string(buffer, n)
end

--- Returns a little-endian unsigned integer of up to 8 bytes from a string; exact up to 2^53.
-- @string text
-- @int at position of the first byte, counted from 1
-- @int size bytes
function outside.integer(text, at, size)
  local value = 0
  for i = at + size - 1, at, -1 do value = value * 256 + text:byte(i) end
  return value
end

--- Returns the bytes of a nonnegative integer, in little-endian order.
-- @number value
-- @int size bytes
-- @treturn string
function outside.littleEndian(value, size)
  local bytes = {}
  for i = 1, size do
    bytes[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(bytes)
end

--- Fills memory from a channel; raises damage if there are fewer than n bytes.
function outside.fill(channel, p, n, what)
  local at = channel:position() + 1
  local count = channel:read(ffi.cast(bytePtr, p), n)
  if count < n then damage.raise(at, ('%s of %.0f bytes'):format(what, n), ('%.0f bytes to the end of the file'):format(count)) end
end

-- Returns a problem of a file, and its format if it seems to be another one.
local function explained(channel, problem, op)
  local recognise = require 'torch.file.recognise'
  return recognise.explained(problem, recognise.head(channel), op)
end

-- Passes the channel of a file through `accept` (which may refuse it) to f, and closes it.
local function withChannel(op, name, accept, f)
  if type(name) ~= 'string' then refuse(('%s: name: %s, expected a string'):format(op, class.type(name))) end
  local channel, message = Disk.open(name, 'r')
  if not channel then refuse(('%s: cannot open %s: %s'):format(op, name, message)) end
  local good, first, second = pcall(accept, channel, f)
  local problem = not good and explained(channel, tostring(first), op)
  channel:close()
  if not good then refuse(('%s: %s: %s'):format(op, name, problem)) end
  return first, second
end

local function onlyFiles(channel, f)
  if channel:size() == math.huge then error('a pipe or device, expected a file', 0) end
  return f(channel)
end

--- Opens a file, passes its channel to f and closes it. Pipes and devices are refused, because their length is unknown.
-- @string op the start of messages
-- @string name file
-- @tparam function f gets the channel; damage that it raises becomes an error at the line that called the caller of `open`
-- @return what f returns
function outside.open(op, name, f) return withChannel(op, name, onlyFiles, f) end

local function unpacking(channel, f)
  return onlyFiles(channel, function()
    if not Gzip.isNext(channel) then return f(channel) end
    local contents = Gzip.over(channel)
    local good, first, second = pcall(f, contents)
    contents:close()
    if not good then error(first, 0) end
    return first, second
  end)
end

--- Opens a file like `open`; if the file is compressed with gzip, f gets the contents. Positions in messages refer to what f read, or, if
-- the compressed data is damaged, to the file.
-- @string op
-- @string name file
-- @tparam function f
function outside.openPacked(op, name, f) return withChannel(op, name, unpacking, f) end

--- Maps a file and passes it to f, like `open`.
-- @string op
-- @string name
-- @tparam function f gets a channel and the ByteStorage under it, whose memory is the mapped file; writes to it stay in memory
-- @tparam[opt] function open maps the file instead, in another way
-- @return what f returns
function outside.map(op, name, f, open)
  if type(name) ~= 'string' then refuse(('%s: name: %s, expected a string'):format(op, class.type(name))) end
  local good, mapped = pcall(open or C.mapFile, name)
  if not good then refuse(('%s: %s'):format(op, (mapped:gsub('^mapFile: ', '')))) end
  local channel = Memory.ofStorage(mapped, mapped:size())
  local found, first, second = pcall(f, channel, mapped)
  if not found then refuse(('%s: %s: %s'):format(op, name, explained(channel, tostring(first), op))) end
  return first, second
end

return outside
