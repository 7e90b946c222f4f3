--- Counts of values in bins, as in numpy.histogram: a bin includes its left edge, the last bin both edges.
-- @module plot.histogram
local check = require 'torch.check'
local values = require 'plot.values'

local histogram = {}

--- The edges of bins.
-- @string where prefix of error messages
-- @tparam {number,...} list
-- @tparam table options `bins`, `range`
-- @treturn {number,...}
function histogram.edges(where, list, options)
  local bins = options.bins == nil and 10 or options.bins
  if type(bins) ~= 'number' then
    local edges = values.list(where, 'bins', bins)
    check.that(#edges >= 2, where .. ': bins: expected two edges or more')
    for i = 2, #edges do check.that(edges[i] > edges[i - 1], where .. ': bins: expected increasing edges') end
    return edges
  end
  check.int(where, 'bins', bins, { min = 1, max = 1e6 })
  local low, high = values.range(list, function(x) return x == x and math.abs(x) < math.huge end)
  if options.range then low, high = unpack(values.list(where, 'range', options.range, 2)) end
  low, high = low or 0, high or 1
  if low == high then low, high = low - 0.5, high + 0.5 end
  check.that(low < high, where .. ': range: expected a first number below the second')
  local edges = {}
  local isFinite = high - low < math.huge
  for i = 0, bins do edges[i + 1] = isFinite and low + (high - low) * i / bins or low * (1 - i / bins) + high * (i / bins) end
  edges[bins + 1] = high
  return edges
end

--- The bin of a value, by binary search.
-- @number x
-- @tparam {number,...} edges
-- @treturn ?int nil if it is outside of all bins
function histogram.binOf(x, edges)
  local low, high = 1, #edges
  if not (x >= edges[1] and x <= edges[high]) then return nil end
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if x >= edges[middle] then low = middle else high = middle end
  end
  return low
end

--- Counts values.
-- @tparam {number,...} list
-- @tparam table options `bins`, `range`, `density`, `cumulative`
-- @treturn {number,...} counts
-- @treturn {number,...} edges
function histogram.count(list, options)
  local edges, counts, total = histogram.edges('hist', list, options), {}, 0
  for i = 1, #edges - 1 do counts[i] = 0 end
  for _, x in ipairs(list) do
    local bin = histogram.binOf(x, edges)
    if bin then counts[bin], total = counts[bin] + 1, total + 1 end
  end
  if options.density and total > 0 then
    for i = 1, #counts do counts[i] = counts[i] / total / (options.cumulative and 1 or edges[i + 1] - edges[i]) end
  end
  if options.cumulative then
    for i = 2, #counts do counts[i] = counts[i] + counts[i - 1] end
  end
  return counts, edges
end

return setmetatable(histogram, { __call = function(_, ...) return histogram.count(...) end })
