--- Confusion matrix of classes.
-- @module torchnet.meter.confusionmeter
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'

--- @type tnt.ConfusionMeter
local ConfusionMeter = torch.class('tnt.ConfusionMeter', 'tnt.Meter', tnt)

--- @function __init
-- @int k number of classes
-- @bool[opt=false] normalized whether the sum of each row is 1
ConfusionMeter.__init = argcheck {
  help = 'Which classes are taken for which.',
  { name = 'self', type = 'tnt.ConfusionMeter' },
  { name = 'k', type = 'number', help = 'number of classes', check = function(k) return k >= 1 and k % 1 == 0 end },
  { name = 'normalized', type = 'boolean', default = false, help = 'rows add up to 1' },
  call = function(self, k, normalized)
    self.k, self.normalized = k, normalized
    self:reset()
  end,
}

--- Removes all samples.
function ConfusionMeter:reset() self.conf = torch.LongTensor(self.k, self.k):zero() end

-- Numbers of classes; for scores or indicators, that of the largest one.
local function classes(self, name, x)
  if x:dim() == 2 then
    if x:size(2) ~= self.k then
      check.raise(('tnt.ConfusionMeter: %s: %d classes, expected %d'):format(name, x:size(2), self.k))
    end
    local _, best = x:max(2)
    return best:view(-1)
  end
  local numbers = x:long():view(-1)
  if numbers:nElement() > 0 and (numbers:min() < 1 or numbers:max() > self.k) then
    check.raise(('tnt.ConfusionMeter: %s: class %d, expected 1 to %d'):format(name, numbers:min() < 1 and numbers:min()
      or numbers:max(), self.k))
  end
  return numbers
end

--- Adds a batch.
-- @function add
-- @tparam torch.Tensor output scores (N, k), or classes (N)
-- @tparam torch.Tensor target classes (N), or indicators (N, k)
ConfusionMeter.add = argcheck {
  { name = 'self', type = 'tnt.ConfusionMeter' }, { name = 'output', type = 'torch.*Tensor' },
  { name = 'target', type = 'torch.*Tensor' },
  call = function(self, output, target)
    local predicted, right = classes(self, 'output', output), classes(self, 'target', target)
    if predicted:size(1) ~= right:size(1) then
      check.raise(('tnt.ConfusionMeter: target: %d classes, the output has %d'):format(right:size(1), predicted:size(1)))
    end
    local places = (right - 1) * self.k + predicted
    self.conf:view(-1):indexAdd(1, places, torch.LongTensor(places:size(1)):fill(1))
  end,
}

--- @treturn torch.Tensor (k, k): rows are targets, columns are predictions; counts, or fractions of the rows
function ConfusionMeter:value()
  if not self.normalized then return self.conf end
  local counts = self.conf:double()
  return torch.cdiv(counts, counts:sum(2):clamp(1e-12, math.huge):expandAs(counts))
end

return { ConfusionMeter = tnt.ConfusionMeter }
