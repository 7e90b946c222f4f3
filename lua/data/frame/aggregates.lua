--- Functions of the values of each group, without the missing ones: one pass over the rows each.
-- `groups` has `codes` (IntTensor of the group of each row, 0 for none), `count`, and `order` and `starts`, the rows of each group.
-- @module data.frame.aggregates
local ffi = require 'ffi'
local torch = require 'torch'
local column = require 'data.frame.column'
local keys = require 'data.frame.keys'
local loops = require 'data.frame.loops'
local selected = require 'data.frame.selection'

local aggregates = {}

local nan = 0 / 0

local function doubles(count, value) return torch.DoubleTensor():resize(count):fill(value) end

-- The numbers of values that are not missing.
local function counted(x, groups)
  local counts = torch.LongTensor():resize(groups.count):zero()
  local n, own = x:nElement(), ffi.new('int32_t[?]', groups.count + 1)
  local c, p = groups.codes:data(), x:data()
  for i = 0, n - 1 do
    if p[i] == p[i] then own[c[i]] = own[c[i]] + 1 end
  end
  local q = counts:data()
  for g = 1, groups.count do q[g - 1] = own[g] end
  return counts
end

-- Sums in the type of the numbers. Place 0 is for rows without a group.
local function summed(x, groups)
  local sums = x.new():resize(groups.count + 1):zero()
  local c, p, s = groups.codes:data(), x:data(), sums:data()
  for i = 0, x:nElement() - 1 do
    if p[i] == p[i] then s[c[i]] = s[c[i]] + p[i] end
  end
  return groups.count > 0 and sums:narrow(1, 2, groups.count):clone() or x.new():resize(0)
end

local function means(x, groups) return summed(x, groups):double():cdiv(counted(x, groups):double()) end

-- Sums of squared distances from the mean, divided by n - 1; NaN for fewer than two values.
local function variances(x, groups)
  x = loops.doubles(x)
  local centre, counts, sums = means(x, groups), counted(x, groups), ffi.new('double[?]', groups.count + 1)
  local c, p, m = groups.codes:data(), x:data(), centre:data() - 1
  for i = 0, x:nElement() - 1 do
    local code = c[i]
    if code ~= 0 and p[i] == p[i] then
      local distance = p[i] - m[code]
      sums[code] = sums[code] + distance * distance
    end
  end
  local result = doubles(groups.count, nan)
  local r, k = result:data(), counts:data()
  for g = 1, groups.count do
    local count = tonumber(k[g - 1])
    if count > 1 then r[g - 1] = sums[g] / (count - 1) end
  end
  return result
end

-- The row of a value of each group, from 1: the first one, or one that `better` prefers; 0 if all are missing.
local function chosen(x, groups, better)
  local rows = torch.IntTensor(groups.count + 1):zero()
  local c, p, r = groups.codes:data(), x:data(), rows:data()
  for i = 0, x:nElement() - 1 do
    local code = c[i]
    if p[i] == p[i] and (r[code] == 0 or better(p[i], p[r[code] - 1])) then r[code] = i + 1 end
  end
  return groups.count > 0 and rows:narrow(1, 2, groups.count):clone() or loops.ints(0)
end

-- Functions of two values are compiled into the loop of `chosen`, one for each.
local function choosing(source)
  local make = loadstring('return function(a, b) return ' .. source .. ' end')()
  return function(x, groups) return chosen(x, groups, make) end
end
local lowest, highest, first, last = choosing 'a < b', choosing 'a > b', choosing 'false', choosing 'true'

-- The values of each group in places one after another, and the place, from 0, of each group's first one. Missing ones are left out.
local function gathered(x, groups)
  local n, own = groups.count, counted(x, groups)
  local starts, values = torch.IntTensor(n + 2):zero(), torch.DoubleTensor():resize(x:nElement())
  local s, k = starts:data(), own:data()
  for g = 1, n do s[g + 1] = s[g] + tonumber(k[g - 1]) end
  local places = starts:clone()
  local c, p, v, at = groups.codes:data(), x:data(), values:data(), places:data()
  for i = 0, x:nElement() - 1 do
    local code = c[i]
    if code ~= 0 and p[i] == p[i] then
      v[at[code]] = p[i]
      at[code] = at[code] + 1
    end
  end
  return values, starts
end

-- The values below which a share of each group's lies, interpolated linearly (the seventh method of Hyndman and Fan).
local function quantiles(x, groups, share)
  local values, starts = gathered(loops.doubles(x), groups)
  local result = doubles(groups.count, nan)
  local v, s, r = values:data(), starts:data(), result:data()
  for g = 1, groups.count do
    local from, to = s[g], s[g + 1] - 1
    if from <= to then
      local place = (to - from) * share
      local low = from + math.floor(place)
      local part = from + place - low
      local a = selected(v, from, to, low)
      if part > 0 then
        local b = v[low + 1]
        for i = low + 2, to do b = math.min(b, v[i]) end
        a = a + part * (b - a)
      end
      r[g - 1] = a
    end
  end
  return result
end

-- The numbers of distinct values, from the codes of the values.
local function distinct(codes, groups)
  local rows, starts = loops.sort(groups.codes, groups.count)
  local counts = torch.LongTensor():resize(groups.count):zero()
  local most = codes:nElement() > 0 and codes:max() or 0
  local seen = ffi.new('int32_t[?]', most + 1)      -- the last group with the code
  local c, r, s, q = codes:data(), rows:data(), starts:data(), counts:data()
  for g = 1, groups.count do
    local count = 0
    for j = s[g], s[g + 1] - 1 do
      local code = c[r[j] - 1]
      if code ~= 0 and seen[code] ~= g then
        seen[code] = g
        count = count + 1
      end
    end
    q[g - 1] = count
  end
  return counts
end

-- The numbers to count or to choose from: of texts, whether they are missing; of others, their order.
local function present(c)
  if c.type ~= 'text' and c.type ~= 'category' and not c.mask then return column.numbers(c) end
  local mask = column.missing(c)
  return torch.DoubleTensor():resize(mask:nElement()):zero():maskedFill(mask, nan)
end

local function ordered(c)
  if c.type ~= 'text' and c.type ~= 'category' and not c.mask then return column.numbers(c) end
  local codes = keys.of(c, true):double()
  return codes:maskedFill(codes:eq(0), nan)
end

local function rowsBy(find, numbers)
  return function(c, groups)
    local rows = find(numbers(c), groups)
    local gaps = rows:nElement() > 0 and rows:min() == 0
    return column.take(c, rows, gaps)
  end
end

-- Sums of integers are exact: those that are missing are 0.
local function sumsOf(c, groups)
  local x = summed(c.mask and c.values:long():contiguous() or column.numbers(c), groups)
  return { type = x:type(), values = x }
end

local function ofNumbers(f)
  return { numeric = true, call = function(c, groups, ...)
    local x = f(column.numbers(c), groups, ...)
    return { type = x:type(), values = x }
  end }
end

local function ofAny(f) return { call = f } end

-- Products of the numbers that are not missing.
local function products(x, groups)
  x = loops.doubles(x)
  local values = doubles(groups.count + 1, 1)
  local c, p, v = groups.codes:data(), x:data(), values:data()
  for i = 0, x:nElement() - 1 do
    if p[i] == p[i] then v[c[i]] = v[c[i]] * p[i] end
  end
  return groups.count > 0 and values:narrow(1, 2, groups.count):clone() or doubles(0, 0)
end

-- The numbers of rows, also of missing values.
local function sizes(groups)
  local _, starts = loops.sort(groups.codes, groups.count)
  local counts = torch.LongTensor():resize(groups.count)
  if groups.count > 0 then counts:copy(starts:narrow(1, 3, groups.count)):csub(starts:narrow(1, 2, groups.count):long()) end
  return counts
end

-- Whether some, or all, of the values that are not missing are true or differ from 0.
local function truths(all)
  return { numeric = true, call = function(c, groups)
    local x = column.doubles(c)
    local found = torch.ByteTensor(groups.count + 1):fill(all and 1 or 0)
    local p, codes, f = x:data(), groups.codes:data(), found:data()
    for i = 0, x:nElement() - 1 do
      local value = p[i]
      if value == value then
        if all and value == 0 then f[codes[i]] = 0 elseif not all and value ~= 0 then f[codes[i]] = 1 end
      end
    end
    local own = groups.count > 0 and found:narrow(1, 2, groups.count) or torch.ByteTensor():resize(0)
    return { type = 'torch.BoolTensor', values = own:type 'torch.BoolTensor':clone() }
  end }
end

--- Functions by name: `call` of a column and groups returns a column; `numeric` functions refuse texts, categories and, unless `dates`,
-- dates.
aggregates.functions = {
  count = ofAny(function(c, groups) return { type = 'torch.LongTensor', values = counted(present(c), groups) } end),
  nunique = ofAny(function(c, groups) return { type = 'torch.LongTensor', values = distinct(keys.of(c, false), groups) } end),
  first = ofAny(rowsBy(first, present)), last = ofAny(rowsBy(last, present)),
  min = ofAny(rowsBy(lowest, ordered)), max = ofAny(rowsBy(highest, ordered)),
  sum = { numeric = true, call = sumsOf }, mean = ofNumbers(means), var = ofNumbers(variances),
  std = ofNumbers(function(x, groups) return variances(x, groups):sqrt() end),
  sem = ofNumbers(function(x, groups) return variances(x, groups):cdiv(counted(x, groups):double()):sqrt() end),
  prod = ofNumbers(products), any = truths(false), all = truths(true),
  size = ofAny(function(_, groups) return { type = 'torch.LongTensor', values = sizes(groups) } end),
  median = ofNumbers(function(x, groups) return quantiles(x, groups, 0.5) end),
  quantile = ofNumbers(quantiles),
}
for _, name in ipairs { 'mean', 'median', 'quantile' } do aggregates.functions[name].dates = true end

--- Calls a program's function with the values of each group.
-- @string where begins messages, with the name of the column
-- @tparam table c
-- @tparam table groups
-- @tparam function f of a DoubleTensor, or of a list of texts; returns a number, text, boolean or nil
-- @treturn table
function aggregates.own(where, c, groups, f)
  local rows, starts = loops.sort(groups.codes, groups.count)
  local values, s = {}, starts:data()
  if c.type == 'category' then c = column.texts(c) end
  local sorted = column.take(c, rows)
  local numbers = c.type ~= 'text' and column.doubles(sorted)
  for g = 1, groups.count do
    local from, count = s[g], s[g + 1] - s[g]
    if numbers then
      values[g] = f(numbers:narrow(1, from + 1, count))
    else
      local list = {}
      for j = 1, count do list[j] = sorted.values[from + j] end
      values[g] = f(list)
    end
  end
  return column.ofList(where, values, groups.count)
end

return aggregates
