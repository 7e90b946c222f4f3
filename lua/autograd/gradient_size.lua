--- The size of gradients, and its limits: for optim and nn.utils.
-- @module autograd.gradient_size
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local noGrad = require('autograd.mode').noGrad

local size = {}

--- Returns the tensors of a list, or the single one, each once: for tied parameters.
-- @string where for messages
-- @string name of the argument
-- @tparam torch.Tensor|{torch.Tensor,...} tensors
-- @treturn {torch.Tensor,...}
function size.distinct(where, name, tensors)
  if torch.isTensor(tensors) then tensors = { tensors } end
  if type(tensors) ~= 'table' then
    check.raise(('%s: %s: a %s, expected a tensor or a list of tensors'):format(where, name, torch.type(tensors)))
  end
  local list, met = {}, {}
  for i, x in ipairs(tensors) do
    check.tensor(where, ('%s: number %d'):format(name, i), x)
    if not met[x] then list[#list + 1] = x end
    met[x] = true
  end
  return list
end

-- Returns the gradients: for a tracked tensor its field `grad`, for any other tensor the tensor itself.
local function gradients(where, tensors)
  local list = {}
  for _, x in ipairs(size.distinct(where, 'tensors', tensors)) do
    local gradient = x
    if C.tracked(x) then gradient = x.grad end
    list[#list + 1] = gradient
  end
  return list
end

local small = 16384      -- elements

-- Returns tensors whose norms together are those of the gradients. Small gradients on a device other than the CPU are joined, as each norm
-- waits for the device.
local function joined(list)
  local groups, all = {}, {}
  for _, gradient in ipairs(list) do
    if torch.isTensor(gradient) and gradient:device() ~= 'cpu' and gradient:nElement() <= small then
      local kind = gradient:type() .. gradient:device()
      groups[kind] = groups[kind] or {}
      if gradient:nElement() > 0 then table.insert(groups[kind], gradient:detach():contiguous():view(-1)) end
    else
      all[#all + 1] = gradient
    end
  end
  for _, group in pairs(groups) do all[#all + 1] = #group > 1 and torch.cat(group, 1) or group[1] end
  return all
end

local function normOf(list, p)
  local total = 0
  for _, gradient in ipairs(joined(list)) do
    local norm = gradient:norm(p)
    total = p == math.huge and math.max(total, norm) or total + norm ^ p
  end
  return p == math.huge and total or total ^ (1 / p)
end

-- Calls all(list) for the tensors of floats of each device other than the CPU, where a launch for each would take most of the time, and
-- one(tensor) for each other tensor. Of a gradient of rows the tensor is that of its values.
local function eachDevice(all, one, list)
  local byDevice = {}
  for _, gradient in ipairs(list) do
    local tensor = torch.isTensor(gradient) and gradient or gradient:coalesce():values()
    local device = tensor:device()
    if device ~= 'cpu' and tensor:isFloatingPoint() then
      byDevice[device] = byDevice[device] or {}
      table.insert(byDevice[device], tensor)
    else
      one(tensor)
    end
  end
  for _, tensors in pairs(byDevice) do all(tensors) end
end

local function checkFinite(where, norm, isStrict)
  if isStrict and (norm ~= norm or norm == math.huge) then
    check.raise(('%s: tensors: a norm of %s, expected a finite one'):format(where, tostring(norm)))
  end
  return norm
end

local function scale(list, maxNorm, norm)
  local factor = maxNorm / (norm + 1e-6)
  if factor < 1 then
    eachDevice(function(tensors)
      torch.unscale(tensors, torch.zeros(1, 'float32 on ' .. tensors[1]:device()), factor)
    end, function(tensor) tensor:mul(factor) end, list)
  end
  return norm
end

--- Returns the norm of all tensors as one vector.
-- @string where for messages
-- @tparam torch.Tensor|{torch.Tensor,...} tensors
-- @tparam[opt=2] number p of the p-norm; math.huge: the largest magnitude
-- @bool[opt=false] isStrict whether a norm that is not finite is an error
-- @treturn number
function size.norm(where, tensors, p, isStrict)
  p = check.number(where, 'p', p or 2)
  return checkFinite(where, noGrad(normOf, size.distinct(where, 'tensors', tensors), p), isStrict)
end

--- Scales gradients in place so that their norm is at most `maxNorm`.
-- @string where for messages
-- @tparam torch.Tensor|{torch.Tensor,...} tensors tracked parameters, whose `grad` is scaled, or gradients
-- @number maxNorm
-- @tparam[opt=2] number p
-- @bool[opt=false] isStrict
-- @treturn number the norm before
function size.clipNorm(where, tensors, maxNorm, p, isStrict)
  check.number(where, 'maxNorm', maxNorm, { min = 0 })
  p = check.number(where, 'p', p or 2)
  local list = gradients(where, tensors)
  return noGrad(scale, list, maxNorm, checkFinite(where, noGrad(normOf, list, p), isStrict))
end

--- Scales gradients in place as if `norm` were their norm.
-- @string where for messages
-- @tparam torch.Tensor|{torch.Tensor,...} tensors
-- @number maxNorm
-- @number norm
function size.clipWithNorm(where, tensors, maxNorm, norm)
  check.number(where, 'maxNorm', maxNorm, { min = 0 })
  check.number(where, 'totalNorm', norm, { min = 0 })
  noGrad(scale, gradients(where, tensors), maxNorm, norm)
end

--- Clamps each element of the gradients, in place, to -limit..limit.
-- @string where for messages
-- @tparam torch.Tensor|{torch.Tensor,...} tensors
-- @number limit
function size.clipValue(where, tensors, limit)
  check.number(where, 'limit', limit, { min = 0 })
  noGrad(function(list)
    eachDevice(function(each) torch.clip_values(each, limit) end, function(tensor) tensor:clamp(-limit, limit) end, list)
  end, gradients(where, tensors))
end

return size
