--- Histograms.
-- @module gnuplot
local torch, check, numbers = require 'torch', require 'torch.check', require 'gnuplot.numbers'

local counts = {}

local usual = 72

--- Counts elements in ranges of equal width.
-- @string where
-- @param x tensor
-- @int[opt] bins
-- @number[opt] min
-- @number[opt] max
-- @treturn table `counts`, a vector; `positions`, the middles; `width`; and x as doubles
function counts.counted(where, x, bins, min, max)
  x = numbers.checked(where, 'x', x):view(-1)
  bins = check.whole(where, 'bins', bins or usual, { min = 1, max = 10000000 })
  if min ~= nil then check.number(where, 'min', min) end
  if max ~= nil then check.number(where, 'max', max) end
  local finite = x[x:eq(x)]
  if finite:nElement() == 0 then check.raise(where .. ': x: NaN alone, expected numbers') end
  min, max = min or finite:min(), max or finite:max()
  if not (max - min >= 0 and max - min < math.huge) then
    check.raise(('%s: max: a range from %s to %s, expected one with a width'):format(where, min, max))
  end
  if max == min then min, max = min - 0.5, max + 0.5 end
  local width = (max - min) / bins
  return {
    counts = torch.histc(finite, bins, min, max), width = width, x = finite,
    positions = torch.range(0, bins - 1):double():mul(width):add(min + width / 2),
  }
end

--- A histogram: counts of elements in ranges of equal width.
-- @function gnuplot.histc
-- @tparam torch.Tensor x of any sizes
-- @int[opt=72] bins number of ranges
-- @number[opt] min lower bound of the first range; default: the smallest element
-- @number[opt] max upper bound of the last range; default: the largest element
-- @bool[opt=false] raw whether to return only the counts
-- @treturn table a list of { val = middle of the range, nb = count }, with `bins`, `raw`, the counts as a tensor, `max`, the entry with
-- the largest count, `mean` and `std` of x; with `raw` only the counts
function counts.histc(x, bins, min, max, raw)
  local found = counts.counted('gnuplot.histc', x, bins, min, max)
  if check.flag('gnuplot.histc', 'raw', raw) then return found.counts end
  local list = { bins = found.counts:size(1), raw = found.counts, mean = found.x:mean() }
  list.std = found.x:nElement() > 1 and found.x:std() or 0
  for i = 1, list.bins do
    list[i] = { val = found.positions[i], nb = found.counts[i] }
    if not list.max or list[i].nb > list.max.nb then list.max = list[i] end
  end
  return list
end

return counts
