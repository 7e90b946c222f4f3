--- Makes nn.SpatialDropout and nn.VolumetricDropout: whole planes become zero with probability p while training.
-- Those that stay are not scaled; in evaluation everything is multiplied by 1 - p.
-- Source: Tompson et al. (2015), "Efficient Object Localization Using Convolutional Networks", CVPR, section 3.2.
-- @module nn.support.planeDropout
local torch = require 'torch'
local nn = require 'nn'

--- @tparam string name of the class
-- @tparam int dims number of dimensions of a batch
-- @tparam string expected for messages
-- @treturn table the class
return function(name, dims, expected)
  local class, parent = torch.class(name, 'nn.Module')

  -- A forward draws.
  class.once = true

  function class:__init(p, stochasticInference)
    parent.__init(self)
    self.p = p or 0.5
    self.train = true
    self.stochastic_inference = stochasticInference or false
    self.noise = torch.Tensor()
  end

  local function drops(self) return self.train ~= false or self.stochastic_inference end

  function class:compute(input)
    if not drops(self) then return torch.mul(input, 1 - self.p) end
    local count = input:dim()
    if count ~= dims and count ~= dims - 1 then error('Input must be ' .. expected, 0) end
    local sizes = {}
    for d = 1, count do sizes[d] = d <= count - dims + 2 and input:size(d) or 1 end
    self.noise = input.new():resize(torch.LongStorage(sizes)):bernoulli(1 - self.p)
    return torch.cmul(input, torch.expandAs(self.noise, input))
  end

  class.saved = { of = class.compute, field = 'noise', gradient = function(self, _, gradOutput)
    local fits = self.noise:dim() == gradOutput:dim() and self.noise:size(1) == gradOutput:size(1)
    return fits and torch.cmul(gradOutput, torch.expandAs(self.noise, gradOutput)) or nil
  end }

  function class:updateGradInput(input, gradOutput)
    if not drops(self) then error('backprop only defined while training', 0) end
    return parent.updateGradInput(self, input, gradOutput)
  end

  class.derived = {
    updateOutput = parent.updateOutput, updateGradInput = class.updateGradInput, accGradParameters = nn.Module.accGradParameters,
  }

  --- Changes the probability.
  function class:setp(p)
    self.p = p
  end

  class.transient = { 'noise' }

  function class:__tostring__()
    return ('%s(%f)'):format(torch.type(self), self.p)
  end

  return class
end
