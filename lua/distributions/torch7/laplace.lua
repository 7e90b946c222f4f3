--- Torch7's functions of the Laplace distribution: `pdf`, `logpdf` and `cdf` of (x, loc, scale), numbers or tensors.
-- @module distributions.torch7.laplace
local numbers = require 'distributions.torch7.numbers'

return numbers.family('laplace', { 'x', 'loc', 'scale' }, require 'distributions.Laplace', numbers.density)
