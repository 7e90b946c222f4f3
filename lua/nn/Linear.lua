--- Affine map of vectors.
-- y = W x + b over the last dimension. Shapes: x (in) -> (out), (N, in) -> (N, out), or (..., in) -> (..., out) with any number of leading
-- dimensions; or a sparse matrix (N, in) of `torch.sparse` -> (N, out). The gradient with respect to a sparse matrix is dense in Torch7's
-- protocol, unless gradInput is nil; on the tape its values have one.
-- @classmod nn.Linear
local torch, nn = require 'torch', require 'nn'
local boundOf = require 'nn.support.bound'
local refuse = require 'torch.check.refuse'

local function updateAddBuffer(self, input)
  local count, ones = input:size(1), self.addBuffer
  if not ones then
    ones = input.new()
    self.addBuffer = ones
  end
  if ones:nElement() ~= count then ones:resize(count):fill(1) end
end

local dims = {}
for count = 1, 31 do dims[count] = count end                         -- the last one also represents all larger numbers

-- Torch7's backward ignores inputs with more than two dimensions. Some programs pass it images whose flattened matrix was the input of
-- forward.
local function skips(self, input)
  local output = self.output
  if not (torch.isTensor(input) and input:dim() > 2 and torch.isTensor(output) and (output:dim() == 1 or output:dim() == 2)) then
    return false
  end
  if self.gradInput then self.gradInput:set(self.gradInput.new():resize(input:size()):zero()) end
  return true
end

--- @tparam int inputSize
-- @tparam int outputSize
-- @tparam[opt=true] boolean bias if false, there is no b
local Linear = nn.declare {
  name = 'nn.Linear',
  options = { { 'inputSize', 'int', min = 1 }, { 'outputSize', 'int', min = 1 }, { 'bias', 'boolean', default = true } },
  parameters = {
    { 'weight', function(options) return options.outputSize, options.inputSize end },
    { 'bias', function(options) if options.bias then return options.outputSize end end },
  },
  formula = 'linear(input, weight, bias)',
  explain = function(_, _, input)
    if torch.isTensor(input) and input:dim() == 0 then
      refuse.shape('nn.Linear: input: a tensor without dimensions, expected a vector or vectors along its last dimension')
    end
  end,
  dims = dims, skips = skips,
  sparse = function(self, gradOutput) return torch.mm(torch.reshape(gradOutput, self.output:size()), self.weight) end,
  resized = function(self, input)
    if torch.isTensor(input) and input:dim() == 2 then updateAddBuffer(self, input) end
  end,
  transient = { 'addBuffer' },
  prints = function(self)
    return ('(%d -> %d)%s'):format(self.weight:size(2), self.weight:size(1), self.bias and '' or ' without bias')
  end,
  samples = { { 'Linear(3, 2)', { 4, 3 }, rows = true }, { 'Linear(3, 2, false)', { 4, 3 }, rows = true } },
}

--- Removes the bias.
-- @treturn nn.Linear self
Linear.noBias = require 'nn.support.no_bias'

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(inputSize).
-- @tparam[opt] number stdv standard deviation instead
-- @treturn nn.Linear self
function Linear:reset(stdv)
  local bound = boundOf(self, stdv, 1 / math.sqrt(self.weight:size(2)))
  self:draw(bound)
  return self
end

--- Fills the field addBuffer with ones, one per row of the batch. Subclasses use it to sum rows.
Linear.updateAddBuffer = updateAddBuffer

-- The gradient does not depend on the weights, so the update may change them during accumulation.
Linear.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return Linear
