--- The error for targets that are not classes, and for positions out of range.
-- @module nn.support.classRange
local refuse = require 'torch.check.refuse'

--- Raises an error that shows the first target out of range, if there is one, in Torch7's words.
-- @string where the criterion
-- @tparam torch.Tensor target
-- @int least 1, or 0 if a 0 ends a list of classes
-- @int most the number of classes
-- @string[opt] argument the name of an argument with positions instead of a target
return function(where, target, least, most, argument)
  if target:nElement() == 0 or target:min() >= least and target:max() <= most then return end
  local flat, what, counted = target:contiguous():view(-1), 'target', 'classes'
  if argument then what, counted = 'position', 'positions' end
  for i = 1, flat:nElement() do
    if not (flat[i] >= least and flat[i] <= most) then
      refuse.range(('%s: %s: %s out of range: %s at place %d, expected %d..%d: %s count from 1'):format(where, argument or 'target',
        what, tostring(flat[i]), i, least, most, counted))
    end
  end
end
