-- Groups, joins, pivots, windows and missing values of data frames, as pandas computes them (operations_figures.py).
local torch = require 'torch'
local data = require 'data'
local paths = require 'paths'
local column = require 'data.frame.column'
local files = require 'spec.support.files'
local figures = require 'spec.data.frame.operations_figures'

local function read(text)
  local name = paths.tmpname()
  files.write(name, text)
  local frame = data.csv.load(name)
  os.remove(name)
  return frame
end

-- The values of a column as the figures have them.
local function valuesOf(frame, name)
  local list, c = {}, frame:_record(name)
  for i = 1, frame:size() do
    local value = column.value(c, i)
    if value == nil then value = false elseif type(value) == 'boolean' then value = value and 'yes' or 'no' end
    list[i] = value
  end
  return list
end

local function isClose(a, b)
  if type(a) ~= 'number' or type(b) ~= 'number' then return a == b end
  return a == b or math.abs(a - b) <= 1e-9 * math.max(1, math.abs(b))
end

local function same(expected, frame, anyNames)
  if not anyNames then assert.same(expected[1], frame.names) end
  for j, name in ipairs(frame.names) do
    local values = valuesOf(frame, name)
    assert.equal(#expected[j + 1], #values)
    for i, value in ipairs(values) do
      assert.is_true(isClose(value, expected[j + 1][i]), ('%s[%d]: %s, expected %s'):format(name, i, tostring(value),
        tostring(expected[j + 1][i])))
    end
  end
end

local frame, other = read(figures.text), read(figures.other)
local function range(x) return x:max() - x:min() end
local everything = { 'count', 'sum', 'mean', 'min', 'max', 'first', 'last', 'var', 'std', 'median', 'nunique', { quantile = 0.3 } }
local numbers = frame:select { 'id', 'x', 'y' }

local cases = {
  numbers = function(f) return f:groupBy('word'):aggregate { x = everything } end,
  integers = function(f) return f:groupBy('key'):aggregate { id = { 'sum', 'mean', 'min', 'max', 'median' } } end,
  others = function(f)
    return f:groupBy('key'):aggregate { word = { 'count', 'nunique', 'first', 'last', 'min', 'max' }, flag = { 'sum', 'mean' },
                                        day = { 'min', 'max', 'count' } }
  end,
  pairs = function(f) return f:groupBy('word', 'key'):aggregate { x = { 'mean' }, total = { 'y', 'sum' } } end,
  flags = function(f) return f:groupBy('flag'):aggregate { y = { 'mean' } } end,
  reals = function(f) return f:groupBy('y'):aggregate { id = { 'sum' } } end,
  own = function(f) return f:groupBy('word'):aggregate { y = { range } } end,
  monthly = function(f) return f:groupByTime('day', 'month'):aggregate { id = 'sum', y = 'sum' } end,
  weekly = function(f) return f:groupByTime('day', 'week'):aggregate { y = { 'count' } } end,
  quarterly = function(f) return f:groupByTime('day', 'quarter'):aggregate { y = { 'count' } } end,
  sorted = function(f) return f:sort({ 'word', 'y', 'x' }, { descending = { 'y' } }) end,
  descending = function(f) return f:sort('x', { descending = true }) end,
  by_day = function(f) return f:sort({ 'flag', 'day' }, { descending = { false, false } }) end,
  inner = function(f) return f:join(other, 'word') end,
  left = function(f) return f:join(other, { on = 'word', how = 'left' }) end,
  right = function(f) return f:join(other, { on = { 'word' }, how = 'right' }) end,
  outer = function(f) return f:select({ 'id', 'word', 'y' }):join(other, { on = 'word', how = 'outer' }) end,
  two_keys = function(f) return f:join(other, { on = { 'word', 'key' }, how = 'outer', suffixes = { '', '_other' } }) end,
  other_names = function(f)
    local renamed = other:rename({ key = 'number' }):select { 'number', 'place' }
    return f:join(renamed, { leftOn = 'key', rightOn = 'number', how = 'left' })
  end,
  table = function(f) return f:pivotTable { index = 'word', columns = 'key', values = 'x' } end,
  counted = function(f)
    return f:pivotTable { index = { 'word', 'flag' }, columns = 'key', values = 'id', aggregate = 'count', fill = 0 }
  end,
  pivoted = function(f)
    local single = f:dropNull('word'):dropDuplicates { 'word', 'key' }
    return single:pivot { index = 'word', columns = 'key', values = 'y' }
  end,
  pivoted_columns = function(f) return f:pivotTable { index = 'word', columns = { 'flag', 'key' }, values = 'y', aggregate = 'sum' } end,
  pivoted_values = function(f)
    local single = f:dropNull('word'):dropDuplicates({ 'word', 'key' }):assign { z = 'y * 2' }
    return single:pivot { index = 'word', columns = 'key', values = { 'y', 'z' } }
  end,
  pivoted_all = function(f)
    return f:pivotTable { index = { 'word', 'flag' }, columns = { 'key', 'y' }, values = { 'id', 'x' }, aggregate = 'sum' }
  end,
  clipped = function() return numbers:cast({ id = 'double' }):clip(-0.5, 2) end,
  clipped_low = function() return numbers:clip(3) end,
  rounded = function() return numbers:round(1) end,
  tens = function() return numbers:round(-1) end,
  cov = function() return numbers:cov() end,
  expanding = function() return numbers:expanding(3):mean() end,
  expanding_std = function() return numbers:expanding():std() end,
  exploded = function(f) return f:assign({ tags = f:select 'word' }):explode('tags', 'a'):select { 'id', 'tags' } end,
  melted = function(f) return f:melt { id = { 'id', 'word' }, values = { 'x', 'y' } } end,
  concat = function(f) return f:select({ 'id', 'word', 'x' }):head(4):concat(other:select({ 'word', 'height' }):head(3)) end,
  unique = function(f) return f:dropDuplicates 'word' end,
  last = function(f) return f:dropDuplicates({ 'word', 'flag' }, { keep = 'last' }) end,
  shifted = function(f) return f:shift(2):drop 'flag' end,
  ahead = function(f) return f:shift(-3):drop { 'flag' } end,
  diff = function() return numbers:diff(2) end,
  cumsum = function() return numbers:cumsum() end,
  filled = function(f) return f:fillNull { x = -1, word = 'none yet' } end,
  forward = function(f) return f:select({ 'word', 'x', 'day' }):fillNull(nil, { method = 'previous' }) end,
  backward = function(f) return f:select({ 'word', 'x', 'day' }):fillNull(nil, { method = 'next' }) end,
  nulls = function(f) return f:isNull() end,
  filtered = function(f) return f:filter "x > 0 and word == 'elm'" end,
  product = function(f) return f:assign({ z = 'x * y + 1' }):select 'z' end,
  words = function(f) return f:unique 'word' end,
  pct = function() return numbers:select({ 'id', 'y' }):pctChange() end,
  cumprod = function() return numbers:select({ 'x', 'y' }):cumprod() end,
  cummax = function() return numbers:cummax() end,
  cummin = function() return numbers:cummin() end,
  largest = function(f) return f:nlargest(5, 'x') end,
  smallest = function(f) return f:nsmallest(4, { 'y', 'x' }) end,
  duplicated = function(f) return f:filter(f:duplicated({ 'word', 'key' }, { keep = 'none' })) end,
  single = function(f) return f:dropDuplicates({ 'word', 'y' }, { keep = 'none' }) end,
  quantiles = function() return numbers:quantile { 0.1, 0.5, 0.75 } end,
  corr = function() return numbers:corr() end,
  spearman = function() return numbers:corr(nil, { method = 'spearman' }) end,
  crosstab = function(f) return f:crosstab('word', 'key') end,
  crosstab_rows = function(f) return f:crosstab('word', 'key', { normalize = 'index' }) end,
  crosstab_columns = function(f) return f:crosstab({ 'word', 'flag' }, 'key', { normalize = 'columns' }) end,
  crosstab_all = function(f) return f:crosstab('word', 'key', { normalize = 'all' }) end,
  stacked = function(f) return f:select({ 'id', 'x', 'y' }):stack { id = 'id' } end,
  cross = function(f)
    return f:select({ 'id', 'word' }):head(3):join(other:select({ 'place', 'word' }):head(2), { how = 'cross' })
  end,
  semi = function(f) return f:join(other:filter "word == nil or word ~= 'yew'", { on = 'word', how = 'semi' }) end,
  anti = function(f) return f:join(other, { on = 'word', how = 'anti' }) end,
  transformed = function(f) return f:groupBy('word'):transform { x = 'mean', n = { 'id', 'count' } } end,
  running = function(f)
    return f:groupBy('word'):transform { c = { 'x', 'cumsum' }, d = { 'y', 'diff' }, k = { 'id', 'number' }, p = { 'y', 'shift' },
                                         share = { 'y', function(y) return y / y:sum() end } }
  end,
  running_more = function(f)
    return f:groupBy('word'):transform { a = { 'x', 'cumprod' }, b = { 'x', 'cummax' }, c = { 'y', 'cummin' }, d = { 'x', 'forward' },
                                         e = { 'x', 'backward' }, f = { 'y', 'rank' }, g = { 'x', 'rank' } }
  end,
  kept = function(f) return f:groupBy('word'):filter(function(rows) return rows.y:double():mean() > 1.4 end) end,
  heads = function(f) return f:groupBy('word'):head(2) end,
  tops = function(f)
    return f:select({ 'word', 'id', 'y' }):groupBy('word'):apply(function(rows) return rows:sort('y', { descending = true }):head(2) end)
  end,
  numbers_kept = function(f) return f:groupBy('word', { missing = true }):aggregate { x = 'sum' } end,
  further = function(f) return f:groupBy('word'):aggregate { x = { 'size', 'sem', 'prod' }, flag = { 'any', 'all' } } end,
  hot = function(f) return f:select({ 'id', 'word', 'key' }):oneHot 'word' end,
  hot_numbers = function(f) return f:select({ 'key' }):oneHot 'key' end,
  ewm = function() return numbers:ewm { span = 5 } end,
  ewm_alpha = function() return numbers:ewm { alpha = 0.3 } end,
  ewm_halflife = function() return numbers:ewm { halflife = 2 } end,
  timed_own = function(f)
    return f:select({ 'day', 'x', 'y' }):dropMissing('day'):sort('day'):rolling('60 hours', { on = 'day', minimum = 2 }):apply(range)
  end,
  rank_share = function(f)
    return data.Frame { y = f:rank('y', { share = true }), key = f:rank('key', { method = 'dense', share = true }) }:select { 'y', 'key' }
  end,
  cut_edges = function(f) return f:cut('y', { 0, 0.5, 1, 2.25 }) end,
  cut_left = function(f) return f:cut('y', { 0, 0.5, 1, 2.25 }, { right = false }) end,
  cut_lowest = function(f) return f:cut('y', { 0, 0.5, 1, 2.25 }, { includeLowest = true }) end,
  cut_number = function(f) return f:cut('x', 4) end,
  cut_left_number = function(f) return f:cut('x', 3, { right = false }) end,
  cut_labels = function(f) return f:cut('y', { 0, 1, 9 }, { labels = { 'low', 'high' } }) end,
  qcut = function(f) return f:qcut('x', 4) end,
  qcut_shares = function(f) return f:qcut('x', { 0, 0.1, 0.5, 1 }) end,
  rolling_mean = function() return numbers:rolling(4):mean() end,
  rolling_sum = function() return numbers:rolling(4, { minimum = 2 }):sum() end,
  rolling_min = function() return numbers:rolling(5, { minimum = 1 }):min() end,
  rolling_max = function() return numbers:rolling(5, { minimum = 1 }):max() end,
  rolling_std = function() return numbers:rolling(6, { minimum = 3 }):std() end,
  rolling_var = function() return numbers:rolling(3, { minimum = 1 }):var() end,
  rolling_count = function() return numbers:rolling(4, { minimum = 0 }):count() end,
  rolling_center = function() return numbers:rolling(5, { minimum = 1, center = true }):mean() end,
  rolling_even = function() return numbers:rolling(4, { minimum = 1, center = true }):sum() end,
  rolling_own = function() return numbers:rolling(5, { minimum = 2 }):apply(range) end,
}

for _, method in ipairs { 'average', 'min', 'max', 'first', 'dense' } do
  cases['rank_' .. method] = function(f)
    return data.Frame({ x = f:rank('x', { method = method, descending = true }), y = f:rank('y', { method = method }),
                        word = f:rank('word', { method = method }) }, { 'x', 'y', 'word' })
  end
end
for _, name in ipairs { 'mean', 'sum', 'min', 'max', 'std', 'count' } do
  cases['timed_' .. name] = function(f)
    local windows = f:select({ 'day', 'x', 'y' }):dropMissing('day'):sort('day'):rolling('9 days', { on = 'day' })
    return windows[name](windows)
  end
end
for _, direction in ipairs { 'backward', 'forward', 'nearest' } do
  local function both(f)
    local right = f:select({ 'day', 'y', 'word' }):dropMissing():sort 'day'
    return f:select({ 'id', 'day', 'word' }):dropMissing():sort 'day', right:take(torch.range(1, right:size(), 3):long())
  end
  cases['asof_' .. direction] = function(f)
    local left, right = both(f)
    return left:joinAsof(right, { on = 'day', direction = direction, suffixes = { '', '_y' } }):rename { word_y = 'other' }
  end
  cases['asof_by_' .. direction] = function(f)
    local left, right = both(f)
    return left:joinAsof(right, { on = 'day', by = 'word', direction = direction, tolerance = 10 * 86400 })
  end
end

describe('data.Frame computes what pandas does:', function()
  for name, compute in pairs(cases) do
    it(name, function()
      same(figures[name], compute(frame))
      same(figures[name], compute(frame:cast { word = 'category' }))
      same(figures[name], compute(frame:cast { id = 'int', key = 'short', y = 'float' }))
    end)
  end

  it('shares of values', function()
    same(figures.shares, frame:valueCounts('flag', { normalize = true }), true)
  end)
end)
