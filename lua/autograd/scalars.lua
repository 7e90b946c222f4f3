--- Numbers on the tape. The tape can't follow a Lua number, so a tensor with one element represents it. Functions of `torch` with a number
-- parameter accept such a tensor if their arguments would make no sense otherwise: torch.mul(x, t[1]), torch.ones(2, 2) * t[1]. While a
-- differentiated function runs, the meaning as a number has priority: `*` never means a product of vectors then, and a first argument is
-- never the result.
-- @module autograd.scalars
local torch, C = require 'torch', require 'libmoontorch'

local tracked, isTensor = C.tracked, torch.isTensor
local type, select = type, select

local scalars = {}

--- Returns whether a tensor represents a number.
function scalars.is(x)
  return type(x) == 'userdata' and tracked(x) and x:nElement() == 1 and x:dim() == 1
end

local is = scalars.is

local function ones(count)
  local sizes = {}
  for i = 1, count do sizes[i] = 1 end
  return torch.LongStorage(sizes)
end

local function alike(s, x) return s:type() == x:type() and s or s:type(x:type()) end

-- Functions that create the replacement of torch.<name> from the original.
local replacements = {}

function replacements.mul(original)
  return function(x, value, ...)
    if select('#', ...) == 0 and is(value) and type(x) == 'userdata' then return torch.cmul(x, alike(value, x)) end
    return original(x, value, ...)
  end
end

function replacements.div(original)
  return function(x, value, ...)
    if select('#', ...) == 0 and is(value) and type(x) == 'userdata' then return torch.cdiv(x, alike(value, x)) end
    return original(x, value, ...)
  end
end

function replacements.add(original)
  return function(x, value, y, ...)
    if is(value) and type(y) == 'userdata' and type(x) == 'userdata' and y:nElement() == x:nElement() then
      return original(x, torch.cmul(y, alike(value, y)), ...)
    end
    if y == nil then return original(x, value) end
    return original(x, value, y, ...)
  end
end

-- beta m + alpha P(a, b), where P is the op's result with beta 0. Four arguments are (beta, m, a, b), or (m, alpha, a, b).
local function combination(original)
  return function(...)
    local count, beta, m, alpha, a, b = select('#', ...), 1, ...
    if count == 5 then
      beta, m, alpha, a, b = ...
    elseif count == 4 then
      m, alpha, a, b = ...
      if is(m) and isTensor(alpha) then beta, m, alpha = m, alpha, 1 end
    end
    local wanted = (count == 4 or count == 5) and (is(beta) or is(alpha))
    if not wanted or not isTensor(m) then return original(...) end
    local function times(x, factor) return is(factor) and torch.cmul(x, alike(factor, x)) or torch.mul(x, factor) end
    return torch.add(times(m, beta), times(original(0, m, a, b), alpha))
  end
end
for _, name in ipairs { 'addmm', 'addmv', 'addr', 'addbmm', 'baddbmm' } do replacements[name] = combination end

-- Substitutes for ops that were called with a tracked number as an unsupported argument, by name: tried when no form of the op matches.
-- With three arguments, the number may be the second: its position in torch.mul(result, x, number).
local function scale(op)
  return function(isMethod, x, value, more)
    if more ~= nil then
      return isTensor(x) and isTensor(value) and is(more) and not isMethod and torch[op](x, value, alike(more, value)) or nil
    end
    if not isTensor(x) or not isTensor(value) then return nil end
    if not is(value) then
      if isMethod or op ~= 'cmul' then return nil end
      x, value = value, x
    end
    value = alike(value, x)
    if isMethod then return x[op](x, value) end
    return torch[op](x, value)
  end
end
local standIns = { mul = scale 'cmul', div = scale 'cdiv' }

function standIns.fill(isMethod, x, value)
  if not isMethod or not isTensor(x) or not is(value) then return nil end
  return x:copy(torch.expandAs(torch.reshape(alike(value, x), ones(x:dim())), x))
end

--- Calls the substitute for an op that doesn't support its arguments; returns nil if there is none for them.
function scalars.standIn(name, isMethod, ...)
  local standIn = standIns[name]
  return standIn and standIn(isMethod, ...)
end

local numberClasses = { 'torch.FloatTensor', 'torch.DoubleTensor' }

-- Returns the operator `*` for operands of which one may represent a number. Two vectors still have their product.
local function product(original)
  return function(a, b)
    if type(a) == 'userdata' and type(b) == 'userdata' and (is(a) or is(b)) then
      local isNumber, other = is(b) and b or a, is(b) and a or b
      if other:dim() ~= 1 or other:nElement() ~= 1 then return torch.cmul(other, alike(isNumber, other)) end
    end
    return original(a, b)
  end
end

local kept = {}

local function install()
  for name, make in pairs(replacements) do
    kept[name] = torch[name]
    torch[name] = make(torch[name])
  end
  for _, class in ipairs(numberClasses) do
    local metatable = torch.getmetatable(class)
    kept[class] = rawget(metatable, '__mul')
    metatable.__mul = product(kept[class])
  end
end

local function uninstall()
  for name in pairs(replacements) do torch[name] = kept[name] end
  for _, class in ipairs(numberClasses) do torch.getmetatable(class).__mul = kept[class] end
  kept = {}
end

-- The coroutines of the running differentiated functions, as weak references: an entry is dropped together with a coroutine that never
-- resumes.
local runs, weak, main = {}, { __mode = 'v' }, {}

local function countRuns()
  for i = #runs, 1, -1 do
    if runs[i][1] == nil then table.remove(runs, i) end
  end
  return #runs
end

--- Lets tensors with one element serve as numbers until `leave`. Calls may be nested.
function scalars.enter()
  if countRuns() == 0 and not next(kept) then install() end
  runs[#runs + 1] = setmetatable({ coroutine.running() or main }, weak)
end

--- Ends the effect of the coroutine's last `enter`.
function scalars.leave()
  local here = coroutine.running() or main
  for i = #runs, 1, -1 do
    if runs[i][1] == here then
      table.remove(runs, i)
      break
    end
  end
  if countRuns() == 0 then uninstall() end
end

--- Returns whether this code runs inside a differentiated function. One that is suspended in another coroutine doesn't count.
function scalars.inside()
  for i = 1, countRuns() do
    local run = runs[i][1]
    if run == main or coroutine.status(run) ~= 'suspended' then return true end
  end
  return false
end

return scalars
