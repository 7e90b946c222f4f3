--- Normalises groups of channels of each sample.
-- y = (x - mean) / sqrt(var + eps) * weight + bias, with mean and variance over a group's channels and points, and weight and bias per
-- channel. One group is layer normalisation over all channels; one group per channel is instance normalisation.
-- Source: Wu & He (2018), "Group Normalization", ECCV, section 3.
-- Shapes: x (N, channels, …) -> the same.
-- @classmod nn.GroupNorm
local torch, check = require 'torch', require 'torch.check'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local GroupNorm, parent = require 'nn'.declare {
  name = 'nn.GroupNorm',
  parameters = { { 'weight' }, { 'bias' } },
  formula = function(_, input) if input:nElement() > 0 then return 'groupNorm(input, groups, weight, bias, eps)' end end,
  otherwise = function(_, input) return torch.mul(input, 1) end,
  accepts = function(self, input)
    if input:dim() < 2 or input:size(2) ~= self.channels then
      refuse.shape(('nn.GroupNorm: input: %s, expected (N, %d, …)'):format(sizesOf(input), self.channels))
    end
  end,
  prints = function(self) return ('(%d, %d)'):format(self.groups, self.channels) end,
  samples = { { 'GroupNorm(2, 4)', { 2, 4, 3 } }, { 'GroupNorm(1, 4, 1e-3, false)', { 2, 4 } } },
}
GroupNorm.__givesWay = true

--- @tparam int groups a divisor of channels
-- @tparam int channels
-- @tparam[opt=1e-5] number eps added to the variance
-- @tparam[opt=true] boolean affine whether weight and bias are learnt
function GroupNorm:__init(groups, channels, eps, affine)
  parent.__init(self)
  self.groups = check.int('nn.GroupNorm', 'groups', groups, { min = 1 })
  self.channels = check.int('nn.GroupNorm', 'channels', channels, { min = 1 })
  if channels % groups ~= 0 then
    check.raise(('nn.GroupNorm: channels: %d, expected a multiple of the %d groups'):format(channels, groups))
  end
  self.eps = check.number('nn.GroupNorm', 'eps', eps or 1e-5, { min = 0 })
  if affine ~= false then
    self:declare('weight', torch.Tensor(channels))
    self:declare('bias', torch.Tensor(channels))
  end
  self:reset()
end

--- Sets the weight to 1 and the bias to 0.
function GroupNorm:reset() self:fillIdentity() end

--- Removes the bias.
-- @treturn nn.GroupNorm self
GroupNorm.noBias = require 'nn.support.no_bias'

return GroupNorm
