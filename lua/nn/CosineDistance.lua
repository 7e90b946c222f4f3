--- The cosine between vectors: {a, b} -> <a, b> / (|a| |b|), with 1e-12 added to the squared lengths.
-- Shapes: (F) and (F) -> (1), (N, F) and (N, F) -> (N).
-- @classmod nn.CosineDistance
local torch = require 'torch'
require 'nn'

local CosineDistance, parent = torch.class('nn.CosineDistance', 'nn.Module')
CosineDistance.takes = 'table'

function CosineDistance:__init()
  parent.__init(self)
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

local function length(x, dim) return torch.sqrt(torch.add(torch.sum(torch.cmul(x, x), dim), 1e-12)) end

function CosineDistance:compute(input)
  local a, b = input[1], input[2]
  local dim = a:dim()
  assert(dim == 1 or dim == 2, 'nn.CosineDistance: input: input must be vector or matrix')
  local cosine = torch.cdiv(torch.cdiv(torch.sum(torch.cmul(a, b), dim), length(a, dim)), length(b, dim))
  return dim == 2 and torch.view(cosine, a:size(1)) or cosine
end

return CosineDistance
