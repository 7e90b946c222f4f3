--- Numbers as text: read from bytes without making a Lua string of them, and written so that they come back the same.
-- @module torch.file.number_text
local ffi = require 'ffi'
require 'torch.file.libc'

local C, tonumber, tostring, format, floor = ffi.C, tonumber, tostring, string.format, math.floor
local zero, nine, plus, minus, dot, space, x, X = 48, 57, 43, 45, 46, 32, 120, 88
local exactDigits = 15       -- doubles hold all integers of so many
local scratchSize = 64

local numberText = {}

local scratch, rest = ffi.new('char[?]', scratchSize), ffi.new 'char *[1]'
local usesPoint = C.mt_strtod('1.5', nil) == 1.5      -- a host may have set a locale with another decimal point
local words = { nan = 0 / 0, inf = math.huge, infinity = math.huge }

-- What is rare: words, long numbers, a locale.
local function readSlowly(text)
  if text:find '^[+-]?%.?%d[%d.]*$' or text:find '^[+-]?%.?%d[%d.]*[eE][+-]?%d+$' then return tonumber((text:gsub('^%+', ''))) end
  local sign, word = text:match '^([+-]?)(%a+)$'
  local value = word and words[word:lower()]
  return value and (sign == '-' and -value or value)
end

--- The number in bytes i to stop - 1, with blanks around it; decimal, or inf or nan.
-- @tparam cdata p `uint8_t *`
-- @int i
-- @int stop
-- @treturn ?number nil if there is none
function numberText.read(p, i, stop)
  while i < stop and p[i] == space do i = i + 1 end
  while stop > i and p[stop - 1] == space do stop = stop - 1 end
  local n = stop - i
  if n < 1 then return nil end
  local first = (p[i] == minus or p[i] == plus) and i + 1 or i
  -- C's strtod gets decimal numbers only: from words it can make NaNs with bits that LuaJIT takes for something else.
  local isDecimal = first < stop and (p[first] >= zero and p[first] <= nine or p[first] == dot)
  if not isDecimal or n >= scratchSize or not usesPoint then return readSlowly(ffi.string(p + i, n)) end
  if first + 1 < stop and (p[first + 1] == x or p[first + 1] == X) then return nil end
  ffi.copy(scratch, p + i, n)
  scratch[n] = 0
  local value = C.mt_strtod(scratch, rest)
  if rest[0] ~= scratch + n then return nil end
  return value
end

--- The integer in bytes i to stop - 1: a number up to 15 digits, else an exact int64_t.
-- @treturn ?number|cdata nil if there is none, or none of 64 bits
function numberText.readInteger(p, i, stop)
  while i < stop and p[i] == space do i = i + 1 end
  while stop > i and p[stop - 1] == space do stop = stop - 1 end
  if stop - i <= exactDigits then
    local value = numberText.read(p, i, stop)
    return value and value == floor(value) and value - value == 0 and value or nil
  end
  local text = ffi.string(p + i, stop - i)
  local sign, figures = text:match '^([+-]?)0*(%d+)$'
  if not sign then return nil end
  local value = C.mt_strtoll((sign == '-' and '-' or '') .. figures, nil, 10)
  local same = tostring(value):gsub('LL$', '') == (sign == '-' and figures ~= '0' and '-' or '') .. figures
  return same and value or nil
end

local singles = ffi.new 'float[1]'

local function writeFloat(value)
  local short = format('%.7g', value)
  singles[0] = tonumber(short)
  return singles[0] == value and short or format('%.9g', value)
end

-- Few digits where the number looks as if few would do.
local function writeDouble(value)
  local scaled = value * 1e6
  if scaled == floor(scaled) or value > -1e-3 and value < 1e-3 then
    local short = format('%.15g', value)
    if tonumber(short) == value then return short end
  end
  return format('%.17g', value)
end

--- Text of an element.
-- @string kind 'Float', 'Double', 'Long', ...
-- @tparam number|cdata value
function numberText.write(kind, value)
  if value ~= value then return 'nan' end
  if kind == 'Double' then return writeDouble(value) end
  if kind == 'Float' then return writeFloat(value) end
  if type(value) == 'cdata' then return (tostring(value):gsub('LL$', '')) end
  return format('%d', value)
end

return numberText
