--- PyTorch's names of methods that change their tensor: they end with an underscore, and exist for every op with a method.
-- Where the method itself changes the tensor, as most of Torch7's do, `x:name_(...)` is `x:name(...)`. Otherwise it copies the result of
-- the method into x, or, if the result is a view, makes x this view. `torch.name_(x, ...)` calls the method.
-- @module torch.names.in_place
local C, torch = require 'libmoontorch', require 'torch'
local check, tensors = require 'torch.check', require 'torch.tensor'
local sizesOf = require('torch.check.message').sizes
local synonyms = require 'torch.names.synonyms'

local inPlace = {}

-- The methods that PyTorch's names with an underscore mean, where Torch7's method of the name means something else or has another name.
-- Torch7's mul, div and sub accept no tensors; its random includes the upper bound.
local special = {
  mul = 'cmul', div = 'cdiv', sub = 'csub', multiply = 'cmul', subtract = 'csub', resize = 'resize', resizeAs = 'resizeAs', set = 'set',
  apply = 'apply', map = 'map', map2 = 'map2', requiresGrad = 'requiresGrad', shareMemory = 'share',
  fillDiagonal = 'fillDiagonal',
}

-- Copies a result into x.
local function written(name, x, result)
  if not torch.isTensor(result) then check.raise(('%s: x: %s, expected a tensor that its result fits'):format(name, sizesOf(x))) end
  if not result:isSameSizeAs(x) then
    check.raise(('%s: x: %s, expected %s, the sizes of the result'):format(name, sizesOf(x), sizesOf(result)), 'shape')
  end
  if result:isFloatingPoint() and not x:isFloatingPoint() then
    check.raise(('%s: x: %s, expected a tensor of floats, as the result is'):format(name, x:type()), 'dtype')
  end
  return x:copy(result)
end

local function random_(x, first, beyond)
  check.tensor('random_', 'x', x)
  if first == nil then return x:random() end
  if beyond == nil then first, beyond = 0, first end
  check.int('random_', 'from', first)
  check.int('random_', 'to', beyond, { min = first + 1 })
  return x:random(first, beyond - 1)
end

-- Returns x, or a copy for the tape, which keeps arguments for the backward pass.
local function kept(x, ...)
  local isTracked = C.tracked(x)
  for i = 1, select('#', ...) do
    local argument = select(i, ...)
    isTracked = isTracked or C.isTensor(argument) and C.tracked(argument)
  end
  return isTracked and C.gradMode() and torch.clone(x) or x
end

-- Forgets the history of x.
local function detach_(x)
  check.tensor('detach_', 'x', x)
  if C.tracked(x) then C.setNode(x, nil) end
  return x
end

-- Makes x the view that a function returns.
local function turned(name, view)
  return function(x, ...)
    check.tensor(name, 'x', x)
    if C.tracked(x) then check.raise(('%s: x: a tensor on the tape, expected another one: views of it are new tensors'):format(name)) end
    return x:set(check.call(view, x, ...))
  end
end

--- Returns the method of a name that ends with an underscore.
-- @string name
-- @treturn ?function nil if there is no method without the underscore, or it changes nothing
function inPlace.method(name)
  local base = type(name) == 'string' and name:match '^(%a[%w_]*)_$'
  if not base then return nil end
  if not C.opInfo(base, 'method') then base = base:gsub('_(%w)', string.upper) end
  if base == 'random' then return random_ end
  if base == 'detach' then return detach_ end
  if special[base] then return tensors.methods[special[base]] end
  local own = synonyms.ops[base] or base
  local method = tensors.methods[own]
  if method == nil then return nil end
  local kind = C.opInfo(own, 'method')
  if synonyms.views[base] or kind and C.opInfo(own, 'sharing') == 'view' then return turned(name, method) end
  if not synonyms.copied[base] then
    if not kind or kind == 'none' then return nil end
    if kind ~= 'returns' then return method end
  end
  local compute = torch[own] or method
  return function(x, ...)
    check.tensor(name, 'x', x)
    return written(name, x, (check.call(compute, kept(x, ...), ...)))
  end
end

--- Returns the function of torch that calls such a method.
-- @string name
-- @treturn ?function
function inPlace.call(name)
  local method = inPlace.method(name)
  if not method then return nil end
  return function(x, ...)
    check.tensor(name, 'x', x)
    return method(x, ...)      -- a tail call: errors report the caller's line
  end
end

return inPlace
