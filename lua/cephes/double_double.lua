--- Arithmetic with 106 bits: a number is the sum of two doubles, high and low, of which high is the sum rounded to a double. Sums whose
-- terms cancel keep the digits of a double with it.
--
-- Sources: Dekker (1971), "A floating-point technique for extending the available precision"; Knuth, The Art of Computer Programming,
-- 4.2.2.
-- @module cephes.double_double
local doubles = {}

local function ordered(a, b)
  local sum = a + b
  return sum, b - (sum - a)
end

local function exactSum(a, b)
  local sum = a + b
  local part = sum - a
  return sum, (a - (sum - part)) + (b - part)
end

local function exactProduct(a, b)
  local product = a * b
  local scaled = 134217729 * a      -- 2^27 + 1: high and low halves of the bits
  local ah = scaled - (scaled - a)
  local al = a - ah
  scaled = 134217729 * b
  local bh = scaled - (scaled - b)
  local bl = b - bh
  return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl
end

--- The exact sum of two doubles.
-- @number a
-- @number b
-- @treturn number high
-- @treturn number low
doubles.exactSum = exactSum

--- The exact product of two doubles below 1e290.
-- @number a
-- @number b
-- @treturn number high
-- @treturn number low
doubles.exactProduct = exactProduct

--- The sum of two numbers, ah + al and bh + bl.
-- @number ah
-- @number al
-- @number bh
-- @number bl
-- @treturn number high
-- @treturn number low
function doubles.add(ah, al, bh, bl)
  local high, low = exactSum(ah, bh)
  local high2, low2 = exactSum(al, bl)
  high, low = ordered(high, low + high2)
  return ordered(high, low + low2)
end

--- The product of two numbers, of which none is beyond 1e290.
-- @number ah
-- @number al
-- @number bh
-- @number bl
-- @treturn number high
-- @treturn number low
function doubles.multiply(ah, al, bh, bl)
  local high, low = exactProduct(ah, bh)
  return ordered(high, low + (ah * bl + al * bh))
end

--- The quotient of two numbers.
-- @number ah
-- @number al
-- @number bh
-- @number bl
-- @treturn number high
-- @treturn number low
function doubles.divide(ah, al, bh, bl)
  local first = ah / bh
  local high, low = doubles.multiply(bh, bl, first, 0)
  high, low = doubles.add(ah, al, -high, -low)
  local second = high / bh
  local high2, low2 = doubles.multiply(bh, bl, second, 0)
  high = doubles.add(high, low, -high2, -low2)
  first, second = ordered(first, second)
  return ordered(first, second + high / bh)
end

--- The square root.
-- @number high
-- @number low
-- @treturn number high
-- @treturn number low
function doubles.sqrt(high, low)
  if high <= 0 then return 0, 0 end
  local root = math.sqrt(high)
  local squareHigh, squareLow = exactProduct(root, root)
  return ordered(root, doubles.add(high, low, -squareHigh, -squareLow) / (2 * root))
end

return doubles
