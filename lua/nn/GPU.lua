--- Runs a module on a given device. On the CPU, it only calls the module.
-- The module is on CUDA device `device` if it has a CUDA tensor type; inputs are copied there, and outputs to `outdevice`.
-- @classmod nn.GPU
local torch, check = require 'torch', require 'torch.check'
local nn, nested = require 'nn', require 'nn.nested'

local GPU, parent = torch.class('nn.GPU', 'nn.Container')

--- @tparam nn.Module module
-- @tparam int device of the module
-- @tparam[opt=device] int outdevice device of its output
function GPU:__init(module, device, outdevice)
  parent.__init(self)
  check.that(type(device) == 'number', 'nn.GPU: device: expected the number of a device')
  self.device = device
  self.outdevice = outdevice or device
  check.that(torch.isTypeOf(module, 'nn.Module'), 'nn.GPU: module: expected a module')
  self.modules[1] = module
  if module:type():find '^torch%.Cuda' then self:type(module:type()) end
end

nn.Decorator.decorate(GPU)

local function isOnDevice(self) return (self._type or ''):find '^torch%.Cuda' ~= nil end

-- Returns a value with its tensors on a device.
local function brought(value, device)
  return nested.map(value, function(x) return x:device() == device and x or torch.to(x, device) end)
end

local function firstDevice(value)
  local found
  nested.map(value, function(x)
    found = found or x:device()
    return x
  end)
  return found
end

-- Returns the module's input: for backward, the tensors that forward copied.
local function inputOf(self, input, isForward)
  if isForward or not self._brought or self._brought.of ~= input then
    self._brought = { of = input, value = brought(input, 'cuda:' .. self.device) }
  end
  return self._brought.value
end

function GPU:compute(input)
  if not isOnDevice(self) then return self.modules[1]:onTape(input) end
  return brought(self.modules[1]:onTape(brought(input, 'cuda:' .. self.device)), 'cuda:' .. self.outdevice)
end

function GPU:updateOutput(input)
  if not isOnDevice(self) then return nn.Decorator.updateOutput(self, input) end
  self.output = brought(self.modules[1]:updateOutput(inputOf(self, input, true)), 'cuda:' .. self.outdevice)
  return self.output
end

function GPU:updateGradInput(input, gradOutput)
  if not isOnDevice(self) then return nn.Decorator.updateGradInput(self, input, gradOutput) end
  local gradient = self.modules[1]:updateGradInput(inputOf(self, input), brought(gradOutput, 'cuda:' .. self.device))
  if self.gradInput ~= nil then self.gradInput = brought(gradient, firstDevice(input)) end
  return self.gradInput
end

function GPU:accGradParameters(input, gradOutput, scale)
  if not isOnDevice(self) then return nn.Decorator.accGradParameters(self, input, gradOutput, scale) end
  self.modules[1]:accGradParameters(inputOf(self, input), brought(gradOutput, 'cuda:' .. self.device), scale)
end

--- Converts all tensors. With a CUDA type, they move to the module's device.
-- @tparam[opt] string typename
-- @tparam[opt] table cache
function GPU:type(typename, cache)
  if not typename then return parent.type(self) end
  self._brought = nil
  local name = nested.checkType(self, typename)
  local after = nested.typeAfter(name, self._type)
  if after:find '^torch%.Cuda' then name = after .. ' on cuda:' .. self.device end
  return parent.type(self, name, cache)
end

--- Sets the module's device.
-- @tparam int device
-- @treturn nn.GPU self
function GPU:setDevice(device)
  self.device = device or self.device
  if isOnDevice(self) then self:type(self._type) end
  return self
end

--- Frees outputs, gradients and the copies on the device.
function GPU:clearState()
  self._brought = nil
  return parent.clearState(self)
end

function GPU:accUpdateGradParameters()
  error('nn.GPU: accUpdateGradParameters: not implemented for ' .. torch.type(self), 2)
end

function GPU:__tostring__()
  return ('%s(%d) @ %s'):format(torch.type(self), self.device, tostring(self.modules[1]))
end

return nn.Decorator.deriving(GPU)
