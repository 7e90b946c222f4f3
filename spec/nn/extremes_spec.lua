-- Gradients of modules and criteria are finite wherever outputs are, for inputs however large, small, alike or zero: in float32 they are
-- those in float64 of the same numbers.
local torch = require 'torch'
local nested = require 'nn.nested'
local samples, extremes = require 'spec.support.nn_samples', require 'autograd.sweep.situations'
local series = require('spec.support.layers').series
local declared = require 'spec.nn.declared'

local map, flatten = nested.map, nested.flatten
local double, float = 'torch.DoubleTensor', 'torch.FloatTensor'

-- Case -> situation -> why it need not be so.
local vanishes = 'its powers vanish in float32, and so does its value, as in Torch7'
local cancels = 'it is the small difference of two terms, of which each is rounded'
local excepted = {
  ['Power(0.5)'] = { zero = 'the slope of a root at 0 is infinite', ['one zero'] = 'as at zeros' },
  ['TanhShrink()'] = { ['times 1e-4'] = cancels },
  ['Tanhshrink()'] = { ['times 1e-4'] = cancels },
  ['Normalize(3)'] = { large = 'its powers are infinite in float32, and its value 0, as in Torch7' },
  ['SpatialLPPooling(2, 2, 2, 3, 1, 2)'] = { small = vanishes },
  ['SpatialLPPooling(2, 3, 2, 2)'] = { small = vanishes, zero = 'a root of zeros, as in Torch7: its slope is infinite' },
  ['FeatureLPPooling(3, 2, 2)'] = { small = vanishes },
  ['FeatureLPPooling(2, 1, 3, true)'] = { small = vanishes },
  ['LPPool1d(2, 2)'] = { small = vanishes }, ['LPPool1d(3, 3, 2, { ceilMode = true })'] = { small = vanishes },
  ['LPPool2d(2, 2)'] = { small = vanishes }, ['LPPool2d(3, 3, 2, { ceilMode = true })'] = { small = vanishes },
  ['LPPool3d(2, 2)'] = { small = vanishes }, ['LPPool3d(3, 3, 2, { ceilMode = true })'] = { small = vanishes },
  ['SpatialCrossMapLRN(3, 0.5, 0.7, 2)'] = { large = cancels },
  ['SpatialCrossMapLRN(5)'] = { large = cancels },
  ['CrossMapLRN2d(3, 0.5)'] = { large = cancels },
  ['LocalResponseNorm(3, 0.5, 0.7, 2)'] = { large = cancels }, ['LocalResponseNorm(4, 0.3)'] = { large = cancels },
  ['CosineEmbeddingLoss(0.1)'] = { large = cancels },
}

local function converted(value, from, to) return map(value, function(x) return x:type() == from and x:type(to) or x end) end

local function isFinite(value)
  for _, x in ipairs(flatten(value, {})) do
    if x:isFloatingPoint() and not torch.all(torch.isfinite(x)) then return false end
  end
  return true
end

-- The gradients of a finite output by the input and the parameters; nil if there are none.
local function ofModule(case, kind, input)
  local module = samples.moduleOf(case):float():type(kind)
  local done, output = pcall(module.forward, module, input)
  if not done or not isFinite(output) then return nil end
  local gradOutput = map(output, function(x) return series(x:size(), 0.7):type(kind) end)
  module:zeroGradParameters()
  local found, gradInput = pcall(module.backward, module, input, gradOutput)
  if not found then return nil end
  local list, _, gradients = flatten(gradInput, {}), samples.parametersOf(module)
  for _, gradient in ipairs(gradients) do list[#list + 1] = gradient end
  return list
end

local function ofCriterion(case, kind, input)
  local criterion, target = samples.criterionOf(case):type(kind), samples.targetOf(case)
  if type(target) ~= 'number' then target = converted(converted(target, double, float), float, kind) end
  local done, loss = pcall(criterion.forward, criterion, input, target)
  if not done or loss ~= loss or math.abs(loss) == math.huge then return nil end
  local found, gradInput = pcall(criterion.backward, criterion, input, target)
  return found and flatten(gradInput, {}) or nil
end

local function vector(x) return torch.view(torch.contiguous(x), -1):double() end

-- The error in a situation, or nil.
local function complaint(case, situation, gradients)
  local function changed(kind, change) return map(converted(samples.inputOf(case), double, kind), function(x) return change(x) end) end
  for i, g in ipairs(gradients(case, double, changed(double, situation[2])) or {}) do
    if not isFinite(g) then return ('in float64 gradient %d is not finite'):format(i) end
  end
  local input = changed(float, situation[3] or situation[2])
  local narrow = gradients(case, float, input)
  local wide = narrow and gradients(case, double, converted(input, float, double)) or {}
  for i, g in ipairs(wide) do
    local message = g:isFloatingPoint() and extremes.differ(vector(narrow[i]), vector(g), situation.near)
    if message then return ('gradient %d: %s'):format(i, message) end
  end
end

local function sweep(list, gradients)
  for _, case in ipairs(list) do
    local key = samples.nameOf(case)
    it(key, function()
      local wrong = {}
      for _, situation in ipairs(extremes.situations) do
        local message, reason = complaint(case, situation, gradients), (excepted[key] or {})[situation[1]]
        if reason and not message then wrong[#wrong + 1] = situation[1] .. ': it is excepted, and need not be' end
        if message and not reason then wrong[#wrong + 1] = situation[1] .. ': ' .. message end
      end
      if #wrong > 0 then error(table.concat(wrong, '\n'), 0) end
    end)
  end
end

describe('The gradient is finite of the module', function()
  sweep(declared.modules, ofModule)
  sweep(require 'spec.nn.windows', ofModule)
end)
describe('The gradient is finite of the criterion', function() sweep(declared.criteria, ofCriterion) end)
