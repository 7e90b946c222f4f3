--- The distribution of Kolmogorov's statistic for many samples.
--
-- Source: DLMF 20.2 and 20.7: two series of a theta function, one for small and one for large arguments.
-- @module distributions.kolmogorov
local exp, pi, sqrt = math.exp, math.pi, math.sqrt

--- Probability that sqrt(n) times the largest distance of distribution functions is above y.
-- @function kolmogorov
-- @number y
-- @treturn number
return function(y)
  if y ~= y then return y end
  if y <= 0 then return 1 end
  local sum = 0
  if y < 1 then
    local base = -pi * pi / (8 * y * y)
    for k = 1, 9, 2 do sum = sum + exp(base * k * k) end
    return 1 - sqrt(2 * pi) / y * sum
  end
  for k = 5, 1, -1 do sum = exp(-2 * k * k * y * y) - sum end
  return 2 * sum
end
