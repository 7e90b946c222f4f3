--- x where it is positive, else w x: w is learnt, one for all or one per channel (dimension 2, or 1 of vectors). Any shape.
-- Source: He et al. (2015), "Delving Deep into Rectifiers", ICCV, eq. 1.
-- @classmod nn.PReLU
local torch, check = require 'torch', require 'torch.check'
local refuse = require 'torch.check.refuse'

local PReLU, parent = require 'nn'.declare {
  name = 'nn.PReLU',
  parameters = { { 'weight' } },
  values = { 'sizes' },
  formula = function(self, input)
    local planes, dims = self.nOutputPlane, input:dim()
    if planes <= 1 then return 'where(gt(input, 0), input, cmul(input, weight))' end
    local dim = dims > 1 and 2 or 1
    if input:size(dim) ~= planes then
      refuse.shape(('nn.PReLU: input: Wrong number of input planes. Expected %d but got %d.'):format(planes, input:size(dim)))
    end
    if dims <= 2 then return 'where(gt(input, 0), input, cmul(input, weight))' end
    local sizes = {}
    for d = 1, dims do sizes[d] = d == dim and planes or 1 end
    return 'where(gt(input, 0), input, cmul(input, view(weight, sizes)))', sizes
  end,
  samples = {
    { 'PReLU()', { 4, 3 } }, { 'PReLU(3)', { 4, 3 }, rows = true }, { 'PReLU(3)', { 2, 3, 2, 2 }, of = 'planes' },
  },
}

--- @tparam[opt=0] int nOutputPlane number of channels; 0 and 1 for one slope for all
-- @tparam[opt=0.25] number init the slopes at first
function PReLU:__init(nOutputPlane, init)
  parent.__init(self)
  self.nOutputPlane = nOutputPlane and check.whole('nn.PReLU', 'nOutputPlane', nOutputPlane, { min = 0 }) or 0
  self:declare('weight', torch.Tensor(math.max(1, self.nOutputPlane)):fill(check.number('nn.PReLU', 'init', init or 0.25)))
end

-- For modules in old files, which lack it.
PReLU.nOutputPlane = 0

local accumulate = PReLU.accGradParameters

--- @treturn torch.Tensor gradWeight
function PReLU:accGradParameters(...)
  accumulate(self, ...)
  return self.gradWeight
end

PReLU.derived.accGradParameters = PReLU.accGradParameters

return PReLU
