--- Chi-square distribution: the sum of df squares of standard normal variables, a gamma distribution.
-- @classmod distributions.Chi2
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Gamma'

local Chi2 = torch.class('distributions.Chi2', 'distributions.Gamma')

--- @tparam number|torch.Tensor df degrees of freedom, above 0
-- @tparam[opt] table options `validateArgs`
function Chi2:__init(df, options)
  self:_declare({ { 'df', constraints.positive } }, { df }, options)
end

-- The parameters as a gamma distribution.
function Chi2:_derive() self.concentration, self.rate = self.df * 0.5, torch.mul(self.df, 0) + 0.5 end

return Chi2
