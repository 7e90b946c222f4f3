--- The minimiser of the cubic through two points with slopes.
-- Source: Nocedal & Wright (2006), "Numerical Optimization", 2nd edition, equation 3.59.
-- @module optim.cubic
local min, max, sqrt = math.min, math.max, math.sqrt

--- Returns the minimiser, clamped to bounds; their middle if the cubic has no minimum.
-- @tparam {number,number,number} a x, value, slope
-- @tparam {number,number,number} b
-- @tparam[opt] number low bound; the points by default
-- @tparam[opt] number high
-- @treturn number
return function(a, b, low, high)
  low, high = low or min(a[1], b[1]), high or max(a[1], b[1])
  if a[2] > b[2] then a, b = b, a end           -- a is the lower one
  local d1 = a[3] + b[3] - 3 * (a[2] - b[2]) / (a[1] - b[1])
  local d2 = sqrt(d1 * d1 - a[3] * b[3])      -- NaN without a minimum
  if b[1] < a[1] then d2 = -d2 end
  local position = b[1] - (b[1] - a[1]) * ((b[3] + d2 - d1) / (b[3] - a[3] + 2 * d2))
  if position ~= position then return (low + high) / 2 end
  return min(max(position, low), high)
end
