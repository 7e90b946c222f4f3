--- Tensors of a module that are computed from its parameters before each forward: parametrizations, pruning, weight norms.
-- The tensor's field has the value of the last forward. While the module computes, the field has a tensor on the tape, and the module has
-- the methods of its class alone; otherwise methods in its fields do this, so other modules pay nothing.
-- @module nn.support.derived_tensors
local torch, C = require 'torch', require 'libmoontorch'
local run, members, gradientName = require 'nn.support.run', require 'nn.support.members', require 'nn.support.gradient_name'

local rawget, rawset, pcall, select, unpack = rawget, rawset, pcall, select, unpack

local derived = {}

local methods = {}
local usual = { 'weight', 'bias' }

local function pack(...) return { n = select('#', ...), ... } end

-- Returns the gradient field of a tensor while the module computes: always the same tensor, because nodes of the tape refer to it.
local function gradientFor(entry, value)
  local gradient = entry.gradient
  if not (gradient and gradient:isSameSizeAs(value) and gradient:type() == value:type()) then
    entry.gradient = torch.zerosLike(C.detach(value))
  end
  return entry.gradient
end

-- Calls f while the module has its class's methods, and the tensors on the caller's tape, or, if `keeps` is true, as in the last forward.
local function inside(self, keeps, f, ...)
  local state = rawget(self, '_derived')
  if state.isInside then return f(self, ...) end
  local values, saved = {}, {}
  for i, entry in ipairs(state.list) do values[i] = keeps and rawget(self, entry.name) or require(entry.by).tensor(self, entry.name) end
  for key, own in pairs(state.own) do
    saved[key] = rawget(self, key)
    rawset(self, key, own or nil)
  end
  for i, entry in ipairs(state.list) do
    rawset(self, entry.name, values[i])
    rawset(self, gradientName[entry.name], gradientFor(entry, values[i]))
  end
  local names = rawget(self, 'parameterNames')
  rawset(self, 'parameterNames', state.parameterNames or nil)
  state.isInside = true
  local results = pack(pcall(f, self, ...))
  state.isInside = false
  rawset(self, 'parameterNames', names)
  for key in pairs(state.own) do rawset(self, key, saved[key]) end
  for i, entry in ipairs(state.list) do
    rawset(self, entry.name, C.detach(values[i]))
    rawset(self, gradientName[entry.name], nil)
  end
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, results.n)
end

function methods.compute(self, input) return inside(self, false, function(module, x) return module:onTape(x) end, input) end
run.runsProgram(methods.compute)

function methods.onTape(self, input) return methods.compute(self, input) end

function methods._called(self, ...)
  return inside(self, false, function(module, ...)
    local hooked = rawget(module, '_called')
    if hooked then return hooked(module, ...) end
    return require('nn.support.plain').call(module, ...)
  end, ...)
end

function methods.updateOutput(self, input) return run.forward(self, input) end
function methods.updateGradInput(self, input, gradOutput) return run.backward(self, input, gradOutput, true) end
function methods.accGradParameters(self, input, gradOutput, scale) run.backward(self, input, gradOutput, false, scale or 1) end
function methods.backward(self, input, gradOutput, scale) return run.backward(self, input, gradOutput, true, scale or 1) end
function methods.accUpdateGradParameters(self, input, gradOutput, lr) self:sharedAccUpdateGradParameters(input, gradOutput, lr) end
function methods.keepsNothing() return false end

-- The parameters of the class, and those of the child `parametrizations`.
function methods.parameters(self)
  local list, gradients = getmetatable(self).parameters(self)
  local child = rawget(self, 'parametrizations')
  if not child or self.__findsMembers then return list, gradients end
  list, gradients = { unpack(list or {}) }, { unpack(gradients or {}) }
  local theirs, theirGradients = child:parameters()
  for i = 1, #theirs do list[#list + 1], gradients[#gradients + 1] = theirs[i], theirGradients[i] end
  return list, gradients
end

function methods.isTracked(self)
  for _, parameter in ipairs(self:parameters() or {}) do
    if C.tracked(parameter) then return true end
  end
  return false
end

for _, name in ipairs { 'training', 'evaluate' } do
  methods[name] = function(self)
    local child = rawget(self, 'parametrizations')
    if child and not self.__findsMembers then child[name](child) end
    return getmetatable(self)[name](self)
  end
end

-- Puts the methods into the fields of a module; `own` has the former values.
local function install(module, state)
  for name, method in pairs(methods) do
    state.own[name] = rawget(module, name) or false
    rawset(module, name, method)
  end
end

--- Returns the names of the declared parameters of a module, which may be its class's.
-- @tparam nn.Module module
-- @treturn {string,...}
function derived.parameterNames(module)
  if module.__findsMembers then return rawget(module, 'parameterNames') or {} end
  return module.parameterNames or usual
end

--- Adds a parameter to a module, after the others.
-- @tparam nn.Module module
-- @string name
-- @tparam torch.Tensor parameter
function derived.addParameter(module, name, parameter)
  if module.__findsMembers then return members.setParameter(module, name, parameter) end
  module:declare(name, parameter)
end

-- Returns the names of a list that aren't keys of `gone`.
local function without(names, gone)
  local list = {}
  for _, name in ipairs(names) do
    if not gone[name] then list[#list + 1] = name end
  end
  return list
end

--- Lets a module compute a tensor before each forward. The tensor is no parameter any more.
-- @tparam nn.Module module
-- @string name of the field
-- @string by name of a Lua module, whose function `tensor(module, name)` returns the tensor on the caller's tape
function derived.add(module, name, by)
  local state = rawget(module, '_derived')
  if not state then
    state = { list = {}, own = {}, parameterNames = rawget(module, 'parameterNames') or false }
    rawset(module, '_derived', state)
    install(module, state)
  end
  rawset(module, 'parameterNames', without(derived.parameterNames(module), { [name] = true }))
  rawset(module, gradientName[name], nil)
  state.list[#state.list + 1] = { name = name, by = by }
  derived.refresh(module, name)
end

--- Returns by which Lua module a tensor is computed, or nil.
function derived.by(module, name)
  local state = type(module) == 'table' and rawget(module, '_derived')
  for _, entry in ipairs(state and state.list or {}) do
    if entry.name == name then return entry.by end
  end
end

--- Computes a tensor anew, for its field.
-- @tparam nn.Module module
-- @string name
-- @treturn torch.Tensor the value, not tracked
function derived.refresh(module, name)
  local value = torch.noGrad(require(derived.by(module, name)).tensor, module, name)
  rawset(module, name, C.detach(value))
  return rawget(module, name)
end

--- Makes a tensor a parameter again, and removes other tensors.
-- @tparam nn.Module module
-- @string name
-- @tparam torch.Tensor parameter for the field
-- @tparam {string,...} others names of parameters and buffers to remove
function derived.remove(module, name, parameter, others)
  local state, rest, gone = rawget(module, '_derived'), {}, {}
  for _, entry in ipairs(state.list) do
    if entry.name ~= name then rest[#rest + 1] = entry end
  end
  state.list = rest
  for _, other in ipairs(others) do
    gone[other] = true
    rawset(module, other, nil)
    rawset(module, gradientName[other], nil)
  end
  rawset(module, 'parameterNames', without(rawget(module, 'parameterNames'), gone))
  local buffers = rawget(module, '_bufferNames')
  if buffers then rawset(module, '_bufferNames', without(buffers, gone)) end
  derived.addParameter(module, name, parameter)
  if #rest > 0 then return end
  local hooks = rawget(module, '_hooks')
  for key, own in pairs(state.own) do
    if rawget(module, key) == methods[key] then
      rawset(module, key, own or nil)
    elseif hooks and hooks.own[key] == methods[key] then
      hooks.own[key], hooks.former[key] = own, own or getmetatable(module)[key]
    end
  end
  rawset(module, '_derived', nil)
end

--- Removes the methods from the fields for a file.
-- @tparam table fields
-- @tparam table state the field `_derived`
function derived.hide(fields, state)
  for key, own in pairs(state.own) do
    if fields[key] == methods[key] then fields[key] = own or nil end
  end
  local list = {}
  for i, entry in ipairs(state.list) do list[i] = { name = entry.name, by = entry.by } end
  fields._derived = { list = list, parameterNames = state.parameterNames }
end

--- Calls a method of a module's class, with the tensors of the last forward.
-- @tparam nn.Module module
-- @tparam function f called with the module and the arguments
-- @param ... arguments
-- @return its results
function derived.without(module, f, ...) return inside(module, true, f, ...) end

--- Restores the methods of a module that was read from a file.
-- @tparam nn.Module module
function derived.restore(module)
  local state = { list = module._derived.list, own = {}, parameterNames = module._derived.parameterNames }
  rawset(module, '_derived', state)
  install(module, state)
end

return derived
