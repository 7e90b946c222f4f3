--- Steps by Torch7's protocol: modules and criteria with forward and backward, an algorithm such as optim.sgd on flat parameters.
-- @module trainer.classic
local torch, check = require 'torch', require 'torch.check'
local nested = require 'nn.nested'

local Classic = {}
Classic.__index = Classic

--- @tparam table options checked options of a trainer
function Classic.new(options)
  local self = setmetatable({
    model = options.model, criterion = options.criterion, algorithm = options.optimizer, config = options.config, optimState = {},
    scaler = options.scaler, within = options.within,
  }, Classic)
  self.parameters, self.gradients = self.model:getParameters()
  return self
end

local function forward(self, input, target)
  local output = self.model:forward(input)
  return self.criterion:forward(output, target), output
end

local function both(self, input, target, share)
  local loss, output = forward(self, input, target)
  self.model:backward(input, self.scaler:scale(self.criterion:backward(output, target)), share)
  return loss, output
end

--- Returns the gradients.
-- @treturn {torch.Tensor,...}
function Classic:allGradients() return { self.gradients } end

--- Removes all gradients.
function Classic:zero() self.model:zeroGradParameters() end

--- Adds the gradients of a batch.
-- @param input
-- @param target
-- @number share factor of the loss
-- @treturn number the loss, without the factor
-- @return the model's output
function Classic:add(input, target, share) return self.within(both, self, input, target, share) end

--- Multiplies the gradients.
-- @number factor
function Classic:multiply(factor) self.gradients:mul(factor) end

--- Limits the norm of all gradients.
-- @number maxNorm
-- @treturn number the norm before
function Classic:clip(maxNorm) return require('optim').clipGradNorm({ self.gradients }, maxNorm) end

--- Divides the gradients by the scale of the loss.
function Classic:unscale() self.scaler:unscale(self.gradients) end

--- Makes the algorithm's step.
-- @tparam function again computes the loss and its gradients anew, for algorithms that call it at several points
-- @number loss at the present point
function Classic:step(again, loss)
  local isKnown = true
  local function evaluate(point)
    if not isKnown then
      if point ~= self.parameters then self.parameters:copy(point) end
      loss = again()
    end
    isKnown = false
    return loss, self.gradients
  end
  if self.scaler.enabled then
    self.scaler:step(self.algorithm, evaluate, self.parameters, self.config, self.optimState)
    self.scaler:update()
  else
    self.algorithm(evaluate, self.parameters, self.config, self.optimState)
  end
end

local function copied(x) return x:clone() end

--- Returns the loss of a batch, and the output, without gradients.
-- @param input
-- @param target
function Classic:evaluate(input, target)
  local loss, output = self.within(forward, self, input, target)
  return loss, nested.map(output, copied)
end

--- Returns the parameters that a checkpoint contains, besides the model's.
function Classic.parametersToSave() return {} end

--- Returns the parameters of which a trainer keeps averages: all as one vector.
function Classic:parametersToAverage() return { self.parameters } end

--- Returns the algorithm's options and state, which share its tensors.
function Classic:state() return { config = self.config, state = self.optimState } end

local function refill(t, contents, device)
  for key in pairs(t) do t[key] = nil end
  for key, value in pairs(contents) do t[key] = nested.map(value, torch.to, device) end
end

--- Continues from a state.
-- @tparam table state
function Classic:setState(state)
  local device = self.parameters:device()
  check.table('optimizer', 'config', state.config)
  refill(self.optimState, check.table('optimizer', 'state', state.state), device)
  refill(self.config, state.config, device)
end

--- Returns the learning rate.
-- @treturn ?number
function Classic:learningRate() return self.config.learningRate end

return Classic
