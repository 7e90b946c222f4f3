-- Every module and criterion on an emulated GPU, against its own values on the CPU: by Torch7's protocol, and modules on the tape.
if not require 'spec.support.with_cuda' then return end
local torch = require 'torch'
local nested = require 'nn.nested'
local samples = require 'spec.support.nn_samples'
local declared = require 'spec.nn.declared'
local assertClose = require('spec.support.close').assertClose

-- Modules with random numbers: a GPU has a separate generator, with other numbers.
local draws = { 'Dropout', 'RReLU', 'Fractional', 'Noise', 'Whitened', 'Sampler' }

local function drawing(sample)
  for _, word in ipairs(draws) do
    if sample[1]:find(word) then return true end
  end
  return false
end

local function on(device, value)
  return nested.map(value, function(x) return torch.isTensor(x) and x:to(device) or x end)
end

-- Fails unless results are on the GPU, and close to those of the CPU.
local function assertOnGpu(expected, got, what)
  for _, x in ipairs(nested.flatten(got, {})) do
    if torch.isTensor(x) then assert.equal('cuda:1', x:device(), what) end
  end
  assertClose(expected, got, { rtol = 1e-9, atol = 1e-9, ofLargest = 1e-9 }, what)
end

local function passes(sample, device)
  local module, input = samples.moduleOf(sample):to(device), on(device, samples.inputOf(sample))
  module:zeroGradParameters()
  local output = module:forward(input)
  local gradInput = module:backward(input, on(device, samples.like(on('cpu', output), 0.7)))
  return output, gradInput or {}, select(2, module:parameters()) or {}
end

local function onTape(sample, device)
  local module, input = samples.moduleOf(sample):to(device), on(device, samples.inputOf(sample))
  local leaves = nested.map(input, function(x) return x:isFloatingPoint() and x:requiresGrad() or x end)
  module:requiresGrad()
  local output = module(leaves)
  local total
  for _, y in ipairs(nested.flatten(output, {})) do
    if y:isTracked() then
      local sum = torch.sum(torch.cmul(y, y))
      total = total and torch.add(total, sum) or sum
    end
  end
  if total then total:backward() end
  local found = {}
  for _, x in ipairs(nested.flatten(leaves, {})) do found[#found + 1] = x.grad end
  for _, x in ipairs((samples.parametersOf(module))) do found[#found + 1] = x.grad end
  return nested.map(output, function(y) return y:detach() end), found
end

local function all(...)
  local list = {}
  for _, part in ipairs { ... } do
    for _, sample in ipairs(part) do
      if not drawing(sample) then list[#list + 1] = sample end
    end
  end
  return list
end

describe('On an emulated GPU the module', function()
  for _, sample in ipairs(all(declared.modules, require 'spec.nn.windows')) do
    local name = samples.nameOf(sample)
    it(name .. ' gives by Torch7’s protocol what it gives on the CPU', function()
      local output, gradInput, gradients = passes(sample, 'cpu')
      local o, gi, gs = passes(sample, 'cuda:1')
      assertOnGpu(output, o, 'output')
      assertOnGpu(gradInput, gi, 'gradInput')
      assertOnGpu(gradients, gs, 'gradients')
    end)
    it(name .. ' gives on the tape what it gives on the CPU', function()
      local output, gradients = onTape(sample, 'cpu')
      local o, gs = onTape(sample, 'cuda:1')
      assertOnGpu(output, o, 'output')
      assertOnGpu(gradients, gs, 'gradients')
    end)
  end
end)

describe('On an emulated GPU the criterion', function()
  for _, sample in ipairs(declared.criteria) do
    it(samples.nameOf(sample) .. ' gives what it gives on the CPU', function()
      local function run(device)
        local criterion = samples.criterionOf(sample):to(device)
        local input, target = on(device, samples.inputOf(sample)), on(device, samples.targetOf(sample))
        return criterion:forward(input, target), criterion:backward(input, target)
      end
      local loss, gradient = run 'cpu'
      local l, g = run 'cuda:1'
      assert.near(loss, l, 1e-9 * math.max(1, math.abs(loss)))
      assertOnGpu(gradient, g, 'gradInput')
    end)
  end
end)

