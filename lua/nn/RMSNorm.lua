--- Root-mean-square layer normalisation.
-- y = x / sqrt(mean(x^2) + eps) * weight, with the mean over the last dimensions, whose sizes are given.
-- Source: Zhang & Sennrich (2019), "Root Mean Square Layer Normalization", NeurIPS, eq. 4.
-- Shapes: x (…, sizes) -> (…, sizes), any number of leading dimensions, same dtype (16-bit floats compute in float32).
-- @classmod nn.RMSNorm
local check = require 'torch.check'

--- @tparam int|{int,...} size length of the last dimension, 1 or more, or sizes of the last dimensions
-- @tparam[opt=1e-6] number eps added to the mean square, not negative
-- @tparam[opt=true] boolean affine whether a weight is learnt
local RMSNorm = require 'nn'.declare {
  name = 'nn.RMSNorm',
  options = {
    { 'size', 'sizes', min = 1, field = 'sizes' }, { 'eps', 'number', min = 0, default = 1e-6, field = 'eps' },
    { 'affine', 'boolean', default = true },
  },
  parameters = { { 'weight', function(options) if options.affine then return unpack(options.size) end end } },
  values = { 'rows', 'whole' },
  formula = function(self, input)
    local sizes = self.sizes
    if not sizes or #sizes == 1 then return 'rmsNorm(input, weight, eps)' end
    local count = 1
    for _, size in ipairs(sizes) do count = count * size end
    return 'view(rmsNorm(view(contiguous(input), rows), weight, eps), whole)', { -1, count }, input:size():totable()
  end,
  keeps = { '_invrms' }, transient = { '_invrms' },
  accepts = function(self, input)
    local sizes = self.sizes or { self.weight:size(1) }                            -- files of version 8.0 lack them
    if #sizes == 1 then return check.lastSize('nn.RMSNorm', 'input', input, sizes[1]) end
    local first = input:dim() - #sizes
    for d, size in ipairs(sizes) do
      if first < 0 or input:size(first + d) ~= size then
        check.raise(('nn.RMSNorm: input: %s, expected [%s] in the last dimensions'):format(
          require('torch.check.message').sizes(input), table.concat(sizes, ', ')), 'shape')
      end
    end
  end,
}
RMSNorm.__givesWay = true

--- Sets the weight to 1.
function RMSNorm:reset() self:fillIdentity() end

return RMSNorm
