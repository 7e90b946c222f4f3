--- Values of neighbouring rows of a data frame: windows, differences, sums so far. Methods of `data.Frame`.
-- @module data.frame.windows
local check = require 'torch.check'
local column = require 'data.frame.column'
local loops = require 'data.frame.loops'
local periods = require 'data.frame.periods'

local windows = {}

-- A frame with changed columns of numbers; others stay.
local function numbersBy(self, f)
  return self:_of(function(c)
    if not column.isNumeric(c.type) then return c end
    return f(c)
  end, self.names, self:size(), self.rowNames)
end

local function shifted(c, n)
  local count = column.count(c)
  local places = loops.range(1 - n, count - n)
  local p = places:data()
  for i = 0, count - 1 do
    if p[i] < 1 or p[i] > count then p[i] = 0 end
  end
  return column.take(c, places, n ~= 0 and count > 0)
end

--- The values of the rows before: row i has those of row i - n; the first n have missing values.
-- @function shift
-- @int[opt=1] n negative for the rows after
-- @treturn data.Frame
function windows.shift(self, n)
  n = check.int('data.Frame:shift', 'n', n == nil and 1 or n, { min = -2 ^ 30, max = 2 ^ 30 })
  return self:_of(function(c) return shifted(c, n) end, self.names, self:size())
end

--- The differences of numbers and dates from those n rows before. Other columns stay.
-- @function diff
-- @int[opt=1] n
-- @treturn data.Frame numbers as doubles, dates as seconds
function windows.diff(self, n)
  n = check.int('data.Frame:diff', 'n', n == nil and 1 or n, { min = -2 ^ 30, max = 2 ^ 30 })
  return self:_of(function(c)
    if not column.isNumeric(c.type) and c.type ~= 'date' then return c end
    return { type = 'torch.DoubleTensor', values = column.doubles(c) - column.doubles(shifted(c, n)) }
  end, self.names, self:size(), self.rowNames)
end

--- The changes of numbers from those n rows before, as shares of these: 0.5 for half more. Other columns stay.
-- @function pctChange
-- @int[opt=1] n
-- @treturn data.Frame
function windows.pctChange(self, n)
  n = check.int('data.Frame:pctChange', 'n', n == nil and 1 or n, { min = -2 ^ 30, max = 2 ^ 30 })
  return numbersBy(self, function(c)
    return { type = 'torch.DoubleTensor', values = column.doubles(c):clone():cdiv(column.doubles(shifted(c, n))):csub(1) }
  end)
end

-- Products and extreme values up to each row.
local function running(combine)
  return function(self)
    return numbersBy(self, function(c)
      local x = column.doubles(c):clone()
      local p, value = x:data(), nil
      for i = 0, x:nElement() - 1 do
        if p[i] == p[i] then
          value = value == nil and p[i] or combine(value, p[i])
          p[i] = value
        end
      end
      if column.hasGaps(c.type) then return { type = c.type, values = x:type(c.type) } end
      return { type = 'torch.DoubleTensor', values = x }
    end)
  end
end

--- The products of numbers up to each row, as doubles. Missing values stay missing and count nothing. Other columns stay.
-- @function cumprod
-- @treturn data.Frame
windows.cumprod = running(function(a, b) return a * b end)

--- The largest of the numbers up to each row, as doubles.
-- @function cummax
-- @treturn data.Frame
windows.cummax = running(math.max)

--- The smallest of the numbers up to each row, as doubles.
-- @function cummin
-- @treturn data.Frame
windows.cummin = running(math.min)

--- The sums of numbers up to each row. Missing values stay missing and count nothing. Other columns stay.
-- @function cumsum
-- @treturn data.Frame
function windows.cumsum(self)
  return numbersBy(self, function(c)
    local x = (c.mask and c.values or column.numbers(c)):clone()      -- missing integers are 0
    local p, sum = x:data(), x.new(1):zero()
    local s = sum:data()
    for i = 0, x:nElement() - 1 do
      if p[i] == p[i] then
        s[0] = s[0] + p[i]
        p[i] = s[0]
      end
    end
    return column.masked({ type = x:type(), values = x }, column.missing(c))
  end)
end

-- Windows of a length of time.
local function ofTime(self, op, window, options)
  local period = check.that(periods.read(window), ("%s: window: '%s', expected a number of rows or a length such as '7 days'"):format(op,
    window))
  check.that(period.length, ("%s: window: '%s', expected seconds, minutes, hours, days or weeks"):format(op, window))
  check.that(options.on ~= nil, op .. ": on: expected the column of dates of a window such as '7 days'")
  check.that(not options.center, op .. ': center: expected a number of rows as the window')
  local _, name = self:column(options.on)
  check.that(self.types[name] == 'date', ('%s: on: %s: a column of %s, expected dates'):format(op, name, self.types[name]))
  local times = loops.doubles(self:_record(name).values):clone()
  local t = times:data()
  for i = 0, times:nElement() - 1 do
    check.that(t[i] == t[i] and (i == 0 or t[i] >= t[i - 1]), ('%s: on: %s[%d]: %s, expected dates in ascending order'):format(op, name,
      i + 1, t[i] == t[i] and 'an earlier date' or 'a missing date'))
  end
  local minimum = check.int(op, 'minimum', options.minimum == nil and 1 or options.minimum, { min = 0 })
  return require('data').Rolling(self, period.length, minimum, 0, times)
end

--- The exponentially weighted means of numbers: the weights of the rows before fall by a factor from row to row. Missing values keep the
-- mean, and their rows count as distance. Other columns stay.
-- @function ewm
-- @tparam table options one of `alpha` (1 less the factor, from 0 to 1), `span` (alpha is 2 / (span + 1)), `halflife` (rows after which a
-- weight is a half) or `com` (alpha is 1 / (1 + com))
-- @treturn data.Frame
-- @usage print(prices:ewm { span = 10 })
function windows.ewm(self, options)
  local op = 'data.Frame:ewm'
  options = check.options(op, options, { 'alpha', 'span', 'halflife', 'com' })
  local name, value = next(options)
  check.that(name and not next(options, name), op .. ': options: expected one of alpha, span, halflife, com')
  check.number(op, name, value)
  local alpha = name == 'alpha' and value or name == 'span' and 2 / (value + 1) or name == 'com' and 1 / (1 + value)
    or 1 - math.exp(-math.log(2) / value)
  check.that(alpha > 0 and alpha <= 1, ('%s: %s: %g, for which alpha is %g, expected one above 0 up to 1'):format(op, name, value, alpha))
  return numbersBy(self, function(c)
    local x = column.doubles(c):clone()
    local p, sum, weight = x:data(), 0, 0
    for i = 0, x:nElement() - 1 do
      sum, weight = sum * (1 - alpha), weight * (1 - alpha)
      if p[i] == p[i] then sum, weight = sum + p[i], weight + 1 end
      if weight > 0 then p[i] = sum / weight end
    end
    return { type = 'torch.DoubleTensor', values = x }
  end)
end

--- Windows of consecutive rows. Its methods `mean`, `sum`, `min`, `max`, `std`, `var`, `count` and `apply(f)` return a frame whose columns
-- of numbers are computed from each row and the rows before; other columns stay.
-- @function rolling
-- @tparam int|string window number of rows; or a length of time, such as '7 days', with the option `on`
-- @tparam[opt] table options `minimum`: number of values that are not missing, below which the result is (default: `window`, or 1 for a
-- time); `center = true`: the row is in the middle of the window; `on`: the column of dates, in ascending order, of a window of time, in
-- which are the rows less than its length before
-- @treturn data.Rolling
-- @usage print(prices:rolling(7, { minimum = 1 }):mean())
function windows.rolling(self, window, options)
  local op = 'data.Frame:rolling'
  options = check.options(op, options, { 'minimum', 'center', 'on' })
  if type(window) == 'string' then return ofTime(self, op, window, options) end
  check.int(op, 'window', window, { min = 1, max = 2 ^ 30 })
  check.that(options.on == nil, op .. ": on: expected no column with a number of rows, only with a length such as '7 days'")
  local minimum = check.int(op, 'minimum', options.minimum == nil and window or options.minimum, { min = 0, max = window })
  check.flag(op, 'center', options.center)
  return require('data').Rolling(self, window, minimum, options.center and math.floor((window - 1) / 2) or 0)
end

--- Windows of all rows up to each row, with the methods of `rolling`.
-- @function expanding
-- @int[opt=1] minimum number of values that are not missing, below which a result is missing
-- @treturn data.Rolling
-- @usage print(prices:expanding():mean())
function windows.expanding(self, minimum)
  minimum = check.int('data.Frame:expanding', 'minimum', minimum == nil and 1 or minimum, { min = 0 })
  return require('data').Rolling(self, math.max(self:size(), 1), minimum, 0)
end

return windows
