--- How values become places along an axis: linear, or by logarithms.
-- @module plot.scale
local ticks = require 'plot.ticks'

local scale = {}

local margin = 0.05        -- of the data's span, on either side

local linear = { isLog = false }
function linear.forward(x) return x end
function linear.backward(x) return x end
function linear.shows(x) return x == x and math.abs(x) < math.huge end

local log = { isLog = true }
function log.forward(x) return math.log10(x) end
function log.backward(x) return 10 ^ x end
function log.shows(x) return x > 0 and x < math.huge end

scale.kinds = { linear = linear, log = log }

-- Limits without extent get some.
local function widen(low, high)
  if high > low then return low, high end
  local by = low == 0 and 0.5 or math.abs(low) * 0.05
  return low - by, high + by
end

--- The limits of an axis.
-- @tparam table kind one of `kinds`
-- @tparam ?number low of the data
-- @tparam ?number high
-- @tparam table given limits that a program gave: {low, high}, either may be missing
-- @bool tight no margins
-- @treturn number low, as the kind's `forward` has it
-- @treturn number high
function scale.limits(kind, low, high, given, tight)
  if not low then low, high = kind.isLog and 1 or 0, kind.isLog and 10 or 1 end
  local a, b = widen(kind.forward(low), kind.forward(high))
  local pad = tight and 0 or (b - a) * margin
  if given[1] ~= nil then a = kind.forward(given[1]) else a = a - pad end
  if given[2] ~= nil then b = kind.forward(given[2]) else b = b + pad end
  if a == b then a, b = widen(a, b) end
  return a, b
end

--- Marks within limits, and their labels.
-- @tparam table kind
-- @number low as `limits` gives it
-- @number high
-- @int count at most, about
-- @treturn {number,...} places, as `forward` has them
-- @treturn {string,...} labels
-- @treturn {number,...} small marks
-- @treturn ?string a factor that all labels share
function scale.marks(kind, low, high, count)
  local from, to = math.min(low, high), math.max(low, high)
  if not kind.isLog then
    local list, step = ticks.linear(from, to, count)
    local labels, factor = ticks.labels(list, step)
    return list, labels, {}, factor
  end
  local list, small = ticks.log(from, to, count)
  local labels = ticks.powers(list)
  for i, value in ipairs(list) do list[i] = math.log10(value) end
  for i, value in ipairs(small) do small[i] = math.log10(value) end
  return list, labels, small
end

return scale
