--- The map from values of a distribution of numbers to their probabilities, its distribution function.
-- @classmod distributions.CumulativeDistributionTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check = require 'torch.check'
require 'distributions.Transform'

local CumulativeDistributionTransform = torch.class('distributions.CumulativeDistributionTransform', 'distributions.Transform')
CumulativeDistributionTransform.sign = 1

--- @tparam distributions.Distribution distribution
function CumulativeDistributionTransform:__init(distribution)
  check.that(torch.isTypeOf(distribution, 'distributions.Distribution'),
    ('distributions.CumulativeDistributionTransform: distribution: a %s, expected a distribution'):format(torch.type(distribution)))
  self.distribution, self.domain, self.codomain = distribution, distribution:support(), constraints.unitInterval
end

function CumulativeDistributionTransform:_call(x) return self.distribution:cdf(x) end
function CumulativeDistributionTransform:_inverse(y) return self.distribution:icdf(y) end
function CumulativeDistributionTransform:_logDet(x) return self.distribution:logProb(x) end

return CumulativeDistributionTransform
