--- Parses an LDoc comment: the text before its tags, and the tags.
-- @module trepl.ldoc
local ldoc = {}

local short = { string = 'string', int = 'int', number = 'number', bool = 'boolean', tab = 'table', func = 'function' }

-- The default in a tag's option, '1' in `opt=1`; nil if there is none.
local function defaultOf(options)
  return options and options:match '=(.+)$' or nil
end

-- Kind, name and text of an argument.
local function argument(tag, options, rest)
  local kind = short[tag]
  if tag == 'tparam' then
    kind, rest = rest:match '^(%S+)%s*(.*)$'
  end
  local name, text = (rest or ''):match '^(%S+)%s*(.*)$'
  if not name then return nil end
  return { name = name, kind = kind, optional = options ~= nil and options:find 'opt' ~= nil, default = defaultOf(options), text = text }
end

local function isArgument(tag) return short[tag] or tag == 'tparam' or tag == 'param' end

-- Adds a tag; returns the table whose field `text` continues on the next line.
local function add(found, tag, options, rest)
  if isArgument(tag) then
    local one = argument(tag, options, rest)
    found.arguments[#found.arguments + 1] = one
    return one
  elseif tag == 'treturn' or tag == 'return' then
    local kind, text = nil, rest
    if tag == 'treturn' then kind, text = rest:match '^(%S+)%s*(.*)$' end
    found.returns[#found.returns + 1] = { kind = kind, text = text or '' }
    return found.returns[#found.returns]
  elseif tag == 'raise' or tag == 'usage' then
    local list = found[tag == 'raise' and 'raises' or 'usages']
    list[#list + 1] = { text = rest }
    return list[#list]
  end
  found.tags[tag] = rest
  return { text = rest }
end

-- The first sentence of a text, and the rest. A sentence that ends with a colon belongs to the rest.
local function split(text)
  local paragraph = text:match '^(.-)\n%s*\n' or text
  local first = paragraph:match '^(.-[.:;])%s*\n' or paragraph:match '^(.-[^.]%.)%s+%u' or paragraph
  local rest = text:sub(#first + 1)
  first = first:gsub('%s*\n%s*', ' ')
  return first, (rest:gsub('^[ \t]*\n?', '', 1))
end

--- The first sentence of a comment.
-- @string text its lines without dashes
-- @treturn string
function ldoc.summary(text) return (split(text:match '^(.-)\n@%l' or text:match '^@' and '' or text):match '^%s*(.-)%s*$') end

--- Reads a comment.
-- @string text its lines without dashes
-- @treturn table `summary`, the first sentence, and `about`, the rest; lists of tables: `arguments` (name, kind, optional, default, text),
-- `returns` (kind, text), `raises` and `usages` (text); `tags`, the text of other tags, such as `classmod`, by their names
function ldoc.parse(text)
  local found = { arguments = {}, returns = {}, raises = {}, usages = {}, tags = {} }
  local plain, open = {}, nil
  for line in (text .. '\n'):gmatch '(.-)\n' do
    local tag, options, rest = line:match '^@(%l+)(%b[])%s*(.*)$'
    if not tag then tag, rest = line:match '^@(%l+)%s*(.*)$' end
    if tag then
      open = add(found, tag, options and options:sub(2, -2), rest)
    elseif open then
      open.text = open.text .. '\n' .. line
    else
      plain[#plain + 1] = line
    end
  end
  found.summary, found.about = split(table.concat(plain, '\n'):match '^%s*(.-)%s*$')
  for _, list in ipairs { found.arguments, found.returns, found.raises } do
    for _, one in ipairs(list) do one.text = one.text:gsub('%s*\n%s*', ' '):match '^%s*(.-)%s*$' end
  end
  for _, usage in ipairs(found.usages) do usage.text = usage.text:match '^(.-)%s*$' end
  return found
end

return ldoc
