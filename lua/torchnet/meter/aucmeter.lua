--- The area under the ROC curve, of true positives over false positives.
-- @module torchnet.meter.aucmeter
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'
local pair = require('torchnet.meter').pair

--- @type tnt.AUCMeter
local AUCMeter = torch.class('tnt.AUCMeter', 'tnt.Meter', tnt)

AUCMeter.__init = argcheck {
  help = 'The area under the curve of true by false positives.',
  { name = 'self', type = 'tnt.AUCMeter' }, call = function(self) self:reset() end,
}

--- Removes all samples.
function AUCMeter:reset() self.scores, self.targets = {}, {} end

--- Adds samples.
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

--- @treturn number area, 0.5 for uninformative scores; NaN without positive or negative samples
-- @treturn torch.DoubleTensor true positive rates, from no to all samples by descending score
-- @treturn torch.DoubleTensor false positive rates
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
