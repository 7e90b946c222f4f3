--- Creates nn.SpatialDropout and nn.VolumetricDropout: in training, each plane becomes zero with probability p.
-- The others are not scaled; in evaluation all planes are multiplied by 1 - p.
-- Source: Tompson et al. (2015), "Efficient Object Localization Using Convolutional Networks", CVPR, section 3.2.
-- @module nn.support.planeDropout
local torch, draw = require 'torch', require 'nn.support.draw'
local nn = require 'nn'
local refuse = require 'torch.check.refuse'

local function drops(self) return self.train ~= false or self.stochastic_inference end

--- @tparam string name of the class
-- @tparam int dims number of dimensions of a batch
-- @tparam string expected for messages
-- @treturn table the class
return function(name, dims, expected)
  local class, parent = nn.declare {
    name = name, draws = 'noise',
    prepare = function(self, input, _, anew)
      if not drops(self) then return end
      local count = input:dim()
      if count ~= dims and count ~= dims - 1 then refuse.shape('Input must be ' .. expected) end
      local noise = draw(self, 'noise', input, anew)
      if not noise then return end
      local sizes = input:size()
      for d = count - dims + 3, count do sizes[d] = 1 end
      noise:resize(sizes):bernoulli(1 - self.p)
    end,
    values = { 'factor' },
    formula = function(self)
      if drops(self) then return 'cmul(input, noise)' end
      return 'mul(input, factor)', 1 - self.p
    end,
    prints = function(self) return ('(%f)'):format(self.p) end,
  }

  function class:__init(p, stochasticInference)
    parent.__init(self)
    self.p = p or 0.5
    self.train = true
    self.stochastic_inference = stochasticInference or false
    self.noise = torch.Tensor()
  end

  --- Sets the probability.
  -- @number p from 0 to below 1
  function class:setp(p)
    self.p = p
  end

  return require 'nn.support.trainingOnly'(class, drops)
end
