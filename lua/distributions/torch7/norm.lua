--- Torch7's functions of the normal distribution: `pdf`, `logpdf` and `cdf` of (x, mu, sigma), and `qtl(p, mu, sigma)`, the inverse of
-- `cdf`.
-- @module distributions.torch7.norm
local numbers = require 'distributions.torch7.numbers'
local Normal = require 'distributions.Normal'

local norm = numbers.family('norm', { 'x', 'mu', 'sigma' }, Normal, numbers.density)

--- The quantile: the x below which values lie with probability p.
-- @function qtl
-- @tparam number|torch.Tensor p
-- @tparam number|torch.Tensor mu
-- @tparam number|torch.Tensor sigma
-- @treturn number|torch.Tensor
norm.qtl = numbers.family('norm', { 'p', 'mu', 'sigma' }, Normal, { qtl = function(d, p) return d:icdf(p) end }).qtl

return norm
