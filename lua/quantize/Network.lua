--- A network of integers: a module that runs a graph, for inference. `quantize.convert` creates it.
-- @classmod quantize.Network
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'
local listOf, native = require 'quantize.inputs', require('torch.graph_object').native
require 'nn'

local Network, parent = torch.class('quantize.Network', 'nn.Module', {})

--- @tparam torch.Graph graph
function Network:__init(graph)
  if torch.typename(graph) ~= 'torch.Graph' then
    check.raise(('quantize.Network: graph: %s, expected a torch.Graph'):format(messages.value(graph)))
  end
  parent.__init(self)
  self.graph = graph
  self.train = false
end

--- Computes the output. Inputs are those of the network before; the graph's sizes are fixed but for the number of examples.
-- @param input a tensor, or a list of tensors
-- @return the output, a tensor, or a list of several
function Network:updateOutput(input)
  local results = { self.graph:run(unpack(listOf('quantize.Network: input', input, #native.inputs(self.graph)))) }
  self.output = #results == 1 and results[1] or results
  return self.output
end

--- It has no gradient: raises an error.
function Network.updateGradInput()
  check.raise 'quantize.Network: backward: a network of integers, expected one that quantize.prepare made for training'
end

--- Returns the constants: packed weights, scales, biases.
-- @treturn table name -> tensor
function Network:constants()
  local all = {}
  for _, name in ipairs(self.graph:info().constants) do all[name] = self.graph:constant(name) end
  return all
end

--- Returns the bytes of all constants.
function Network:bytes()
  local sum = 0
  for _, constant in pairs(self:constants()) do sum = sum + constant:nElement() * constant:elementSize() end
  return sum
end

--- It has no parameters that learn.
function Network.parameters() return {}, {} end

--- Converts no tensor: integers stay on the CPU.
function Network:type(type)
  if type == nil then return 'torch.FloatTensor' end
  return self
end

--- Writes the graph as text, and its constants.
-- @tparam torch.File file
function Network:write(file)
  local constants = {}
  for name, constant in pairs(self:constants()) do constants[name] = constant:clone() end
  file:writeObject { text = native.text(self.graph), constants = constants }
end

--- Reads what `write` wrote.
-- @tparam torch.File file
function Network:read(file)
  local saved = file:readObject()
  if type(saved) ~= 'table' then check.raise('quantize.Network: read: ' .. messages.value(saved) .. ', expected a graph') end
  self.graph = torch.graph.parse(saved.text, saved.constants)
  self._type, self.train, self.output, self.gradInput = 'torch.FloatTensor', false, torch.FloatTensor(), torch.FloatTensor()
end

function Network:__tostring__() return ('quantize.Network (%d bytes of constants)'):format(self:bytes()) end

return Network
