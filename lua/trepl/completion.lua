--- Completion of keywords, variables, fields and methods, and of file and package names inside quotes.
-- Pressing TAB never runs a program's code: see trepl.chain.
-- @module trepl.completion
local chain = require 'trepl.chain'
local fields = require 'trepl.fields'
local locals = require 'trepl.locals'
local quoted = require 'trepl.quoted'
local tokens = require 'torch.start.tokens'

local completion = {}

local keywords = {
  'and', 'break', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'goto', 'if', 'in', 'local', 'nil', 'not', 'or',
  'repeat', 'return', 'then', 'true', 'until', 'while',
}

--- The suffix of a completed name: a call, a field, a method, or a space.
local function suffix(x)
  local kind = type(x)
  if kind == 'function' then return '(' end
  if kind == 'table' then return '.' end
  if kind == 'userdata' and debug.getmetatable(x) then return ':' end
  return ' '
end

--- The suffix of a name that a package loads on demand: that of a call if it is a function.
local function lazySuffix(layer, name)
  return function()
    local good, value = pcall(function() return layer[name] end)
    return good and type(value) == 'function' and '(' or ''
  end
end

-- The name to complete at the end of a line: its beginning, whether it is a field or method, and the last token of its owner.
local function asked(list, line)
  local last, n = list[#list], #list
  local isWord = last and last.kind == 'word' and last.at + #last.text - 1 == #line
  local start = isWord and last.text or ''
  local owner = isWord and n - 1 or n
  local separator, before = list[owner], list[owner - 1]
  local isField = separator and (separator.text == '.' or separator.text == ':') and not (before and before.text == separator.text)
  return start, isField, owner - 1
end

--- Names that continue the last word of a line, each with its suffix, or a function that returns the suffix.
local function names(list, line)
  local start, isField, last = asked(list, line)
  local found = {}
  local function offer(name, value)
    if type(name) ~= 'string' or name:sub(1, #start) ~= start or found[name] or not name:find '^[%a_][%w_]*$' then return end
    if name:sub(1, 1) == '_' and start:sub(1, 1) ~= '_' then return end
    found[name] = suffix(value)
  end
  local owner = _G
  if isField then
    owner = chain.value(list, last)
  else
    for _, name in ipairs(locals.names()) do offer(name, select(2, locals.get(name))) end
    for _, keyword in ipairs(keywords) do offer(keyword) end
  end
  if owner ~= nil then
    fields.eachLayer(owner, function(layer)
      for name, value in next, layer do offer(name, value) end
      -- Names that the package loads on demand: nn.Linear.
      for _, name in ipairs(fields.lazyNames(layer)) do
        offer(name)
        if found[name] == ' ' then found[name] = lazySuffix(layer, name) end
      end
    end)
  end
  return found, start
end

--- Names that continue the text after an open quote: package names after require, file names otherwise.
local function inQuotes(list)
  local text = list[#list].text:gsub('^%[=*%[', ''):gsub('^["\']', '')
  local before = list[#list - 1]
  if before and before.text == '(' then before = list[#list - 2] end
  local isPackage = before and (before.text == 'require' or before.text == 'import')
  if isPackage and not text:find '[./]*/' and not text:find '^%.' then return quoted.modules(text) end
  return quoted.files(text)
end

--- The longest start that all names share, and the sorted names.
local function common(found)
  local sorted, shared = {}, nil
  for name in pairs(found) do
    sorted[#sorted + 1] = name
    if not shared then shared = name end
    while name:sub(1, #shared) ~= shared do shared = shared:sub(1, -2) end
  end
  table.sort(sorted)
  return shared, sorted
end

--- All names that continue the text before the cursor.
-- @tparam string line from its start to the cursor
-- @treturn {[string]=string|function} each with its suffix (a call's bracket, a dot, a colon, a space) or a function that returns it
-- @treturn string the part of the text that they continue
function completion.candidates(line)
  local list = tokens.of(line)
  local isQuoted = list[#list] and list[#list].open
  return (isQuoted and inQuotes or names)(list, line)
end

local lastAsked

--- Completes the text before the cursor.
-- @tparam string line from its start to the cursor
-- @treturn string the text to insert, may be empty
-- @treturn ?{string,...} the candidates, at the second request for the same text
function completion.complete(line)
  if not line:find '%S' then return '  ' end      -- indentation, usually pasted
  local found, start = completion.candidates(line)
  local shared, sorted = common(found)
  if not shared then return '' end
  local insert = shared:sub(#start + 1)
  if #sorted == 1 then
    local follows = found[shared]
    return insert .. (type(follows) == 'function' and follows() or follows)
  end
  local again = line == lastAsked
  lastAsked = line .. insert
  return insert, again and sorted or nil
end

return completion
