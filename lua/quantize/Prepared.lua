--- A network that is prepared for quantisation: its graph, and the ranges of its values. `quantize.prepare` creates it.
-- @classmod quantize.Prepared
local torch = require 'torch'
local check = require 'torch.check'
local floats, observers, program = require 'quantize.floats', require 'quantize.observers', require 'quantize.program'
local listOf = require 'quantize.inputs'
local native = require('torch.graph_object').native

local Prepared = torch.class('quantize.Prepared', {})

--- @tparam torch.Graph graph
-- @tparam ?{torch.Tensor,...} inputs examples
-- @tparam table options of quantize.prepare, all of them
-- @tparam[opt] nn.Module net from which the graph was captured
function Prepared:__init(graph, inputs, options, net)
  self.graph, self.inputs, self.options, self.net = graph, inputs, options, net
  self.observers, self.skips = {}, options.skips or function() return false end
end

-- The parameters of the network in place of the constants that share their memory, so that they learn.
local function learning(self)
  local constants = program.constants(self.graph)
  local found = 0
  for i, constant in ipairs(constants) do
    for _, parameter in ipairs((self.net:parameters())) do
      if parameter:storage() == constant:storage() and parameter:storageOffset() == constant:storageOffset()
        and parameter:isSize(constant:size()) then
        constants[i], found = parameter, found + 1
        break
      end
    end
  end
  if found == 0 then
    check.raise 'quantize.Prepared: no parameter of the network in the graph, expected one prepared before getParameters'
  end
  return constants
end

-- Returns the range of a key, or nil if nothing was seen.
function Prepared:rangeOf(id)
  local observer = self.observers[id]
  if not observer then return nil end
  return { observer:range() }
end

local function run(self, rounds, observes, constants)
  local options = self.options
  return floats(self.graph, constants, {
    rounds = rounds, skips = self.skips, attention = options.attention, symmetric = options.symmetric, perChannel = options.perChannel,
    symmetricWeights = options.symmetricWeights, rangeOf = function(id) return self:rangeOf(id) end,
    observe = observes and function(id, x)
      if x:nElement() == 0 then return end
      local observer = self.observers[id] or observers.create(options.observer, options, rounds and 'quantize.Prepared: input' or nil)
      observer:observe(x)
      self.observers[id] = observer
    end,
  })
end

-- Runs a function that observes values.
local function observed(self, inputs, f)
  local results = { f(unpack(inputs)) }
  for _, input in ipairs(inputs) do self.hasSeen = self.hasSeen or input:nElement() > 0 end
  return unpack(results)
end

--- Computes the outputs with floats, and observes values.
-- @param input a tensor, or a list of tensors
function Prepared:observe(input)
  torch.noGrad(function()
    self.observing = self.observing or run(self, false, true, program.constants(self.graph))
    observed(self, listOf('quantize.calibrate: data', input, #native.inputs(self.graph)), self.observing)
  end)
end

--- Computes the output as floats that are rounded like integers, on the tape, so that the parameters of the network learn with the
-- rounding. The network is as in evaluation mode: no dropout, and batch normalisation by its running statistics. In training mode, ranges
-- follow the values.
-- @param input a tensor, or a list of tensors
-- @return the outputs
-- @raise if it was not prepared with the mode training
function Prepared:forward(input)
  if self.options.mode ~= 'training' then
    check.raise(('quantize.Prepared: forward: prepared for the mode %s, expected training'):format(self.options.mode))
  end
  self.forwards = self.forwards or {}
  local isTraining = self.net.train ~= false
  self.forwards[isTraining] = self.forwards[isTraining] or run(self, true, isTraining, learning(self))
  local list, forward = listOf('quantize.Prepared: input', input, #native.inputs(self.graph)), self.forwards[isTraining]
  if isTraining then return observed(self, list, forward) end
  return forward(unpack(list))
end

Prepared.__call = Prepared.forward

--- The parameters of the network and their gradients.
function Prepared:parameters() return self.net:parameters() end

--- Switches to training mode: ranges follow the values.
function Prepared:training()
  self.net:training()
  return self
end

--- Switches to evaluation mode: ranges stay.
function Prepared:evaluate()
  self.net:evaluate()
  return self
end

function Prepared:__tostring()
  local count = 0
  for _ in pairs(self.observers) do count = count + 1 end
  return ('quantize.Prepared (%s, %d ranges)'):format(self.options.mode, count)
end

return Prepared
