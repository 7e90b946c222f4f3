--- Merges all dimensions of a sample into one: (N, …) -> (N, rest), and a single sample -> a vector.
-- @classmod nn.Collapse
local nn, elements = require 'nn', require 'torch.names.element_count'

local Collapse, parent = nn.declare {
  name = 'nn.Collapse', shows = true,
  values = { 'sizes' },
  formula = require 'nn.support.reshaping'(function(self, input)
    if input:dim() <= self.nInputDim then return { input:nElement() } end
    return { input:size(1), elements(input:size(), 2) }
  end),
  samples = { { 'Collapse(2)', { 2, 3, 2 }, rows = true } },
}

--- @tparam int nInputDim number of dimensions of a sample
function Collapse:__init(nInputDim)
  parent.__init(self)
  self.nInputDim = nInputDim
end

Collapse.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return Collapse
