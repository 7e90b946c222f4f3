--- Channels of bytes in memory, and the interface of all channels: read, write, peek, skip, seek, remaining.
-- A channel counts positions from 0, and is independent of encodings. The bytes have an owner: a Lua string, which is read only, a
-- malloc'ed block that grows, or a storage, whose current memory is lent. A finaliser that uses the same file may run wherever a pointer
-- object is created, so the code checks for changes before it uses the pointer. One that resizes the storage may also run between the check
-- and the use, where compiled code is left: so what was written is checked once more.
-- @module torch.file.memory_channel
local ffi = require 'ffi'
local lend = require('libmoontorch').lend
local isLent = require('torch.index.element').isLent
require 'torch.file.libc'

local C, copy, cast, min, max = ffi.C, ffi.copy, ffi.cast, math.min, math.max
local bytePtr = ffi.typeof 'uint8_t *'

local Memory = {}
Memory.__index = Memory

--- Creates a channel that reads a Lua string.
-- @string text
function Memory.ofString(text)
  local bytes = cast(bytePtr, cast('const uint8_t *', text))
  return setmetatable({ _bytes = bytes, _owner = text, _size = #text, _capacity = #text, _at = 0 }, Memory)
end

local function growBlock(self, capacity)
  local owner, size, at, before = self._owner, self._size, self._at, self._capacity
  if owner then ffi.gc(owner, nil) end
  self._owner, self._bytes, self._size, self._at, self._capacity = nil, cast(bytePtr, nil), 0, 0, 0      -- for use by a finaliser
  local grown = C.mt_realloc(owner, capacity)
  local failed = grown == nil
  if failed then grown, capacity = owner, before end
  if grown ~= nil then ffi.gc(grown, C.mt_free) end
  local bytes = cast(bytePtr, grown)
  self._owner, self._bytes, self._size, self._at, self._capacity = grown, bytes, size, at, capacity
  if failed then error('not enough memory for a buffer of ' .. capacity .. ' bytes', 0) end
end

--- Creates an empty channel with a new growing block.
function Memory.new()
  return setmetatable({ _bytes = cast(bytePtr, nil), _owner = nil, _size = 0, _capacity = 0, _at = 0, _grow = growBlock }, Memory)
end

-- Updates the address of a storage's memory: other code may have resized the storage.
local growStorage
local function look(self)
  if self._grow ~= growStorage or self._lent and isLent(self._lent, self._owner) then return end
  local lent = lend(self._owner)
  local bytes = cast(bytePtr, lent:data())
  self._lent, self._bytes, self._capacity = lent, bytes, lent:size()
  if self._size > self._capacity then self._size = self._capacity end
  if self._at > self._size then self._at = self._size end
end

function growStorage(self, capacity)
  self._owner:resize(capacity)
  look(self)
end

-- Returns the address of the next byte, and the lent memory of a storage. (Repeats by calling itself: a loop, even with one iteration,
-- would prevent compilation of the calling code.)
local function here(self)
  look(self)
  local lent, bytes = self._lent, self._bytes
  local p = bytes + self._at
  if rawequal(bytes, self._bytes) then return p, lent end
  return here(self)
end

--- Creates a channel over a byte or char storage.
-- @tparam torch.CharStorage storage grows with the channel
-- @int size number of its bytes that are contents
function Memory.ofStorage(storage, size)
  local channel = setmetatable({ _owner = storage, _size = size, _at = 0, _grow = growStorage }, Memory)
  look(channel)
  return channel
end

local function reserve(self, capacity)
  if capacity <= self._capacity then return end
  self._grow(self, max(capacity, 2 * self._capacity, 256))
end

--- Returns the number of bytes from the position to the end.
function Memory:remaining()
  look(self)
  return self._size - self._at
end
function Memory:position() return self._at end
function Memory:size()
  look(self)
  return self._size
end

--- Moves to a position; returns false if that is outside the contents.
function Memory:seek(position)
  look(self)
  if position < 0 or position > self._size then return false end
  self._at = position
  return true
end

--- Copies up to n bytes to p and advances.
-- @treturn int number of bytes copied
function Memory:read(p, n)
  local from = here(self)
  n = min(n, self._size - self._at)
  if n > 0 then C.mt_memmove(p, from, n) end      -- p may be in the same storage
  self._at = self._at + n
  return n
end

--- Returns the next bytes without advancing: valid until the next call.
-- @treturn cdata `uint8_t *`
-- @treturn int their number, 0 at the end
function Memory:peek()
  local p = here(self)
  return p, self._size - self._at
end

--- Advances over n bytes from peek.
function Memory:skip(n) self._at = self._at + n end

--- Moves back over the last n bytes that were skipped.
function Memory:unread(n) self._at = self._at - n end

-- Returns the address for the next n bytes, the position after them, and the lent memory of a storage.
local function roomFor(self, n)
  look(self)
  reserve(self, self._at + n)
  local to, lent = here(self)
  local stop = self._at + n
  if stop <= self._capacity then return to, stop, lent end
  return roomFor(self, n)
end

--- Copies n bytes from p and advances.
-- @treturn int number of bytes written
function Memory:write(p, n)
  if self._grow == growStorage and type(p) == 'cdata' then p = ffi.string(p, n) end      -- p may be in the storage, which may grow
  local to, stop, lent = roomFor(self, n)
  if n > 0 then copy(to, p, n) end
  if lent and not isLent(lent, self._owner) then return self:write(p, n) end
  if stop > self._size then self._size = stop end      -- first, because a position beyond the size is moved back
  self._at = stop
  return n
end

--- Returns the whole contents as a string.
function Memory:string()
  look(self)
  if self._size == 0 then return '' end
  return ffi.string(self._bytes, self._size)
end

--- Returns a pointer to the first byte of the contents.
function Memory:bytes()
  look(self)
  return self._bytes
end

--- Returns the storage of the channel, cut to the contents and one NUL.
-- @tparam function newStorage creates a CharStorage of n elements
function Memory:storage(newStorage)
  look(self)
  if self._grow ~= growStorage then
    local size = self._size
    local storage = newStorage(size + 1)
    local to = storage:data()
    if size > 0 and size <= self._size then copy(to, self._bytes, size) end
    self._owner, self._grow = storage, growStorage
  else
    self._owner:resize(self._size + 1)
  end
  look(self)
  self._owner[self._size + 1] = 0
  return self._owner
end

function Memory.flush() return true end
function Memory:close() self._owner, self._bytes, self._lent = nil, nil, nil end

return Memory
