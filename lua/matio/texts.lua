--- Arrays of characters: rows of UTF-16 units in MATLAB, strings of UTF-8 or tensors of bytes here.
-- @module matio.texts
local ffi = require 'ffi'
local torch = require 'torch'
local utf8 = require 'torch.file.utf8'
local lists = require 'matio.lists'

local texts = {}

local replacement = 0xfffd      -- for half of a pair of surrogates, and codes beyond Unicode

-- Returns the UTF-8 bytes of codes of a list, every step-th from a place on.
local function joined(codes, place, step, count)
  local parts, i = {}, 0
  while i < count do
    local code = codes[place + i * step]
    local low = code >= 0xd800 and code < 0xdc00 and i + 1 < count and codes[place + (i + 1) * step] or 0
    if low >= 0xdc00 and low < 0xe000 then
      code, i = 0x10000 + (code - 0xd800) * 0x400 + low - 0xdc00, i + 1
    elseif code >= 0xd800 and code < 0xe000 or code > 0x10ffff then
      code = replacement
    end
    parts[#parts + 1] = utf8.char(code)
    i = i + 1
  end
  return table.concat(parts)
end

-- Returns rows as a tensor of bytes, in which blanks follow shorter ones.
local function bytesOf(rows)
  local longest = 0
  for _, row in ipairs(rows) do longest = math.max(longest, #row) end
  local x = torch.CharTensor(#rows, longest):fill(32)
  local p = x:data()
  for i, row in ipairs(rows) do ffi.copy(p + (i - 1) * longest, row, #row) end
  return x
end

--- Returns a string for a row of characters, and a list of strings for several; or their bytes as a CharTensor of a row each.
-- @tparam table codes units of UTF-16 or characters, in MATLAB's order
-- @tparam {int,...} sizes further dimensions than two lengthen the rows
-- @bool asStrings
function texts.value(codes, sizes, asStrings)
  local count, rows = lists.count(sizes), {}
  if count > 0 then
    for i = 1, sizes[1] do rows[i] = joined(codes, i, sizes[1], count / sizes[1]) end
  end
  if asStrings then return #rows > 1 and rows or rows[1] or '' end
  return #rows > 0 and bytesOf(rows) or torch.CharTensor(sizes[1], 0)
end

--- Returns the characters of a string of UTF-8; invalid bytes become U+FFFD.
-- @string text
-- @treturn {int,...}
function texts.characters(text)
  local codes, at = {}, 1
  while at <= #text do
    local first = text:byte(at)
    local length = first < 0x80 and 1 or first < 0xe0 and 2 or first < 0xf0 and 3 or 4
    if length > 1 and not utf8.isValid(text:sub(at, at + length - 1)) then length, first = 1, replacement end
    local code = length == 1 and first or first % 2 ^ (7 - length)
    for i = at + 1, at + length - 1 do code = code * 64 + text:byte(i) % 64 end
    codes[#codes + 1], at = code, at + length
  end
  return codes
end

--- Returns the units of UTF-16 of a string; its bytes, if it isn't UTF-8.
-- @string text
-- @treturn {int,...}
-- @treturn bool whether it is UTF-8 and each unit a character
function texts.units(text)
  if not utf8.isValid(text) then
    local bytes = {}
    for i = 1, #text do bytes[i] = text:byte(i) end
    return bytes, false
  end
  local units, areCharacters = {}, true
  for _, code in ipairs(texts.characters(text)) do
    if code < 0x10000 then
      units[#units + 1] = code
    else
      units[#units + 1] = 0xd800 + math.floor((code - 0x10000) / 0x400)
      units[#units + 1] = 0xdc00 + code % 0x400
      areCharacters = false
    end
  end
  return units, areCharacters
end

return texts
