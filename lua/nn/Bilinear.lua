--- Products of two vectors through learnt matrices.
-- y[k] = x1' W[k] x2 + b[k]. Shapes: {x1 (N, in1), x2 (N, in2)} -> (N, out).
-- @classmod nn.Bilinear
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local boundOf = require 'nn.support.bound'

local Bilinear, parent = torch.class('nn.Bilinear', 'nn.Module')
Bilinear.takes = 'table'

--- @tparam int inputSize1
-- @tparam int inputSize2
-- @tparam int outputSize
-- @tparam[opt=true] boolean bias
function Bilinear:__init(inputSize1, inputSize2, outputSize, bias)
  local where = 'nn.Bilinear'
  check.int(where, 'inputSize1', inputSize1, { min = 1 })
  check.int(where, 'inputSize2', inputSize2, { min = 1 })
  check.int(where, 'outputSize', outputSize, { min = 1 })
  parent.__init(self)
  self:declare('weight', torch.Tensor(outputSize, inputSize1, inputSize2))
  if bias ~= false then self:declare('bias', torch.Tensor(outputSize)) end
  self.gradInput = { torch.Tensor(), torch.Tensor() }
  self:reset()
end

--- Takes the bias away.
-- @treturn nn.Bilinear self
function Bilinear:noBias()
  self.bias, self.gradBias = nil, nil
  return self
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(inputSize1).
-- @tparam[opt] number stdv standard deviation to have instead
-- @treturn nn.Bilinear self
function Bilinear:reset(stdv)
  self:draw(boundOf(self, stdv, 1 / math.sqrt(self.weight:size(2))))
  return self
end

function Bilinear:compute(input)
  local weight, x1, x2 = self.weight, input[1], input[2]
  assert(#input == 2 and x1:dim() == 2 and x2:dim() == 2 and x1:size(1) == x2:size(1),
    'nn.Bilinear: input: a table of two matrices with equally many rows was expected')
  local out, in1, in2 = weight:size(1), weight:size(2), weight:size(3)
  assert(x1:size(2) == in1 and x2:size(2) == in2,
    ('nn.Bilinear: input: rows of %d and %d, expected %d and %d'):format(x1:size(2), x2:size(2), in1, in2))
  local matrices = torch.reshape(torch.transpose(weight, 1, 2), in1, out * in2)
  local rows = torch.view(torch.mm(x1, matrices), x1:size(1), out, in2)
  local output = torch.view(torch.bmm(rows, torch.view(x2:contiguous(), x2:size(1), in2, 1)), x1:size(1), out)
  return self.bias and torch.add(output, torch.view(self.bias, 1, out)) or output
end

Bilinear.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

function Bilinear:__tostring__()
  local weight = self.weight
  return ('%s(%dx%d -> %d) %s'):format(torch.type(self), weight:size(2), weight:size(3), weight:size(1),
    self.bias and '' or ' without bias')
end

return Bilinear
