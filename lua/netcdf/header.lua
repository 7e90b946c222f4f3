--- The header of a classic netCDF file (versions 1, 2 and 5): dimensions, attributes, and where the variables are.
-- Format: Unidata, "The NetCDF Classic Format Specification", and "CDF-5" of PnetCDF. The reader is our own: the format is an index of a
-- few tables before plain numbers, so that the file can be mapped and each length checked.
-- @module netcdf.header
local damage = require 'torch.file.damage'
local raw = require 'torch.file.raw_elements'

local header = {}

local dimensionTag, variableTag, attributeTag = 10, 11, 12
local mostDimensions = 1024      -- of a variable, as in Unidata's library
local unknownRecords = 2 ^ 32 - 1

--- The types of elements, by number; 2 is characters.
header.types = {
  raw.types.I8, raw.types.U8, raw.types.I16, raw.types.I32, raw.types.F32, raw.types.F64, raw.types.U8, raw.types.U16, raw.types.U32,
  raw.types.I64, raw.types.U64,
}
header.char = 2

local Reader = {}
Reader.__index = Reader

-- Moves over n bytes; returns the offset of the first.
function Reader:take(n, what)
  local at = self.at
  if n > self.block.size - at then
    damage.raise(at + 1, ('%s of %.0f bytes'):format(what, n), ('%.0f bytes to the end of the file'):format(self.block.size - at))
  end
  self.at = at + n
  return at
end

function Reader:word(what) return self.block:word(self:take(4, what)) end

-- Reads a size, a count or an index: 8 bytes in version 5.
function Reader:count(what)
  local at = self.at
  local value = self.version == 5 and self.block:long(self:take(8, what)) or self:word(what)
  if value > 2 ^ 53 then damage.raise(at + 1, what .. ' up to 2^53', ('%.0f'):format(value)) end
  return value
end

-- Reads the number of entries, each of `least` bytes or more.
function Reader:entries(what, least)
  local at, n = self.at, self:count(what)
  if n * least > self.block.size - self.at then
    damage.raise(at + 1, ('%s that the file has room for'):format(what), ('%.0f'):format(n))
  end
  return n
end

function Reader:text(what)
  local n = self:entries('the length of ' .. what, 1)
  local at = self:take(n, what)
  self:take(-n % 4, 'padding')
  return self.block:text(at, n)
end

-- Reads a list of entries after its tag; an absent one has the tag 0.
function Reader:list(tag, what, least, read)
  local at, found = self.at, self:word('the list of ' .. what)
  local n, list = self:entries('the number of ' .. what, least), {}
  if found ~= tag and (found ~= 0 or n ~= 0) then
    damage.raise(at + 1, ('the list of %s (%d)'):format(what, tag), ('%.0f'):format(found))
  end
  for i = 1, n do list[i] = read(self, i) end
  return list
end

function Reader:type(what)
  local at, number = self.at, self:word(what)
  local type = header.types[number]
  if not type or number > 6 and self.version ~= 5 then
    damage.raise(at + 1, ('a type from 1 to %d'):format(self.version == 5 and 11 or 6), ('%.0f'):format(number))
  end
  return type, number
end

local function readAttribute(self)
  local name = self:text "an attribute's name"
  local type, number = self:type "an attribute's type"
  local n = self:entries("an attribute's length", type.size)
  local at = self:take(n * type.size, 'an attribute')
  self:take(-(n * type.size) % 4, 'padding')
  if number == header.char then return { name = name, value = (self.block:text(at, n):gsub('%z+$', '')) } end
  local x = self.block:copied(type, at, n)
  return { name = name, value = n == 1 and x[1] or x }
end

local function readAttributes(self) return self:list(attributeTag, 'attributes', 12, readAttribute) end

local function readDimension(self)
  local name = self:text "a dimension's name"
  local size = self:count "a dimension's size"
  return { name = name, size = size, isUnlimited = size == 0 }
end

local function readVariable(self, dimensions)
  local variable = { name = self:text "a variable's name", dimensions = {} }
  local at, rank = self.at, self:entries('the number of dimensions', 4)
  if rank > mostDimensions then damage.raise(at + 1, ('at most %d dimensions'):format(mostDimensions), ('%.0f'):format(rank)) end
  for i = 1, rank do
    local place, index = self.at, self:count 'the number of a dimension'
    local dimension = dimensions[index + 1]
    if not dimension then damage.raise(place + 1, ('a dimension from 0 to %d'):format(#dimensions - 1), ('%.0f'):format(index)) end
    if dimension.isUnlimited and i > 1 then damage.raise(place + 1, 'the unlimited dimension first', ('as number %d'):format(i)) end
    variable.dimensions[i] = dimension
  end
  variable.attributes = readAttributes(self)
  variable.type, variable.number = self:type "a variable's type"
  self:count "a variable's bytes"      -- redundant, and wrong for large ones
  local here = self.at
  variable.begin = self.version == 1 and self:word "a variable's place" or self.block:long(self:take(8, "a variable's place"))
  if variable.begin > 2 ^ 53 then damage.raise(here + 1, "a variable's place up to 2^53", ('%.0f'):format(variable.begin)) end
  return variable
end

-- Computes the bytes of a record of each variable and of all, and the number of records.
local function setRecords(file, records, size)
  local first, total, list = math.huge, 0, {}
  for _, variable in ipairs(file.variables) do
    variable.count = 1      -- elements, without records
    local room = 1
    for _, dimension in ipairs(variable.dimensions) do
      if not dimension.isUnlimited then variable.count = variable.count * dimension.size end
      room = room * math.max(dimension.size, 1)
    end
    if room > 2 ^ 53 then damage.raise(5, 'at most 2^53 elements of ' .. variable.name, ('%g'):format(room)) end
    variable.bytes = variable.count * variable.type.size
    variable.isRecord = variable.dimensions[1] ~= nil and variable.dimensions[1].isUnlimited
    if variable.isRecord then
      list[#list + 1], first = variable, math.min(first, variable.begin)
      total = total + variable.bytes + -variable.bytes % 4
    end
  end
  if #list == 1 then total = list[1].bytes end      -- then records have no padding
  file.recordBytes = total
  if records == unknownRecords then records = total > 0 and math.max(0, math.floor((size - first) / total)) or 0 end
  for _, dimension in ipairs(file.dimensions) do
    if dimension.isUnlimited then dimension.size = records end
  end
end

--- Reads a header.
-- @tparam table block (`torch.file.block`) big-endian numbers
-- @treturn table `version`, `dimensions` (lists of `name`, `size`, `isUnlimited`), `attributes` (of `name`, `value`), `variables` (of
-- `name`, `dimensions`, `attributes`, `type`, `number`, `begin`, `count`, `bytes`, `isRecord`), `recordBytes`
function header.read(block)
  local self = setmetatable({ block = block, at = 4 }, Reader)
  local version = block.size >= 4 and block:text(0, 3) == 'CDF' and block:text(3, 1):byte()
  if version ~= 1 and version ~= 2 and version ~= 5 then
    damage.raise(1, 'the bytes CDF and 1, 2 or 5', ('%q'):format(block:text(0, math.min(4, block.size))))
  end
  self.version = version
  local records = self:count 'the number of records'
  local file = { version = version, dimensions = self:list(dimensionTag, 'dimensions', 8, readDimension) }
  file.attributes = readAttributes(self)
  file.variables = self:list(variableTag, 'variables', 28, function() return readVariable(self, file.dimensions) end)
  setRecords(file, records, block.size)
  return file
end

return header
