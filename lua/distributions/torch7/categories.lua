--- Draws classes in Torch7's interface, for distributions.cat and distributions.mvcat.
-- @module distributions.torch7.categories
local torch = require 'torch'
local check = require 'torch.check'

local categories = {}

--- Separates the leading count or result from the parameters and the options.
-- @int n number of parameters
-- @param ... arguments of a caller
-- @treturn ?number|torch.Tensor count or result
-- @treturn table parameters
-- @treturn table options
function categories.split(n, ...)
  local values, count = { ... }, select('#', ...)
  local options = {}
  if count > n and type(values[count]) == 'table' then options, count = values[count], count - 1 end
  local first
  if count > n then first = table.remove(values, 1) end
  return first, values, options
end

--- Draws classes from one vector of weights.
-- @string where
-- @tparam torch.Tensor p weights, which need not sum to 1
-- @int n
-- @string[opt='iid'] kind 'iid', 'dichotomy' or 'stratified'
-- @treturn torch.LongTensor
function categories.draw(where, p, n, kind)
  kind = kind or 'iid'
  if kind ~= 'iid' and kind ~= 'dichotomy' and kind ~= 'stratified' then
    check.raise(('%s: Unknow categorical sampling type %s'):format(where, tostring(kind)))
  end
  check.tensor(where, 'p', p)
  check.that(p:dim() == 1, ('%s: p: %d dimensions, expected 1'):format(where, p:dim()), 'shape')
  local sums = torch.cumsum(p:double(), 1)
  local total = sums[sums:size(1)]
  if not (total > 0 and total < math.huge) or p:min() < 0 then
    check.raise(where .. ': p: cannot resample with total probability mass 0, or with negative or infinite weights', 'range')
  end
  if n == 0 then return torch.LongTensor() end
  local u = torch.DoubleTensor(n):uniform()
  if kind == 'stratified' then u = (u + torch.range(0, n - 1):double()) / n end
  local classes = torch.searchsorted(sums, u * total, true):long()
  local last = torch.nonzero(torch.gt(p, 0)):max()      -- a product that is rounded up to the total
  return torch.clamp(classes, 1, last)
end

return categories
