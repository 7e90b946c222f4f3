--- Lua values as readable text: nested tables with sorted keys, summaries of tensors. The interface of Torch7's package pprint.
-- Loading it sets the global `pprint`.
-- @module pprint
-- @usage local pprint = require 'pprint'
-- pprint({ layers = { 784, 10 }, name = 'mlp' })
-- --> {
-- -->   layers = { 784, 10 }
-- -->   name = "mlp"
-- --> }
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'

local pprint = {}

-- Tensors and storages with more elements are shown only by type and sizes.
local mostElements = 20
local defaultDepth = 4

local function isName(key) return type(key) == 'string' and key:find '^[%a_][%w_]*$' ~= nil end

-- Chooses the kind of quotes that needs fewer backslashes.
local function quoted(text)
  local quote = text:find '"' and not text:find "'" and "'" or '"'
  local escaped = text:gsub('[%c\\' .. quote .. ']', function(letter)
    local short = ({ ['\n'] = '\\n', ['\t'] = '\\t', ['\r'] = '\\r', ['\\'] = '\\\\', [quote] = '\\' .. quote })[letter]
    return short or ('\\%03d'):format(letter:byte())
  end)
  return quote .. escaped .. quote
end

local ranks = { number = 1, boolean = 2, string = 3 }

-- Order of keys: sorted numbers, booleans, sorted names, and everything else.
local function before(a, b)
  local typeA, typeB = type(a), type(b)
  if typeA ~= typeB then
    local rankA, rankB = ranks[typeA] or 4, ranks[typeB] or 4
    if rankA ~= rankB then return rankA < rankB end
    return typeA < typeB
  end
  if typeA == 'number' or typeA == 'string' then return a < b end
  return tostring(a) < tostring(b)
end

-- The sorted keys of a table outside its array part. `next` ignores metamethods.
local function otherKeys(value, count)
  local keys = {}
  for key in next, value do
    local inArray = type(key) == 'number' and key >= 1 and key <= count and key % 1 == 0
    if not inArray then keys[#keys + 1] = key end
  end
  table.sort(keys, before)
  return keys
end

local function arrayLength(value)
  local count = 0
  while rawget(value, count + 1) ~= nil do count = count + 1 end
  return count
end

--- The sizes of a tensor.
-- @tparam torch.Tensor tensor
-- @treturn string such as '2x3'; '' for a tensor without dimensions
-- @raise if it is not a tensor
function pprint.dims(tensor)
  if not torch.isTensor(tensor) then error(('pprint.dims: tensor: a %s, expected a tensor'):format(torch.type(tensor)), 2) end
  local sizes = {}
  for d = 1, tensor:dim() do sizes[d] = tensor:size(d) end
  return table.concat(sizes, 'x')
end

-- A tensor or storage: its type, and its elements if there are few.
local function numbers(value, inline)
  local count = torch.isTensor(value) and value:nElement() or value:size()
  local what = torch.isTensor(value) and 'dimension ' .. pprint.dims(value) or 'size ' .. count
  if count > mostElements or torch.isTensor(value) and value:dim() == 0 then return ('[%s of %s]'):format(torch.type(value), what) end
  local text = tostring(value):gsub('%s+$', '')
  if not inline then return text end
  return (text:gsub('^%s+', ''):gsub('%s+', ' '))
end

local writeTable

local function write(value, state, level)
  local kind = type(value)
  if kind == 'string' then return quoted(value) end
  if torch.isTensor(value) or torch.isStorage(value) then return numbers(value, state.inline) end
  if kind == 'table' then return writeTable(value, state, level) end
  if kind == 'number' or kind == 'boolean' or kind == 'nil' then return tostring(value) end
  return ('<%s>'):format(torch.typename(value) or kind)
end

-- The class name of a torch object precedes its fields; another metatable is shown as a field.
function writeTable(value, state, level)
  local class = torch.typename(value)
  local prefix = class and class .. ' ' or ''
  if state.open[value] then return prefix .. '<cycle>' end
  local count = arrayLength(value)
  local keys = otherKeys(value, count)
  local metatable = not class and type(debug.getmetatable(value)) == 'table' and debug.getmetatable(value) or nil
  if count == 0 and #keys == 0 and not metatable then return prefix .. '{}' end
  if level >= state.depth then return prefix .. '{...}' end
  state.open[value] = true
  local plain, named = {}, {}
  for i = 1, count do plain[i] = write(rawget(value, i), state, level + 1) end
  for i, key in ipairs(keys) do
    local name = isName(key) and key or ('[%s]'):format(write(key, state, level + 1))
    named[i] = ('%s = %s'):format(name, write(rawget(value, key), state, level + 1))
  end
  if metatable then named[#named + 1] = '<metatable> = ' .. write(metatable, state, level + 1) end
  state.open[value] = nil
  if state.inline or #named == 0 then
    for i = 1, #named do plain[count + i] = named[i] end
    return ('%s{ %s }'):format(prefix, table.concat(plain, ', '))
  end
  local indent = '\n' .. ('  '):rep(level + 1)
  local list = table.concat(plain, ', ')
  return prefix .. '{' .. (count > 0 and ' ' .. list .. ',' or '') .. indent .. table.concat(named, ',' .. indent)
    .. '\n' .. ('  '):rep(level) .. '}'
end

local function text(where, value, depth, inline)
  depth = depth == nil and defaultDepth or depth
  if type(depth) ~= 'number' then error(('%s: depth: a %s, expected a number'):format(where, type(depth)), 3) end
  return write(value, { depth = depth, inline = inline, open = {} }, 0)
end

--- A value as text: each named key on a separate line, two spaces per level, keys sorted.
-- @param x anything
-- @int[opt=4] depth levels of tables that are shown; deeper ones are `{...}`
-- @bool[opt=false] inline on one line
-- @treturn string
function pprint.pretty_string(x, depth, inline) return text('pprint.pretty_string', x, depth, inline) end

--- A value as text on one line.
-- @param x anything
-- @int[opt=4] depth levels of tables that are shown
-- @treturn string
function pprint.string(x, depth) return text('pprint.string', x, depth, true) end

--- Returns a function that converts its arguments to texts joined by blanks, for example to replace `print`.
-- @int[opt=4] depth levels of tables that are shown
-- @treturn function (...) -> string
function pprint.printer(depth)
  return function(...)
    local texts = {}
    for i = 1, select('#', ...) do
      local value = select(i, ...)
      texts[i] = type(value) == 'string' and value or text('pprint.printer', value, depth)
    end
    return table.concat(texts, ' ')
  end
end

--- A summary of numbers.
-- @tparam torch.Tensor|table x tensor, or a list of numbers, which becomes one
-- @treturn string such as `[2x3, min: 0, mean: 2.5, max: 5, type: "torch.DoubleTensor"]`
-- @raise if it is neither
function pprint.info(x)
  if not torch.isTensor(x) and type(x) ~= 'table' then
    error(('pprint.info: x: a %s, expected a tensor or a list of numbers'):format(torch.type(x)), 2)
  end
  local tensor = torch.isTensor(x) and x or torch.DoubleTensor(x)
  local sizes = tensor:nElement() > 0 and pprint.dims(tensor) or 'empty'
  local kind = torch.isTensor(x) and x:type() or 'table'
  if tensor:nElement() == 0 then return ('[%s, type: "%s"]'):format(sizes, kind) end
  return ('[%s, min: %s, mean: %s, max: %s, type: "%s"]'):format(sizes, tensor:min(), tensor:double():mean(), tensor:max(), kind)
end

setmetatable(pprint, { __call = function(_, x, depth) print(text('pprint', x, depth)) end })
rawset(_G, 'pprint', pprint)

return pprint
