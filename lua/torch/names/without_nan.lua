--- NumPy's reductions and scans that ignore NaN, and others that it has beside torch's.
-- @module torch.names.without_nan
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local sizesOf = messages.sizes
local reductions = {}

-- Returns x with `value` in place of NaN.
local function without(x, value)
  return x:isFloatingPoint() and torch.where(torch.isnan(x), value, x) or x
end

local function dimOf(where, x, dim)
  check.tensor(where, 'x', x)
  return dim ~= nil and check.dim(where, 'dim', x, dim) or nil
end

--- Returns the product of the elements other than NaN; 1 if there are none.
-- @tparam torch.Tensor x
-- @int[opt] dim it keeps size 1; default: of all elements, a number
-- @treturn torch.Tensor|number
function reductions.nanprod(x, dim)
  dim = dimOf('nanprod', x, dim)
  if dim then return torch.prod(without(x, 1), dim) end
  return torch.prod(without(x, 1))
end

local function scanning(where, op, neutral)
  return function(x, dim)
    dim = dimOf(where, x, dim)
    if not dim then x, dim = torch.reshape(x, x:nElement()), 1 end
    return op(without(x, neutral), dim)
  end
end

--- Returns running sums along a dimension, with NaN as 0; without dim of all elements, a vector.
-- @function nancumsum
-- @tparam torch.Tensor x
-- @int[opt] dim
-- @treturn torch.Tensor
reductions.nancumsum = scanning('nancumsum', function(x, dim) return torch.cumsum(x, dim) end, 0)

--- Returns running products along a dimension, with NaN as 1; without dim of all elements, a vector.
-- @function nancumprod
-- @tparam torch.Tensor x
-- @int[opt] dim
-- @treturn torch.Tensor
reductions.nancumprod = scanning('nancumprod', function(x, dim) return torch.cumprod(x, dim) end, 1)

local function placing(where, op)
  return function(x, dim)
    dim = dimOf(where, x, dim)
    local whole = dim == nil
    if whole then x, dim = torch.reshape(x, x:nElement()), 1 end
    if x:nElement() == 0 then check.raise(('%s: x: %s, expected at least one element'):format(where, sizesOf(x)), 'shape') end
    if x:isFloatingPoint() and torch.any((torch.min(torch.isnan(x), dim))) then
      check.raise(where .. ': x: all NaN along the dimension, expected a number at least')
    end
    local _, places = op(x:detach(), dim)
    return whole and tonumber(places:sum()) or places
  end
end

--- Returns the position of the largest element other than NaN along a dimension, which keeps size 1; without dim through all elements.
-- @function nanargmax
-- @tparam torch.Tensor x
-- @int[opt] dim
-- @treturn torch.LongTensor|int from 1, the first one on ties
-- @raise if all are NaN
reductions.nanargmax = placing('nanargmax', function(x, dim) return torch.nanmax(x, dim) end)

--- Returns the position of the smallest element other than NaN likewise.
-- @function nanargmin
-- @tparam torch.Tensor x
-- @int[opt] dim
-- @treturn torch.LongTensor|int from 1, the first one on ties
-- @raise if all are NaN
reductions.nanargmin = placing('nanargmin', function(x, dim) return torch.nanmin(x, dim) end)

--- Returns what nanquantile does, for percentages.
-- @tparam torch.Tensor x
-- @tparam number|torch.Tensor q from 0 to 100
-- @int[opt] dim it keeps size 1
-- @string[opt='linear'] method
-- @treturn torch.Tensor|number
function reductions.nanpercentile(x, q, dim, method)
  dim = dimOf('nanpercentile', x, dim)
  q = type(q) == 'number' and q / 100 or torch.div(check.tensor('nanpercentile', 'q', q), 100)
  return check.call(torch.nanquantile, x, q, dim, method or 'linear')
end

--- Returns the difference of the largest and the smallest element.
-- @tparam torch.Tensor x
-- @int[opt] dim it keeps size 1; default: of all elements, a number
-- @treturn torch.Tensor|number
function reductions.ptp(x, dim)
  dim = dimOf('ptp', x, dim)
  if x:nElement() == 0 then check.raise('ptp: x: no element, expected one or more') end
  if not dim then return torch.max(x) - torch.min(x) end
  return torch.csub((torch.max(x, dim)), (torch.min(x, dim)))
end

--- Returns the mean of the elements with weights.
-- @tparam torch.Tensor x
-- @tparam[opt] torch.Tensor weights of x's sizes, or a vector for the slices of dim
-- @int[opt] dim it keeps size 1; default: of all elements, a number
-- @treturn torch.Tensor|number
-- @raise if the sizes differ or the weights add up to 0
function reductions.average(x, weights, dim)
  dim = dimOf('average', x, dim)
  if weights == nil then
    if dim then return torch.mean(x, dim) end
    return torch.mean(x)
  end
  check.tensor('average', 'weights', weights)
  if not weights:isSameSizeAs(x) then
    if not dim or weights:dim() ~= 1 or weights:size(1) ~= x:size(dim) then
      check.raise(('average: weights: %s, expected %s, or a vector for the slices of dim'):format(sizesOf(weights), sizesOf(x)), 'shape')
    end
    local sizes = {}
    for d = 1, x:dim() do sizes[d] = d == dim and x:size(d) or 1 end
    weights = torch.expand(torch.reshape(weights, sizes), x:size())
  end
  local floats = require 'torch.names.as_floats'
  x, weights = floats(x), floats(weights)
  local product = torch.cmul(x, weights:typeAs(x))
  if not dim then
    local total = torch.sum(weights)
    if torch.isTensor(total) and total:item() == 0 or total == 0 then check.raise 'average: weights: a sum of 0' end
    return torch.sum(product) / total
  end
  local total = torch.sum(weights, dim)
  if torch.any(torch.eq(total, 0)) then check.raise 'average: weights: a sum of 0' end
  return torch.cdiv(torch.sum(product, dim), total:typeAs(x))
end

--- Returns the differences of neighbouring elements of x as a vector, between given ends.
-- @tparam torch.Tensor x
-- @tparam[opt] number|torch.Tensor last behind the differences
-- @tparam[opt] number|torch.Tensor first before them
-- @treturn torch.Tensor
function reductions.ediff1d(x, last, first)
  check.tensor('ediff1d', 'x', x)
  local flat = torch.reshape(x, x:nElement())
  local list = { torch.diff(flat) }
  local function fitted(name, value)
    if type(value) == 'number' then return x.new(1):fill(value) end
    check.tensor('ediff1d', name, value)
    return torch.reshape(value, value:nElement()):typeAs(x)
  end
  if first ~= nil then table.insert(list, 1, fitted('first', first)) end
  if last ~= nil then list[#list + 1] = fitted('last', last) end
  return torch.cat(list, 1)
end

return reductions
