--- What is known about a function or class: from the registry of ops, or from the comment above its definition.
-- @module trepl.help
local native = require 'trepl.native'

local help = {}

local function readLines(name)
  local file = io.open(name)
  if not file then return nil end
  local lines = {}
  for line in file:lines() do lines[#lines + 1] = line end
  file:close()
  return lines
end

-- The comment that ends above a line, without its dashes.
local function commentAbove(lines, at)
  local first = at
  while first > 1 and lines[first - 1]:find '^%s*%-%-' do first = first - 1 end
  local text = {}
  for i = first, at - 1 do
    local line = lines[i]:gsub('^%s*%-%-+%s?', '')
    if not line:find '^@function ' then text[#text + 1] = line end
  end
  return #text > 0 and table.concat(text, '\n') or nil
end

-- The comment above the line that gives a name to what a function makes: `elementwise('mseLoss', function ...`, `util.lt = comparison(...`.
local function commentOfName(lines, name)
  for i, line in ipairs(lines) do
    local names = line:find("'" .. name .. "'", 1, true) or line:match '^[%w_]+%.([%w_]+) =' == name
    if names and not line:find '^%s*%-%-' then
      local text = commentAbove(lines, i)
      if text then return text end
    end
  end
end

-- The comment that says it is of a name: `-- @function loadPNG`, above what makes several functions.
local function commentFor(lines, name)
  for i, line in ipairs(lines) do
    local known = line:match '^%s*%-%-+%s*@function%s+(%S+)%s*$'
    if known and known:match '[^.:]*$' == name then
      while lines[i] and lines[i]:find '^%s*%-%-' do i = i + 1 end
      return commentAbove(lines, i)
    end
  end
end

-- The source file, the line and the lines of a Lua function; nil for native ones and those that were typed in.
local function sourceOf(f)
  local info = debug.getinfo(f, 'S')
  local lines = info.source:sub(1, 1) == '@' and readLines(info.source:sub(2))
  if lines and lines[info.linedefined] then return info.short_src, info.linedefined, lines end
end

--- The comment above a function.
-- @tparam function f
-- @treturn ?string nil for native ones, and where there is none
function help.comment(f)
  local _, at, lines = sourceOf(f)
  return lines and commentAbove(lines, at)
end

-- A Lua function's header, comment and place; nil where there is no comment.
local function ofFunction(f, name)
  local file, at, lines = sourceOf(f)
  if not file then return nil end
  local text = name and commentFor(lines, name) or commentAbove(lines, at) or name and commentOfName(lines, name)
  return text and ('%s\n%s\n%s:%d'):format(lines[at]:match '^%s*(.-)%s*$', text, file, at)
end

-- A function of a file's state, behind the method of the file's userdata.
local function unwrapped(f)
  for i = 1, 2 do
    local name, inner = debug.getupvalue(f, i)
    if name == 'f' and type(inner) == 'function' then return inner end
  end
  return f
end

-- An op of the registry.
local function ofOp(name)
  local there, torch = pcall(require, 'torch')
  local op = there and torch.ops[name]
  if not op then return nil end
  local arguments = {}
  for i, param in ipairs(op.params) do arguments[i] = param.optional and '[' .. param.name .. ']' or param.name end
  return ('torch.%s([result,] %s)\n%s'):format(op.name, table.concat(arguments, ', '), op.doc)
end

-- The comment that a file opens with.
local function openingOf(name)
  local lines = name and readLines(name)
  local last = 0
  while lines and lines[last + 1] and lines[last + 1]:find '^%-%-' do last = last + 1 end
  return last > 0 and (commentAbove(lines, last + 1) .. '\n'):gsub('@%a*mod%a* [^\n]*\n', '') or nil
end

-- The names of the methods in a class's metatable, and in what it shares with others.
local function methodsOf(metatable)
  local methods, seen = {}, {}
  local function add(name)
    if type(name) == 'string' and not name:find '^_' and not seen[name] then
      seen[name] = true
      methods[#methods + 1] = name
    end
  end
  for _, layer in ipairs { metatable, (debug.getmetatable(metatable) or {}).__index } do
    if type(layer) == 'table' then
      for key, value in next, layer do
        if type(value) == 'function' then add(key) end
      end
      local lazy = (debug.getmetatable(layer) or {}).__names
      for _, name in ipairs(type(lazy) == 'function' and lazy() or {}) do add(name) end
    end
  end
  table.sort(methods)
  return methods
end

-- What a class is, for torch.Tensor and its kin from their list; else by its file: the one of its name, or the one that its
-- constructor or a method is from.
local function openingOfClass(name, metatable)
  local listed = native.of(name:match '%u%l+$' or '')
  if listed then return listed .. '\n' end
  local opening = openingOf(package.searchpath(require 'nn.recurrent.requested'(name) or name, package.path))
  if opening or rawget(metatable, 'declaration') then return opening end
  for _, member in ipairs { '__init', 'new', methodsOf(metatable)[1] } do
    local f = rawget(metatable, member)
    local file = type(f) == 'function' and debug.getinfo(f, 'S').source:match '^@(.*)'
    if file then return openingOf(file) end
  end
end

-- The comment above a class's declaration (nn.support.declare), which tells of the constructor's arguments, and its place.
local function ofDeclaration(metatable)
  local source = metatable.declaredIn:match '^@(.*)'
  local lines = source and readLines(source)
  local name = metatable.declaration.name
  for i, line in ipairs(lines or {}) do
    if line:find('name = ' .. "'" .. name .. "'", 1, true) or line:find('name = "' .. name .. '"', 1, true) then
      local first = i
      while first > 1 and not lines[first]:find 'declare' do first = first - 1 end
      local comment = commentAbove(lines, first)
      if comment and comment:find '@classmod' then comment = nil end  -- the file's own, which is shown already
      return (comment and comment .. '\n' or '') .. ('%s:%d\n'):format(source, first)
    end
  end
  return ''
end

-- How a class is made.
local function constructorOf(metatable)
  local call = metatable.declaration and require('nn.support.describe').call(metatable)
  if call then return call .. '\n' .. ofDeclaration(metatable) end
  local init = metatable.__init
  local file, at, lines
  if type(init) == 'function' then file, at, lines = sourceOf(init) end
  return file and (ofFunction(init) or lines[at]:match '^%s*(.-)%s*$') .. '\n' or ''
end

-- A class: what it is, its constructor, what its declaration says, and its methods.
local function ofClass(metatable)
  local name = rawget(metatable, '__typename')
  local facts = metatable.declaration and require('nn.support.describe').facts(metatable) or {}
  facts[#facts + 1] = 'methods: ' .. table.concat(methodsOf(metatable), ' ')
  return ('%s\n%s%s%s'):format(name, openingOfClass(name, metatable) or '', constructorOf(metatable), table.concat(facts, '\n'))
end

-- The metatable of a class, by its constructor or an instance; of a declared one by what nn.declare gave, too.
local function classOf(value)
  if type(value) == 'table' and rawget(value, 'declaration') and rawget(value, '__typename') then return value end
  for _, get in ipairs { getmetatable, debug.getmetatable } do
    local metatable = package.loaded['torch.class'] and get(value)
    if type(metatable) == 'table' and type(rawget(metatable, '__typename')) == 'string' then return metatable end
  end
end

-- A constructor that is a function of the class's file.
local function ofConstructor(f, expression)
  local file, _, lines = sourceOf(f)
  for i = 1, file and 9 or 0 do
    if (lines[i] or ''):match '^%-%- @classmod (%S+)' == expression then
      return expression .. '\n' .. openingOf(file) .. (ofFunction(f) or '')
    end
  end
end

-- A function of C's that a package gives, by the comment in the package's file.
local function ofPackageField(expression, name)
  local package_ = expression:match '^([%w_]+)%.'
  local lines = package_ and readLines(package.searchpath(package_, package.path) or '')
  local text = lines and (commentFor(lines, name) or commentOfName(lines, name))
  return text and ('%s\n%s'):format(expression, text)
end

-- A package, of which nothing but its file is known.
local function ofPackage(name)
  return name:find '^[%a_][%w_.]*$' and openingOf(package.searchpath(name, package.path))
end

-- A table of functions, by the file that gave it: a package's field need not have the name of its file.
local function ofTable(value, expression)
  for name, loaded in next, package.loaded do
    local opening = rawequal(loaded, value) and ofPackage(name)
    if opening then return opening end
  end
  return ofPackage(expression)
end

-- A class of ours that a program has to ask for.
local function ofRequested(name)
  local opening = openingOf(package.searchpath(require 'nn.recurrent.requested'(name), package.path))
  return ("%s comes with require 'nn.recurrent'\n%s"):format(name, opening)
end

-- A class by its name in quotes.
local function ofName(expression, value)
  local class = type(value) == 'string' and expression:find '^[\'"]' and require 'torch'.getmetatable(value)
  return class and ofClass(class)
end

-- A package that no program has asked for yet is loaded, as it is about to be used.
local function load(name)
  if name and rawget(_G, name) == nil and package.searchpath(name, package.path) then
    local good, loaded = pcall(require, name)
    if good and rawget(_G, name) == nil then rawset(_G, name, loaded) end
  end
end

local function find(expression)
  load(expression:match '^([%a_][%w_]*)')
  local locals = package.loaded['trepl.locals']
  local compiled = (locals and locals.compile or loadstring)('return ' .. expression:gsub(':', '.'))
  local good, value = pcall(compiled or error)
  local name = expression:match '([%w_]+)[%s(]*$' or ''
  if good and value == nil and require 'nn.recurrent.requested'(expression) then return ofRequested(expression), name end
  local named = ofName(expression, value)
  if named then return named, name end
  if not good or value == nil then return ofOp(name), name end
  if type(value) == 'function' then
    return native.ofValue(expression) or ofConstructor(value, expression) or ofFunction(value, name) or ofFunction(unwrapped(value), name)
      or ofOp(name) or native.of(name) or ofPackageField(expression, name) or ofPackage(expression), name
  end
  local class = classOf(value)
  if class then return ofClass(class), name end
  return native.ofValue(expression, value) or type(value) == 'table' and ofTable(value, expression) or nil, name
end

--- The documentation of an expression.
-- @string expression such as 'torch.add', 'x:sum', 'nn.Linear', 'paths.concat', or a variable with an instance of a class
-- @treturn ?string nil when nothing is known
function help.of(expression)
  local text, name = find(expression)
  if not text or text:find(name, 1, true) or not expression:find '[.:]' then return text end
  local isOther = text:find '^function ' or text:find '^torch%.[%w_]+%('      -- it goes by another name there
  return expression .. (isOther and ' is the same as\n' or '\n') .. text
end

return help
