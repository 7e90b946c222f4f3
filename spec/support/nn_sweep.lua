--- Checks of each sample of a module or criterion for the specs of nn: gradients by differences, Torch7's protocol with the tape, gradients
-- of gradients, single rows, memory layouts, types, files and copies; and PyTorch's results, if there are figures.
local assert, torch = require 'luassert', require 'torch'
local nested = require 'nn.nested'
local autograd, formula = require 'autograd', require 'autograd.formula'
local layers, samples = require 'spec.support.layers', require 'spec.support.nn_samples'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

local sweep = {}
local map, series = nested.map, layers.series
local like, copied, parametersOf = samples.like, samples.copied, samples.parametersOf
local inputOf, moduleOf, targetOf, criterionOf = samples.inputOf, samples.moduleOf, samples.targetOf, samples.criterionOf

local function dot(a, b)
  local left, right, sum = nested.flatten(a, {}), nested.flatten(b, {}), 0
  for i = 1, #left do sum = sum + torch.sum(torch.cmul(left[i]:detach():double(), right[i]:detach():double())) end
  return sum
end

local function projection(value) return dot(value, like(value, 1.3)) end

local function describeSizes(value)
  local sizes = {}
  for i, x in ipairs(nested.flatten(value, {})) do sizes[i] = table.concat(x:size():totable(), 'x') end
  return table.concat(sizes, ' ')
end

-- Runs forward and backward as in Torch7; returns output, gradInput, gradients by parameters.
local function run(module, input, scale)
  local output = copied(module:forward(input))
  local gradOutput = like(output, 0.7)
  module:zeroGradParameters()
  local gradInput = copied(module:backward(input, gradOutput, scale))
  local _, gradients = parametersOf(module)
  return output, gradInput, copied(gradients), gradOutput
end

local function checkFigures(case, expected)
  local module, input = moduleOf(case), inputOf(case)
  local output, gradInput, gradients = run(module, input)
  assert.equal(expected[1], describeSizes(output))
  assertClose(expected[2], projection(output), relative(1e-9), 'output')
  assertClose(expected[3], projection(gradInput), relative(1e-9), 'gradInput')
  assert.equal(#expected - 3, #gradients)
  for i, gradient in ipairs(gradients) do
    assertClose(expected[3 + i], projection(gradient), relative(1e-9), 'gradient of parameter ' .. i)
  end
end

-- Asserts that the slope of loss() is `expected` when a tensor, or all tensors of a table, move along a direction; at a kink, a value
-- between the slopes on both sides.
local function checkSlope(loss, value, direction, expected, what)
  local step, kept = 1e-5, copied(value)
  local function at(h)
    local tensors, origins, ways = nested.flatten(value, {}), nested.flatten(kept, {}), nested.flatten(direction, {})
    for i = 1, #tensors do tensors[i]:copy(torch.add(origins[i], h, ways[i])) end
    return loss()
  end
  local below, above, here = at(-step), at(step), at(0)
  local left, right = (here - below) / step, (above - here) / step
  local isKink = math.abs(right - left) > 1e-2 * math.max(1, math.abs(left))
  local inside = math.min(math.max(expected, math.min(left, right)), math.max(left, right))
  assertClose(isKink and inside or (left + right) / 2, expected, relative(1e-6), what)
end

-- Checks gradients of a projection of the output against differences, each along a direction in which all elements change.
local function checkDifferences(case)
  local module, input = moduleOf(case), inputOf(case)
  local function forward()
    torch.manualSeed(7)
    return module:forward(input)
  end
  local gradOutput = like(forward(), 0.7)
  local function loss() return dot(forward(), gradOutput) end
  forward()
  module:zeroGradParameters()
  local gradInput = copied(module:backward(input, copied(gradOutput)))
  local parameters, gradients = parametersOf(module)
  gradients = copied(gradients)
  checkSlope(loss, input, like(input, 2.3), dot(gradInput, like(gradInput, 2.3)), 'gradInput by differences')
  for i, parameter in ipairs(parameters) do
    local way = like(parameter, 2.3)
    checkSlope(loss, parameter, way, dot(gradients[i], way), ('gradient of parameter %d by differences'):format(i))
  end
end

-- Whether the gradient reads the output, for a class that is a formula.
local function readsOutput(module)
  local declaration = module.declaration
  while declaration and not declaration.formula and declaration.parent do
    declaration = torch.getmetatable(declaration.parent).declaration
  end
  local text = declaration and declaration.formula
  if not text or declaration.keeps then return declaration ~= nil and declaration.keeps ~= nil end
  local chosen = type(text) == 'string'
  if not chosen then chosen, text = pcall(text, module, torch.ones(2, 2)) end
  if not chosen or not text then return false end
  for _, step in ipairs(formula.compile(text, { 'input' }, nil, declaration.gradient).backward) do
    for _, source in ipairs(step) do
      if source[1] == 'operand' and source[2] == 0 then return true end
    end
  end
  return false
end

local function goesByLastForward(module)
  for _, each in ipairs(module:listModules()) do
    if each.once or each.byFields or readsOutput(each) then return true end
  end
  return false
end

-- Checks the protocol in two calls, with a scale, for other tensors of the same content, after another forward.
local function checkProtocol(case)
  local module, input = moduleOf(case), inputOf(case)
  local _, gradInput, gradients, gradOutput = run(module, input)
  local other = map(inputOf(case), function(x) return x:mul(1.5) end)
  module:forward(other)
  module:zeroGradParameters()
  -- Not for containers that use their children's outputs, nor for modules whose forward changes or draws something, or whose backward uses
  -- results of their last forward.
  if not goesByLastForward(module) and not torch.isTypeOf(module, 'nn.Sequential') and not case[1]:find 'Sequential' then
    assertClose(gradInput, module:updateGradInput(inputOf(case), copied(gradOutput)), 1e-12, 'updateGradInput')
  end
  module:forward(input)
  module:accGradParameters(input, copied(gradOutput), 0.5)
  module:accGradParameters(input, copied(gradOutput), 0.5)
  local parameters, twice = parametersOf(module)
  for i, gradient in ipairs(twice) do assertClose(gradients[i], gradient, 1e-12, 'gradient ' .. i .. ' in two halves') end
  for i, parameter in ipairs(parameters) do gradients[i] = torch.csub(parameter, gradients[i]) end
  module:accUpdateGradParameters(input, copied(gradOutput), 1)
  for i, parameter in ipairs(parameters) do assertClose(gradients[i], parameter, 1e-12, 'parameter ' .. i .. ' updated at once') end
end

-- Checks the tape: the same output and gradients, and the derivative of the gradient against differences of gradInput.
local function checkTape(case)
  local module, input = moduleOf(case), inputOf(case)
  local output, gradInput, gradients, gradOutput = run(module, input)
  local xs = map(input, function(x) return x:clone():requiresGrad() end)
  module:requiresGrad()
  local y = module(case[1]:find 'true' and map(xs, function(x) return torch.mul(x, 1) end) or xs)
  assertClose(output, y, 1e-14, 'output on the tape')
  local leaves, count = nested.flatten(xs, {}), #nested.flatten(xs, {})
  for _, parameter in ipairs((parametersOf(module))) do leaves[#leaves + 1] = parameter end
  local found = autograd.grad(nested.flatten(y, {}), leaves,
    { gradOutputs = nested.flatten(gradOutput, {}), createGraph = true, allowUnused = true })
  local list, inputs = nested.flatten(gradInput, {}), {}
  for i = 1, count do inputs[i] = found[i] or list[i]:clone():zero() end
  assertClose(list, inputs, 1e-12, 'gradient by the input on the tape')
  for i, gradient in ipairs(gradients) do assertClose(gradient, found[count + i], 1e-12, 'gradient of parameter on the tape') end
  module:requiresGrad(false)
  local whole
  for i = 1, count do
    if found[i] and found[i]:isTracked() then
      local part = torch.sum(torch.cmul(found[i], series(found[i]:size(), 1.3)))
      whole = whole and whole + part or part
    end
  end
  if not whole then return end
  local second = autograd.grad(whole, nested.flatten(xs, {}), { allowUnused = true })
  local expected, step = 0, 1e-5
  for i = 1, count do
    if second[i] then expected = expected + dot(second[i], series(second[i]:size(), 2.9)) end
  end
  local function shifted(h)
    local moved = map(input, function(x) return torch.add(x, h, series(x:size(), 2.9)) end)
    module:forward(moved)
    return projection(module:backward(moved, copied(gradOutput)))
  end
  assertClose((shifted(step) - shifted(-step)) / (2 * step), expected, relative(1e-5), 'gradient of the gradient')
end

local function checkRows(case)
  local module, input = moduleOf(case), inputOf(case)
  local output, gradInput, _, gradOutput = run(module, input)
  local function rowOf(x, i) return x:dim() > 1 and x[i] or x:narrow(1, i, 1) end
  for i = 1, input:size(1) do
    assertClose(rowOf(output, i), module:forward(input[i]), 1e-14, 'row ' .. i)
    assertClose(gradInput[i], module:backward(input[i], rowOf(gradOutput, i)), 1e-14, 'gradInput of row ' .. i)
  end
end

-- A strided copy: every second column of a larger tensor.
local function strided(x)
  local sizes = x:size():totable()
  sizes[#sizes + 1] = 2
  local wide = torch.DoubleTensor(torch.LongStorage(sizes)):fill(99)
  local slice = wide:select(#sizes, 1)
  return slice:copy(x)
end

local viewable = { View = true, Squeeze = true, Bottle = true, Maxout = true }

local function checkCopies(case)
  moduleOf(case):requiresGrad():reset()                            -- reset works for parameters on the tape
  local module, input = moduleOf(case), inputOf(case)
  local output, gradInput, gradients, gradOutput = run(module, input)
  local name = case[1]:match '^%w+'
  module:zeroGradParameters()
  assertClose(gradInput, module:backward(input, map(gradOutput, strided)), 1e-12, 'gradInput of strided gradOutput')
  local _, again = parametersOf(module)
  assertClose(gradients, again, 1e-12, 'gradients of strided gradOutput')
  if not viewable[name] then
    local y, gx = run(module, map(input, strided))
    assertClose(output, y, 1e-13, 'output of strided input')
    assertClose(gradInput, gx, 1e-12, 'gradInput of strided input')
  end
  local read = torch.deserialize(torch.serialize(module))
  local y, gx, gp = run(read, input)
  assertClose(output, y, 0, 'output of a module that was saved')
  assertClose(gradInput, gx, 0, 'gradInput of a module that was saved')
  assertClose(gradients, gp, 0, 'gradients of a module that was saved')
  assert.is_true(rawequal(module:clearState(), module))
  assertClose(output, (run(module, input)), 0, 'output after clearState')
  local shared = module:clone('weight', 'bias', 'gradWeight', 'gradBias')
  assertClose(output, (run(shared, input)), 0, 'output of a clone')
  for _, kind in ipairs { 'torch.FloatTensor', 'torch.HalfTensor' } do
    module:type(kind)
    local tolerance = kind == 'torch.HalfTensor' and 0.03 or 1e-5
    local converted = map(input, function(x) return x:type(kind) end)
    local result = module:forward(converted)
    assertClose(output, result, tolerance * math.max(1, math.sqrt(dot(output, output))), kind)
    for _, x in ipairs(nested.flatten(result, {})) do assert.equal(kind, x:type()) end
    local back = module:backward(converted, map(result, function(x) return x:clone():fill(1) end))
    for _, x in ipairs(nested.flatten(back, {})) do assert.equal(kind, x:type()) end
  end
  assert.equal('torch.HalfTensor', module:type())
end

--- Checks a sample of a module.
-- @tparam table case the sample
-- @tparam[opt] {string,number...} figures sizes and projections of PyTorch's results (spec/nn/figures.py)
function sweep.module(case, figures)
  if figures then checkFigures(case, figures) end
  checkDifferences(case)
  checkProtocol(case)
  checkTape(case)
  if case.rows then checkRows(case) end
  checkCopies(case)
end

--- Checks a sample of a criterion.
-- @tparam table case the sample
-- @tparam[opt] {number,number} figures the loss, and a projection of its gradient
function sweep.criterion(case, figures)
  local criterion, input, target = criterionOf(case), inputOf(case), targetOf(case)
  local loss = criterion:forward(input, target)
  assert.equal(loss, criterion.output)
  local gradInput = copied(criterion:backward(input, target))
  if figures then
    assertClose(figures[1], loss, relative(1e-9), 'loss')
    assertClose(figures[2], projection(gradInput), relative(1e-9), 'gradInput')
  end
  local way = like(input, 2.3)
  local function again() return (criterion:forward(input, target)) end
  checkSlope(again, input, way, dot(gradInput, way), 'gradInput by differences')
  assertClose(gradInput, criterion:backward(input, target), 0, 'gradInput again')
  assertClose(gradInput, criterion.gradInput, 0, 'the field gradInput')

  local xs = map(input, function(x) return x:clone():requiresGrad() end)
  local y = criterion(xs, target)
  assertClose(loss, y:item(), relative(1e-14), 'loss on the tape')
  local leaves = nested.flatten(xs, {})
  local found = autograd.grad(y, leaves, { allowUnused = true })
  for i, g in ipairs(nested.flatten(gradInput, {})) do
    assertClose(g, found[i] or g:clone():zero(), 1e-12, 'gradient on the tape')
  end

  local read = criterion:clone()
  assert.equal(loss, (read:forward(input, target)))
  criterion:float()
  local function float(value) return map(value, function(x) return x:type():find 'Double' and x:float() or x end) end
  assertClose(loss, (criterion:forward(float(input), float(target))), relative(1e-5), 'loss in float')
  for _, g in ipairs(nested.flatten(criterion:backward(float(input), float(target)), {})) do
    assert.equal('torch.FloatTensor', g:type())
  end
end

--- Checks all samples of a class that is declared (nn.support.declare).
-- @tparam table class
function sweep.class(class)
  local check = samples.isCriterion(class) and sweep.criterion or sweep.module
  for _, case in ipairs(samples.of(class)) do check(case) end
end

return sweep
