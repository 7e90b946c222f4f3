--- Compares the derivatives of modules with differences; input and parameters must be contiguous.
-- Jacobians have a row for each element of the input or parameter, and a column for each element of the output; they are of the default
-- type.
-- @module nn.Jacobian
local torch, C = require 'torch', require 'libmoontorch'
local nn = require 'nn'
local nested = require 'nn.nested'

local Jacobian = {}

local function elements(x) return x:view(x:nElement()) end

--- Fills x with uniform numbers.
-- @tparam torch.Tensor x
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
local function randomize(x, min, max)
  min, max = min or -2, max or 2
  x:copy(torch.rand(x:nElement()):mul(max - min):add(min))
end

--- Computes the columns of a Jacobian from the gradients of single outputs.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam int rows
-- @tparam function column called with gradOutput, which is zero except for a 1; returns a column
function Jacobian.columns(module, input, rows, column)
  local output = module:forward(input)
  local gradOutput = output.new():resizeAs(output)
  local jacobian = torch.Tensor(rows, output:nElement()):zero()
  for i = 1, gradOutput:nElement() do
    gradOutput:zero()
    elements(gradOutput)[i] = 1
    jacobian:select(2, i):copy(column(gradOutput))
  end
  return jacobian
end

--- Computes the Jacobian by the module's backward.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam[opt] torch.Tensor param a parameter to derive by, instead of the input
-- @tparam[opt] torch.Tensor dparam its gradient
-- @treturn torch.Tensor the Jacobian
function Jacobian.backward(module, input, param, dparam)
  local by = param or input
  return Jacobian.columns(module, input, by:nElement(), function(gradOutput)
    module:zeroGradParameters()
    local gradInput = module:updateGradInput(input, gradOutput)
    module:accGradParameters(input, gradOutput)
    return param and dparam or gradInput
  end)
end

--- Computes the Jacobian by the module's accUpdateGradParameters, with a rate of 1; all parameters are restored.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam torch.Tensor param
-- @treturn torch.Tensor the Jacobian
function Jacobian.backwardUpdate(module, input, param)
  local before, kept, all = param:clone(), {}, module:parameters() or {}
  for i, parameter in ipairs(all) do kept[i] = parameter:clone() end
  return Jacobian.columns(module, input, param:nElement(), function(gradOutput)
    module:updateGradInput(input, gradOutput)
    module:accUpdateGradParameters(input, gradOutput, 1)
    local gradient = torch.csub(before, param)
    for i, parameter in ipairs(all) do parameter:copy(kept[i]) end
    return gradient
  end)
end

--- Computes the Jacobian by central differences.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam[opt=input] torch.Tensor param the variable; changed and restored
-- @tparam[opt=1e-6] number perturbation
-- @treturn torch.Tensor the Jacobian
function Jacobian.forward(module, input, param, perturbation)
  param, perturbation = param or input, perturbation or 1e-6
  local flat = elements(param)
  local outputs = module:forward(input):nElement()
  local jacobian = torch.Tensor(flat:nElement(), outputs)
  for i = 1, flat:nElement() do
    local kept = flat[i]
    flat[i] = kept - perturbation
    local below = module:forward(input):clone()
    flat[i] = kept + perturbation
    local above = module:forward(input)
    jacobian:select(1, i):copy(torch.csub(above, below)):div(2 * perturbation)
    flat[i] = kept
  end
  return jacobian
end

Jacobian.forwardUpdate = Jacobian.forward

local function difference(a, b) return torch.csub(a, b):abs():max() end

--- Returns the largest difference between `backward` and `forward` for the input, which is filled with random numbers.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @tparam[opt=1e-6] number perturbation
-- @treturn number
function Jacobian.testJacobian(module, input, min, max, perturbation)
  randomize(input, min, max)
  local byDifferences = Jacobian.forward(module, input, input, perturbation)
  return difference(byDifferences, Jacobian.backward(module, input))
end

--- Does the same for a parameter, which is filled with random numbers, too.
-- @tparam nn.Module module
-- @tparam torch.Tensor input filled with random numbers
-- @tparam torch.Tensor param
-- @tparam torch.Tensor dparam its gradient
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @tparam[opt=1e-6] number perturbation
-- @treturn number
function Jacobian.testJacobianParameters(module, input, param, dparam, min, max, perturbation)
  randomize(input, min, max)
  randomize(param, min, max)
  local backward = Jacobian.backward(module, input, param, dparam)
  return difference(Jacobian.forward(module, input, param, perturbation), backward)
end

--- Does the same for accUpdateGradParameters.
-- @tparam nn.Module module
-- @tparam torch.Tensor input filled with random numbers
-- @tparam torch.Tensor param
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @tparam[opt=1e-6] number perturbation
-- @treturn number
function Jacobian.testJacobianUpdateParameters(module, input, param, min, max, perturbation)
  randomize(input, min, max)
  randomize(param, min, max)
  local backward = Jacobian.backwardUpdate(module, input, param)
  return difference(Jacobian.forwardUpdate(module, input, param, perturbation), backward)
end

local function backwardOf(module, input, gradOutput)
  module:forward(input)
  module:zeroGradParameters()
  module:updateGradInput(input, gradOutput)
end

--- Updates a parameter by all available methods, and compares the results with weight - rate * gradient.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam string weight field of the parameter
-- @tparam string gradWeight field of its gradient
-- @treturn {string=number} largest difference for each method
function Jacobian.testAllUpdate(module, input, weight, gradWeight)
  local rate = torch.uniform(0.1, 1)
  local output = module:forward(input)
  local gradOutput = torch.rand(output:size()):typeAs(output)
  local reference = module:clone()
  backwardOf(reference, input, gradOutput)
  reference:accGradParameters(input, gradOutput)
  local function expected(count) return torch.add(reference[weight], -rate * count, reference[gradWeight]) end

  local function clones(count)
    local list = { module:clone() }
    for i = 2, count do list[i] = list[1]:clone():share(list[1], weight, gradWeight) end
    if count > 1 then list[1].shared = true end
    for _, one in ipairs(list) do backwardOf(one, input, gradOutput) end
    return list
  end

  local function accumulated(count)
    local list = clones(count)
    for _, one in ipairs(list) do one:accGradParameters(input, gradOutput) end
    list[1]:updateParameters(rate)
    return difference(list[1][weight], expected(count))
  end

  local function atOnce(count)
    local list = clones(count)
    for _, one in ipairs(list) do one:accUpdateGradParameters(input, gradOutput, rate) end
    return difference(list[1][weight], expected(count))
  end

  return {
    accGradParameters = accumulated(1), accUpdateGradParameters = atOnce(1),
    ['accGradParameters [shared]'] = accumulated(2), ['accUpdateGradParameters [shared]'] = atOnce(2),
  }
end

local function largest(a, b)
  if torch.isTensor(a) then return a:nElement() == 0 and 0 or difference(a, b) end
  local most = 0
  for key in pairs(a) do most = math.max(most, largest(a[key], b[key])) end
  return most
end

--- Saves a module to a file and reads it, and compares both.
-- @tparam nn.Module module
-- @tparam torch.Tensor input filled with random numbers
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @treturn number largest difference of outputs
-- @treturn number largest difference of gradients by the input
function Jacobian.testIO(module, input, min, max)
  randomize(input, min, max)
  local kind = input:type()
  local gradOutput = nested.map(module:forward(input), function(x) return torch.rand(x:size()):type(kind) end)
  module:zeroGradParameters()
  local output = nested.map(module:forward(input), torch.clone)
  local gradInput = nested.map(module:backward(input, gradOutput), torch.clone)
  local name = C.temporaryName()
  torch.save(name, module)
  assert(module:clearState() == module, 'clearState did not return self')
  local read = torch.load(name)
  os.remove(name)
  read:zeroGradParameters()
  local forwardError = largest(output, read:forward(input))
  return forwardError, largest(gradInput, read:backward(input, gradOutput))
end

--- Returns the diagonal of the Hessian of sum(output^2) / 2 by the input or a parameter, for a module whose output is linear in it.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam[opt='gradInput'] string gradName field of the gradient
-- @treturn torch.Tensor
function Jacobian.linearModuleDiagHessian(module, input, gradName)
  gradName = gradName or 'gradInput'
  local sum
  local size = module:forward(input):size()
  for i = 1, module.output:nElement() do
    local gradOutput = input.new(size):zero()
    elements(gradOutput)[i] = 1
    module:zeroGradParameters()
    module:updateGradInput(input, gradOutput)
    module:accGradParameters(input, gradOutput)
    local square = torch.cmul(module[gradName], module[gradName])
    sum = sum and sum:add(square) or square
  end
  return sum
end

--- Does the same by nn.hessian's methods.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam[opt='diagHessianInput'] string name of the field
-- @treturn torch.Tensor
function Jacobian.backwardDiagHessian(module, input, name)
  name = name or 'diagHessianInput'
  local output = module:forward(input)
  local ofOutput = output:clone():fill(1)
  module.diagHessianWeight:zero()
  module.diagHessianBias:zero()
  module:updateDiagHessianInput(input, ofOutput)
  module:accDiagHessianParameters(input, ofOutput)
  return module[name]
end

--- Returns the largest difference between the two.
-- @tparam nn.Module module
-- @tparam torch.Tensor input filled with random numbers
-- @string gradName field of the gradient: 'gradInput', 'gradWeight' or 'gradBias'
-- @string hessianName field of the second derivatives
-- @tparam[opt=-2] number min
-- @tparam[opt=2] number max
-- @treturn number
function Jacobian.testDiagHessian(module, input, gradName, hessianName, min, max)
  randomize(input, min, max)
  module:initDiagHessianParameters()
  local expected = Jacobian.linearModuleDiagHessian(module, input, gradName):clone()
  return difference(expected, Jacobian.backwardDiagHessian(module, input, hessianName))
end

--- Returns the largest difference between both diagonals of the Hessian by the input.
-- @tparam nn.Module module
-- @tparam torch.Tensor input overwritten with random numbers
-- @tparam[opt=-2] number min of these
-- @tparam[opt=2] number max of these
-- @treturn number
function Jacobian.testDiagHessianInput(module, input, min, max)
  return Jacobian.testDiagHessian(module, input, 'gradInput', 'diagHessianInput', min, max)
end

--- Returns the largest difference between both diagonals of the Hessian by the field weight.
-- @tparam nn.Module module
-- @tparam torch.Tensor input overwritten with random numbers
-- @tparam[opt=-2] number min of these
-- @tparam[opt=2] number max of these
-- @treturn number
function Jacobian.testDiagHessianWeight(module, input, min, max)
  return Jacobian.testDiagHessian(module, input, 'gradWeight', 'diagHessianWeight', min, max)
end

--- Returns the largest difference between both diagonals of the Hessian by the field bias.
-- @tparam nn.Module module
-- @tparam torch.Tensor input overwritten with random numbers
-- @tparam[opt=-2] number min of these
-- @tparam[opt=2] number max of these
-- @treturn number
function Jacobian.testDiagHessianBias(module, input, min, max)
  return Jacobian.testDiagHessian(module, input, 'gradBias', 'diagHessianBias', min, max)
end

nn.Jacobian = Jacobian
return Jacobian
