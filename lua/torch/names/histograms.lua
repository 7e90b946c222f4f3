--- NumPy's histograms of points in several dimensions, and edges of bins by rules.
-- @module torch.names.histograms
local torch, check = require 'torch', require 'torch.check'
local sizesOf = require('torch.check.message').sizes

local histograms = {}

-- Widths of bins by statistics of n numbers; 0 means one bin.
local function interquartile(x) return torch.quantile(x, 0.75) - torch.quantile(x, 0.25) end
local rules = {
  sqrt = function(_, n, range) return range / math.sqrt(n) end,
  sturges = function(_, n, range) return range / (math.log(n) / math.log(2) + 1) end,
  rice = function(_, n, range) return range / (2 * n ^ (1 / 3)) end,
  scott = function(x, n) return (24 * math.sqrt(math.pi) / n) ^ (1 / 3) * torch.std(x, true) end,
  fd = function(x, n) return 2 * interquartile(x) / n ^ (1 / 3) end,
}
function rules.auto(x, n, range)
  local width = rules.fd(x, n, range)
  return width > 0 and math.min(width, rules.sturges(x, n, range)) or rules.sturges(x, n, range)
end
function rules.doane(x, n, range)
  local sigma = torch.std(x, true)
  if n < 3 or sigma == 0 then return 0 end
  local skew = torch.mean(torch.pow(torch.div(torch.add(x, -torch.mean(x)), sigma), 3))
  local expected = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
  return range / (1 + math.log(n) / math.log(2) + math.log(1 + math.abs(skew) / expected) / math.log(2))
end

--- Returns the edges of bins of equal width for the elements of x.
-- @tparam torch.Tensor x finite numbers
-- @tparam[opt=10] int|string|torch.Tensor bins a number; a rule: 'auto', 'fd' (Freedman & Diaconis), 'scott', 'doane', 'rice', 'sturges',
--   'sqrt'; or the edges
-- @number[opt] low of the range, default: the smallest element
-- @number[opt] high of the range, default: the largest element
-- @treturn torch.DoubleTensor
-- @raise if bins is no rule
function histograms.histogramBinEdges(x, bins, low, high)
  check.tensor('histogramBinEdges', 'x', x)
  local flat = torch.reshape(x:detach(), x:nElement()):double()
  if type(bins) ~= 'string' then return (select(2, check.call(torch.histogram, flat, bins or 10, low, high))) end
  local known = {}
  for name in pairs(rules) do known[#known + 1] = name end
  table.sort(known)
  check.choice('histogramBinEdges', 'bins', bins, known)
  local n = flat:nElement()
  if low and high then
    flat = flat[torch.cmul(torch.ge(flat, low), torch.le(flat, high))]
    n = flat:nElement()
  end
  local count = 1
  if n > 0 then
    local first, last = low or flat:min(), high or flat:max()
    local width = rules[bins](flat, n, flat:max() - flat:min())
    if width > 0 then count = math.max(1, math.ceil((last - first) / width)) end
  end
  return (select(2, check.call(torch.histogram, flat, count, low, high)))
end

-- Returns the edges for a column, of bins in the forms of histogramdd.
local function edgesOf(where, column, bins, range)
  if torch.isTensor(bins) then return (select(2, check.call(torch.histogram, column, bins))) end
  check.int(where, 'bins', bins, { min = 1 })
  return (select(2, check.call(torch.histogram, column, bins, range and range[1], range and range[2])))
end

--- Returns the number of points in each box of a grid. A bin includes its lower edge, the last one both. Points outside are not counted.
-- @tparam torch.Tensor x (points, dimensions), or a vector for one dimension
-- @tparam[opt=10] int|{int|torch.Tensor,...} bins a number for all, or for each dimension a number or its edges in ascending order
-- @tparam[opt] table options `range`, a list of {low, high} for each dimension, by default its smallest and largest numbers; `density`, to
--   divide by the number of points and the volume; `weights`, a vector with one for each point
-- @treturn torch.DoubleTensor (bins, bins, ...)
-- @treturn {torch.DoubleTensor,...} the edges of each dimension
-- @raise if sizes don't fit
function histograms.histogramdd(x, bins, options)
  check.tensor('histogramdd', 'x', x)
  options = check.options('histogramdd', options, { 'range', 'density', 'weights' })
  if x:dim() == 1 then x = torch.unsqueeze(x, 2) end
  if x:dim() ~= 2 then check.raise(('histogramdd: x: %s, expected (points, dimensions)'):format(sizesOf(x)), 'shape') end
  local points, dims = x:detach():double(), x:size(2)
  bins = bins or 10
  if type(bins) == 'table' and #bins ~= dims then
    check.raise(('histogramdd: bins: %d, expected one for each of %d dimensions'):format(#bins, dims), 'shape')
  end
  local range, weights = options.range, options.weights
  if range and #check.table('histogramdd', 'range', range) ~= dims then
    check.raise(('histogramdd: range: %d pairs, expected %d'):format(#range, dims), 'shape')
  end
  if weights and (check.tensor('histogramdd', 'weights', weights):dim() ~= 1 or weights:size(1) ~= x:size(1)) then
    check.raise(('histogramdd: weights: %s, expected [%d]'):format(sizesOf(weights), x:size(1)), 'shape')
  end
  local edges, sizes, place, inside, total = {}, {}, nil, nil, 1
  for d = 1, dims do
    local column = torch.select(points, 2, d):contiguous()
    if points:size(1) == 1 then column = torch.DoubleTensor { points[1][d] } end
    local own = edgesOf('histogramdd', column, type(bins) == 'table' and bins[d] or bins, range and range[d])
    local count = own:nElement() - 1
    local bin = torch.cmin(torch.add(torch.searchsorted(own, column, true), -1), count)
    local isIn = torch.cmul(torch.ge(column, own[1]), torch.le(column, own[-1]))
    inside = inside and torch.cmul(inside, isIn) or isIn
    local from0 = torch.add(bin, -1)
    place = place and torch.add(torch.mul(place, count), from0) or from0
    edges[d], sizes[d], total = own, count, total * count
  end
  local result = torch.DoubleTensor(total):zero()
  if torch.any(inside) then
    local chosen = torch.add(torch.maskedSelect(place, inside), 1)
    local masses = weights and torch.maskedSelect(weights:detach():double(), inside) or torch.ones(chosen:nElement(), 'float64')
    result = torch.indexAdd(result, 1, chosen, masses)
  end
  result = result:view(torch.LongStorage(sizes))
  if options.density then
    local mass = result:sum()
    for d = 1, dims do
      local own = torch.LongStorage(dims):fill(1)
      own[d] = sizes[d]
      result:cdiv(torch.diff(edges[d]):view(own):expand(torch.LongStorage(sizes)))
    end
    result:div(mass)
  end
  return result, edges
end

--- Returns the number of points in each rectangle of a grid, and the edges: histogramdd of two vectors.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y as many elements
-- @tparam[opt=10] int|{int|torch.Tensor,...} bins as for histogramdd
-- @tparam[opt] table options as for histogramdd
-- @treturn torch.DoubleTensor (bins of x, bins of y)
-- @treturn torch.DoubleTensor edges of x
-- @treturn torch.DoubleTensor edges of y
-- @raise if sizes don't fit
function histograms.histogram2d(x, y, bins, options)
  check.tensor('histogram2d', 'x', x)
  check.tensor('histogram2d', 'y', y)
  if x:dim() ~= 1 or not x:isSameSizeAs(y) then
    check.raise(('histogram2d: y: %s, expected a vector like x, %s'):format(sizesOf(y), sizesOf(x)), 'shape')
  end
  local counts, edges = check.call(histograms.histogramdd, torch.stack({ x, y }, 2), bins, options)
  return counts, edges[1], edges[2]
end

return histograms
