--- The sum of each feature in each window of time, times a weight plus a bias for each feature.
-- Shapes: x (T, F) -> (floor((T - kW) / dW) + 1, F).
-- @classmod nn.TemporalSubSampling
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local window = require 'nn.support.window'
local refuse = require 'torch.check.refuse'

local TemporalSubSampling, parent = nn.declare {
  name = 'nn.TemporalSubSampling',
  compute = function(self, input)
    if input:dim() ~= 2 then
      refuse.shape(('nn.TemporalSubSampling: input: 2D tensor expected, but got: [%s]'):format(table.concat(input:size():totable(), ' x ')))
    end
    if input:size(2) ~= self.inputFrameSize then
      refuse.shape(('nn.TemporalSubSampling: input: invalid input frame size. Got: %d, Expected: %d'):format(input:size(2),
        self.inputFrameSize))
    end
    if input:size(1) < self.kW then
      refuse.shape(('nn.TemporalSubSampling: input: input sequence smaller than kernel size. Got: %d, Expected: %d'):format(input:size(1),
        self.kW))
    end
    local means = torch.squeeze(torch.avgPool2d(torch.unsqueeze(input, 1), self.kW, 1, self.dW, 1), 1)
    local frame = { 1, self.inputFrameSize }
    local sums = torch.cmul(torch.mul(means, self.kW), torch.reshape(self.weight, frame))
    return self.bias and torch.add(sums, torch.reshape(self.bias, frame)) or sums
  end,
  samples = { { 'TemporalSubSampling(3, 2, 2)', { 7, 3 } } },
}

--- @tparam int inputFrameSize elements of a frame
-- @tparam int kW frames in a window
-- @tparam[opt=1] int dW step in frames
function TemporalSubSampling:__init(inputFrameSize, kW, dW)
  local where = 'nn.TemporalSubSampling'
  parent.__init(self)
  self.inputFrameSize = check.whole(where, 'inputFrameSize', inputFrameSize, { min = 1 })
  self.kW = check.whole(where, 'kW', kW, { min = 1 })
  self.dW = check.whole(where, 'dW', dW or 1, { min = 1 })
  self:declare('weight', torch.Tensor(inputFrameSize))
  self:declare('bias', torch.Tensor(inputFrameSize))
  self:reset()
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kW).
-- @tparam[opt] number stdv standard deviation of the draws instead
function TemporalSubSampling:reset(stdv)
  window.draw(self, stdv, self.kW)
end

--- Removes the bias.
-- @treturn nn.TemporalSubSampling self
TemporalSubSampling.noBias = require 'nn.support.no_bias'

return TemporalSubSampling
