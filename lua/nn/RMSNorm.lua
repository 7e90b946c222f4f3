--- Root-mean-square layer normalisation.
-- y = x / sqrt(mean(x^2) + eps) * weight, the mean over the last dimension.
-- Source: Zhang & Sennrich (2019), "Root Mean Square Layer Normalization", NeurIPS, eq. 4.
-- Shapes: x (…, size) -> (…, size), any number of leading dimensions, dtype kept (16-bit floats compute in float32).
-- @classmod nn.RMSNorm
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local RMSNorm, parent = torch.class('nn.RMSNorm', 'nn.Module')
RMSNorm.__givesWay = true

--- @tparam int size length of the last dimension, 1 or more
-- @tparam[opt=1e-6] number eps added to the mean square, not negative
function RMSNorm:__init(size, eps)
  check.int('nn.RMSNorm', 'size', size, { min = 1 })
  parent.__init(self)
  self.eps = check.number('nn.RMSNorm', 'eps', eps or 1e-6, { min = 0 })
  self:declare('weight', torch.Tensor(size))
  self:reset()
end

--- Weight 1.
function RMSNorm:reset() self:fillIdentity() end

function RMSNorm:compute(input)
  check.lastSize('nn.RMSNorm', 'input', input, self.weight:size(1))
  return (torch.rmsNorm(input, self.weight, self.eps))
end

return RMSNorm
