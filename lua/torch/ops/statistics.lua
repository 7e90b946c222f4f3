-- Statistics of samples: quantiles, covariances, counts.
local torch = require 'torch'
local C = require 'libmoontorch'
local declare = require('torch.op').declare
local adjoint = require('torch.names.complex').adjoint
local expect = require 'torch.check.expect'
local sizesOf = require('torch.check.message').sizes
local asFloats = require 'torch.names.as_floats'

-- For each method: positions in the sorted elements, counted from 0, from the number of elements and q; then the weight of the upper
-- neighbour, from the distance to the lower position, and that position. Both functions map tensors to tensors.
local function byDefault(count, q) return torch.cmul(torch.add(count, -1), q) end
local function inverted(offset)
  return function(count, q) return torch.add(torch.cmul(count, q), -1 - offset) end
end
local function plotted(alpha)                                      -- with the same part excluded at both ends
  return function(count, q)
    return torch.add(torch.add(torch.cmul(count, q), torch.add(torch.mul(q, 1 - 2 * alpha), alpha)), -1)
  end
end
local function between(rest) return rest end
local function stepUp(rest) return torch.ceil(rest) end

local methods = {
  linear = { byDefault, between }, lower = { byDefault, function(rest) return torch.mul(rest, 0) end }, higher = { byDefault, stepUp },
  midpoint = { byDefault, function(rest) return torch.mul(torch.ceil(rest), 0.5) end },
  nearest = { byDefault, function(rest, low)                       -- halves are rounded to the even position
    local even = torch.eq(torch.remainder(low, 2), 0)
    return torch.where(even, torch.gt(rest, 0.5), torch.ge(rest, 0.5)):_as 'Double'
  end },
  -- Types 1 to 9 of Hyndman & Fan (1996); type 7 is linear.
  inverted_cdf = { inverted(0), stepUp },
  averaged_inverted_cdf = { inverted(0), function(rest) return torch.rsub(torch.mul(torch.eq(rest, 0):_as 'Double', 0.5), 1) end },
  closest_observation = { inverted(0.5), function(rest, low)
    local stays = torch.cmul(torch.eq(rest, 0), torch.eq(torch.remainder(low, 2), 1))
    return torch.eq(stays, 0):_as 'Double'
  end },
  interpolated_inverted_cdf = { inverted(0), between }, hazen = { plotted(0.5), between }, weibull = { plotted(0), between },
  median_unbiased = { plotted(1 / 3), between }, normal_unbiased = { plotted(3 / 8), between },
}

local function wanted(name, q)
  if not torch.isTensor(q) then q = torch.zeros(1, 'float64'):fill(q) end
  if q:dim() ~= 1 or q:nElement() == 0 then expect.shape(name, 'q', '%s, expected a number or a vector', sizesOf(q)) end
  if torch.all(torch.ge(q, 0)) and torch.all(torch.le(q, 1)) then return q:_as 'Double' end
  expect.range(name, 'q', 'expected numbers from 0 to %s', name == 'percentile' and '100' or '1')
end

-- Here, positions in the sorted slices are counted from 0.
local function quantiles(name, x, q, dim, method, skipsNan)
  if not methods[method] then
    local known = {}
    for each in pairs(methods) do known[#known + 1] = each end
    table.sort(known)
    expect.fail(name, 'method', "'%s', expected one of %s", method, table.concat(known, ', '))
  end
  local placeOf, weightOf = unpack(methods[method])
  local places, whole = wanted(name, q), dim == nil
  if x:nElement() == 0 then expect.shape(name, 'x', '%s, expected at least one element', sizesOf(x)) end
  if whole then x, dim = torch.reshape(x, x:nElement()), 1 end
  dim = expect.whichDim(name, 'dim', x, dim)
  local sorted = torch.sort(x, dim)               -- NaN are last
  local present = torch.sum(torch.eq(torch.isnan(x), 0):_as 'Double', dim)
  local sizes, ones = x:size(), torch.LongStorage(x:dim()):fill(1)
  sizes[dim], ones[dim] = places:nElement(), places:nElement()
  local count = torch.expand(present, sizes)
  local place = placeOf(count, torch.expand(torch.reshape(places, ones), sizes))
  local low = torch.floor(place)
  local weight = weightOf(torch.csub(place, low), low):typeAs(x)
  local last = torch.add(count, -1)
  local function at(p) return torch.gather(sorted, dim, torch.add(torch.cmax(torch.cmin(p, last), 0), 1):_as 'Long') end
  local below, above = at(low), at(torch.add(low, 1))
  local result = torch.where(torch.eq(weight, 0), below, torch.lerp(below, above, weight))
  if not skipsNan then result = torch.where(torch.lt(count, x:size(dim)), 0 / 0, result) end
  if whole and not torch.isTensor(q) then return torch.sum(result) end
  return result
end

local samples = '{randn(7), 0.5}, {randn(3, 4), 0.3, 1}, {randn(3, 5), constant(0.3, 2), 2}, {randn(3, 4), 1}, '
  .. "{randn(3, 4), 0.4, 2, 'nearest'}, {randn(6), 0.3, 1, 'higher'}, {full(nan, 2, 2), 0.5, 1}, {randn(3, 4), 0.4, 2, 'hazen'}, "
  .. "{randn(6), constant(0.5, 2), 1, 'averaged_inverted_cdf'}, {randn(6), 0.4, 1, 'normal_unbiased'}"
local doc = [[
The element below which a fraction q of the elements lies, from 0 to 1: of all elements, a number; or along dim, which keeps size 1. If q is
a vector, the result has an element for each of its fractions along dim; without dim it is a vector. Between two elements: 'linear'
(interpolated), 'lower', 'higher', 'midpoint' or 'nearest' (at halves the even position, counted from 0); or, by NumPy's names, the types 1
to 9 of Hyndman & Fan (1996, "Sample Quantiles in Statistical Packages", The American Statistician 50): 'inverted_cdf',
'averaged_inverted_cdf', 'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'linear', 'median_unbiased',
'normal_unbiased'. ]]

declare {
  name = 'quantile', signature = "[res] x:tensor q:tensor|number dim:dim? method:string=linear", result = 'float', ulp = 8,
  precision = 'float32',
  doc = doc .. 'If there is a NaN: NaN. Integers are computed as doubles.', samples = samples,
  forward = function(x, q, dim, method) return quantiles('quantile', x, q, dim, method, false) end,
}

declare {
  name = 'nanquantile', signature = "[res] x:tensor q:tensor|number dim:dim? method:string=linear", result = 'float', ulp = 8,
  precision = 'float32',
  doc = doc .. 'NaN are ignored. Integers are computed as doubles.', samples = samples,
  forward = function(x, q, dim, method) return quantiles('nanquantile', x, q, dim, method, true) end,
}

declare {
  name = 'percentile', signature = "[res] x:tensor q:tensor|number dim:dim? method:string=linear", result = 'float', ulp = 8,
  precision = 'float32',
  doc = 'Like quantile, with q from 0 to 100.',
  samples = '{randn(7), 50}, {randn(3, 4), 30, 1}, {randn(3, 4), constant(25, 2), 2, \'hazen\'}',
  forward = function(x, q, dim, method)
    return quantiles('percentile', x, type(q) == 'number' and q / 100 or torch.div(q, 100), dim, method, false)
  end,
}

-- Returns the deviations of a matrix's rows from their means.
local function deviations(name, x)
  expect.dim(name, 'x', x, 2, 'a matrix with a variable a row, a vector')
  x = asFloats(x)
  return torch.csub(x, torch.expand(torch.mean(x, 2), x:size()))
end

declare {
  name = 'cov', signature = '[res] x:tensor biased:boolean=false', result = 'float', integers = 'kept', ulp = 64,
  precision = 'float32',
  doc = [[
Covariances of the rows of a matrix, each a variable with one observation per column: (variables, variables). Divided by n - 1, or by n if
biased. For a vector: its variance, a number. Of complex rows x and y: of x and the conjugate of y.]],
  samples = '{randn(3, 5)}, {randn(3, 5), true}, {randn(6)}, {randn(1, 4)}',
  forward = function(x, biased)
    if x:dim() == 1 then return torch.var(x, biased) end
    local off = deviations('cov', x)
    return torch.div(torch.mm(off, adjoint(off)), x:size(2) - (biased and 0 or 1))
  end,
}

declare {
  name = 'corrcoef', signature = '[res] x:tensor', result = 'float', ulp = 64,
  precision = 'float32',
  doc = 'Correlations of the rows of a matrix, each a variable with one observation per column: (variables, variables), from -1 to 1.',
  samples = '{randn(3, 5)}, {randn(2, 9)}',
  forward = function(x)
    local off = deviations('corrcoef', x)
    local unit = torch.cdiv(off, torch.expand(torch.norm(off, 2, 2), off:size()))
    return torch.mm(unit, adjoint(unit))
  end,
}

declare {
  name = 'countNonzero', signature = '[res] x:tensor dim:dim?', result = 'index', differentiable = false,
  doc = 'The number of elements that are not 0: a number; or along dim, which keeps size 1, a LongTensor. NaN is not 0.',
  samples = '{randn(3, 4)}, {mask(3, 4), 1}, {mask(2, 3, 4), -2}, {full(nan), 1}, {randn(0)}',
  forward = function(x, dim)
    local mask = torch.ne(x, 0)
    if not dim then return torch.sum(mask) end
    return torch.sum(mask:_as 'Long', dim)
  end,
}

-- unique of integers in a small range: counts them, in a tenth of the time of sorting.
local function countedUnique(x, whole, low)
  local steps = torch.add(whole, 1 - low)
  local counts = torch.bincount(steps)
  local present = torch.nonzero(counts):view(-1)
  local rank = torch.cumsum(torch.ne(counts, 0):_as 'Long')
  local values = torch.add(present, low - 1)
  return values:type(x:type()), torch.reshape(torch.index(rank, 1, steps), x:size()), torch.index(counts, 1, present)
end

declare {
  name = 'unique', signature = '[values inverse counts] x:tensor', differentiable = false,
  doc = [[
The distinct values of x in ascending order, a vector; for each element of x the position of its value in this vector, from 1, a LongTensor
of x's sizes; and the number of occurrences of each value, a LongTensor. All NaN are one value.]],
  samples = '{randn(9)}, {positions(4, {3, 5})}, {mask(3, 4)}, {full(nan)}, {randn(1)}, {randn(0)}',
  forward = function(x)
    local n = x:nElement()
    if n == 0 then return x.new(0), torch.zeros(0, 'int64'), torch.zeros(0, 'int64') end
    if not x:isFloatingPoint() and not x:isComplex() and not C.dtypeOf(x):find '^UInt' then      -- sort refuses the other types
      local whole = torch.reshape(x, n):_as 'Long'      -- so that booleans have a minimum, too
      local low, high = tonumber(whole:min()), tonumber(whole:max())
      if high - low <= 4 * n and math.max(-low, high) < 2 ^ 52 then return countedUnique(x, whole, low) end
    end
    local sorted, places = torch.sort(torch.reshape(x, n))
    local begins = torch.ones(n, 'uint8')
    if n > 1 then
      local here, before = torch.narrow(sorted, 1, 2, n - 1), torch.narrow(sorted, 1, 1, n - 1)
      local differ = torch.ne(here, before)
      if x:isFloatingPoint() then differ:cmul(torch.eq(torch.cmul(torch.isnan(here), torch.isnan(before)), 0)) end
      torch.narrow(begins, 1, 2, n - 1):copy(differ)
    end
    local group = torch.cumsum(begins:_as 'Long')
    local inverse = torch.scatter(torch.zeros(n, 'int64'), 1, places, group)
    return torch.maskedSelect(sorted, begins), torch.reshape(inverse, x:size()), torch.bincount(group)
  end,
}
