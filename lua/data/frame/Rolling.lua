--- Computations on windows of consecutive rows of a data frame. Missing values, and infinite ones, are left out.
-- @classmod data.Rolling
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local data = require 'data'
local fold = require 'data.frame.fold'

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

-- A statistic of the windows.
local function folded(self, name, minimum)
  local windows = { window = self.window, ahead = self._ahead, times = self._times, minimum = minimum or self.minimum }
  return each(self, function(x, result) fold.run(name, windows, x, result) end)
end

--- The sums.
-- @treturn data.Frame
function Rolling:sum() return folded(self, 'sum') end

--- The means.
-- @treturn data.Frame
function Rolling:mean() return folded(self, 'mean') end

--- The numbers of values.
-- @treturn data.Frame
function Rolling:count() return folded(self, 'count', 0) end

--- The variances, with n - 1.
-- @treturn data.Frame
function Rolling:var() return folded(self, 'var') end

--- The standard deviations, with n - 1.
-- @treturn data.Frame
function Rolling:std() return folded(self, 'std') end

--- The smallest values.
-- @treturn data.Frame
function Rolling:min() return folded(self, 'min') end

--- The largest values.
-- @treturn data.Frame
function Rolling:max() return folded(self, 'max') end

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
