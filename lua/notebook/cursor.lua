--- Positions in a text: frontends count characters, Lua counts bytes.
-- @module notebook.cursor
local tokens = require 'torch.start.tokens'

local cursor = {}

--- The number of characters in a UTF-8 text.
-- @string text
-- @treturn int
function cursor.length(text) return select(2, text:gsub('[^\128-\191]', '')) end

--- The text before a position.
-- @string text
-- @int place characters before it
-- @treturn string
function cursor.before(text, place)
  local i, seen = 1, 0
  while i <= #text and seen < place do
    i = text:find('[^\128-\191]', i + 1) or #text + 1
    seen = seen + 1
  end
  return text:sub(1, i - 1)
end

-- The first token of the name that ends with token i: torch.add, x:sum.
local function startOfName(list, i)
  while list[i - 1] and list[i - 2] and (list[i - 1].text == '.' or list[i - 1].text == ':') and list[i - 2].kind == 'word' do i = i - 2 end
  return i
end

-- The word before the bracket that is open at the end: the function whose arguments are being typed.
local function called(list)
  local depth = 0
  for i = #list, 2, -1 do
    local text = list[i].kind == 'symbol' and list[i].text
    if text == ')' then depth = depth + 1 end
    if text == '(' then
      if depth == 0 then return list[i - 1].kind == 'word' and i - 1 or nil end
      depth = depth - 1
    end
  end
end

--- The name at a position, or otherwise the function whose call contains it.
-- @string text
-- @int place characters before it
-- @treturn ?string such as 'torch.add'
function cursor.name(text, place)
  local before = cursor.before(text, place)
  local rest = before:find '[%w_]$' and text:match('^[%w_]*', #before + 1) or text:match('^[%a_][%w_]*', #before + 1) or ''
  local list = tokens.of(before .. rest)
  local last = #list
  local isWord = last > 0 and list[last].kind == 'word' and list[last].at + #list[last].text - 1 == #before + #rest
  local at = isWord and last or called(list)
  if not at then return nil end
  local pieces = {}
  for i = startOfName(list, at), at do pieces[#pieces + 1] = list[i].text end
  return table.concat(pieces)
end

return cursor
