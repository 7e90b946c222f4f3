--- Declares what a rule that is a function saves for backward: 'size(x), dim, result[2]'.
--
--     x, dim, ...   arguments of the op, by the names in its signature
--     size(x)       the size of x, and type(x) its type; only these are saved
--     like(x)       x, without a check for changes of its elements: for tensors whose sizes are queried, or that are templates of new ones
--     result        the result; if the op has several, result[2] is the second
--     ...           all arguments after the last named one
--
-- The saved values are the function's parameters, in this order, after the gradient.
-- @module autograd.saves

local saves = {}

local partial = { size = true, type = true, like = true }

--- Returns the position of an argument that a rule names.
-- @tparam string rule for the message
-- @tparam string name
-- @tparam {string,...} arguments of the op
-- @raise if the op has no such argument
function saves.positionOf(rule, name, arguments)
  for i = 1, #arguments do
    if arguments[i] == name then return i end
  end
  local known = #arguments > 0 and table.concat(arguments, ', ') or 'none'
  error(("autograd.rules: %s: '%s', expected an argument of the op (%s) or result"):format(rule, name, known), 0)
end

-- Parses one entry of a declaration: {position, kind, result number}.
local function entryOf(op, text, arguments, results)
  local kind, inside = text:match '^(%a+)%(([%w_]+)%)$'
  local number = tonumber(text:match '^result%[(%d+)%]$')
  if kind and not partial[kind] then
    error(("autograd.rules: %s: '%s', expected size, type or like"):format(op, text), 0)
  elseif text == 'result' and results == 1 then
    return { 0, 'value' }
  elseif text == 'result' or number and not (results > 1 and number >= 1 and number <= results) then
    local expected = results == 1 and 'result' or ('result[1..%d]'):format(results)
    error(("autograd.rules: %s: '%s', expected %s"):format(op, text, expected), 0)
  elseif number then
    return { 0, 'value', number }
  end
  return { saves.positionOf(op, inside or text, arguments), kind or 'value' }
end

--- Parses a declaration.
-- @tparam string op its name, for messages
-- @tparam string text
-- @tparam {string,...} arguments of the op, in the signature's order
-- @tparam int results number of results of the op
-- @treturn {table,...} {position, kind, result}: position 0 is a result, with its number if there are several; kind 'value', 'size', 'type'
--   or 'like'
-- @raise if the op has no such argument or result
function saves.read(op, text, arguments, results)
  local entries, last = {}, 0
  for part in text:gmatch '[^,]+' do
    part = part:match '^%s*(.-)%s*$'
    if part == '...' then
      for i = last + 1, #arguments do entries[#entries + 1] = { i, 'value' } end
    else
      local entry = entryOf(op, part, arguments, results)
      entries[#entries + 1], last = entry, math.max(last, entry[1])
    end
  end
  return entries
end

--- Raises an error if a function has a different number of parameters from its declaration.
function saves.check(op, gradient, count)
  local described = debug.getinfo(gradient, 'u')
  local takes = described.nparams - 1
  if takes > count or not described.isvararg and takes < count and count > 0 then
    error(('autograd.rules: %s: a function of the gradient and %d saved values, which takes %d'):format(op, count, takes), 0)
  end
end

-- If another function saves an argument as a whole, these convert it to the size or type that a function declares.
local convert = {}
function convert.size(value)
  if type(value) ~= 'table' then return type(value) == 'userdata' and value:size() or value end
  local list = {}
  for i = 1, #value do list[i] = value[i]:size() end
  return list
end
function convert.type(value) return type(value) == 'userdata' and value:type() or value end

local makers = {}

-- Returns a function that generates, from f and its arguments (as text), a function of the gradient, the saved results and all arguments up
-- to `last`.
local function makerOf(last, passed)
  local parameters = { 'g', 'y' }
  for i = 1, last do parameters[i + 2] = 'a' .. i end
  local text = ('local f, size, type = ...\nreturn function(%s) return f(%s) end'):format(table.concat(parameters, ', '),
    table.concat(passed, ', '))
  makers[text] = makers[text] or assert(loadstring(text, '=a rule with what it saves'))
  return makers[text]
end

-- Returns the code of the argument that a function receives for an entry. `keep`: the kind of the saved data for each position.
local function passedFor(entry, keep)
  local position, kind, number = unpack(entry, 1, 3)
  if number then return ('y[%d]'):format(keep[0] == 'rest' and number - 1 or number) end
  local text = position == 0 and 'y' or 'a' .. position
  return convert[kind] and keep[position] ~= kind and ('%s(%s)'):format(kind, text) or text
end

--- Returns a part of a rule in the form that the tape calls: with the gradient, the saved results, and the arguments.
-- @tparam table part f: a function; saves: entries as `read` returns them, which are its parameters in that order; or, if `placed` is set,
--   f receives all arguments at their positions, complete ones even for sizes
-- @tparam table keep position -> what is saved for all parts of the rule
-- @treturn function
function saves.adapt(part, keep)
  if part.placed then return part.f end
  local passed, last = { 'g' }, 0
  for i, entry in ipairs(part.saves) do
    last = math.max(last, entry[1])
    passed[i + 1] = passedFor(entry, keep)
  end
  return makerOf(last, passed)(part.f, convert.size, convert.type)
end

--- Returns the saved values as entries, from a table by positions.
-- @tparam table kinds position -> 'value', 'size', 'type' or 'like'
-- @treturn {table,...}
function saves.listed(kinds)
  local entries = {}
  for position, kind in pairs(kinds) do entries[#entries + 1] = { position, kind } end
  return entries
end

--- Adds what a function saves to what the other functions of its rule save.
-- @tparam {table,...} entries as `read` returns them
-- @tparam table keep position -> 'value', 'size', 'type' or 'like'; at 0 'value', or 'rest' if the first of several results isn't saved
function saves.collect(entries, keep)
  for _, entry in ipairs(entries) do
    local position, kind, number = unpack(entry, 1, 3)
    local held = keep[position]
    if position == 0 then
      keep[0] = (held == 'value' or not number or number == 1) and 'value' or 'rest'
    elseif not held or held == kind then
      keep[position] = kind
    else
      keep[position] = (held == 'value' or kind == 'value') and 'value' or 'like'
    end
  end
end

return saves
