--- Computations on windows of consecutive rows of a data frame. Missing values, and infinite ones, are left out.
-- @classmod data.Rolling
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local data = require 'data'

local Rolling = torch.class('data.Rolling', data)

local huge, nan = math.huge, 0 / 0

--- Created by `data.Frame:rolling`.
-- @tparam data.Frame frame
-- @int window number of rows
-- @int minimum number of values
-- @int ahead number of rows of the window after the row
-- @tparam[opt] torch.DoubleTensor times of the rows, ascending, for a window in seconds
function Rolling:__init(frame, window, minimum, ahead, times)
  self.frame, self.window, self.minimum, self._ahead, self._times = frame, window, minimum, ahead, times
end

-- Changes the columns of numbers.
local function each(self, f)
  local frame, times = self.frame, self._times
  check.that(not times or times:nElement() == frame:size(), ('data.Rolling: the frame has %d rows, expected %d, one for each date'):format(
    frame:size(), times and times:nElement() or 0))
  return frame:_of(function(c)
    if not column.isNumeric(c.type) then return c end
    local x = column.doubles(c)
    local result = torch.DoubleTensor():resize(x:nElement())
    f(x, result)
    return { type = 'torch.DoubleTensor', values = result }
  end, frame.names, frame:size(), frame.rowNames)
end

-- The same with a window of time: the rows less than its length before the row's time, and the row.
local function slideTime(self, x, result, enter, leave, value)
  local n, length, minimum = x:nElement(), self.window, self.minimum
  local p, r, t, count, left = x:data(), result:data(), self._times:data(), 0, 0
  for i = 0, n - 1 do
    if p[i] - p[i] == 0 then
      count = count + 1
      enter(p[i], count, i)
    end
    while t[left] <= t[i] - length do
      if p[left] - p[left] == 0 then
        count = count - 1
        leave(p[left], count, left)
      end
      left = left + 1
    end
    r[i] = count >= minimum and value(count) or nan
  end
end

-- Moves a window over numbers: calls `enter` and `leave` with values, and stores what `value` returns of their number.
local function slide(self, x, result, enter, leave, value)
  if self._times then return slideTime(self, x, result, enter, leave, value) end
  local n, window, ahead, minimum = x:nElement(), self.window, self._ahead, self.minimum
  local p, r, count = x:data(), result:data(), 0
  for i = 0, n - 1 + ahead do
    if i < n and p[i] - p[i] == 0 then
      count = count + 1
      enter(p[i], count, i)
    end
    local old = i - window
    if old >= 0 and old < n and p[old] - p[old] == 0 then
      count = count - 1
      leave(p[old], count, old)
    end
    if i >= ahead then r[i - ahead] = count >= minimum and value(count) or nan end
  end
end

-- A sum with the correction of what rounding lost (Kahan).
local function compensated()
  local sum, lost = 0, 0
  return function(x)
    local y = x - lost
    local t = sum + y
    lost = t - sum - y
    sum = t
  end, function() return sum end, function() sum, lost = 0, 0 end
end

local function sums(self, value)
  return each(self, function(x, result)
    local add, get, reset = compensated()
    slide(self, x, result, add, function(old, count)
      add(-old)
      if count == 0 then reset() end
    end, function(count) return value(get(), count) end)
  end)
end

--- The sums.
-- @treturn data.Frame
function Rolling:sum() return sums(self, function(sum) return sum end) end

--- The means.
-- @treturn data.Frame
function Rolling:mean()
  return sums(self, function(sum, count)
    if count == 0 then return nan end
    return sum / count
  end)
end

--- The numbers of values.
-- @treturn data.Frame
function Rolling:count()
  return each(self, function(x, result)
    slide({ window = self.window, _ahead = self._ahead, _times = self._times, minimum = 0 }, x, result, function() end, function() end,
      function(count) return count end)
  end)
end

-- The variances by Welford's update, also backwards.
local function variances(self, value)
  return each(self, function(x, result)
    local mean, squares = 0, 0
    slide(self, x, result, function(new, count)
      local distance = new - mean
      mean = mean + distance / count
      squares = squares + distance * (new - mean)
    end, function(old, count)
      if count == 0 then
        mean, squares = 0, 0
      else
        local distance = old - mean
        mean = mean - distance / count
        squares = squares - distance * (old - mean)
      end
    end, function(count)
      if count < 2 then return nan end
      return value(math.max(squares, 0) / (count - 1))
    end)
  end)
end

--- The variances, with n - 1.
-- @treturn data.Frame
function Rolling:var() return variances(self, function(x) return x end) end

--- The standard deviations, with n - 1.
-- @treturn data.Frame
function Rolling:std() return variances(self, math.sqrt) end

-- The extreme values of windows of time: a queue has the rows of the window that none after them exceeds.
local function extremesOfTime(self, sign)
  return each(self, function(x, result)
    local queue, p = ffi.new('int32_t[?]', x:nElement() + 1), x:data()
    local first, last = 0, -1
    slide(self, x, result, function(new, _, i)
      while last >= first and sign * p[queue[last]] <= sign * new do last = last - 1 end
      last = last + 1
      queue[last] = i
    end, function(_, _, i)
      if first <= last and queue[first] == i then first = first + 1 end
    end, function()
      if first > last then return nan end
      return p[queue[first]]
    end)
  end)
end

-- The largest values of `sign` times the numbers. A window is the end of a block as long as itself, whose largest values from each row on
-- are stored, and the beginning of the next one.
-- Source: van Herk (1992), "A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels".
local function extremes(self, sign)
  if self._times then return extremesOfTime(self, sign) end
  return each(self, function(x, result)
    local n, ahead, minimum = x:nElement(), self._ahead, self.minimum
    local window = math.min(self.window, n + ahead)
    local p, r, rest, count = x:data(), result:data(), ffi.new('double[?]', window + 1), 0
    for k = 0, window do rest[k] = -huge end
    for start = 0, n + ahead - 1, window do
      local largest = -huge
      for k = 0, math.min(window, n + ahead - start) - 1 do
        local last = start + k
        if last < n and p[last] - p[last] == 0 then
          largest, count = math.max(largest, sign * p[last]), count + 1
        end
        local old = last - window
        if old >= 0 and old < n and p[old] - p[old] == 0 then count = count - 1 end
        if last >= ahead then
          if count >= minimum and count > 0 then r[last - ahead] = sign * math.max(largest, rest[k + 1]) else r[last - ahead] = nan end
        end
      end
      largest = -huge
      for k = math.min(window, n - start) - 1, 0, -1 do
        local value = p[start + k]
        if value - value == 0 then largest = math.max(largest, sign * value) end
        rest[k] = largest
      end
      for k = math.max(0, n - start), window - 1 do rest[k] = -huge end
    end
  end)
end

--- The smallest values.
-- @treturn data.Frame
function Rolling:min() return extremes(self, -1) end

--- The largest values.
-- @treturn data.Frame
function Rolling:max() return extremes(self, 1) end

--- The results of a function of each window's values.
-- @tparam function f of a DoubleTensor without the missing values; returns a number
-- @treturn data.Frame
function Rolling:apply(f)
  check.callable('data.Rolling:apply', 'f', f)
  return each(self, function(x, result)
    local n, t, left = x:nElement(), self._times and self._times:data(), 1
    for i = 1, n do
      local low, high = math.max(1, i + self._ahead - self.window + 1), math.min(n, i + self._ahead)
      if t then
        while t[left - 1] <= t[i - 1] - self.window do left = left + 1 end
        low, high = left, i
      end
      local own = x:narrow(1, low, high - low + 1)
      own = own[torch.abs(own):lt(huge)]
      local value = nan
      if own:nElement() >= self.minimum then value = check.number('data.Rolling:apply', 'the result of f', f(own)) end
      result[i] = value
    end
  end)
end
