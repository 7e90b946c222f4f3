--- Checks of arguments for composed ops: each raises `op: argument: actual, expected ...`, to which the call of an op adds the
-- program's line. (Functions that are not ops use torch.check.)
-- @module torch.check.expect
local C = require 'libmoontorch'
local refuse = require 'torch.check.refuse'
local sizesOf = require('torch.check.message').sizes

local expect = {}

local function fails(kind)
  local raise = refuse[kind]
  return function(op, argument, text, ...) raise(('%s: %s: %s'):format(op, argument, text:format(...))) end
end

--- Raises an error in the standard form, for an unsupported argument.
-- @function fail
-- @string op its name
-- @string argument its name
-- @string text the actual and the expected value, for string.format
expect.fail = fails 'invalid'

--- Raises the same error for sizes that don't match.
-- @function shape
-- @string op
-- @string argument
-- @string text
expect.shape = fails 'shape'

--- Raises the same error for a number or dimension out of range.
-- @function range
-- @string op
-- @string argument
-- @string text
expect.range = fails 'range'

--- Raises the same error for an unsupported dtype.
-- @function dtype
-- @string op
-- @string argument
-- @string text
expect.dtype = fails 'dtype'

--- Checks that a tensor has this number of dimensions.
-- @string op
-- @string argument
-- @tparam torch.Tensor x
-- @int count
-- @string what the term for such a tensor
function expect.dim(op, argument, x, count, what)
  if x:dim() ~= count then expect.shape(op, argument, '%s, expected %s', sizesOf(x), what) end
end

--- Returns a dimension of x, counted from 1; negative numbers count from the end.
function expect.whichDim(op, argument, x, dim)
  local positive = dim < 0 and dim + x:dim() + 1 or dim
  if not (positive >= 1 and positive <= x:dim()) then expect.range(op, argument, 'dimension %s out of range 1..%d', dim, x:dim()) end
  return positive
end

--- Checks that x is a tensor of floats.
function expect.floats(op, argument, x)
  if not x:isFloatingPoint() then expect.dtype(op, argument, '%s, expected a tensor of floats', x:type()) end
end

--- Checks that x is a tensor of floats or of complex numbers.
function expect.inexact(op, argument, x)
  if not x:isComplex() then expect.floats(op, argument, x) end
end

--- Checks that x is a tensor of integers or booleans.
function expect.integers(op, argument, x)
  if x:isFloatingPoint() then expect.dtype(op, argument, '%s, expected a tensor of integers', x:type()) end
end

--- Checks that x is a tensor of numbers.
function expect.numbers(op, argument, x)
  if C.dtypeOf(x) == 'Bool' then expect.dtype(op, argument, x:type() .. ', expected a tensor of numbers') end
end

--- Checks that x is a matrix, or a batch of matrices.
function expect.matrix(op, argument, x)
  if x:dim() < 2 then expect.shape(op, argument, '%s, expected a matrix or a batch of them', sizesOf(x)) end
end

--- Checks that x is a square matrix, or a batch of square matrices.
function expect.squareMatrix(op, argument, x)
  expect.matrix(op, argument, x)
  if x:size(-1) ~= x:size(-2) then expect.shape(op, argument, '%s, expected a square matrix', sizesOf(x)) end
end

return expect
