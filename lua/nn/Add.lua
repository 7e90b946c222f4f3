--- Adds a learnt bias.
-- Shapes: x (of the bias's size) or (N, of that size); with `scalar`, any.
-- @classmod nn.Add
local torch = require 'torch'
require 'nn'
local sizesOf = require('torch.check.message').sizes
local boundOf = require 'nn.support.bound'

local Add, parent = torch.class('nn.Add', 'nn.Module')

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
-- @tparam[opt] number stdv standard deviation to have instead
function Add:reset(stdv)
  self:draw(boundOf(self, stdv, 1 / math.sqrt(self.bias:size(1))))
end

function Add:compute(input)
  if self.scalar or input:nElement() == self.bias:nElement() then return torch.add(input, self.bias) end
  if input:dim() == 2 and self.bias:dim() == 1 and input:size(2) == self.bias:size(1) then return torch.add(input, self.bias) end
  local count = input:size(1)
  if input:nElement() ~= count * self.bias:nElement() then
    error(('nn.Add: input: size %s, expected rows of %d elements'):format(sizesOf(input),
      self.bias:nElement()), 0)
  end
  return torch.viewAs(torch.add(torch.view(input:contiguous(), count, -1), torch.view(self.bias, 1, -1)), input)
end
Add.letsGo = Add.compute

return Add
