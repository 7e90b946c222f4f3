--- Sets of values: the domains of parameters and the supports of distributions.
-- A constraint has `check(x)`, `eventDim`, the number of dimensions of one value, `isDiscrete`, and `text`, its description in messages.
-- @module distributions.constraints
local torch = require 'torch'
local check = require 'torch.check'

local constraints = {}
local Constraint = {}
Constraint.__index = Constraint
Constraint.__tostring = function(self) return self.text end

--- Returns which values are in the set.
-- @tparam torch.Tensor x
-- @treturn torch.ByteTensor 1 for each value of `eventDim` dimensions that is in the set, else 0
function Constraint:check(x) return self.holds(x) end

local function define(text, holds, options)
  local self = setmetatable({ text = text, holds = holds, eventDim = 0, isDiscrete = false }, Constraint)
  for key, value in pairs(options or {}) do self[key] = value end
  return self
end

--- Returns whether a value is a constraint.
-- @param value
-- @treturn bool
function constraints.isConstraint(value) return getmetatable(value) == Constraint end

local function both(a, b) return torch.cmul(a, b) end
local function whole(x) return torch.eq(torch.floor(x), x) end
local function shown(x, name)
  if not torch.isTensor(x) then return tostring(x) end
  return x:nElement() == 1 and tostring(x:detach():contiguous():view(-1)[1]) or name
end
local function lower(x) return shown(x, 'the lower bound') end
local function upper(x) return shown(x, 'the upper bound') end

local function lastSum(x) return torch.sum(x, x:dim()) end
local function withoutLast(x) return x:dim() > 1 and x:squeeze(x:dim()) or x end

-- Returns whether all elements of the last `dims` dimensions hold.
local function allOf(mask, dims)
  for _ = 1, dims do mask = withoutLast(torch.eq(lastSum(mask:int()), mask:size(mask:dim()))) end
  return mask
end

--- All numbers except NaN.
constraints.real = define('real numbers', function(x) return torch.eq(x, x) end)

--- 0 and 1.
constraints.boolean = define('0 or 1', function(x) return torch.add(torch.eq(x, 0), torch.eq(x, 1)) end, { isDiscrete = true })

--- Numbers above a bound.
-- @tparam number|torch.Tensor low
-- @treturn table
function constraints.greaterThan(low)
  return define('numbers above ' .. lower(low), function(x) return torch.gt(x, low) end, { kind = 'greaterThan', low = low })
end

--- Numbers from a bound on.
-- @tparam number|torch.Tensor low
-- @treturn table
function constraints.greaterThanEq(low)
  return define(('numbers, %s or more'):format(lower(low)), function(x) return torch.ge(x, low) end, { kind = 'greaterThan', low = low })
end

--- Numbers below a bound.
-- @tparam number|torch.Tensor high
-- @treturn table
function constraints.lessThan(high)
  return define('numbers below ' .. upper(high), function(x) return torch.lt(x, high) end, { kind = 'lessThan', high = high })
end

--- Numbers between two bounds, which are included.
-- @tparam number|torch.Tensor low
-- @tparam number|torch.Tensor high
-- @treturn table
function constraints.interval(low, high)
  local text = ('numbers from %s to %s'):format(lower(low), upper(high))
  return define(text, function(x) return both(torch.ge(x, low), torch.le(x, high)) end, { kind = 'interval', low = low, high = high })
end

--- Numbers between two bounds, of which the first is included.
-- @tparam number|torch.Tensor low
-- @tparam number|torch.Tensor high
-- @treturn table
function constraints.halfOpenInterval(low, high)
  local text = ('numbers from %s to below %s'):format(lower(low), upper(high))
  return define(text, function(x) return both(torch.ge(x, low), torch.lt(x, high)) end, { kind = 'interval', low = low, high = high })
end

--- Whole numbers between two bounds, which are included.
-- @tparam number|torch.Tensor low
-- @tparam number|torch.Tensor high
-- @treturn table
function constraints.integerInterval(low, high)
  local text = ('whole numbers from %s to %s'):format(lower(low), upper(high))
  return define(text, function(x) return both(whole(x), both(torch.ge(x, low), torch.le(x, high))) end, { isDiscrete = true })
end

local function wholeFrom(low)
  return define(('whole numbers, %d or more'):format(low), function(x) return both(whole(x), torch.ge(x, low)) end, { isDiscrete = true })
end

--- Numbers above 0.
constraints.positive = constraints.greaterThan(0)
--- 0 and positive numbers.
constraints.nonnegative = constraints.greaterThanEq(0)
--- Numbers from 0 to 1.
constraints.unitInterval = constraints.interval(0, 1)
--- Numbers from 0, which is excluded, to 1.
constraints.halfOpenFromZero = define('numbers above 0 up to 1', function(x) return both(torch.gt(x, 0), torch.le(x, 1)) end)
--- 0, 1, 2, ...
constraints.nonnegativeInteger = wholeFrom(0)
--- 1, 2, 3, ...
constraints.positiveInteger = wholeFrom(1)

--- Values whose last dimensions form one event of a constraint.
-- @tparam table base
-- @int dims
-- @treturn table
function constraints.independent(base, dims)
  check.int('constraints.independent', 'dims', dims, { min = 0 })
  return define(base.text, function(x) return allOf(base:check(x), dims) end,
    { kind = 'independent', base = base, dims = dims, eventDim = base.eventDim + dims, isDiscrete = base.isDiscrete })
end

--- Vectors of real numbers.
constraints.realVector = constraints.independent(constraints.real, 1)

-- The error of a sum of n rounded numbers.
local function slack(x) return x:type() == 'torch.DoubleTensor' and 1e-6 or 1e-4 end

--- Vectors of nonnegative numbers with the sum 1.
constraints.simplex = define('probabilities with the sum 1', function(x)
  local near = torch.le(torch.abs(withoutLast(lastSum(x)) - 1), slack(x))
  return both(allOf(torch.ge(x, 0), 1), near)
end, { eventDim = 1 })

--- Vectors of zeros and a single 1.
constraints.oneHot = define('vectors of zeros and a single 1', function(x)
  return both(allOf(constraints.boolean:check(x), 1), torch.eq(withoutLast(lastSum(x)), 1))
end, { eventDim = 1, isDiscrete = true })

--- Vectors of counts with a sum of at most `count`.
-- @tparam number|torch.Tensor count
-- @treturn table
function constraints.multinomial(count)
  return define('counts with the sum ' .. shown(count, 'their number'), function(x)
    return both(allOf(constraints.nonnegativeInteger:check(x), 1), torch.le(withoutLast(lastSum(x)), count))
  end, { eventDim = 1, isDiscrete = true })
end

local function matrices(text, holds) return define(text, holds, { eventDim = 2 }) end
local function allOfMatrix(mask) return allOf(mask, 2) end
local function diagonal(x) return torch.sum(torch.cmul(x, torch.eye(x:size(x:dim())):typeAs(x)), x:dim()):squeeze(x:dim()) end
local function isLower(x) return allOfMatrix(torch.eq(torch.tril(x), x)) end
local function isSymmetric(x)
  local bound = torch.abs(x) * 1e-6 + 1e-6
  return allOfMatrix(torch.le(torch.abs(x - x:transpose(x:dim() - 1, x:dim())), bound))
end

-- 1 for each matrix with the property of one matrix.
local function eachMatrix(x, holds)
  local n = x:size(x:dim())
  local all = x:contiguous():view(-1, n, n)
  local mask = torch.ByteTensor(all:size(1))
  for i = 1, all:size(1) do mask[i] = holds(all[i]) and 1 or 0 end
  local sizes = x:size():totable()
  sizes[#sizes], sizes[#sizes - 1] = nil, nil
  return mask:view(unpack(#sizes > 0 and sizes or { 1 }))
end

--- Lower triangular matrices.
constraints.lowerTriangular = matrices('lower triangular matrices', isLower)
--- Lower triangular matrices with a positive diagonal.
constraints.lowerCholesky = matrices('lower triangular matrices with a positive diagonal', function(x)
  return both(isLower(x), allOf(torch.gt(diagonal(x), 0), 1))
end)
--- Lower triangular matrices with a positive diagonal and rows of length 1: factors of correlation matrices.
constraints.corrCholesky = matrices('Cholesky factors of correlation matrices', function(x)
  local unit = torch.le(torch.abs(lastSum(torch.square(x)):squeeze(x:dim()) - 1), slack(x) * x:size(x:dim()))
  return both(constraints.lowerCholesky:check(x), allOf(unit, 1))
end)
--- Symmetric matrices.
constraints.symmetric = matrices('symmetric matrices', isSymmetric)
--- Symmetric matrices with positive eigenvalues.
constraints.positiveDefinite = matrices('positive definite matrices', function(x)
  return both(isSymmetric(x), eachMatrix(x, function(m) return (pcall(torch.cholesky, m)) end))
end)

return constraints
