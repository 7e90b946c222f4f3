--- nn.Jacobian for modules whose input is a list of positions and values, (n, 2): derivatives are only by the values, column 2.
-- @module nn.SparseJacobian
local torch, C = require 'torch', require 'libmoontorch'
local nn = require 'nn'
local Jacobian = nn.Jacobian

local SparseJacobian = {}

local function randomize(x, min, max)
  min, max = min or -2, max or 2
  x:copy(torch.rand(x:nElement()):mul(max - min):add(min))
end

local function difference(a, b) return torch.csub(a, b):abs():max() end

-- Returns a Jacobian's rows for values whose gradients are dense: one for each position that occurs.
local function valuesOf(gradInput) return gradInput:select(2, 2) end

--- Like nn.Jacobian.backward.
-- @tparam nn.Module module
-- @tparam torch.Tensor input (n, 2): positions and values
-- @tparam[opt] torch.Tensor param a parameter to derive by
-- @tparam[opt] torch.Tensor dparam its gradient
-- @treturn torch.Tensor
function SparseJacobian.backward(module, input, param, dparam)
  if param then return Jacobian.backward(module, input, param, dparam) end
  local positions = input:select(2, 1):_as 'Long'
  return Jacobian.columns(module, input, input:size(1), function(gradOutput)
    module:zeroGradParameters()
    local gradInput = module:updateGradInput(input, gradOutput)
    module:accGradParameters(input, gradOutput)
    if type(gradInput) == 'table' then gradInput = gradInput[1] end
    local values = valuesOf(gradInput)
    return values:nElement() == input:size(1) and values or values:index(1, positions)
  end)
end

SparseJacobian.backwardUpdate = Jacobian.backwardUpdate

--- Like nn.Jacobian.forward.
-- @tparam nn.Module module
-- @tparam torch.Tensor input (n, 2): positions and values
-- @tparam[opt] torch.Tensor param a parameter to derive by
-- @tparam[opt=1e-6] number perturbation
-- @treturn torch.Tensor
function SparseJacobian.forward(module, input, param, perturbation)
  if param and not rawequal(param, input) then return Jacobian.forward(module, input, param, perturbation) end
  perturbation = perturbation or 1e-6
  local jacobian = input.new(input:size(1), module:forward(input):nElement())
  for i = 1, input:size(1) do
    local kept = input[i][2]
    input[i][2] = kept - perturbation
    local below = module:forward(input):clone()
    input[i][2] = kept + perturbation
    jacobian:select(1, i):copy(torch.csub(module:forward(input), below):div(2 * perturbation))
    input[i][2] = kept
  end
  return jacobian
end

SparseJacobian.forwardUpdate = SparseJacobian.forward

--- Returns the largest difference between `backward` and `forward` for the values, which are filled with random numbers.
-- @tparam nn.Module module
-- @tparam torch.Tensor input (n, 2): positions and values
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @tparam[opt=1e-6] number perturbation
-- @treturn number
function SparseJacobian.testJacobian(module, input, min, max, perturbation)
  randomize(input:select(2, 2), min, max)
  local byDifferences = SparseJacobian.forward(module, input, nil, perturbation)
  return difference(byDifferences, SparseJacobian.backward(module, input))
end

--- Does the same for a parameter.
-- @tparam nn.Module module
-- @tparam torch.Tensor input filled with random numbers
-- @tparam torch.Tensor param
-- @tparam torch.Tensor dparam its gradient
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @tparam[opt=1e-6] number perturbation
-- @treturn number
function SparseJacobian.testJacobianParameters(module, input, param, dparam, min, max, perturbation)
  randomize(input:select(2, 2), min, max)
  randomize(param, min, max)
  local backward = SparseJacobian.backward(module, input, param, dparam)
  return difference(SparseJacobian.forward(module, input, param, perturbation), backward)
end

--- Does the same for accUpdateGradParameters.
-- @tparam nn.Module module
-- @tparam torch.Tensor input filled with random numbers
-- @tparam torch.Tensor param
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @tparam[opt=1e-6] number perturbation
-- @treturn number
function SparseJacobian.testJacobianUpdateParameters(module, input, param, min, max, perturbation)
  randomize(input:select(2, 2), min, max)
  randomize(param, min, max)
  local backward = SparseJacobian.backwardUpdate(module, input, param)
  return difference(SparseJacobian.forwardUpdate(module, input, param, perturbation), backward)
end

--- Like nn.Jacobian.testIO.
-- @tparam nn.Module module
-- @tparam torch.Tensor input (n, 2): positions and values
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @treturn number largest difference of outputs
-- @treturn number largest difference of gradients by the input
function SparseJacobian.testIO(module, input, min, max)
  randomize(input:select(2, 2), min, max)
  local output = module:forward(input):clone()
  local name = C.temporaryName()
  torch.save(name, module)
  assert(module:clearState() == module, 'clearState did not return self')
  local read = torch.load(name)
  os.remove(name)
  module:forward(input)
  local gradOutput = torch.rand(output:size()):typeAs(output)
  local function gradient(one)
    one:zeroGradParameters()
    local values = one:updateGradInput(input, gradOutput)
    return type(values) == 'table' and values[1] or values
  end
  local forwardError = difference(output, read:forward(input))
  local mine, its = gradient(module), gradient(read)
  return forwardError, mine and mine:nElement() > 0 and difference(mine, its) or 0
end

SparseJacobian.testAllUpdate = Jacobian.testAllUpdate

nn.SparseJacobian = SparseJacobian
return SparseJacobian
