--- Recurrent nets in the style of Torch7 programs: tables of small modules, one clone for each time step, and decorators that call the
-- three methods of their modules.
-- @module cloned_nets
local torch, nn = require 'torch', require 'nn'

local nets = {}

local shared = { 'weight', 'bias', 'gradWeight', 'gradBias' }

local function each(...)
  local table = nn.ParallelTable()
  for _, module in ipairs { ... } do table:add(module) end
  return table
end

local function beside(...)
  local table = nn.ConcatTable()
  for _, module in ipairs { ... } do table:add(module) end
  return table
end

local function chain(...)
  local net = nn.Sequential()
  for _, module in ipairs { ... } do net:add(module) end
  return net
end

-- Of { x, h, ... }: squash(W x + U h).
local function gate(size, squash)
  return chain(nn.NarrowTable(1, 2), each(nn.Linear(size, size), nn.Linear(size, size)), nn.CAddTable(), squash)
end

local function product(first, second) return chain(beside(first, second), nn.CMulTable()) end

-- { input gate, new content, forget gate, output gate, c } -> { h, c }.
local function state()
  local cell = chain(beside(chain(nn.NarrowTable(1, 2), nn.CMulTable()), product(nn.SelectTable(3), nn.SelectTable(5))), nn.CAddTable())
  local shown = product(chain(nn.SelectTable(1), nn.Tanh()), nn.SelectTable(2))
  return chain(beside(cell, nn.SelectTable(4)), beside(shown, nn.SelectTable(1)))
end

--- An LSTM's step, gate by gate: { x, h, c } -> { h, c }.
function nets.lstmStep(size)
  local function squashed(squash) return gate(size, squash()) end
  return chain(beside(squashed(nn.Sigmoid), squashed(nn.Tanh), squashed(nn.Sigmoid), squashed(nn.Sigmoid), nn.SelectTable(3)), state())
end

--- The same with one product for all gates, whose result is then split.
function nets.packedStep(size)
  local function piece(i, squash) return chain(nn.Narrow(2, (i - 1) * size + 1, size), squash) end
  local sums = chain(nn.NarrowTable(1, 2), nn.JoinTable(2), nn.Linear(2 * size, 4 * size))
  local gates = beside(piece(1, nn.Sigmoid()), piece(2, nn.Tanh()), piece(3, nn.Sigmoid()), piece(4, nn.Sigmoid()))
  return chain(beside(chain(sums, gates), nn.SelectTable(3)), nn.FlattenTable(), state())
end

--- Clones of a step, which share its parameters; the parameters and their gradients in one vector each.
function nets.unrolled(step, count)
  local parameters, gradients = step:getParameters()
  local clones = {}
  for t = 1, count do clones[t] = step:clone(unpack(shared)) end
  return clones, parameters, gradients
end

-- Wraps a module of { x, h } that returns the next h. It is called once a time step; backward calls go through the steps in reverse.
local Remember, rememberParent = torch.class('cloned_nets.Remember', 'nn.Container', nets)

function Remember:__init(module)
  rememberParent.__init(self)
  self.modules[1] = module
  self:restart()
end

function Remember:restart()
  self.time, self.kept, self.later = 0, {}, nil
end

function Remember:at(time)
  if not self.modules[time] then self.modules[time] = self.modules[1]:clone(unpack(shared)) end
  return self.modules[time]
end

function Remember:updateOutput(x)
  self.time = self.time + 1
  local before = self.output
  if self.time == 1 then before = x:clone():zero() end
  self.kept[self.time] = { x, before }
  self.output = self:at(self.time):forward(self.kept[self.time])
  return self.output
end

function Remember:updateGradInput(_, gradOutput)
  if self.later then gradOutput = torch.add(gradOutput, self.later) end
  self.gradOutput = gradOutput
  local gradients = self:at(self.time):updateGradInput(self.kept[self.time], gradOutput)
  self.gradInput, self.later = gradients[1], gradients[2]
  return self.gradInput
end

function Remember:accGradParameters(_, _, scale)
  self:at(self.time):accGradParameters(self.kept[self.time], self.gradOutput, scale)
  self.time = self.time - 1
end

-- Applies a module to each entry of a table in turn, after it has restarted all Remember modules in it.
local Along, alongParent = torch.class('cloned_nets.Along', 'nn.Container', nets)

function Along:__init(module)
  alongParent.__init(self)
  self:add(module)
end

function Along:updateOutput(inputs)
  local module = self.modules[1]
  module:apply(function(m) if m.restart then m:restart() end end)
  self.output = {}
  for t = 1, #inputs do self.output[t] = module:updateOutput(inputs[t]):clone() end
  return self.output
end

function Along:updateGradInput() return self.gradInput end

function Along:accGradParameters(inputs, gradOutputs, scale)
  local module = self.modules[1]
  self.gradInput = {}
  for t = #inputs, 1, -1 do self.gradInput[t] = module:backward(inputs[t], gradOutputs[t], scale) end
end

--- A net from words to log-probabilities over a table of time steps; two of its layers are Remember modules.
function nets.decorated(words, size)
  return nets.Along(chain(nn.LookupTable(words, size), nets.Remember(gate(size, nn.Tanh())), nn.Linear(size, size),
    nn.BatchNormalization(size), nn.ReLU(), nets.Remember(gate(size, nn.Sigmoid())), nn.Dropout(0.1), nn.Linear(size, words),
    nn.LogSoftMax()))
end

return nets
