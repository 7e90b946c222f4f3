--- Tokens that are found in a text before it is split into words, such as <|endoftext|>.
-- @module text.added
local ffi = require 'ffi'
local unicode = require 'text.unicode'

local added = {}

local bytes = ffi.typeof 'const uint8_t *'

-- The character that ends before a position, or nil at the beginning.
local function codeBefore(text, place)
  local p, size = ffi.cast(bytes, text), #text
  for length = 1, math.min(4, place - 1) do
    local code, after = unicode.at(p, place - 1 - length, size)
    if code >= 0 and after == place - 1 then return code, place - length end
  end
end

local function codeAfter(text, place)
  if place > #text then return nil end
  local code, after = unicode.at(ffi.cast(bytes, text), place - 1, #text)
  return code, after + 1
end

local function standsAlone(text, first, last)
  local before, after = codeBefore(text, first), codeAfter(text, last + 1)
  return not (before and unicode.isWord(before)) and not (after and after >= 0 and unicode.isWord(after))
end

-- The edges of a token with the white space that it takes.
local function widened(text, token, first, last, least)
  if token.lstrip then
    local code, place = codeBefore(text, first)
    while code and place >= least and unicode.isSpace(code) do
      first = place
      code, place = codeBefore(text, first)
    end
  end
  if token.rstrip then
    local code, after = codeAfter(text, last + 1)
    while code and code >= 0 and unicode.isSpace(code) do
      last = after - 1
      code, after = codeAfter(text, after)
    end
  end
  return first, last
end

-- Tokens by their first byte, each list with the longest first; and a pattern of the first bytes.
local function byFirst(tokens, isNormal, normalise)
  local lists, class = {}, {}
  for _, token in ipairs(tokens) do
    local content = isNormal and normalise(token.content) or token.content
    local normalized = token.normalized
    if normalized == nil then normalized = not token.special end
    if normalized == isNormal and content ~= '' then
      local c = content:sub(1, 1)
      if not lists[c] then lists[c], class[#class + 1] = {}, ('%%%s'):format(c) end
      if c:find '[%w\128-\255%z]' then class[#class] = c end
      table.insert(lists[c], { content = content, token = token })
    end
  end
  for _, list in pairs(lists) do table.sort(list, function(a, b) return #a.content > #b.content end) end
  return lists, #class > 0 and '[' .. table.concat(class) .. ']' or nil
end

local function matchAt(text, place, list)
  for _, entry in ipairs(list) do
    if text:sub(place, place + #entry.content - 1) == entry.content then return entry end
  end
end

--- Returns a function (text, add, rest) that calls add(id) for each added token in a text and rest(part) for what is between them,
-- in order.
-- @tparam {table,...} tokens of tokenizer.json: `content`, `id`, `special`, `normalized`, `lstrip`, `rstrip`, `single_word`
-- @bool isNormal whether to find the tokens that are looked for in normalised text, or the others
-- @tparam[opt] function normalise for the contents of such tokens
function added.finder(tokens, isNormal, normalise)
  local lists, first = byFirst(tokens, isNormal, normalise)
  return function(text, add, rest)
    local done, place = 0, first and text:find(first)
    while place do
      local entry = matchAt(text, place, lists[text:sub(place, place)])
      local last = entry and place + #entry.content - 1
      if entry and (not entry.token.single_word or standsAlone(text, place, last)) then
        local from, to = widened(text, entry.token, place, last, done + 1)
        if from > done + 1 then rest(text:sub(done + 1, from - 1)) end
        add(entry.token.id)
        done, last = to, to
      else
        last = entry and last or place
      end
      place = text:find(first, last + 1)
    end
    if done < #text then rest(text:sub(done + 1)) end
  end
end

return added
