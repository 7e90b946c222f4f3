--- Poisson and binomial random numbers.
-- Sources: for small means, the sum of exponential waiting times is replaced by inversion, which multiplies probabilities; for larger ones,
-- gamma and beta variates split the count, Ahrens & Dieter (1974), "Computer methods for sampling from gamma, beta, Poisson and binomial
-- distributions".
-- @module distributions.counts
local torch = require 'torch'
local elements = require 'distributions.elements'
local gammaSamples = require 'distributions.gamma_samples'

local counts = {}

local small = 12      -- the largest mean for inversion
local exp, log = math.exp, math.log

-- The Poisson count of a mean up to `small`, from a uniform number.
local function poissonByInversion(mean, u)
  local p, k = exp(-mean), 0
  local sum = p
  while u > sum and k < 200 do
    k = k + 1
    p = p * mean / k
    sum = sum + p
  end
  return k, 0, 0
end

-- The binomial count of n trials, n p up to `small` and p up to 1/2, from a uniform number.
local function binomialByInversion(n, p, u)
  if n <= 0 or p <= 0 then return 0, 0, 0 end
  local odds, weight, k = p / (1 - p), exp(n * log(1 - p)), 0
  local sum = weight
  while u > sum and k < n do
    k = k + 1
    weight = weight * odds * (n - k + 1) / k
    sum = sum + weight
    if weight == 0 then break end
  end
  return k, 0, 0
end

local function uniform(x) return torch.DoubleTensor(x:size()):uniform() end
local function logGamma(a) return gammaSamples.logSample(a) end

-- Binomial counts of n trials in part: returns the counts, the trials that are left, their probability, and where failures are counted.
local function binomial(n, p)
  local total = torch.DoubleTensor(n:size()):zero()
  local flipped = torch.gt(p, 0.5)
  p = torch.where(flipped, 1 - p, p)
  -- The a-th smallest of n uniform numbers is a beta variate; it shows how many of them are below p.
  for _ = 1, 64 do
    local large = torch.gt(torch.cmul(n, p), small)
    if not torch.any(large) then break end
    local a = torch.where(large, torch.floor(torch.cmul(n + 1, p)), 1)
    local b = torch.where(large, n - a + 1, 1)
    local order = torch.sigmoid(logGamma(a) - logGamma(b))
    local below = torch.le(order, p)
    local next, share = torch.where(below, n - a, a - 1), torch.where(below, torch.cdiv(p - order, 1 - order), torch.cdiv(p, order))
    total = total + torch.where(torch.cmul(large, below), a, 0)
    n, p = torch.where(large, next, n), torch.where(large, torch.clamp(share, 0, 1), p)
  end
  return total, n, p, flipped
end

-- Completes counts whose remaining probability may exceed 1/2.
local function complete(n, p)
  local over = torch.gt(p, 0.5)
  local k = elements.map(binomialByInversion, 1, n, torch.where(over, 1 - p, p), uniform(n))
  return torch.where(over, n - k, k)
end

--- Draws Poisson counts.
-- @tparam torch.Tensor mean
-- @treturn torch.Tensor of the same sizes and type
function counts.poisson(mean)
  local rest = mean:double():contiguous()
  local total = torch.DoubleTensor(rest:size()):zero()
  -- A gamma variate of 7/8 of the mean is the time of that many events.
  for _ = 1, 200 do
    local large = torch.gt(rest, small)
    if not torch.any(large) then break end
    local events = torch.where(large, torch.floor(rest * 0.875), 1)
    local time = torch.exp(logGamma(events))
    local within = torch.cmul(large, torch.le(time, rest))
    local beyond = torch.cmul(large, torch.gt(time, rest))
    local share = torch.clamp(torch.cdiv(rest, torch.clamp(time, 1e-300, math.huge)), 0, 1)
    local inside = counts.binomial(torch.where(beyond, events - 1, 0), torch.where(beyond, share, 0))
    total = total + torch.where(within, events, 0) + torch.where(beyond, inside, 0)
    rest = torch.where(within, rest - time, torch.where(beyond, 0, rest))
  end
  return (total + elements.map(poissonByInversion, 1, rest, uniform(rest))):typeAs(mean)
end

--- Draws binomial counts.
-- @tparam torch.Tensor n numbers of trials
-- @tparam torch.Tensor p probabilities, of the same sizes
-- @treturn torch.Tensor of the same sizes and p's type
function counts.binomial(n, p)
  local wideN, wideP = n:double():contiguous(), p:double():contiguous()
  local total, rest, share, flipped = binomial(wideN, wideP)
  total = total + complete(rest, share)
  return torch.where(flipped, wideN - total, total):typeAs(p)
end

return counts
