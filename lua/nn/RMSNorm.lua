--- Root-mean-square layer normalisation.
-- y = x / sqrt(mean(x^2) + eps) * weight, with the mean over the last dimension.
-- Source: Zhang & Sennrich (2019), "Root Mean Square Layer Normalization", NeurIPS, eq. 4.
-- Shapes: x (…, size) -> (…, size), any number of leading dimensions, same dtype (16-bit floats compute in float32).
-- @classmod nn.RMSNorm
local check = require 'torch.check'

--- @tparam int size length of the last dimension, 1 or more
-- @tparam[opt=1e-6] number eps added to the mean square, not negative
local RMSNorm = require 'nn'.declare {
  name = 'nn.RMSNorm',
  options = { { 'size', 'int', min = 1 }, { 'eps', 'number', min = 0, default = 1e-6, field = 'eps' } },
  parameters = { { 'weight', function(options) return options.size end } },
  formula = 'rmsNorm(input, weight, eps)',
  keeps = { '_invrms' }, transient = { '_invrms' },
  accepts = function(self, input) check.lastSize('nn.RMSNorm', 'input', input, self.weight:size(1)) end,
}
RMSNorm.__givesWay = true

--- Sets the weight to 1.
function RMSNorm:reset() self:fillIdentity() end

return RMSNorm
