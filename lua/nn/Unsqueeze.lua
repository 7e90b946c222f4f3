--- Inserts a dimension of size 1.
-- @classmod nn.Unsqueeze
local check, nn = require 'torch.check', require 'nn'
local refuse = require 'torch.check.refuse'

local Unsqueeze, parent = nn.declare {
  name = 'nn.Unsqueeze', shows = true,
  values = { 'place' },
  formula = function(self, input)
    local dims = input:dim()
    self.numInputDims = self.numInputDims or dims
    local pos = self.pos + dims - self.numInputDims
    if pos < 1 or pos > dims + 1 then
      refuse.shape(('Invalid position: %d. Input dims is %d, numInputDims is %d'):format(self.pos, dims, self.numInputDims))
    end
    return input:isChannelsLast() and 'unsqueeze(channelsLast(input), place)' or 'unsqueeze(input, place)', pos
  end,
  prints = function(self) return ('(dim %d)'):format(self.pos) end,
  samples = { { 'Unsqueeze(2)', { 3, 2 } } },
}

--- @tparam int pos position of the new dimension in a sample
-- @tparam[opt] int numInputDims number of dimensions of a sample; by default that of the first input
function Unsqueeze:__init(pos, numInputDims)
  parent.__init(self)
  self.pos = pos or check.raise 'nn.Unsqueeze: pos: nil, expected a dimension: the position to insert singleton dim not specified'
  self:setNumInputDims(numInputDims)
end

--- Sets the number of dimensions of a sample; nil for those of the next input.
-- @tparam ?int numInputDims
-- @treturn nn.Unsqueeze self
function Unsqueeze:setNumInputDims(numInputDims)
  self.numInputDims = numInputDims
  return self
end

return Unsqueeze
