--- Engine ops with a rule of Torch7's that their signatures can't express: clamp requires a bound, and cpow of integers returns integers.
-- @module torch.names.torch7
local C = require 'libmoontorch'
local torch = require 'torch'

local error, select, tonumber, type = error, select, tonumber, type

local function isNumber(x) return type(x) == 'number' or type(x) == 'string' and tonumber(x) ~= nil end
local function isBound(x) return x ~= nil and not torch.isTensor(x) end

-- Both bounds have defaults, so that either may be omitted; without any, x would be returned unchanged.
local function bounded(clamp)
  return function(a, ...)
    local b, c, d = ...
    if torch.isTensor(a) and not (isBound(b) or isBound(c) or isBound(d)) then
      error('clamp: min: neither min nor max, expected (x, min, max); one of them may be nil', 2)
    end
    return clamp(a, ...)
  end
end

local function isInteger(x) return torch.isTensor(x) and not x:isFloatingPoint() and C.dtypeOf(x) ~= 'Bool' end

-- Powers of integers are computed in double and truncated, as in Torch7; pow, which Torch7 lacked for integers, returns floats.
local function powers(inPlace, pow)
  return function(...)
    local count, a, b, c = select('#', ...), ...
    local res, x, y = a, a, b
    if count > 2 then x, y = b, c elseif not inPlace then res = nil end
    if not isInteger(x) or not (isInteger(y) or isNumber(y)) then return pow(...) end
    local whole = torch.pow(x:_as 'Double', torch.isTensor(y) and y:_as 'Double' or y)
    if not torch.isTensor(res) then
      local kind = torch.isTensor(y) and torch.add(x.new(), y.new()) or x
      return whole:type(kind:type())
    end
    return res:resize(whole:size()):copy(whole)
  end
end

--- Replaces the engine's ops by these functions, which wrap them.
-- @tparam table t torch, or the methods
return function(t)
  local inPlace = t ~= torch
  local own = inPlace and C.methods or C.functions
  local clamp = bounded(own.clamp)
  for name, f in pairs { clamp = clamp, clip = clamp, cpow = powers(inPlace, own.cpow) } do rawset(t, name, f) end
end
