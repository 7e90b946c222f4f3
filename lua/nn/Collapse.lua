--- Makes one dimension of all those of a sample: (N, …) -> (N, rest), and a single sample -> a vector.
-- @classmod nn.Collapse
local torch, elements = require 'torch', require 'torch.elements'
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
  return torch.view(flat, input:size(1), elements(input:size(), 2))
end

return require 'nn.support.reshaping'(Collapse)
