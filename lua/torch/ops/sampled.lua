-- Functions of sampled data: integrals, derivatives, interpolation.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.check.expect'
local sizesOf = require('torch.check.message').sizes

-- Returns the points along a dimension in the sizes of y: from a vector of as many, or points for each element.
local function pointsOf(name, y, x, dim)
  if x:dim() == y:dim() and x:isSameSizeAs(y) then return x end
  if x:dim() ~= 1 or x:nElement() ~= y:size(dim) then
    expect.shape(name, 'x', '%s, expected %d points, a number or the sizes of y', sizesOf(x), y:size(dim))
  end
  local sizes = torch.LongStorage(y:dim()):fill(1)
  sizes[dim] = x:nElement()
  return torch.expand(torch.reshape(x, sizes), y:size())
end

declare {
  name = 'trapz', signature = '[res] y:tensor x:tensor|number=1 dim:dim?', result = 'float', ulp = 16,
  precision = 'float32',
  doc = [[
The integral of y by the trapezoidal rule, along dim, which keeps size 1. Without dim: for a vector a number; for more dimensions along the
last one. x: the distance between neighbours, or the points of y's values, a vector or a tensor of y's sizes. The integral of fewer than two
values is 0.]],
  samples = '{randn(7)}, {randn(3, 4), 0.5}, {randn(3, 4), positive(3), 1}, {randn(2, 3), randn(2, 3), 2}, {randn(1)}, '
    .. '{randn(2, 3, 4), 2, -2}',
  forward = function(y, x, dim)
    local whole = dim == nil and y:dim() == 1
    dim = expect.whichDim('trapz', 'dim', y, dim or -1)
    local isStep = type(x) == 'number'
    if not isStep then x = pointsOf('trapz', y, x, dim) end
    local count = math.max(y:size(dim) - 1, 0)
    local function first(t) return torch.narrow(t, dim, 1, count) end
    local function second(t) return torch.narrow(t, dim, math.min(2, y:size(dim) + 1), count) end
    local result
    if y:size(dim) < 2 then
      result = torch.mul(torch.sum(y, dim), 0)
    elseif isStep then
      result = torch.mul(torch.add(torch.sum(first(y), dim), torch.sum(second(y), dim)), x / 2)
    else
      result = torch.mul(torch.sum(torch.cmul(torch.csub(second(x), first(x)), torch.add(first(y), second(y))), dim), 0.5)
    end
    return whole and torch.sum(result) or result
  end,
}

declare {
  name = 'gradient', signature = '[res] y:tensor x:tensor|number=1 dim:dim=last', result = 'float', ulp = 32,
  doc = [[
The derivative of y along dim by differences, in y's sizes: of second order in the middle, of first order at both ends. x: the distance
between neighbours, or the points of y's values, a vector or a tensor of y's sizes. (For derivatives on the tape, see autograd.) Source of
the formula for uneven points: Fornberg (1988), "Generation of Finite Difference Formulas on Arbitrarily Spaced Grids", Math. Comp. 51.
Errors: fewer than two values along dim.]],
  samples = '{randn(7)}, {randn(3, 4), 0.5}, {randn(3, 4), range(3), 1}, {randn(2), 2}, {randn(4), range(4)}, {randn(2, 3, 4), 2, -2}',
  forward = function(y, x, dim)
    dim = expect.whichDim('gradient', 'dim', y, dim)
    local n = y:size(dim)
    if n < 2 then expect.shape('gradient', 'y', '%s, expected two values at least along dimension %d', sizesOf(y), dim) end
    local isStep = type(x) == 'number'
    if not isStep then x = pointsOf('gradient', y, x, dim) end
    local function slope(from, to)                                 -- between two positions
      local rise = torch.csub(torch.narrow(y, dim, to, 1), torch.narrow(y, dim, from, 1))
      if isStep then return torch.div(rise, x) end
      return torch.cdiv(rise, torch.csub(torch.narrow(x, dim, to, 1), torch.narrow(x, dim, from, 1)))
    end
    local parts = { slope(1, 2) }
    if n > 2 then
      local function at(t, k) return torch.narrow(t, dim, k, n - 2) end
      if isStep then
        parts[2] = torch.div(torch.csub(at(y, 3), at(y, 1)), 2 * x)
      else
        local before, after = torch.csub(at(x, 2), at(x, 1)), torch.csub(at(x, 3), at(x, 2))
        local left = torch.cdiv(torch.csub(at(y, 2), at(y, 1)), before)
        local right = torch.cdiv(torch.csub(at(y, 3), at(y, 2)), after)
        local both = torch.add(before, after)
        parts[2] = torch.cdiv(torch.add(torch.cmul(left, after), torch.cmul(right, before)), both)
      end
    end
    parts[#parts + 1] = slope(n - 1, n)
    return torch.cat(parts, dim)
  end,
}

-- Returns the slopes at the points of the cubic spline whose third derivative is continuous at the second and the last but one point ("not
-- a knot").
-- Source: de Boor (1978), "A Practical Guide to Splines", chapter IV.
local function splineSlopes(points, values, n)
  local h = torch.diff(points)
  local rise = torch.cdiv(torch.diff(values), h)
  if n == 2 then return torch.expand(rise, 2) end
  local function at(t, first, count) return torch.narrow(t, 1, first, count) end
  local before, after = at(h, 1, n - 2), at(h, 2, n - 2)
  local bend = torch.cdiv(torch.diff(rise), torch.add(before, after))
  if n == 3 then                                                   -- the parabola through all three
    local first = torch.csub(at(rise, 1, 1), torch.cmul(before, bend))
    return torch.cat({ first, torch.add(at(rise, 1, 1), torch.cmul(before, bend)), torch.add(at(rise, 2, 1), torch.cmul(after, bend)) }, 1)
  end
  local inner = torch.mul(torch.add(torch.cmul(after, at(rise, 1, n - 2)), torch.cmul(before, at(rise, 2, n - 2))), 3)
  local function ends(outer, beside, outerRise, besideRise)         -- right-hand side at an end, from the intervals there and next to it
    local both = torch.add(outer, beside)
    local near = torch.cmul(torch.cmul(torch.add(outer, torch.mul(both, 2)), beside), outerRise)
    return torch.cdiv(torch.add(near, torch.cmul(torch.cmul(outer, outer), besideRise)), both)
  end
  local first = ends(at(h, 1, 1), at(h, 2, 1), at(rise, 1, 1), at(rise, 2, 1))
  local last = ends(at(h, n - 1, 1), at(h, n - 2, 1), at(rise, n - 1, 1), at(rise, n - 2, 1))
  local middle = torch.cat({ at(h, 2, 1), torch.mul(torch.add(before, after), 2), at(h, n - 2, 1) }, 1)
  local upper = torch.cat({ torch.add(at(h, 1, 1), at(h, 2, 1)), before }, 1)
  local lower = torch.cat({ after, torch.add(at(h, n - 1, 1), at(h, n - 2, 1)) }, 1)
  local system = torch.add(torch.add(torch.diag(middle), torch.diag(upper, 1)), torch.diag(lower, -1))
  return torch.squeeze(torch.solve(system, torch.unsqueeze(torch.cat({ first, inner, last }, 1), 2)), 2)
end

-- Returns the cubic polynomial in an interval of width h, by values and slopes at its ends, at a fraction of the interval.
local function hermite(share, h, low, high, lowSlope, highSlope)
  local rise = torch.csub(high, low)
  local a, b = torch.csub(torch.cmul(lowSlope, h), rise), torch.csub(rise, torch.cmul(highSlope, h))
  local rest = torch.add(torch.neg(share), 1)
  local curve = torch.add(torch.cmul(a, rest), torch.cmul(b, share))
  return torch.add(torch.lerp(low, high, share), torch.cmul(torch.cmul(share, rest), curve))
end

-- The point that each method without interpolation selects: from the position of x among the points, and the fraction of the interval.
local nearby = {
  nearest = function(low, share) return torch.add(low, torch.gt(share, 0.5):_as 'Long') end,
  previous = function(low, share) return torch.add(low, torch.ge(share, 1):_as 'Long') end,
  next = function(low, share) return torch.add(low, torch.gt(share, 0):_as 'Long') end,
}

local methods = { linear = true, cubic = true, nearest = true, previous = true, next = true }

declare {
  name = 'interp', signature = '[res] x:tensor|number points:tensor values:tensor method:string=linear left:number? right:number?',
  result = 'float', ulp = 512, precision = 'float32',
  doc = [[
Interpolated values at x of a function with the given values at ascending points: two vectors of equal size. Between two points the method
is 'linear'; 'cubic', the spline that is a single cubic over the first two intervals, and over the last two; 'nearest', the value at the
nearest point, the lower one if both are equally near; 'previous' or 'next', the value at the point before or after. Before the first point
the value is left, after the last one right; defaults: the values at these points. The result has the sizes of x; a number for a number. NaN
returns NaN. The spline solves a system with as many equations as there are points. Errors: points that don't ascend, other methods.]],
  samples = '{unit(3, 4), range(5), randn(5)}, {randn(6), range(4), randn(4)}, {2.5, range(4), randn(4)}, '
    .. "{randn(3), constant(1, 1), randn(1)}, {randn(6), range(4), randn(4), -1, 2.5}, {randn(6), range(5), randn(5), [[cubic]]}, "
    .. "{randn(6), range(3), randn(3), [[cubic]], 7}, {randn(6), range(2), randn(2), [[cubic]]}, "
    .. '{unit(6), range(4), randn(4), [[nearest]]}, '
    .. '{unit(6), range(4), randn(4), [[previous]]}, {unit(6), range(4), randn(4), [[next]]}',
  forward = function(x, points, values, method, left, right)
    expect.numbers('interp', 'points', points)
    expect.dim('interp', 'points', points, 1, 'a vector')
    if not methods[method] then
      expect.fail('interp', 'method', "'%s', expected linear, cubic, nearest, previous or next", method)
    end
    local n = points:nElement()
    if values:dim() ~= 1 or values:nElement() ~= n or n == 0 then
      expect.shape('interp', 'values', '%s, expected a vector of as many as the %d points', sizesOf(values), n)
    end
    local ascend = n == 1 or torch.all(torch.gt(torch.diff(points:detach()), 0))
    if not ascend then expect.fail('interp', 'points', 'expected ascending numbers') end
    local whole = type(x) == 'number'
    if whole then x = values.new(1):fill(x) end
    local flat = torch.reshape(x, x:nElement())
    local plain = flat:detach()
    local result
    if n == 1 then
      result = torch.expand(values, flat:size())
    else
      local place = torch.searchsorted(points:detach(), plain:typeAs(points), true)
      local low = torch.cmin(torch.cmax(torch.add(place, -1), 1), n - 1)
      local high = torch.add(low, 1)
      local from, to = torch.index(points, 1, low), torch.index(points, 1, high)
      local share = torch.clamp(torch.cdiv(torch.csub(flat, from), torch.csub(to, from)), 0, 1)
      local function both(t) return torch.index(t, 1, low), torch.index(t, 1, high) end
      if method == 'linear' then
        result = torch.lerp(torch.index(values, 1, low), torch.index(values, 1, high), share)
      elseif method == 'cubic' then
        local first, second = both(values)
        local width = points:detach()[n] - points:detach()[1]      -- cubes of very small or large widths are out of range
        local h = torch.div(torch.csub(to, from), width)
        result = hermite(share, h, first, second, both(splineSlopes(torch.div(points, width), values, n)))
      else
        result = torch.index(values, 1, nearby[method](low, share:detach()))
      end
    end
    if left then result = torch.where(torch.lt(plain, points:detach()[1]), left, result) end
    if right then result = torch.where(torch.gt(plain, points:detach()[n]), right, result) end
    result = torch.where(torch.isnan(plain), flat, result)
    return whole and torch.sum(result) or torch.reshape(result, x:size())
  end,
}
