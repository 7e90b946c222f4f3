--- Characters as UTF-8.
-- @module torch.file.utf8
local char, floor = string.char, math.floor

local utf8 = {}

--- Returns the UTF-8 bytes of a character.
-- @int code below 0x110000
-- @treturn string
function utf8.char(code)
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xc0 + floor(code / 64), 0x80 + code % 64) end
  if code < 0x10000 then return char(0xe0 + floor(code / 4096), 0x80 + floor(code / 64) % 64, 0x80 + code % 64) end
  return char(0xf0 + floor(code / 262144), 0x80 + floor(code / 4096) % 64, 0x80 + floor(code / 64) % 64, 0x80 + code % 64)
end

-- Well-formed sequences of two and more bytes (The Unicode Standard, table 3-7).
local sequences = {
  '[\194-\223][\128-\191]', '\224[\160-\191][\128-\191]', '[\225-\236\238\239][\128-\191][\128-\191]', '\237[\128-\159][\128-\191]',
  '\240[\144-\191][\128-\191][\128-\191]', '[\241-\243][\128-\191][\128-\191][\128-\191]', '\244[\128-\143][\128-\191][\128-\191]',
}

--- Returns whether a string is UTF-8.
-- @string text
function utf8.isValid(text)
  local at = text:find '[\128-\255]'
  while at do
    local stop
    for _, pattern in ipairs(sequences) do
      _, stop = text:find('^' .. pattern, at)
      if stop then break end
    end
    if not stop then return false end
    at = text:find('[\128-\255]', stop + 1)
  end
  return true
end

return utf8
