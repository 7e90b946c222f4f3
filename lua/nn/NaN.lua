--- Runs a module, and raises an error if an input or result contains a NaN.
-- @classmod nn.NaN
local torch = require 'torch'
local nn = require 'nn'

local NaN, parent = nn.declare {
  name = 'nn.NaN', parent = 'nn.Decorator',
  prints = function(self) return ('(%s) @ %s'):format(self.id, tostring(self.modules[1])) end,
}

local lastId = 0

--- Returns a number that no other nn.NaN has.
function NaN.newId()
  lastId = lastId + 1
  return lastId
end

--- @tparam nn.Module module
-- @param[opt] id its name in messages
function NaN:__init(module, id)
  parent.__init(self, module)
  self.id = id or NaN.newId()
end

--- Returns whether there is a NaN in a tensor or in tables of tensors.
-- @param value
-- @treturn boolean
function NaN:recursiveIsNaN(value)
  if torch.isTensor(value) then
    local sum = value:nElement() > 0 and value:sum() or 0
    return sum ~= sum
  end
  if type(value) ~= 'table' then return value ~= value end
  for _, element in pairs(value) do
    if self:recursiveIsNaN(element) then return true end
  end
  return false
end

local function check(self, value, what)
  if value ~= nil and self:recursiveIsNaN(value) then
    error(('NaN found in %s of module :\n%s'):format(what, tostring(self)), 0)
  end
end

function NaN:updateOutput(input)
  self.output = self.modules[1]:updateOutput(input)
  if self:recursiveIsNaN(self.output) then
    check(self, input, 'input')
    check(self, (self:parameters()), 'parameters')
    check(self, self.output, 'output')
  end
  return self.output
end

function NaN:updateGradInput(input, gradOutput)
  self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
  if self.gradInput ~= nil and self:recursiveIsNaN(self.gradInput) then
    check(self, gradOutput, 'gradOutput')
    check(self, self.gradInput, 'gradInput')
  end
  return self.gradInput
end

function NaN:accGradParameters(input, gradOutput, scale)
  self.modules[1]:accGradParameters(input, gradOutput, scale)
  local _, gradients = self:parameters()
  if gradients and self:recursiveIsNaN(gradients) then
    check(self, gradOutput, 'gradOutput')
    check(self, gradients, 'gradParameters')
  end
end

NaN.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return nn.Decorator.deriving(NaN)
