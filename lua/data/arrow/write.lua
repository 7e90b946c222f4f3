--- Columns of data frames as descriptions of Arrow's structures: {format, name, flags, length, nulls, buffers, children, dictionary}.
-- @module data.arrow.write
local torch = require 'torch'
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local structures = require 'data.arrow.structures'

local widest = 2 ^ 31 - 1      -- bytes of texts with offsets of 32 bits

-- Bits for the elements of a BoolTensor that are equal to `value`, the first one lowest, and their number.
local function bitsOf(x, value)
  local n = x:nElement()
  local bits, count = torch.ByteTensor(math.max(math.ceil(n / 8), 1)):zero(), 0
  x = x:byte():contiguous()
  local from, to = x:data(), bits:data()
  for i = 0, n - 1 do
    if from[i] == value then
      local at = bit.rshift(i, 3)
      to[at] = bit.bor(to[at], bit.lshift(1, bit.band(i, 7)))
      count = count + 1
    end
  end
  return bits, count
end

-- The bits of the values that are there, false if all are; and the number of those that are missing.
local function validity(c)
  if not column.anyMissing(c) then return false, 0 end
  local mask = column.missing(c)
  local bits, count = bitsOf(mask, 0)
  return bits, mask:nElement() - count
end

local function description(format, name, c, buffers, dictionary, flags)
  local valid, nulls = validity(c)
  table.insert(buffers, 1, valid)
  return { format, name, structures.nullable + (flags or 0), column.count(c), nulls, buffers, {}, dictionary or false }
end

local function texts(name, c)
  local list, total = c.values, 0
  for i = 1, #list do total = total + #list[i] end
  local isWide = total > widest
  local offsets = (isWide and torch.LongTensor or torch.IntTensor)(#list + 1)
  local bytes = torch.ByteTensor(math.max(total, 1))
  local o, p, at = offsets:data(), bytes:data(), 0
  o[0] = 0
  for i = 1, #list do
    ffi.copy(p + at, list[i], #list[i])
    at = at + #list[i]
    o[i] = at
  end
  return description(isWide and 'U' or 'u', name, c, { offsets, bytes })
end

local function categories(name, c)
  local places = (column.codes(c) - 1):maskedFill(column.missing(c), 0):contiguous()
  return description('i', name, c, { places }, texts('', { type = 'text', values = c.categories }), c.ordered and structures.ordered or 0)
end

local function dates(where, name, c, timezone)
  local seconds = c.values:double():contiguous()
  local micros = torch.LongTensor(math.max(seconds:nElement(), 1)):zero()
  local from, to = seconds:data(), micros:data()
  for i = 0, seconds:nElement() - 1 do
    local x = from[i]
    if x == x then
      check.that(math.abs(x) < 9.2e12, ('%s: %s[%d]: %g seconds, expected at most 9.2e12'):format(where, name, i + 1, x))
      to[i] = math.floor(x * 1e6 + 0.5)
    end
  end
  return description('tsu:' .. timezone, name, c, { micros })
end

local function described(where, name, c, timezone)
  check.that(not name:find '%z', ('%s: %q: a name with a zero byte, expected one without'):format(where, name))
  if c.type == 'text' then return texts(name, c) end
  if c.type == 'category' then return categories(name, c) end
  if c.type == 'date' then return dates(where, name, c, timezone) end
  if c.type == 'torch.BoolTensor' then return description('b', name, c, { (bitsOf(c.values, 1)) }) end
  local values = c.values
  check.that(not C.tracked(values), ('%s: %s: it requires a gradient, expected a column that does not'):format(where, name))
  if c.type == 'torch.BFloat16Tensor' then values = values:float() end
  local format = structures.formatOf[C.dtypeOf(values)]
  check.that(format, ('%s: %s: a column of %s, expected a type that Arrow has'):format(where, name, c.type))
  return description(format, name, c, { C.onHost(values):contiguous() })
end

--- Describes a frame as an array of structs.
-- @string where the start of messages
-- @tparam data.Frame frame
-- @string timezone of dates, '' for none
-- @treturn table
return function(where, frame, timezone)
  local children = {}
  for i, name in ipairs(frame.names) do children[i] = described(where, name, frame:_record(name), timezone) end
  return { '+s', '', 0, frame:size(), 0, { false }, children, false }
end
