--- Average precision: how high the samples of a class rank when all samples are sorted by its score.
-- @module torchnet.meter.apmeter
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'
local pair = require('torchnet.meter').pair

--- Average precision by class.
-- @type tnt.APMeter
local APMeter = torch.class('tnt.APMeter', 'tnt.Meter', tnt)

APMeter.__init = argcheck {
  help = 'Average precision by class.',
  { name = 'self', type = 'tnt.APMeter' }, call = function(self) self:reset() end,
}

--- Removes all samples.
function APMeter:reset() self.scores, self.targets, self.weights = {}, {}, {} end

--- Adds samples.
-- @function add
-- @tparam torch.Tensor output scores (N, K), or (N) for one class
-- @tparam torch.Tensor target 0 or 1, of the same size
-- @tparam[opt] torch.Tensor weight of the samples (N), not negative
APMeter.add = argcheck {
  { name = 'self', type = 'tnt.APMeter' }, { name = 'output', type = 'torch.*Tensor' }, { name = 'target', type = 'torch.*Tensor' },
  { name = 'weight', type = 'torch.*Tensor', opt = true },
  call = function(self, output, target, weight)
    local scores, truth = pair('tnt.APMeter', output, target)
    local count = scores:size(1)
    if weight and (weight:nElement() ~= count or count > 0 and weight:min() < 0) then
      check.raise(('tnt.APMeter: weight: %d numbers, expected %d that are not negative'):format(weight:nElement(), count))
    end
    if self.scores[1] and self.scores[1]:size(2) ~= scores:size(2) then
      check.raise(('tnt.APMeter: output: %d classes, expected %d as before'):format(scores:size(2), self.scores[1]:size(2)))
    end
    local at = #self.scores + 1
    self.scores[at], self.targets[at] = scores:clone(), truth:clone()
    self.weights[at] = weight and weight:double():contiguous():view(-1):clone() or torch.DoubleTensor(count):fill(1)
  end,
}

--- @treturn torch.DoubleTensor (K): the mean, over the samples of a class, of the precision at its rank; 0 for a class without samples
function APMeter:value()
  if #self.scores == 0 then return torch.DoubleTensor { 0 } end
  local scores, targets, weights = torch.cat(self.scores, 1), torch.cat(self.targets, 1), torch.cat(self.weights, 1)
  local result = torch.DoubleTensor(scores:size(2))
  for k = 1, scores:size(2) do
    local _, order = torch.sort(scores:select(2, k):contiguous(), 1, true)
    local truth, weight = targets:select(2, k):index(1, order), weights:index(1, order)
    local precision = torch.cdiv(torch.cmul(truth, weight):cumsum(1), weight:cumsum(1):clamp(1e-300, math.huge))
    result[k] = precision:dot(truth) / math.max(truth:sum(), 1)
  end
  return result
end

--- The mean over all classes.
-- @type tnt.mAPMeter
local mAPMeter = torch.class('tnt.mAPMeter', 'tnt.Meter', tnt)

mAPMeter.__init = argcheck {
  help = 'Mean average precision.',
  { name = 'self', type = 'tnt.mAPMeter' }, call = function(self) self.meter = tnt.APMeter() end,
}

--- Removes all samples.
function mAPMeter:reset() self.meter:reset() end

--- Same as tnt.APMeter's.
function mAPMeter:add(...) self.meter:add(...) end

--- @treturn number
function mAPMeter:value() return self.meter:value():mean() end

return { APMeter = tnt.APMeter, mAPMeter = tnt.mAPMeter }
