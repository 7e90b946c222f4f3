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
local function opening(f)
  local info = debug.getinfo(f, 'S')
  local lines = info.source:sub(1, 1) == '@' and readLines(info.source:sub(2))
  local last = 0
  while lines and lines[last + 1] and lines[last + 1]:find '^%-%-' do last = last + 1 end
  return last > 0 and commentAbove(lines, last + 1) .. '\n' or ''
end

-- The constructor of a class, and its methods.
local function ofClass(constructor)
  local class = package.loaded['torch.class']
  local metatable = class and getmetatable(constructor)
  local name = type(metatable) == 'table' and rawget(metatable, '__typename')
  if not name then return nil end
  local methods = {}
  for key, value in next, metatable do
    if type(key) == 'string' and type(value) == 'function' and not key:find '^_' then methods[#methods + 1] = key end
  end
  table.sort(methods)
  local init = metatable.__init
  local own = init and opening(init) .. (ofFunction(init) or '') .. '\n' or ''
  return ('%s\n%smethods: %s'):format(name, own, table.concat(methods, ' '))
end

--- The documentation of an expression.
-- @string expression such as 'torch.add', 'x:sum', 'nn.Linear', 'paths.concat'
-- @treturn ?string nil when nothing is known
function help.of(expression)
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
  return ofOp(expression:match '([%w_]+)[%s(]*$' or '') or good and type(value) == 'function' and ofFunction(value) or nil
end

return help
