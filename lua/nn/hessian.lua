--- Diagonal approximations of second derivatives, propagated like gradients: `nn.hessian.enable()` adds the methods to modules.
-- Each derivative by a module's inputs and parameters is squared; the second derivatives of the module's function itself are neglected.
-- Source: LeCun et al. (1998), "Efficient BackProp", section 7.
-- @module nn.hessian
local torch = require 'torch'
local nn = require 'nn'

local hessian = {}

local names = { weight = 'diagHessianWeight', bias = 'diagHessianBias' }

-- Runs fn with tensors temporarily in some of the module's fields.
local function with(module, fields, fn)
  local kept = {}
  for name, value in pairs(fields) do kept[name], module[name] = module[name], value end
  local done, result = pcall(fn)
  for name in pairs(fields) do module[name] = kept[name] end
  if not done then error(result, 0) end
  return result
end

local function square(x) return torch.cmul(x, x) end

local function put(module, value)
  module.diagHessianInput = module.diagHessianInput or value.new()
  module.diagHessianInput:resizeAs(value):copy(value)
  return module.diagHessianInput
end

--- Methods for maps that are linear in input and weight: squared weights, squared inputs. Packages add them to their modules.
hessian.linear = {}
local linear = hessian.linear

function linear.updateDiagHessianInput(self, input, ofOutput)
  return put(self, with(self, { weight = square(self.weight), gradInput = input.new() }, function()
    return self:updateGradInput(input, ofOutput)
  end))
end

function linear.accDiagHessianParameters(self, input, ofOutput, scale)
  with(self, { gradWeight = self.diagHessianWeight, gradBias = self.diagHessianBias }, function()
    self:accGradParameters(square(input), ofOutput, scale or 1)
  end)
end

-- Elementwise functions: the squared derivative.
local elementwise = {}

function elementwise.updateDiagHessianInput(self, input, ofOutput)
  local slopes = with(self, { gradInput = input.new() }, function() return self:updateGradInput(input, ofOutput:clone():fill(1)) end)
  return put(self, torch.cmul(square(slopes), ofOutput))
end

-- Modules that only rearrange elements.
local rearranging = {}

function rearranging.updateDiagHessianInput(self, input, ofOutput)
  return put(self, with(self, { gradInput = input.new() }, function() return self:updateGradInput(input, ofOutput) end))
end

local row = {}

function row.updateDiagHessianInput(self, input, ofOutput)
  for i = #self.modules, 1, -1 do
    ofOutput = self.modules[i]:updateDiagHessianInput(i > 1 and self.modules[i - 1].output or input, ofOutput)
  end
  self.diagHessianInput = ofOutput
  return ofOutput
end

function row.accDiagHessianParameters(self, input, ofOutput, scale)
  for i = #self.modules, 1, -1 do
    local module = self.modules[i]
    module:accDiagHessianParameters(i > 1 and self.modules[i - 1].output or input, ofOutput, scale)
    ofOutput = module.diagHessianInput
  end
end

function row.backwardDiagHessian(self, input, ofOutput, scale)
  for i = #self.modules, 1, -1 do
    ofOutput = self.modules[i]:backwardDiagHessian(i > 1 and self.modules[i - 1].output or input, ofOutput, scale)
  end
  self.diagHessianInput = ofOutput
  return ofOutput
end

function row.initDiagHessianParameters(self)
  for _, module in ipairs(self.modules) do module:initDiagHessianParameters() end
end

local kinds = {
  [linear] = { 'Linear', 'SpatialConvolution', 'SpatialConvolutionMM', 'SpatialConvolutionMap', 'SpatialConvolutionLocal',
               'SpatialFullConvolution', 'SpatialFullConvolutionMap', 'VolumetricConvolution' },
  [elementwise] = { 'Tanh', 'Sigmoid', 'Square', 'Sqrt', 'HardTanh', 'ReLU', 'Threshold', 'TanhShrink', 'SoftSign', 'Abs', 'Power' },
  [rearranging] = { 'Reshape', 'View', 'Identity', 'SpatialMaxPooling', 'SpatialZeroPadding' },
  [row] = { 'Sequential' },
}

-- The methods of all modules; only the kinds above define a Hessian.
local function giveModules(Module)
  --- Computes the second derivatives by the input, in the field diagHessianInput; raises an error if the class has none.
  -- @tparam torch.Tensor input
  -- @tparam torch.Tensor ofOutput second derivatives by the output; for a module with a built-in loss, the target
  -- @treturn torch.Tensor
  function Module:updateDiagHessianInput()
    error(torch.typename(self) .. ':updateDiagHessianInput() is undefined', 2)
  end

  --- Adds the second derivatives by the parameters to the fields diagHessianWeight and diagHessianBias.
  -- @tparam torch.Tensor input
  -- @tparam torch.Tensor ofOutput second derivatives by the output; for a module with a built-in loss, the target
  -- @tparam[opt=1] number scale factor
  function Module:accDiagHessianParameters() end

  --- Does both: returns the result of `updateDiagHessianInput`, and runs `accDiagHessianParameters`.
  -- @tparam torch.Tensor input
  -- @tparam torch.Tensor ofOutput second derivatives by the output
  -- @tparam[opt=1] number scale factor for those by the parameters
  -- @treturn torch.Tensor
  function Module:backwardDiagHessian(input, ofOutput, scale)
    local ofInput = self:updateDiagHessianInput(input, ofOutput)
    self:accDiagHessianParameters(input, ofOutput, scale or 1)
    return ofInput
  end

  --- Creates the fields diagHessianWeight and diagHessianBias, filled with zeros.
  function Module:initDiagHessianParameters()
    for name, field in pairs(names) do
      if self['grad' .. name:sub(1, 1):upper() .. name:sub(2)] then self[field] = self[field] or self[name]:clone():zero() end
    end
  end
end

-- Adds a third list to parameters(), and a third flat tensor to getParameters().
local function giveLists(Module, Container)
  local parameters, all = Module.parameters, Container.parameters

  function Module:parameters()
    local list, gradients = parameters(self)
    if not list then return nil end
    local diagonals = {}
    for i, parameter in ipairs(list) do
      for name, field in pairs(names) do
        if rawequal(self[name], parameter) then diagonals[i] = self[field] end
      end
    end
    return list, gradients, diagonals
  end

  function Container:parameters()
    local list, gradients = all(self)
    local diagonals = {}
    for _, module in ipairs(self.modules) do
      local _, _, own = module:parameters()
      for i = 1, own and #own or 0 do diagonals[#diagonals + 1] = own[i] end
    end
    return list, gradients, diagonals
  end

  local getParameters = Module.getParameters
  function Module:getParameters()
    local flat, flatGradients = getParameters(self)
    local _, _, diagonals = self:parameters()
    if not diagonals or #diagonals == 0 then return flat, flatGradients end
    return flat, flatGradients, Module.flatten(diagonals)
  end
end

-- Computes the second derivative of the mean square by the input.
local function giveMSE(MSECriterion)
  function MSECriterion:updateDiagHessianInput(input)
    local value = 2 / (self.sizeAverage and input:nElement() or 1)
    self.diagHessianInput = (self.diagHessianInput or input.new()):resizeAs(input):fill(value)
    return self.diagHessianInput
  end
end

local enabled = false

--- Adds the methods initDiagHessianParameters, updateDiagHessianInput, accDiagHessianParameters and backwardDiagHessian to modules and
-- nn.MSECriterion, and a third result to parameters and getParameters.
function hessian.enable()
  if enabled then return end
  enabled = true
  giveModules(nn.Module)
  giveLists(nn.Module, nn.Container)
  giveMSE(nn.MSECriterion)
  for methods, classes in pairs(kinds) do
    for _, name in ipairs(classes) do
      local class = nn[name] and torch.getmetatable('nn.' .. name)
      for method, fn in pairs(class and methods or {}) do class[method] = fn end
    end
  end
end

return hessian
