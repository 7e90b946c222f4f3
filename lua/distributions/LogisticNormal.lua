--- Logistic-normal distribution: vectors of n + 1 probabilities, from n normal variables by StickBreakingTransform.
-- @classmod distributions.LogisticNormal
local torch = require 'torch'
local Normal, StickBreaking = require 'distributions.Normal', require 'distributions.StickBreakingTransform'
require 'distributions.TransformedDistribution'

local LogisticNormal, parent = torch.class('distributions.LogisticNormal', 'distributions.TransformedDistribution')

--- @tparam torch.Tensor loc means, ..., n
-- @tparam number|torch.Tensor scale standard deviations, above 0
-- @tparam[opt] table options `validateArgs`
function LogisticNormal:__init(loc, scale, options) parent.__init(self, Normal(loc, scale, options), { StickBreaking() }) end

return LogisticNormal
