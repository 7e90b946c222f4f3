--- Adds a learnt bias.
-- Shapes: x (of the bias's size) or (N, of that size); with `scalar`, any.
-- @classmod nn.Add
local torch = require 'torch'
local sizesOf = require('torch.check.message').sizes
local boundOf = require 'nn.support.bound'
local refuse = require 'torch.check.refuse'

local Add, parent = require 'nn'.declare {
  name = 'nn.Add',
  parameters = { { 'bias' } },
  values = { 'sizes' },
  formula = function(self, input)
    local bias = self.bias
    local count, dims = bias:nElement(), input:dim()
    if self.scalar or input:nElement() == count then return 'add(input, bias)' end
    if dims == 2 and bias:dim() == 1 and input:size(2) == count then return 'add(input, bias)' end
    if input:nElement() ~= input:size(1) * count then
      refuse.shape(('nn.Add: input: size %s, expected rows of %d elements'):format(sizesOf(input), count))
    end
    local sizes = { 1 }
    for d = 2, dims do sizes[d] = input:size(d) end
    return 'add(input, view(bias, sizes))', sizes
  end,
  samples = { { 'Add(3)', { 4, 3 }, rows = true }, { 'Add(3, true)', { 4, 3 }, rows = true } },
}

--- @tparam int size number of elements
-- @tparam[opt=false] boolean scalar one bias for all elements
function Add:__init(size, scalar)
  parent.__init(self)
  self.scalar = scalar
  self:declare('bias', torch.Tensor(scalar and 1 or size))
  self._ones = torch.Tensor { 1 }
  self:reset()
end

--- Draws the bias uniformly between -s and s, s = 1 / sqrt(number of elements).
-- @tparam[opt] number stdv standard deviation of the draws instead
function Add:reset(stdv)
  self:draw(boundOf(self, stdv, 1 / math.sqrt(self.bias:size(1))))
end

return Add
