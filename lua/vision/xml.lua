--- XML as annotations have it: elements, text, comments. A library would also read the type declarations and entities of files, which are
-- not trusted; here they are damage, as is what is not well-formed.
-- @module vision.xml
local damage = require 'torch.file.damage'
local utf8 = require('torch.file.utf8').char

local xml = {}

local deepest = 64
local entities = { lt = '<', gt = '>', amp = '&', quot = '"', apos = "'" }

local function fail(text, at, expected)
  damage.raise(at, expected, at > #text and 'the end of the text' or ('%q'):format(text:sub(at, at + 20)))
end

-- Text with its entities replaced, which begins at `at`.
local function plain(text, from, at)
  return (from:gsub('()&([^;&]*);?', function(place, name)
    local code = name:match '^#(%d+)$' or name:match '^#x(%x+)$' and tonumber(name:sub(3), 16)
    if code and tonumber(code) > 0 and tonumber(code) < 0x110000 then return utf8(tonumber(code)) end
    return entities[name] or fail(text, at + place - 1, 'one of the entities lt, gt, amp, quot and apos')
  end))
end

--- The outermost element of a text.
-- @string text
-- @treturn table `name`, `text` (that of all its parts, without blanks at the ends) and its elements by number
function xml.decode(text)
  local root = { name = '', text = '' }
  local stack, at = { root }, text:sub(1, 3) == '\239\187\191' and 4 or 1
  while at <= #text do
    local open = text:find('<', at, true) or #text + 1
    local top = stack[#stack]
    local between = text:sub(at, open - 1)
    if #stack == 1 and between:find '%S' then fail(text, at, 'an element') end
    top.text = top.text .. plain(text, between, at)
    at = open
    if at > #text then break end
    local close
    if text:sub(at, at + 3) == '<!--' then
      close = select(2, text:find('-->', at + 4, true)) or fail(text, at, 'a comment with an end')
    elseif text:sub(at, at + 1) == '<?' then
      close = select(2, text:find('?>', at + 2, true)) or fail(text, at, 'an instruction with an end')
    elseif text:sub(at, at + 1) == '</' then
      local name, stop = text:match('^</([%w_:.-]+)%s*>()', at)
      if not name or #stack == 1 or name ~= top.name then fail(text, at, #stack > 1 and ('</%s>'):format(top.name) or 'an element') end
      top.text = top.text:match '^%s*(.-)%s*$'
      stack[#stack], close = nil, stop - 1
    else
      local name, rest, stop = text:match('^<([%a_][%w_:.-]*)([^<>]*)>()', at)
      if not name or #stack > deepest then fail(text, at, #stack > deepest and ('at most %d levels'):format(deepest) or 'an element') end
      if #stack == 1 and root[1] then fail(text, at, 'one outermost element') end
      local element = { name = name, text = '' }
      top[#top + 1], close = element, stop - 1
      if rest:sub(-1) ~= '/' then stack[#stack + 1] = element end
    end
    at = close + 1
  end
  if #stack > 1 then fail(text, at, ('</%s>'):format(stack[#stack].name)) end
  return root[1] or fail(text, at, 'an element')
end

--- The first element inside with this name, or nil.
function xml.child(element, name)
  for _, each in ipairs(element) do
    if each.name == name then return each end
  end
end

return xml
