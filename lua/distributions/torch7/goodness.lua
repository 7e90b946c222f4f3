--- Torch7's tests of samples: `ksone`, `kstwo`, `chi2Uniform`, `chi2TestCDF` and `chi2Gaussian` return the probability of a statistic that
-- is as large or larger, and the statistic.
-- @module distributions.torch7.goodness
local torch = require 'torch'
local check = require 'torch.check'
local kolmogorov = require 'distributions.kolmogorov'

local goodness = {}

local function samples(where, name, x)
  check.tensor(where, name, x)
  check.that(x:nElement() > 0, ('%s: %s: no elements, expected samples'):format(where, name), 'shape')
  local values = x:double():contiguous():view(-1)
  check.that(torch.ne(values, values):sum() == 0, ('%s: %s: NaN, expected numbers'):format(where, name), 'range')
  return values
end

-- cdf(parameters..., x) of a vector. A function of numbers, which fails for a tensor, is called for each element.
local function applied(where, cdf, x, parameters)
  check.callable(where, 'cdf', cdf)
  local arguments, n = { unpack(parameters) }, #parameters
  arguments[n + 1] = x:clone()
  local good, y = pcall(cdf, unpack(arguments, 1, n + 1))
  if not good or not torch.isTensor(y) or y:nElement() ~= x:nElement() then
    local list = x:totable()
    for i = 1, #list do
      arguments[n + 1] = list[i]
      list[i] = cdf(unpack(arguments, 1, n + 1))
      if type(list[i]) ~= 'number' then
        check.raise(('%s: cdf: result: a %s, expected a number'):format(where, torch.type(list[i])))
      end
    end
    y = torch.DoubleTensor(list)
  end
  return samples(where, 'cdf: result', y)
end

-- The probability of a distance d of distribution functions of n samples, by Stephens' (1970) approximation for small n.
local function tail(d, n)
  local root = math.sqrt(n)
  return kolmogorov((root + 0.12 + 0.11 / root) * d)
end

--- Kolmogorov's and Smirnov's test of samples against a distribution.
-- @tparam torch.Tensor x samples
-- @tparam function cdf the distribution function, of a tensor or of a number
-- @treturn number probability
-- @treturn number the largest distance from the samples' distribution function
function goodness.ksone(x, cdf)
  local where = 'distributions.ksone'
  local sorted = torch.sort(samples(where, 'x', x))
  local y, n = applied(where, cdf, sorted, {}), sorted:nElement()
  local steps = torch.range(1, n):double() / n
  local d = math.max((steps - y):max(), (y - steps):max() + 1 / n)
  return tail(d, n), d
end

--- Kolmogorov's and Smirnov's test whether two sets of samples have one distribution.
-- @tparam torch.Tensor x1
-- @tparam torch.Tensor x2
-- @treturn number probability
-- @treturn number the largest distance of the distribution functions
function goodness.kstwo(x1, x2)
  local where = 'distributions.kstwo'
  local one, two = torch.sort(samples(where, 'x1', x1)), torch.sort(samples(where, 'x2', x2))
  local n1, n2 = one:nElement(), two:nElement()
  local both = torch.cat(one, two, 1)
  local function below(sorted, n) return (torch.searchsorted(sorted, both, true):double() - 1) / n end
  local d = torch.abs(below(one, n1) - below(two, n2)):max()
  return tail(d, n1 * n2 / (n1 + n2)), d
end

local function binned(where, values, low, up, nBins)
  check.number(where, 'low', low)
  if type(up) ~= 'number' or not (up > low) then
    check.raise(('%s: up: %s, expected a number above %s'):format(where, tostring(up), low), 'range')
  end
  check.int(where, 'nBins', nBins, { min = 2, max = 1e8 })
  if values:min() < low or values:max() > up then return 0, math.huge end
  local places = torch.clamp(torch.floor((values - low) * (nBins / (up - low))), 0, nBins - 1):long() + 1
  local expected = values:nElement() / nBins
  local chi2 = torch.sum(torch.square(torch.bincount(places, nBins):double() - expected)) / expected
  return torch.gammaincc(torch.DoubleTensor { (nBins - 1) / 2 }, torch.DoubleTensor { chi2 / 2 })[1], chi2
end

--- Tests whether samples are uniform, by their numbers in bins.
-- @tparam torch.Tensor x samples
-- @number[opt=0] low
-- @number[opt=1] up
-- @int[opt=100] nBins
-- @treturn number probability, 0 if a sample is outside
-- @treturn number chi-square with nBins - 1 degrees of freedom, infinite if a sample is outside
function goodness.chi2Uniform(x, low, up, nBins)
  local where = 'distributions.chi2Uniform'
  return binned(where, samples(where, 'x', x), low == nil and 0 or low, up == nil and 1 or up, nBins == nil and 100 or nBins)
end

--- Tests whether samples have a distribution: its distribution function makes them uniform.
-- @tparam torch.Tensor x samples
-- @tparam function cdf called with the parameters and x, a tensor, or each of its numbers
-- @tparam table parameters
-- @int[opt=100] nBins
-- @treturn number probability
-- @treturn number chi-square
function goodness.chi2TestCDF(x, cdf, parameters, nBins)
  local where = 'distributions.chi2TestCDF'
  check.table(where, 'parameters', parameters)
  return binned(where, applied(where, cdf, samples(where, 'x', x), parameters), 0, 1, nBins == nil and 100 or nBins)
end

--- Tests whether samples are normal.
-- @tparam torch.Tensor x samples
-- @number mu
-- @number sigma standard deviation
-- @int[opt=100] nBins
-- @treturn number probability
-- @treturn number chi-square
function goodness.chi2Gaussian(x, mu, sigma, nBins)
  local where = 'distributions.chi2Gaussian'
  local values = samples(where, 'x', x)
  check.number(where, 'mu', mu)
  if type(sigma) ~= 'number' or not (sigma > 0) then
    check.raise(('%s: sigma: %s, expected a number above 0'):format(where, tostring(sigma)), 'range')
  end
  return binned(where, torch.ndtr((values - mu) / sigma), 0, 1, nBins == nil and 100 or nBins)
end

return goodness
