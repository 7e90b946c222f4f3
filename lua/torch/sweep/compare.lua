--- Compares a result with a float64 reference, in units of the dtype's epsilon; NaN, infinities and -0 must match.
local lists, elements = require 'torch.lists', require 'torch.sweep.elements'

local compare = {}

local function listed(sizes) return '[' .. table.concat(sizes, ', ') .. ']' end

-- Rounding errors of sums and products grow with their terms, not with the result; `scale` is the magnitude of the terms.
local function close(expected, got, kind, ulp, scale)
  if expected ~= expected or got ~= got then return expected ~= expected and got ~= got end
  local epsilon, largest = elements.epsilon(kind), elements.largest(kind)
  if math.abs(expected) > largest then return got == (expected > 0 and math.huge or -math.huge) or math.abs(got) == largest end
  if math.abs(got) == math.huge then return math.abs(expected) * (1 + ulp * epsilon) >= largest and expected * got > 0 end
  return math.abs(expected - got) <= ulp * epsilon * math.max(math.abs(expected), scale) + elements.smallest(kind)
end

--- Describes the difference between two plain tensors.
-- @tparam table|number expected plain tensor or number, with optional fields `scale` (magnitude of the summed terms; errors are relative to
--   the larger of it and the element) and `zeros`: whether the sign of a zero matters
-- @tparam table|number got plain tensor or number
-- @number ulp allowed error in epsilons of the dtype of `got`; 0 requires the same bits (any NaN equals any)
-- @treturn ?string the first difference, nil if there is none
-- @string[opt] dtype in which a number was computed; default: double
function compare.difference(expected, got, ulp, dtype)
  if type(expected) == 'boolean' then return expected ~= got and ('%s, expected %s'):format(got, expected) or nil end
  local kind = type(got) == 'table' and got.type or dtype or 'torch.DoubleTensor'
  if type(expected) == 'number' then expected = { sizes = { 1 }, data = { expected } } end
  if type(got) == 'number' then got = { sizes = { 1 }, data = { got }, type = kind } end
  if type(got) ~= 'table' then return tostring(got) .. ', expected a tensor or number' end
  if type(expected) ~= 'table' then return ('a tensor %s, expected %s'):format(listed(got.sizes), tostring(expected)) end
  if not lists.areEqual(expected.sizes, got.sizes) then
    return ('sizes %s, expected %s'):format(listed(got.sizes), listed(expected.sizes))
  end
  for i, want in ipairs(expected.data) do
    local value, right = got.data[i]
    want = elements.wrap(kind, want)
    if not elements.isFloat(kind) or expected.kind and not elements.isFloat(expected.kind) or ulp == 0 then
      right = value == want or value ~= value and want ~= want
    else
      right = close(want, value, expected.kind or kind, ulp, expected.scale or 0)
    end
    if right and want == 0 and value == 0 and (ulp == 0 or expected.zeros) and elements.isFloat(kind) then right = 1 / want == 1 / value end
    if not right then return ('element %d of %s: %.17g, expected %.17g'):format(i, listed(got.sizes), value, want) end
  end
end

return compare
