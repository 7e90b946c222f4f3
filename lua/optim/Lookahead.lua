--- Lookahead: slow weights, which go a part of the way to the weights of another optimiser after every few of its steps; then it continues
-- from there. Every `steps` steps: slow = slow + alpha (x - slow); x = slow.
-- Source: Zhang et al. (2019), "Lookahead Optimizer: k steps forward, 1 step back", NeurIPS, algorithm 1.
-- @usage local steps = optim.Lookahead(optim.Adam(net:parameters()), { steps = 5, alpha = 0.5 })
-- @classmod optim.Lookahead
local torch, check = require 'torch', require 'torch.check'
local optim = require 'optim'
local noGrad = require('autograd.mode').noGrad

local Lookahead = torch.class 'optim.Lookahead'
Lookahead.__givesWay = true

--- @tparam optim.Optimizer optimizer whose groups are complete; schedules may have the Lookahead as their target
-- @tparam[opt] table options `steps` (5), `alpha` (0.5)
-- @raise if an option is out of range
function Lookahead:__init(optimizer, options)
  check.that(torch.isTypeOf(optimizer, 'optim.Optimizer'), 'optim.Lookahead: optimizer: expected an object such as optim.Adam(...)')
  options = check.options('optim.Lookahead', options, { 'steps', 'alpha' })
  self.steps = check.int('optim.Lookahead', 'steps', options.steps or 5, { min = 1 })
  self.alpha = check.number('optim.Lookahead', 'alpha', options.alpha or 0.5, { min = 0, max = 1 })
  self.optimizer, self.parameters, self.count = optimizer, optimizer.parameters, 0
  self.slow = #self.parameters > 0 and optim.EMA(self.parameters, { decay = 1 - self.alpha }) or nil
  if self.slow then self.slow:update() end
end

--- Makes a step of the optimiser, and every few steps one of the slow weights.
-- @tparam[opt] function closure as of optim.Optimizer:step
-- @return the result of the closure
function Lookahead:step(closure)
  local loss = self.optimizer:step(closure)
  self.parameters, self.count = self.optimizer.parameters, self.count + 1
  if self.slow and self.count % self.steps == 0 then
    self.slow:update()
    noGrad(function()
      for i, parameter in ipairs(self.slow.parameters) do parameter:copy(self.slow.averages[i]) end
    end)
  end
  return loss
end

--- Removes the gradients of all parameters.
function Lookahead:zeroGrad() self.optimizer:zeroGrad() end

--- Returns the state that a program needs to continue later.
-- @treturn table the optimiser's state, the slow weights and the number of steps
function Lookahead:stateDict()
  return { optimizer = self.optimizer:stateDict(), slow = self.slow and self.slow:stateDict(), count = self.count }
end

--- Continues from a state.
-- @tparam table state result of `stateDict`
-- @raise if it belongs to another optimiser or other parameters
function Lookahead:loadStateDict(state)
  local where = 'optim.Lookahead.loadStateDict'
  check.table(where, 'state', state)
  check.int(where, 'state: count', state.count, { min = 0 })
  if self.slow then
    local before = torch.deserialize(torch.serialize(self.slow:stateDict()))
    self.slow:loadStateDict(check.table(where, 'state: slow', state.slow))
    local good, message = pcall(self.optimizer.loadStateDict, self.optimizer, state.optimizer)
    if not good then
      self.slow:loadStateDict(before)
      error(message, 2)
    end
  end
  self.count = state.count
end

return Lookahead
