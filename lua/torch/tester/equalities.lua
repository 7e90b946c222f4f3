--- The assertions of torch.Tester about the contents of values, tensors and tables.
-- @module torch.tester.equalities
local check, class = require 'torch.check', require 'torch.class'
local arguments, equality = require 'torch.tester.arguments', require 'torch.tester.equality'

local join, toleranceAndMessage = arguments.join, arguments.toleranceAndMessage

local Tester = {}

local function expectKind(isOfKind, noun, a, b)
  if not isOfKind(a) then check.raise(('First argument should be a %s'):format(noun)) end
  if not isOfKind(b) then check.raise(('Second argument should be a %s'):format(noun)) end
end

local function isTable(x) return type(x) == 'table' end

--- Implements the general assertions, and those for tables.
-- @param got
-- @param expected
-- @bool negate whether they must differ
-- @param ... tolerance and message
function Tester:_eqOrNeq(got, expected, negate, ...)
  local tolerance, message = toleranceAndMessage(0, ...)
  local found = equality.difference(got, expected, tolerance)
  if negate then
    return self:_assert_sub(found ~= nil, join(message, 'NE violation: the values are equal within ' .. tolerance))
  end
  return self:_assert_sub(found == nil, found and join(message, 'EQ violation: ' .. found) or '')
end

--- Asserts that two values are equal: numbers, tensors and storages within a tolerance, tables entry by entry, others by `==`.
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

--- Implements the assertions for tensors.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b
-- @bool negate whether they must differ
-- @param ... tolerance and message
-- @raise if they are not tensors
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

--- Asserts that two tensors of one type have the same elements in order within a tolerance. Different sizes with the same number of
-- elements cause a warning, or a failure if the field `_assertTensorEqIgnoresDims` is false; a difference that is nan fails.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b
-- @number[opt=0] tolerance
-- @string[opt] message may come before the tolerance
function Tester:assertTensorEq(a, b, ...) return self:_assertTensorEqOrNeq(a, b, false, ...) end

--- Asserts that two tensors differ in type, or in some element by more than a tolerance. A difference that is nan fails.
function Tester:assertTensorNe(a, b, ...) return self:_assertTensorEqOrNeq(a, b, true, ...) end

--- Implements the assertions for tables.
-- @tparam table a
-- @tparam table b
-- @bool negate whether they must differ
-- @param ... tolerance and message
-- @raise if they are not tables
function Tester:_assertTableEqOrNeq(a, b, negate, ...)
  expectKind(isTable, 'Table', a, b)
  return self:_eqOrNeq(a, b, negate, ...)
end

--- Asserts that two tables are equal entry by entry.
-- @tparam table a
-- @tparam table b
-- @param ... tolerance (0) and message, in any order
function Tester:assertTableEq(a, b, ...) return self:_assertTableEqOrNeq(a, b, false, ...) end

--- Asserts that two tables differ.
function Tester:assertTableNe(a, b, ...) return self:_assertTableEqOrNeq(a, b, true, ...) end

return Tester
