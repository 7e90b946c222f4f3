--- A weight for each slice along the first dimension: y[i] = weight[i] x[i].
-- Shapes: x (nFeature, ...) -> the same.
-- @classmod nn.Diag
local torch = require 'torch'
local nn = require 'nn'

local function spread(self, input)
  local sizes = torch.LongStorage(input:dim()):fill(1)
  sizes[1] = self.weight:size(1)
  return self.weight:view(sizes)
end

--- @int nFeature
local Diag = nn.declare {
  name = 'nn.Diag',
  options = { { 'nFeature', 'int', min = 1 } },
  parameters = { { 'weight', function(options) return options.nFeature end } },
  compute = function(self, input)
    if input:dim() == 0 or input:size(1) ~= self.weight:size(1) then
      error(('nn.Diag: input: sizes [%s], expected %d along the first dimension'):format(table.concat(input:size():totable(), ', '),
        self.weight:size(1)), 0)
    end
    return torch.cmul(input, spread(self, input))
  end,
  samples = { { 'Diag(4)', { 4, 3 } }, { 'Diag(3)', { 3 } }, { 'Diag(2)', { 2, 3, 4 } } },
}

--- Sets all weights to 1.
function Diag:reset()
  self:fillIdentity()
  return self
end

return Diag
