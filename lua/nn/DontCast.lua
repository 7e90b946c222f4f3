--- Keeps a module's type when the network around it is converted; inputs and outputs are converted on the way, if wanted.
-- @classmod nn.DontCast
local torch = require 'torch'
local nn = require 'nn'
local nested = require 'nn.nested'
local typeName = require 'torch.type_name'

local DontCast, parent = torch.class('nn.DontCast', 'nn.Decorator')

local function firstTensor(value)
  return nested.flatten(value, {})[1]
end

-- The type that a module works in.
local function typeOf(module)
  local tensor = firstTensor(module.output)
  if not tensor then
    local parameters = module:parameters()
    tensor = parameters and parameters[1]
  end
  return assert(tensor and tensor:type(), 'Cannot extrapolate moduleType. Provide constructor argument 4')
end

--- @tparam nn.Module module
-- @tparam[opt=false] boolean castin convert inputs to the module's type, and gradients by them back
-- @tparam[opt=castin] boolean castout convert outputs to the type around, and gradients by them to the module's
-- @tparam[opt] string moduleType
function DontCast:__init(module, castin, castout, moduleType)
  parent.__init(self, module)
  self.castin = castin or false
  self.castout = castout == nil and self.castin or castout or false
  self.moduleType = moduleType and (typeName(moduleType) or moduleType) or typeOf(module)
end

local function converted(value, kind, wanted)
  if not wanted then return value end
  return nested.map(value, function(x) return x:type() == kind and x or torch.to(x, kind) end)
end

function DontCast:compute(input)
  local output = self.modules[1]:onTape(converted(input, self.moduleType, self.castin))
  return converted(output, self._type, self.castout)
end

function DontCast:updateOutput(input)
  local output = self.modules[1]:updateOutput(converted(input, self.moduleType, self.castin))
  self.output = converted(output, self._type, self.castout)
  return self.output
end

function DontCast:updateGradInput(input, gradOutput)
  local gradInput = self.modules[1]:updateGradInput(converted(input, self.moduleType, self.castin),
    converted(gradOutput, self.moduleType, self.castout))
  self.gradInput = converted(gradInput, self._type, self.castin)
  return self.gradInput
end

for _, method in ipairs { 'accGradParameters', 'accUpdateGradParameters', 'sharedAccUpdateGradParameters' } do
  DontCast[method] = function(self, input, gradOutput, factor)
    self.modules[1][method](self.modules[1], converted(input, self.moduleType, self.castin),
      converted(gradOutput, self.moduleType, self.castout), factor)
  end
end

--- Converts what is around the module: outputs and gradients by inputs, where they are converted on the way.
function DontCast:type(typename)
  if not typename then return self._type end
  typename = nested.checkType(self, typename)
  if self.castout then self.output = nested.recursiveType(self.output, typename) end
  if self.castin then self.gradInput = nested.recursiveType(self.gradInput, typename) end
  self._type = nested.typeIn(typename) or self._type
  return self
end

return nn.Decorator.deriving(DontCast)
