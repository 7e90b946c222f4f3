--- What is known about a function or class: from the registry of ops, or from the comment above its definition.
-- @module trepl.help
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
  for i = first, at - 1 do text[#text + 1] = (lines[i]:gsub('^%s*%-%-+%s?', '')) end
  return #text > 0 and table.concat(text, '\n') or nil
end

-- A Lua function's header and comment; nil for native ones and those that were typed in.
local function ofFunction(f)
  local info = debug.getinfo(f, 'S')
  local lines = info.source:sub(1, 1) == '@' and readLines(info.source:sub(2))
  if not lines or not lines[info.linedefined] then return nil end
  local header = lines[info.linedefined]:match '^%s*(.-)%s*$'
  return ('%s\n%s\n%s:%d'):format(header, commentAbove(lines, info.linedefined) or 'no documentation', info.short_src, info.linedefined)
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
  return last > 0 and commentAbove(lines, last + 1) .. '\n' or ''
end
local function opening(f) return openingOf(debug.getinfo(f, 'S').source:match '^@(.*)') end

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

-- The constructor of a class, and its methods.
local function ofClass(constructor)
  local class = package.loaded['torch.class']
  local metatable = class and getmetatable(constructor)
  local name = type(metatable) == 'table' and rawget(metatable, '__typename')
  if not name then return nil end
  local init = metatable.__init
  local own = init and opening(init) .. (ofFunction(init) or '') .. '\n' or ''
  return ('%s\n%smethods: %s'):format(name, own, table.concat(methodsOf(metatable), ' '))
end

-- A package, of which nothing but its file is known; one that no program has asked for yet is loaded, as it is about to be used.
local function ofPackage(name)
  local file = name:find '^[%a_][%w_]*$' and package.searchpath(name, package.path)
  if not file then return nil end
  return rawget(_G, name) ~= nil and openingOf(file) or nil
end

local function load(name)
  if name and rawget(_G, name) == nil and package.searchpath(name, package.path) then
    local good, loaded = pcall(require, name)
    if good and rawget(_G, name) == nil then rawset(_G, name, loaded) end
  end
end

--- The documentation of an expression.
-- @string expression such as 'torch.add', 'x:sum', 'nn.Linear', 'paths.concat'
-- @treturn ?string nil when nothing is known
function help.of(expression)
  load(expression:match '^([%a_][%w_]*)')
  local compiled = loadstring('return ' .. expression:gsub(':', '.'))
  local good, value = pcall(compiled or error)
  if good and type(value) == 'table' then
    local text = ofClass(value)
    if text then return text end
  end
  if good and type(value) == 'function' then
    local text = ofFunction(value)
    if text and not text:find('no documentation', 1, true) then return text end
  end
  local package_ = ofPackage(expression)
  if package_ then return package_ end
  return ofOp(expression:match '([%w_]+)[%s(]*$' or '') or good and type(value) == 'function' and ofFunction(value) or nil
end

return help
