--- Replaces what is not above a threshold.
-- y = x where x > threshold, else val; NaN gives val. Elementwise, any shape.
-- @classmod nn.Threshold
local torch = require 'torch'
require 'nn'

local Threshold, parent = torch.class('nn.Threshold', 'nn.Module')

--- @tparam[opt=1e-6] number threshold
-- @tparam[opt=0] number val
-- @tparam[opt=false] boolean inplace write over the input; val must not exceed the threshold
function Threshold:__init(threshold, val, inplace)
  parent.__init(self)
  self.threshold, self.val, self.inplace = threshold or 1e-6, val or 0, inplace or false
  if type(self.threshold) ~= 'number' or type(self.val) ~= 'number' then error('nn.Threshold(threshold, value)', 3) end
  self:validateParameters()
end

--- Checks the fields, which may be changed.
function Threshold:validateParameters()
  if type(self.inplace) ~= 'boolean' then error('in-place flag must be boolean', 3) end
  if self.inplace and self.val > self.threshold then
    error(('in-place processing requires value (%s) not exceed threshold (%s)'):format(self.val, self.threshold), 3)
  end
end

function Threshold:compute(input)
  local output = torch.where(torch.gt(input, self.threshold), input, self.val)
  if self.inplace then return input:copy(output) end
  return output
end
Threshold.letsGo = Threshold.compute

return Threshold
