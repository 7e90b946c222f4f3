--- Limits of gradients, by PyTorch's names: a part of `nn.utils`.
-- @module nn.utils.gradients
local check, size = require 'torch.check', require 'autograd.gradient_size'

local gradients = {}

local function isStrict(where, options)
  if type(options) == 'boolean' then return options end
  return check.options(where, options, { 'errorIfNonfinite' }).errorIfNonfinite
end

--- Scales gradients in place so that their total norm is at most `maxNorm`: the function of this name in optim.
-- @tparam torch.Tensor|{torch.Tensor,...} parameters tracked tensors, whose `grad` is scaled (those without one are ignored), or gradients
-- @number maxNorm
-- @tparam[opt=2] number normType of the norm; math.huge: the largest magnitude
-- @tparam[opt] table options errorIfNonfinite (false): whether a norm that is not finite is an error; then nothing changes
-- @treturn number the norm before
function gradients.clipGradNorm(parameters, maxNorm, normType, options)
  local where = 'nn.utils.clipGradNorm'
  return size.clipNorm(where, parameters, maxNorm, normType, isStrict(where, options))
end

--- Clamps each element of the gradients, in place, to -clipValue..clipValue.
-- @tparam torch.Tensor|{torch.Tensor,...} parameters as in `clipGradNorm`
-- @number clipValue
function gradients.clipGradValue(parameters, clipValue) size.clipValue('nn.utils.clipGradValue', parameters, clipValue) end

--- Returns the norm of all elements of several tensors.
-- @tparam torch.Tensor|{torch.Tensor,...} tensors
-- @tparam[opt=2] number normType of the norm; math.huge: the largest magnitude
-- @tparam[opt] table options errorIfNonfinite (false)
-- @treturn number
function gradients.getTotalNorm(tensors, normType, options)
  local where = 'nn.utils.getTotalNorm'
  return size.norm(where, tensors, normType, isStrict(where, options))
end

--- Scales gradients in place as `clipGradNorm` does, with a norm that is known, such as that of several machines' gradients.
-- @tparam torch.Tensor|{torch.Tensor,...} parameters as in `clipGradNorm`
-- @number maxNorm
-- @number totalNorm
function gradients.clipGradsWithNorm(parameters, maxNorm, totalNorm)
  size.clipWithNorm('nn.utils.clipGradsWithNorm', parameters, maxNorm, totalNorm)
end

return gradients
