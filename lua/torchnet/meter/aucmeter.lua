--- The area under the curve of true by false positives.
-- @module torchnet.meter.aucmeter
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'
local pair = require('torchnet.meter').pair

--- @type tnt.AUCMeter
local AUCMeter = torch.class('tnt.AUCMeter', 'tnt.Meter', tnt)

AUCMeter.__init = argcheck {
  help = 'The area under the curve of true by false positives.',
  { name = 'self', type = 'tnt.AUCMeter' }, call = function(self) self:reset() end,
}

--- Forgets all samples.
function AUCMeter:reset() self.scores, self.targets = {}, {} end

--- Takes samples.
-- @function add
-- @tparam torch.Tensor output scores (N)
-- @tparam torch.Tensor target 0 or 1 (N)
AUCMeter.add = argcheck {
  { name = 'self', type = 'tnt.AUCMeter' }, { name = 'output', type = 'torch.*Tensor' }, { name = 'target', type = 'torch.*Tensor' },
  call = function(self, output, target)
    local scores, truth = pair('tnt.AUCMeter', output:contiguous():view(-1), target:contiguous():view(-1))
    self.scores[#self.scores + 1], self.targets[#self.targets + 1] = scores:view(-1):clone(), truth:view(-1):clone()
  end,
}

--- @treturn number area, 0.5 of scores that say nothing; without positive or negative samples NaN
-- @treturn torch.DoubleTensor shares of the positive samples that were found, from none to all samples by falling score
-- @treturn torch.DoubleTensor shares of the negative samples that were taken for positive
function AUCMeter:value()
  if #self.scores == 0 then return 0.5, torch.DoubleTensor { 0, 1 }, torch.DoubleTensor { 0, 1 } end
  local _, order = torch.sort(torch.cat(self.scores, 1), 1, true)
  local truth = torch.cat(self.targets, 1):index(1, order)
  local count = truth:size(1)
  local tpr, fpr = torch.DoubleTensor(count + 1):zero(), torch.DoubleTensor(count + 1):zero()
  tpr:narrow(1, 2, count):copy(truth:cumsum(1)):div(truth:sum())
  fpr:narrow(1, 2, count):copy((-truth + 1):cumsum(1)):div(count - truth:sum())
  local widths = fpr:narrow(1, 2, count) - fpr:narrow(1, 1, count)
  local heights = (tpr:narrow(1, 2, count) + tpr:narrow(1, 1, count)) / 2
  return widths:dot(heights), tpr, fpr
end

return { AUCMeter = tnt.AUCMeter }
