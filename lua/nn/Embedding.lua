--- Rows of a learnt matrix, by their positions.
-- Shapes: positions (…), a tensor of any dtype, from 1 -> (…, size).
-- @classmod nn.Embedding
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Embedding, parent = torch.class('nn.Embedding', 'nn.Module')
Embedding.__givesWay = true

--- @tparam int count number of rows
-- @tparam int size their length
-- @tparam[opt] int padding position of a row that is zero and has no gradient
function Embedding:__init(count, size, padding)
  check.int('nn.Embedding', 'count', count, { min = 1 })
  check.int('nn.Embedding', 'size', size, { min = 1 })
  parent.__init(self)
  self.padding = padding and check.int('nn.Embedding', 'padding', padding, { min = 1, max = count })
  self:declare('weight', torch.Tensor(count, size))
  self:reset()
end

--- Draws the weight from normal(0, 1).
function Embedding:reset()
  torch.noGrad(function()
    self.weight:normal(0, 1)
    if self.padding then self.weight[self.padding]:zero() end
  end)
end

function Embedding:compute(input)
  local numbers = input:detach():_as 'Long':contiguous():view(-1)
  local rows = torch.index(self.weight, 1, numbers)
  if self.padding then
    rows = torch.cmul(rows, torch.to(numbers:ne(self.padding), rows:type()):view(-1, 1))
  end
  local size = input:size():totable()
  size[#size + 1] = self.weight:size(2)
  return torch.view(rows, torch.LongStorage(size))
end

function Embedding:__tostring__()
  return ('%s(%d, %d)'):format(torch.type(self), self.weight:size(1), self.weight:size(2))
end

return require('nn.support.options').install(Embedding)
