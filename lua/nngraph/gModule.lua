--- A network defined by its input and output nodes in a graph.
-- Fields: `fg` and `bg`, the graph from the inputs to the outputs and its reverse; `forwardnodes` and `backwardnodes`, their nodes in the
-- order of execution, of which the first and last are `innode` and `outnode`, whose `data.input` has the network's input and its outputs;
-- `nInputs`; `name`, which is printed; `verbose`: whether forward prints each module that runs. The nodes of fg and bg are copies of the
-- program's nodes, with the same data.
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

-- Adds the modules of the nodes to the list of children, each once, in the order of execution.
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

--- Runs the network forward with another method of the modules instead of `updateOutput`.
-- @tparam string|function method its name, or a function of a module and its input that returns the output
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
-- @param input the value of a single input, or a table with an entry for each input
-- @return the value of a single output, or a table, owned by the network, with an entry for each output
function gModule:updateOutput(input)
  self.output = passes.forward(self, programOf(self), 'updateOutput', input)
  return self.output
end

--- Computes the gradient by the input of the last forward.
-- @param _ the input
-- @param gradOutput gradient by a single output, or a table with an entry for each output
-- @return gradient by a single input, or a table with an entry for each input
function gModule:updateGradInput(_, gradOutput)
  self.gradInput = passes.backward(self, programOf(self), 'updateGradInput', gradOutput)
  return self.gradInput
end

--- Adds `scale` times the gradients by the parameters, from the gradients that `updateGradInput` computed.
function gModule:accGradParameters(_, _, scale)
  passes.accumulate(self, programOf(self), 'accGradParameters', scale or 1)
end

--- Does the work of updateGradInput and accGradParameters in one pass.
-- @param _ the input
-- @param gradOutput as of `updateGradInput`
-- @tparam[opt=1] number scale
-- @return the gradient by the input
function gModule:backward(_, gradOutput, scale)
  self.gradInput = passes.backward(self, programOf(self), 'backward', gradOutput, scale or 1)
  return self.gradInput
end

--- Like `backward`, but immediately changes the parameters by -lr times their gradient.
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

-- Converts the nodes' values of the last passes; tables of inputs that belong to the program do not change.
local function convertNodes(net, typename, cache)
  local function tensorOf(tensor) return nested.recursiveType(tensor, typename, cache) end
  local function convert(value) return nested.map(value, tensorOf) end
  program.convert(programOf(net), convert)
  for _, node in ipairs(net.forwardnodes) do
    local data = node.data
    data.input, data.gradOutput = convert(data.input), convert(data.gradOutput)
  end
end

-- Fields of the network's graph, which `type` converts through the nodes.
local structure = { fg = true, bg = true, forwardnodes = true, backwardnodes = true, innode = true, outnode = true, _type = true }

--- Converts all tensors, including those in the nodes' data; without arguments returns the type.
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

--- Frees outputs and gradients of the network, its nodes and all modules.
-- @treturn nn.gModule self
function gModule:clearState()
  program.clear(programOf(self))
  parent.clearState(self)
  self.output, self.gradInput = nil, nil
  return self
end

--- Replaces each module by what `fn` returns for it.
-- @tparam function fn of a module
-- @return the replacement of self
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

--- Calls `fn` with each module of this network and the corresponding module of another network with the same structure.
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

-- Removes the nodes' fields that files without transient tensors omit; returns a function that restores them.
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

--- Writes all fields; the values of the last forward and backward only if the file includes transient tensors.
function gModule:write(file)
  local putBack = file:isLean() and setAside(self) or function() end
  local done, message = pcall(file.writeObject, file, written(self, file))
  putBack()
  if not done then error(message, 0) end
end

-- The number of inputs of the graph: the number of parts of the input node's split.
local function countInputs(net)
  for _, node in ipairs(net.bg.nodes) do
    local from = node.children[1]
    if node.data.nSplitOutputs and from and from.data == net.innode.data then return node.data.nSplitOutputs end
  end
  return 1
end

-- Adds fields that files of other versions may lack.
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

--- Reads the fields that `write` wrote.
function gModule:read(file)
  parent.read(self, file)
  complete(self)
end

function gModule:__tostring__() return self.name or torch.type(self) end

return gModule
