--- Losses of torch-autograd's programs: `autograd.loss`. They are sums, not means; the second result is the prediction.
-- @module autograd.classic.loss
local torch = require 'torch'
local onDeviceOf = require 'autograd.on_device_of'
local util = require 'autograd.classic.util'
local sizesOf = require('torch.check.message').sizes

local loss = {}

-- Arguments must have equal sizes: broadcasting would compute another loss.
local function checkSizes(name, out, target)
  if out:nElement() ~= target:nElement() then
    error(('%s: target: %s, expected %s as the output has'):format(name, sizesOf(target), sizesOf(out)), 0)
  end
end

--- -sum(out .* target), for log-probabilities.
-- @tparam torch.Tensor out log-probabilities
-- @tparam torch.Tensor target in the same size
function loss.logMultinomialLoss(out, target)
  checkSizes('logMultinomialLoss', out, target)
  return -torch.sum(torch.cmul(out, target))
end

--- Binary cross entropy of probabilities: -sum(target log(out + p) + (1 - target) log(1 - out + p)).
-- @tparam torch.Tensor out probabilities
-- @tparam torch.Tensor target in 0 to 1, with as many elements
-- @tparam[opt=0] number p keeps logarithms finite
function loss.logBCELoss(out, target, p)
  checkSizes('logBCELoss', out, target)
  p = p or 0
  local hits = torch.cmul(target, torch.log(torch.add(out, p)))
  local misses = torch.cmul(torch.add(torch.mul(target, -1), 1), torch.log(torch.add(torch.mul(out, -1), 1 + p)))
  return -torch.sum(torch.add(hits, misses))
end

--- Cross entropy of scores: the log-soft-max is taken over the whole tensor; target is an indicator.
-- @tparam torch.Tensor out scores
-- @tparam torch.Tensor target in the same size
-- @return loss
-- @return log-probabilities
function loss.crossEntropy(out, target)
  local prediction = util.logSoftMax(out)
  return loss.logMultinomialLoss(prediction, target), prediction
end

--- Binary cross entropy of scores, through a sigmoid; 1e-6 keeps the logarithms finite.
-- @tparam torch.Tensor out scores
-- @tparam torch.Tensor target in the same size
-- @return loss
-- @return probabilities
function loss.binaryCrossEntropy(out, target)
  local prediction = util.sigmoid(out)
  return loss.logBCELoss(prediction, target, 1e-6), prediction
end

--- Sum of squares.
-- @tparam torch.Tensor out
-- @tparam torch.Tensor target in the same size
-- @return loss
-- @return out
function loss.leastSquares(out, target)
  checkSizes('leastSquares', out, target)
  local difference = torch.add(out, torch.mul(target, -1))
  return torch.sum(torch.cmul(difference, difference)), out
end

--- The hinge over all pairs of a wanted and an unwanted class: sum of max(0, margin + unwanted - wanted).
-- @tparam torch.Tensor out scores, 1 dimension
-- @tparam torch.Tensor target 1 for the wanted classes, else 0
-- @tparam[opt=1] number margin
-- @return loss
-- @return out
function loss.margin(out, target, margin)
  checkSizes('margin', out, target)
  local wanted, unwanted = {}, {}
  local flat = target:contiguous():view(-1)
  for i = 1, flat:nElement() do table.insert(flat[i] > 0 and wanted or unwanted, i) end
  local scores = torch.view(torch.contiguous(out), out:nElement())
  local positive = torch.view(torch.index(scores, 1, onDeviceOf(torch.LongTensor(wanted), scores)), #wanted, 1)
  local negative = torch.view(torch.index(scores, 1, onDeviceOf(torch.LongTensor(unwanted), scores)), 1, #unwanted)
  local pairsOf = torch.add(torch.expand(negative, #wanted, #unwanted), torch.mul(torch.expand(positive, #wanted, #unwanted), -1))
  return torch.sum(torch.cmax(torch.add(pairsOf, margin or 1), 0)), out
end

return loss
