--- The assertions of torch.Tester. Each records success or failure and returns whether it held, with the message when it did not.
-- @module torch.tester.asserts
local check, class = require 'torch.check', require 'torch.class'
local equality = require 'torch.tester.equality'

-- Tolerance and message may come in either order.
local function toleranceAndMessage(default, a, b)
  if type(a) == 'string' or type(a) ~= 'number' and type(b) == 'number' then a, b = b, a end
  return a or default, b
end

local function join(message, reason)
  if message == nil or message == '' then return reason end
  return tostring(message) .. '\n' .. reason
end

--- Gives a class these methods; they call `self:_record(held, message)`.
-- @tparam table Tester the class
return function(Tester)
  --- Whether a condition holds.
  -- @bool condition
  -- @string[opt] message
  function Tester:assert(condition, message)
    if type(condition) ~= 'boolean' then
      self:_warn(('assert: condition: %s came, a boolean was expected'):format(class.type(condition)))
    end
    return self:_record(condition and true or false, join(message, 'BOOL violation: condition=' .. tostring(condition)))
  end

  local function comparison(name, symbol, compare)
    --- Whether a comparison of two values holds: assertlt, assertgt, assertle, assertge, asserteq, assertne.
    -- @string[opt] message
    Tester[name] = function(self, a, b, message)
      local compared, held = pcall(compare, a, b)
      if not compared then check.raise(('%s: %s and %s came, which have no order'):format(name, class.type(a), class.type(b))) end
      return self:_record(held, not held and join(message, ('%s violation: val=%s, condition=%s'):format(symbol, tostring(a), tostring(b))))
    end
  end
  comparison('assertlt', 'LT(<)', function(a, b) return a < b end)
  comparison('assertgt', 'GT(>)', function(a, b) return a > b end)
  comparison('assertle', 'LE(<=)', function(a, b) return a <= b end)
  comparison('assertge', 'GE(>=)', function(a, b) return a >= b end)
  comparison('asserteq', 'EQ(==)', function(a, b) return a == b end)
  comparison('assertne', 'NE(~=)', function(a, b) return a ~= b end)

  local assertne = Tester.assertne
  --- Whether two values differ; tables and tensors are compared by identity, with a warning.
  -- @string[opt] message
  function Tester:assertne(a, b, message)
    if type(a) == type(b) and (type(a) == 'table' or type(a) == 'userdata') then
      self:_warn('assertne: ' .. type(a) .. 's are compared by identity; ne compares what they hold')
    end
    return assertne(self, a, b, message)
  end

  --- Whether two numbers differ by at most a tolerance.
  -- @number[opt=1e-16] tolerance
  -- @string[opt] message
  function Tester:assertalmosteq(a, b, tolerance, message)
    tolerance, message = toleranceAndMessage(1e-16, tolerance, message)
    if type(a) ~= 'number' or type(b) ~= 'number' then
      check.raise(('assertalmosteq: %s and %s came, two numbers were expected'):format(class.type(a), class.type(b)))
    end
    local held = a == b or math.abs(a - b) <= tolerance
    return self:_record(held, not held and join(message,
      ('ALMOST_EQ(==) violation: val=%s, condition=%s, tolerance=%g'):format(tostring(a), tostring(b), tolerance)))
  end

  local function general(self, got, expected, tolerance, message, wanted)
    tolerance, message = toleranceAndMessage(0, tolerance, message)
    local found = equality.difference(got, expected, tolerance)
    if wanted then return self:_record(not found, found and join(message, 'EQ violation: ' .. found)) end
    return self:_record(found ~= nil, join(message, 'NE violation: the values are equal within ' .. tolerance))
  end

  --- Whether two values are equal: numbers, tensors and storages within a tolerance, tables entry by entry, others by `==`.
  -- Tensors must have one type and the same sizes.
  -- @param got
  -- @param expected
  -- @number[opt=0] tolerance
  -- @string[opt] message may come before the tolerance
  function Tester:assertGeneralEq(got, expected, tolerance, message) return general(self, got, expected, tolerance, message, true) end

  --- The negation of assertGeneralEq.
  function Tester:assertGeneralNe(got, expected, tolerance, message) return general(self, got, expected, tolerance, message, false) end

  Tester.eq, Tester.ne = Tester.assertGeneralEq, Tester.assertGeneralNe

  local function checkTensors(self, name, a, b)
    if class.isTensor(a) and class.isTensor(b) then
      if a:nElement() == b:nElement() and not a:isSameSizeAs(b) and a:nElement() > 0 then
        self:_warn(name .. ': the tensors have different sizes with as many elements; eq compares sizes, too')
      end
      return nil
    end
    return ('%s: %s and %s came, tensors were expected'):format(name, class.type(a), class.type(b))
  end

  --- Whether two tensors hold the same elements in order within a tolerance. Different sizes of as many elements give a warning; a
  -- difference that is nan fails.
  -- @tparam torch.Tensor a
  -- @tparam torch.Tensor b
  -- @number[opt=0] tolerance
  -- @string[opt] message
  function Tester:assertTensorEq(a, b, tolerance, message)
    tolerance, message = toleranceAndMessage(0, tolerance, message)
    local found = checkTensors(self, 'assertTensorEq', a, b) or equality.tensors(a, b, tolerance)
    return self:_record(not found, found and join(message, 'TensorEQ(==) violation: ' .. found))
  end

  --- Whether two tensors differ by more than a tolerance somewhere. A difference that is nan fails.
  function Tester:assertTensorNe(a, b, tolerance, message)
    tolerance, message = toleranceAndMessage(0, tolerance, message)
    local wrong, held = checkTensors(self, 'assertTensorNe', a, b), false
    if not wrong then held = a:nElement() ~= b:nElement() or equality.distance(a, b) > tolerance end
    return self:_record(held, not held and join(message, 'TensorNE(~=) violation: ' .. (wrong or 'no difference above ' .. tolerance)))
  end

  local function checkTables(name, a, b)
    if type(a) ~= 'table' or type(b) ~= 'table' then
      return ('%s: %s and %s came, tables were expected'):format(name, class.type(a), class.type(b))
    end
  end

  --- Whether two tables are equal entry by entry.
  function Tester:assertTableEq(a, b, tolerance, message)
    tolerance, message = toleranceAndMessage(0, tolerance, message)
    local found = checkTables('assertTableEq', a, b) or equality.difference(a, b, tolerance)
    return self:_record(not found, found and join(message, 'TableEQ(==) violation: ' .. found))
  end

  --- Whether two tables differ.
  function Tester:assertTableNe(a, b, tolerance, message)
    tolerance, message = toleranceAndMessage(0, tolerance, message)
    local wrong = checkTables('assertTableNe', a, b)
    local held = not wrong and equality.difference(a, b, tolerance) ~= nil
    return self:_record(held, not held and join(message, 'TableNE(~=) violation: ' .. (wrong or 'the tables are equal')))
  end

  --- Whether f raises an error.
  function Tester:assertError(f, message)
    return self:assertErrorObj(f, function() return true end, message)
  end

  --- Whether f raises no error.
  function Tester:assertNoError(f, message)
    local held, err = pcall(f)
    return self:_record(held, not held and join(message, 'ERROR violation: no error was expected, but got: ' .. tostring(err)))
  end

  --- Whether f raises an error that equals a value.
  function Tester:assertErrorMsg(f, expected, message)
    return self:assertErrorObj(f, function(err) return err == expected end, message, 'an error equal to ' .. tostring(expected))
  end

  --- Whether f raises an error whose text matches a Lua pattern.
  function Tester:assertErrorPattern(f, pattern, message)
    check.text('assertErrorPattern', 'pattern', pattern)
    local function matches(err) return tostring(err):find(pattern) ~= nil end
    return self:assertErrorObj(f, matches, message, 'an error that matches ' .. tostring(pattern))
  end

  --- Whether f raises an error of which a function says true.
  -- @tparam function f
  -- @tparam function accept
  -- @string[opt] message
  function Tester:assertErrorObj(f, accept, message, expected)
    check.callable('assertErrorObj', 'accept', accept)
    local succeeded, err = pcall(f)
    local held = not succeeded and accept(err) == true
    if held then return self:_record(true) end
    local came = succeeded and 'no error' or tostring(err)
    return self:_record(false, join(message, ('ERROR violation: %s was expected, but got: %s'):format(expected or 'an error', came)))
  end
end
