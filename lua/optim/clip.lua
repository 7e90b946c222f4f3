--- Limits the size of gradients.
-- @module optim.clip
local torch, check = require 'torch', require 'torch.check'
local optim, size = require 'optim', require 'autograd.gradient_size'
local RowGradient = require 'autograd.row_gradient'
local noGrad = require('autograd.mode').noGrad

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

-- Returns a matrix with a row for each unit of a parameter: the first dimension of more than one, else a single row.
local function units(x) return x:dim() > 1 and x:reshape(x:size(1), x:nElement() / x:size(1)) or x:reshape(1, x:nElement()) end

local function norms(matrix) return torch.norm(matrix, 2, 2) end

local function limitUnits(parameters, factor, epsilon)
  for i, x in ipairs(parameters) do
    if RowGradient.is(x.grad) then
      check.raise(('optim.clipGradAdaptive: parameters: number %d has a gradient of rows, expected a dense one'):format(i))
    end
  end
  for _, x in ipairs(parameters) do
    local gradient = x.grad
    if gradient and gradient:nElement() > 0 then
      local most = torch.clamp(norms(units(x:detach())), epsilon, math.huge):mul(factor)
      local scale = torch.cdiv(most, torch.clamp(norms(units(gradient)), 1e-6, math.huge)):clamp(0, 1)
      gradient:copy(torch.cmul(units(gradient), scale:expandAs(units(gradient))):viewAs(gradient))
    end
  end
end

--- Scales gradients in place, for each unit (a row of a matrix, a filter, a whole vector), so that their norm is at most `factor` times
-- that of the unit's weights.
-- Source: Brock et al. (2021), "High-Performance Large-Scale Image Recognition Without Normalization", ICML, equation 3.
-- @tparam torch.Tensor|{torch.Tensor,...} parameters tracked parameters; those without a gradient are ignored
-- @tparam[opt=0.01] number factor
-- @tparam[opt=1e-3] number epsilon least norm of the weights
function optim.clipGradAdaptive(parameters, factor, epsilon)
  local where = 'optim.clipGradAdaptive'
  factor, epsilon = check.number(where, 'factor', factor or 0.01, { min = 0 }), check.number(where, 'epsilon', epsilon or 1e-3, { min = 0 })
  noGrad(limitUnits, size.distinct(where, 'parameters', parameters), factor, epsilon)
end

return true
