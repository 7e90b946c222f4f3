--- Torch7's functions of the Cauchy distribution with median a and scale b: `pdf`, `logpdf` and `cdf` of (x, a, b), numbers or tensors.
-- @module distributions.torch7.cauchy
local numbers = require 'distributions.torch7.numbers'

return numbers.family('cauchy', { 'x', 'a', 'b' }, require 'distributions.Cauchy', numbers.density)
