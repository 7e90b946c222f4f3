--- Checks of matrices that composed ops are given: their errors are the op's own, not those of what it is made of.
-- @module torch.matrix_check
local sizesOf, elements = require('torch.check.expect').sizes, require 'torch.elements'
local matrix = {}

--- Raises unless x is a matrix or a batch of matrices.
-- @string op name of the op
-- @string argument name of the argument
-- @tparam torch.Tensor x
function matrix.expect(op, argument, x)
  if x:dim() < 2 then error(('%s: %s: %s came, a matrix or a batch of them was expected'):format(op, argument, sizesOf(x)), 0) end
end

--- Raises unless x's matrices are square.
function matrix.expectSquare(op, argument, x)
  matrix.expect(op, argument, x)
  if x:size(-1) ~= x:size(-2) then error(('%s: %s: %s came, a square matrix was expected'):format(op, argument, sizesOf(x)), 0) end
end

--- Raises unless x holds floats.
function matrix.expectFloat(op, argument, x)
  if not x:isFloatingPoint() then error(('%s: %s: %s came, a tensor of floats was expected'):format(op, argument, x:type()), 0) end
end

--- Raises unless x holds numbers.
function matrix.expectNumbers(op, argument, x)
  if x:type() == 'torch.BoolTensor' then
    error(('%s: %s: torch.BoolTensor came, a tensor of numbers was expected'):format(op, argument), 0)
  end
end

--- How many matrices x holds.
function matrix.count(x) return elements(x:size(), 1, x:dim() - 2) end

--- A result for each matrix of a: of a single one the number, unless it is tracked.
-- @tparam torch.Tensor y as many elements as there are matrices
-- @tparam torch.Tensor a
-- @treturn number|torch.Tensor
function matrix.each(y, a)
  if a:dim() == 2 then return y:view(1)[1] end
  local sizes = a:size():totable()
  sizes[#sizes], sizes[#sizes - 1] = nil, nil
  return y:view(sizes)
end

return matrix
