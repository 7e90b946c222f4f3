--- Torch7's functions of the chi-square distribution: `pdf`, `logpdf` and `cdf` of (x, dof), numbers or tensors.
-- @module distributions.torch7.chi2
local numbers = require 'distributions.torch7.numbers'

return numbers.family('chi2', { 'x', 'dof' }, require 'distributions.Chi2', numbers.density)
