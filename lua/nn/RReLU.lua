--- x where it is positive, else a slope times x: while training, each slope is drawn from uniform(lower, upper), in evaluation it is their
-- mean. Elementwise, any shape.
-- Source: Xu et al. (2015), "Empirical Evaluation of Rectified Activations in Convolutional Network", arXiv:1505.00853, section 2.4.
-- @classmod nn.RReLU
local torch, check = require 'torch', require 'torch.check'

local RReLU, parent = require 'nn.support.elementwise'('nn.RReLU', function(x, module)
  local below = torch.le(x, 0)
  if module.train == false then return torch.where(below, torch.mul(x, (module.lower + module.upper) / 2), x) end
  local noise, count = x.new():resizeAs(x):fill(1), torch.sum(below)
  if count > 0 then noise:maskedCopy(below, noise.new(count):uniform(module.lower, module.upper)) end
  module.noise = noise
  return torch.cmul(x, noise)
end, nil, function(g, noise, module) return module.train ~= false and torch.cmul(g, noise) or nil end, 'noise')

-- A forward draws.
RReLU.once = true

--- @tparam[opt=1/8] number lower
-- @tparam[opt=1/3] number upper
-- @tparam[opt=false] boolean inplace write over the input
function RReLU:__init(lower, upper, inplace)
  parent.__init(self)
  self.lower, self.upper = lower or 1 / 8, upper or 1 / 3
  check.that(self.lower <= self.upper and self.lower >= 0 and self.upper >= 0, 'nn.RReLU: bounds: 0 <= lower <= upper was expected')
  self.noise = torch.Tensor()
  self.train = true
  self.inplace = inplace or false
end

function RReLU:__tostring__()
  return ('%s (l:%f, u:%f)'):format(torch.type(self), self.lower, self.upper)
end

RReLU.transient = { 'noise' }

return RReLU
