--- Exponential families: densities h(x) exp(eta . t(x) - A(eta)) with natural parameters eta; a base class.
-- @classmod distributions.ExponentialFamily
local torch = require 'torch'
require 'distributions.Distribution'

local ExponentialFamily = torch.class('distributions.ExponentialFamily', 'distributions.Distribution')

return ExponentialFamily
