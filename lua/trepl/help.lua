--- The documentation of a function, class, package or value, from the registry of ops, declarations and comments.
--
-- An **entry** is a table: `name`, `kind` ('op', 'function', 'class', 'package', 'value'), `calls` (a list of texts: its calls),
-- `summary` (a sentence), `about` (the rest), `arguments`, `returns`, `raises`, `usages` (see trepl.ldoc), `facts` (pairs of a label and a
-- text), `methods` (names), `place` (file and line), `home`, a method's class and name, and `sameAs`, the name in its definition if the
-- caller looked it up by another one.
-- @module trepl.help
local call = require 'trepl.call'
local comments = require 'trepl.comments'
local fileOf = require 'torch.modules'.file
local ldoc = require 'trepl.ldoc'
local native = require 'trepl.native'
local ofClass, ofOp = require 'trepl.class_entry', require 'trepl.op_entry'

local help = {}

--- The comment above a function.
-- @tparam function f
-- @treturn ?string nil for native functions and functions without a comment
function help.comment(f)
  local _, at, lines = comments.sourceOf(f)
  return lines and comments.above(lines, at)
end

local function described(text, kind)
  local entry = ldoc.parse(text)
  entry.kind, entry.facts, entry.calls = kind, {}, {}
  return entry
end

-- The name in a function's header, `function torch.load(`; nil if it has no public name.
local function nameInHeader(header) return header:match '^function ([%w_]+[.:][%w_.:]+)%(' end

-- A Lua function's comment, arguments and place; nil if there is no comment.
local function ofFunction(f, name)
  local file, at, lines = comments.sourceOf(f)
  if not file then return nil end
  local text = name and comments.saidOf(lines, name) or comments.above(lines, at) or name and comments.ofName(lines, name)
  if not text then return nil end
  local entry, header = described(text, 'function'), lines[at]
  entry.arguments = call.arguments(header, entry.arguments) or {}
  entry.headed, entry.place = nameInHeader(header), ('%s:%d'):format(file, at)
  entry.namesSelf = not header:find '^%s*function [%w_.]+:'
  local method = header:match '^%s*function [%w_]+[.:]([%w_]+)%('
  local class = method and (comments.above(lines, comments.openingEnd(lines) + 1) or ''):match '@classmod (%S+)'
  entry.home = class and class .. ':' .. method
  return entry
end

-- The function that others call by their upvalue `f`: one of a file's state by the method of the file's userdata; one of axes by that which
-- takes frames, and by that of plot.
local function unwrapped(f, depth)
  for i = 1, 2 do
    local name, inner = debug.getupvalue(f, i)
    if name == 'f' and type(inner) == 'function' and depth < 2 then return unwrapped(inner, depth + 1) end
  end
  return f
end

-- The documentation of names without a comment in Lua.
local function ofNative(name)
  local line = native.line(name)
  if not line then return nil end
  local entry = described(line.meaning, 'function')
  entry.calls = { line.usage }
  return entry
end

-- The metatable of a class, from its constructor, an instance, or the result of nn.declare.
local function classOf(value)
  if type(value) == 'table' and rawget(value, 'declaration') and rawget(value, '__typename') then return value end
  for _, get in ipairs { getmetatable, debug.getmetatable } do
    local metatable = package.loaded['torch.class'] and get(value)
    if type(metatable) == 'table' and type(rawget(metatable, '__typename')) == 'string' then return metatable end
  end
end

-- A constructor that is a function of the class's file.
local function ofConstructor(f, expression)
  local file, _, lines = comments.sourceOf(f)
  for i = 1, file and 9 or 0 do
    if (lines[i] or ''):match '^%-%- @classmod (%S+)' == expression then
      local entry, made = described(comments.opening(file), 'class'), ofFunction(f) or { arguments = {} }
      entry.arguments, entry.place = made.arguments, made.place
      return entry
    end
  end
end

-- The modules that may document a field: the one with its owner's name, and those with an equal value under the same name.
local function modulesWith(owner, name, value)
  local modules = { owner }
  for module, loaded in next, package.loaded do
    local has = value ~= nil and type(loaded) == 'table' and module ~= owner and rawequal(rawget(loaded, name), value)
    if has then modules[#modules + 1] = module end
  end
  return modules
end

-- A field of a package or of a part of it, from the comment in its file: a C function, a table, a method with a second name.
local function ofField(expression, kind, value)
  local owner, name = expression:match '^([%w_.]+)[.:]([%w_]+)$'
  for _, module in ipairs(owner and modulesWith(owner, name, value) or {}) do
    local lines = comments.linesOf(fileOf(module) or '')
    local text = lines and (comments.saidOf(lines, name) or comments.ofName(lines, name))
    if text then return described(text, kind) end
  end
end

-- A package, from its file.
local function ofPackage(name)
  local text = name:find '^[%a_][%w_.]*$' and comments.opening(fileOf(name))
  return text and described(text, 'package')
end

-- A table of functions, from the file that returned it: a package's field may differ in name from its file.
local function ofTable(value, expression)
  for name, loaded in next, package.loaded do
    local entry = rawequal(loaded, value) and ofPackage(name)
    if entry then return entry end
  end
  return ofPackage(expression)
end

-- A value that is not a function.
local function ofValue(expression, value)
  local text = native.ofValue(expression, value)
  return text and described(text, 'value')
end

-- A class by its name in quotes.
local function ofName(expression, value)
  local class = type(value) == 'string' and expression:find '^[\'"]' and require 'torch'.getmetatable(value)
  return class and ofClass(class)
end

local stands = { x = 'torch.DoubleTensor', s = 'torch.LongStorage', file = 'torch.MemoryFile' }

-- A method of a class, or of the nearest parent that documents it.
local function ofMethodOf(metatable, name)
  while type(metatable) == 'table' do
    local value = metatable[name]
    if type(value) == 'function' then
      local entry = ofFunction(value, name) or ofFunction(unwrapped(value, 0), name)
      if entry then return entry end
    end
    metatable = getmetatable(metatable)
  end
end

-- A method of a class, `nn.Linear:noBias`; of tensors, storages and files by their names in documentation, unless a variable has such a
-- name.
local function ofMethod(expression)
  local owner, name = expression:match '^([%w_.]+)[:.]([%w_]+)$'
  if not owner or stands[owner] and rawget(_G, owner) ~= nil then return nil end
  if owner == 'ctx' then return ofNative(name) end
  local metatable = require 'torch'.getmetatable(stands[owner] or owner)
  if not metatable or type(metatable[name]) ~= 'function' then return nil end
  return ofMethodOf(metatable, name) or stands[owner] and (ofOp(name) or ofNative(name)) or ofField(expression, 'function')
end

-- A comment anywhere in the package on a method or field that no other function found.
local function ofAnyComment(expression)
  local package_, class, name = expression:match '^([%w_]+)%.([%w_.]-)[.:]?([%w_]+)$'
  if not package_ or not fileOf(package_) then return nil end
  local said = require 'trepl.said'(package_)
  local text = said[expression] or said[class:match '[%w_]*$' .. ':' .. name] or said[name]
  return text and described(comments.plain(text), 'function')
end

-- Loads a package that the program has not loaded yet.
local function load(name)
  if name and rawget(_G, name) == nil and fileOf(name) then
    local good, loaded = pcall(require, name)
    if good and rawget(_G, name) == nil then rawset(_G, name, loaded) end
  end
end

-- A second name of a function of torch, from the documentation of the usual name.
local function ofSynonym(expression, name, value)
  local owner, synonyms = expression:match '^(%w+)[.:]', require 'torch.names.synonyms'
  local isTorchs = owner == 'torch' or owner == 'x' or value and value == require('torch.tensor').methods[name]
  if not isTorchs then return nil end
  local base = name:match '^(%a.*)_$'      -- the form that changes its tensor
  if base then return ofSynonym(expression, base, value) or ofOp(base) or ofNative(base) end
  if synonyms.ops[name] then return ofOp(synonyms.ops[name]) end
  return synonyms.methods[name] and ofNative(synonyms.methods[name])
end

local function ofFunctionValue(value, expression, name)
  local synonym = ofSynonym(expression, name, value)
  if synonym then return synonym end
  return ofValue(expression) or ofConstructor(value, expression) or ofFunction(value, name) or ofFunction(unwrapped(value, 0), name)
    or ofMethod(expression) or ofOp(name) or ofNative(name) or ofField(expression, 'function') or ofPackage(expression)
end

-- Names without a value: a method of objects, a field of tensors, the bare name of an op.
local function ofNoValue(expression, name)
  local known = ofSynonym(expression, name) or ofValue(expression) or ofMethod(expression) or expression:find '%.' and ofPackage(expression)
  if known or not expression:find '^[%w_.:(]+$' then return known or nil end
  local isWithoutPackage = rawget(_G, expression:match '^[%w_]*') == nil      -- it can't be loaded without a GPU or library
  return (isWithoutPackage or expression:find ':') and ofAnyComment(expression) or ofOp(name)
end

local function find(expression)
  load(expression:match '^([%a_][%w_]*)')
  local locals = package.loaded['trepl.locals']
  local compiled = (locals and locals.compile or loadstring)('return ' .. expression:gsub(':', '.'))
  local good, value = pcall(compiled or error)
  local name = expression:match '([%w_]+)[%s(]*$' or ''
  local named = ofName(expression, value)
  if named then return named end
  local isNothing = not good or type(value) == 'nil'      -- a pointer that is NULL would equal nil
  if isNothing then return ofNoValue(expression, name) end
  if type(value) == 'function' then return ofFunctionValue(value, expression, name) or ofAnyComment(expression) end
  local class = classOf(value)
  if class then return ofClass(class) end
  return ofValue(expression, value) or ofField(expression, 'value', value) or type(value) == 'table' and ofTable(value, expression) or nil
end

-- Whether an expression is a name in a package, not a variable's field.
local function isOfPackage(expression)
  local package_ = expression:match '^([%w_]+)[.:]'
  return package_ ~= nil and fileOf(package_) ~= nil
end

-- Sets the entry's name to the requested one; for an object, to its class's. If the definition has another name, the entry shows both.
local function nameIt(entry, expression)
  local own = entry.name or entry.headed
  local asked = own == nil or isOfPackage(expression) or entry.kind ~= 'class' and expression:find '[.:]' ~= nil
  entry.name = asked and expression or own
  local first = entry.arguments and entry.arguments[1]
  if entry.namesSelf and entry.name:find ':' and first and first.name ~= '...' then table.remove(entry.arguments, 1) end
  if asked and own and own:match '[%w_]+$' ~= expression:match '[%w_]+$' then entry.sameAs = own end
  if not entry.calls[1] and (entry.kind == 'function' or entry.kind == 'class') then
    entry.calls = { ('%s(%s)'):format(entry.name, call.list(entry.arguments)) }
  end
  return entry
end

--- The documentation of an expression.
-- @string expression such as 'torch.add', 'x:sum', 'nn.Linear', 'paths.concat', or a variable with an instance of a class
-- @treturn ?table an entry; nil if unknown
function help.entry(expression)
  local entry = find(expression)
  return entry and nameIt(entry, expression)
end

-- The example from the reference's pages, by any name of an entry.
local function exampleOf(entry)
  local reference = require 'trepl.reference'
  for _, name in pairs { entry.name, entry.sameAs, entry.home } do
    local example = reference.find(name)
    if example then return example end
  end
end

--- The documentation of an expression, as plain text; for a package, also a list of its themes.
-- @string expression as for `help.entry`
-- @treturn ?string nil if unknown
function help.of(expression)
  local entry = help.entry(expression)
  if not entry then return nil end
  local manual = require 'trepl.manual'
  if entry.kind == 'package' and not expression:find '%.' then
    return manual.text(entry) .. manual.themes(require 'trepl.reference'.pages(expression))
  end
  return manual.text(entry, exampleOf(entry))
end

return help
