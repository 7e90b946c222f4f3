--- Local variables of a session: variables declared at the top level of an input are visible in the next ones.
-- Each input is compiled as a function below a declaration of the variables that it mentions, and its upvalues are joined with those of
-- earlier inputs. So they are the same variables, not copies, also for closures. An input returns closures that hold its new variables.
-- @module trepl.locals
local tokens = require 'torch.start.tokens'

local locals = { source = '=stdin' }      -- the name of inputs in messages, as for loadstring

local cells = {}      -- by name: a closure whose only upvalue is the variable, so that it references no other one

local opens = { ['function'] = 1, ['do'] = 1, ['then'] = 1, ['repeat'] = 1, ['end'] = -1, ['until'] = -1, ['elseif'] = -1 }

-- Adds the names in a declaration after token i.
local function addDeclared(list, i, declared)
  if list[i + 1] and list[i + 1].text == 'function' then i = i + 1 end
  repeat
    i = i + 1
    if list[i] and list[i].kind == 'word' and not declared[list[i].text] then
      declared[list[i].text] = true
      declared[#declared + 1] = list[i].text
    end
    i = i + 1
  until not (list[i] and list[i].text == ',')
end

-- The variables of the session that a text mentions, and those that it declares at its top level.
local function scan(text)
  local list, used, declared, depth = tokens.of(text), {}, {}, 0
  for i, token in ipairs(list) do
    if token.kind == 'word' then
      local name = token.text
      if name == 'local' and depth == 0 then addDeclared(list, i, declared) end
      depth = depth + (opens[name] or 0)
      if cells[name] and not used[name] then
        used[name] = true
        used[#used + 1] = name
      end
    end
  end
  return used, declared
end

-- A statement that returns a closure for each variable, by its name.
local function holding(names)
  local entries = {}
  for i, name in ipairs(names) do entries[i] = ('%s = function() return %s end'):format(name, name) end
  return '\nreturn { ' .. table.concat(entries, ', ') .. ' }'
end

local function join(f)
  local i, name = 1, debug.getupvalue(f, 1)
  while name do
    if cells[name] then debug.upvaluejoin(f, i, cells[name], 1) end
    i = i + 1
    name = debug.getupvalue(f, i)
  end
  return f
end

--- Compiles an input with the session's variables.
-- @string text
-- @string[opt] parameters names of the function's arguments
-- @treturn ?function
-- @treturn ?string the error if there is no function
-- @treturn ?{string,...} the variables that it declares; if there are any, pass its result to `keep`
function locals.compile(text, parameters)
  local plain, failure = loadstring((parameters and 'local ' .. parameters .. ' = ... ' or '') .. text, locals.source)
  if not plain then return nil, failure end
  local used, declared = scan(text)
  if not used[1] and not declared[1] then return plain end
  local body = ('%sreturn function(%s) %s'):format(used[1] and 'local ' .. table.concat(used, ', ') .. ' ' or '', parameters or '...', text)
  local make = declared[1] and loadstring(body .. holding(declared) .. '\nend', locals.source)
  if make then return join(make()), nil, declared end
  make, failure = loadstring(body .. '\nend', locals.source)      -- the text may end with a `return`
  return make and join(make()), failure
end

--- Stores the variables of an input that has run.
-- @tparam {string,...} declared
-- @param closures its result: the closure of each variable by name, or anything else if it had a `return`
function locals.keep(declared, closures)
  if type(closures) ~= 'table' then return end
  for _, name in ipairs(declared) do
    local closure = rawget(closures, name)
    if type(closure) == 'function' and debug.getupvalue(closure, 1) == name then cells[name] = closure end
  end
end

-- A new variable with a value.
local function variable(value)
  return function() return value end
end

--- Stores the variables that a failed input declared before the error; for its error handler.
-- @tparam function f the input
-- @tparam {string,...} declared
function locals.rescue(f, declared)
  local level, info = 2, debug.getinfo(2, 'f')
  while info and info.func ~= f do
    level = level + 1
    info = debug.getinfo(level, 'f')
  end
  local i, name, value = 0, nil, nil
  repeat
    if name and declared[name] then cells[name] = variable(value) end
    i = i + 1
    if info then name, value = debug.getlocal(level, i) end
  until not (info and name)
end

--- Whether the session has a variable with a name, and its value.
-- @string name
-- @treturn boolean
-- @return the value
function locals.get(name)
  if not cells[name] then return false end
  return true, (cells[name]())
end

--- The names of the session's variables.
-- @treturn {string,...} sorted
function locals.names()
  local names = {}
  for name in pairs(cells) do names[#names + 1] = name end
  table.sort(names)
  return names
end

return locals
