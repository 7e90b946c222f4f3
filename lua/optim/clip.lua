--- Limits the size of gradients.
-- @module optim.clip
local optim, size = require 'optim', require 'autograd.gradient_size'

--- Scales gradients in place so that their total norm is at most `maxNorm`.
-- Source: Pascanu, Mikolov & Bengio (2013), "On the difficulty of training recurrent neural networks", ICML, section 3.2.
-- @tparam torch.Tensor|{torch.Tensor,...} tensors tracked parameters, whose `grad` is scaled (those without one are ignored), or gradients
-- @tparam number maxNorm
-- @tparam[opt=2] number p of the p-norm; math.huge: the largest magnitude
-- @treturn number the norm before
function optim.clipGradNorm(tensors, maxNorm, p) return size.clipNorm('optim.clipGradNorm', tensors, maxNorm, p) end

--- Clamps each element of the gradients, in place, to -limit..limit.
-- @tparam torch.Tensor|{torch.Tensor,...} tensors as in `clipGradNorm`
-- @tparam number limit
function optim.clipGradValue(tensors, limit) size.clipValue('optim.clipGradValue', tensors, limit) end

return true
