--- What ops made of others expect of their arguments: each raises `op: argument: what came, what was expected`, to which the call of an op
-- adds the program's line. (Functions that are no ops check by torch.check.)
-- @module torch.check.expect
local C = require 'libmoontorch'
local refuse = require 'torch.check.refuse'
local sizesOf = require('torch.check.message').sizes

local expect = {}

local function fails(kind)
  local raise = refuse[kind]
  return function(op, argument, text, ...) raise(('%s: %s: %s'):format(op, argument, text:format(...))) end
end

--- Raises an error of the standard form, of an argument that can't be used.
-- @function fail
-- @string op its name
-- @string argument its name
-- @string text what came and what was expected, for string.format
expect.fail = fails 'invalid'

--- The same of sizes that don't fit.
-- @function shape
-- @string op
-- @string argument
-- @string text
expect.shape = fails 'shape'

--- The same of a number or dimension out of range.
-- @function range
-- @string op
-- @string argument
-- @string text
expect.range = fails 'range'

--- The same of an element type that doesn't fit.
-- @function dtype
-- @string op
-- @string argument
-- @string text
expect.dtype = fails 'dtype'

--- A tensor with this number of dimensions.
-- @string op
-- @string argument
-- @tparam torch.Tensor x
-- @int count
-- @string what what such a tensor is called
function expect.dim(op, argument, x, count, what)
  if x:dim() ~= count then expect.shape(op, argument, '%s came, %s was expected', sizesOf(x), what) end
end

--- A dimension of x, counted from 1; negative ones count from the end.
function expect.whichDim(op, argument, x, dim)
  local positive = dim < 0 and dim + x:dim() + 1 or dim
  if not (positive >= 1 and positive <= x:dim()) then expect.range(op, argument, 'dimension %s out of range 1..%d', dim, x:dim()) end
  return positive
end

--- A tensor of floats.
function expect.floats(op, argument, x)
  if not x:isFloatingPoint() then expect.dtype(op, argument, '%s came, a tensor of floats was expected', x:type()) end
end

--- A tensor of numbers.
function expect.numbers(op, argument, x)
  if C.dtypeOf(x) == 'Bool' then expect.dtype(op, argument, x:type() .. ' came, a tensor of numbers was expected') end
end

--- A matrix, or a batch of matrices.
function expect.matrix(op, argument, x)
  if x:dim() < 2 then expect.shape(op, argument, '%s came, a matrix or a batch of them was expected', sizesOf(x)) end
end

--- A square matrix, or a batch of them.
function expect.squareMatrix(op, argument, x)
  expect.matrix(op, argument, x)
  if x:size(-1) ~= x:size(-2) then expect.shape(op, argument, '%s came, a square matrix was expected', sizesOf(x)) end
end

return expect
