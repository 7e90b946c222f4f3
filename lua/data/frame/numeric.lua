--- Numbers within bounds, and rounded. Methods of `data.Frame`.
-- @module data.frame.numeric
local check = require 'torch.check'
local cast = require 'data.frame.cast'
local column = require 'data.frame.column'

local numeric = {}

-- A frame whose numbers are changed by a function of a number. Columns keep their types, and missing values stay missing.
local function changed(self, op, which, f)
  local chosen = {}
  for _, name in ipairs(self:_named(which)) do
    chosen[name] = column.isNumeric(self.types[name])
    check.that(chosen[name] or which == nil, ('%s: %s: a column of %s, expected numbers'):format(op, name, self.types[name]))
  end
  return self:_of(function(c, name)
    if not chosen[name] then return c end
    check.that(not column.isWide(c), ('%s: %s: integers beyond 2^53, expected numbers that are doubles'):format(op, name))
    local x = column.doubles(c):clone()
    local p = x:data()
    for i = 0, x:nElement() - 1 do
      if p[i] == p[i] then p[i] = f(p[i]) end
    end
    return cast(('%s: %s'):format(op, name), { type = 'torch.DoubleTensor', values = x }, c.type)
  end, self.names, self:size(), self.rowNames)
end

--- Numbers within bounds: smaller ones become the lower bound, larger ones the upper one. Missing values stay missing.
-- @function clip
-- @tparam ?number low nil for none
-- @tparam ?number high nil for none
-- @tparam[opt] string|int|{string|int,...} which columns; default: all of numbers
-- @treturn data.Frame whose columns keep their types
-- @raise if a bound is not of a column's type
-- @usage print(frame:clip(0, 1))
function numeric.clip(self, low, high, which)
  local op = 'data.Frame:clip'
  check.that(low ~= nil or high ~= nil, op .. ': low: nil, expected a bound, as high is nil, too')
  low = low == nil and -math.huge or check.number(op, 'low', low)
  high = high == nil and math.huge or check.number(op, 'high', high)
  check.that(low <= high, ('%s: low: %g, expected at most high, %g'):format(op, low, high))
  return changed(self, op, which, function(x)
    if x < low then return low elseif x > high then return high end
    return x
  end)
end

local mostDigits, shift = 300, 1.5 * 2 ^ 52      -- doubles near it are whole numbers, 1 apart

--- Numbers rounded to decimal digits, as by `numpy.round`: those in the middle to the even neighbour.
-- @function round
-- @int[opt=0] digits after the point; negative ones before it
-- @tparam[opt] string|int|{string|int,...} which columns; default: all of numbers
-- @treturn data.Frame whose columns keep their types
-- @usage print(frame:describe():round(2))
function numeric.round(self, digits, which)
  local op = 'data.Frame:round'
  digits = digits == nil and 0 or check.int(op, 'digits', digits, { min = -mostDigits, max = mostDigits })
  local scale = 10 ^ math.abs(digits)
  local function whole(x)
    if math.abs(x) >= 2 ^ 51 then return x end
    return (x + shift) - shift
  end
  return changed(self, op, which, function(x)
    if digits < 0 then return whole(x / scale) * scale end
    local scaled = x * scale
    if math.abs(scaled) >= 2 ^ 51 then return x end
    return whole(scaled) / scale
  end)
end

return numeric
