-- Derivatives of reductions. Along a dimension, the result has size 1 in this dimension; over all elements it has size {1}.
local torch, C = require 'torch', require 'libmoontorch'
local rules, elements, scan = require 'autograd.rules', require 'torch.names.element_count', require 'autograd.scan'

local complex = require 'torch.names.complex'

local trueGradient = require 'torch.names.true_gradient'

local saving = rules.saving
local function trueSaving(names, gradient) return saving(names, trueGradient(gradient)) end

-- Expands a reduction's result, or its gradient, over the reduced elements.
local function spread(g, size)
  if g:dim() ~= #size then
    local ones = {}
    for i = 1, #size do ones[i] = 1 end
    g = torch.reshape(g, ones)
  end
  return torch.expand(g, size)
end

-- Returns x and the reduced dimension; a reduction over all elements becomes one over the single dimension of a vector. (It may return a
-- number.)
local function alongOne(x, dim)
  if dim then return x, dim end
  return torch.reshape(x, x:nElement()), 1
end

-- Returns x with 1 in place of 0.
local function nonzero(x) return torch.where(torch.eq(x, 0), 1, x) end

local function ofMean(g, size) return spread(torch.mul(g, g:nElement() / elements(size)), size) end
rules.sum = { 'expand(g, size(x))' }
rules.nansum = { 'where(isnan(x), 0, g)' }
rules.mean = { saving('size(x)', ofMean) }

-- Returns the product of the other elements: y / x, unless an element is 0. With one 0, it is 0 for the other elements; with two, for all.
local function othersByDivision(y, x, along, d)
  local isZero = torch.to(torch.eq(along, 0), complex.partType(x))
  local zeros = torch.sum(isZero, d)
  local noneIsZero = torch.cdiv(spread(y, along:size()), nonzero(along))
  if torch.max(zeros) == 0 then return noneIsZero end
  local others = torch.cdiv(torch.expand(torch.prod(nonzero(along), d), along:size()), nonzero(along))
  return torch.add(noneIsZero, torch.cmul(others, torch.cmul(isZero, torch.to(torch.eq(zeros, 1), complex.partType(x)))))
end

-- For higher derivatives, there must be no division by an element that is 0: returns the product of the elements before, times that of the
-- elements after.
local function othersByProducts(along, d)
  local after = torch.flip(scan.productBefore(torch.flip(along, d), d), d)
  return torch.cmul(scan.productBefore(along, d), after)
end

rules.prod = { saving('result, x, dim', function(g, y, x, dim)
  local along, d = alongOne(x, dim)
  -- A graph that is captured runs with other elements.
  local divides = not C.capturing() and (not C.gradMode() or not torch.any(torch.eq(x:detach(), 0)))
  local others = divides and othersByDivision(y, x, along, d) or othersByProducts(along, d)
  return torch.cmul(spread(g, x:size()), torch.reshape(others, x:size()))
end) }

-- Along a dimension, the gradient goes to the position of the extremum; over all elements, equal extrema share it.
-- Of the results only the position is saved: programs may write to the value.
local function extremum(name) return { saving('result[2], x, dim', function(g, positions, x, dim)
  if dim then return torch.gather_grad(g[1], x:size(), dim, positions) end
  local plain = x:detach()
  local mask = torch.to(torch.eq(plain, (torch[name](plain))), x:type())
  return torch.cmul(mask, torch.cdiv(g[1], torch.sum(torch.reshape(mask, mask:nElement()), 1)))
end) } end
rules.max, rules.min = extremum 'max', extremum 'min'
-- Returns the gradient of an extremum of unknown position: equal elements share it.
local function ofEqual(g, x, dim, extreme)
  if not g then return nil end
  local along, d = alongOne(torch.to(torch.eq(x, spread(extreme, x:size())):detach(), x:type()), dim)
  local share = torch.cdiv(along, torch.expand(torch.sum(along, d), along:size()))
  return torch.cmul(spread(g, x:size()), torch.reshape(share, x:size()))
end
local function sumOf(a, b) return a and b and torch.add(a, b) or a or b end

rules.aminmax = { saving('result[1], result[2], x, dim', function(g, low, high, x, dim)
  return sumOf(ofEqual(g[1], x, dim, low), ofEqual(g[2], x, dim, high))
end) }
rules.plain.max, rules.plain.min = { 'gather_grad(g, size(x), dim, result[2])' }, { 'gather_grad(g, size(x), dim, result[2])' }

local position = rules.none 'a position has no derivative'
rules.argmax, rules.argmin = position, position
local mask = rules.none 'a mask has no derivative'
rules.any, rules.all = mask, mask

-- Returns f, and 0 where a condition holds; the derivatives are also 0 there. f must be finite there.
local function zeroWhere(condition, f) return torch.where(condition, 0, f) end

-- At 0 the gradient is 0, one of the subgradients; equal extrema share it.
local function ofNorm(g, y, x, p, dim)
  local size = x:size()
  if p == 0 then return torch.mul(spread(g, size), 0) end
  if p == 1 then return torch.cmul(spread(g, size), torch.sign(x)) end
  if p == 2 then
    local share = torch.cdiv(x, spread(nonzero(y), size))
    return torch.cmul(spread(g, size), zeroWhere(spread(torch.eq(y:detach(), 0), size), share))
  end
  local magnitude = torch.abs(x)
  if p == math.huge or p == -math.huge then
    return torch.cmul(torch.sign(x), ofEqual(g, magnitude, dim, y))
  end
  local share                                                      -- (|x| / y)^(p - 1), 0 where x is 0
  if p < 1 then
    share = torch.pow(torch.cdiv(spread(y, size), nonzero(magnitude)), 1 - p)
  else
    share = torch.pow(torch.cdiv(nonzero(magnitude), spread(nonzero(y), size)), p - 1)
  end
  share = zeroWhere(torch.eq(magnitude:detach(), 0), share)
  return torch.cmul(spread(g, size), torch.cmul(torch.sign(x), share))
end

-- The norm of complex numbers is that of their magnitudes.
rules.norm = { trueSaving('result, x, p, dim', function(g, y, x, p, dim)
  if not complex.is(x) then return ofNorm(g, y, x, p, dim) end
  return torch.cmul(ofNorm(g, y, torch.abs(x), p, dim), torch.sgn(x))
end) }

-- Returns the difference between x and its mean, in the sizes of x, and the number of averaged elements, minus one if unbiased.
local function deviation(x, dim, biased)
  local along, d = alongOne(x, dim)
  local n = along:size(d)
  return torch.reshape(torch.csub(along, torch.mean(along, d)), x:size()), biased and n or n - 1
end
local function ofVariance(g, x, dim, biased)
  local off, n = deviation(x, dim, biased)
  return torch.cmul(spread(torch.mul(g, 2 / n), x:size()), off)
end
-- If all elements are equal, the gradient is 0, one of the subgradients.
local function ofDeviation(g, y, x, dim, biased)
  local off, n = deviation(x, dim, biased)
  local share = torch.cdiv(off, spread(nonzero(y), x:size()))
  return torch.cmul(spread(torch.mul(g, 1 / n), x:size()), zeroWhere(spread(torch.eq(y:detach(), 0), x:size()), share))
end

rules.var, rules.std = { trueSaving('x, dim, biased', ofVariance) }, { trueSaving('result, x, dim, biased', ofDeviation) }
rules.varMean = { trueSaving('x, dim, biased', function(g, x, dim, biased)
  return sumOf(g[1] and ofVariance(g[1], x, dim, biased), g[2] and ofMean(g[2], x:size()))
end) }
rules.stdMean = { trueSaving('result[1], x, dim, biased', function(g, y, x, dim, biased)
  return sumOf(g[1] and ofDeviation(g[1], y, x, dim, biased), g[2] and ofMean(g[2], x:size()))
end) }
