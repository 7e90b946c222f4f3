--- An affine map whose input size the first input determines. The first forward makes the module an nn.Linear.
-- @classmod nn.LazyLinear
local refuse = require 'torch.check.refuse'

--- @function __init
-- @tparam int outputSize
-- @tparam[opt=true] boolean bias
return require 'nn.support.lazy'('nn.LazyLinear', 'nn.Linear', 'inputSize', function(where, input)
  if input:dim() == 0 then refuse.shape(where .. ': input: a tensor without dimensions, expected vectors along its last dimension') end
  return input:size(-1)
end)
