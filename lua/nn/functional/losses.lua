--- Losses of each element as functions, in nn.functional.
-- The tensors of a loss must have the same size: sizes that match only by broadcasting raise an error that shows both. Losses are means
-- over all elements; `{ reduction = 'sum' }` sums the elements, `{ reduction = 'none' }` returns them.
-- @module nn.functional.losses
local torch, check = require 'torch', require 'torch.check'
local reductions = require 'nn.support.reduction'
local signature = require 'nn.support.signature'
local sizesOf = require('torch.check.message').sizes

local reduce, reduction = reductions.of, reductions.argument

local functional = {}

-- Defines a loss of each element: `loss` receives input, target, and the further arguments; `given` is their declaration.
local function elementwise(name, given, loss)
  local where = 'nn.functional.' .. name
  local arguments, at, atWeight = { { 'input', 'tensor' }, { 'target', 'tensor' }, unpack(given) }, nil, nil
  for i, argument in ipairs(arguments) do
    if argument[1] == 'reduction' then at = i end
    if argument[1] == 'weight' and not argument.broadcasts then atWeight = i end
  end
  functional[name] = signature(where, arguments, function(input, target, ...)
    if not input:isSameSizeAs(target) then
      check.raise(('%s: target: %s, expected %s as the input has'):format(where, sizesOf(target), sizesOf(input)), 'shape')
    end
    local losses = loss(input, target, ...)
    local weight = atWeight and (select(atWeight - 2, ...))
    return reduce(losses, (select(at - 2, ...)), weight)
  end)
end

local weight = { 'weight', 'tensor', optional = true }
local factors = { 'weight', 'tensor', optional = true, broadcasts = true }

-- Multiplies losses by weights that broadcast to them.
local function scaled(losses, given) return given and torch.cmul(losses, given) or losses end

--- (input - target)^2.
-- @function mseLoss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target of the same size
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt] torch.Tensor weight factors of the elements; the mean is divided by their sum
elementwise('mseLoss', { reduction, weight }, function(x, y) return torch.square(torch.csub(x, y)) end)

--- |input - target|.
-- @function l1Loss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target of the same size
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt] torch.Tensor weight factors of the elements; the mean is divided by their sum
elementwise('l1Loss', { reduction, weight }, function(x, y) return torch.abs(torch.csub(x, y)) end)

-- d^2 / 2 where |d| is below beta, else beta (|d| - beta / 2), divided by `scale`.
local function rounded(x, y, beta, scale)
  local d = torch.abs(torch.csub(x, y))
  if beta == 0 then return d end
  local near = torch.clamp(d, 0, beta)
  return torch.mul(torch.cmul(near, torch.add(d, torch.mul(near, -0.5))), 1 / scale)
end

--- Quadratic near 0, linear beyond: d^2 / (2 beta) where |d| < beta, else |d| - beta / 2.
-- @function smoothL1Loss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target of the same size
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=1] number beta
elementwise('smoothL1Loss', { reduction, { 'beta', 'number', min = 0, default = 1 } }, function(x, y, _, beta)
  return rounded(x, y, beta, beta)
end)

--- d^2 / 2 where |d| < delta, else delta (|d| - delta / 2). Source: Huber (1964), Ann. Math. Statist. 35(1).
-- @function huberLoss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target of the same size
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=1] number delta above 0
-- @tparam[opt] torch.Tensor weight factors of the elements
elementwise('huberLoss', { reduction, { 'delta', 'number', min = 0, default = 1 }, factors }, function(x, y, _, delta, given)
  return scaled(rounded(x, y, delta, 1), given)
end)

local function withLogits(x, y, factor)
  local misses = torch.cmul(torch.rsub(y, 1), x)
  local softened = torch.softplus(torch.mul(x, -1))
  if not factor then return torch.add(misses, softened) end
  local share = torch.add(torch.cmul(y, torch.isTensor(factor) and torch.add(factor, -1) or factor - 1), 1)
  return torch.add(misses, torch.cmul(share, softened))
end

--- Binary cross entropy of scores: -(y log s + (1 - y) log(1 - s)), s = sigmoid(x), without overflow.
-- @function binaryCrossEntropyWithLogits
-- @tparam torch.Tensor input scores
-- @tparam torch.Tensor target labels from 0 to 1
-- @tparam[opt] torch.Tensor weight factors, which broadcast to the input
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt] number|torch.Tensor posWeight the weight of y
elementwise('binaryCrossEntropyWithLogits', { factors, reduction, { 'posWeight', 'any', optional = true, other = 'positiveWeight' } },
  function(x, y, given, _, factor) return scaled(withLogits(x, y, factor), given) end)

--- Another form of binaryCrossEntropyWithLogits.
-- @function bceWithLogits
-- @tparam torch.Tensor input scores
-- @tparam torch.Tensor target labels from 0 to 1
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt] number|torch.Tensor positiveWeight the weight of y
elementwise('bceWithLogits', { reduction, { 'positiveWeight', 'any', optional = true, other = 'posWeight' } },
  function(x, y, _, factor) return withLogits(x, y, factor) end)

-- The smallest probability whose logarithm is above -100.
local least = math.exp(-100)

local function entropy(x, y, floor)
  local hits = torch.cmul(y, torch.log(torch.clamp(x, floor, 1)))
  local misses = torch.cmul(torch.rsub(y, 1), torch.log(torch.clamp(torch.rsub(x, 1), floor, 1)))
  return torch.mul(torch.add(hits, misses), -1)
end

--- Binary cross entropy of probabilities: -(y log x + (1 - y) log(1 - x)). Logarithms are at least -100, and have no gradient there.
-- @function binaryCrossEntropy
-- @tparam torch.Tensor input probabilities
-- @tparam torch.Tensor target labels from 0 to 1
-- @tparam[opt] torch.Tensor weight factors, which broadcast to the input
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
elementwise('binaryCrossEntropy', { factors, reduction }, function(x, y, given) return scaled(entropy(x, y, least), given) end)

--- The same with probabilities of at least 1e-12.
-- @function bceLoss
-- @tparam torch.Tensor input probabilities
-- @tparam torch.Tensor target labels from 0 to 1
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
elementwise('bceLoss', { reduction }, function(x, y) return entropy(x, y, 1e-12) end)

--- y (log y - x) for log-probabilities x; 0 where y is 0.
-- @function klDiv
-- @tparam torch.Tensor input log-probabilities
-- @tparam torch.Tensor target probabilities
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none', or 'batchmean': the sum divided by the size of dimension 1
-- @tparam[opt=false] boolean logTarget whether the target has log-probabilities
elementwise('klDiv', {
  { 'reduction', 'choice', choices = { 'mean', 'sum', 'none', 'batchmean' }, default = 'mean' },
  { 'logTarget', 'boolean', default = false },
}, function(x, y, _, logTarget)
  if logTarget then return torch.cmul(torch.exp(y), torch.csub(y, x)) end
  local safe = torch.clamp(y, 1e-38, math.huge)
  return torch.cmul(y, torch.csub(torch.log(safe), x))
end)

-- Stirling's approximation of log(y!), 0 where y <= 1.
local function stirling(y)
  local safe = torch.clamp(y, 1, math.huge)
  local value = torch.add(torch.csub(torch.cmul(y, torch.log(safe)), y), torch.mul(torch.log(torch.mul(safe, 2 * math.pi)), 0.5))
  return torch.where(torch.gt(y, 1), value, 0)
end

--- Negative log-likelihood of counts y from a Poisson distribution with mean exp(x): exp(x) - y x.
-- @function poissonNllLoss
-- @tparam torch.Tensor input logarithms of means
-- @tparam torch.Tensor target counts
-- @tparam[opt=true] boolean logInput false for means x: x - y log(x + eps)
-- @tparam[opt=false] boolean full adds Stirling's approximation of log(y!), y log y - y + log(2 pi y) / 2 where y > 1
-- @tparam[opt=1e-8] number eps
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
elementwise('poissonNllLoss', {
  { 'logInput', 'boolean', default = true }, { 'full', 'boolean', default = false }, { 'eps', 'number', min = 0, default = 1e-8 },
  reduction,
}, function(x, y, logInput, full, eps)
  local losses = logInput and torch.csub(torch.exp(x), torch.cmul(y, x)) or torch.csub(x, torch.cmul(y, torch.log(torch.add(x, eps))))
  return full and torch.add(losses, stirling(y)) or losses
end)

--- Loss of similarities: x where y is 1, max(0, margin - x) where y is -1.
-- @function hingeEmbeddingLoss
-- @tparam torch.Tensor input distances
-- @tparam torch.Tensor target 1 or -1
-- @tparam[opt=1] number margin
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
elementwise('hingeEmbeddingLoss', { { 'margin', 'number', default = 1 }, reduction }, function(x, y, margin)
  local apart = torch.clamp(torch.rsub(x, margin), 0, math.huge)
  return torch.where(torch.eq(y, 1), x, torch.where(torch.eq(y, -1), apart, torch.add(x, apart)))
end)

--- log(1 + exp(-y x)).
-- @function softMarginLoss
-- @tparam torch.Tensor input
-- @tparam torch.Tensor target 1 or -1
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
elementwise('softMarginLoss', { reduction }, function(x, y) return torch.softplus(torch.mul(torch.cmul(x, y), -1)) end)

--- Binary cross entropy of scores, in which well-classified elements count less: a (1 - p)^gamma times it, p the probability of the label.
-- Source: Lin et al. (2017), "Focal Loss for Dense Object Detection", ICCV, equation 5.
-- @function sigmoidFocalLoss
-- @tparam torch.Tensor input scores
-- @tparam torch.Tensor target labels, 0 or 1
-- @tparam[opt=0.25] number alpha a is alpha for label 1, 1 - alpha for label 0; a negative alpha leaves a out
-- @tparam[opt=2] number gamma
-- @tparam[opt='none'] string reduction 'mean', 'sum', 'none'
elementwise('sigmoidFocalLoss', {
  { 'alpha', 'number', default = 0.25 }, { 'gamma', 'number', default = 2 },
  { 'reduction', 'choice', choices = reduction.choices, default = 'none' },
}, function(x, y, alpha, gamma)
  local p = torch.sigmoid(x)
  local others = torch.rsub(y, 1)
  local missed = torch.add(torch.cmul(p, others), torch.cmul(torch.rsub(p, 1), y))            -- 1 - the label's probability
  local losses = torch.cmul(withLogits(x, y), torch.pow(missed, gamma))
  if alpha < 0 then return losses end
  return torch.cmul(losses, torch.add(torch.mul(y, alpha), torch.mul(others, 1 - alpha)))
end)

return functional
