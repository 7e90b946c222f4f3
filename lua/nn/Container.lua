--- The parent of modules with children, which are in the list `modules`.
-- @classmod nn.Container
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local nested, run = require 'nn.nested', require 'nn.support.run'
local callChild = require('nn.support.children').call

local Container, parent = torch.class('nn.Container', 'nn.Module')

-- For 16-bit tensors, the children compute separately (see nn.support.wide).
Container.widens = false

function Container:__init()
  parent.__init(self)
  self.modules = {}
end

--- Appends a module. nil is ignored.
-- @tparam ?nn.Module module
-- @treturn nn.Container self
function Container:add(module)
  if module ~= nil then table.insert(self.modules, check.instance(torch.type(self), 'module', module, 'a module')) end
  return self
end

--- Returns the child at a position, or nil if there is none.
-- @int index from 1
function Container:get(index)
  return self.modules[index]
end

--- Returns the number of children.
function Container:size()
  return #self.modules
end

--- Calls `module[method](module, ...)`. Messages of errors start with the position of the module in the network.
-- @tparam nn.Module module child
-- @tparam int index its position
-- @tparam string method
-- @return the first result of the method
function Container:rethrowErrors(module, index, method, ...)
  return callChild(self, module, index, method, ...)
end

--- Calls `fn` with each direct child.
-- @tparam function fn called with each child
function Container:applyToModules(fn)
  check.callable(torch.type(self), 'fn', fn)
  for _, module in ipairs(self.modules) do fn(module) end
end

local function zeroGradParameters(module) module:zeroGradParameters() end
local function training(module) module:training() end
local function evaluate(module) module:evaluate() end

--- Sets the gradients of the children's parameters to 0.
function Container:zeroGradParameters()
  self:applyToModules(zeroGradParameters)
end

--- parameter = parameter - lr * gradient, for each parameter of all children.
-- @number lr
function Container:updateParameters(lr)
  self:applyToModules(function(module) module:updateParameters(lr) end)
end

--- Switches itself and all children to training mode.
function Container:training()
  self:applyToModules(training)
  parent.training(self)
end

--- Switches itself and all children to evaluation mode.
function Container:evaluate()
  self:applyToModules(evaluate)
  parent.evaluate(self)
end

--- Draws new values for the children's parameters.
-- @tparam[opt] number stdv argument of each child's `reset`
function Container:reset(stdv)
  self:applyToModules(function(module) module:reset(stdv) end)
end

--- Shares the named tensors, child by child, with another container of the same structure.
-- @tparam nn.Container other
-- @string ... fields, for example weight, bias
function Container:share(other, ...)
  check.table(torch.type(self) .. ': share', 'other', other)
  for i, module in ipairs(self.modules) do module:share(other.modules and other.modules[i], ...) end
  return self
end

--- Frees outputs and gradients of itself and all descendants. The tensors are replaced, not emptied, because a child may use the same ones.
function Container:clearState()
  run.forget(self)
  for _, field in ipairs { 'output', 'gradInput' } do
    if torch.isTensor(self[field]) then
      self[field] = self[field].new()
    else
      nested.clear(self, field)
    end
  end
  self:applyToModules(function(module) module:clearState() end)
  return self
end

--- Returns the parameters and gradients of all children, concatenated; empty lists if there are none.
function Container:parameters()
  local parameters, gradients = {}, {}
  for _, module in ipairs(self.modules) do
    local childParameters, childGradients = module:parameters()
    for i = 1, childParameters and #childParameters or 0 do
      parameters[#parameters + 1], gradients[#gradients + 1] = childParameters[i], childGradients[i]
    end
  end
  return parameters, gradients
end

return Container
