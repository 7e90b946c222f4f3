--- A container that delegates to its one module; parent of classes that add something to a module.
-- @classmod nn.Decorator
local check, nn = require 'torch.check', require 'nn'

local Decorator, parent = nn.declare {
  name = 'nn.Decorator', parent = 'nn.Container',
  compute = function(self, input) return self.modules[1]:onTape(input) end,
  forward = function(self, input)
    self.output = self.modules[1]:updateOutput(input)
    return self.output
  end,
  backward = function(self, input, gradOutput)
    self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
    return self.gradInput
  end,
  prints = function(self) return ' @ ' .. tostring(self.modules[1]) end,
  samples = { { 'Decorator(nn.Linear(3, 2))', { 4, 3 }, rows = true } },
}

--- @tparam[opt] nn.Module module without it, a program's class must set `modules[1]` later
function Decorator:__init(module)
  parent.__init(self)
  if module ~= nil then self.modules[1] = check.instance('nn.Decorator', 'module', module, 'a module') end
end

function Decorator:accGradParameters(input, gradOutput, scale)
  self.modules[1]:accGradParameters(input, gradOutput, scale)
end

function Decorator:accUpdateGradParameters(input, gradOutput, lr)
  self.modules[1]:accUpdateGradParameters(input, gradOutput, lr)
end

function Decorator:sharedAccUpdateGradParameters(input, gradOutput, lr)
  self.modules[1]:sharedAccUpdateGradParameters(input, gradOutput, lr)
end

local methods = {
  'compute', 'updateOutput', 'updateGradInput', 'accGradParameters', 'accUpdateGradParameters', 'sharedAccUpdateGradParameters',
  '__tostring__',
}

--- Adds the methods that delegate to `modules[1]` to another class.
-- @tparam table class
function Decorator.decorate(class)
  for _, name in ipairs(methods) do class[name] = Decorator[name] end
end

--- Declares that the present methods of a class are derived from its `compute`.
-- @tparam table class
-- @treturn table the class
function Decorator.deriving(class)
  class.derived = {
    updateOutput = class.updateOutput, updateGradInput = class.updateGradInput, accGradParameters = class.accGradParameters,
  }
  return class
end

Decorator.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return Decorator.deriving(Decorator)
