--- Splits Lua text into tokens, for code that analyses a program without running it.
-- @module torch.start.tokens
local tokens = {}

-- The end of the string that begins at i; nil if it is open.
local function stringEnd(text, i)
  local level = text:match('^%[(=*)%[', i)
  if level then return select(2, text:find(']' .. level .. ']', i, true)) end
  local quote, at = text:sub(i, i), i + 1
  while at <= #text do
    local c = text:sub(at, at)
    if c == quote then return at end
    at = at + (c == '\\' and 2 or 1)
  end
end

-- The kind and the end of the token at i; no end for open strings and comments.
local function tokenAt(text, i)
  if text:find('^%s', i) then return 'blank', select(2, text:find('^%s+', i)) end
  if text:find('^%-%-%[=*%[', i) then return 'blank', stringEnd(text, i + 2) end
  if text:find('^%-%-', i) then return 'blank', (text:find('\n', i, true)) end
  if text:find('^["\']', i) or text:find('^%[=*%[', i) then return 'string', stringEnd(text, i) end
  local word = text:match('^[%a_\128-\255][%w_\128-\255]*()', i)
  if word then return 'word', word - 1 end
  local number = text:match('^%.?%d[%w.]*()', i)
  if number then return 'number', number - 1 end
  return 'symbol', i
end

--- The tokens of a text, without blanks and comments.
-- @string text
-- @treturn {table,...} each with its `kind` (word, number, string or symbol), its `text`, its position (`at`), and `open` for a last
-- string without an end
function tokens.of(text)
  local found, i = {}, 1
  while i <= #text do
    local kind, stop = tokenAt(text, i)
    if kind ~= 'blank' then
      found[#found + 1] = { kind = kind, text = text:sub(i, stop or #text), at = i, open = not stop }
    end
    i = (stop or #text) + 1
  end
  return found
end

return tokens
