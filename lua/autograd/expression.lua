--- Compiles rules written as expressions, such as 'cmul(g, y)', to Lua functions. The tape calls the function if the backward pass itself
-- is recorded or watched; in a plain backward pass the binding runs the expression as a graph (engine/graph), without Lua.
--
-- An expression consists of
--
--     g, result      the gradient of the result, and the result; if the op has an argument g, the gradient is named h
--     none           an omitted argument, in rules that serve to derive formulas
--     x, dim, ...    arguments of the op, by the names in its signature; a number may have a minus sign
--     op(...)        any op of torch, called like the function; its result is a tensor
--     times(g, n)    mul(g, n), but g itself if n is 1
--     size(x)        the size of x; only the size is saved
--     sizeOf(x)      the same, but x is saved (by reference, without a check for changes of its elements): for views and parameters
--
-- Every name that occurs is saved until backward.
-- @module autograd.expression
local torch = require 'torch'
local saves = require 'autograd.saves'

local expression = {}

local function times(g, n) return n == 1 and g or torch.mul(g, n) end
local function size(x) return torch.isTensor(x) and x:size() or x end

--- Parses the expression of a rule or a formula into a tree.
-- @tparam string text
-- @tparam[opt='autograd.rules'] string where its location, for messages
-- @treturn table {call = name, trees..., result = n}, {name = name, entry = n, negative = boolean} or {number = n}: `op(...)[2]` is the
--   second result of an op, `input[2]` an entry of a list
function expression.parse(text, where)
  local at = 1
  local function refuse(what) error(("%s: '%s': %s at %d"):format(where or 'autograd.rules', text, what, at), 0) end
  local function token(pattern)
    local _, last, found = text:find('^%s*(' .. pattern .. ')', at)
    if last then at = last + 1 end
    return found
  end
  local function position()
    if not token '%[' then return nil end
    local number = token '%d+' or refuse 'expected a position'
    if not token '%]' then refuse 'expected ]' end
    return tonumber(number)
  end
  local function tree()
    local negative = token '%-' ~= nil
    local number = token '%d[%d.]*'
    if number then return { number = (negative and -1 or 1) * tonumber(number) } end
    local name = token '[%a_][%w_]*' or refuse 'expected a name'
    if not token '%(' then return { name = name, negative = negative, entry = position() } end
    local call = { call = name }
    repeat call[#call + 1] = tree() until not token ','
    if not token '%)' then refuse 'expected )' end
    call.result = position()
    return call
  end
  local whole = tree()
  if text:find('%S', at) then refuse 'expected the end' end
  return whole
end

local sizes = { size = 'size', sizeOf = 'like' }

-- Returns the name of the gradient.
local function gradientOf(arguments)
  for i = 1, #arguments do
    if arguments[i] == 'g' then return 'h' end
  end
  return 'g'
end

--- Compiles an expression.
-- @tparam string text
-- @tparam {string,...} arguments names of the op's arguments, in the signature's order
-- @tparam string op its name, for messages
-- @treturn function a rule as a function (see autograd.rules)
-- @treturn {string,...} the names of the ops that it calls
-- @treturn table keep position -> what is saved of the argument (see autograd.saves); position 0 is the result
function expression.compile(text, arguments, op)
  local gradient, last, called, keep = gradientOf(arguments), 0, {}, {}

  -- Returns the position of an argument, marks it as saved, and returns its name in Lua.
  local function place(name, kind)
    local position = name == 'result' and 0 or saves.positionOf(("%s: '%s'"):format(op, text), name, arguments)
    saves.collect({ { position, kind } }, keep)
    last = math.max(last, position)
    return position, 'a' .. position
  end

  -- Returns the Lua text of a tree.
  local function emit(node)
    if node.number then return ('%.17g'):format(node.number) end
    if node.name == gradient then return gradient end
    if node.name then return (node.negative and '-' or '') .. select(2, place(node.name, 'value')) end
    if sizes[node.call] then return ('size(%s)'):format(select(2, place(node[1].name, sizes[node.call]))) end
    local texts = {}
    for i = 1, #node do texts[i] = emit(node[i]) end
    called[#called + 1] = node.call == 'times' and 'mul' or node.call
    return ('%s(%s)'):format(node.call == 'times' and 'times' or 'torch.' .. node.call, table.concat(texts, ', '))
  end

  local body = emit(expression.parse(text))
  local names = { gradient }
  for i = 0, last do names[i + 2] = 'a' .. i end
  local source = ('local torch, times, size = ...\nreturn function(%s) return %s end'):format(table.concat(names, ', '), body)
  return assert(loadstring(source, '=' .. text))(torch, times, size), called, keep
end

return expression
