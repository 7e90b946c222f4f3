--- Products of two vectors through learnt matrices.
-- y[k] = x1' W[k] x2 + b[k]. Shapes: {x1 (…, in1), x2 (…, in2)} -> (…, out).
-- @classmod nn.Bilinear
local nn = require 'nn'
local boundOf = require 'nn.support.bound'
local refuse = require 'torch.check.refuse'

--- @tparam int inputSize1
-- @tparam int inputSize2
-- @tparam int outputSize
-- @tparam[opt=true] boolean bias
local Bilinear = nn.declare {
  name = 'nn.Bilinear', takes = 'table',
  options = {
    { 'inputSize1', 'int', min = 1 }, { 'inputSize2', 'int', min = 1 }, { 'outputSize', 'int', min = 1 },
    { 'bias', 'boolean', default = true },
  },
  parameters = {
    { 'weight', function(options) return options.outputSize, options.inputSize1, options.inputSize2 end },
    { 'bias', function(options) if options.bias then return options.outputSize end end },
  },
  compute = function(self, input)
    local weight, x1, x2 = self.weight, input[1], input[2]
    local dims = x1:dim()
    local fits = #input == 2 and dims > 0 and x2:dim() == dims
    for d = 1, fits and dims - 1 or 0 do fits = fits and x1:size(d) == x2:size(d) end
    if not fits then refuse.shape('nn.Bilinear: input: expected a table of two matrices with equally many rows') end
    local in1, in2 = weight:size(2), weight:size(3)
    if not (x1:size(dims) == in1 and x2:size(dims) == in2) then
      refuse.shape(('nn.Bilinear: input: rows of %d and %d, expected %d and %d'):format(x1:size(dims), x2:size(dims), in1, in2))
    end
    return nn.functional.bilinear(x1, x2, weight, self.bias)
  end,
  prints = function(self)
    local weight = self.weight
    return ('(%dx%d -> %d) %s'):format(weight:size(2), weight:size(3), weight:size(1), self.bias and '' or ' without bias')
  end,
  samples = { { 'Bilinear(3, 2, 4)', { { 5, 3 }, { 5, 2 } } }, { 'Bilinear(3, 2, 4, false)', { { 5, 3 }, { 5, 2 } } } },
}

--- Removes the bias.
-- @treturn nn.Bilinear self
Bilinear.noBias = require 'nn.support.no_bias'

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(inputSize1).
-- @tparam[opt] number stdv standard deviation of the draws instead
-- @treturn nn.Bilinear self
function Bilinear:reset(stdv)
  self:draw(boundOf(self, stdv, 1 / math.sqrt(self.weight:size(2))))
  return self
end

Bilinear.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return Bilinear
