--- Makes one dimension of all those of a sample: (N, …) -> (N, rest), and a single sample -> a vector.
-- @classmod nn.Collapse
local torch = require 'torch'
require 'nn'

local Collapse, parent = torch.class('nn.Collapse', 'nn.Module')

--- @tparam int nInputDim number of dimensions of a sample
function Collapse:__init(nInputDim)
  parent.__init(self)
  self.nInputDim = nInputDim
end

function Collapse:compute(input)
  local flat = input:contiguous()
  if input:dim() <= self.nInputDim then return torch.view(flat, -1) end
  local rest = 1
  for d = 2, input:dim() do rest = rest * input:size(d) end
  return torch.view(flat, input:size(1), rest)
end

return require 'nn.reshaping'(Collapse)
