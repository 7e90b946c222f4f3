--- Runs a module on a device of its own. On the CPU it does what the module does.
-- @classmod nn.GPU
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'

local GPU, parent = torch.class('nn.GPU', 'nn.Container')

--- @tparam nn.Module module
-- @tparam int device where the module lives
-- @tparam[opt=device] int outdevice where its output goes
function GPU:__init(module, device, outdevice)
  parent.__init(self)
  check.that(type(device) == 'number', 'nn.GPU: device: the number of a device was expected')
  self.device = device
  self.outdevice = outdevice or device
  check.that(torch.isTypeOf(module, 'nn.Module'), 'nn.GPU: module: a module was expected')
  self.modules[1] = module
  if module:type():find '^torch%.Cuda' then self:cuda() end
end

nn.Decorator.decorate(GPU)

--- @tparam int device
-- @treturn nn.GPU self
function GPU:setDevice(device)
  self.device = device or self.device
  return self
end

function GPU:accUpdateGradParameters()
  error('nn.GPU: accUpdateGradParameters: not implemented for ' .. torch.type(self), 2)
end

function GPU:__tostring__()
  return ('%s(%d) @ %s'):format(torch.type(self), self.device, tostring(self.modules[1]))
end

return nn.Decorator.deriving(GPU)
