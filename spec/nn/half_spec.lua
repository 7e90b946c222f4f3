-- Modules and criteria in float16 and bfloat16 against float32: for the same numbers they return float32's results, rounded once; with
-- elements of magnitude 1, of magnitude 300, and with 200,000 elements.
local torch = require 'torch'
local nn, nested = require 'nn', require 'nn.nested'
local samples = require 'spec.support.nn_samples'
local declared = require 'spec.nn.declared'

local map = nested.map
local types = { { 'torch.HalfTensor', 2 ^ -10 }, { 'torch.BFloat16Tensor', 2 ^ -7 } }

local function isFloat(x) return x:isFloatingPoint() end
local function to(value, kind) return map(value, function(x) return isFloat(x) and x:type(kind) or x end) end
-- Numbers that the type has, in float32.
local function exact(value, kind) return to(to(value, kind), 'torch.FloatTensor') end

-- The first difference of more than an epsilon of the element, and of a small share of the largest element, as text, or nil.
-- (A gradient may go by an output that was rounded.)
local function differ(expected, found, epsilon)
  local left, right = nested.flatten(expected, {}), nested.flatten(found, {})
  if #left ~= #right then return ('%d tensors, expected %d'):format(#right, #left) end
  for i, x in ipairs(left) do
    local y = right[i]:double():view(-1)
    x = x:double():contiguous():view(-1)
    if x:nElement() ~= y:nElement() then return 'other sizes' end
    if x:nElement() > 0 then
      local fits = torch.le(torch.abs(x), 65000)                   -- of NaN it is false
      x, y = torch.where(fits, x, 0), torch.where(fits, y, 0)
      local allowed = torch.add(torch.mul(torch.abs(x), epsilon), epsilon * torch.max(torch.abs(x)) + 1e-7)
      local excess = torch.csub(torch.abs(torch.csub(x, y)), allowed)
      local worst, at = torch.max(excess, 1)
      local near = worst[1] <= 0                                   -- of NaN it is false
      if not near or torch.any(torch.ne(y, y)) then
        at = at[1]
        return ('tensor %d, element %d: %g, expected %g'):format(i, at, y[at], x[at])
      end
    end
  end
end

local function copied(value) return map(value, function(x) return x:clone() end) end

-- Output, gradient by the input, and gradients of parameters.
local function ofModule(module, input, kind)
  torch.manualSeed(7)
  local output = copied(module:forward(input))
  local gradOutput = map(output, function(x) return samples.like(x, 0.7):type(kind):type(x:type()) end)
  module:zeroGradParameters()
  local gradInput = copied(module:backward(input, gradOutput))
  local _, gradients = samples.parametersOf(module)
  return { output, gradInput, copied(gradients) }
end

local function ofCriterion(criterion, input, target)
  return { torch.DoubleTensor { (criterion:forward(input, target)) }, copied(criterion:backward(input, target)) }
end

local parts = { 'output', 'gradInput', 'gradients of parameters' }

local function compare(expected, found, epsilon, what)
  for i, part in ipairs(parts) do
    local message = expected[i] and differ(expected[i], found[i], epsilon)
    if message then error(('%s: %s: %s'):format(what, part, message), 0) end
  end
end

-- The same rows, many times.
local function repeated(value, count)
  return map(value, function(x)
    local times = { count }
    for d = 2, x:dim() do times[d] = 1 end
    return torch.repeatTensor(x, torch.LongStorage(times))
  end)
end

local function scaled(input, sample, factor)
  if sample.unit or factor == 1 then return input end
  return map(input, function(x) return isFloat(x) and torch.mul(x, factor) or x end)
end

-- Whether a sample is the first one of its class: only these are tested with many elements.
local met = {}
local function isFirst(sample)
  local name = sample[1]:match '^%w+'
  local first = not met[name]
  met[name] = true
  return first
end

local function firstOf(input) return nested.flatten(input, {})[1] end

local function checkModule(sample)
  local plain = samples.inputOf(sample)
  for _, each in ipairs(types) do
    local kind, epsilon = each[1], each[2]
    local situations = { { 'magnitude 1', plain }, { 'magnitude 300', scaled(plain, sample, 300) } }
    if sample.rows and kind == 'torch.HalfTensor' and isFirst(sample) then
      local x = firstOf(plain)
      local count = math.ceil(200000 / x:nElement())
      situations[3] = { '200,000 elements', repeated(plain, count) }
    end
    for _, situation in ipairs(situations) do
      local input = to(situation[2], kind)
      local narrow = samples.moduleOf(sample):type(kind)
      local float = narrow:clone():float()
      compare(ofModule(float, exact(situation[2], kind), kind), ofModule(narrow, input, kind), epsilon, kind .. ', ' .. situation[1])
    end
  end
end

local function checkCriterion(sample)
  local plain, target = samples.inputOf(sample), samples.targetOf(sample)
  for _, each in ipairs(types) do
    local kind, epsilon = each[1], each[2]
    local situations = { { 'magnitude 1', plain, target }, { 'magnitude 300', scaled(plain, sample, 300), target } }
    local isHalf = kind == 'torch.HalfTensor'
    local first, second = firstOf(plain), torch.isTensor(target) and target or nil
    if isHalf and second and second:size(1) == first:size(1) and first:dim() > 1 and not sample[1]:find 'Tensor {' then
      local count = math.ceil(200000 / first:nElement())
      situations[3] = { '200,000 elements', repeated(plain, count), repeated(target, count) }
      if isFloat(target) and not sample.unit and sample[3] ~= nil and type(sample[3]) == 'table' then
        situations[4] = { 'both of magnitude 300', scaled(plain, sample, 300), scaled(target, sample, -300) }
      end
    end
    for _, situation in ipairs(situations) do
      local narrow = samples.criterionOf(sample):type(kind)
      local float = narrow:clone():float()
      local expected = ofCriterion(float, exact(situation[2], kind), exact(situation[3], kind))
      local found = ofCriterion(narrow, to(situation[2], kind), to(situation[3], kind))
      compare(expected, found, epsilon, kind .. ', ' .. situation[1])
    end
  end
end

-- Containers are their children's, each of which rounds.
local function isContainer(case)
  if case[1]:find '^ModuleCriterion' then return true end
  return not samples.isCriterion(nn[case[1]:match '^%w+']) and torch.isTypeOf(samples.moduleOf(case), 'nn.Container')
    and not samples.moduleOf(case).widens
end

local function go(cases, check)
  for _, case in ipairs(cases) do
    if not isContainer(case) then it(samples.nameOf(case), function() check(case) end) end
  end
end

describe('In 16 bits the module', function() go(declared.modules, checkModule) end)
describe('In 16 bits the module with windows', function() go(require 'spec.nn.windows', checkModule) end)
describe('In 16 bits the criterion', function() go(declared.criteria, checkCriterion) end)
