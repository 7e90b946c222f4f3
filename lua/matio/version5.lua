--- MAT-files of version 5 (MATLAB 5 to 7.2): their variables, of which each may be compressed.
-- @module matio.version5
local ffi = require 'ffi'
local torch = require 'torch'
local damage = require 'torch.file.damage'
local zlib = require 'torch.file.zlib'
local Block = require 'torch.file.block'
local elements, read5 = require 'matio.elements', require 'matio.read5'

local version5 = {}

local headerBytes, mostInflation, prefixBytes = 128, 1032, 1024      -- deflate's largest factor; more than the start of an array takes
local isSwapped = { IM = ffi.abi 'be', MI = ffi.abi 'le' }      -- the characters MI as a number of 16 bits

-- Unpacks up to n bytes of a compressed variable to p. Returns their number, and whether the stream ended.
local function fill(stream, from, left, p, n)
  local done = 0
  while done < n do
    local out, taken, ended = stream:step(from, left, p + done, n - done)
    if not out then return nil end
    done, from, left = done + out, from + taken, left - taken
    if ended or out == 0 and taken == 0 then return done, ended, from, left end
  end
  return done, false, from, left
end

-- Unpacks a compressed variable: its first bytes, or all of it.
local function unpacked(block, tag, isPrefix)
  local function refuse(expected, read) damage.raise(tag.at + 1, expected, read) end
  local stream, start = zlib.unpacker(true), torch.ByteStorage(prefixBytes)
  local count, ended, from, left = fill(stream, block:address(tag.first), tag.bytes, start:data(), prefixBytes)
  if not count then refuse('a compressed variable', 'something else') end
  if count < 8 then refuse('a compressed variable of 8 bytes or more', ('%d'):format(count)) end
  local head = Block.over(start, count, block.swapped)
  local size = 8 + head:word(4)
  if head:word(0) ~= elements.matrix or size > tag.bytes * mostInflation + 64 then
    refuse('a compressed array', ('%.0f bytes of type %.0f from %.0f compressed ones'):format(size, head:word(0), tag.bytes))
  end
  if isPrefix or ended and count == size then
    stream:close()
    return Block.over(start, math.min(count, size), block.swapped), size
  end
  local all = torch.ByteStorage(size)
  local p = ffi.cast('uint8_t *', all:data())
  ffi.copy(p, start:data(), math.min(count, size))
  local more = 0
  if count < size then
    more, ended, from, left = fill(stream, from, left, p + count, size - count)
    if not more then refuse('a compressed variable', 'something else') end
  end
  if not ended then      -- the checksum is still to come
    local extra, _
    extra, _, ended = stream:step(from, left, start:data(), prefixBytes)
    ended = ended and extra == 0
  end
  stream:close()
  if count + more ~= size or not ended then
    refuse(('a compressed variable of %.0f bytes, and its checksum'):format(size), ('%.0f bytes'):format(count + more))
  end
  return Block.over(all, size, block.swapped), size
end

-- Calls f; damage that it raises is reported at the compressed variable.
local function insideOf(tag, f, ...)
  local good, value, name = pcall(f, ...)
  if good then return value, name end
  if not damage.is(value) then error(value, 0) end
  damage.raise(tag.at + 1, ('a variable with %s at byte %.0f of what was compressed'):format(value.expected, value.at), value.read,
    value.isOther)
end

local function headerOf(block, tag, size)
  return read5.header(block, { type = elements.matrix, first = 8, bytes = (size or tag.bytes + 8) - 8, at = 0 })
end

-- Returns the name of a variable.
local function nameAt(block, tag)
  if tag.type ~= elements.compressed then return read5.header(block, tag).name end
  local start, size = unpacked(block, tag, true)
  local good, head = pcall(headerOf, start, tag, math.min(size, start.size))
  if good then return head.name end
  start, size = unpacked(block, tag)
  return insideOf(tag, headerOf, start, tag, size).name
end

local function wholeArray(inner, options) return read5.array(inner, elements.tag(inner, 0, inner.size, 'an array'), options) end

local function valueAt(block, tag, options)
  if tag.type ~= elements.compressed then return (read5.array(block, tag, options)) end
  return (insideOf(tag, wholeArray, unpacked(block, tag), options))
end

--- Returns whether bytes are such a file's start.
-- @string head
function version5.isNext(head) return #head >= headerBytes and isSwapped[head:sub(127, 128)] ~= nil and not head:sub(1, 4):find '%z' end

--- Visits the variables of a file in their order.
-- @tparam torch.ByteStorage mapped
-- @tparam table options of `matio.read5`
-- @tparam function visit gets a name and a function that returns the value
function version5.each(mapped, options, visit)
  local size = mapped:size()
  local order = Block.over(mapped, size, false):text(headerBytes - 2, 2)
  local block = Block.over(mapped, size, isSwapped[order])
  local at = headerBytes
  while at < size do
    local tag = elements.tag(block, at, size, 'a variable')
    local name = nameAt(block, tag)
    if name ~= '' then visit(name, function() return valueAt(block, tag, options) end) end      -- MATLAB's own data has no name
    at = tag.next
  end
end

return version5
