--- Declares elementwise ops of two arguments that broadcast as in PyTorch.
-- @module torch.names.declare_pair
local torch = require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.check.expect'
local broadcast = require('torch.names.broadcast').pair

local declarePair = {}

--- Samples for most of these ops.
declarePair.samples = '{randn(3, 4), nonzero(3, 4)}, {randn(3, 4), nonzero(4)}, {randn(5), 2}, {randn(0), randn(0)}'

--- Declares an op of x and y, tensors or y a number.
-- @string name
-- @string doc the first sentences of its documentation
-- @tparam function compute gets x and y in common sizes, and further arguments
-- @tparam[opt] table fields of the declaration that differ from the usual ones
function declarePair.declare(name, doc, compute, fields)
  local needsIntegers = fields and fields.floats == false
  local declaration = {
    name = name, signature = '[res] x:tensor y:tensor|number', result = 'same', ulp = 4, samples = declarePair.samples,
    doc = doc .. ' Sizes broadcast as in PyTorch, also of tensors with equally many elements.',
    forward = function(x, y, ...)
      if needsIntegers then
        expect.integers(name, 'x', x)
        if torch.isTensor(y) then expect.integers(name, 'y', y) end
      end
      x, y = broadcast(name, 'y', x, y)
      return compute(x, y, ...)
    end,
  }
  for field, value in pairs(fields or {}) do declaration[field] = value end
  declare(declaration)
end

return declarePair
