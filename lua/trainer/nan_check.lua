--- Finds the op, the line and the module that made a NaN or an infinity: computes the batch again under autograd.checkNaN.
-- @module trainer.nan_check
local torch, check = require 'torch', require 'torch.check'
local nested, random = require 'nn.nested', require 'trainer.random'

local nanCheck = {}

local function isFinite(number) return number == number and math.abs(number) < math.huge end

local function hasFault(value)
  for _, x in ipairs(nested.flatten(value, {})) do
    if x:isFloatingPoint() and x:nElement() > 0 and not torch.all(torch.isfinite(x:detach())) then return true end
  end
  return false
end

local function raise(self, message)
  check.raise(('Trainer: checkNaN: step %d, batch %d of epoch %d: %s'):format(self.step + 1, self.batch, self.epoch, message))
end

-- Computes batches again, those of this rank alone; raises the error that names the first op with a fault.
local function explain(self, model, states, group, infinities)
  local options = { model = torch.isTypeOf(model, 'nn.Module') and model or nil, infinities = infinities }
  local protocol = self._protocol
  local joint, fault = protocol.model, nil
  protocol.model = model
  for i, part in ipairs(group) do
    random.setState(self._generators, states[i])
    protocol:zero()
    fault = fault or part.size > 0 and require 'autograd.check_nan'(protocol.add, options, protocol, part.input, part.target, 1) or nil
  end
  protocol.model = joint
  if fault then raise(self, tostring(fault)) end
end

--- Remembers the generators before a batch.
-- @tparam trainer.Trainer self
-- @treturn table
function nanCheck.begin(self) return random.state(self._generators) end

--- Checks the loss of a batch.
-- @tparam trainer.Trainer self
-- @tparam table state of `begin`
-- @raise if it is NaN or infinite
function nanCheck.loss(self, state)
  if isFinite(self.loss) then return end
  local model = self._ranks:whole(self.model)
  if hasFault(self.input) then raise(self, 'the input has NaN or infinities') end
  if hasFault(self.target) then raise(self, 'the target has NaN or infinities') end
  local group = { { input = self.input, target = self.target, size = self.input == nil and 0 or 1 } }
  explain(self, model, { state }, group, self.loss == self.loss)
  raise(self, ('the loss is %g'):format(self.loss))
end

--- Checks the gradients of a step, unless the loss is scaled: then the scaler skips the step.
-- @tparam trainer.Trainer self
-- @tparam {table,...} states of `begin`, for each batch
-- @tparam {table,...} group the batches
-- @raise if there are NaN or infinities
function nanCheck.gradients(self, states, group)
  if self.scaler.enabled or not self._ranks:isAnywhere(hasFault(self._protocol:allGradients())) then return end
  local model = self._ranks:whole(self.model)
  explain(self, model, states, group, false)
  explain(self, model, states, group, true)
  raise(self, 'a gradient has NaN or infinities')
end

return nanCheck
