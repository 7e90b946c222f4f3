--- Sums over the probabilities of a hypergeometric distribution, from its mode on: each one is the neighbour's times a ratio.
-- @module distributions.hypergeometric_sums
local hypergeometric = {}

local log, max, min = math.log, math.max, math.min

-- The probability of k + 1 divided by that of k.
local function ratio(n, marked, drawn, k) return (marked - k) * (drawn - k) / ((k + 1) * (n - marked - drawn + k + 1)) end

-- The sum of probabilities from k to the end of the support, of which k has p.
local function upwards(n, marked, drawn, k, p)
  local sum, high = p, min(marked, drawn)
  while k < high and p > sum * 1e-17 do
    p, k = p * ratio(n, marked, drawn, k), k + 1
    sum = sum + p
  end
  return sum
end

local function downwards(n, marked, drawn, k, p)
  local sum, low = p, max(0, drawn + marked - n)
  while k > low and p > sum * 1e-17 do
    k = k - 1
    p = p / ratio(n, marked, drawn, k)
    sum = sum + p
  end
  return sum
end

-- The probability of k from that of the mode.
local function probability(n, marked, drawn, mode, top, k)
  local p = top
  for i = mode, k - 1 do p = p * ratio(n, marked, drawn, i) end
  for i = mode - 1, k, -1 do p = p / ratio(n, marked, drawn, i) end
  return p
end

--- The probability of values up to k.
-- @int n population
-- @int marked
-- @int drawn
-- @int mode
-- @number top the mode's probability
-- @number k
function hypergeometric.cdf(n, marked, drawn, mode, top, k)
  if k ~= k or top ~= top then return 0 / 0, 0, 0 end
  if k < max(0, drawn + marked - n) then return 0, 0, 0 end
  if k >= min(marked, drawn) then return 1, 0, 0 end
  if k <= mode then return min(1, downwards(n, marked, drawn, k, probability(n, marked, drawn, mode, top, k))), 0, 0 end
  return 1 - upwards(n, marked, drawn, k + 1, probability(n, marked, drawn, mode, top, k + 1)), 0, 0
end

--- A value for a uniform number: probabilities are subtracted from it, the mode's first, then those of the nearest values on both sides.
-- @int n population
-- @int marked
-- @int drawn
-- @int mode
-- @number top the mode's probability
-- @number u
function hypergeometric.invert(n, marked, drawn, mode, top, u)
  local low, high = max(0, drawn + marked - n), min(marked, drawn)
  local below, above, pBelow, pAbove = mode, mode, top, top
  u = u - top
  while u > 0 and (below > low or above < high) and (pBelow > 0 or pAbove > 0) do
    if above < high then
      pAbove, above = pAbove * ratio(n, marked, drawn, above), above + 1
      u = u - pAbove
      if u <= 0 then return above, 0, 0 end
    end
    if below > low then
      below = below - 1
      pBelow = pBelow / ratio(n, marked, drawn, below)
      u = u - pBelow
      if u <= 0 then return below, 0, 0 end
    end
    if above == high then pAbove = 0 end
    if below == low then pBelow = 0 end
  end
  return mode, 0, 0
end

--- The entropy, in nats.
-- @int n population
-- @int marked
-- @int drawn
-- @int mode
-- @number top the mode's probability
function hypergeometric.entropy(n, marked, drawn, mode, top)
  local sum = 0
  local function add(p) if p > 0 then sum = sum - p * log(p) end end
  add(top)
  local p = top
  for k = mode, min(marked, drawn) - 1 do
    p = p * ratio(n, marked, drawn, k)
    add(p)
    if p < 1e-20 then break end
  end
  p = top
  for k = mode - 1, max(0, drawn + marked - n), -1 do
    p = p / ratio(n, marked, drawn, k)
    add(p)
    if p < 1e-20 then break end
  end
  return sum, 0, 0
end

return hypergeometric
