--- A contiguous copy of what isn't contiguous.
-- @classmod nn.Contiguous
local torch = require 'torch'
require 'nn'

local Contiguous = torch.class('nn.Contiguous', 'nn.Module')

function Contiguous:compute(input)
  return torch.contiguous(input)
end

return require 'nn.support.reshaping'(Contiguous)
