--- Maps from values to positions along an axis: linear or logarithmic, or of dates, whose positions are seconds since 1970.
-- @module plot.scale
local dateTicks, ticks = require 'plot.date_ticks', require 'plot.ticks'

local scale = {}

local margin = 0.05        -- on either side, as a fraction of the data's range

local linear = { isLog = false }
function linear.forward(x) return x end
function linear.backward(x) return x end
function linear.shows(x) return x == x and math.abs(x) < math.huge end

local log = { isLog = true }
function log.forward(x) return math.log10(x) end
function log.backward(x) return 10 ^ x end
function log.shows(x) return x > 0 and x < math.huge end

local date = { isLog = false, isDate = true, forward = linear.forward, backward = linear.backward, shows = linear.shows }

scale.kinds = { linear = linear, log = log, date = date }

local least = 1e-290      -- a distance with enough doubles for round ticks

-- Widens equal limits, and those that only differ by less than that distance.
local function widen(low, high, isDate)
  if math.abs(high - low) >= least then return low, high end
  if math.abs(low) < least then low, high = 0, 0 end
  if isDate then return low - 43200, high + 43200 end      -- half a day
  local by = low == 0 and 0.5 or math.abs(low) * 0.05
  return low - by, high + by
end

local largest = 1.7976931348623157e308      -- of doubles

local function bounded(x) return math.max(-largest, math.min(largest, x)) end

--- A factor with which the distance of two numbers is finite: 1, or 1/4 if their distance exceeds the largest double.
-- @number low
-- @number high
-- @treturn number
function scale.shrink(low, high) return math.abs(high - low) <= largest and 1 or 0.25 end

--- The limits of an axis.
-- @tparam table kind one of `kinds`
-- @tparam ?number low of the data
-- @tparam ?number high
-- @tparam table given limits set by a program: {low, high}, either may be missing
-- @bool tight whether to omit margins
-- @treturn number low, transformed by the kind's `forward`
-- @treturn number high
function scale.limits(kind, low, high, given, tight)
  if not low then low, high = kind.isLog and 1 or 0, kind.isLog and 10 or 1 end
  local a, b = widen(kind.forward(low), kind.forward(high), kind.isDate)
  local shrink = scale.shrink(a, b)
  local pad = tight and 0 or (b * shrink - a * shrink) * margin / shrink
  if given[1] ~= nil then a = kind.forward(given[1]) else a = a - pad end
  if given[2] ~= nil then b = kind.forward(given[2]) else b = b + pad end
  a, b = widen(a, b, kind.isDate)
  return bounded(a), bounded(b)
end

--- Ticks within limits, and their labels.
-- @tparam table kind
-- @number low from `limits`
-- @number high
-- @int count approximate maximum
-- @treturn {number,...} positions, transformed by `forward`
-- @treturn {string,...} labels
-- @treturn {number,...} minor ticks
-- @treturn ?string a common factor of all labels, or the years or the day of dates
function scale.marks(kind, low, high, count)
  local from, to = math.min(low, high), math.max(low, high)
  if kind.isDate then
    local list, labels, note = dateTicks(from, to, count)
    return list, labels, {}, note
  end
  if not kind.isLog then
    local list, step = ticks.linear(from, to, count)
    local labels, factor = ticks.labels(list, step)
    return list, labels, {}, factor and '\195\151' .. factor
  end
  local list, small = ticks.log(from, to, count)
  local labels = ticks.powers(list)
  for i, value in ipairs(list) do list[i] = math.log10(value) end
  for i, value in ipairs(small) do small[i] = math.log10(value) end
  return list, labels, small
end

return scale
