--- Arguments at the edges of what numbers are, for sweeps of gradients: what is done to them, and what a gradient may then be.
local torch = require 'torch'

local extremes = {}

local largest, negligible = 3.4028234e38, 1e-30     -- magnitudes of float32, the second with some digits left

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

--- {name, what is done to a tensor in float64, and in float32 where it is another thing}; `near`: numbers stay of the size of 1.
extremes.situations = {
  { 'as it is', times(1), near = true }, { 'times 1e4', times(1e4) }, { 'large', times(1e30), times(1e15) }, { 'times 1e-4', times(1e-4) },
  { 'small', times(1e-30) }, { 'zero', times(0), near = true }, { 'one zero', withZero, near = true },
  { 'negative', negative, near = true }, { 'equal', equal, near = true },
}

--- What is wrong with a gradient in float32, given that in float64 of the same numbers; or nil.
-- @tparam torch.DoubleTensor narrow vector
-- @tparam torch.DoubleTensor wide vector
-- @tparam boolean near as of the situation
function extremes.differ(narrow, wide, near)
  local top = 0
  for k = 1, wide:nElement() do top = math.max(top, math.abs(wide[k])) end
  if top > largest then return nil end      -- there are terms that float32 doesn't have
  local noise = math.max(1e-5 * top, near and 1e-5 or negligible)
  for k = 1, wide:nElement() do
    local close = math.abs(narrow[k] - wide[k]) <= noise + 1e-3 * math.abs(wide[k])      -- of NaN it is false
    if not close then return ('element %d is %g, in float64 %g'):format(k, narrow[k], wide[k]) end
  end
end

return extremes
