-- Functions that are given by values at points: integrals, derivatives, values in between.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.check.expect'
local sizesOf = require('torch.check.message').sizes

-- The points along a dimension in the sizes of y: a vector of as many, or points for each element.
local function pointsOf(name, y, x, dim)
  if x:dim() == y:dim() and x:isSameSizeAs(y) then return x end
  if x:dim() ~= 1 or x:nElement() ~= y:size(dim) then
    expect.fail(name, 'x', '%s came, %d points, a number or the sizes of y were expected', sizesOf(x), y:size(dim))
  end
  local sizes = torch.LongStorage(y:dim()):fill(1)
  sizes[dim] = x:nElement()
  return torch.expand(torch.reshape(x, sizes), y:size())
end

declare {
  name = 'trapz', signature = '[res] y:tensor x:tensor|number=1 dim:dim?', result = 'float', ulp = 16,
  doc = [[
The integral of y by the trapezoidal rule, along dim, which stays with size 1; of a vector, where dim is left out, a number; of more
dimensions along the last one. x: the distance of neighbours, or the points where y is taken, a vector or a tensor of y's sizes. Of fewer
than two values: 0.]],
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
The derivative of y along dim by differences, in y's sizes: of second order in the middle, of first order at both ends. x: the distance of
neighbours, or the points where y is taken, a vector or a tensor of y's sizes. (Derivatives on the tape are autograd's.) Source of the
formula for uneven points: Fornberg (1988), "Generation of Finite Difference Formulas on Arbitrarily Spaced Grids", Math. Comp. 51.
Errors: fewer than two values along dim.]],
  samples = '{randn(7)}, {randn(3, 4), 0.5}, {randn(3, 4), range(3), 1}, {randn(2), 2}, {randn(4), range(4)}, {randn(2, 3, 4), 2, -2}',
  forward = function(y, x, dim)
    dim = expect.whichDim('gradient', 'dim', y, dim)
    local n = y:size(dim)
    if n < 2 then expect.fail('gradient', 'y', '%s came, two values at least along dimension %d were expected', sizesOf(y), dim) end
    local isStep = type(x) == 'number'
    if not isStep then x = pointsOf('gradient', y, x, dim) end
    local function slope(from, to)                                 -- between two single places
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

declare {
  name = 'interp', signature = '[res] x:tensor|number points:tensor values:tensor', result = 'float', ulp = 32,
  doc = [[
Values at x of the function that is linear between ascending points, where it has the given values: as many, both vectors. Before the first
point and after the last one the value is that there. Sizes of x; of a number a number. NaN gives NaN. Errors: points that don't ascend.]],
  samples = '{unit(3, 4), range(5), randn(5)}, {randn(6), range(4), randn(4)}, {2.5, range(4), randn(4)}, '
    .. '{randn(3), constant(1, 1), randn(1)}',
  forward = function(x, points, values)
    expect.numbers('interp', 'points', points)
    expect.dim('interp', 'points', points, 1, 'a vector')
    local n = points:nElement()
    if values:dim() ~= 1 or values:nElement() ~= n or n == 0 then
      expect.fail('interp', 'values', '%s came, a vector of as many as the %d points was expected', sizesOf(values), n)
    end
    local ascend = n == 1 or torch.all(torch.gt(torch.diff(points:detach()), 0))
    if not ascend then expect.fail('interp', 'points', 'ascending ones were expected') end
    local whole = type(x) == 'number'
    if whole then x = values.new(1):fill(x) end
    local flat = torch.reshape(x, x:nElement())
    if n == 1 then
      local result = torch.add(torch.mul(flat, 0), torch.expand(values, flat:size()))
      return whole and torch.sum(result) or torch.reshape(result, x:size())
    end
    local place = torch.searchsorted(points:detach(), flat:detach():typeAs(points), true)
    local low = torch.cmin(torch.cmax(torch.add(place, -1), 1), n - 1)
    local high = torch.add(low, 1)
    local from, to = torch.index(points, 1, low), torch.index(points, 1, high)
    local share = torch.clamp(torch.cdiv(torch.csub(flat, from), torch.csub(to, from)), 0, 1)
    local result = torch.lerp(torch.index(values, 1, low), torch.index(values, 1, high), share)
    return whole and torch.sum(result) or torch.reshape(result, x:size())
  end,
}
