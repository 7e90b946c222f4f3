--- x where it is positive, else a slope times x. In training, each slope is drawn from uniform(lower, upper); in evaluation it is their
-- mean. Elementwise, any shape.
-- Source: Xu et al. (2015), "Empirical Evaluation of Rectified Activations in Convolutional Network", arXiv:1505.00853, section 2.4.
-- @classmod nn.RReLU
local torch, check, draw = require 'torch', require 'torch.check', require 'nn.support.draw'

local RReLU, parent = require 'nn'.declare {
  name = 'nn.RReLU', inplace = true, draws = 'noise',
  prepare = function(self, input, _, anew)
    local noise = self.train ~= false and draw(self, 'noise', input, anew)
    if not noise then return end
    local below = torch.le(input, 0)
    local count = below:sum()
    noise:resizeAs(input):fill(1)
    if count > 0 then noise:maskedCopy(below, noise.new(count):uniform(self.lower, self.upper)) end
  end,
  values = { 'slope' },
  formula = function(self)
    if self.train ~= false then return 'cmul(input, noise)' end
    return 'where(le(input, 0), mul(input, slope), input)', (self.lower + self.upper) / 2
  end,
  prints = function(self) return (' (l:%f, u:%f)'):format(self.lower, self.upper) end,
}

--- @tparam[opt=1/8] number lower
-- @tparam[opt=1/3] number upper
-- @tparam[opt=false] boolean inplace write over the input
function RReLU:__init(lower, upper, inplace)
  parent.__init(self)
  self.lower, self.upper = lower or 1 / 8, upper or 1 / 3
  check.that(self.lower <= self.upper and self.lower >= 0 and self.upper >= 0, 'nn.RReLU: bounds: expected 0 <= lower <= upper')
  self.noise = torch.Tensor()
  self.train = true
  self.inplace = inplace or false
end

return RReLU
