--- Functions of tracked tensors as graphs, one for the results and one for the gradients: the extension point `fusedFunction`.
--
-- The first call runs on the tape and shows which results there are. The second one captures the results together with the gradients at
-- the border of the function; the engine divides this graph into the part for the results, which also returns what gradients need, and
-- the rest.
-- @module autograd.fused_function
-- @local
local torch, C = require 'torch', require 'libmoontorch'
local node, Function = require 'autograd.node', require 'autograd.function'
local mode, border = require 'autograd.mode', require 'autograd.border'
local captures, object = require 'torch.graph_capture', require 'torch.graph_object'

local native, restored = object.native, object.restored

local function pack(...) return { n = select('#', ...), ... } end

local Fused = {}
Fused.__index = Fused

-- Runs the function on the tape. If no result is tracked, the graph of this run suffices. Else notes the results; but if the function
-- writes to tensors of the program, it always runs on the tape.
function Fused:first(tensors, names, arguments)
  local captured, returned, shape, list = captures.list(function() return self.f(unpack(arguments, 1, arguments.n)) end, names, tensors)
  local isTracked = false
  self.shape, self.results = shape, {}
  for i, result in ipairs(list) do
    local tracked = C.node(result) ~= nil
    isTracked = isTracked or tracked
    self.results[i] = { type = result:type(), size = result:size(), tracked = tracked }
  end
  if not isTracked then
    self.firstGraph, self.run = captured, self.untracked
  else
    self.run = native.info(captured).updates == 0 and self.second or self.plain
  end
  return unpack(returned, 1, #returned)
end

function Fused:untracked(tensors) return unpack(restored(self.shape, { native.run(self.firstGraph, unpack(tensors)) })) end

function Fused:plain(_, _, arguments) return self.f(unpack(arguments, 1, arguments.n)) end

-- Returns a tensor of a result's size, without memory for all elements.
local function stretched(result, value)
  local one = torch.full({ 1 }, value, result.type)
  if result.size:size() == 0 then return one end
  local ones = {}
  for d = 1, result.size:size() do ones[d] = 1 end
  return one:view(torch.LongStorage(ones)):expand(result.size)
end

-- Captures results and gradients. Returns whether they can be graphs.
function Fused:capture(tensors, names, arguments)
  local inputs, inputNames, seeds = { unpack(tensors) }, { unpack(names) }, {}
  for i, result in ipairs(self.results) do
    if result.tracked then
      seeds[i] = torch.full(result.size, 1, result.type)
      inputs[#inputs + 1], inputNames[#inputNames + 1] = seeds[i], 'g' .. i
    end
  end
  local position, leaves = {}, {}      -- of a node of the border: of a tensor among the arguments; and its tensor
  for i, x in ipairs(tensors) do
    local n = C.node(x)
    if n then position[n] = i end
  end
  local nodes, found, isPossible
  local first, second = captures.parts(function()
    local start = node.lastNumber()
    local results = pack(self.f(unpack(arguments, 1, arguments.n)))
    local list = captures.tensors(results)
    list.n = #list
    nodes, isPossible = border.of(list, start), true
    for i, n in ipairs(nodes) do
      if not position[n] then
        isPossible = isPossible and node.isLeaf(n)
        leaves[i] = n
      end
    end
    found = pack(mode.noGrad(border.gradients, list, seeds, nodes, start))
    local outputs = { unpack(list) }
    for i = 1, #nodes do outputs[#outputs + 1] = found[i] end
    return outputs, #list
  end, inputNames, inputs)
  if not isPossible then return false end
  self.firstGraph, self.secondGraph, self.leaves, self.has = first, second, leaves, {}
  self.arguments, self.constants = {}, {}
  for i, name in ipairs(native.info(second).constants) do self.constants[i] = native.constant(second, name) end
  for i, n in ipairs(nodes) do self.arguments[i], self.has[i] = position[n] or false, found[i] ~= nil end
  return true
end

function Fused:second(tensors, names, arguments)
  local random = torch.getRNGState()
  local done = self:capture(tensors, names, arguments)
  torch.setRNGState(random)
  self.run = done and self.graphs or self.plain
  return self:run(tensors, names, arguments)
end

-- Returns the gradients at the border by the tape, for gradients of gradients.
function Fused:again(arguments, random, gradients)
  local before, start = torch.getRNGState(), node.lastNumber()
  torch.setRNGState(random)
  local list = captures.tensors(pack(mode.enableGrad(self.f, unpack(arguments, 1, arguments.n))))
  torch.setRNGState(before)
  list.n = #list
  local nodes, place = border.of(list, start), {}
  local found = pack(border.gradients(list, gradients, nodes, start))
  for i, n in ipairs(nodes) do place[n] = found[i] end
  return place
end

function Fused:graphs(tensors, _, arguments)
  local random, results, count = torch.getRNGState(), self.results, #self.results
  local untracked, saved = {}, {}
  local nodes, operands = {}, {}
  for i, at in ipairs(self.arguments) do
    nodes[i] = at and C.node(tensors[at]) or self.leaves[i]
    operands[i] = at and tensors[at] or border.standIn(nodes[i])
  end
  local function inputsWith(seedOf)
    local inputs = { unpack(tensors) }
    for i, result in ipairs(results) do
      if result.tracked then inputs[#inputs + 1] = seedOf(i, result) end
    end
    return inputs
  end
  local apply = Function {
    name = 'fuse',
    forward = function(ctx)
      local outputs = { native.runSharing(self.firstGraph, unpack(inputsWith(function(_, result) return stretched(result, 0) end))) }
      for i = count + 1, #outputs do saved[#saved + 1] = outputs[i] end
      local read = { unpack(tensors) }
      for _, list in ipairs { self.constants, saved } do
        for _, tensor in ipairs(list) do read[#read + 1] = tensor end
      end
      ctx:save(unpack(read))
      local tracked = {}
      for i, result in ipairs(results) do
        if result.tracked then tracked[#tracked + 1] = outputs[i] else untracked[i] = outputs[i] end
      end
      return unpack(tracked)
    end,
    backward = function(ctx, ...)
      ctx:saved()
      local given, at, gradients = { ... }, 0, {}
      for i, result in ipairs(results) do
        if result.tracked then
          at = at + 1
          gradients[i] = given[at]
        end
      end
      if C.gradMode() then
        local place, list = self:again(arguments, random, gradients), {}
        for i, n in ipairs(nodes) do list[i] = place[n] end
        return unpack(list, 1, #nodes)
      end
      local inputs = inputsWith(function(i, result) return gradients[i] or stretched(result, 0) end)
      for _, value in ipairs(saved) do inputs[#inputs + 1] = value end
      local found, list, next = { native.run(self.secondGraph, unpack(inputs)) }, {}, 1
      for i = 1, #nodes do
        if self.has[i] then list[i], next = found[next], next + 1 end
      end
      return unpack(list, 1, #nodes)
    end,
  }
  local outputs, list, at = { apply(unpack(operands)) }, {}, 0
  for i, result in ipairs(results) do
    if result.tracked then
      at = at + 1
      list[i] = outputs[at]
    else
      list[i] = untracked[i]
    end
  end
  return unpack(restored(self.shape, list))
end

require 'torch.extensions'.register('fusedFunction', function(f)
  local fused = setmetatable({ f = f }, Fused)
  fused.run = fused.first
  return function(tensors, names, ...) return fused:run(tensors, names, pack(...)) end
end)
