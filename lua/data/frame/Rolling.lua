--- Computations on windows of consecutive rows of a data frame. Missing values, and infinite ones, are left out.
-- @classmod data.Rolling
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local data = require 'data'
local fold = require 'data.frame.fold'
local loops = require 'data.frame.loops'

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

-- The results of windows whose state `make` makes.
local function folded(self, make, of, minimum)
  return each(self, function(x, result)
    fold.each({ window = self.window, ahead = self._ahead, times = self._times, minimum = minimum or self.minimum }, x, result,
      make(x:nElement(), of))
  end)
end

--- The sums.
-- @treturn data.Frame
function Rolling:sum() return folded(self, fold.sums, function(sum) return sum end) end

--- The means.
-- @treturn data.Frame
function Rolling:mean() return folded(self, fold.sums, function(sum, count) return sum / count end) end

--- The numbers of values.
-- @treturn data.Frame
function Rolling:count() return folded(self, fold.counts, nil, 0) end

--- The variances, with n - 1.
-- @treturn data.Frame
function Rolling:var() return folded(self, fold.variances, function(x) return x end) end

--- The standard deviations, with n - 1.
-- @treturn data.Frame
function Rolling:std() return folded(self, fold.variances, math.sqrt) end

-- The largest values of `sign` times the numbers of windows of time: the rows less than its length before the row's time, and the row. A
-- queue has the rows of the window that none after them exceeds.
local function extremesOfTime(self, sign)
  return each(self, function(x, result)
    local n, length, minimum = x:nElement(), self.window, self.minimum
    local queue, p, r, t = loops.ints(n), x:data(), result:data(), self._times:data()
    local q, first, last, left, count = queue:data(), 0, -1, 0, 0
    for i = 0, n - 1 do
      local new = p[i]
      if new - new == 0 then
        count = count + 1
        while last >= first and sign * p[q[last]] <= sign * new do last = last - 1 end
        last = last + 1
        q[last] = i
      end
      while left < i and t[left] <= t[i] - length do
        if p[left] - p[left] == 0 then count = count - 1 end
        if first <= last and q[first] == left then first = first + 1 end
        left = left + 1
      end
      if count >= minimum and first <= last then r[i] = p[q[first]] else r[i] = nan end
    end
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
