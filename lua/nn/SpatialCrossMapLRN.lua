--- Local response normalisation across channels: y = x / (k + alpha / size * sum of x^2 over `size` channels around)^beta.
-- Source: Krizhevsky et al. (2012), "ImageNet Classification with Deep Convolutional Neural Networks", NeurIPS, section 3.3.
-- Shapes, unchanged: x (C, H, W) or (N, C, H, W).
-- @classmod nn.SpatialCrossMapLRN
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local refuse = require 'torch.check.refuse'

local SpatialCrossMapLRN, parent = nn.declare {
  name = 'nn.SpatialCrossMapLRN',
  -- As images with channels as rows and one column per position: means over `size` rows, with zeros around.
  compute = function(self, input)
    local dim = input:dim()
    if dim ~= 3 and dim ~= 4 then refuse.shape('Input must be 3D or 4D') end
    self.size = check.whole('nn.SpatialCrossMapLRN', 'size', self.size, { min = 1 })
    check.that(self.size % 2 == 1, ('nn.SpatialCrossMapLRN: size: %d, expected an odd number'):format(self.size))
    local first, size = dim - 2, input:size()
    local batch, channels = dim == 4 and size[1] or 1, size[first]
    local rows = torch.reshape(torch.cmul(input, input), { batch, 1, channels, size[dim - 1] * size[dim] })
    local means = torch.avgPool2d(rows, self.size, 1, 1, 1, (self.size - 1) / 2, 0)
    local scale = torch.add(torch.mul(torch.reshape(means, size), self.alpha), self.k)
    self.scale = scale:detach()
    return torch.cmul(input, torch.pow(scale, -self.beta))
  end,
  transient = { 'scale' },
  samples = {
    { 'SpatialCrossMapLRN(3, 0.5, 0.7, 2)', { 2, 5, 2, 3 }, rows = true }, { 'SpatialCrossMapLRN(5)', { 2, 4, 2, 2 }, rows = true },
  },
}

--- @tparam int size number of channels, odd
-- @tparam[opt=1e-4] number alpha
-- @tparam[opt=0.75] number beta
-- @tparam[opt=1] number k
function SpatialCrossMapLRN:__init(size, alpha, beta, k)
  parent.__init(self)
  self.size, self.alpha, self.beta, self.k = size, alpha or 1e-4, beta or 0.75, k or 1
end

-- For modules in old files, which lack it.
SpatialCrossMapLRN.k = 1

--- Also frees the scale.
function SpatialCrossMapLRN:clearState()
  self.scale = nil
  return parent.clearState(self)
end

return SpatialCrossMapLRN
