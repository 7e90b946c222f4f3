--- ZIP archives, as far as NumPy uses them: stored and deflated members, of any size (ZIP64 if 32 bits don't suffice).
-- Format: PKWARE's APPNOTE.TXT 6.3.
-- @module torch.file.zip
local ffi = require 'ffi'
local torch = require 'torch'
local damage = require 'torch.file.damage'
local outside = require 'torch.file.outside'
local zlib = require 'torch.file.zlib'
local Memory = require 'torch.file.memory_channel'

local integer, little = outside.integer, outside.littleEndian
local stored, deflated = 0, 8
local unknown16, unknown32 = 0xffff, 0xffffffff
local endSize, entrySize, localSize, locatorSize, end64Size = 22, 46, 30, 20, 56
local longestComment = 65535
local mostInflation = 1032       -- a deflate stream expands at most by this factor

-- Numbers from unknown32 on are written in 8 bytes; a spec lowers it.
local zip = { unknown32 = unknown32 }

local function textAt(channel, position, n, what)
  channel:seek(position)
  return outside.text(channel, n, what)
end

-- Finds the directory: returns its position, bytes and number of entries.
local function findDirectory(channel)
  local size = channel:size()
  local n = math.min(size, endSize + longestComment)
  local tail = textAt(channel, size - n, n, 'an archive')
  local at
  for i = #tail - endSize + 1, 1, -1 do
    if tail:sub(i, i + 3) == 'PK\5\6' and i + endSize - 1 + integer(tail, i + 20, 2) == #tail then
      at = i
      break
    end
  end
  if not at then damage.raise(size + 1, "a ZIP archive's directory before", 'none') end
  local count, bytes, position = integer(tail, at + 10, 2), integer(tail, at + 12, 4), integer(tail, at + 16, 4)
  if count == unknown16 or bytes == unknown32 or position == unknown32 then
    local locatorAt = size - n + at - 1 - locatorSize
    local locator = locatorAt >= 0 and textAt(channel, locatorAt, locatorSize, 'a locator') or ''
    if locator:sub(1, 4) == 'PK\6\7' then
      local end64At = integer(locator, 9, 8)
      local end64 = end64At + end64Size <= size and textAt(channel, end64At, end64Size, 'a directory') or ''
      if end64:sub(1, 4) ~= 'PK\6\6' then damage.raise(locatorAt + 1, 'the place of a directory', tostring(end64At)) end
      count, bytes, position = integer(end64, 33, 8), integer(end64, 41, 8), integer(end64, 49, 8)
    end
  end
  if position + bytes > size then
    damage.raise(size - n + at, 'a directory inside the file', ('%.0f bytes at %.0f'):format(bytes, position))
  end
  return position, bytes, count
end

-- Reads sizes and an offset that are too large for their fields from the extra field with number 1.
local function readExtra(extra, entry)
  local i = 1
  while i + 3 <= #extra do
    local id, n = integer(extra, i, 2), integer(extra, i + 2, 2)
    if id == 1 then
      local at, stop = i + 4, math.min(i + 3 + n, #extra)
      for _, field in ipairs { 'size', 'packed', 'position' } do
        if entry[field] == unknown32 and at + 7 <= stop then
          entry[field], at = integer(extra, at, 8), at + 8
        end
      end
    end
    i = i + 4 + n
  end
end

--- Returns the members of an archive.
-- @tparam table channel that can seek
-- @treturn {table,...} name, size, packed (bytes), position, method, crc
function zip.members(channel)
  local position, bytes, count = findDirectory(channel)
  local directory = textAt(channel, position, bytes, 'a directory')
  local members, at, packed = {}, 1, 0
  for i = 1, count do
    if at + entrySize - 1 > #directory or directory:sub(at, at + 3) ~= 'PK\1\2' then
      damage.raise(position + at, ('entry %d of %.0f of a directory'):format(i, count), 'something else')
    end
    local nameLength, extraLength = integer(directory, at + 28, 2), integer(directory, at + 30, 2)
    local nameAt, commentLength = at + entrySize, integer(directory, at + 32, 2)
    local entry = {
      name = directory:sub(nameAt, nameAt + nameLength - 1), method = integer(directory, at + 10, 2), flags = integer(directory, at + 8, 2),
      crc = integer(directory, at + 16, 4), packed = integer(directory, at + 20, 4), size = integer(directory, at + 24, 4),
      position = integer(directory, at + 42, 4),
    }
    readExtra(directory:sub(nameAt + nameLength, nameAt + nameLength + extraLength - 1), entry)
    members[i], packed = entry, packed + entry.packed
    if packed > position then      -- otherwise a small file could contain many large arrays of the same bytes
      damage.raise(position + at, ('members of %.0f packed bytes in all'):format(position), ('%.0f'):format(packed))
    end
    at = nameAt + nameLength + extraLength + commentLength
  end
  return members
end

--- Returns the position of a member's first byte, counted from 0; all its packed bytes are in the file.
-- @tparam table channel of the archive
-- @tparam table member from `members`
-- @treturn int
function zip.locate(channel, member)
  local head = textAt(channel, member.position, localSize, 'a member')
  local at = member.position + 1
  if head:sub(1, 4) ~= 'PK\3\4' then damage.raise(at, 'the header of ' .. member.name, ('%q'):format(head:sub(1, 4))) end
  if member.flags % 2 == 1 then damage.raise(at, 'a member that is not encrypted', member.name) end
  if member.method ~= stored and member.method ~= deflated then
    damage.raise(at + 8, 'a member that is stored or deflated', 'method ' .. member.method)
  end
  channel:seek(member.position + localSize + integer(head, 27, 2) + integer(head, 29, 2))
  local dataAt, left = channel:position() + 1, channel:remaining()
  if member.packed > left then damage.raise(dataAt, ('%.0f packed bytes'):format(member.packed), ('%.0f bytes'):format(left)) end
  local most = member.method == stored and member.packed or member.packed * mostInflation
  if member.size > most or member.method == stored and member.size < member.packed then
    damage.raise(dataAt, ('a member that its %.0f packed bytes can hold'):format(member.packed), ('%.0f bytes'):format(member.size))
  end
  return dataAt - 1
end

--- Returns whether a member's bytes are in the file as they are.
function zip.isStored(member) return member.method == stored end

--- Raises damage if a member's bytes have another CRC than the directory has.
-- @tparam table member
-- @tparam cdata p its bytes, unpacked
-- @int dataAt their position, counted from 1
function zip.check(member, p, dataAt)
  local crc = zlib.crc(p, member.size)
  if crc ~= member.crc then damage.raise(dataAt, ('bytes with CRC %08x'):format(member.crc), ('%08x'):format(crc)) end
end

--- Returns the bytes of a member as a channel in memory.
-- @tparam table channel of the archive
-- @tparam table member from `members`
-- @treturn table channel
function zip.read(channel, member)
  local dataAt = zip.locate(channel, member) + 1
  local packed = torch.ByteStorage(member.packed)
  outside.fill(channel, packed:data(), member.packed, 'a member')
  local bytes = packed
  if member.method == deflated then
    bytes = torch.ByteStorage(member.size)
    if not zlib.inflate(packed:data(), member.packed, bytes:data(), member.size) then
      damage.raise(dataAt, ('a deflate stream of %.0f bytes'):format(member.size), 'another')
    end
  end
  zip.check(member, bytes:data(), dataAt)
  return Memory.ofStorage(bytes, member.size)
end

-- Returns a number in 4 bytes, or the mark for a number stored in 8 bytes in the extra field.
local function little32(value) return value >= zip.unknown32 and '\255\255\255\255' or little(value, 4) end

-- Returns the extra field for numbers that are too large for 4 bytes.
local function extraOf(...)
  local text = ''
  for _, value in ipairs { ... } do
    if value >= zip.unknown32 then text = text .. little(value, 8) end
  end
  return text ~= '' and little(1, 2) .. little(#text, 2) .. text or ''
end

-- Returns the common part of local header and directory entry. The date is the earliest in the format.
local function common(member, extra, packed, size, is64)
  return little(is64 and 45 or 20, 2) .. little(0x800, 2) .. little(member.method, 2) .. little(0, 2) .. little(33, 2)
    .. little(member.crc, 4) .. little32(packed) .. little32(size) .. little(#member.name, 2) .. little(#extra, 2)
end

-- Returns an extra field after which the next byte is at a multiple of `alignment`. PyTorch pads its archives so.
local function padding(position, alignment)
  local n = -position % alignment
  if n < 4 then n = n + alignment end
  return 'FB' .. little(n - 4, 2) .. ('Z'):rep(n - 4)
end

-- Returns the record after a directory with this number of entries and bytes, which begins at `position`.
local function ending(count, bytes, position)
  local large = ''
  if count >= unknown16 or bytes >= zip.unknown32 or position >= zip.unknown32 then
    large = 'PK\6\6' .. little(end64Size - 12, 8) .. little(45, 2):rep(2) .. little(0, 8) .. little(count, 8):rep(2) .. little(bytes, 8)
      .. little(position, 8) .. 'PK\6\7' .. little(0, 4) .. little(position + bytes, 8) .. little(1, 4)
  end
  return large .. 'PK\5\6' .. little(0, 4) .. little(math.min(count, unknown16), 2):rep(2) .. little32(bytes) .. little32(position)
    .. little(0, 2)
end

local function put(channel, p, n)
  local _, message = channel:write(p, n)
  if message then error(message, 0) end
end

-- Frees a block at once: its finaliser would run too late, because Lua does not know its size.
local function free(block) ffi.C.mt_free(ffi.gc(block, nil)) end

--- Writes an archive.
-- @tparam table channel
-- @tparam {table,...} members name, header (string), data (pointer), bytes (of data): a member is its header and its data; optionally
--   alignment, of the position of a stored member's first byte
-- @bool compressed whether members are deflated
function zip.write(channel, members, compressed)
  local position, directory = 0, {}
  for i, member in ipairs(members) do
    local size = #member.header + member.bytes
    local entry = { name = member.name, method = compressed and deflated or stored, size = size, packed = size }
    entry.crc = zlib.crc(member.data, member.bytes, zlib.crc(member.header, #member.header))
    local packed
    if compressed then
      local whole = ffi.gc(ffi.cast('uint8_t *', ffi.C.mt_malloc(size)), ffi.C.mt_free)
      if whole == nil then error('not enough memory to pack', 0) end
      ffi.copy(whole, member.header, #member.header)
      ffi.copy(whole + #member.header, member.data, member.bytes)
      packed, entry.packed = zlib.deflate(whole, size)
      free(whole)
    end
    local extra, shownPacked, shownSize = '', entry.packed, size
    local is64 = math.max(size, entry.packed) >= zip.unknown32
    if is64 then      -- in this case both sizes are in the extra field, or none is
      extra = little(1, 2) .. little(16, 2) .. little(size, 8) .. little(entry.packed, 8)
      shownPacked, shownSize = unknown32, unknown32
    end
    if member.alignment then extra = extra .. padding(position + localSize + #entry.name + #extra, member.alignment) end
    local head = 'PK\3\4' .. common(entry, extra, shownPacked, shownSize, is64) .. entry.name .. extra
    put(channel, head, #head)
    if packed then
      put(channel, packed, entry.packed)
      free(packed)
    else
      put(channel, member.header, #member.header)
      if member.bytes > 0 then put(channel, member.data, member.bytes) end
    end
    extra = extraOf(size, entry.packed, position)
    directory[i] = 'PK\1\2' .. little(extra == '' and 20 or 45, 2) .. common(entry, extra, entry.packed, size, extra ~= '') .. little(0, 10)
      .. little32(position) .. entry.name .. extra
    position = position + #head + entry.packed
  end
  local entries = table.concat(directory)
  put(channel, entries, #entries)
  local tail = ending(#members, #entries, position)
  put(channel, tail, #tail)
end

return zip
