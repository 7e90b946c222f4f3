--- Functions of texts: of a string, or of all texts of a column, as a frame of this one column, of texts or a category. Missing texts stay
-- missing. In expressions of columns they are `texts.lower(word)`. Patterns are Lua's. Characters are those of UTF-8.
-- @module data.texts
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local utf8 = require 'torch.file.utf8'

local texts = {}

local mostKnown = 10000      -- texts often repeat

-- The column of a function's results.
local function ofColumn(op, x, f)
  check.that(#x.names == 1, ('%s: x: a frame of %d columns, expected one of a single column'):format(op, #x.names))
  local name = x.names[1]
  local type_ = x.types[name]
  check.that(type_ == 'text' or type_ == 'category', ("%s: %s: a column of %s, expected texts; cast { %s = 'text' } makes some"):format(op,
    name, type_, name))
  return x:_of(function(c)
    if c.type == 'category' then c = column.texts(c) end
    local values, known, count, m = {}, {}, 0, c.mask and c.mask:data()
    for i, text in ipairs(c.values) do
      if not m or m[i - 1] == 0 then
        local value = known[text]
        if value == nil then
          value = f(text)
          if count < mostKnown then known[text], count = value, count + 1 end
        end
        values[i] = value
      end
    end
    local made = column.ofList(('%s: %s'):format(op, name), values, #c.values)
    if #c.values > 0 and made.type == 'text' and next(values) == nil then made = c end      -- all are missing
    return made
  end, x.names, x:size(), x.rowNames)
end

local function apply(op, x, f)
  if torch.type(x) == 'data.Frame' then return ofColumn(op, x, f) end
  check.that(type(x) == 'string', ('%s: x: %s, expected a text or a frame of one column'):format(op, check.describe(x)))
  return f(x)
end

-- Changes the letters of a text: those beyond ASCII, if it is UTF-8, by the package text.
local function cased(op, text, name)
  if not text:find '[\128-\255]' or not utf8.isValid(text) then return string[name](text) end
  local found, unicode = pcall(require, 'text.unicode')
  check.that(found, op .. ': the package text, which has letters beyond ASCII, is not installed (luarocks install text)')
  return unicode[name](text)
end

--- Small letters.
-- @param x texts
-- @return texts
function texts.lower(x)
  local op = 'data.texts.lower'
  return apply(op, x, function(text) return cased(op, text, 'lower') end)
end

--- Capital letters.
-- @param x texts
-- @return texts
function texts.upper(x)
  local op = 'data.texts.upper'
  return apply(op, x, function(text) return cased(op, text, 'upper') end)
end

--- Without white space at the ends, or without other characters.
-- @param x texts
-- @string[opt] characters to remove from the ends
-- @return texts
function texts.strip(x, characters)
  local op = 'data.texts.strip'
  local set = '%s'
  if characters ~= nil then set = check.text(op, 'characters', characters):gsub('[%^%]%-%%]', '%%%0') end
  return apply(op, x, function(text)
    if set == '' then return text end
    text = text:gsub('^[' .. set .. ']+', '')
    local last = #text
    while last > 0 and text:sub(last, last):find('[' .. set .. ']') do last = last - 1 end
    return text:sub(1, last)
  end)
end

--- The numbers of characters.
-- @param x texts
-- @return numbers
function texts.length(x)
  return apply('data.texts.length', x, function(text) return select(2, text:gsub('[^\128-\191]', '')) end)
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
  if options.ignoreCase then part = cased(op, part, 'lower') end
  local plain = not options.pattern
  return apply(op, x, function(text)
    if options.ignoreCase then text = cased(op, text, 'lower') end
    return text:find(part, 1, plain) ~= nil
  end)
end

--- Whether texts begin with another.
-- @param x texts
-- @string part
-- @return booleans
function texts.startsWith(x, part)
  part = check.text('data.texts.startsWith', 'part', part)
  return apply('data.texts.startsWith', x, function(text) return text:sub(1, #part) == part end)
end

--- Whether texts end with another.
-- @param x texts
-- @string part
-- @return booleans
function texts.endsWith(x, part)
  part = check.text('data.texts.endsWith', 'part', part)
  return apply('data.texts.endsWith', x, function(text) return part == '' or text:sub(-#part) == part end)
end

--- The first match of a pattern: its capture if it has one, or all of it. Texts without a match become missing.
-- @param x texts
-- @string pattern
-- @return texts
-- @usage frame:assign { year = data.texts.match(frame:select 'title', '%((%d+)%)') }
function texts.match(x, pattern)
  local op = 'data.texts.match'
  patternOf(op, 'pattern', pattern)
  return apply(op, x, function(text)
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
  else
    check.that(check.text(op, 'part', part) ~= '', op .. ': part: an empty text, expected one that may occur')
    part, by = part:gsub('%W', '%%%0'), by:gsub('%%', '%%%%')
  end
  return apply(op, x, function(text) return (text:gsub(part, by)) end)
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
  return apply(op, x, function(text)
    local parts, from = {}, 1
    while true do
      local first, last = text:find(separator, from, true)
      parts[#parts + 1] = text:sub(from, (first or 0) - 1)
      if not first then break end
      from = last + 1
    end
    return parts[i > 0 and i or #parts + 1 + i]
  end)
end

-- The place of a character's first byte, from 1; characters count from 1.
local function byteOf(text, character)
  local count = 0
  for at in text:gmatch '()[^\128-\191]' do
    count = count + 1
    if count == character then return at end
  end
  return #text + 1
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
  return apply(op, x, function(text)
    local count = select(2, text:gsub('[^\128-\191]', ''))
    local from, to = first, last
    if from < 0 then from = count + 1 + from end
    if to < 0 then to = count + 1 + to end
    from, to = math.max(from, 1), math.min(to, count)
    return from <= to and text:sub(byteOf(text, from), byteOf(text, to + 1) - 1) or ''
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
  check.that(select(2, character:gsub('[^\128-\191]', '')) == 1, ('%s: character: %q, expected one character'):format(op, character))
  return apply(op, x, function(text)
    local more = character:rep(math.max(0, width - select(2, text:gsub('[^\128-\191]', ''))))
    return side == 'left' and more .. text or text .. more
  end)
end

return texts
