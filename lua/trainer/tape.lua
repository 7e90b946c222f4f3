--- Steps of models on the tape: a module or a function as the model, an object such as optim.Adam as the optimiser.
-- @module trainer.tape
local torch, check = require 'torch', require 'torch.check'
local nested, replaced = require 'nn.nested', require 'torch.tensor.replaced'
local kindOf = require('torch.check.message').kind

local Tape = {}
Tape.__index = Tape

--- @tparam table options checked options of a trainer
function Tape.new(options)
  return setmetatable({
    model = options.model, criterion = options.criterion, optimizer = options.optimizer, scaler = options.scaler, within = options.within,
  }, Tape)
end

local function compute(self, input, target)
  local output = self.model(input)
  return self.criterion(output, target), output
end

local function detached(x) return x:detach() end

-- Returns a loss as a number.
local function numberOf(loss)
  if type(loss) == 'number' then return loss end
  if not torch.isTensor(loss) or loss:nElement() ~= 1 then
    local actual = torch.isTensor(loss) and ('a tensor with %d elements'):format(loss:nElement()) or kindOf(loss)
    check.raise(('Trainer: criterion: its result is %s, expected a tensor with one element'):format(actual))
  end
  return loss:detach():view(-1)[1]
end

--- Returns the gradients.
-- @treturn {torch.Tensor,...}
function Tape:allGradients()
  local list = {}
  for _, parameter in ipairs(self.optimizer.parameters) do list[#list + 1] = parameter.grad end
  return list
end

--- Removes all gradients.
function Tape:zero() self.optimizer:zeroGrad() end

--- Adds the gradients of a batch.
-- @param input
-- @param target
-- @number share factor of the loss
-- @treturn number the loss, without the factor
-- @return the model's output
function Tape:add(input, target, share)
  local loss, output = self.within(compute, self, input, target)
  local value = numberOf(loss)
  if type(loss) == 'number' or not loss:isTracked() then
    check.raise 'Trainer: criterion: its result does not depend on a parameter that requires a gradient: net:requiresGrad() does'
  end
  self.scaler:scale(share == 1 and loss or torch.mul(loss, share)):backward()
  return value, nested.map(output, detached)
end

--- Multiplies the gradients.
-- @number factor
function Tape:multiply(factor)
  torch.noGrad(function()
    for _, parameter in ipairs(self.optimizer.parameters) do
      if parameter.grad then parameter.grad:mul(factor) end
    end
  end)
end

--- Limits the norm of all gradients.
-- @number maxNorm
-- @treturn number the norm before
function Tape:clip(maxNorm) return require('optim').clipGradNorm(self.optimizer.parameters, maxNorm) end

--- Divides the gradients by the scale of the loss.
function Tape:unscale() self.scaler:unscale(self.optimizer) end

--- Makes the optimiser's step.
-- @tparam function again computes the loss and its gradients anew, for optimisers that call it at several points
function Tape:step(again)
  local rule = self.optimizer._rule
  if rule and rule.search then
    self.optimizer:step(again)
  else
    self.scaler:step(self.optimizer)
    self.scaler:update()
  end
end

--- Returns the loss of a batch, and the output, without gradients.
-- @param input
-- @param target
function Tape:evaluate(input, target)
  local loss, output = torch.noGrad(self.within, compute, self, input, target)
  return numberOf(loss), output
end

--- Returns the parameters that a checkpoint contains.
function Tape:parametersToSave()
  local list = {}
  for i, parameter in ipairs(self.optimizer.parameters) do list[i] = replaced.latest(parameter) end
  return list
end

--- Returns the parameters of which a trainer keeps averages.
function Tape:parametersToAverage() return self:parametersToSave() end

--- Returns the optimiser's state, which shares its tensors.
function Tape:state() return self.optimizer:stateDict() end

--- Continues from a state.
-- @tparam table state
function Tape:setState(state)
  self.optimizer:zeroGrad()      -- it then has the tensors that replaced its parameters, on a device
  self.optimizer:loadStateDict(state)
end

--- Returns the learning rate of the first group.
-- @treturn ?number
function Tape:learningRate()
  local optimizer = self.optimizer
  if type(optimizer.option) ~= 'function' then optimizer = optimizer.optimizer end
  return type(optimizer) == 'table' and type(optimizer.option) == 'function' and optimizer:option 'learningRate' or nil
end

return Tape
