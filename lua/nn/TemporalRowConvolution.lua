--- Separate convolution over time of each element of a frame.
-- Shapes: x (T, F) -> (floor((T - kW) / dW) + 1, F), with `featFirst` x (F, T) -> (F, ...), or both with leading N; weight (F, 1, kW).
-- @classmod nn.TemporalRowConvolution
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'
local refuse = require 'torch.check.refuse'

local TemporalRowConvolution, parent = nn.declare {
  name = 'nn.TemporalRowConvolution',
  compute = function(self, input)
    local dim = input:dim()
    if dim ~= 2 and dim ~= 3 then
      refuse.shape(('nn.TemporalRowConvolution: input: 2D or 3D (batch mode) tensor expected for input, but got: [%s]'):format(
        table.concat(input:size():totable(), ' x ')))
    end
    local rows = self.featFirst and input or torch.transpose(input, dim - 1, dim)
    if rows:size(dim - 1) ~= self.inputFrameSize then
      refuse.shape(('nn.TemporalRowConvolution: input: invalid input frame size. Got: %d, Expected: %d'):format(rows:size(dim - 1),
        self.inputFrameSize))
    end
    if rows:size(dim) < self.kW then
      refuse.shape(('nn.TemporalRowConvolution: input: input sequence smaller than kernel size. Got: %d, Expected: %d'):format(
        rows:size(dim), self.kW))
    end
    local output = torch.conv1d(rows, self.weight, self.bias, self.dW, self.padW, 1, self.inputFrameSize)
    return self.featFirst and output or torch.transpose(output, dim - 1, dim):contiguous()
  end,
  prints = function(self)
    local step = self.dW ~= 1 and (', %d'):format(self.dW) or ''
    return ('(%d, %d%s)%s'):format(self.inputFrameSize, self.kW, step, self.bias and '' or ' without bias')
  end,
  samples = {
    { 'TemporalRowConvolution(3, 2)', { 2, 5, 3 }, rows = true },
    { 'TemporalRowConvolution(3, 2, 2, true):noBias()', { 2, 3, 6 }, rows = true },
  },
}

--- @tparam int inputFrameSize elements of a frame
-- @tparam int kW frames per output frame
-- @tparam[opt=1] int dW step in frames
-- @tparam[opt=false] boolean featFirst whether time is the last dimension
function TemporalRowConvolution:__init(inputFrameSize, kW, dW, featFirst)
  local where = 'nn.TemporalRowConvolution'
  parent.__init(self)
  self.inputFrameSize = check.whole(where, 'inputFrameSize', inputFrameSize, { min = 1 })
  self.kW = check.whole(where, 'kW', kW, { min = 1 })
  self.dW = check.whole(where, 'dW', dW or 1, { min = 1 })
  self.featFirst, self.padW = featFirst and true or false, 0
  self:declare('weight', torch.Tensor(inputFrameSize, 1, self.kW))
  self:declare('bias', torch.Tensor(inputFrameSize))
  self:reset()
end

--- Removes the bias.
-- @treturn nn.TemporalRowConvolution self
TemporalRowConvolution.noBias = require 'nn.support.no_bias'

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kW inputFrameSize).
-- @tparam[opt] number stdv standard deviation of the draws instead
function TemporalRowConvolution:reset(stdv)
  window.draw(self, stdv, self.kW * self.inputFrameSize)
end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
TemporalRowConvolution.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return TemporalRowConvolution
