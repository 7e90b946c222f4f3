--- Runs the steps of a network: forward, backward, and on the tape.
-- Errors in a module name its position. This costs one store per step: the current step is saved, and one pcall around all steps catches
-- errors.
-- @module nngraph.passes
local C, check = require 'libmoontorch', require 'torch.check'
local children, nested = require 'nn.support.children', require 'nn.nested'
local node = require 'autograd.node'
local program = require 'nngraph.program'

local passes = {}

local one, many, split = program.one, program.many, program.split
local contribute, nestedCopy, nestedZeros = program.contribute, C.nestedCopy, C.nestedZeros

-- The input of a step, which is saved in its node's data.
local function inputOf(step)
  local input = step.data.input
  if step.kind == one then return input[1] end
  return input
end

-- Copies the output of a module that several steps share to a tensor of this step.
local function keep(step, value)
  step.held = nestedCopy(step.held, value)
  return step.held
end

-- Checks a value to be split: it must be a table with as many elements as the split has parts.
local function checkSplit(step, value)
  local count = step.data.nSplitOutputs
  if type(value) == 'table' and #value == count then return value end
  local found = type(value) == 'table' and ('split(%d) cannot split %d outputs'):format(count, #value)
    or ('split(%d) cannot split %s'):format(count, require 'torch'.type(value))
  check.raise(('nngraph.Node.split: %s of the node declared at %s, expected a table of %d'):format(found,
    step.data.annotations._debugLabel, count))
end

-- Runs all steps; `method` is a name, or a function of module and input.
local function forward(made, method)
  local steps, byName = made.steps, type(method) == 'string'
  for i = 1, made.count do
    local step = steps[i]
    made.at = step
    local kind = step.kind
    if kind <= many then
      local data = step.data
      local input, module = data.input, data.module
      if kind == one then
        local value = step.first.value
        input[1] = value
        input = value
      else
        local from = step.from
        for k = 1, #from do input[k] = from[k].value end
      end
      local value
      if byName then value = module[method](module, input) else value = method(module, input) end
      if value == nil then value = module.output end
      if step.isShared then value = keep(step, value) end
      step.value = value
    else
      local whole = step.first.value
      step.data.input[1] = whole
      step.value = kind == split and checkSplit(step, whole) or whole[step.data.selectindex]
    end
  end
end

-- The gradOutput of a step's module: zeros if no gradient arrived.
local function gradientOf(step)
  if step.count > 0 then return step.grad end
  step.sum = nestedZeros(step.sum, step.value)
  return step.sum
end

-- Runs one step backward.
local function back(step, method, unread, scale)
  local data = step.data
  local module, input, gradOutput = data.module, inputOf(step), gradientOf(step)
  data.gradOutput[1] = gradOutput
  if step.isShared then module:updateOutput(input) end                 -- its saved tensors belong to another step
  local gradInput = module[method](module, input, gradOutput, scale)
  if gradInput == nil then gradInput = module.gradInput end
  if step.isShared then gradInput = keep(step, gradInput) end
  if step.kind == one then return contribute(step.first, gradInput, unread) end
  if gradInput == nil then return end
  local from = step.from
  for k = 1, #from do contribute(from[k], gradInput[k], unread) end
end

-- The gradient by a split value, from those by its parts.
local function join(step, unread)
  local parts = step.parts
  for i = 1, step.data.nSplitOutputs do
    if parts[i] == nil then parts[i] = nestedZeros(nil, step.value[i]) end
  end
  step.parts = nil
  step.data.gradOutput[1] = parts
  contribute(step.first, parts, unread)
end

local function backward(made, method, gradOutput, scale)
  local steps = made.steps
  for i = made.count, 1, -1 do
    local step = steps[i]
    made.at = step
    local kind = step.kind
    if kind <= many then
      back(step, method, gradOutput, scale)
    elseif kind == split then
      join(step, gradOutput)
    else
      local gradient = gradientOf(step)
      step.data.gradOutput[1], step.first.parts[step.data.selectindex] = gradient, gradient
    end
  end
end

local function accumulate(made, method, factor)
  local steps = made.steps
  for i = 1, made.count do
    local step = steps[i]
    made.at = step
    if step.kind <= many then
      local module, input = step.data.module, inputOf(step)
      if step.isShared then module:updateOutput(input) end
      module[method](module, input, step.data.gradOutput[1], factor)
    end
  end
end

-- Raises the error of a failed step with its position.
local function orFailed(net, made, done, message)
  if done then return end
  require 'nngraph.failures'.tell(net, made.at, message, inputOf)
end

local function run(net, made, f, ...)
  made.at = nil
  orFailed(net, made, xpcall(f, children.describe, made, ...))
end

-- The input in the form that the network's start expects.
local function checkInput(net, input)
  local count = net.nInputs
  if count > 1 then
    check.that(type(input) == 'table', ('expecting table of %d inputs'):format(count))
    check.that(#input == count, ('Got %d inputs instead of %d'):format(#input, count))
  end
  return input
end

-- Wraps the method to print a line for each module, for verbose networks.
local function told(made, method)
  return function(module, input)
    local annotations = made.at.data.annotations
    print(('nn.gModule: %s, declared on %s'):format(annotations.name or require 'torch'.type(module), annotations._debugLabel))
    if type(method) == 'string' then return module[method](module, input) end
    return method(module, input)
  end
end

--- Runs the network forward.
-- @tparam nn.gModule net
-- @tparam table made its steps
-- @tparam string|function method of each module, and its input
-- @param input
-- @return the output: the value of a single output, or a table of several outputs, always the same table
function passes.forward(net, made, method, input)
  made.start.value = checkInput(net, input)
  net.innode.data.input[1] = input
  run(net, made, forward, net.verbose and told(made, method) or method)
  local outputs, results = made.outputs, net.outnode.data.input
  for i = 1, #outputs do results[i] = outputs[i].value end
  if #outputs == 1 then return outputs[1].value end
  local output = nested.isPlain(net.output) and net.output or {}
  for i = 1, #outputs do output[i] = outputs[i].value end
  for i = #output, #outputs + 1, -1 do output[i] = nil end
  return output
end

-- Checks that a forward of this network, or of the network that it is a copy of, precedes backward.
local function checkForward(made)
  for i = 1, made.count do
    local step = made.steps[i]
    if step.kind <= many then
      return check.that(step.data.input[1] ~= nil, 'nn.gModule: backward: no forward, expected one before')
    end
  end
end

local function begin(made, gradOutput)
  local steps, outputs = made.steps, made.outputs
  checkForward(made)
  check.that(gradOutput ~= nil, 'nn.gModule: gradOutput: nil, expected the gradient by the output')
  made.start.count, made.start.grad = 0, nil
  for i = 1, made.count do
    local step = steps[i]
    step.count, step.grad = 0, nil
    if step.kind == split then step.parts = {} end
  end
  local given = made.last.gradOutput
  if #outputs == 1 then
    given[1] = gradOutput
    return contribute(outputs[1], gradOutput, nil)
  end
  check.that(type(gradOutput) == 'table' and #gradOutput == #outputs,
    ('Got %d gradOutputs instead of %d'):format(type(gradOutput) == 'table' and #gradOutput or 1, #outputs))
  for i = 1, #outputs do
    given[i] = gradOutput[i]
    contribute(outputs[i], gradOutput[i], gradOutput)
  end
end

--- Runs the network backward.
-- @tparam nn.gModule net
-- @tparam table made its steps
-- @string method of each module, its input, gradOutput and `scale`
-- @param gradOutput
-- @param scale
-- @return the gradient by the input
function passes.backward(net, made, method, gradOutput, scale)
  begin(made, gradOutput)
  run(net, made, backward, method, gradOutput, scale)
  made.first.gradOutput[1] = made.start.grad
  return made.start.grad
end

--- Calls a method of each module with its input, the gradOutput of the last backward and a factor.
function passes.accumulate(net, made, method, factor)
  checkForward(made)
  run(net, made, accumulate, method, factor)
end

-- Runs a step's module on the tape. If only one module reads a value, and neither module saves it, the backward pass frees it with its
-- node, as in nn.Sequential: `sources` maps a step to the node that created such a value.
local function record(net, step, value, sources)
  local module, first = step.data.module, step.first
  local output = children.call(net, module, step.index, 'onTape', value)
  if step.kind == one and module:keepsNothing() and not rawequal(output, value) then
    if sources[first] and first.readers == 1 then node.setTransient(sources[first], value) end
    sources[step] = C.node(output)
  end
  return output
end

--- Runs the network on the caller's tape.
-- @return the output, in new tensors
function passes.onTape(net, made, input)
  local values, steps, outputs, sources = { [made.start] = checkInput(net, input) }, made.steps, made.outputs, {}
  for i = 1, made.count do
    local step = steps[i]
    local value = values[step.first]
    if step.kind == program.part then
      value = value[step.data.selectindex]
    elseif step.kind == split then
      checkSplit(step, value)
    else
      if step.kind == many then
        value = {}
        for k, from in ipairs(step.from) do value[k] = values[from] end
      end
      value = record(net, step, value, sources)
    end
    values[step] = value
  end
  if #outputs == 1 then return values[outputs[1]] end
  local output = {}
  for i, step in ipairs(outputs) do output[i] = values[step] end
  return output
end

return passes
