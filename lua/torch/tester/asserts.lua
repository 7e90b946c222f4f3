--- The assertions of torch.Tester. Each counts as success or failure and returns whether it held, with the message when it did not.
-- @module torch.tester.asserts
local check, class = require 'torch.check', require 'torch.class'
local equality = require 'torch.tester.equality'

-- The tolerance and the message among what follows the values; they may come in either order.
local function toleranceAndMessage(default, ...)
  local tolerance, message
  for i = 1, select('#', ...) do
    local option = select(i, ...)
    if type(option) == 'string' then
      if message then check.raise 'Unexpected string argument; already have message' end
      message = option
    elseif type(option) == 'number' then
      if tolerance then check.raise 'Unexpected number argument; already have tolerance' end
      if option < 0 then check.raise 'tolerance cannot be negative' end
      tolerance = option
    elseif option ~= nil then
      check.raise 'Unrecognized argument; should be a tolerance or message'
    end
  end
  return tolerance or default, message
end

local function expectNoMore(...)
  for i = 1, select('#', ...) do
    if select(i, ...) ~= nil then check.raise 'Unexpected arguments passed to test function' end
  end
end

local function expectKind(isOfKind, noun, a, b)
  if not isOfKind(a) then check.raise(('First argument should be a %s'):format(noun)) end
  if not isOfKind(b) then check.raise(('Second argument should be a %s'):format(noun)) end
end

local function isTable(x) return type(x) == 'table' end

local function join(message, reason)
  if message == nil or message == '' then return reason end
  return tostring(message) .. '\n' .. reason
end

--- Gives a class these methods; they end in `self:_assert_sub(held, message)`, and return what that does.
-- @tparam table Tester the class
return function(Tester)
  --- Whether a condition holds.
  -- @bool condition
  -- @string[opt] message
  function Tester:assert(condition, message, ...)
    expectNoMore(...)
    if type(condition) ~= 'boolean' then
      self:_warning(' :assert should only be used for boolean conditions. To check that something is there, say tester:assert(x ~= nil): '
        .. class.type(condition) .. ' came.')
    end
    return self:_assert_sub(condition and true or false, join(message, 'BOOL violation: condition=' .. tostring(condition)))
  end

  local function comparison(name, symbol, compare)
    --- Whether a comparison of two values holds: assertlt, assertgt, assertle, assertge, asserteq, assertne.
    -- @string[opt] message
    Tester[name] = function(self, a, b, message, ...)
      expectNoMore(...)
      local compared, held = pcall(compare, a, b)
      if not compared then check.raise(('%s: %s and %s came, which have no order'):format(name, class.type(a), class.type(b))) end
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
  --- Whether two values differ; tables and tensors are compared by identity, with a warning.
  -- @param a
  -- @param b
  -- @param ... a message, if any
  function Tester:assertne(a, b, ...)
    if type(a) == 'table' and type(b) == 'table' or type(a) == 'userdata' then
      self:_warning(' :assertne should only be used to compare basic lua objects (numbers, booleans, etc). '
        .. 'It tells whether two values are one object; ne compares what they hold.')
    end
    return assertne(self, a, b, ...)
  end

  --- Whether two numbers differ by at most a tolerance.
  -- @number a
  -- @number b
  -- @param ... tolerance (1e-16) and message, in any order
  function Tester:assertalmosteq(a, b, ...)
    local tolerance, message = toleranceAndMessage(1e-16, ...)
    if type(a) ~= 'number' or type(b) ~= 'number' then
      check.raise(('assertalmosteq: %s and %s came, two numbers were expected'):format(class.type(a), class.type(b)))
    end
    local held = a == b or math.abs(a - b) <= tolerance
    return self:_assert_sub(held, not held and join(message,
      ('ALMOST_EQ(==) violation: val=%s, condition=%s, tolerance=%g'):format(tostring(a), tostring(b), tolerance)) or '')
  end

  --- What the general assertions, and those of tables, go through.
  -- @param got
  -- @param expected
  -- @bool negate whether they are to differ
  -- @param ... tolerance and message
  function Tester:_eqOrNeq(got, expected, negate, ...)
    local tolerance, message = toleranceAndMessage(0, ...)
    local found = equality.difference(got, expected, tolerance)
    if negate then
      return self:_assert_sub(found ~= nil, join(message, 'NE violation: the values are equal within ' .. tolerance))
    end
    return self:_assert_sub(found == nil, found and join(message, 'EQ violation: ' .. found) or '')
  end

  --- Whether two values are equal: numbers, tensors and storages within a tolerance, tables entry by entry, others by `==`.
  -- Tensors must have one type and the same sizes.
  -- @param got
  -- @param expected
  -- @number[opt=0] tolerance
  -- @string[opt] message may come before the tolerance
  function Tester:assertGeneralEq(got, expected, ...) return self:_eqOrNeq(got, expected, false, ...) end

  --- The negation of assertGeneralEq.
  function Tester:assertGeneralNe(got, expected, ...) return self:_eqOrNeq(got, expected, true, ...) end

  --- The same as assertGeneralEq.
  function Tester:eq(...) return self:assertGeneralEq(...) end

  --- The same as assertGeneralNe.
  function Tester:ne(...) return self:assertGeneralNe(...) end

  --- What the assertions of tensors go through.
  -- @tparam torch.Tensor a
  -- @tparam torch.Tensor b
  -- @bool negate whether they are to differ
  -- @param ... tolerance and message
  -- @raise if they are no tensors
  function Tester:_assertTensorEqOrNeq(a, b, negate, ...)
    expectKind(class.isTensor, 'Tensor', a, b)
    local tolerance, message = toleranceAndMessage(0, ...)
    local found, isNan = equality.tensors(a, b, tolerance, not self._assertTensorEqIgnoresDims)
    if negate then
      return self:_assert_sub(found ~= nil and not isNan,
        join(message, 'TensorNE(~=) violation: ' .. (isNan and found or 'no difference above ' .. tolerance)))
    end
    if not found and a:nElement() > 0 and not a:isSameSizeAs(b) then
      self:_warning('Tensors have the same content but different dimensions. eq compares sizes, too, as does this assertion where '
        .. '_assertTensorEqIgnoresDims is false.')
    end
    return self:_assert_sub(found == nil, found and join(message, 'TensorEQ(==) violation: ' .. found) or '')
  end

  --- Whether two tensors of one type hold the same elements in order within a tolerance. Different sizes of as many elements give a
  -- warning, or are a difference where the field `_assertTensorEqIgnoresDims` is false; a difference that is nan fails.
  -- @tparam torch.Tensor a
  -- @tparam torch.Tensor b
  -- @number[opt=0] tolerance
  -- @string[opt] message may come before the tolerance
  function Tester:assertTensorEq(a, b, ...) return self:_assertTensorEqOrNeq(a, b, false, ...) end

  --- Whether two tensors differ in type, or by more than a tolerance somewhere. A difference that is nan fails.
  function Tester:assertTensorNe(a, b, ...) return self:_assertTensorEqOrNeq(a, b, true, ...) end

  --- What the assertions of tables go through.
  -- @tparam table a
  -- @tparam table b
  -- @bool negate whether they are to differ
  -- @param ... tolerance and message
  -- @raise if they are no tables
  function Tester:_assertTableEqOrNeq(a, b, negate, ...)
    expectKind(isTable, 'Table', a, b)
    return self:_eqOrNeq(a, b, negate, ...)
  end

  --- Whether two tables are equal entry by entry.
  -- @tparam table a
  -- @tparam table b
  -- @param ... tolerance (0) and message, in any order
  function Tester:assertTableEq(a, b, ...) return self:_assertTableEqOrNeq(a, b, false, ...) end

  --- Whether two tables differ.
  function Tester:assertTableNe(a, b, ...) return self:_assertTableEqOrNeq(a, b, true, ...) end

  -- Whether f raises an error of which a function says true.
  local function raises(self, expected, f, accept, message)
    local succeeded, err = pcall(f)
    local held = not succeeded and accept(err) == true
    local came = succeeded and 'no error' or tostring(err)
    return self:_assert_sub(held, join(message, ('ERROR violation: %s was expected, but got: %s'):format(expected, came)))
  end

  --- Whether f raises an error.
  function Tester:assertError(f, message, ...)
    expectNoMore(...)
    return raises(self, 'an error', f, function() return true end, message)
  end

  --- Whether f raises no error.
  function Tester:assertNoError(f, message, ...)
    expectNoMore(...)
    local held, err = pcall(f)
    return self:_assert_sub(held, not held and join(message, 'ERROR violation: no error was expected, but got: ' .. tostring(err)) or '')
  end

  --- Whether f raises an error that equals a value.
  function Tester:assertErrorMsg(f, expected, message, ...)
    expectNoMore(...)
    return raises(self, 'an error equal to ' .. tostring(expected), f, function(err) return err == expected end, message)
  end

  --- Whether f raises an error whose text matches a Lua pattern.
  function Tester:assertErrorPattern(f, pattern, message, ...)
    expectNoMore(...)
    check.text('assertErrorPattern', 'pattern', pattern)
    local function matches(err) return tostring(err):find(pattern) ~= nil end
    return raises(self, 'an error that matches ' .. tostring(pattern), f, matches, message)
  end

  --- Whether f raises an error of which a function says true.
  -- @tparam function f
  -- @tparam function accept
  -- @string[opt] message
  function Tester:assertErrorObj(f, accept, message, ...)
    expectNoMore(...)
    check.callable('assertErrorObj', 'accept', accept)
    return raises(self, 'an error', f, accept, message)
  end
end
