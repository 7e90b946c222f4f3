--- Methods of axes for distributions of values: box plots, violins.
-- @module plot.spreads
local torch = require 'torch'
local check = require 'torch.check'
local artists, colors, values = require 'plot.spread_artists', require 'plot.colors', require 'plot.values'
local style = require 'plot.style'

local spreads = {}

-- The groups of data: a vector is one group, each column of a matrix, and each tensor or list in a list. NaN is left out.
local function groupsOf(where, data)
  local groups = {}
  if torch.isTensor(data) and data:dim() == 2 then
    for column = 1, data:size(2) do groups[column] = values.list(where, 'data', data:select(2, column)) end
  elseif type(data) == 'table' and type(data[1]) ~= 'number' and #data > 0 then
    for i, group in ipairs(data) do groups[i] = values.list(where, ('data[%d]'):format(i), group) end
  else
    groups[1] = values.list(where, 'data', data)
  end
  for i, group in ipairs(groups) do
    local kept = {}
    for _, x in ipairs(group) do
      if x == x then kept[#kept + 1] = x end
    end
    table.sort(kept)
    groups[i] = kept
  end
  return groups
end

-- A percentile of sorted numbers with linear interpolation, as in numpy.percentile.
local function percentile(sorted, percent)
  local at = (#sorted - 1) * percent / 100
  local i = math.floor(at)
  local low, high = sorted[i + 1], sorted[math.min(i + 2, #sorted)]
  return low + (high - low) * (at - i)
end

local function meanOf(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x end
  return sum / #list
end

-- The farthest values within reach of the box, and the outliers.
local function whiskersOf(sorted, q1, q3, whis)
  local low, high
  if type(whis) == 'table' then
    low, high = percentile(sorted, whis[1]), percentile(sorted, whis[2])
  else
    low, high = q1 - whis * (q3 - q1), q3 + whis * (q3 - q1)
  end
  local from, to, fliers = q1, q3, {}
  for _, x in ipairs(sorted) do
    if x < low or x > high then fliers[#fliers + 1] = x end
    if x >= low and x < from then from = x end
    if x <= high and x > to then to = x end
  end
  return from, to, fliers
end

local function statistics(sorted, whis)
  local q1, median, q3 = percentile(sorted, 25), percentile(sorted, 50), percentile(sorted, 75)
  local low, high, fliers = whiskersOf(sorted, q1, q3, whis)
  return { q1 = q1, median = median, q3 = q3, low = low, high = high, fliers = fliers, mean = meanOf(sorted), count = #sorted }
end

-- Positions, widths and ticks of groups.
local function settings(self, where, groups, options)
  local at = values.positions(where, 'positions', options.positions, #groups)
  local axis = options.vert == false and self.y or self.x
  if options.labels ~= nil then
    check.table(where, 'labels', options.labels)
    check.that(#options.labels == #groups, ('%s: labels: %d, expected one for each of %d groups'):format(where, #options.labels, #groups))
  end
  local ticks, labels = axis.ticks or {}, axis.labels or {}
  for i = 1, #groups do
    ticks[#ticks + 1] = at[i]
    labels[#ticks] = options.labels and tostring(options.labels[i]) or ('%g'):format(at[i])
  end
  axis.ticks, axis.labels = ticks, labels
  return at, values.list(where, 'widths', options.widths or 0.5, #groups)
end

local boxOptions = {
  'labels', 'positions', 'widths', 'vert', 'whis', 'showfliers', 'showmeans', 'color', 'fill', 'mediancolor', 'linewidth', 'label',
}

--- Boxes from the first to the third quartile with a line at the median, whiskers to the farthest values within 1.5 of the box's length,
-- and circles for those beyond.
-- Source: Tukey (1977), "Exploratory Data Analysis". Quartiles are numpy.percentile's.
-- @param data a vector; a matrix with a group in each column; or a list of groups. NaN is left out
-- @tparam[opt] table options `labels`, `positions` (1, 2, ...), `widths` (0.5), `vert` (true), `whis` (1.5, or two percentages),
-- `showfliers` (true), `showmeans` (false), `color` ('black'), `fill` (a colour of the boxes), `mediancolor` ('C1'), `linewidth` (1),
-- `label`
-- @treturn plot.Axes itself
-- @treturn {table,...} for each group q1, median, q3, mean, low and high (the whiskers' ends), fliers, count
function spreads:boxplot(data, options)
  options = check.options('boxplot', options, boxOptions)
  local groups = groupsOf('boxplot', data)
  local at, widths = settings(self, 'boxplot', groups, options)
  local whis = type(options.whis) == 'table' and values.list('boxplot', 'whis', options.whis, 2)
    or check.number('boxplot', 'whis', options.whis or 1.5, { min = 0 })
  local look = {
    color = colors.of('boxplot', options.color or 'black'), fill = options.fill and colors.of('boxplot', options.fill),
    median = colors.of('boxplot', options.mediancolor or 'C1'), width = style.width('boxplot', options, 1),
    upright = options.vert ~= false, fliers = options.showfliers ~= false, means = options.showmeans == true,
    label = style.label('boxplot', options),
  }
  local found = {}
  for i, sorted in ipairs(groups) do
    if #sorted > 0 then
      found[i] = statistics(sorted, whis)
      style.add(self, artists.box(at[i], widths[i], found[i], look))
      look = style.merged(look)
      look.label = nil
    else
      found[i] = { fliers = {}, count = 0 }
    end
  end
  return self, found
end

-- A density by Gaussian kernels with Scott's width, at `count` points from the smallest to the largest value.
local function density(sorted, count)
  local n, mean, squares = #sorted, meanOf(sorted), 0
  for _, x in ipairs(sorted) do squares = squares + (x - mean) ^ 2 end
  local width = n > 1 and math.sqrt(squares / (n - 1)) * n ^ (-1 / 5) or 0
  local points, heights = {}, {}
  for i = 1, count do
    local x, sum = sorted[1] + (sorted[n] - sorted[1]) * (i - 1) / (count - 1), 0
    for _, value in ipairs(sorted) do sum = sum + (width > 0 and math.exp(-((x - value) / width) ^ 2 / 2) or 1) end
    points[i], heights[i] = x, sum
  end
  return points, heights
end

--- Violins: mirrored densities of groups of values, with lines at their smallest and largest values.
-- The kernels are Gaussian, with Scott's width, n^(-1/5) standard deviations.
-- @param data as for `boxplot`
-- @tparam[opt] table options `labels`, `positions` (1, 2, ...), `widths` (0.5), `vert` (true), `points` (100), `showextrema` (true),
-- `showmeans` (false), `showmedians` (false), `color`, `alpha` (0.3), `label`
-- @treturn plot.Axes itself
function spreads:violin(data, options)
  options = check.options('violin', options, {
    'labels', 'positions', 'widths', 'vert', 'points', 'showextrema', 'showmeans', 'showmedians', 'color', 'alpha', 'label',
  })
  local groups = groupsOf('violin', data)
  local at, widths = settings(self, 'violin', groups, options)
  local count = check.int('violin', 'points', options.points or 100, { min = 2 })
  local look = {
    color = style.color(self, 'violin', options.color), alpha = style.alpha('violin', options, 0.3), upright = options.vert ~= false,
    label = style.label('violin', options),
  }
  for i, sorted in ipairs(groups) do
    if #sorted > 0 then
      local points, heights = density(sorted, count)
      local lines = {}
      if options.showextrema ~= false then lines[1], lines[2] = sorted[1], sorted[#sorted] end
      if options.showmeans then lines[#lines + 1] = meanOf(sorted) end
      if options.showmedians then lines[#lines + 1] = percentile(sorted, 50) end
      style.add(self, artists.violin(at[i], widths[i], points, heights, lines, options.showextrema ~= false, look))
      look = style.merged(look)
      look.label = nil
    end
  end
  return self
end

return spreads
