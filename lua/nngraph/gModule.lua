--- A network given by its inputs and outputs, nodes of a graph.
-- Fields: `fg` and `bg`, the graph from the inputs to the outputs and back; `forwardnodes` and `backwardnodes`, their nodes in the order in
-- which they run, of which the first and last are `innode` and `outnode`, whose `data.input` has the network's input and its outputs;
-- `nInputs`; `name`, as which it is printed; `verbose`: whether each module that runs forward is told on the standard output.
-- The nodes of fg and bg are twins of those it was given, with the same data.
-- @classmod nn.gModule
local torch, check = require 'torch', require 'torch.check'
local nested, run, written = require 'nn.nested', require 'nn.support.run', require 'nn.support.file_fields'
local program, passes, construct = require 'nngraph.program', require 'nngraph.passes', require 'nngraph.construction'

local gModule, parent = torch.class('nn.gModule', 'nn.Container')

-- net -> its steps.
local programs = setmetatable({}, { __mode = 'k' })

local function programOf(net)
  local made = programs[net]
  if not made then
    made = program.compile(net)
    programs[net] = made
  end
  return made
end

-- Puts the modules of the nodes into the list of children, each once, in the order in which they run.
local function listModules(net)
  local met = {}
  net.modules = {}
  for i, node in ipairs(net.forwardnodes) do
    local module = node.data.module
    node.data.forwardNodeId = i
    if module and not met[module] then
      met[module] = true
      net.modules[#net.modules + 1] = module
    end
  end
end

--- @tparam {nngraph.Node,...} inputs
-- @tparam {nngraph.Node,...} outputs
-- @raise 'no inputs are not supported', 'an input should have no inputs', 'expecting only one start', 'node declared on .. does not connect
-- to gmodule output', 'N of split(M) outputs from the node declared at .. are unused'
function gModule:__init(inputs, outputs)
  parent.__init(self)
  construct(self, inputs, outputs)
  self.forwardnodes, self.backwardnodes = self.fg:topsort(), self.bg:topsort()
  self.nInputs, self.verbose, self.output, self.gradInput = #inputs, false, nil, nil
  listModules(self)
  programOf(self)
end

--- Runs the network forward, but with another method of the modules in the place of `updateOutput`.
-- @tparam string|function method its name, or a function of a module and its input, which gives the output
-- @param input
-- @return the output
function gModule:runForwardFunction(method, input)
  if type(method) ~= 'string' then check.callable('nn.gModule.runForwardFunction', 'method', method) end
  for _, module in ipairs(type(method) == 'string' and self.modules or {}) do
    check.that(module[method], ('nn.gModule.runForwardFunction: method: %s has no %s'):format(torch.type(module), method))
  end
  return passes.forward(self, programOf(self), method, input)
end

--- Computes the output.
-- @param input what the one input takes, or a table with an entry for each
-- @return what the one output gives, or the network's own table with an entry for each
function gModule:updateOutput(input)
  self.output = passes.forward(self, programOf(self), 'updateOutput', input)
  return self.output
end

--- Computes the gradient by the input of the last forward.
-- @param _ the input
-- @param gradOutput gradient by the one output, or a table with an entry for each
-- @return gradient by the one input, or a table with an entry for each
function gModule:updateGradInput(_, gradOutput)
  self.gradInput = passes.backward(self, programOf(self), 'updateGradInput', gradOutput)
  return self.gradInput
end

--- Adds `scale` times the gradients by the parameters to theirs, by the gradients that `updateGradInput` computed.
function gModule:accGradParameters(_, _, scale)
  passes.accumulate(self, programOf(self), 'accGradParameters', scale or 1)
end

--- Both of these in one pass.
-- @param _ the input
-- @param gradOutput as of `updateGradInput`
-- @tparam[opt=1] number scale
-- @return the gradient by the input
function gModule:backward(_, gradOutput, scale)
  self.gradInput = passes.backward(self, programOf(self), 'backward', gradOutput, scale or 1)
  return self.gradInput
end

--- As `backward`, but changes the parameters at once by -lr times their gradient.
function gModule:backwardUpdate(_, gradOutput, lr)
  self.gradInput = passes.backward(self, programOf(self), 'backwardUpdate', gradOutput, lr)
  return self.gradInput
end

for _, method in ipairs { 'accUpdateGradParameters', 'sharedAccUpdateGradParameters' } do
  gModule[method] = function(self, _, _, lr) passes.accumulate(self, programOf(self), method, lr) end
end

--- The network on the caller's tape.
function gModule:compute(input) return passes.onTape(self, programOf(self), input) end

gModule.takes = 'any'
gModule.derived = {
  updateOutput = gModule.updateOutput, updateGradInput = gModule.updateGradInput, accGradParameters = gModule.accGradParameters,
}

-- Converts what the last passes left in the nodes: a program's own tables of inputs stay as they are.
local function convertNodes(net, typename, cache)
  local function tensorOf(tensor) return nested.recursiveType(tensor, typename, cache) end
  local function convert(value) return nested.map(value, tensorOf) end
  program.convert(programOf(net), convert)
  for _, node in ipairs(net.forwardnodes) do
    local data = node.data
    data.input, data.gradOutput = convert(data.input), convert(data.gradOutput)
  end
end

-- What the network's graph is made of, which `type` reaches by way of its nodes.
local structure = { fg = true, bg = true, forwardnodes = true, backwardnodes = true, innode = true, outnode = true, _type = true }

--- Converts all tensors, those in the nodes' data, too; without arguments tells the type.
-- @tparam[opt] string typename
-- @tparam[opt] table cache as in nn.Module.type
function gModule:type(typename, cache)
  if not typename then return self._type end
  typename, cache = nested.checkType(self, typename, cache)
  run.forget(self)
  for key, value in pairs(self) do
    if not structure[key] then self[key] = nested.recursiveType(value, typename, cache) end
  end
  convertNodes(self, typename, cache)
  self._type = nested.typeAfter(typename, self._type)
  return self
end

--- Drops outputs and gradients of the network, its nodes and all modules.
-- @treturn nn.gModule self
function gModule:clearState()
  program.clear(programOf(self))
  parent.clearState(self)
  self.output, self.gradInput = nil, nil
  return self
end

--- Replaces each module by what `fn` returns for it.
-- @tparam function fn of a module
-- @return what stands in place of self
function gModule:replace(fn)
  local replacement = check.callable('nn.gModule', 'fn', fn)(self)
  if replacement ~= self then return replacement end
  local made = {}
  for _, module in ipairs(self.modules) do made[module] = module:replace(fn) end
  for _, node in ipairs(self.forwardnodes) do
    local module = node.data.module
    node.data.module = module and made[module]
  end
  listModules(self)
  programs[self] = nil
  return self
end

--- Calls `fn` with each module of this network and the one in its place in another of the same make.
-- @tparam nn.gModule other
-- @tparam function fn of two modules
function gModule:map(other, fn)
  check.callable('nn.gModule.map', 'fn', fn)
  local theirs = check.instance('nn.gModule.map', 'other', other, 'an nn.gModule').forwardnodes
  check.that(type(theirs) == 'table' and #theirs == #self.forwardnodes, 'nn.gModule.map: other: a network of another make')
  for i, node in ipairs(self.forwardnodes) do
    local module, its = node.data.module, theirs[i].data.module
    check.that((module == nil) == (its == nil), 'nn.gModule.map: other: a network of another make')
    if module then fn(module, its) end
  end
end

-- What files leave out of the nodes when they keep no transient tensors; returns what puts it back.
local function setAside(net)
  local held = {}
  for i, node in ipairs(net.forwardnodes) do
    local data = node.data
    held[i] = { data, data.input, data.gradOutput }
    data.input, data.gradOutput = {}, {}
  end
  return function()
    for _, entry in ipairs(held) do entry[1].input, entry[1].gradOutput = entry[2], entry[3] end
  end
end

--- What files keep: all fields; with what the last forward and backward left only where they keep transient tensors.
function gModule:write(file)
  local putBack = file:isLean() and setAside(self) or function() end
  local done, message = pcall(file.writeObject, file, written(self, file))
  putBack()
  if not done then error(message, 0) end
end

-- How many inputs the graph has: as many as the node of the input is split into.
local function countInputs(net)
  for _, node in ipairs(net.bg.nodes) do
    local from = node.children[1]
    if node.data.nSplitOutputs and from and from.data == net.innode.data then return node.data.nSplitOutputs end
  end
  return 1
end

-- What a file may lack: other versions wrote less.
local function complete(net)
  net.fg = net.fg or net.bg:reverse()
  net.bg = net.bg or net.fg:reverse()
  net.forwardnodes = net.forwardnodes or net.fg:topsort()
  net.backwardnodes = net.backwardnodes or net.bg:topsort()
  net.innode, net.outnode = net.innode or net.forwardnodes[1], net.outnode or net.forwardnodes[#net.forwardnodes]
  for _, node in ipairs(net.forwardnodes) do
    local data = node.data
    data.annotations, data.input, data.gradOutput = data.annotations or {}, data.input or {}, data.gradOutput or {}
  end
  if not net.modules then listModules(net) end
  net.nInputs = net.nInputs or countInputs(net)
end

--- Takes the fields that `write` wrote.
function gModule:read(file)
  parent.read(self, file)
  complete(self)
end

function gModule:__tostring__() return self.name or torch.type(self) end

return gModule
