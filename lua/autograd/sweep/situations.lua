--- Arguments at the limits of number ranges, for sweeps of gradients: changes of samples, and the gradients that are accepted then.
local torch = require 'torch'

local extremes = {}

local largest, negligible = 3.4028234e38, 1e-30     -- magnitudes in float32, the second with a few bits left

local function times(factor)
  return function(x) return torch.mul(x, factor) end
end
local function withZero(x)
  x = torch.clone(x)
  if x:nElement() > 0 then x:view(-1)[1] = 0 end
  return x
end
local function negative(x) return torch.neg(torch.abs(x)) end
local function equal(x) return torch.clone(x):fill(1.5) end

--- {name, function that changes a tensor in float64, and another one for float32 if it differs}; `near`: numbers stay of the order of 1.
extremes.situations = {
  { 'as it is', times(1), near = true }, { 'times 1e4', times(1e4) }, { 'large', times(1e30), times(1e15) }, { 'times 1e-4', times(1e-4) },
  { 'small', times(1e-30) }, { 'zero', times(0), near = true }, { 'one zero', withZero, near = true },
  { 'negative', negative, near = true }, { 'equal', equal, near = true },
}

--- Returns the fault of a gradient in float32, compared with the one in float64 of the same numbers; or nil.
-- @tparam torch.DoubleTensor narrow vector
-- @tparam torch.DoubleTensor wide vector
-- @tparam boolean near field of the situation
function extremes.differ(narrow, wide, near)
  local top = 0
  for k = 1, wide:nElement() do top = math.max(top, math.abs(wide[k])) end
  if top > largest then return nil end      -- some terms are out of range for float32
  local noise = math.max(1e-5 * top, near and 1e-5 or negligible)
  for k = 1, wide:nElement() do
    local close = math.abs(narrow[k] - wide[k]) <= noise + 1e-3 * math.abs(wide[k])      -- false for NaN
    if not close then return ('element %d is %g, in float64 %g'):format(k, narrow[k], wide[k]) end
  end
end

return extremes
