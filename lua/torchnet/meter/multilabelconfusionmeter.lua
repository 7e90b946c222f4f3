--- Confusion matrix of classes for samples with several classes.
-- @module torchnet.meter.multilabelconfusionmeter
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'
local pair = require('torchnet.meter').pair

--- For a sample with m classes, the m best scores are the predictions. Right predictions count on the diagonal; each wrong one is
-- divided equally between the sample's classes that were not predicted.
-- @type tnt.MultiLabelConfusionMeter
local Multi = torch.class('tnt.MultiLabelConfusionMeter', 'tnt.Meter', tnt)

--- @function __init
-- @int k number of classes
-- @bool[opt=true] normalized whether the sum of each row is 1
Multi.__init = argcheck {
  help = 'Which classes are taken for which where a sample has several.',
  { name = 'self', type = 'tnt.MultiLabelConfusionMeter' },
  { name = 'k', type = 'number', help = 'number of classes', check = function(k) return k >= 1 and k % 1 == 0 end },
  { name = 'normalized', type = 'boolean', default = true, help = 'rows add up to 1' },
  call = function(self, k, normalized)
    self.k, self.normalized = k, normalized
    self:reset()
  end,
}

--- Removes all samples.
function Multi:reset() self.conf = torch.DoubleTensor(self.k, self.k):zero() end

local function addSample(self, scores, truth)
  local count = truth:sum()
  if count == 0 then return end
  local _, best = scores:topk(count, 1, true, true)
  local missed, wrong, isMissed = {}, {}, {}
  for c = 1, self.k do isMissed[c] = truth[c] == 1 end
  for _, c in ipairs(best:totable()) do
    if isMissed[c] then
      self.conf[c][c] = self.conf[c][c] + 1
      isMissed[c] = false
    else
      wrong[#wrong + 1] = c
    end
  end
  for c = 1, self.k do
    if isMissed[c] then missed[#missed + 1] = c end
  end
  for _, target in ipairs(missed) do
    for _, c in ipairs(wrong) do self.conf[target][c] = self.conf[target][c] + 1 / #missed end
  end
end

--- Adds a batch.
-- @function add
-- @tparam torch.Tensor output scores (N, k)
-- @tparam torch.Tensor target 1 for each class of a sample, otherwise 0 (N, k)
Multi.add = argcheck {
  { name = 'self', type = 'tnt.MultiLabelConfusionMeter' }, { name = 'output', type = 'torch.*Tensor' },
  { name = 'target', type = 'torch.*Tensor' },
  call = function(self, output, target)
    local where = 'tnt.MultiLabelConfusionMeter'
    local scores, truth = pair(where, output, target)
    check.that(scores:size(2) == self.k, ('%s: output: %d classes, expected %d'):format(where, scores:size(2), self.k))
    for i = 1, scores:size(1) do addSample(self, scores[i], truth[i]) end
  end,
}

--- @treturn torch.Tensor (k, k): rows are targets, columns are predictions
function Multi:value()
  if not self.normalized then return self.conf end
  return torch.cdiv(self.conf, self.conf:sum(2):clamp(1e-12, math.huge):expandAs(self.conf))
end

return { MultiLabelConfusionMeter = tnt.MultiLabelConfusionMeter }
