--- Preserves a module's type when the network around it is converted; optionally converts inputs and outputs.
-- @classmod nn.DontCast
local torch = require 'torch'
local nn = require 'nn'
local nested = require 'nn.nested'
local typeName = require 'torch.class.type_name'

local function firstTensor(value)
  return nested.flatten(value, {})[1]
end

-- Returns the type of a module's tensors.
local function typeOf(module)
  local tensor = firstTensor(module.output)
  if not tensor then
    local parameters = module:parameters()
    tensor = parameters and parameters[1]
  end
  return assert(tensor and tensor:type(), 'nn.DontCast: moduleType: Cannot extrapolate moduleType. Provide constructor argument 4')
end

local function converted(value, kind, wanted)
  if not wanted then return value end
  return nested.map(value, function(x) return x:type() == kind and x or torch.to(x, kind) end)
end

-- Converts the module's inputs and results.
local function inward(self, value) return converted(value, self.moduleType, self.castin) end
local function backInward(self, gradOutput) return converted(gradOutput, self.moduleType, self.castout) end
local function outward(self, output) return converted(output, self._type, self.castout) end

local DontCast, parent = nn.declare {
  name = 'nn.DontCast', parent = 'nn.Decorator',
  compute = function(self, input) return outward(self, self.modules[1]:onTape(inward(self, input))) end,
  forward = function(self, input)
    self.output = outward(self, self.modules[1]:updateOutput(inward(self, input)))
    return self.output
  end,
  backward = function(self, input, gradOutput)
    local gradInput = self.modules[1]:updateGradInput(inward(self, input), backInward(self, gradOutput))
    self.gradInput = converted(gradInput, self._type, self.castin)
    return self.gradInput
  end,
}

--- @tparam nn.Module module
-- @tparam[opt=false] boolean castin convert inputs to the module's type, and gradients by them back
-- @tparam[opt=castin] boolean castout convert outputs to the outer type, and gradients by them to the module's
-- @tparam[opt] string moduleType
function DontCast:__init(module, castin, castout, moduleType)
  parent.__init(self, module)
  self.castin = castin or false
  self.castout = castout == nil and self.castin or castout or false
  self.moduleType = moduleType and (typeName(moduleType) or moduleType) or typeOf(module)
end

for _, method in ipairs { 'accGradParameters', 'accUpdateGradParameters', 'sharedAccUpdateGradParameters' } do
  DontCast[method] = function(self, input, gradOutput, factor)
    self.modules[1][method](self.modules[1], inward(self, input), backInward(self, gradOutput), factor)
  end
end

--- Converts only the outer tensors: outputs and gradients by inputs, if they are converted.
function DontCast:type(typename)
  if not typename then return self._type end
  typename = nested.checkType(self, typename)
  if self.castout then self.output = nested.recursiveType(self.output, typename) end
  if self.castin then self.gradInput = nested.recursiveType(self.gradInput, typename) end
  self._type = nested.typeAfter(typename, self._type)
  return self
end

DontCast.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return nn.Decorator.deriving(DontCast)
