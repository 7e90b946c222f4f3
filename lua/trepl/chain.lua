--- The value of an expression such as `net:get(1).weight`, for completion, without running a program's code.
-- Fields are read through trepl.fields. Only calls of Moontorch's packages that read and change nothing are executed. Other calls are
-- represented by the metatable of their result's class, according to the op, the constructor or the comment above the function.
-- @module trepl.chain
local fields = require 'trepl.fields'
local locals = require 'trepl.locals'
local loaded = package.loaded

local chain = {}

local root = debug.getinfo(1, 'S').source:match '^@(.*)trepl/chain%.lua$'

-- Methods that only read.
local harmless, pure = {}, {
  Tensor = 'select narrow t transpose view squeeze unsqueeze permute size stride storage dim nElement isContiguous type',
  Module = 'get size listModules findModules parameters',
}
for kind, names in pairs(pure) do
  harmless[kind] = {}
  for name in names:gmatch '%a+' do harmless[kind][name] = true end
end

local keywords = {}
for word in ('and break do else elseif end for function goto if in local not or repeat return then until while'):gmatch '%a+' do
  keywords[word] = true
end

local pairsOf = { [')'] = '(', [']'] = '[', ['}'] = '{' }

-- The opening bracket that token i closes.
local function opening(list, i)
  local depth = 0
  for k = i, 1, -1 do
    local text = list[k].kind == 'symbol' and list[k].text
    if pairsOf[text] then depth = depth + 1 end
    if text == '(' or text == '[' or text == '{' then depth = depth - 1 end
    if depth == 0 then return k end
  end
end

-- Whether a token may end an expression that is called or indexed.
local function endsOperand(token)
  if not token then return false end
  return token.kind == 'word' and not keywords[token.text] or token.kind == 'string' or pairsOf[token.text] ~= nil
end

local function isTensor(x) return loaded.torch ~= nil and loaded.torch.isTensor(x) end

-- Whether a function is native or from Moontorch's files.
local function isOurs(f)
  if type(f) ~= 'function' then return false end
  local info = debug.getinfo(f, 'S')
  return info.what == 'C' or root ~= nil and info.source:sub(1, #root + 1) == '@' .. root
end

local function instanceOf(name)
  local torch = loaded.torch
  if not torch then return nil end
  if name == 'torch.Tensor' then name = torch.getdefaulttensortype() end
  return (torch.getmetatable(name))
end

-- The class of a constructor's result.
local function constructed(class)
  local meta = type(class) == 'table' and debug.getmetatable(class)
  local name = type(meta) == 'table' and rawget(meta, '__typename')
  return type(name) == 'string' and instanceOf((name:gsub('^class ', ''))) or nil
end

-- The result type of a function, from the comment above it.
local function documented(f, owner)
  local comment = isOurs(f) and require 'trepl.help'.comment(f) or ''
  local class, word = comment:match '@treturn%s+%??([%w_.]+)%s*(%a*)'
  if word == 'self' or word == 'itself' then return owner end
  return class and class:find '%.' and instanceOf(class) or nil
end

local isNumber = { dim = true, nDimension = true, nElement = true, numel = true, item = true, type = true, data = true }

-- The result type of a tensor method: the same class, or the class that it is named after, for example float().
local function ofTensorMethod(class, name, f)
  if not f or isNumber[name] then return nil end
  return instanceOf('torch.' .. name:gsub('^%l', string.upper) .. 'Tensor') or class
end

local function classOf(x)
  if type(x) == 'table' and rawget(x, '__typename') and rawget(x, '__index') ~= nil then return x end
  return type(x) ~= 'string' and debug.getmetatable(x) or nil
end

local function isTensorClass(class)
  local name = type(class) == 'table' and rawget(class, '__typename')
  return type(name) == 'string' and name:find '^torch%.%a+%d*%a*Tensor$' ~= nil
end

-- The result of a module's forward: the previous output, or some tensor.
local function outputOf(module) return fields.get(module, 'output') or instanceOf 'torch.Tensor' end

local function method(owner, name)
  local class = classOf(owner)
  if not isTensorClass(class) then return fields.get(owner, name) end
  local of = isTensor(owner) and owner or instanceOf(rawget(class, '__typename'))
  local good, f = pcall(function() return of[name] end)
  return good and f or nil
end

-- The result of owner:name(arguments); `arguments` is nil if one of them is unknown.
local function callMethod(owner, name, arguments)
  local f, class = method(owner, name), classOf(owner)
  local isReal = owner ~= class
  local kind = isTensor(owner) and 'Tensor' or isReal and fields.get(owner, 'updateOutput') and 'Module'
  if kind and harmless[kind][name] and arguments and isOurs(f) then
    local good, value = pcall(f, owner, unpack(arguments, 1, arguments.n))
    if good then return value end
  end
  if isTensorClass(class) then return ofTensorMethod(class, name, f) end
  if name == 'forward' or name == 'updateOutput' then return outputOf(owner) end
  return documented(f, owner)
end

-- The result of f(arguments); `path` is the name of f.
local function call(f, path, arguments)
  if path == 'require' then return arguments and loaded[arguments[1]] end
  local made = constructed(f)
  if made then return made end
  if type(f) == 'table' and fields.get(f, 'updateOutput') then return outputOf(f) end
  local torch = loaded.torch
  if torch and path:find '^torch%.' and torch.ops[path:match '%.([%w_]+)$'] then return instanceOf 'torch.Tensor' end
  return documented(f)
end

local valueAt

-- The values between two brackets; nil if one of them is unknown.
local function argumentsOf(list, first, last)
  local values, i, from = { n = 0 }, first, first
  while from <= last do
    while i <= last and list[i].text ~= ',' do
      if ('([{'):find(list[i].text, 1, true) then return nil end
      i = i + 1
    end
    local minus = list[from].text == '-' and i == from + 2
    local token, value = list[minus and from + 1 or from], nil
    if token.kind == 'number' and (minus or i == from + 1) then value = tonumber(token.text) end
    if token.kind == 'string' and i == from + 1 then value = loadstring('return ' .. token.text)() end
    if minus and value then value = -value end
    if value == nil then value = valueAt(list, i - 1, from) end
    local kind = type(value)
    if kind ~= 'number' and kind ~= 'string' then return nil end
    values.n = values.n + 1
    values[values.n] = value
    i, from = i + 1, i + 1
  end
  return values
end

local function index(owner, arguments)
  local key = arguments and arguments[1]
  if key == nil or owner == nil then return nil end
  if not isTensor(owner) then return fields.get(owner, key) end
  local good, value = pcall(function() return owner[key] end)
  return good and value or nil
end

-- The result of a call of the expression that ends at token i, with the tokens first..last as arguments.
local function called(list, i, first, last)
  local arguments = argumentsOf(list, first, last)
  local name, before = list[i], list[i - 1]
  if name.kind == 'word' and before and before.text == ':' then
    local owner = valueAt(list, i - 2)
    return owner ~= nil and callMethod(owner, name.text, arguments) or nil
  end
  local f, path = valueAt(list, i)
  return call(f, path or '', arguments)
end

-- The value and the name of the expression that ends at token i. If `from` is given, the expression must begin there.
function valueAt(list, i, from)
  local token = list[i]
  if not token or token.open or from and i < from then return nil end
  local before = list[i - 1]
  if token.kind == 'word' then
    if keywords[token.text] then return nil end
    if not before or before.text ~= '.' and before.text ~= ':' then
      if from and i ~= from then return nil end
      local isLocal, value = locals.get(token.text)
      if isLocal then return value, token.text end
      return rawget(_G, token.text), token.text
    end
    local owner, path = valueAt(list, i - 2, from)
    if owner == nil then return nil end
    if token.text == 'grad' and isTensor(owner) then return index(owner, { 'grad' }) end
    return fields.get(owner, token.text), path and path .. '.' .. token.text
  end
  if token.kind == 'string' then return endsOperand(before) and called(list, i - 1, i, i) or nil end
  local start = pairsOf[token.text] and opening(list, i)
  if not start then return nil end
  if token.text == ']' then return index(valueAt(list, start - 1, from), argumentsOf(list, start + 1, i - 1)) end
  if endsOperand(list[start - 1]) then return called(list, start - 1, start + (token.text == ')' and 1 or 0), i - 1) end
  if token.text == ')' then return valueAt(list, i - 1, start + 1) end
end

--- The value of the expression at the end of some tokens.
-- @tparam {table,...} list from torch.start.tokens
-- @int last number of its last token
-- @return the value, or a metatable of its class; nil if unknown
function chain.value(list, last) return (valueAt(list, last)) end

return chain
