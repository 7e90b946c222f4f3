--- GPT-2's characters for bytes: visible Latin-1 characters mean themselves, the other bytes have characters from U+0100 on.
-- So tokens of any bytes are text in UTF-8 without blanks. Source: bytes_to_unicode in encoder.py of openai/gpt-2.
-- @module text.byte_level
local utf8 = require 'torch.file.utf8'

local byteLevel = {}

local characters, meanings = {}, {}
local nextCode = 0x100
for byte = 0, 255 do
  local visible = byte >= 33 and byte <= 126 or byte >= 161 and byte <= 172 or byte >= 174
  local character = utf8.char(visible and byte or nextCode)
  if not visible then nextCode = nextCode + 1 end
  characters[string.char(byte)], meanings[character] = character, string.char(byte)
end

--- Returns the characters of bytes.
function byteLevel.encode(bytes) return (bytes:gsub('.', characters):gsub('%z', characters)) end

--- Returns the bytes of characters; a text with other characters is returned as it is.
function byteLevel.decode(text)
  local parts, count = {}, 0
  for character in text:gmatch '[%z\1-\127\194-\244][\128-\191]*' do
    count = count + 1
    parts[count] = meanings[character]
    if not parts[count] then return text end
  end
  return table.concat(parts)
end

--- Returns the 256 characters, in the order of the bytes.
function byteLevel.alphabet()
  local list = {}
  for byte = 0, 255 do list[byte + 1] = characters[string.char(byte)] end
  return list
end

return byteLevel
