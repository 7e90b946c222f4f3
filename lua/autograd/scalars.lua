--- Numbers on the tape. A Lua number can't be followed, so a tensor of one element stands for it, which the functions of `torch` that want
-- a number take, too, where their arguments would make no sense else: torch.mul(x, t[1]), torch.ones(2, 2) * t[1]. While a differentiated
-- function runs, it is taken for a number first: `*` then never means a product of vectors, nor a first argument the result.
-- @module autograd.scalars
local torch, C = require 'torch', require 'libmoontorch'

local tracked, isTensor = C.tracked, torch.isTensor
local type, select = type, select

local scalars = {}

--- Whether a tensor stands for a number.
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

-- What takes the place of torch.<name>, given the original.
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

-- beta m + alpha P(a, b), where P is what the op gives with beta 0. Four arguments are (beta, m, a, b), or (m, alpha, a, b).
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

-- What an op does that was called with a tracked number where it takes none, by name: these are tried when nothing else fits. The last
-- argument but one of three is the number's place in torch.mul(result, x, number).
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

--- Does what an op can't with the arguments that came; nil where nothing can be meant.
function scalars.standIn(name, isMethod, ...)
  local standIn = standIns[name]
  return standIn and standIn(isMethod, ...)
end

local numberClasses = { 'torch.FloatTensor', 'torch.DoubleTensor' }

-- `a * b` where one of them stands for a number and the product of vectors isn't meant.
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

-- The coroutines of the differentiated functions that are running, each weakly: one that is left suspended goes with its coroutine.
local runs, weak, main = {}, { __mode = 'v' }, {}

local function countRuns()
  for i = #runs, 1, -1 do
    if runs[i][1] == nil then table.remove(runs, i) end
  end
  return #runs
end

--- From now on, until `leave`, tensors of one element serve as numbers. Calls may be nested.
function scalars.enter()
  if countRuns() == 0 and not next(kept) then install() end
  runs[#runs + 1] = setmetatable({ coroutine.running() or main }, weak)
end

--- Ends what the coroutine's last `enter` began.
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

--- Whether a differentiated function is running that this code is part of, rather than one that waits in a coroutine.
function scalars.inside()
  for i = 1, countRuns() do
    local run = runs[i][1]
    if run == main or coroutine.status(run) ~= 'suspended' then return true end
  end
  return false
end

return scalars
