--- Summary statistics of the columns of a data frame. Missing values are left out.
-- @module data.readers.frame_statistics
local torch = require 'torch'

local statistics = {}

local nan = 0 / 0

-- The values that are not missing, sorted.
local function sorted(x)
  local there = x:double():maskedSelect(x:double():eq(x:double()))
  return there:nElement() > 0 and (torch.sort(there, 1)) or there
end

-- The value below which a share of the sorted values lies, interpolated linearly (the seventh method of Hyndman and Fan).
local function quantile(x, share)
  local count = x:nElement()
  if count == 0 then return nan end
  local place = (count - 1) * share + 1
  local low = math.floor(place)
  local high = math.min(low + 1, count)
  return x[low] + (place - low) * (x[high] - x[low])
end

--- Functions of a DoubleTensor, by name.
statistics.functions = {
  count = function(x) return sorted(x):nElement() end,
  sum = function(x)
    local there = sorted(x)
    return there:nElement() > 0 and there:sum() or 0
  end,
  mean = function(x)
    local there = sorted(x)
    return there:nElement() > 0 and there:mean() or nan
  end,
  std = function(x)
    local there = sorted(x)
    return there:nElement() > 1 and there:std() or nan
  end,
  min = function(x) return quantile(sorted(x), 0) end,
  max = function(x) return quantile(sorted(x), 1) end,
  median = function(x) return quantile(sorted(x), 0.5) end,
  ['25%'] = function(x) return quantile(sorted(x), 0.25) end,
  ['50%'] = function(x) return quantile(sorted(x), 0.5) end,
  ['75%'] = function(x) return quantile(sorted(x), 0.75) end,
}

--- The names of a frame's columns of numbers: no texts, dates, categories or booleans.
-- @tparam data.Frame frame
-- @treturn {string,...}
function statistics.numeric(frame)
  local names = {}
  for _, name in ipairs(frame.names) do
    local type = frame.types[name]
    if type ~= 'text' and type ~= 'date' and type ~= 'category' and type ~= 'torch.BoolTensor' then names[#names + 1] = name end
  end
  return names
end

local described = { 'count', 'mean', 'std', 'min', '25%', '50%', '75%', 'max' }

--- Count, mean, standard deviation (with n - 1), smallest value, quartiles and largest value of each column of numbers.
-- @function describe
-- @treturn data.Frame with the columns of numbers; `rowNames` has the names of the statistics
function statistics.describe(self)
  local names, rowNames = statistics.numeric(self), {}
  for i, name in ipairs(described) do rowNames[i] = name end
  local frame = self:_of(nil, {}, #described, rowNames)
  for _, name in ipairs(names) do
    local values = torch.DoubleTensor(#described)
    for i, each in ipairs(described) do values[i] = statistics.functions[each](self.columns[name]) end
    frame:_add(name, 'torch.DoubleTensor', values)
  end
  return frame
end

return statistics
