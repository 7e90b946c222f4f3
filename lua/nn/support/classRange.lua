--- The error of criteria for targets that are not classes.
-- @module nn.support.classRange
local refuse = require 'torch.check.refuse'

--- Raises an error that shows the first target out of range, if there is one, in Torch7's words.
-- @string where the criterion
-- @tparam torch.Tensor target
-- @int least 1, or 0 if a 0 ends a list of classes
-- @int most the number of classes
return function(where, target, least, most)
  if target:nElement() == 0 or target:min() >= least and target:max() <= most then return end
  local flat = target:contiguous():view(-1)
  for i = 1, flat:nElement() do
    if not (flat[i] >= least and flat[i] <= most) then
      refuse.range(('%s: target: target out of range: %s at place %d, expected %d..%d: classes count from 1'):format(where,
        tostring(flat[i]), i, least, most))
    end
  end
end
