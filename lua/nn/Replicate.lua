--- Repeats its input along a new dimension, without a copy.
-- @classmod nn.Replicate
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Replicate, parent = torch.class('nn.Replicate', 'nn.Module')

--- @tparam int nf size of the new dimension
-- @tparam[opt=1] int dim its place
-- @tparam[opt] int ndim number of dimensions of a sample: with more, the place is one further
function Replicate:__init(nf, dim, ndim)
  parent.__init(self)
  self.nfeatures = nf
  self.dim = dim or 1
  self.ndim = ndim
  check.that(self.dim > 0, 'Can only replicate across positive integer dimensions.')
end

-- Of modules in old files, which lack it.
Replicate.dim = 1

function Replicate:compute(input)
  local dims = input:dim()
  local dim = self.dim + (self.ndim and dims > self.ndim and 1 or 0)
  assert(dim <= dims + 1, ('Not enough input dimensions to replicate along dimension %d.'):format(dim))
  local sizes = input:size():totable()
  table.insert(sizes, dim, self.nfeatures)
  return torch.expand(torch.unsqueeze(input, dim), torch.LongStorage(sizes))
end

return Replicate
