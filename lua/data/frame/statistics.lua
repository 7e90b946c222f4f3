--- Summaries of the columns of a data frame. Missing values are left out. Methods of `data.Frame`.
-- @module data.frame.statistics
local torch = require 'torch'
local check = require 'torch.check'
local aggregates = require 'data.frame.aggregates'
local column = require 'data.frame.column'
local keys = require 'data.frame.keys'
local loops = require 'data.frame.loops'

local statistics = {}

local described = {
  { 'count', 'count' }, { 'mean', 'mean' }, { 'std', 'std' }, { 'min', 'min' }, { '25%', 'quantile', 0.25 }, { '50%', 'quantile', 0.5 },
  { '75%', 'quantile', 0.75 }, { 'max', 'max' },
}

-- All rows as one group.
local function whole(n) return { codes = torch.IntTensor():resize(n):fill(1), count = 1 } end

--- Count, mean, standard deviation (with n - 1), smallest value, quartiles and largest value of each column of numbers.
-- @function describe
-- @treturn data.Frame with the columns of numbers; `rowNames` has the names of the statistics
function statistics.describe(self)
  local rowNames = {}
  for i, each in ipairs(described) do rowNames[i] = each[1] end
  local frame, groups = self:_of(nil, {}, #described, rowNames), whole(self:size())
  for _, name in ipairs(self.names) do
    if column.isNumeric(self.types[name]) then
      local c, values = self:_record(name), torch.DoubleTensor(#described)
      for i, each in ipairs(described) do values[i] = tonumber(aggregates.functions[each[2]].call(c, groups, each[3]).values[1]) end
      frame:_put(name, { type = 'torch.DoubleTensor', values = values })
    end
  end
  return frame
end

-- Codes in order of occurrence, and the first row of each.
local function occurring(c)
  local codes, most = keys.of(c, false)
  local rows, starts = loops.sort(codes, most)
  local firsts = loops.ints(most)
  local p, r, s = firsts:data(), rows:data(), starts:data()
  for code = 1, most do p[code - 1] = r[s[code]] end
  return firsts, starts, most
end

--- The distinct values of a column, in order of occurrence, without missing ones.
-- @function unique
-- @tparam string|int which
-- @treturn data.Frame of this column
-- @usage print(flowers:unique('species').species)
function statistics.unique(self, which)
  local _, name = self:column(which)
  local firsts = occurring(self:_record(name))
  if firsts:nElement() > 0 then firsts = torch.sort(firsts, 1) end
  return self:_of(function(c) return column.take(c, firsts) end, { name }, firsts:nElement())
end

--- The number of occurrences of each value of a column, the most frequent first, then in order of occurrence. Missing values are not
-- counted.
-- @function valueCounts
-- @tparam string|int which
-- @tparam[opt] table options `normalize = true`: shares of all, instead of numbers
-- @treturn data.Frame the column, and `count` or `share`
function statistics.valueCounts(self, which, options)
  local normalize = check.options('data.Frame:valueCounts', options, { 'normalize' }).normalize
  check.flag('data.Frame:valueCounts', 'normalize', normalize)
  local _, name = self:column(which)
  local firsts, starts, most = occurring(self:_record(name))
  local counts = torch.LongTensor():resize(most)
  if most > 0 then
    counts:copy(starts:narrow(1, 3, most)):csub(starts:narrow(1, 2, most):long())
    -- One number for both keys: exact, as neither exceeds 2^31 and their product 2^53 only if the counts do.
    local order = select(2, torch.sort(firsts:double() - counts:double() * (self:size() + 1), 1))
    firsts, counts = firsts:index(1, order), counts:index(1, order)
  end
  local frame = self:_of(function(c) return column.take(c, firsts) end, { name }, most)
  local label = normalize and 'share' or 'count'
  if normalize and most > 0 then counts = counts:double():div(counts:sum()) end
  frame:_put(name == label and label .. '_2' or label, { type = counts:type(), values = counts })
  return frame
end

return statistics
