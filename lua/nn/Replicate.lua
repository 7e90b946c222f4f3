--- Repeats its input along a new dimension, without a copy.
-- @classmod nn.Replicate
local check, nn = require 'torch.check', require 'nn'
local refuse = require 'torch.check.refuse'

local Replicate, parent = nn.declare {
  name = 'nn.Replicate', shows = true,
  values = { 'place', 'sizes' },
  formula = function(self, input)
    local dims, sizes = input:dim(), {}
    local dim = self.dim + (self.ndim and dims > self.ndim and 1 or 0)
    if dim > dims + 1 then refuse.range(('Not enough input dimensions to replicate along dimension %d.'):format(dim)) end
    for d = 1, dims + 1 do sizes[d] = d < dim and input:size(d) or d == dim and self.nfeatures or input:size(d - 1) end
    return 'expand(unsqueeze(input, place), sizes)', dim, sizes
  end,
  samples = { { 'Replicate(3, 2)', { 2, 4 } } },
}

--- @tparam int nf size of the new dimension
-- @tparam[opt=1] int dim its position
-- @tparam[opt] int ndim number of dimensions of a sample: for inputs with more, the position is shifted by one
function Replicate:__init(nf, dim, ndim)
  parent.__init(self)
  self.nfeatures = nf
  self.dim = dim or 1
  self.ndim = ndim
  check.that(self.dim > 0, 'nn.Replicate: dim: ' .. self.dim .. ': Can only replicate across positive integer dimensions.')
end

-- For modules in old files, which lack it.
Replicate.dim = 1

return Replicate
