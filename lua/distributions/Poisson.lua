--- Poisson distribution: probability rate^k exp(-rate) / k! of k = 0, 1, ...
-- @classmod distributions.Poisson
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local counts, discreteQuantile = require 'distributions.counts', require 'distributions.discrete_quantile'
require 'distributions.ExponentialFamily'

local Poisson = torch.class('distributions.Poisson', 'distributions.ExponentialFamily')

--- @tparam number|torch.Tensor rate mean, 0 or more
-- @tparam[opt] table options `validateArgs`
function Poisson:__init(rate, options)
  self:_declare({ { 'rate', constraints.nonnegative } }, { rate }, options)
end

function Poisson:_draw(sizes) return counts.poisson(self.rate:expand(unpack(sizes))) end
function Poisson:_logProb(x) return torch.xlogy(x, self.rate) - self.rate - torch.lgamma(x + 1) end
function Poisson:_cdf(x) return torch.gammaincc(torch.floor(x) + 1, self.rate) end
function Poisson:_icdf(p) return discreteQuantile(self, p, 0) end
function Poisson:mean() return self.rate end
function Poisson:mode() return torch.floor(self.rate) end
function Poisson:variance() return self.rate end
function Poisson:support() return constraints.nonnegativeInteger end

return Poisson
