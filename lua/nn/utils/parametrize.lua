--- Tensors as functions of parameters, which modules compute before each forward: `nn.utils.parametrize`.
-- @module nn.utils.parametrize
local torch, nn, C, check = require 'torch', require 'nn', require 'libmoontorch', require 'torch.check'
local derived, members = require 'nn.support.derived_tensors', require 'nn.support.members'
local sizesOf = require('torch.check.message').sizes

local parametrize = {}

local this = 'nn.utils.parametrize'

-- While `cached` runs: list of parametrizations -> its value, with the gradient mode and the original's node for which it was computed.
local cache

--- Returns the value of a parametrized tensor on the caller's tape.
-- @tparam nn.Module module
-- @string name
-- @treturn torch.Tensor
function parametrize.tensor(module, name)
  local list = module.parametrizations[name]
  if not cache then return (list()) end
  local mode, node = C.gradMode(), C.node(list.original or list.original0)
  local known = cache[list]
  if not known or known.mode ~= mode or known.node ~= node then
    known = { value = list(), mode = mode, node = node }
    cache[list] = known
  end
  return known.value
end

--- Returns whether a module has a parametrized tensor.
-- @tparam nn.Module module
-- @string[opt] tensorName a certain one
-- @treturn boolean
function parametrize.isParametrized(module, tensorName)
  local list = type(module) == 'table' and rawget(module, 'parametrizations')
  if not list or not torch.isTypeOf(list, 'nn.ModuleDict') then return false end
  if tensorName == nil then return list:size() > 0 end
  return rawget(list, tensorName) ~= nil
end

local function checkTensor(where, module, name)
  check.instance(where, 'module', module, 'a module')
  local value = type(name) == 'string' and rawget(module, name)
  if not torch.isTensor(value) then
    check.raise(('%s: tensorName: %s, expected the name of a tensor of a %s'):format(where, tostring(name), torch.type(module)))
  end
  return value
end

local function checkValue(where, before, after)
  if not torch.isTensor(after) or not after:isSameSizeAs(before) or after:type() ~= before:type() then
    check.raise(('%s: parametrization: a result of %s, expected a %s of size %s, or unsafe = true'):format(where,
      torch.isTensor(after) and after:type() .. ' ' .. sizesOf(after) or torch.type(after), before:type(), sizesOf(before)))
  end
end

-- Lets a module compute a tensor by a list of parametrizations.
local function attach(module, name, list)
  if not rawget(module, 'parametrizations') then module.parametrizations = nn.ModuleDict() end
  members.setChild(module.parametrizations, name, list)
  derived.add(module, name, this)
end

--- Lets a module compute a tensor by a parametrization, from a parameter `parametrizations.<name>.original`. A further parametrization of
-- the tensor applies to the result of the earlier ones. The field `module.<name>` has the value of the last forward;
-- `module.parametrizations.<name>()` computes it.
-- @tparam nn.Module module
-- @string tensorName field of a parameter
-- @tparam nn.Module parametrization its forward gets the original, and returns the value; its method `rightInverse(value)`, if there is
-- one, returns the original of a value, or several originals
-- @tparam[opt] table options unsafe (false): whether the value may have another size or type
-- @treturn nn.Module module
-- @raise if there is no such tensor, or the value doesn't fit; then nothing changes
function parametrize.registerParametrization(module, tensorName, parametrization, options)
  local where = this .. '.registerParametrization'
  local value = checkTensor(where, module, tensorName)
  check.instance(where, 'parametrization', parametrization, 'a module')
  if type(options) == 'boolean' then options = { unsafe = options } end
  local unsafe = check.options(where, options, { 'unsafe' }).unsafe
  if module.train == false then parametrization:evaluate() elseif module.train then parametrization:training() end
  if parametrize.isParametrized(module, tensorName) then
    local list = module.parametrizations[tensorName]
    if not unsafe then
      local before = torch.noGrad(list)
      checkValue(where, before, torch.noGrad(function() return nn.ParametrizationList({ parametrization }, before:clone())() end))
    end
    members.setChild(list, #list + 1, parametrization)
    derived.refresh(module, tensorName)
    return module
  end
  if derived.by(module, tensorName) then
    check.raise(('%s: tensorName: %s, expected a tensor that is not computed already'):format(where, tensorName))
  end
  if not unsafe then
    local trial = nn.ParametrizationList({ parametrization }, value:detach():clone())
    checkValue(where, value, torch.noGrad(trial))
  end
  attach(module, tensorName, nn.ParametrizationList({ parametrization }, value, unsafe))
  return module
end

--- Removes all parametrizations of a tensor, which becomes a parameter.
-- @tparam nn.Module module
-- @string tensorName
-- @tparam[opt] table options leaveParametrized (true): whether the parameter gets the present value; false: the original
-- @treturn nn.Module module
-- @raise if the tensor isn't parametrized, or the original should stay but there are several
function parametrize.removeParametrizations(module, tensorName, options)
  local where = this .. '.removeParametrizations'
  if type(options) == 'boolean' then options = { leaveParametrized = options } end
  local leaves = check.options(where, options, { 'leaveParametrized' }).leaveParametrized ~= false
  if not parametrize.isParametrized(module, tensorName) then
    check.raise(('%s: tensorName: %s, expected a parametrized tensor of the module'):format(where, tostring(tensorName)))
  end
  local list = module.parametrizations[tensorName]
  if not leaves and list.count > 1 then
    check.raise(where .. ': leaveParametrized: false, expected true, as there are several originals')
  end
  local parameter = list.count == 1 and list.original or nn.Parameter(torch.noGrad(list):detach():clone(), C.tracked(list.original0))
  if leaves and list.count == 1 then
    local value = torch.noGrad(list):detach():clone()
    torch.noGrad(parameter.set, parameter, value)
  end
  module.parametrizations:pop(tensorName)
  derived.remove(module, tensorName, parameter, {})
  if module.parametrizations:size() == 0 then module.parametrizations = nil end
  return module
end

--- Calls a function, inside which each parametrized tensor is computed once, for example for a recurrent module that is called often. The
-- parameters must not change meanwhile.
-- @tparam function f
-- @param ... its arguments
-- @return its results
function parametrize.cached(f, ...)
  check.callable(this .. '.cached', 'f', f)
  local outer = cache
  cache = outer or {}
  local results = { n = select('#', ...), pcall(f, ...) }
  cache = outer
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, table.maxn(results))
end

--- Parametrizes tensors of a module as those of another one are, with copies of its parametrizations and originals.
-- @tparam nn.Module from
-- @tparam nn.Module to of the same class
-- @string[opt] tensorName a certain tensor; by default all
-- @raise if `from` is not parametrized
function parametrize.transferParametrizationsAndParams(from, to, tensorName)
  local where = this .. '.transferParametrizationsAndParams'
  if not parametrize.isParametrized(from, tensorName) then
    check.raise(('%s: from: a %s, expected a parametrized module'):format(where, torch.type(from)))
  end
  for name, list in from.parametrizations:items() do
    if tensorName == nil or tensorName == name then
      checkTensor(where, to, name)
      if parametrize.isParametrized(to, name) then parametrize.removeParametrizations(to, name) end
      local copy, parameters = list:clone(), list:parameters()
      for i, parameter in ipairs(copy:parameters()) do
        if C.tracked(parameters[i]) then parameter:requiresGrad() end
      end
      attach(to, name, copy)
    end
  end
end

--- Returns the name of a module's class: parametrizations don't change it.
-- @tparam nn.Module module
-- @treturn string
function parametrize.typeBeforeParametrizations(module) return torch.type(module) end

--- The class of the lists in `module.parametrizations`.
parametrize.ParametrizationList = nn.ParametrizationList

return parametrize
