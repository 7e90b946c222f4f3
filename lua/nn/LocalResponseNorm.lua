--- Normalises across channels: x / (k + alpha / size * sum of x^2 over `size` channels around)^beta.
-- Source: Krizhevsky et al. (2012), "ImageNet Classification with Deep Convolutional Neural Networks", NeurIPS, section 3.3.
-- Shapes, unchanged: x (N, C, …).
-- @classmod nn.LocalResponseNorm

--- @function __init
-- @tparam int size number of channels; of an even number, one more is before than after
-- @tparam[opt=1e-4] number alpha
-- @tparam[opt=0.75] number beta
-- @tparam[opt=1] number k
local LocalResponseNorm = require 'nn.support.layer' {
  name = 'nn.LocalResponseNorm', call = 'localResponseNorm',
  prints = function(self) return ('(%d)'):format(self.size) end,
  samples = { { 'LocalResponseNorm(3, 0.5, 0.7, 2)', { 2, 5, 3 } }, { 'LocalResponseNorm(4, 0.3)', { 2, 5, 2, 3 } } },
}
LocalResponseNorm.__givesWay = true      -- Torch7 lacks it

return LocalResponseNorm
