--- Soft thresholding, in place.
-- @module unsup.shrinkage
local torch = require 'torch'
local check = require 'torch.check'

--- Moves each element by lambda towards zero, in place; elements closer to zero than lambda become zero.
-- @tparam torch.Tensor x floats
-- @number lambda not negative
-- @treturn torch.Tensor x
return function(x, lambda)
  check.tensor('shrinkage', 'x', x)
  check.that(x:isFloatingPoint(), ('shrinkage: x: %s, expected floats'):format(torch.typename(x)))
  check.number('shrinkage', 'lambda', lambda)
  check.that(lambda >= 0, 'Lambda should be non-negative')
  return x:copy(torch.csub(x, torch.clamp(x, -lambda, lambda)))
end
