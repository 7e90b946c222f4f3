--- A criterion applied to the outputs of modules for the input and the target. Gradients propagate through the input's module.
-- @classmod nn.ModuleCriterion
local nn = require 'nn'

local function compute(self, input, target)
  if self.inputModule then input = self.inputModule:onTape(input) end
  if self.targetModule then target = self.targetModule:onTape(target) end
  return self.criterion:onTape(input, target)
end

local function forward(self, input, target)
  if self.inputModule then
    self.input = self.inputModule:forward(input)
  else
    self.input = input
  end
  if self.targetModule then
    self.target = self.targetModule:forward(target)
  else
    self.target = target
  end
  self.output = self.criterion:forward(self.input, self.target)
  return self.output
end

local function backward(self, input)
  self.gradInput = self.criterion:backward(self.input, self.target)
  if self.inputModule then self.gradInput = self.inputModule:backward(input, self.gradInput) end
  return self.gradInput
end

local ModuleCriterion, parent = nn.declare {
  name = 'nn.ModuleCriterion', parent = 'nn.Criterion', takes = 'any',
  widens = false,
  compute = compute, forward = forward, backward = backward,
  samples = { { 'ModuleCriterion(nn.MSECriterion(), nn.Tanh(), nn.Square())', { 4, 3 }, { 4, 3 } } },
}

--- @tparam nn.Criterion criterion
-- @tparam[opt] nn.Module inputModule without parameters, because they would not be trained
-- @tparam[opt] nn.Module targetModule
-- @tparam[opt=true] boolean castTarget whether `type` converts the target's module
function ModuleCriterion:__init(criterion, inputModule, targetModule, castTarget)
  parent.__init(self)
  self.inputModule = inputModule
  self.targetModule = targetModule
  self.castTarget = castTarget == nil or castTarget
  if inputModule then
    local parameters = inputModule:parameters()
    if parameters and #parameters > 0 then print 'Warning: nn.ModuleCriterion doesn\'t support parameter updates' end
  end
  self.criterion = criterion
end

--- Converts everything; the target's module only with `castTarget`.
function ModuleCriterion:type(typename, cache)
  if not self.targetModule or self.castTarget then return nn.Criterion.type(self, typename, cache) end
  local kept = self.targetModule
  self.targetModule = nil
  nn.Criterion.type(self, typename, cache)
  self.targetModule = kept
  return self
end

ModuleCriterion.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return ModuleCriterion
