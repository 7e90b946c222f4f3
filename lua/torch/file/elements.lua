--- Methods of files that read and write numbers: a single one, or the elements of a storage.
-- @module torch.file.elements
local torch = require 'torch'
local ffi = require 'ffi'
local C = require 'libmoontorch'
local canonical = require 'torch.index.canonical'
local check, class = require 'torch.check', require 'torch.class'
local access, kinds = require 'torch.file.access', require 'torch.file.kinds'
local ascii = require 'torch.file.ascii'

local forReading, forWriting, shortRead = access.forReading, access.forWriting, access.shortRead
local readElements, writeElements = access.readElements, access.writeElements
local lend, onHost, release = C.lend, C.onHost, C.releaseStorage
local floor, min, max, type, cast = math.floor, math.min, math.max, type, ffi.cast
local exactIntegers = 9007199254740992LL      -- doubles hold all integers up to 2^53

local File = {}

-- Resizes a storage for the next n elements of the file, or for as many as there are, and reads them. The allocation is limited by the size
-- of the file, or, if that is unknown, by the bytes read so far.
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
      local lent = lend(onHost(what))
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

-- Half-precision numbers are stored as bits in binary files and as text in ascii files.
local function asFloats(self, kind) return kind.viaFloat and self._encoding == ascii end

-- A complex number is a pair of numbers in ascii files.
local function asPairs(self, kind) return kind.parts == 2 and self._encoding == ascii end
local function partsOf(kindName) return kindName:match '^Complex(.*)$' end

--- Reads n elements into a storage and resizes it to n; for classes with a custom read.
-- @string kindName 'Float', 'Half', ...
-- @tparam torch.Storage storage
-- @int n elements
function File:_readStorage(kindName, storage, n)
  forReading(self)
  local kind = kinds[kindName]
  if asPairs(self, kind) then
    local part = partsOf(kindName)
    local numbers = readStorage(self, kinds[part], torch[part .. 'Storage'](), 2 * n)
    if n > 0 then
      local pairs = torch[part .. 'Tensor'](numbers, 1, torch.LongStorage { n, 2 })
      torch[kindName .. 'Tensor'](storage:resize(n)):copy(torch.viewAsComplex(pairs))
    end
    return storage
  end
  if not asFloats(self, kind) then return readStorage(self, kind, storage, n) end
  local floats = readStorage(self, kinds.Float, torch.FloatStorage(), n)
  return storage:resize(n):copy(floats)
end

--- Writes the elements of a storage; for classes with a custom write.
function File:_writeStorage(kindName, storage)
  forWriting(self)
  local kind = kinds[kindName]
  if asFloats(self, kind) then kind, storage = kinds.Float, torch.FloatStorage(#storage):copy(storage) end
  if asPairs(self, kind) then
    local part = partsOf(kindName)
    local numbers = torch.clone(torch.viewAsReal(torch[kindName .. 'Tensor'](storage)))
    kind, storage = kinds[part], numbers:storage() or torch[part .. 'Storage']()
  end
  local lent = lend(onHost(storage))
  local count = writeElements(self, kind, cast(kind.pointer, lent:data()), lent:size())
  release(lent)
  return count
end

--- Returns whether the rest of the file may contain n elements of a kind.
function File:_fits(kindName, n)
  return n <= self._encoding.most(self, kinds[kindName], self._channel:remaining())
end

return File
