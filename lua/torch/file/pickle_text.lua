--- Texts in Python's notations, as pickles of protocol 0 have them.
-- @module torch.file.pickle_text
local utf8 = require 'torch.file.utf8'

local text = { numbers = { inf = math.huge, ['-inf'] = -math.huge, nan = 0 / 0, ['-nan'] = 0 / 0 } }

local escapes = { n = '\n', t = '\t', r = '\r', a = '\a', b = '\b', f = '\f', v = '\v', ['\\'] = '\\', ["'"] = "'", ['"'] = '"' }

--- Returns the bytes of a string in quotes, as `repr` writes it; nil if it is none.
-- @string line
function text.literal(line)
  local _, inside = line:match '^(["\'])(.*)%1$'
  return inside and (inside:gsub('\\(.)(%x?%x?)', function(kind, digits)
    if kind == 'x' and #digits == 2 then return string.char(tonumber(digits, 16)) end
    return escapes[kind] and escapes[kind] .. digits or nil
  end))
end

--- Returns the UTF-8 bytes of a string in Python's raw-unicode-escape: bytes are Latin-1, \uXXXX and \UXXXXXXXX any characters.
-- @string line
function text.rawUnicode(line)
  line = line:gsub('[\128-\255]', function(c) return utf8.char(c:byte()) end)
  local function character(digits)
    local code = tonumber(digits, 16)
    return code < 0x110000 and utf8.char(code) or nil
  end
  return (line:gsub('\\u(%x%x%x%x)', character):gsub('\\U(%x%x%x%x%x%x%x%x)', character))
end

--- Returns the bytes of a text whose characters are below 256, as Python's `encode('latin1')`; nil if it has others.
-- @string s UTF-8
function text.latin1(s)
  local other = false
  local bytes = s:gsub('[\192-\255][\128-\191]*', function(c)
    local a, b = c:byte(1, 2)
    if #c == 2 and a <= 195 then return string.char((a - 192) * 64 + b - 128) end
    other = true
  end)
  return not other and bytes or nil
end

return text
