-- Groups, joins, pivots, windows and missing values of data frames, as pandas computes them (operations_figures.py).
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
  return math.abs(a - b) <= 1e-9 * math.max(1, math.abs(b))
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
