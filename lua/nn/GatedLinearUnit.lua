--- The first half along a dimension, multiplied by the sigmoid of the second half.
-- Shapes: the dimension must have an even size, which is halved.
-- Source: Dauphin et al. (2017), "Language Modeling with Gated Convolutional Networks", ICML, eq. 1.
-- @classmod nn.GatedLinearUnit
local refuse = require 'torch.check.refuse'

--- @tparam[opt] int dim by default the last
local GatedLinearUnit = require 'nn'.declare {
  name = 'nn.GatedLinearUnit',
  options = { { 'dim', 'int', optional = true, field = 'dim' } },
  values = { 'along', 'half', 'second' },
  formula = function(self, input)
    local dim = self.dim or input:dim()
    local size = input:size(dim)
    if size % 2 ~= 0 then
      refuse.shape(('nn.GatedLinearUnit: input: Halving dimension must be even. Dim %d is size %d'):format(dim, size))
    end
    return 'cmul(narrow(input, along, 1, half), sigmoid(narrow(input, along, second, half)))', dim, size / 2, size / 2 + 1
  end,
  samples = { { 'GatedLinearUnit()', { 3, 4 }, rows = true }, { 'GatedLinearUnit(1)', { 4, 3 } } },
}

return GatedLinearUnit
