--- Limits the size of gradients.
-- @module optim.clip
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local optim = require 'optim'
local noGrad = require('autograd.mode').noGrad

-- Returns the gradients: for a tracked tensor its field `grad`, for any other tensor the tensor itself.
local function gradients(where, tensors)
  if torch.isTensor(tensors) then tensors = { tensors } end
  if type(tensors) ~= 'table' then
    error(('%s: tensors: a %s, expected a tensor or a list of tensors'):format(where, torch.type(tensors)), 3)
  end
  local list, met = {}, {}                                           -- tied parameters may occur twice
  for i, x in ipairs(tensors) do
    check.tensor(where, 'tensors: number ' .. i, x)
    local gradient = x
    if C.tracked(x) then gradient = x.grad end
    if not met[x] then list[#list + 1] = gradient end
    met[x] = true
  end
  return list
end

local function normOf(list, p)
  local total = 0
  for _, gradient in ipairs(list) do
    local norm = gradient:norm(p)
    total = p == math.huge and math.max(total, norm) or total + norm ^ p
  end
  return p == math.huge and total or total ^ (1 / p)
end

local function scaleTo(list, maxNorm, p)
  local norm = normOf(list, p)
  local scale = maxNorm / (norm + 1e-6)
  if scale < 1 then
    for _, gradient in ipairs(list) do gradient:mul(scale) end
  end
  return norm
end

--- Scales gradients in place so that their total norm is at most `maxNorm`.
-- Source: Pascanu, Mikolov & Bengio (2013), "On the difficulty of training recurrent neural networks", ICML, section 3.2.
-- @tparam torch.Tensor|{torch.Tensor,...} tensors tracked parameters, whose `grad` is scaled (those without one are ignored), or gradients
-- @tparam number maxNorm
-- @tparam[opt=2] number p of the p-norm; math.huge: the largest magnitude
-- @treturn number the norm before
function optim.clipGradNorm(tensors, maxNorm, p)
  check.number('optim.clipGradNorm', 'maxNorm', maxNorm, { min = 0 })
  p = check.number('optim.clipGradNorm', 'p', p or 2)
  return noGrad(scaleTo, gradients('optim.clipGradNorm', tensors), maxNorm, p)
end

--- Clamps each element of the gradients, in place, to -limit..limit.
-- @tparam torch.Tensor|{torch.Tensor,...} tensors as in `clipGradNorm`
-- @tparam number limit
function optim.clipGradValue(tensors, limit)
  check.number('optim.clipGradValue', 'limit', limit, { min = 0 })
  noGrad(function(list)
    for _, gradient in ipairs(list) do gradient:clamp(-limit, limit) end
  end, gradients('optim.clipGradValue', tensors))
end

return true
