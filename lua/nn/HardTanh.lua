--- Clamps x to two bounds: elementwise, any shape. The gradient at the bounds is 0.
-- @classmod nn.HardTanh
local check = require 'torch.check'

local HardTanh, parent = require 'nn'.declare {
  name = 'nn.HardTanh', inplace = true,
  formula = 'clamp(input, min_val, max_val)',
  gradient = 'where(cmul(gt(input, min_val), lt(input, max_val)), g, 0)',
  samples = { { 'HardTanh()', { 4, 3 }, rows = true }, { 'HardTanh(-0.4, 0.9)', { 4, 3 }, rows = true } },
}

--- @tparam[opt=-1] number min
-- @tparam[opt=1] number max
-- @tparam[opt=false] boolean inplace write over the input
function HardTanh:__init(min, max, inplace)
  parent.__init(self)
  self.min_val, self.max_val = min or -1, max or 1
  self.inplace = check.inplace(inplace)
  check.that(self.max_val > self.min_val, ('nn.HardTanh: max: %g: max_value must be larger than min_value, %g'):format(self.max_val,
    self.min_val))
end

-- For modules in old files, which lack them.
HardTanh.min_val, HardTanh.max_val = -1, 1

return HardTanh
