--- Convolution over time of sequences of frames.
-- Shapes: x (T, inF) -> (floor((T - kW) / dW) + 1, outF), or both with leading N; weight (outF, kW inF), with kW concatenated frames.
-- @classmod nn.TemporalConvolution
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'
local refuse = require 'torch.check.refuse'

local TemporalConvolution, parent = nn.declare {
  name = 'nn.TemporalConvolution', letsGo = true,
  -- One matrix product of the windows, with kW frames each, and the weight.
  compute = function(self, input)
    local dim, frame = input:dim(), self.inputFrameSize
    if dim ~= 2 and dim ~= 3 then
      refuse.shape(('nn.TemporalConvolution: input: 2D or 3D (batch mode) tensor expected for input, but got: [%s]'):format(
        table.concat(input:size():totable(), ' x ')))
    end
    if input:size(dim) ~= frame then
      refuse.shape(('nn.TemporalConvolution: input: invalid input frame size. Got: %d, Expected: %d'):format(input:size(dim), frame))
    end
    local length = input:size(dim - 1)
    if length < self.kW then
      refuse.shape(('nn.TemporalConvolution: input: input sequence smaller than kernel size. Got: %d, Expected: %d'):format(length,
        self.kW))
    end
    local batch = dim == 3 and input:size(1) or 1
    local windows = torch.transpose(torch.unfold(input, dim - 1, self.kW, self.dW), dim, dim + 1)     -- ..., count, kW, frame
    local count = windows:size(dim - 1)
    local output = torch.linear(torch.reshape(windows, { batch * count, self.kW * frame }), self.weight, self.bias)
    return dim == 3 and torch.view(output, batch, count, self.outputFrameSize) or output
  end,
  samples = {
    { 'TemporalConvolution(3, 4, 2)', { 2, 5, 3 }, rows = true }, { 'TemporalConvolution(3, 2, 3, 2)', { 2, 7, 3 }, rows = true },
  },
}

--- @tparam int inputFrameSize elements of a frame of the input
-- @tparam int outputFrameSize elements of a frame of the output
-- @tparam int kW frames per output frame
-- @tparam[opt=1] int dW step in frames
function TemporalConvolution:__init(inputFrameSize, outputFrameSize, kW, dW)
  local where = 'nn.TemporalConvolution'
  parent.__init(self)
  self.inputFrameSize = check.whole(where, 'inputFrameSize', inputFrameSize, { min = 1 })
  self.outputFrameSize = check.whole(where, 'outputFrameSize', outputFrameSize, { min = 1 })
  self.kW = check.whole(where, 'kW', kW, { min = 1 })
  self.dW = check.whole(where, 'dW', dW or 1, { min = 1 })
  self:declare('weight', torch.Tensor(outputFrameSize, inputFrameSize * self.kW))
  self:declare('bias', torch.Tensor(outputFrameSize))
  self:reset()
end

--- Removes the bias.
-- @treturn nn.TemporalConvolution self
TemporalConvolution.noBias = require 'nn.support.no_bias'

-- PyTorch's weight is (outF, inF, kW).
function TemporalConvolution:_stateView(field, tensor)
  if field ~= 'weight' then return tensor end
  return tensor:view(self.outputFrameSize, self.kW, self.inputFrameSize):transpose(2, 3)
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kW inputFrameSize).
-- @tparam[opt] number stdv standard deviation of the draws instead
function TemporalConvolution:reset(stdv)
  window.draw(self, stdv, self.kW * self.inputFrameSize)
end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
TemporalConvolution.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return TemporalConvolution
