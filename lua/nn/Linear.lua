--- Affine map of vectors.
-- y = W x + b. Shapes: x (in) -> (out), or (N, in) -> (N, out).
-- @classmod nn.Linear
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local boundOf = require 'nn.support.bound'

local Linear, parent = torch.class('nn.Linear', 'nn.Module')

--- @tparam int inputSize
-- @tparam int outputSize
-- @tparam[opt=true] boolean bias false leaves b out
function Linear:__init(inputSize, outputSize, bias)
  check.int('nn.Linear', 'inputSize', inputSize, { min = 1 })
  check.int('nn.Linear', 'outputSize', outputSize, { min = 1 })
  parent.__init(self)
  self:declare('weight', torch.Tensor(outputSize, inputSize))
  if bias ~= false then self:declare('bias', torch.Tensor(outputSize)) end
  self:reset()
end

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

function Linear:compute(input)
  local dim = input:dim()
  if dim ~= 1 and dim ~= 2 then
    error(('nn.Linear: input: %d dimensions, input must be vector or matrix'):format(dim), 0)
  end
  return torch.linear(input, self.weight, self.bias)
end
Linear.letsGo = Linear.compute

--- Keeps a vector of ones, as long as the batch, in the field addBuffer: subclasses sum rows with it.
function Linear:updateAddBuffer(input)
  local count, ones = input:size(1), self.addBuffer
  if not ones then
    ones = input.new()
    self.addBuffer = ones
  end
  if ones:nElement() ~= count then ones:resize(count):fill(1) end
end

function Linear:updateOutput(input)
  local output = parent.updateOutput(self, input)
  if input:dim() == 2 then self:updateAddBuffer(input) end
  return output
end

Linear.derived = { updateOutput = Linear.updateOutput, updateGradInput = parent.updateGradInput,
                   accGradParameters = parent.accGradParameters }

Linear.transient = { 'addBuffer' }

-- The gradient does not depend on the weights, so they may change under it.
Linear.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

function Linear:__tostring__()
  return ('%s(%d -> %d)%s'):format(torch.type(self), self.weight:size(2), self.weight:size(1), self.bias and '' or ' without bias')
end

return Linear
