--- Losses as functions, in nn.functional.
-- The tensors of a loss must have the same size: sizes that match only by broadcasting raise an error that shows both. Losses are means
-- over all elements; `{ reduction = 'sum' }` sums the elements, `{ reduction = 'none' }` returns them.
-- @module nn.functional.losses
local torch, check = require 'torch', require 'torch.check'
local refuse = require 'torch.check.refuse'

local functional = {}

local sizesOf = require('torch.check.message').sizes

local function checkSizes(name, input, target)
  if not torch.isTensor(input) or not torch.isTensor(target) then
    error(('nn.functional.%s: %s: a %s, expected a tensor'):format(name, torch.isTensor(input) and 'target' or 'input',
      torch.type(torch.isTensor(input) and target or input)), 3)
  end
  if not input:isSameSizeAs(target) then
    refuse.shape(('nn.functional.%s: target: %s, expected %s as the input has'):format(name, sizesOf(target), sizesOf(input)), 3)
  end
end

local function optionsOf(name, options) return check.table('nn.functional.' .. name, 'options', options or {}) end

local function reduce(name, losses, options)
  local reduction = options.reduction or 'mean'
  if reduction == 'mean' then return torch.mean(losses) end
  if reduction == 'sum' then return torch.sum(losses) end
  if reduction == 'none' then return losses end
  error(("nn.functional.%s: reduction: '%s', expected 'mean', 'sum' or 'none'"):format(name, tostring(reduction)), 3)
end

-- Defines a loss of each element.
local function elementwise(name, loss)
  functional[name] = function(input, target, options)
    checkSizes(name, input, target)
    options = optionsOf(name, options)
    return reduce(name, loss(input, target, options), options)
  end
end

--- (input - target)^2.
-- @function mseLoss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target of the same size
-- @tparam[opt] table options reduction ('mean', 'sum', 'none')
elementwise('mseLoss', function(x, y) return torch.square(torch.csub(x, y)) end)

--- |input - target|.
-- @function l1Loss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target of the same size
-- @tparam[opt] table options reduction ('mean', 'sum', 'none')
elementwise('l1Loss', function(x, y) return torch.abs(torch.csub(x, y)) end)

-- d^2 / 2 where |d| is below beta, else beta (|d| - beta / 2), divided by `scale`.
local function rounded(x, y, beta, scale)
  local d = torch.abs(torch.csub(x, y))
  local near = torch.clamp(d, 0, beta)
  return torch.mul(torch.cmul(near, torch.add(d, torch.mul(near, -0.5))), 1 / scale)
end

--- Quadratic near 0, linear beyond: d^2 / (2 beta) where |d| < beta, else |d| - beta / 2. Option beta (1).
-- @function smoothL1Loss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target of the same size
-- @tparam[opt] table options beta, reduction ('mean', 'sum', 'none')
elementwise('smoothL1Loss', function(x, y, options) return rounded(x, y, options.beta or 1, options.beta or 1) end)

--- d^2 / 2 where |d| < delta, else delta (|d| - delta / 2). Option delta (1). Source: Huber (1964), Ann. Math. Statist. 35(1).
-- @function huberLoss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target of the same size
-- @tparam[opt] table options delta, reduction ('mean', 'sum', 'none')
elementwise('huberLoss', function(x, y, options) return rounded(x, y, options.delta or 1, 1) end)

--- Binary cross entropy of scores: -(y log s + (1 - y) log(1 - s)), s = sigmoid(x), without overflow. Option positiveWeight (1): weight of
-- y.
-- @function bceWithLogits
-- @tparam torch.Tensor input scores
-- @tparam torch.Tensor target labels from 0 to 1
-- @tparam[opt] table options positiveWeight, reduction ('mean', 'sum', 'none')
elementwise('bceWithLogits', function(x, y, options)
  local weight = options.positiveWeight or 1
  local misses = torch.cmul(torch.add(torch.mul(y, -1), 1), x)
  local factor = torch.add(torch.mul(y, weight - 1), 1)
  return torch.add(misses, torch.cmul(factor, torch.softplus(torch.mul(x, -1))))
end)

--- Binary cross entropy of probabilities.
-- @function bceLoss
-- @tparam torch.Tensor input probabilities
-- @tparam torch.Tensor target labels from 0 to 1
-- @tparam[opt] table options reduction ('mean', 'sum', 'none')
elementwise('bceLoss', function(x, y)
  local hits = torch.cmul(y, torch.log(torch.clamp(x, 1e-12, 1)))
  local misses = torch.cmul(torch.add(torch.mul(y, -1), 1), torch.log(torch.clamp(torch.add(torch.mul(x, -1), 1), 1e-12, 1)))
  return torch.mul(torch.add(hits, misses), -1)
end)

--- y (log y - x) for log-probabilities x; 0 where y is 0.
-- @function klDiv
-- @tparam torch.Tensor input log-probabilities
-- @tparam torch.Tensor target probabilities
-- @tparam[opt] table options reduction ('mean', 'sum', 'none')
elementwise('klDiv', function(x, y)
  local safe = torch.clamp(y, 1e-38, math.huge)
  return torch.cmul(y, torch.csub(torch.log(safe), x))
end)

-- Returns the loss, and the sum of the weights of the targets that are not ignored.
local function negativeLikelihood(name, logp, target, options)
  if type(target) ~= 'number' then check.tensor('nn.functional.' .. name, 'target', target) end
  return check.call(torch.nll_loss, logp, target, options.weights, options.reduction ~= 'sum', options.ignore or -100)
end

--- Negative log-likelihood of classes.
-- @tparam torch.Tensor logp log-probabilities (classes), (N, classes) or (N, classes, …)
-- @tparam int|torch.Tensor target classes from 1, one for each position
-- @tparam[opt] table options weights of the classes, ignore (a class without loss), reduction ('mean' or 'sum')
function functional.nllLoss(logp, target, options)
  check.tensor('nn.functional.nllLoss', 'logp', logp)
  return (negativeLikelihood('nllLoss', logp, target, optionsOf('nllLoss', options)))
end

-- The term of label smoothing: the negative log-probabilities of all classes, weighted and averaged over the classes, for samples that are
-- not ignored. Unless summed, it is divided by the same number as nllLoss.
local function spreadLoss(logp, dim, target, options, total)
  local classes, weights, ignore = logp:size(dim), options.weights, options.ignore
  if weights then
    local size = torch.LongStorage(logp:dim()):fill(1)
    size[dim] = classes
    logp = torch.cmul(logp, torch.view(weights, size))
  end
  local losses = torch.mul(torch.sum(logp, dim), -1 / classes)
  if ignore and torch.isTensor(target) then
    losses = torch.cmul(losses, torch.viewAs(torch.to(torch.ne(target, ignore):contiguous(), losses:type()), losses))
  elseif ignore == target then
    return 0
  end
  if options.reduction == 'sum' then return torch.sum(losses) end
  return total == 0 and 0 or torch.sum(losses) / total
end

--- Cross entropy of scores: nllLoss of their log-softmax. Option labelSmoothing (0): that fraction of each target is spread over all
-- classes according to their weights. Source: Szegedy et al. (2016), "Rethinking the Inception Architecture for Computer Vision", CVPR,
-- section 7.
-- @tparam torch.Tensor input scores (classes), (N, classes) or (N, classes, …)
-- @tparam int|torch.Tensor target classes from 1
-- @tparam[opt] table options those of nllLoss
function functional.crossEntropy(input, target, options)
  options = optionsOf('crossEntropy', options)
  check.tensor('nn.functional.crossEntropy', 'input', input)
  local dim, smoothing = input:dim() == 1 and 1 or 2, options.labelSmoothing or 0
  local logp = torch.logsoftmax(input, dim)
  local loss, total = negativeLikelihood('crossEntropy', logp, target, options)
  if smoothing == 0 then return loss end
  return loss * (1 - smoothing) + spreadLoss(logp, dim, target, options, total:item()) * smoothing
end

return functional
