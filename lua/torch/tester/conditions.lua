--- The assertions of torch.Tester about conditions and ordered values. Each counts as success or failure and returns whether it held, and
-- the message if it did not, like `self:_assert_sub(held, message)`.
-- @module torch.tester.conditions
local check, class = require 'torch.check', require 'torch.class'
local arguments = require 'torch.tester.arguments'

local expectNoMore, join, toleranceAndMessage = arguments.expectNoMore, arguments.join, arguments.toleranceAndMessage

local Tester = {}

--- Asserts a condition.
-- @bool condition
-- @string[opt] message
function Tester:assert(condition, message, ...)
  expectNoMore(...)
  if type(condition) ~= 'boolean' then
    self:_warning(' :assert should only be used for boolean conditions. To check that something is there, say tester:assert(x ~= nil): '
      .. class.type(condition) .. '.')
  end
  return self:_assert_sub(condition and true or false, join(message, 'BOOL violation: condition=' .. tostring(condition)))
end

local function comparison(name, symbol, compare)
  --- Compares two values: assertlt, assertgt, assertle, assertge, asserteq, assertne.
  -- @string[opt] message
  Tester[name] = function(self, a, b, message, ...)
    expectNoMore(...)
    local compared, held = pcall(compare, a, b)
    if not compared then check.raise(('%s: %s and %s, which have no order'):format(name, class.type(a), class.type(b))) end
    return self:_assert_sub(held, not held
      and join(message, ('%s violation: val=%s, condition=%s'):format(symbol, tostring(a), tostring(b))) or '')
  end
end
comparison('assertlt', 'LT(<)', function(a, b) return a < b end)
comparison('assertgt', 'GT(>)', function(a, b) return a > b end)
comparison('assertle', 'LE(<=)', function(a, b) return a <= b end)
comparison('assertge', 'GE(>=)', function(a, b) return a >= b end)
comparison('asserteq', 'EQ(==)', function(a, b) return a == b end)
comparison('assertne', 'NE(~=)', function(a, b) return a ~= b end)

local assertne = Tester.assertne
--- Asserts that two values differ; tables and tensors are compared by identity, with a warning.
-- @param a
-- @param b
-- @param ... a message, if any
function Tester:assertne(a, b, ...)
  if type(a) == 'table' and type(b) == 'table' or type(a) == 'userdata' then
    self:_warning(' :assertne should only be used to compare basic lua objects (numbers, booleans, etc). '
      .. 'It compares their identity; ne compares their contents.')
  end
  return assertne(self, a, b, ...)
end

--- Asserts that two numbers differ by at most a tolerance.
-- @number a
-- @number b
-- @param ... tolerance (1e-16) and message, in any order
function Tester:assertalmosteq(a, b, ...)
  local tolerance, message = toleranceAndMessage(1e-16, ...)
  if type(a) ~= 'number' or type(b) ~= 'number' then
    check.raise(('assertalmosteq: %s and %s, expected two numbers'):format(class.type(a), class.type(b)))
  end
  local held = a == b or math.abs(a - b) <= tolerance
  return self:_assert_sub(held, not held and join(message,
    ('ALMOST_EQ(==) violation: val=%s, condition=%s, tolerance=%g'):format(tostring(a), tostring(b), tolerance)) or '')
end

return Tester
