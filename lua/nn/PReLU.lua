--- x where it is positive, else w x: w is learnt, one for all or one a channel (dimension 2, or 1 of vectors). Any shape.
-- Source: He et al. (2015), "Delving Deep into Rectifiers", ICCV, eq. 1.
-- @classmod nn.PReLU
local torch = require 'torch'
require 'nn'

local PReLU, parent = torch.class('nn.PReLU', 'nn.Module')

--- @tparam[opt=0] int nOutputPlane number of channels; 0 for one slope for all
function PReLU:__init(nOutputPlane)
  parent.__init(self)
  self.nOutputPlane = nOutputPlane or 0
  self:declare('weight', torch.Tensor(math.max(1, self.nOutputPlane)):fill(0.25))
end

-- Of modules in old files, which lack it.
PReLU.nOutputPlane = 0

function PReLU:compute(input)
  local weight = self.weight
  if self.nOutputPlane > 0 then
    local dim = input:dim() > 1 and 2 or 1
    if input:size(dim) ~= self.nOutputPlane then
      error(('nn.PReLU: input: Wrong number of input planes. Expected %d but got %d.'):format(self.nOutputPlane, input:size(dim)), 0)
    end
    local sizes = {}
    for d = 1, input:dim() do sizes[d] = d == dim and self.nOutputPlane or 1 end
    weight = torch.view(weight, torch.LongStorage(sizes))
  end
  return torch.where(torch.gt(input, 0), input, torch.cmul(input, weight))
end

--- @treturn torch.Tensor gradWeight
function PReLU:accGradParameters(...)
  parent.accGradParameters(self, ...)
  return self.gradWeight
end

PReLU.derived = {
  updateOutput = parent.updateOutput, updateGradInput = parent.updateGradInput, accGradParameters = PReLU.accGradParameters,
}

return PReLU
