--- Torch7's functions of the Poisson distribution with the mean lambda: `pdf`, `logpdf` and `cdf` of (x, lambda), numbers or tensors.
-- @module distributions.torch7.poisson
local numbers = require 'distributions.torch7.numbers'

return numbers.family('poisson', { 'x', 'lambda' }, require 'distributions.Poisson', numbers.density)
