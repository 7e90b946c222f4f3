--- Exponential families: densities h(x) exp(eta . t(x) - A(eta)) with natural parameters eta; a base class.
--
-- A subclass that defines `_naturalParams()`, which returns a list of tensors, `_logNormalizer(...)`, which returns A of them, and
-- `_meanCarrierMeasure()`, which returns the mean of log(h(x)), has an entropy, and a divergence from others of its class.
-- @classmod distributions.ExponentialFamily
local torch = require 'torch'
local autograd, check = require 'autograd', require 'torch.check'
local weights = require 'distributions.weights'
require 'distributions.Distribution'

local ExponentialFamily = torch.class('distributions.ExponentialFamily', 'distributions.Distribution')

-- The natural parameters, the derivatives of A, and A.
function ExponentialFamily:_normaliser()
  if not self._naturalParams or not self._logNormalizer then
    check.raise(torch.typename(self) .. ': no natural parameters, expected _naturalParams and _logNormalizer')
  end
  local params, leaves = self:_naturalParams(), {}
  for i, x in ipairs(params) do leaves[i] = x:isTracked() and x or x:detach():requiresGrad() end
  local value = self:_logNormalizer(unpack(leaves))
  local slopes = autograd.grad(torch.sum(value), leaves, { createGraph = true })
  if torch.isTensor(slopes) then slopes = { slopes } end
  return leaves, slopes, value
end

--- The entropy, in nats, from the natural parameters.
-- @treturn torch.Tensor batchShape
-- @raise if the class doesn't define them
function ExponentialFamily:entropy()
  local params, slopes, value = self:_normaliser()
  local result = value - self:_meanCarrierMeasure()
  for i, slope in ipairs(slopes) do result = result - weights.sumLast(torch.cmul(params[i], slope), #self.eventShape) end
  return result
end

return ExponentialFamily
