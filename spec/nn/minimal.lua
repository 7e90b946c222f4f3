-- Compares another build with this one: all samples of nn's declarations forward, in float64 and float32, in both. build/release/bin/th
-- spec/nn/minimal.lua build/minimal/bin/th
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local nested, samples = require 'nn.nested', require 'spec.support.nn_samples'

-- Converts float tensors to this type; indices are unchanged.
local function converted(values, kind)
  return nested.map(values, function(x) return torch.isTensor(x) and x:isFloatingPoint() and x:type(kind) or x end)
end

local function output(sample, kind)
  torch.manualSeed(1)
  local input = converted(samples.inputOf(sample), kind)
  if samples.isCriterion(sample.class) then
    return samples.criterionOf(sample):type(kind):forward(input, converted(samples.targetOf(sample), kind))
  end
  local module = samples.moduleOf(sample):type(kind)
  module:evaluate()
  return module:forward(input)
end

-- The results of all samples: lists of tensors, by name and type.
local function outputs()
  local all = {}
  for _, class in ipairs(samples.classes()) do
    for i, sample in ipairs(samples.of(class)) do
      for _, kind in ipairs { 'torch.DoubleTensor', 'torch.FloatTensor' } do
        local result = output(sample, kind)
        local list = {}
        nested.map(type(result) == 'number' and torch.DoubleTensor { result } or result, function(x) list[#list + 1] = x:clone() end)
        all[('%s %d %s'):format(samples.nameOf(sample), i, kind)] = list
      end
    end
  end
  return all
end

if arg[1] == '--write' then return torch.save(arg[2], outputs()) end

local file = os.tmpname()
assert(os.execute(("'%s' spec/nn/minimal.lua --write %s"):format(arg[1], file)) == 0, 'the other build failed')
local ours, theirs = outputs(), torch.load(file)
os.remove(file)

local allowed = { Double = 1e-13, Float = 1e-5 }
local worst, total, exact, different = { Double = 0, Float = 0 }, 0, 0, 0

-- The largest difference relative to the largest element; 0 for the same bits, NaN and infinities included.
local function distance(x, y)
  if not x:isSameSizeAs(y) then return math.huge end
  local a, b = x:double(), y:double()
  if torch.equal(a, b) or torch.all(torch.add(a:eq(b), a:ne(a):cmul(b:ne(b))):gt(0)) then return 0 end
  return (a - b):abs():max() / math.max(1, a:abs():max())
end

for name, mine in pairs(ours) do
  local kind, other, largest = name:match 'torch%.(%a+)Tensor$', theirs[name], 0
  for i, x in ipairs(mine) do largest = math.max(largest, distance(x, other[i])) end
  total, exact = total + 1, exact + (largest == 0 and 1 or 0)
  worst[kind] = math.max(worst[kind], largest)
  if not (largest <= allowed[kind] and #mine == #other and #mine > 0) then
    different = different + 1
    print(('%s: %g'):format(name, largest))
  end
end
print(('%d forward passes, %d to the last bit; largest difference %.1e in float64, %.1e in float32; %d differ by more than rounding')
  :format(total, exact, worst.Double, worst.Float, different))
os.exit(different == 0 and 0 or 1, true)
