--- Affine map of vectors.
-- y = W x + b. Shapes: x (in) -> (out), or (N, in) -> (N, out).
-- @classmod nn.Linear
local nn = require 'nn'
local boundOf = require 'nn.support.bound'

local function updateAddBuffer(self, input)
  local count, ones = input:size(1), self.addBuffer
  if not ones then
    ones = input.new()
    self.addBuffer = ones
  end
  if ones:nElement() ~= count then ones:resize(count):fill(1) end
end

--- @tparam int inputSize
-- @tparam int outputSize
-- @tparam[opt=true] boolean bias false leaves b out
local Linear = nn.declare {
  name = 'nn.Linear',
  options = { { 'inputSize', 'int', min = 1 }, { 'outputSize', 'int', min = 1 }, { 'bias', 'boolean', default = true } },
  parameters = {
    { 'weight', function(options) return options.outputSize, options.inputSize end },
    { 'bias', function(options) if options.bias then return options.outputSize end end },
  },
  formula = 'linear(input, weight, bias)',
  accepts = function(_, input)
    local dim = input:dim()
    if dim ~= 1 and dim ~= 2 then
      error(('nn.Linear: input: %d dimensions, input must be vector or matrix'):format(dim), 0)
    end
  end,
  dims = { 1, 2 },
  resized = function(self, input)
    if input:dim() == 2 then updateAddBuffer(self, input) end
  end,
  transient = { 'addBuffer' },
  prints = function(self)
    return ('(%d -> %d)%s'):format(self.weight:size(2), self.weight:size(1), self.bias and '' or ' without bias')
  end,
  samples = { { 'Linear(3, 2)', { 4, 3 }, rows = true }, { 'Linear(3, 2, false)', { 4, 3 }, rows = true } },
}

--- Takes the bias away.
-- @treturn nn.Linear self
function Linear:noBias()
  self.bias, self.gradBias = nil, nil
  return self
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(inputSize).
-- @tparam[opt] number stdv standard deviation to have instead
-- @treturn nn.Linear self
function Linear:reset(stdv)
  local bound = boundOf(self, stdv, 1 / math.sqrt(self.weight:size(2)))
  self:draw(bound)
  return self
end

--- Keeps a vector of ones, as long as the batch, in the field addBuffer: subclasses sum rows with it.
Linear.updateAddBuffer = updateAddBuffer

-- The gradient does not depend on the weights, so they may change under it.
Linear.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return Linear
