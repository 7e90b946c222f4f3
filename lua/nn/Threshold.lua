--- Replaces elements that are not above a threshold.
-- y = x where x > threshold, else val; NaN becomes val. Elementwise, any shape.
-- @classmod nn.Threshold
local check = require 'torch.check'

local Threshold, parent = require 'nn'.declare {
  name = 'nn.Threshold', inplace = true,
  formula = 'where(gt(input, threshold), input, val)',
  samples = { { 'Threshold(0.3, -2)', { 4, 3 }, rows = true } },
}

--- @tparam[opt=1e-6] number threshold
-- @tparam[opt=0] number val
-- @tparam[opt=false] boolean inplace write over the input; val must not exceed the threshold
function Threshold:__init(threshold, val, inplace)
  parent.__init(self)
  self.threshold, self.val, self.inplace = threshold or 1e-6, val or 0, inplace or false
  if type(self.threshold) ~= 'number' or type(self.val) ~= 'number' then check.raise 'nn.Threshold(threshold, value)' end
  self:validateParameters()
end

--- Checks the fields, which programs may change.
function Threshold:validateParameters()
  check.inplace(self.inplace)
  if self.inplace and self.val > self.threshold then
    check.raise(('nn.Threshold: value: in-place processing requires value (%s) not exceed threshold (%s)'):format(self.val, self.threshold))
  end
end

return Threshold
