--- Numbers as text; reading the text returns the same numbers.
-- @module torch.file.number_text
local ffi = require 'ffi'

local tonumber, tostring, format, floor = tonumber, tostring, string.format, math.floor

local numberText = {}

local singles = ffi.new 'float[1]'

local function writeFloat(value)
  local short = format('%.7g', value)
  singles[0] = tonumber(short)
  return singles[0] == value and short or format('%.9g', value)
end

-- Tries few digits first if the number looks as if they suffice.
local function writeDouble(value)
  local scaled = value * 1e6
  if scaled == floor(scaled) or value > -1e-3 and value < 1e-3 then
    local short = format('%.15g', value)
    if tonumber(short) == value then return short end
  end
  return format('%.17g', value)
end

--- Returns the text of an element.
-- @string kind 'Float', 'Double', 'Long', ...
-- @tparam number|cdata value
function numberText.write(kind, value)
  if value ~= value then return 'nan' end
  if kind == 'Double' then return writeDouble(value) end
  if kind == 'Float' then return writeFloat(value) end
  if type(value) == 'cdata' then return (tostring(value):gsub('U?LL$', '')) end
  return format('%d', value)
end

return numberText
