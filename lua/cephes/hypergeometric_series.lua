--- Sums of hypergeometric series with 106 bits, for the package cephes.
-- @module cephes.hypergeometric_series
local doubles = require 'cephes.double_double'
local abs, floor, max, huge = math.abs, math.floor, math.max, math.huge
local add, multiply, divide, exactSum = doubles.add, doubles.multiply, doubles.divide, doubles.exactSum

local series = {}

--- Whether x is 0, -1, -2, ...
-- @number x
-- @treturn bool
function series.endsAt(x) return x <= 0 and floor(x) == x end

-- From this index on, quotients of terms are monotonous.
local function settled(tops, bottoms)
  local index = 0
  for i = 1, #tops do index = max(index, -tops[i]) end
  for i = 1, #bottoms do index = max(index, -bottoms[i]) end
  return index
end

--- Sums the terms (tops)_k / (bottoms)_k x^k / k!: to the end, until they no longer matter, or, if the series diverges, to the smallest.
-- @tparam {number,...} tops parameters of the numerator
-- @tparam {number,...} bottoms parameters of the denominator
-- @number x
-- @number[opt=0] xLow the further bits of x
-- @treturn number sum
-- @treturn number its further bits
-- @treturn number the largest term, compared with the sum: 10^n means that n digits cancelled
-- @treturn number the last term, compared with the sum
-- @treturn number the sum of k times the terms
-- @treturn number its further bits
function series.sum(tops, bottoms, x, xLow)
  xLow = xLow or 0
  local mayStop, most = settled(tops, bottoms), 1
  local sum, sumLow, term, low, slope, slopeLow = 1, 0, 1, 0, 0, 0
  for k = 0, 100000 do
    local next, nextLow = multiply(term, low, x, xLow)
    for i = 1, #tops do next, nextLow = multiply(next, nextLow, exactSum(tops[i], k)) end
    if next == 0 then      -- the end, even where a parameter of the denominator is 0, too
      term = 0
      break
    end
    for i = 1, #bottoms do next, nextLow = divide(next, nextLow, exactSum(bottoms[i], k)) end
    next, nextLow = divide(next, nextLow, k + 1, 0)
    if k > mayStop and abs(next) >= abs(term) and #tops > #bottoms + 1 then break end
    local isFalling = abs(next) < abs(term)
    term, low = next, nextLow
    if term == 0 then break end      -- too small
    sum, sumLow = add(sum, sumLow, term, low)
    slope, slopeLow = add(slope, slopeLow, multiply(term, low, k + 1, 0))
    most = max(most, abs(term))
    if not (most < 1e290) then return sum, sumLow, huge, 1, slope, slopeLow end
    if k > mayStop and isFalling and abs(term) < 1e-21 * abs(sum) and abs(term) * k < 1e-19 * abs(slope) then break end
  end
  return sum, sumLow, most / abs(sum), abs(term / sum), slope, slopeLow
end

--- The bound on cancelled terms above which less than 8 digits of a sum are right.
series.hopeless = 1e22

return series
