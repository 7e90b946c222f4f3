--- Torch7's functions of the normal distribution: `pdf`, `logpdf` and `cdf` of (x, mu, sigma), and `qtl(p, mu, sigma)`, the inverse of
-- `cdf`.
-- @module distributions.torch7.norm
local numbers = require 'distributions.torch7.numbers'

local methods = { qtl = function(d, p) return d:icdf(p) end }
for name, method in pairs(numbers.density) do methods[name] = method end

return numbers.family('norm', { 'x', 'mu', 'sigma' }, require 'distributions.Normal', methods)
