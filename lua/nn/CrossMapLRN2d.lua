--- Normalises images across channels: x / (k + alpha / size * sum of x^2 over the channels around)^beta, the sum over floor((size - 1) / 2)
-- channels on both sides, as in nn.SpatialCrossMapLRN. (PyTorch's sums differ at channels whose window has left the first one.)
-- Shapes, unchanged: x (N, C, H, W).
-- @classmod nn.CrossMapLRN2d
local nn, refuse = require 'nn', require 'torch.check.refuse'
local response = require 'nn.support.response'

--- @function __init
-- @tparam int size
-- @tparam[opt=1e-4] number alpha
-- @tparam[opt=0.75] number beta
-- @tparam[opt=1] number k
local CrossMapLRN2d = nn.declare {
  name = 'nn.CrossMapLRN2d',
  options = {
    { 'size', 'int', min = 1, field = 'size' }, { 'alpha', 'number', default = 1e-4, field = 'alpha' },
    { 'beta', 'number', default = 0.75, field = 'beta' }, { 'k', 'number', default = 1, field = 'k' },
  },
  compute = function(self, input)
    if input:dim() ~= 4 then refuse.shape(('nn.CrossMapLRN2d: input: %d dimensions, expected 4'):format(input:dim())) end
    local around = math.floor((self.size - 1) / 2)
    return response('nn.CrossMapLRN2d', input, self.size, around, around, self.alpha, self.beta, self.k)
  end,
  prints = function(self) return ('(%d)'):format(self.size) end,
  samples = { { 'CrossMapLRN2d(3, 0.5)', { 2, 5, 2, 3 } } },
}
CrossMapLRN2d.__givesWay = true      -- Torch7 lacks it

return CrossMapLRN2d
