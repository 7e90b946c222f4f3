--- What composed ops expect of their arguments: each raises `op: argument: what came, what was expected`, to which the call of an op adds
-- the program's line. (Functions that are no ops check by torch.check.)
-- @module torch.check.expect
local typename = require('torch.class').typename

local expect = {}

--- Raises an error of the standard form.
-- @string op its name
-- @string argument its name
-- @string text what came and what was expected, for string.format
function expect.fail(op, argument, text, ...)
  error(('%s: %s: %s'):format(op, argument, text:format(...)), 0)
end

--- Raises an error at the program's line: where the first file called that is none of ours.
-- @string message
function expect.refuse(message) require('torch.check').raise(message) end

--- Sizes as messages show them.
-- @tparam torch.LongStorage sizes
function expect.listed(sizes) return '[' .. table.concat(sizes:totable(), ', ') .. ']' end

--- The sizes of a tensor as messages show them.
function expect.sizes(x) return expect.listed(x:size()) end

--- A tensor with this number of dimensions.
-- @string op
-- @string argument
-- @tparam torch.Tensor x
-- @int count
-- @string what what such a tensor is called
function expect.dim(op, argument, x, count, what)
  if x:dim() ~= count then expect.fail(op, argument, '%s came, %s was expected', expect.sizes(x), what) end
end

--- A tensor of floats.
function expect.floats(op, argument, x)
  if not x:isFloatingPoint() then expect.fail(op, argument, '%s came, a tensor of floats was expected', x:type()) end
end

--- A dimension of x, counted from 1.
function expect.whichDim(op, argument, x, dim)
  local positive = dim < 0 and dim + x:dim() + 1 or dim
  if positive < 1 or positive > x:dim() then expect.fail(op, argument, 'dimension %d out of range 1..%d', dim, x:dim()) end
  return positive
end

-- The floats that hold each kind of integers.
local floatsOf = {}
for name in ('Byte Char Short Bool'):gmatch '%a+' do floatsOf['torch.' .. name .. 'Tensor'] = 'torch.FloatTensor' end
for name in ('Int Long'):gmatch '%a+' do floatsOf['torch.' .. name .. 'Tensor'] = 'torch.DoubleTensor' end

--- x itself when it has floats, else its numbers as the floats that hold them.
function expect.asFloats(x)
  local kind = floatsOf[typename(x)]
  return kind and x:type(kind) or x
end

return expect
