--- Declares a dropout of PyTorch: in training a noise is drawn, of which the output is a formula; in evaluation the output is the input.
-- @module nn.support.channelDropout
local torch, nn, draw = require 'torch', require 'nn', require 'nn.support.draw'
local refuse, sizesOf = require 'torch.check.refuse', require('torch.check.message').sizes
local noises = require 'nn.support.noises'

--- @string name of the class
-- @tparam string formula of the input, `noise`, and the numbers `a` and `b`
-- @tparam function numbers (p) -> a, b
-- @tparam[opt] int dims number of dimensions of the points behind the channels, if whole channels are dropped; 0 for any
-- @treturn table the class
return function(name, formula, numbers, dims)
  local function drops(self) return self.train ~= false and self.p > 0 end
  local Dropout = nn.declare {
    name = name, draws = 'noise',
    options = {
      { 'p', 'number', min = 0, max = 1, default = 0.5, field = 'p' }, { 'inplace', 'inplace', default = false, field = 'inplace' },
    },
    accepts = function(_, input)
      local behind = input:dim() - 1
      if dims and dims > 0 and behind ~= dims and behind ~= dims + 1 or dims == 0 and behind < 1 then
        refuse.shape(('%s: input: %s, expected %d or %d dimensions'):format(name, sizesOf(input), dims + 1, dims + 2))
      end
    end,
    prepare = function(self, input, _, anew)
      local noise = drops(self) and draw(self, 'noise', input, anew)
      if noise then noises.draw(noise, input, self.p, dims, dims and input:dim() == dims + 1) end
    end,
    values = { 'a', 'b' },
    formula = function(self)
      if not drops(self) then return 'clone(input)' end
      return formula, numbers(self.p)
    end,
    prints = function(self) return ('(%g)'):format(self.p) end,
  }
  local init = Dropout.__init
  Dropout.__init = require('nn.support.options').byName(function(self, ...)
    init(self, ...)
    self.noise = torch.Tensor()
  end, { 'p', 'inplace' })
  Dropout.declaredInit, Dropout.__givesWay = Dropout.__init, true
  return Dropout
end
