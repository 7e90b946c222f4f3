--- torch.File: what disk and memory files share: numbers, storages, text, objects, encoding and error state.
-- A file is a table class over a channel of bytes (`memory_channel`, `disk_channel`) and an encoding (`binary`, `ascii`).
-- @classmod torch.File
local ffi = require 'ffi'
local C = require 'libmoontorch'
local canonical = require 'torch.canonical'
local check, class = require 'torch.check', require 'torch.class'
local kinds = require 'torch.file.kinds'
local damage = require 'torch.file.damage'
local handle = require 'torch.file.handle'
local trust = require 'torch.file.trust'
local encodings = { binary = require 'torch.file.binary', ascii = require 'torch.file.ascii' }
local writer = require 'torch.file.object_writer'
local reader = require 'torch.file.object_reader'

local lend, release = C.lend, C.releaseStorage
local floor, min, max, type, cast = math.floor, math.min, math.max, type, ffi.cast
local bytePtr = ffi.typeof 'uint8_t *'
local exactIntegers = 9007199254740992LL      -- doubles hold all integers up to 2^53

--- Puts class torch.File into torch and returns the methods of its states.
return function(torch)
  local metatable = class.newmetatable('torch.File', nil, nil, nil, nil, torch)
  local File = {}
  File.__index = File

  --- The state of a new file.
  -- @tparam table channel of bytes
  -- @string name for messages
  -- @string mode 'r', 'w' or 'rw'
  -- @tparam[opt] table class_ the metatable of the file's class
  function File:_new(channel, name, mode, class_)
    self = setmetatable({ _isFile = true, _class = class_ or metatable, _channel = channel, _name = name }, self)
    self._readable, self._writable = mode:find('r', 1, true) ~= nil, mode:find('w', 1, true) ~= nil
    self._encoding = encodings.ascii
    self._autoSpacing, self._referenced, self._quiet, self._failed = true, true, false, false
    self._longSize, self._swapped, self._functions = 8, false, trust.functions
    self._written, self._read = writer.newState(), reader.newState()
    return self
  end

  local function open(self)
    if not self._channel then error('attempt to use a closed file', 4) end
    return self._channel
  end

  local function forReading(self)
    if not self._channel then error('attempt to use a closed file', 4) end
    if not self._readable then error('attempt to read in a write-only file', 4) end
    return self._channel
  end

  local function forWriting(self)
    if not self._channel then error('attempt to use a closed file', 4) end
    if not self._writable then error('attempt to write in a read-only file', 4) end
    return self._channel
  end

  -- An error that a quiet file only remembers. `depth` functions are between the method and this one: the error is its caller's.
  local function fail(self, message, depth)
    self._failed = true
    if not self._quiet then error(message, 4 + (depth or 0)) end
  end

  -- Fewer elements than wanted: damage while an object is read, else an error of the file.
  local function shortRead(self, kind, at, n, count, found)
    if self._loading then
      local expected = n == 1 and kind.phrase or n .. ' ' .. kind.name:lower() .. 's'
      damage.raise(at + 1, expected, found or count == 0 and 'the end of the file' or 'only ' .. count)
    end
    fail(self, ('read error: read %d blocks instead of %d'):format(count, n), 2)
  end

  local function readElements(self, kind, p, n)
    local at = self._channel:position()
    local count, found = self._encoding.read(self, kind, p, n)
    if count < n then shortRead(self, kind, at, n, count, found) end
    return count
  end

  local function writeElements(self, kind, p, n)
    local count, message = self._encoding.write(self, kind, p, n)
    if count == n and self._unbuffered then
      local good, problem = self._channel:flush()
      if not good then count, message = 0, problem end
    end
    if count < n then fail(self, ('write error: wrote %d blocks instead of %d: %s'):format(count, n, message), 1) end
    return count
  end

  -- Resizes a storage to the file's next n elements, or as many as there are, and reads them. What is allocated is bounded by what
  -- the file can hold, or, where its length is unknown, by what it has given so far.
  local function readStorage(self, kind, storage, n)
    local at, done, found = self._channel:position(), 0, nil
    while done < n do
      local left = self._channel:remaining()
      local step = left < math.huge and self._encoding.most(self, kind, left) or max(done, 65536)
      step = min(step, n - done)
      storage:resize(done + step)
      if step == 0 then break end
      local count
      local lent = lend(storage)
      count, found = self._encoding.read(self, kind, cast(kind.pointer, lent:data()) + done, step)
      release(lent)
      done = done + count
      if count < step then break end
    end
    if done < n then
      storage:resize(done)
      shortRead(self, kind, at, n, done, found)
    end
    return storage
  end

  local function luaNumber(value)
    if type(value) ~= 'cdata' then return value end
    if value >= -exactIntegers and value <= exactIntegers then return tonumber(value) end
    return value
  end

  local function countOf(name, n)
    local count = tonumber(n)
    if not count or not (count >= 0 and count < 2 ^ 53) then
      error(('%s: n: %s, expected a number of elements or a storage'):format(name, type(n) == 'number' and n or class.type(n)), 4)
    end
    return floor(count)
  end

  local function defineReader(kind)
    local name = 'read' .. kind.name
    local cell, readFloat = kind.cell(), canonical[kind.name]
    File[name] = function(self, what)
      forReading(self)
      if what == nil then
        cell[0] = 0
        readElements(self, kind, cell, 1)
        if readFloat then return readFloat(cell, 0) end
        return luaNumber(cell[0])
      elseif class.type(what) == kind.storage then
        local lent = lend(what)
        local count = readElements(self, kind, cast(kind.pointer, lent:data()), lent:size())
        release(lent)
        return count
      end
      local n = countOf(name, what)
      return (readStorage(self, kind, torch[kind.name .. 'Storage'](), n))
    end
  end

  local function defineWriter(kind)
    local name = 'write' .. kind.name
    local cell = kind.cell()
    File[name] = function(self, what)
      forWriting(self)
      if class.type(what) == kind.storage then
        local lent = lend(what)
        local count = writeElements(self, kind, cast(kind.pointer, lent:data()), lent:size())
        release(lent)
        return count
      end
      local value = type(what) == 'cdata' and what or tonumber(what)
      if not value then error(('%s: value: %s, expected a number or a %s'):format(name, class.type(what), kind.storage), 3) end
      cell[0] = value
      return (writeElements(self, kind, cell, 1))
    end
  end

  for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double' } do
    defineReader(kinds[name])
    defineWriter(kinds[name])
  end

  --- Reads a boolean, which is stored as an int.
  function File:readBool() return check.call(self.readInt, self) == 1 end

  --- Writes a boolean as int 1 or 0.
  function File:writeBool(value) return self:writeInt(value and 1 or 0) end

  -- Half precision is bits in binary files and numbers in ascii ones.
  local function asFloats(self, kind) return kind.viaFloat and self._encoding == encodings.ascii end

  --- Reads n elements into a storage, which becomes n long; for classes that read themselves.
  -- @string kindName 'Float', 'Half', ...
  -- @tparam torch.Storage storage
  -- @int n elements
  function File:_readStorage(kindName, storage, n)
    forReading(self)
    local kind = kinds[kindName]
    if not asFloats(self, kind) then return readStorage(self, kind, storage, n) end
    local floats = readStorage(self, kinds.Float, torch.FloatStorage(), n)
    return storage:resize(n):copy(floats)
  end

  --- Writes the elements of a storage; for classes that write themselves.
  function File:_writeStorage(kindName, storage)
    forWriting(self)
    local kind = kinds[kindName]
    if asFloats(self, kind) then kind, storage = kinds.Float, torch.FloatStorage(#storage):copy(storage) end
    local lent = lend(storage)
    local count = writeElements(self, kind, cast(kind.pointer, lent:data()), lent:size())
    release(lent)
    return count
  end

  --- Writes the characters of a string as an array of chars.
  function File:_writeText(text) writeElements(self, kinds.Char, cast(kinds.Char.constPointer, text), #text) end

  --- Reads an array of n chars as a string.
  function File:_readText(n)
    local at = self._channel:position()
    local text = self:_readBytes(n)
    if #text < n then shortRead(self, kinds.Char, at, n, #text) end
    if n > 0 then self._encoding.finish(self) end
    return text
  end

  --- Reads n bytes, or as many as there are, as a string.
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

  --- Whether n more elements of a kind can be in the rest of the file.
  function File:_fits(kindName, n)
    return n <= self._encoding.most(self, kinds[kindName], self._channel:remaining())
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
            if p[i] == 10 then
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

  --- Writes an object: any nesting of tables, strings, numbers, booleans, functions and torch objects.
  -- @param object what to write
  -- @string[opt='<?>'] debugname how messages call the object
  -- @tparam[opt] function hook maps each object before it is written
  function File:writeObject(object, debugname, hook)
    forWriting(self)
    writer.write(self, object, debugname, hook)
    return self
  end

  --- Reads an object.
  function File:readObject()
    forReading(self)
    return reader.readOrFail(self)
  end

  --- The type tag that an object would get in a file, or nil if it cannot be written.
  function metatable.isWritableObject(_, object) return writer.tagOf(object) end

  --- Whether functions in this file may be loaded: they are code of whoever wrote it.
  function File:allowFunctions(allowed)
    self._functions = allowed
    return self
  end

  --- Whether an object met twice is written once (the default).
  function File:referenced(flag)
    open(self)
    self._referenced = flag
    return self
  end

  --- Whether an object met twice is written once.
  function File:isReferenced() return self._referenced end

  --- Whether modules leave out what forward and backward make again, as torch.save has it (false in other files).
  function File:lean(flag)
    open(self)
    self._lean = flag
    return self
  end

  --- Whether modules leave out what forward makes again.
  function File:isLean() return self._lean or false end

  --- Numbers as raw bytes from now on.
  function File:binary()
    self._encoding = encodings.binary
    return self
  end

  --- Numbers as text from now on (the default).
  function File:ascii()
    self._encoding = encodings.ascii
    return self
  end

  --- Separators between numbers in ascii (the default).
  function File:autoSpacing()
    self._autoSpacing = true
    return self
  end

  --- No separators in ascii.
  function File:noAutoSpacing()
    self._autoSpacing = false
    return self
  end

  --- Errors are remembered (`hasError`), not raised.
  function File:quiet()
    self._quiet = true
    return self
  end

  --- Errors are raised (the default).
  function File:pedantic()
    self._quiet = false
    return self
  end

  --- Forgets that an error happened.
  function File:clearError()
    self._failed = false
    return self
  end

  --- Whether an error happened since the last clearError.
  function File:hasError() return self._failed end

  --- Whether errors are remembered, not raised.
  function File:isQuiet() return self._quiet end

  --- Whether the file was opened for reading.
  function File:isReadable() return self._readable end

  --- Whether the file was opened for writing.
  function File:isWritable() return self._writable end

  --- Whether numbers are raw bytes.
  function File:isBinary() return self._encoding == encodings.binary end

  --- Whether ascii numbers are separated.
  function File:isAutoSpacing() return self._autoSpacing end

  --- Whether the file has not been closed yet.
  function File:isOpened() return self._channel ~= false and self._channel ~= nil end

  --- Moves to a byte, counted from 1.
  function File:seek(position)
    local channel = open(self)
    local place = tonumber(position)
    if not place or place ~= place or place < 1 then error('position has to be greater than 0!', 3) end
    if place >= 2 ^ 53 or not channel:seek(floor(place) - 1) then fail(self, 'unable to seek to position ' .. place) end
    return self
  end

  --- Moves behind the last byte.
  function File:seekEnd()
    local channel = open(self)
    if not channel:seek(channel:size()) then fail(self, 'unable to seek to the end of file') end
    return self
  end

  --- The present position, counted from 1.
  function File:position() return open(self):position() + 1 end

  --- Hands buffered bytes to the system.
  function File:synchronize()
    local good, message = open(self):flush()
    if not good then fail(self, 'write error: ' .. message) end
    return self
  end

  --- Closes the file; any later use is an error.
  function File:close()
    local channel = open(self)
    self._channel = false
    self._written, self._read = nil, nil
    local good, message = channel:close()
    if good == nil and message then fail(self, 'write error: ' .. message) end
    return self
  end

  --- Bytes of a long on disk: 4, 8, or 0 for the native 8.
  function File:longSize(size)
    size = tonumber(size) or size
    if size ~= 0 and size ~= 4 and size ~= 8 then error('Invalid long size specified: ' .. tostring(size) .. ', expected 0, 4 or 8', 3) end
    self._longSize = size == 0 and 8 or size
    return self
  end

  handle.publish(metatable, File)
  return File
end
