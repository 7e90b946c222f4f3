--- A network's graph as a flat list of steps in the order of execution. It is built once and traversed by each forward and backward.
-- A step has `data`, that of its node; `from`, the steps whose values are its input, and `first`, the first of them; `readers`, the number
-- of steps that read its value; `kind`; `index`, the position of its module among the network's children; and the results of a pass:
-- `value`, and `grad`, the sum of `count` gradients by it.
-- @module nngraph.program
local C = require 'libmoontorch'

local program = {}

-- Kinds of steps: a module with one input, a module with a table of several, a value that is split, a part of a split value.
program.one, program.many, program.split, program.part = 1, 2, 3, 4

local function kindOf(data, from)
  if data.selectindex then return program.part end
  if data.nSplitOutputs then return program.split end
  return #from == 1 and program.one or program.many
end

-- For each node's data, the data of its input nodes, in order.
local function sourcesOf(bg)
  local sources = {}
  for _, node in ipairs(bg.nodes) do
    local from = {}
    for i, child in ipairs(node.children) do from[i] = child.data end
    sources[node.data] = from
  end
  return sources
end

-- A module in more than one node overwrites its earlier outputs: such steps copy.
local function markShared(steps)
  local users = {}
  for _, step in ipairs(steps) do
    local module = step.data.module
    if module then users[module] = (users[module] or 0) + 1 end
  end
  for _, step in ipairs(steps) do
    local module = step.data.module
    step.isShared = module ~= nil and users[module] > 1
  end
end

local function countReaders(steps, outputs)
  local function count(from)
    for _, step in ipairs(from) do step.readers = (step.readers or 0) + 1 end
  end
  for _, step in ipairs(steps) do count(step.from) end
  count(outputs)
end

--- The steps of a network.
-- @tparam nn.gModule net with `forwardnodes`, of which the first is the input and the last the output, `bg` and `modules`
-- @treturn table `steps`; `start`, the step of the input; `outputs`, the steps whose values are the outputs; `first` and `last`, the data
-- of the input node and the output node
function program.compile(net)
  local sources, byData, steps, places = sourcesOf(net.bg), {}, {}, {}
  for i, module in ipairs(net.modules) do places[module] = i end
  local start = { from = {} }
  local first, last = net.innode.data, net.outnode.data
  byData[first] = start
  for _, node in ipairs(net.forwardnodes) do
    local data, from = node.data, {}
    if data ~= first then
      for i, source in ipairs(sources[data]) do from[i] = byData[source] end
    end
    if data == last then
      markShared(steps)
      countReaders(steps, from)
      return { steps = steps, start = start, outputs = from, count = #steps, first = first, last = last }
    end
    if data ~= first then
      local step = { data = data, from = from, first = from[1], kind = kindOf(data, from), index = places[data.module] }
      steps[#steps + 1], byData[data] = step, step
    end
  end
end

--- Replaces the values and gradients of the last passes by the results of a function.
-- @tparam table made the steps
-- @tparam function convert of a tensor or a table of tensors
function program.convert(made, convert)
  for _, step in ipairs(made.steps) do
    step.value, step.grad, step.held, step.sum = convert(step.value), nil, nil, nil
  end
  made.start.value, made.start.grad, made.start.sum = convert(made.start.value), nil, nil
end

--- Frees the values and gradients of the last passes.
function program.clear(made)
  for _, step in ipairs(made.steps) do
    step.value, step.grad, step.held, step.sum = nil, nil, nil, nil
    if step.data.module or step.data.nSplitOutputs or step.data.selectindex then step.data.input, step.data.gradOutput = {}, {} end
  end
  made.start.value, made.start.grad, made.start.sum = nil, nil, nil
  for _, data in ipairs { made.first, made.last } do data.input, data.gradOutput = {}, {} end
end

-- A gradient of zeros without memory: a single zero, expanded.
local function isNothing(gradient)
  if not C.isTensor(gradient) or gradient:nElement() < 2 then return false end
  local storage = gradient:storage()
  return storage:size() == 1 and storage[1] == 0
end

--- Adds a gradient by a step's value. The first gradient is stored without a copy; several are summed in an internal tensor.
-- @tparam table step
-- @param gradient nil adds nothing
-- @param unread a tensor that must not be written to
function program.contribute(step, gradient, unread)
  if gradient == nil then return end
  local count = step.count
  if count > 0 and isNothing(gradient) then return end
  if count == 0 or count == 1 and isNothing(step.grad) then
    step.grad, step.count = gradient, 1
    return
  end
  if count == 1 then step.sum = C.nestedCopy(step.sum, step.grad, unread, gradient) end
  step.sum = C.nestedAdd(step.sum, gradient)
  step.grad, step.count = step.sum, count + 1
end

return program
