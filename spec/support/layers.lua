--- Checks of nn modules: values within a tolerance, gradients against differences, Torch7's protocol against the tape.
local torch = require 'torch'
local assertClose = require('spec.support.close').assertClose

local layers = {}

-- Central differences in float64 at this step have errors of about 1e-9 for functions with moderate third derivatives.
local step, tolerance = 1e-5, 1e-6

--- A DoubleTensor of sin(i rate + 1/2), where i numbers the elements: weights such that all elements matter to gradients.
-- @tparam torch.LongStorage size
-- @tparam number rate
function layers.series(size, rate)
  local x, i = torch.DoubleTensor(size), 0
  return x:apply(function()
    i = i + 1
    return math.sin(i * rate + 0.5)
  end)
end

--- A tensor of integers between -largest and largest: their sums are exact in every dtype.
function layers.integers(largest, dtype, ...)
  local x = torch.DoubleTensor(...)
  local p = x:data()
  for i = 1, x:nElement() do p[i - 1] = (i * i * 7 + 3 * i) % 23 % (2 * largest + 1) - largest end
  return x:type(dtype)
end

--- A DoubleTensor of numbers that are neither near 0 nor near each other.
function layers.input(...)
  local x = torch.DoubleTensor(...)
  local n = x:nElement()
  local p = x:data()
  for i = 0, n - 1 do p[i] = ((i * 7919) % n - n / 2 + 0.3) * 3 / n end
  return x
end

-- The change of f() when each element of x moves by `step`, divided by it.
local function differences(f, x)
  local slopes = x:clone():zero()
  local p, s = x:data(), slopes:data()
  for i = 0, x:nElement() - 1 do
    local kept = p[i]
    p[i] = kept + step
    local above = f()
    p[i] = kept - step
    local below = f()
    p[i] = kept
    s[i] = (above - below) / (2 * step)
  end
  return slopes
end

--- Fails unless the module's gradients by Torch7's protocol agree with differences. Use `make` for modules with random outputs.
-- @tparam nn.Module module of type double
-- @tparam torch.DoubleTensor input
-- @tparam[opt] function before called before each forward
function layers.checkGradients(module, input, before)
  before = before or function() end
  before()
  local weights = layers.input(module:forward(input):size())
  local function loss()
    before()
    return torch.sum(torch.cmul(module:forward(input), weights))
  end
  module:zeroGradParameters()
  loss()
  local gradInput = module:backward(input, weights):clone()
  local parameters, gradients = module:parameters()
  for i, gradient in ipairs(gradients or {}) do gradients[i] = gradient:clone() end
  assertClose(differences(loss, input), gradInput, tolerance, 'gradInput')
  for i, parameter in ipairs(parameters or {}) do
    assertClose(differences(loss, parameter), gradients[i], tolerance, 'gradient of parameter ' .. i)
  end
end

--- Fails unless Torch7's protocol and the tape compute the same output and gradients, bit by bit.
function layers.checkBothWorlds(module, input, before)
  before = before or function() end
  before()
  local output = module:forward(input):clone()
  local gradOutput = layers.input(output:size()):typeAs(output)
  module:zeroGradParameters()
  local gradInput = module:backward(input, gradOutput):clone()
  local parameters, gradients = module:parameters()

  before()
  local x = input:clone():requiresGrad()
  module:requiresGrad()
  local y = module(x)
  assert(y:isTracked(), 'the output on the tape is not tracked')
  assertClose(output, y:detach(), 0, 'output on the tape')
  y:backward(gradOutput)
  assertClose(gradInput, x.grad, 0, 'gradient by the input on the tape')
  for i, parameter in ipairs(parameters or {}) do
    assertClose(gradients[i], parameter.grad, 0, 'gradient on the tape of parameter ' .. i)
  end
  module:requiresGrad(false)
end

--- Fails unless a criterion's gradient agrees with differences, and the tape computes the same loss and gradient.
function layers.checkCriterion(criterion, input, target)
  local loss = criterion:forward(input, target)
  local gradInput = criterion:backward(input, target):clone()
  assertClose(differences(function() return (criterion:forward(input, target)) end, input), gradInput, tolerance, 'gradInput')
  local x = input:clone():requiresGrad()
  local y = criterion(x, target)
  assert(y:isTracked() and y:nElement() == 1, 'the loss on the tape is not a tracked tensor of one element')
  assert(y:item() == loss, ('the loss on the tape is %.17g, expected %.17g'):format(y:item(), loss))
  y:backward()
  assertClose(gradInput, x.grad, 0, 'gradient on the tape')
end

return layers
