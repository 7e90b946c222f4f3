--- A module made of modules, in the list `modules`.
-- @classmod nn.Container
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local nested, run = require 'nn.nested', require 'nn.support.run'
local callChild = require('nn.support.children').call

local Container, parent = torch.class('nn.Container', 'nn.Module')

-- Of tensors with 16 bits: children compute by themselves.
Container.widens = false

function Container:__init()
  parent.__init(self)
  self.modules = {}
end

--- Appends a module; nil is none, and changes nothing.
-- @tparam ?nn.Module module
-- @treturn nn.Container self
function Container:add(module)
  if module ~= nil then table.insert(self.modules, check.instance(torch.type(self), 'module', module, 'a module')) end
  return self
end

--- The child at a position, nil where there is none.
-- @int index from 1
function Container:get(index)
  return self.modules[index]
end

--- The number of children.
function Container:size()
  return #self.modules
end

--- Calls `module[method](module, ...)`; an error's message begins with the place of the module in the network.
-- @tparam nn.Module module child
-- @tparam int index its position
-- @tparam string method
-- @return the method's one result
function Container:rethrowErrors(module, index, method, ...)
  return callChild(self, module, index, method, ...)
end

--- Calls `fn` with each direct child.
-- @tparam function fn gets the child
function Container:applyToModules(fn)
  check.callable(torch.type(self), 'fn', fn)
  for _, module in ipairs(self.modules) do fn(module) end
end

local function zeroGradParameters(module) module:zeroGradParameters() end
local function training(module) module:training() end
local function evaluate(module) module:evaluate() end

--- Fills the children's gradients by their parameters with 0.
function Container:zeroGradParameters()
  self:applyToModules(zeroGradParameters)
end

--- parameter = parameter - lr * gradient, for each of all children.
-- @number lr
function Container:updateParameters(lr)
  self:applyToModules(function(module) module:updateParameters(lr) end)
end

--- Turns on what is for training only in itself and all children.
function Container:training()
  self:applyToModules(training)
  parent.training(self)
end

--- Turns off what is for training only in itself and all children.
function Container:evaluate()
  self:applyToModules(evaluate)
  parent.evaluate(self)
end

--- Draws the children's parameters anew.
-- @tparam[opt] number stdv as each child's `reset` takes it
function Container:reset(stdv)
  self:applyToModules(function(module) module:reset(stdv) end)
end

--- Shares the named tensors child by child with another container of the same make.
-- @tparam nn.Container other
-- @string ... fields, for example weight, bias
function Container:share(other, ...)
  check.table(torch.type(self) .. ': share', 'other', other)
  for i, module in ipairs(self.modules) do module:share(other.modules and other.modules[i], ...) end
  return self
end

--- Drops outputs and gradients of all below. They are replaced, not emptied: they may be those of a child.
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

--- The children's parameters and gradients one after another; empty lists when there are none.
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
