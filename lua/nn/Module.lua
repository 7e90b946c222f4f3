--- The parent of all modules.
-- A module defines its computation once, as `compute(input)` in differentiable ops. Torch7's `updateOutput`, `updateGradInput` and
-- `accGradParameters` are derived from it (see nn.support.run), and so is the modern call `module(x)`, which records on the caller's tape.
-- A class may instead define the three methods, as in Torch7: such a module is a single node on the tape.
-- Parameters are the tensors in the module's fields: programs may change or replace them, or set them to nil, at any time.
-- @classmod nn.Module
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local class = require 'torch.class'
local nested, run, explain = require 'nn.nested', require 'nn.support.run', require 'nn.support.explain'
local flatten, fileFields, asNode = require 'nn.support.flatten', require 'nn.support.file_fields', require 'nn.support.as_node'
local gradientName, members = require 'nn.support.gradient_name', require 'nn.support.members'

local Module = torch.class 'nn.Module'

local tracked, floatBits, pcall, rawset, type = C.tracked, C.floatBits, pcall, rawset, type
local usual = { 'weight', 'bias' }

--- Starts with an empty output and gradInput of the default type.
function Module:__init()
  self.gradInput = torch.Tensor()
  self.output = torch.Tensor()
  self._type = self.output:type()
end

--- Sets the parameter `name` to `value`, with a gradient of zeros in the field `grad<Name>`.
-- A class with parameters other than weight and bias may list their names, in order, in its field `parameterNames`.
-- @tparam string name field, for example `weight`
-- @tparam torch.Tensor value the parameter
function Module:declare(name, value)
  if self.__findsMembers then return members.setParameter(self, name, value) end
  self[name] = value
  self[gradientName[name]] = torch.zerosLike(value)
  local names = self.parameterNames or usual
  for i = 1, #names do
    if names[i] == name then return end
  end
  self.parameterNames = { unpack(names) }
  table.insert(self.parameterNames, name)
end

--- Returns the parameters and their gradients, not copies. Parameters whose gradient is nil are frozen and left out.
-- @treturn ?{torch.Tensor,...} parameters, or nothing if there are none
-- @treturn ?{torch.Tensor,...} gradients
function Module:parameters()
  local names, parameters, gradients = self.parameterNames or usual, {}, {}
  for i = 1, #names do
    local parameter, gradient = self[names[i]], self[gradientName[names[i]]]
    if parameter ~= nil and gradient ~= nil then
      parameters[#parameters + 1], gradients[#gradients + 1] = parameter, gradient
    end
  end
  if #parameters > 0 then return parameters, gradients end
end

--- Returns whether a parameter, of this module or of its children, is on the tape.
function Module:isTracked()
  local names = self.parameterNames or usual
  for i = 1, #names do
    local parameter = self[names[i]]
    if parameter ~= nil and tracked(parameter) then return true end
  end
  local children = self.modules
  if children then
    for i = 1, #children do
      local child = children[i]
      if child.isTracked and child:isTracked() then return true end  -- objects of classes outside nn may lack the method
    end
  end
  return false
end

--- Sets for all parameters whether the tape computes their gradients.
-- @tparam[opt=true] boolean wanted
-- @treturn nn.Module self
function Module:requiresGrad(wanted)
  for _, parameter in ipairs(self:parameters() or {}) do parameter:requiresGrad(wanted ~= false) end
  return self
end

--- Computes the output by Torch7's protocol: `backward` may follow. The call is not recorded on the caller's tape, except inside the
-- `compute` of another module, whose gradient passes through it.
-- @param input a tensor or a table of tensors, as the module requires
-- @return the module's `output`, which the next forward overwrites
function Module:forward(input)
  if run.depth > 0 and C.gradMode() and (nested.isTracked(input) or self:isTracked()) then return run.inside(self, input) end
  return self:updateOutput(input)
end

--- Computes the output. `forward` calls this method, and a program's module may define it.
-- @param input a tensor or a table of them
function Module:updateOutput(input)
  if not self.compute then return self.output end
  return run.forward(self, input)
end

--- Computes the gradient with respect to the input, and adds `scale` times the gradients with respect to the parameters to their gradient
-- fields.
-- @param input that of the last forward
-- @param gradOutput gradient of a loss by the output
-- @tparam[opt=1] number scale
-- @return the module's `gradInput`
function Module:backward(input, gradOutput, scale)
  scale = scale or 1
  if self.compute and self.updateGradInput == Module.updateGradInput and self.accGradParameters == Module.accGradParameters then
    return run.backward(self, input, gradOutput, true, scale)
  end
  self:updateGradInput(input, gradOutput)
  self:accGradParameters(input, gradOutput, scale)
  return self.gradInput
end

--- Computes only the gradient with respect to the input: the first half of Torch7's `backward`.
-- @param input that of the last forward
-- @param gradOutput gradient of a loss by the output
-- @return the module's `gradInput`
function Module:updateGradInput(input, gradOutput)
  if not self.compute then return self.gradInput end
  return run.backward(self, input, gradOutput, true)
end

--- Adds `scale` times the gradients with respect to the parameters to their gradient fields: the second half of Torch7's `backward`.
-- @param input that of the last forward
-- @param gradOutput gradient of a loss by the output
-- @tparam[opt=1] number scale
function Module:accGradParameters(input, gradOutput, scale)
  if self.compute then run.backward(self, input, gradOutput, false, scale or 1) end
end

--- Like `backward`, but updates the parameters at once by -lr times their gradient.
-- @param input that of the last forward
-- @param gradOutput gradient of a loss by the output
-- @number lr
function Module:backwardUpdate(input, gradOutput, lr)
  self:updateGradInput(input, gradOutput)
  self:accUpdateGradParameters(input, gradOutput, lr)
  return self.gradInput
end

--- Updates the parameters by -lr times their gradient. Shared parameters are updated after their whole gradient is accumulated.
-- @param input that of the last forward
-- @param gradOutput gradient of a loss by the output
-- @number lr
function Module:accUpdateGradParameters(input, gradOutput, lr)
  if self.shared then
    self:sharedAccUpdateGradParameters(input, gradOutput, lr)
  else
    self:defaultAccUpdateGradParameters(input, gradOutput, lr)
  end
end

--- Runs `accGradParameters` with the parameters in the fields of their gradients.
function Module:defaultAccUpdateGradParameters(input, gradOutput, lr)
  local names, gradients = self.parameterNames or usual, {}
  for i = 1, #names do
    local name = gradientName[names[i]]
    gradients[i] = self[name]
    self[name] = self[names[i]]
  end
  local done, message = pcall(self.accGradParameters, self, input, gradOutput, -lr)
  for i = 1, #names do self[gradientName[names[i]]] = gradients[i] end
  if not done then error(message, 0) end
end

--- Does the same through the gradient fields, which it zeroes first.
-- @param input that of the last forward
-- @param gradOutput gradient of a loss by the output
-- @number lr
function Module:sharedAccUpdateGradParameters(input, gradOutput, lr)
  if self:parameters() then
    self:zeroGradParameters()
    self:accGradParameters(input, gradOutput, 1)
    self:updateParameters(lr)
  end
end

-- Whether the three methods are those derived from `compute`, so that the tape may record the ops themselves.
local function isDerived(module)
  local derived = module.derived
  return module.compute and module.updateOutput == derived.updateOutput and module.updateGradInput == derived.updateGradInput
    and module.accGradParameters == derived.accGradParameters
end

--- Computes on the caller's tape and returns new tensors; `output` doesn't change.
-- A module that defines Torch7's three methods becomes one node of the tape.
-- @param input a tensor or a table of them
function Module:onTape(input)
  local derived = self.derived
  if self.compute and self.updateOutput == derived.updateOutput and self.updateGradInput == derived.updateGradInput
    and self.accGradParameters == derived.accGradParameters then
    local expression = self.expression
    local bits = expression and expression.compute == self.compute and floatBits(input)
    if not bits or bits == 16 then return run.onTape(self, input) end
    local done, output = pcall(expression.evaluate, self, input)
    if not done then explain.raise(self, expression.explain(self, output, input), input) end
    return output
  end
  return asNode.module(self, input)
end

--- Returns whether a call on the tape keeps neither the input nor the result, so that a container that created the input may free it.
-- A class declares this for its `compute` through the field `letsGo`; it doesn't apply to subclasses with another `compute` or other
-- methods.
function Module:keepsNothing()
  return self.compute ~= nil and self.letsGo == self.compute and isDerived(self)
end

--- `module(input)`: computes on the tape if the input or a parameter is tracked, and without gradients under `torch.noGrad`; else it is
-- Torch7's forward. `module(input, gradOutput)`: Torch7's forward and backward.
function Module:__call__(input, gradOutput)
  if gradOutput ~= nil then
    local output = self:forward(input)
    return output, self:backward(input, gradOutput)
  end
  if tracked(input) or not C.gradMode() or self:isTracked() or type(input) == 'table' and nested.isTracked(input) then
    return self:onTape(input)
  end
  return self:forward(input)
end

--- Sets the gradients of the parameters to 0.
function Module:zeroGradParameters()
  local _, gradients = self:parameters()
  for i = 1, gradients and #gradients or 0 do gradients[i]:zero() end
end

local function subtract(parameters, gradients, lr)
  for i = 1, #parameters do parameters[i]:add(-lr, gradients[i]) end
end

--- parameter = parameter - lr * gradient, for each.
-- @number lr
function Module:updateParameters(lr)
  local parameters, gradients = self:parameters()
  if parameters then check.number(torch.type(self), 'lr', lr) end
  if parameters then torch.noGrad(subtract, parameters, gradients, lr) end
end

--- Switches to training mode, for example for dropout and batch statistics. New modules are in this mode.
function Module:training()
  self.train = true
end

--- Switches to evaluation mode.
function Module:evaluate()
  self.train = false
end

--- Captures what the module computes in evaluation mode (see `torch.graph.capture`) and prepares it for inputs of fixed sizes: a run then
-- allocates nothing, and makes no plan. The module keeps its modes. Parameters must not change afterwards: prepare again.
-- @param ... the sizes of the input (numbers, a table of numbers or a torch.LongStorage), a tensor as a sample, or a table of sizes and
-- tensors for a module whose input is a table. Inputs given by sizes have the module's type.
-- @treturn torch.Prepared
-- @usage local run = net:prepare(1, 784)
-- local scores = run(image)                                           -- the same tensor in each run
-- @raise if the module can't be captured, or draws random numbers in evaluation mode
function Module:prepare(...) return require('nn.support.prepare')(self, ...) end

--- Makes the named tensors views of another module's. If a module computes a tensor from other fields, those are shared with it: the class
-- lists them by name in its field `madeOf`.
-- @tparam nn.Module other
-- @tparam string ... field names
-- @treturn nn.Module self
function Module:share(other, ...)
  for _, name in ipairs { ... } do
    if self[name] ~= nil then
      if type(other) ~= 'table' or not torch.isTensor(other[name]) then
        check.raise(('%s: share: other: %s, expected a module with the tensor %s'):format(torch.type(self),
          explain.value(other), name))
      end
      torch.noGrad(self[name].set, self[name], other[name])
      self.shared, other.shared = true, true
    end
    if self.madeOf and self.madeOf[name] then Module.share(self, other, unpack(self.madeOf[name])) end
  end
  return self
end

-- Replaces the named fields of a module and all its descendants by empty tensors, except in modules with a `write` method of another
-- class. Returns a function that restores the tensors.
local function setAside(self, names)
  local held, empty = {}, {}
  self:apply(function(module)
    for _, name in ipairs(names) do
      local value = module[name]
      if value ~= nil and not torch.isTensor(value) then
        error(('nn.Module.clone: %s: a %s in %s, expected a tensor: Shared parameters have to be Tensors'):format(name,
          torch.type(value), torch.type(module)), 5)
      end
      if value ~= nil and module.write == Module.write then held[#held + 1] = { module, name, value } end
    end
  end)
  for _, entry in ipairs(held) do
    local module, name, value = unpack(entry)
    local key = torch.pointer(value)
    empty[key] = empty[key] or value.new()
    module[name] = empty[key]
  end
  return function()
    for _, entry in ipairs(held) do entry[1][entry[2]] = entry[3] end
  end
end

--- Returns a deep copy, made by writing the module and reading it back. Shared tensors are not copied.
-- @tparam string ... names of tensor fields to share with the original
-- @treturn nn.Module
function Module:clone(...)
  local putBack = setAside(self, { ... })
  local file = torch.MemoryFile('rw'):binary()
  local done, message = pcall(file.writeObject, file, self)
  putBack()
  if not done then error(message, 0) end
  file:seek(1)
  local copy = file:readObject()
  file:close()
  return select('#', ...) > 0 and copy:share(self, ...) or copy
end

--- Converts all tensors. Without arguments, returns the type.
-- @tparam[opt] string typename for example `torch.FloatTensor` or `float`; or a device to which the tensors move: `meta`, `float on meta`
-- @tparam[opt] table cache if passed to several calls, tensors stay shared between their modules
-- @raise if the type is unknown, or the cache is not a table
function Module:type(typename, cache)
  if not typename then return self._type end
  typename, cache = nested.checkType(self, typename, cache)
  run.forget(self)
  for key, value in pairs(self) do
    if key ~= '_type' then self[key] = nested.recursiveType(value, typename, cache) end
  end
  self._type = nested.typeAfter(typename, self._type)
  return self
end

require 'nn.support.conversions'(Module)
require 'nn.support.state_methods'(Module)
require 'nn.support.inspection_methods'(Module)

--- Draws new values for the parameters. Modules with parameters define it.
function Module:reset() end

--- Fills weight, then bias, if they exist, from uniform(-bound, bound): one draw per element in the order of storage.
-- @number bound
function Module:draw(bound)
  torch.noGrad(function()
    if self.weight then self.weight:uniform(-bound, bound) end
    if self.bias then self.bias:uniform(-bound, bound) end
  end)
end

--- Fills weight with 1 and bias with 0, if they exist.
function Module:fillIdentity()
  torch.noGrad(function()
    if self.weight then self.weight:fill(1) end
    if self.bias then self.bias:zero() end
  end)
end

--- Frees the output, the gradients with respect to the input, and the state of the last forward: its record, and the fields that the class
-- lists in `transient`.
-- @treturn nn.Module self
function Module:clearState()
  run.forget(self)
  if self.transient then nested.clear(self, self.transient) end
  return nested.clear(self, 'output', 'gradInput')
end

--- Writes all fields but scratch memory to a file. torch.save also leaves out the fields that `clearState` frees, unless the call asks for
-- them: `torch.save(name, net, 'binary', { transient = true })`.
-- @tparam torch.File file
function Module:write(file)
  file:writeObject(fileFields(self, file))
end

--- Reads the fields that `write` wrote.
-- @tparam torch.File file
function Module:read(file)
  local fields = file:readObject()
  if self.__findsMembers then
    for name, value in pairs(fields) do rawset(self, name, value) end      -- assignments would order members anew
  else
    class.assign(self, fields)
  end
  if fields._derived then require('nn.support.derived_tensors').restore(self) end
end

--- Collects all parameters in one storage and all gradients in another. The module's tensors become views of these. The gradients become
-- the `grad` of the parameters, so backward passes on the tape add to them, too.
-- @treturn torch.Tensor parameters, with 1 dimension; tensors that share memory occur once
-- @treturn torch.Tensor gradients, likewise
function Module:getParameters()
  local parameters, gradients = self:parameters()
  return flatten.pair(parameters or {}, gradients or {})
end

Module.flatten = flatten.list

--- Torch7's factories of temporary tensors by type, for its `flatten`. Moontorch needs none.
Module._flattenTensorBuffer = {}

--- Calls `fn` with this module and all its descendants, parents first.
-- @tparam function fn called with each module
function Module:apply(fn)
  check.callable(torch.type(self), 'fn', fn)(self)
  for _, child in ipairs(members.children(self)) do child:apply(fn) end
end

--- Returns the modules whose class is exactly `typename`, and the container of each (the root is its own container).
-- @string typename for example nn.Linear
-- @tparam[opt] nn.Module container the container of self
-- @treturn {nn.Module,...} modules
-- @treturn {nn.Module,...} their containers
function Module:findModules(typename, container)
  container = container or self
  local nodes, containers = {}, {}
  if torch.typename(self) == typename then
    nodes[1], containers[1] = self, container
  end
  for _, child in ipairs(members.children(self)) do
    local below, around = child:findModules(typename, self)
    for i = 1, #below do
      nodes[#nodes + 1], containers[#containers + 1] = below[i], around[i]
    end
  end
  return nodes, containers
end

--- Returns a list of this module and all its descendants, parents first.
function Module:listModules()
  local modules = {}
  self:apply(function(module) modules[#modules + 1] = module end)
  return modules
end

--- Replaces each module by the result of `fn` for it.
-- @tparam function fn called with a module; returns its replacement
-- @return the replacement of self
function Module:replace(fn)
  local replacement, children = check.callable(torch.type(self), 'fn', fn)(self), self.modules
  for i = 1, children and #children or 0 do children[i] = children[i]:replace(fn) end
  if not children then members.replace(self, fn) end
  return replacement
end

function Module:__tostring__()
  return torch.type(self)
end

--- The methods that are derived from `compute`.
Module.derived = {
  updateOutput = Module.updateOutput,
  updateGradInput = Module.updateGradInput,
  accGradParameters = Module.accGradParameters,
}

require('nn.support.plain').watch(Module)

return Module
