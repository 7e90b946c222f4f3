--- Torch7's protocol for modules and criteria that say what they do as `compute`: a small private tape an object.
-- A forward runs `compute` on a tracked alias of the input while the parameters carry private leaves, then puts the parameters back as they
-- were; a backward walks from the output to those leaves. The record is kept until the next forward, apart from the object's fields, so
-- that copies and files don't see it.
-- Like Torch7, a backward takes parameters and buffers as they are now: changes since the forward raise nothing.
-- @module nn.run
local torch, C = require 'torch', require 'libmoontorch'
local autograd = require 'autograd'
local node, tape = require 'autograd.node', require 'autograd.tape'
local walk, onPaths = require 'autograd.walk', require('autograd.backward').onPaths
local nested = require 'nn.nested'

local run = {}

local getNode, setNode, gradMode, detach = C.node, C.setNode, C.gradMode, C.detach
local isTensor, map = torch.isTensor, nested.map

-- module -> record of its last forward: `inputs` and `parameters` (lists of leaves), `gradients` (those of the parameters), `output`.
local records = setmetatable({}, { __mode = 'k' })

--- Lets go of the last forward's record.
function run.forget(owner)
  records[owner] = nil
end

-- An alias on a private tape, which `compute` may even overwrite.
local passOn = tape.declare('nn input', detach, function(g) return g end)

local function track(tensor, leaves, inplace)
  local alias = detach(tensor)
  if not tensor:isFloatingPoint() then return alias end
  local leaf = node.leaf(alias)
  leaves[#leaves + 1] = leaf
  setNode(alias, leaf)
  if inplace then return passOn(alias) end
  return alias
end

-- Runs compute with private leaves on the parameters; returns the tracked output and their leaves.
local function computeTracked(owner, parameters, input, extra)
  local leaves, before = {}, {}
  for i = 1, #parameters do
    local parameter = parameters[i]
    local leaf = node.leaf(parameter)
    leaves[i], before[i] = leaf, getNode(parameter) or false
    setNode(parameter, leaf)
  end
  local done, output = pcall(owner.compute, owner, input, extra)
  for i = 1, #parameters do setNode(parameters[i], before[i] or nil) end
  if not done then error(output, 0) end
  return output, leaves
end

local none = {}

-- Computes and records; the object's gradInput set to nil says that no gradient by the input is wanted.
local function record(owner, parameters, gradients, input, extra)
  local previous = gradMode(true)
  local inputs = {}
  local alias = owner.gradInput ~= nil and map(input, track, inputs, owner.inplace) or map(input, detach)
  local done, output, leaves = pcall(computeTracked, owner, parameters, alias, extra)
  gradMode(previous)
  if not done then error(output, 0) end
  local made = { inputs = inputs, parameters = leaves, gradients = gradients, output = output, input = alias }
  records[owner] = made
  return made
end

-- Puts `value` into the object's field as a plain tensor: the field's own tensor becomes a view of it, so that who holds it sees it.
local function publish(owner, field, value)
  local held = owner[field]
  local previous = gradMode(false)
  if not isTensor(value) then
    owner[field] = map(value, detach)
  elseif isTensor(held) and held:type() == value:type() and not getNode(held) then
    held:set(value)
  else
    owner[field] = detach(value)
  end
  gradMode(previous)
  return owner[field]
end

-- Gradients by leaf of what was recorded, as a table that has the leaves as keys, false where the output doesn't depend on one.
local function gradientsOf(made, gradOutput, byInput, byParameters)
  local outputs = isTensor(made.output) and { made.output } or nested.flatten(made.output, {})
  local given = isTensor(gradOutput) and { gradOutput } or nested.flatten(gradOutput, {})
  local wanted, roots, starts = {}, {}, {}
  for i = 1, byInput and #made.inputs or 0 do wanted[made.inputs[i]] = false end
  for i = 1, byParameters and #made.parameters or 0 do wanted[made.parameters[i]] = false end
  for i = 1, #outputs do
    local root, g = getNode(outputs[i]), given[i]
    if root and g then
      if not C.sameSizes(g, outputs[i]) then g = g:contiguous():viewAs(outputs[i]) end
      roots[#roots + 1], starts[#starts + 1] = root, g
    end
  end
  if #roots == 0 or next(wanted) == nil then return wanted end
  local all = (byInput or #made.inputs == 0) and (byParameters or #made.parameters == 0)
  walk(roots, starts, { retain = true, current = true, wanted = wanted, needed = not all and onPaths(roots, wanted) or nil })
  return wanted
end

-- The gradient by each tracked tensor of the input; zeros where the output doesn't depend on it.
local function inputGradient(made, found)
  local list = {}
  for i = 1, #made.inputs do
    local leaf = made.inputs[i]
    list[i] = found[leaf] or leaf[6].new():resizeAs(leaf[6]):zero()
  end
  return isTensor(made.input) and list[1] or nested.rebuild(made.input, list)
end

local function recordOf(module, input)
  local made = records[module]
  if made then return made end
  local parameters, gradients = module:parameters()
  return record(module, parameters or none, gradients or none, input)
end

--- Torch7's updateOutput.
function run.forward(module, input)
  records[module] = nil
  return publish(module, 'output', recordOf(module, input).output)
end

--- Torch7's updateGradInput (byInput), accGradParameters (scale), or both in one pass.
function run.backward(module, input, gradOutput, byInput, scale)
  local made = recordOf(module, input)
  byInput = byInput and module.gradInput ~= nil
  local found = gradientsOf(made, gradOutput, byInput, scale ~= nil)
  if scale then
    local previous = gradMode(false)
    local _, gradients = module:parameters()
    for i = 1, #made.parameters do
      local gradient = found[made.parameters[i]]
      if gradient and gradients and gradients[i] then gradients[i]:add(scale, gradient) end
    end
    gradMode(previous)
  end
  if byInput then publish(module, 'gradInput', inputGradient(made, found)) end
  return module.gradInput
end

--- A criterion's updateOutput.
-- @treturn number
function run.loss(criterion, input, target)
  local made = record(criterion, none, none, input, target)
  local loss = made.output
  return isTensor(loss) and loss:item() or loss
end

--- A criterion's updateGradInput.
function run.lossGradient(criterion, input, target)
  local made = records[criterion] or record(criterion, none, none, input, target)
  local start = isTensor(made.output) and detach(made.output):clone():fill(1) or nil
  return publish(criterion, 'gradInput', inputGradient(made, start and gradientsOf(made, start, true, false) or none))
end

-- The last call on the tape of each module that writes the three methods itself: its fields are that call's.
local lastCall = setmetatable({}, { __mode = 'k' })

-- Lets the gradients of some parameters start from zeros in tensors of their own; returns what puts them back.
local function isolate(gradients)
  local kept = {}
  for i = 1, #gradients do
    kept[i] = detach(gradients[i])
    gradients[i]:set(torch.zeros(gradients[i]:size()):typeAs(gradients[i]))
  end
  return function()
    local collected = {}
    for i = 1, #gradients do
      collected[i] = detach(gradients[i])
      gradients[i]:set(kept[i])
    end
    return collected
  end
end

local function cloned(tensor)
  return detach(tensor):clone()
end

--- A module with methods of its own as one node of the caller's tape.
-- What it does in backward is not recorded: gradients of gradients take its gradient as constant.
function run.asNode(module, input)
  local plain = map(input, detach)
  local arguments = nested.flatten(input, {})
  local inputCount = #arguments
  local parameters, gradients = module:parameters()
  for i = 1, parameters and #parameters or 0 do arguments[inputCount + i] = parameters[i] end
  local call, output = {}, nil

  local function forward()
    lastCall[module] = call
    output = map(module:forward(plain), cloned)
    return unpack(nested.flatten(output, {}))
  end

  local function backward(_, ...)
    local given, results = { ... }, nested.flatten(output, {})
    for i = 1, #results do given[i] = given[i] or results[i].new():resizeAs(results[i]):zero() end
    if lastCall[module] ~= call then forward() end
    local collect = isolate(gradients or none)
    local done, gradInput = pcall(module.backward, module, plain, nested.rebuild(output, given))
    local collected = collect()
    if not done then error(gradInput, 0) end
    local byArgument = nested.flatten(map(gradInput, cloned), {})
    for i = 1, #collected do byArgument[inputCount + i] = collected[i] end
    return unpack(byArgument, 1, inputCount + #collected)
  end

  local apply = autograd.Function {
    name = torch.type(module), forward = forward,
    backward = function(ctx, ...) return autograd.noGrad(backward, ctx, ...) end,
  }
  return nested.rebuild(output or nil, { apply(unpack(arguments)) })
end

--- A criterion with methods of its own as one node.
function run.lossAsNode(criterion, input, target)
  local plain, plainTarget = map(input, detach), map(target, detach)
  local arguments = nested.flatten(input, {})

  local function backward(_, g)
    criterion:forward(plain, plainTarget)
    local list = nested.flatten(criterion:backward(plain, plainTarget), {})
    for i = 1, #list do list[i] = torch.mul(list[i], g:item()) end
    return unpack(list, 1, #arguments)
  end

  local loss = autograd.Function {
    name = torch.type(criterion),
    forward = function() return arguments[1].new { criterion:forward(plain, plainTarget) } end,
    backward = function(ctx, g) return autograd.noGrad(backward, ctx, g) end,
  }
  return loss(unpack(arguments))
end

return run
