--- Weight and spectral norms with PyTorch's older names of parameters: weight_g and weight_v; weight_orig, weight_u and weight_v.
-- @module nn.utils.weight_norms
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local derived, formulas = require 'nn.support.derived_tensors', require 'nn.utils.normalised_weight'

local norms = {}

local this = 'nn.utils.weight_norms'

--- Returns the value of a normalised tensor on the caller's tape.
-- @tparam nn.Module module
-- @string name
-- @treturn torch.Tensor
function norms.tensor(module, name)
  local options = module._normalised[name]
  if options.kind == 'weight' then return formulas.weightNorm(module[name .. '_g'], module[name .. '_v'], options.dim) end
  local weight, u, v = module[name .. '_orig'], module[name .. '_u'], module[name .. '_v']
  if module.train ~= false and not options.isNew then
    formulas.powerIterations(weight, options.dim, u, v, options.iterations, options.eps, true)      -- as PyTorch's older function does
  end
  options.isNew = nil
  return formulas.spectralNorm(weight, options.dim, u, v)
end

local function begin(where, module, name)
  check.instance(where, 'module', module, 'a module')
  local weight = type(name) == 'string' and rawget(module, name)
  if not torch.isTensor(weight) or derived.by(module, name) then
    check.raise(('%s: name: %s, expected the name of a parameter of a %s'):format(where, tostring(name), torch.type(module)))
  end
  return weight
end

local function note(module, name, options)
  local all = { [name] = options }
  for other, kept in pairs(rawget(module, '_normalised') or {}) do all[other] = kept end
  module._normalised = all
  derived.add(module, name, this)
end

--- Replaces a weight by lengths and directions, g v / |v|: parameters `weight_g` and `weight_v`.
-- @tparam nn.Module module
-- @string[opt='weight'] name
-- @tparam[opt=1] int|boolean dim of the slices with a length each; false: one length
-- @treturn nn.Module module
-- @raise if there is no such parameter or dimension
function norms.weightNorm(module, name, dim)
  name = name or 'weight'
  local where = 'nn.utils.weightNorm'
  local weight = begin(where, module, name)
  if dim == nil then dim = 1 end
  if dim then dim = check.dim(where, 'dim', weight, dim) end
  local isTracked, g = C.tracked(weight), torch.noGrad(formulas.lengths, weight, dim):detach():clone()
  derived.addParameter(module, name .. '_g', isTracked and g:requiresGrad() or g)
  derived.addParameter(module, name .. '_v', weight)
  note(module, name, { kind = 'weight', dim = dim })
  return module
end

--- Divides a weight by its largest singular value, as `nn.utils.parametrizations.spectralNorm` does: parameter `weight_orig`, buffers
-- `weight_u` and `weight_v`.
-- @tparam nn.Module module
-- @string[opt='weight'] name
-- @int[opt=1] nPowerIterations
-- @number[opt=1e-12] eps
-- @int[opt] dim of the outputs: 1, or 2 for transposed convolutions
-- @treturn nn.Module module
-- @raise if there is no such parameter or dimension
function norms.spectralNorm(module, name, nPowerIterations, eps, dim)
  name = name or 'weight'
  local where = 'nn.utils.spectralNorm'
  local weight = begin(where, module, name)
  local iterations = check.int(where, 'nPowerIterations', nPowerIterations or 1, { min = 1 })
  eps = check.number(where, 'eps', eps or 1e-12, { min = 0 })
  dim = check.dim(where, 'dim', weight, dim or formulas.outputDim(module))
  local u, v = formulas.singularVectors(weight, dim, 0, eps)
  derived.addParameter(module, name .. '_orig', weight)
  module:registerBuffer(name .. '_u', u)
  module:registerBuffer(name .. '_v', v)
  note(module, name, { kind = 'spectral', dim = dim, iterations = iterations, eps = eps, isNew = true })
  return module
end

local function finish(where, module, name, kind, parts)
  name = name or 'weight'
  local all = type(module) == 'table' and rawget(module, '_normalised')
  if not (all and all[name] and all[name].kind == kind) then
    check.raise(('%s: name: %s, expected a weight with such a norm'):format(where, tostring(name)))
  end
  all[name].isNew = true      -- no further power iteration
  local weight = module[name .. parts[1]]
  local value = derived.refresh(module, name):clone()
  torch.noGrad(weight.set, weight, value)
  local others = {}
  for i, part in ipairs(parts) do others[i] = name .. part end
  derived.remove(module, name, weight, others)
  all[name] = nil
  if next(all) == nil then module._normalised = nil end
  return module
end

--- Undoes `weightNorm`: the weight becomes a parameter with the present value.
-- @tparam nn.Module module
-- @string[opt='weight'] name
-- @treturn nn.Module module
-- @raise if the weight has no such norm
function norms.removeWeightNorm(module, name)
  return finish('nn.utils.removeWeightNorm', module, name, 'weight', { '_v', '_g' })
end

--- Undoes `spectralNorm`: the weight becomes a parameter with the present value.
-- @tparam nn.Module module
-- @string[opt='weight'] name
-- @treturn nn.Module module
-- @raise if the weight has no such norm
function norms.removeSpectralNorm(module, name)
  return finish('nn.utils.removeSpectralNorm', module, name, 'spectral', { '_orig', '_u', '_v' })
end

return norms
