--- Batch normalisation whose number of features the first input determines: nn.LazyBatchNorm1d, nn.LazyBatchNorm2d, nn.LazyBatchNorm3d.
-- Arguments are those of nn.BatchNorm1d etc. without numFeatures. The first forward makes the module such a normalisation.
-- @module nn.dimensional.LazyBatchNorm
local lazy, refuse = require 'nn.support.lazy', require 'torch.check.refuse'

return function(dims)
  return lazy(('nn.LazyBatchNorm%dd'):format(dims), ('nn.BatchNorm%dd'):format(dims), 'numFeatures', function(where, input)
    local found = input:dim()
    if found ~= dims + 2 and not (dims == 1 and found == 2) then
      refuse.shape(('%s: input: %d dimensions, expected %s'):format(where, found, dims == 1 and '2 or 3' or dims + 2))
    end
    return input:size(2)
  end)
end
