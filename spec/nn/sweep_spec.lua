-- Every module and criterion of declared.lua: values and gradients as PyTorch has them (figures.lua), Torch7's protocol against the tape,
-- gradients of gradients, single samples, memory layouts, types, copies.
local torch = require 'torch'
local nn = require 'nn'
local nested = require 'nn.nested'
local autograd, formula = require 'autograd', require 'autograd.formula'
local layers = require 'spec.support.layers'
local series = layers.series
local declared = require 'spec.nn.declared'
local figures = setmetatable(require 'spec.nn.figures', { __index = require 'spec.nn.windows_figures' })

local unpack, map = unpack, nested.map

local function keyOf(case) return case.of and case[1] .. ' of ' .. case.of or case[1] end

local function make(text) return assert(loadstring('local nn, torch = ...; return ' .. text))(nn, torch) end

-- As given() of figures.py.
local function tensors(sizes, counter)
  if type(sizes[1]) ~= 'number' then
    local list = {}
    for i, part in ipairs(sizes) do list[i] = tensors(part, counter) end
    return list
  end
  local x = layers.input(unpack(sizes)):mul(1 + 0.13 * counter[1]):add(0.07 * counter[1])
  counter[1] = counter[1] + 1
  return x
end

local function like(value, rate) return map(value, function(x) return series(x:size(), rate) end) end

local function dot(a, b)
  local left, right, sum = nested.flatten(a, {}), nested.flatten(b, {}), 0
  for i = 1, #left do sum = sum + torch.sum(torch.cmul(left[i]:detach():double(), right[i]:detach():double())) end
  return sum
end

local function projection(value) return dot(value, like(value, 1.3)) end

local function close(expected, got, what, tolerance)
  local allowed = (tolerance or 1e-9) * math.max(1, math.abs(expected))
  assert(math.abs(expected - got) <= allowed, ('%s: %.12g came, %.12g was expected'):format(what, got, expected))
end

local function copied(value) return map(value, function(x) return x:clone() end) end

local function same(expected, got, tolerance, what)
  local left, right = nested.flatten(expected, {}), nested.flatten(got, {})
  assert(#left == #right, ('%s: %d tensors came, %d were expected'):format(what, #right, #left))
  for i = 1, #left do layers.near(left[i]:detach():double(), right[i]:detach(), tolerance, what) end
end

local function inputOf(case)
  local input = tensors(case[2], { 0 })
  if case.positive then input:abs():add(0.1) end
  return input
end

-- The parameters and gradients of a module, each once: clones share theirs.
local function parametersOf(module)
  local parameters, gradients = module:parameters()
  local own, byOwn, seen = {}, {}, {}
  for i, parameter in ipairs(parameters or {}) do
    local place = torch.pointer(parameter:storage())
    if not seen[place] then own[#own + 1], byOwn[#own + 1] = parameter, gradients[i] end
    seen[place] = true
  end
  return own, byOwn
end

local function moduleOf(case)
  local module = make('nn.' .. case[1]):double()
  for i, parameter in ipairs((parametersOf(module))) do parameter:copy(series(parameter:size(), 1.7 + 0.3 * i)) end
  return module
end

local function describeSizes(value)
  local sizes = {}
  for i, x in ipairs(nested.flatten(value, {})) do sizes[i] = table.concat(x:size():totable(), 'x') end
  return table.concat(sizes, ' ')
end

-- Forward and backward as in Torch7: output, gradInput, gradients by parameters.
local function run(module, input, scale)
  local output = copied(module:forward(input))
  local gradOutput = like(output, 0.7)
  module:zeroGradParameters()
  local gradInput = copied(module:backward(input, gradOutput, scale))
  local _, gradients = parametersOf(module)
  return output, gradInput, copied(gradients), gradOutput
end

local function checkFigures(case)
  local expected = assert(figures[keyOf(case)], 'figures.py does not have it')
  local module, input = moduleOf(case), inputOf(case)
  local output, gradInput, gradients = run(module, input)
  assert.equal(expected[1], describeSizes(output))
  close(expected[2], projection(output), 'output')
  close(expected[3], projection(gradInput), 'gradInput')
  assert.equal(#expected - 3, #gradients)
  for i, gradient in ipairs(gradients) do close(expected[3 + i], projection(gradient), 'gradient of parameter ' .. i) end
end

-- Whether the gradient of a class that is a formula reads the output.
local function readsOutput(class)
  local text = class.declaration and class.declaration.formula
  if type(text) ~= 'string' then return class.declaration ~= nil and class.declaration.keeps ~= nil end
  for _, step in ipairs(formula.compile(text, { 'input' }).backward) do
    for _, source in ipairs(step) do
      if source[1] == 'operand' and source[2] == 0 then return true end
    end
  end
  return class.declaration.keeps ~= nil
end

local function goesByLastForward(module)
  for _, each in ipairs(module:listModules()) do
    if each.once or each.saved or readsOutput(each) then return true end
  end
  return false
end

-- In two calls, with a scale, for other tensors of the same content, after another forward.
local function checkProtocol(case)
  local module, input = moduleOf(case), inputOf(case)
  local _, gradInput, gradients, gradOutput = run(module, input)
  local other = map(inputOf(case), function(x) return x:mul(1.5) end)
  module:forward(other)
  module:zeroGradParameters()
  -- Not of containers that take their children's outputs, nor of modules whose forward changes or draws something, or which go back by what
  -- their last forward left.
  if not goesByLastForward(module) and not torch.isTypeOf(module, 'nn.Sequential') and not case[1]:find 'Sequential' then
    same(gradInput, module:updateGradInput(inputOf(case), copied(gradOutput)), 1e-12, 'updateGradInput')
  end
  module:forward(input)
  module:accGradParameters(input, copied(gradOutput), 0.5)
  module:accGradParameters(input, copied(gradOutput), 0.5)
  local parameters, twice = parametersOf(module)
  for i, gradient in ipairs(twice) do same(gradients[i], gradient, 1e-12, 'gradient ' .. i .. ' in two halves') end
  for i, parameter in ipairs(parameters) do gradients[i] = torch.csub(parameter, gradients[i]) end
  module:accUpdateGradParameters(input, copied(gradOutput), 1)
  for i, parameter in ipairs(parameters) do same(gradients[i], parameter, 1e-12, 'parameter ' .. i .. ' updated at once') end
end

-- The caller's tape: the same output and gradients, and the gradient's own derivative against differences of gradInput.
local function checkTape(case)
  local module, input = moduleOf(case), inputOf(case)
  local output, gradInput, gradients, gradOutput = run(module, input)
  local xs = map(input, function(x) return x:clone():requiresGrad() end)
  module:requiresGrad()
  local y = module(case[1]:find 'true' and map(xs, function(x) return torch.mul(x, 1) end) or xs)
  same(output, y, 1e-14, 'output on the tape')
  local leaves, count = nested.flatten(xs, {}), #nested.flatten(xs, {})
  for _, parameter in ipairs((parametersOf(module))) do leaves[#leaves + 1] = parameter end
  local found = autograd.grad(nested.flatten(y, {}), leaves,
    { gradOutputs = nested.flatten(gradOutput, {}), createGraph = true, allowUnused = true })
  local list, inputs = nested.flatten(gradInput, {}), {}
  for i = 1, count do inputs[i] = found[i] or list[i]:clone():zero() end
  same(list, inputs, 1e-12, 'gradient by the input on the tape')
  for i, gradient in ipairs(gradients) do same(gradient, found[count + i], 1e-12, 'gradient of parameter on the tape') end
  module:requiresGrad(false)
  local slope
  for i = 1, count do
    if found[i] and found[i]:isTracked() then
      local part = torch.sum(torch.cmul(found[i], series(found[i]:size(), 1.3)))
      slope = slope and slope + part or part
    end
  end
  if not slope then return end
  local second = autograd.grad(slope, nested.flatten(xs, {}), { allowUnused = true })
  local expected, step = 0, 1e-5
  for i = 1, count do
    if second[i] then expected = expected + dot(second[i], series(second[i]:size(), 2.9)) end
  end
  local function shifted(h)
    local moved = map(input, function(x) return torch.add(x, h, series(x:size(), 2.9)) end)
    module:forward(moved)
    return projection(module:backward(moved, copied(gradOutput)))
  end
  close((shifted(step) - shifted(-step)) / (2 * step), expected, 'gradient of the gradient', 1e-5)
end

local function checkRows(case)
  local module, input = moduleOf(case), inputOf(case)
  local output, gradInput, _, gradOutput = run(module, input)
  local function rowOf(x, i) return x:dim() > 1 and x[i] or x:narrow(1, i, 1) end
  for i = 1, input:size(1) do
    layers.near(rowOf(output, i), module:forward(input[i]), 1e-14, 'row ' .. i)
    layers.near(gradInput[i], module:backward(input[i], rowOf(gradOutput, i)), 1e-14, 'gradInput of row ' .. i)
  end
end

-- The same elements in other memory: strided, as every second column of a larger tensor.
local function strided(x)
  local sizes = x:size():totable()
  sizes[#sizes + 1] = 2
  local wide = torch.DoubleTensor(torch.LongStorage(sizes)):fill(99)
  local slice = wide:select(#sizes, 1)
  return slice:copy(x)
end

local viewable = { View = true, Squeeze = true, Bottle = true, Maxout = true }

local function checkCopies(case)
  moduleOf(case):requiresGrad():reset()                            -- parameters on the tape can be drawn again
  local module, input = moduleOf(case), inputOf(case)
  local output, gradInput, gradients, gradOutput = run(module, input)
  local name = case[1]:match '^%w+'
  module:zeroGradParameters()
  same(gradInput, module:backward(input, map(gradOutput, strided)), 1e-12, 'gradInput of strided gradOutput')
  local _, again = parametersOf(module)
  same(gradients, again, 1e-12, 'gradients of strided gradOutput')
  if not viewable[name] then
    local y, gx = run(module, map(input, strided))
    same(output, y, 1e-13, 'output of strided input')
    same(gradInput, gx, 1e-12, 'gradInput of strided input')
  end
  local read = torch.deserialize(torch.serialize(module))
  local y, gx, gp = run(read, input)
  same(output, y, 0, 'output of a module that was saved')
  same(gradInput, gx, 0, 'gradInput of a module that was saved')
  same(gradients, gp, 0, 'gradients of a module that was saved')
  assert.is_true(rawequal(module:clearState(), module))
  same(output, (run(module, input)), 0, 'output after clearState')
  local shared = module:clone('weight', 'bias', 'gradWeight', 'gradBias')
  same(output, (run(shared, input)), 0, 'output of a clone')
  for _, kind in ipairs { 'torch.FloatTensor', 'torch.HalfTensor' } do
    module:type(kind)
    local tolerance = kind == 'torch.HalfTensor' and 0.03 or 1e-5
    local converted = map(input, function(x) return x:type(kind) end)
    local result = module:forward(converted)
    same(output, result, tolerance * math.max(1, math.sqrt(dot(output, output))), kind)
    for _, x in ipairs(nested.flatten(result, {})) do assert.equal(kind, x:type()) end
    local back = module:backward(converted, map(result, function(x) return x:clone():fill(1) end))
    for _, x in ipairs(nested.flatten(back, {})) do assert.equal(kind, x:type()) end
  end
  assert.equal('torch.HalfTensor', module:type())
end

local function sweep(modules)
  for _, case in ipairs(modules) do
    it(keyOf(case), function()
      checkFigures(case)
      checkProtocol(case)
      checkTape(case)
      if case.rows then checkRows(case) end
      checkCopies(case)
    end)
  end
end

describe('The module', function() sweep(declared.modules) end)
describe('The module with windows', function() sweep(require 'spec.nn.windows') end)

local function targetOf(case)
  if type(case[3]) == 'string' then return make(case[3]) end
  if type(case[3]) == 'number' then return case[3] end
  return tensors(case[3], { 5 })
end

describe('The criterion', function()
  for _, case in ipairs(declared.criteria) do
    it(keyOf(case), function()
      local expected = assert(figures[keyOf(case)], 'figures.py does not have it')
      local criterion, input, target = make('nn.' .. case[1]):double(), inputOf(case), targetOf(case)
      if case.unit then input:sigmoid() end
      local loss = criterion:forward(input, target)
      close(expected[1], loss, 'loss')
      assert.equal(loss, criterion.output)
      local gradInput = copied(criterion:backward(input, target))
      close(expected[2], projection(gradInput), 'gradInput')
      same(gradInput, criterion.gradInput, 0, 'the field gradInput')

      local xs = map(input, function(x) return x:clone():requiresGrad() end)
      local y = criterion(xs, target)
      close(loss, y:item(), 'loss on the tape', 1e-14)
      local leaves = nested.flatten(xs, {})
      local found = autograd.grad(y, leaves, { allowUnused = true })
      for i, g in ipairs(nested.flatten(gradInput, {})) do
        same(g, found[i] or g:clone():zero(), 1e-12, 'gradient on the tape')
      end

      local read = criterion:clone()
      assert.equal(loss, (read:forward(input, target)))
      criterion:float()
      local function float(value) return map(value, function(x) return x:type():find 'Double' and x:float() or x end) end
      close(loss, (criterion:forward(float(input), float(target))), 'loss in float', 1e-5)
      for _, g in ipairs(nested.flatten(criterion:backward(float(input), float(target)), {})) do
        assert.equal('torch.FloatTensor', g:type())
      end
    end)
  end
end)
