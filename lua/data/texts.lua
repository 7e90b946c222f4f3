--- Functions of texts: of a string, or of all texts of a column, as a frame of this one column, of texts or a category. Missing texts stay
-- missing. In expressions of columns they are `texts.lower(word)`. Patterns are Lua's. Characters are those of UTF-8.
-- @module data.texts
local torch = require 'torch'
local check = require 'torch.check'
local bytes = require 'data.text_bytes'
local column = require 'data.frame.column'
local newTable = require 'table.new'

local texts = {}

local mostKnown = 10000      -- texts often repeat
local mostPads = 100

-- A loop over texts, one for each function, which LuaJIT compiles by itself. It looks a result up for a text that comes again, if half of
-- the first texts do.
local source = [[
local values, n, mask, f, to, mostKnown, refuse = ...
local known, count = {}, 0
for i = 1, n do
  if not mask or mask[i - 1] == 0 then
    local text = values[i]
    if type(text) ~= 'string' then refuse(i, text) end
    local value = known[text]
    if value == nil then
      value = f(text)
      if count < mostKnown then
        known[text], count = value, count + 1
        if count == mostKnown and i < 2 * count then known = {} end
      end
    end
    %s
  end
end]]

local stores = { number = 'to[i - 1] = value', boolean = 'to[i - 1] = value and 1 or 0', text = 'to[i] = value' }
local compiled = {}

local mostBytes = 2 ^ 16

local function areShort(list)
  for i = 1, #list do
    if type(list[i]) == 'string' and #list[i] > mostBytes then return false end
  end
  return true
end

-- The column of a function's results: numbers, booleans or texts, of which nil is missing.
local function results(op, name, c, kind, f)
  local n, mask = #c.values, c.mask and c.mask:data()
  local list
  if kind == 'text' then
    list = newTable(n, 0)
  else
    list = torch[kind == 'number' and 'DoubleTensor' or 'BoolTensor']():resize(n):fill(kind == 'number' and 0 / 0 or 0)
  end
  local function refuse(i, value)
    check.raise(('%s: %s[%d]: %s, expected a text'):format(op, name, i, check.describe(value)))
  end
  compiled[op] = compiled[op] or assert(loadstring(source:format(stores[kind])))
  -- The collector would visit all texts while their results, which stay, are made. Long texts may leave garbage.
  local former = kind == 'text' and areShort(c.values) and collectgarbage('setstepmul', 1)
  local good, message = pcall(compiled[op], c.values, n, mask, f, kind == 'text' and list or list:data(), mostKnown, refuse)
  if former then collectgarbage('setstepmul', former) end
  if not good then error(message, 0) end
  if kind == 'number' then return { type = 'torch.DoubleTensor', values = list } end
  if kind == 'boolean' then return { type = 'torch.BoolTensor', values = list, mask = c.mask } end
  for i = 1, n do
    if list[i] == nil then return column.ofList(('%s: %s'):format(op, name), list, n) end
  end
  return { type = 'text', values = list }
end

-- The column of a function's results of the texts of a frame of one column.
local function ofColumn(op, x, kind, f)
  check.that(#x.names == 1, ('%s: x: a frame of %d columns, expected one of a single column'):format(op, #x.names))
  local name = x.names[1]
  local type_ = x.types[name]
  check.that(type_ == 'text' or type_ == 'category', ("%s: %s: a column of %s, expected texts; cast { %s = 'text' } makes some"):format(op,
    name, type_, name))
  return x:_of(function(c) return results(op, name, c.type == 'category' and column.texts(c) or c, kind, f) end, x.names, x:size(),
    x.rowNames)
end

local function apply(op, x, kind, f)
  if torch.type(x) == 'data.Frame' then return ofColumn(op, x, kind, f) end
  check.that(type(x) == 'string', ('%s: x: %s, expected a text or a frame of one column'):format(op, check.describe(x)))
  return f(x)
end

--- Small letters.
-- @param x texts
-- @return texts
function texts.lower(x)
  local op = 'data.texts.lower'
  return apply(op, x, 'text', function(text) return bytes.cased(op, text, 'lower') end)
end

--- Capital letters.
-- @param x texts
-- @return texts
function texts.upper(x)
  local op = 'data.texts.upper'
  return apply(op, x, 'text', function(text) return bytes.cased(op, text, 'upper') end)
end

--- Without white space at the ends, or without other characters.
-- @param x texts
-- @string[opt] characters to remove from the ends
-- @return texts
function texts.strip(x, characters)
  local op = 'data.texts.strip'
  local set = '%s'
  if characters ~= nil then set = check.text(op, 'characters', characters):gsub('[%^%]%-%%]', '%%%0') end
  local is = bytes.members(set)
  return apply(op, x, 'text', function(text) return bytes.stripped(text, is) end)
end

--- The numbers of characters.
-- @param x texts
-- @return numbers
function texts.length(x)
  return apply('data.texts.length', x, 'number', bytes.count)
end

-- Checks a pattern by a search in an empty text.
local function patternOf(op, name, pattern)
  check.text(op, name, pattern)
  local good, message = pcall(string.find, '', pattern)
  check.that(good, ('%s: %s: %q, expected a pattern of Lua: %s'):format(op, name, pattern, tostring(message)))
  return pattern
end

--- Whether texts contain another.
-- @param x texts
-- @string part
-- @tparam[opt] table options `pattern`: true if the part is a pattern; `ignoreCase`: true ignores capitals
-- @return booleans
-- @usage frame:filter "texts.contains(name, 'smith', { ignoreCase = true })"
function texts.contains(x, part, options)
  local op = 'data.texts.contains'
  options = check.options(op, options, { 'pattern', 'ignoreCase' })
  for _, flag in ipairs { 'pattern', 'ignoreCase' } do check.flag(op, flag, options[flag]) end
  part = options.pattern and patternOf(op, 'part', part) or check.text(op, 'part', part)
  check.that(not (options.pattern and options.ignoreCase), op .. ': ignoreCase: expected no pattern with it')
  if options.pattern then return apply(op, x, 'boolean', function(text) return text:find(part) ~= nil end) end
  if not options.ignoreCase then return apply(op, x, 'boolean', function(text) return text:find(part, 1, true) ~= nil end) end
  part = bytes.cased(op, part, 'lower')
  return apply(op, x, 'boolean', function(text) return bytes.hasCased(op, text, part) end)
end

--- Whether texts begin with another.
-- @param x texts
-- @string part
-- @return booleans
function texts.startsWith(x, part)
  part = check.text('data.texts.startsWith', 'part', part)
  return apply('data.texts.startsWith', x, 'boolean', function(text) return text:sub(1, #part) == part end)
end

--- Whether texts end with another.
-- @param x texts
-- @string part
-- @return booleans
function texts.endsWith(x, part)
  part = check.text('data.texts.endsWith', 'part', part)
  return apply('data.texts.endsWith', x, 'boolean', function(text) return part == '' or text:sub(-#part) == part end)
end

--- The first match of a pattern: its capture if it has one, or all of it. Texts without a match become missing.
-- @param x texts
-- @string pattern
-- @return texts
-- @usage frame:assign { year = data.texts.match(frame:select 'title', '%((%d+)%)') }
function texts.match(x, pattern)
  local op = 'data.texts.match'
  patternOf(op, 'pattern', pattern)
  return apply(op, x, 'text', function(text)
    local found = text:match(pattern)
    return type(found) == 'number' and tostring(found) or found
  end)
end

--- Texts with a part replaced wherever it occurs.
-- @param x texts
-- @string part
-- @string by
-- @tparam[opt] table options `pattern`: true if the part is a pattern; '%1' is then its first capture
-- @return texts
function texts.replace(x, part, by, options)
  local op = 'data.texts.replace'
  options = check.options(op, options, { 'pattern' })
  check.flag(op, 'pattern', options.pattern)
  check.text(op, 'by', by)
  if options.pattern then
    patternOf(op, 'part', part)
    return apply(op, x, 'text', function(text) return (text:gsub(part, by)) end)
  end
  check.that(check.text(op, 'part', part) ~= '', op .. ': part: an empty text, expected one that may occur')
  return apply(op, x, 'text', function(text) return bytes.replaced(text, part, by) end)
end

--- A part of each text between separators. Texts with fewer parts become missing.
-- @param x texts
-- @string separator
-- @int i number of the part, from 1; -1 is the last
-- @return texts
-- @usage frame:assign { family = data.texts.split(frame:select 'name', ', ', 1) }
function texts.split(x, separator, i)
  local op = 'data.texts.split'
  check.that(check.text(op, 'separator', separator) ~= '', op .. ': separator: an empty text, expected a separator')
  check.that(check.int(op, 'i', i) ~= 0, op .. ': i: 0, expected a number from 1, or from -1 to count from the end')
  -- The numbers of separators, and the part after a number of them.
  local function countOf(text)
    local count, from = 0, 1
    while true do
      local first, last = text:find(separator, from, true)
      if not first then return count end
      count, from = count + 1, last + 1
    end
  end
  return apply(op, x, 'text', function(text)
    local left, from = i - 1, 1
    if i < 0 then left = countOf(text) + 1 + i end
    if left < 0 then return nil end
    while true do
      local first, last = text:find(separator, from, true)
      if left == 0 then
        if from == 1 and not first then return text end
        return text:sub(from, (first or 0) - 1)
      end
      if not first then return nil end
      left, from = left - 1, last + 1
    end
  end)
end

--- The characters from one place to another, as `string.sub` has them of bytes.
-- @param x texts
-- @int first from 1; negative numbers count from the end
-- @int[opt=-1] last
-- @return texts
function texts.sub(x, first, last)
  local op = 'data.texts.sub'
  check.int(op, 'first', first)
  last = last == nil and -1 or check.int(op, 'last', last)
  return apply(op, x, 'text', function(text)
    local count = bytes.count(text)
    local from, to = first, last
    if from < 0 then from = count + 1 + from end
    if to < 0 then to = count + 1 + to end
    from, to = math.max(from, 1), math.min(to, count)
    if from > to then return '' end
    if count == #text then return text:sub(from, to) end
    return text:sub(bytes.place(text, from), bytes.place(text, to + 1) - 1)
  end)
end

--- Texts with a character before or after them, up to a number of characters.
-- @param x texts
-- @int width
-- @tparam[opt] table options `side`: 'left' (default) or 'right'; `character` (a blank)
-- @return texts
function texts.pad(x, width, options)
  local op = 'data.texts.pad'
  options = check.options(op, options, { 'side', 'character' })
  check.int(op, 'width', width, { min = 0, max = 2 ^ 16 })
  local side = check.choice(op, 'side', options.side or 'left', { 'left', 'right' })
  local character = check.text(op, 'character', options.character or ' ')
  check.that(bytes.count(character) == 1, ('%s: character: %q, expected one character'):format(op, character))
  local isLeft, pads = side == 'left', {}
  return apply(op, x, 'text', function(text)
    local more = width - bytes.count(text)
    if more <= 0 then return text end
    local pad = pads[more] or character:rep(more)
    if more < mostPads then pads[more] = pad end
    if isLeft then return pad .. text end
    return text .. pad
  end)
end

return texts
