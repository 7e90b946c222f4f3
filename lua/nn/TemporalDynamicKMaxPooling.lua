--- The k largest values of each feature over time, in the order of time; k = max(minK, ceil(factor T)).
-- Shapes: x (T, F) -> (k, F), or both with leading N.
-- Source: Kalchbrenner et al. (2014), "A Convolutional Neural Network for Modelling Sentences", ACL.
-- @classmod nn.TemporalDynamicKMaxPooling
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local refuse = require 'torch.check.refuse'
local Module = nn.Module

local TemporalDynamicKMaxPooling = nn.declare {
  name = 'nn.TemporalDynamicKMaxPooling',
  widens = false,
  compute = function(self, input)
    if input:dim() ~= 2 and input:dim() ~= 3 then refuse.shape('Only 2D or 3D(batch mode) accepted') end
    self.k_min = check.whole('nn.TemporalDynamicKMaxPooling', 'minK', self.k_min, { min = 1 })
    check.number('nn.TemporalDynamicKMaxPooling', 'factor', self.k_factor, { min = 0, max = 1 })
    local time = input:dim() - 1
    if input:size(time) < self.k_min then
      refuse.shape('Input sequence length (' .. input:size(time) .. ') too small for desired k value')
    end
    local k = math.max(self.k_min, math.ceil(self.k_factor * input:size(time)))
    local _, largest = torch.topk(input:detach(), k, time, true)
    self.indices = torch.sort(largest, time)
    return torch.gather(input, time, self.indices)
  end,
  transient = { 'indices' },
  samples = {
    { 'TemporalDynamicKMaxPooling(2, 0.5)', { 2, 7, 3 }, rows = true }, { 'TemporalDynamicKMaxPooling(2)', { 2, 7, 3 }, rows = true },
  },
}

--- @tparam int minK minimum of k
-- @tparam[opt=0] number factor fraction of the frames
function TemporalDynamicKMaxPooling:__init(minK, factor)
  Module.__init(self)
  self.k_min, self.k_factor = minK, factor or 0
  self.indices = torch.LongTensor()
end

return TemporalDynamicKMaxPooling
