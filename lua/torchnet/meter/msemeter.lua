--- Mean squared error.
-- @module torchnet.meter.msemeter
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'

--- @type tnt.MSEMeter
local MSEMeter = torch.class('tnt.MSEMeter', 'tnt.Meter', tnt)

--- @function __init
-- @bool[opt=false] root whether to return the square root
MSEMeter.__init = argcheck {
  help = 'Mean squared error.',
  { name = 'self', type = 'tnt.MSEMeter' }, { name = 'root', type = 'boolean', default = false, help = 'its root' },
  call = function(self, root)
    self.root = root
    self:reset()
  end,
}

--- Removes all measurements.
function MSEMeter:reset() self.n, self.sum = 0, 0 end

--- Adds tensors of equal sizes.
-- @function add
-- @tparam torch.Tensor output
-- @tparam torch.Tensor target
MSEMeter.add = argcheck {
  { name = 'self', type = 'tnt.MSEMeter' }, { name = 'output', type = 'torch.*Tensor' }, { name = 'target', type = 'torch.*Tensor' },
  call = function(self, output, target)
    if output:nElement() ~= target:nElement() then
      check.raise(('tnt.MSEMeter: target: %d elements, the output has %d'):format(target:nElement(), output:nElement()))
    end
    local difference = output:double():contiguous():view(-1) - target:double():contiguous():view(-1)
    self.n, self.sum = self.n + difference:nElement(), self.sum + difference:dot(difference)
  end,
}

--- @treturn number the mean over all elements, or its square root
function MSEMeter:value()
  local mean = self.sum / self.n
  return self.root and math.sqrt(mean) or mean
end

return { MSEMeter = tnt.MSEMeter }
