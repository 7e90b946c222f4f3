--- Losses of several inputs as functions, in nn.functional: distances, similarities, distributions.
-- @module nn.functional.margin_losses
local torch, check = require 'torch', require 'torch.check'
local reductions = require 'nn.support.reduction'
local signature = require 'nn.support.signature'
local sizesOf = require('torch.check.message').sizes

local reduce, reduction = reductions.of, reductions.argument

local functional = {}

local function checkSame(where, name, value, expected, as)
  if not value:isSameSizeAs(expected) then
    check.raise(('%s: %s: %s, expected %s as %s has'):format(where, name, sizesOf(value), sizesOf(expected), as), 'shape')
  end
end

--- max(0, -y (input1 - input2) + margin): y is 1 where input1 should be the larger, -1 where input2 should be.
-- @function marginRankingLoss
-- @tparam torch.Tensor input1
-- @tparam torch.Tensor input2 of the same size
-- @tparam torch.Tensor target 1 or -1, of the same size
-- @tparam[opt=0] number margin
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.marginRankingLoss = signature('nn.functional.marginRankingLoss', {
  { 'input1', 'tensor' }, { 'input2', 'tensor' }, { 'target', 'tensor' }, { 'margin', 'number', default = 0 }, reduction,
}, function(a, b, target, margin, kind)
  checkSame('nn.functional.marginRankingLoss', 'input2', b, a, 'input1')
  checkSame('nn.functional.marginRankingLoss', 'target', target, a, 'input1')
  return reduce(torch.clamp(torch.add(torch.cmul(target, torch.csub(b, a)), margin), 0, math.huge), kind)
end)

--- Loss of the cosine c of two vectors: 1 - c where the target is 1, max(0, c - margin) where it is -1.
-- @function cosineEmbeddingLoss
-- @tparam torch.Tensor input1 (D) or (N, D)
-- @tparam torch.Tensor input2 of the same size
-- @tparam int|torch.Tensor target 1 or -1 for each row
-- @tparam[opt=0] number margin from -1 to 1
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.cosineEmbeddingLoss = signature('nn.functional.cosineEmbeddingLoss', {
  { 'input1', 'tensor' }, { 'input2', 'tensor' }, { 'target', 'any' }, { 'margin', 'number', default = 0 }, reduction,
}, function(a, b, target, margin, kind)
  local where, dim = 'nn.functional.cosineEmbeddingLoss', a:dim()
  if dim ~= 1 and dim ~= 2 then check.raise(('%s: input1: %s, expected (D) or (N, D)'):format(where, sizesOf(a)), 'shape') end
  checkSame(where, 'input2', b, a, 'input1')
  if type(target) == 'number' then target = a.new { target } end
  local rows = dim == 1 and 1 or a:size(1)
  if check.tensor(where, 'target', target):nElement() ~= rows then
    check.raise(('%s: target: %s, expected [%d]'):format(where, sizesOf(target), rows), 'shape')
  end
  local function dot(x, y) return torch.view(torch.sum(torch.cmul(x, y), dim), rows) end
  local function inverseLength(x) return torch.rsqrt(torch.add(dot(x, x), 1e-12)) end
  local cosine = torch.cmul(torch.cmul(dot(a, b), inverseLength(a)), inverseLength(b))
  target = target:contiguous():view(rows)
  local apart = torch.clamp(torch.add(cosine, -margin), 0, math.huge)
  return reduce(torch.where(torch.eq(target, 1), torch.rsub(cosine, 1), torch.where(torch.eq(target, -1), apart, 0)), kind)
end)

--- Half of log v + (input - target)^2 / v: the negative log-likelihood of targets from normal distributions with variances v.
-- @function gaussianNllLoss
-- @tparam torch.Tensor input means
-- @tparam torch.Tensor target of the same size
-- @tparam number|torch.Tensor var variances, not negative: of the same size, or without the last dimension, or with 1 there
-- @tparam[opt=false] boolean full adds log(2 pi) / 2
-- @tparam[opt=1e-6] number eps smaller variances count as eps; this changes no gradient
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.gaussianNllLoss = signature('nn.functional.gaussianNllLoss', {
  { 'input', 'tensor' }, { 'target', 'tensor' }, { 'var', 'any' }, { 'full', 'boolean', default = false },
  { 'eps', 'number', min = 0, default = 1e-6 }, reduction,
}, function(input, target, var, full, eps, kind)
  local where = 'nn.functional.gaussianNllLoss'
  checkSame(where, 'target', target, input, 'the input')
  if type(var) == 'number' then var = input.new { var } end
  check.tensor(where, 'var', var)
  if var:nElement() > 0 and var:detach():min() < 0 then
    check.raise(('%s: var: %g, expected variances of 0 or more'):format(where, var:detach():min()), 'range')
  end
  if var:dim() == input:dim() - 1 and var:nElement() > 1 then var = torch.unsqueeze(var, var:dim() + 1) end
  var = torch.expandAs(var, input)
  local raised = torch.clamp(var:detach(), eps, math.huge)
  local safe = torch.add(var, torch.csub(raised, var:detach()))                 -- clamped, with the gradient of var
  local losses = torch.add(torch.cdiv(torch.square(torch.csub(input, target)), safe), torch.log(safe))
  losses = torch.mul(losses, 0.5)
  return reduce(full and torch.add(losses, 0.5 * math.log(2 * math.pi)) or losses, kind)
end)

-- |a - b + eps| in the p-norm, along the last dimension.
local function distance(a, b, p, eps)
  local d = torch.add(torch.csub(a, b), eps)
  local dim = d:dim()
  local norms = torch.norm(d, p, dim)
  if dim == 1 then return norms end
  local sizes = norms:size():totable()
  sizes[dim] = nil
  return torch.view(norms, torch.LongStorage(sizes))
end

-- The loss of the three distances, with any function of two tensors.
local function triplet(distanceOf, anchor, positive, negative, margin, swap)
  local near, far = distanceOf(anchor, positive), distanceOf(anchor, negative)
  if swap then far = torch.cmin(far, distanceOf(positive, negative)) end
  return torch.clamp(torch.add(torch.csub(near, far), margin), 0, math.huge)
end

local function checkTriplet(where, anchor, positive, negative)
  checkSame(where, 'positive', positive, anchor, 'anchor')
  checkSame(where, 'negative', negative, anchor, 'anchor')
end

--- max(0, d(anchor, positive) - d(anchor, negative) + margin), where d(a, b) is |a - b + eps| in the p-norm.
-- Source: Balntas et al. (2016), "Learning Local Feature Descriptors with Triplets and Shallow Convolutional Neural Networks", BMVC.
-- @function tripletMarginLoss
-- @tparam torch.Tensor anchor (D) or (N, D)
-- @tparam torch.Tensor positive of the same size
-- @tparam torch.Tensor negative of the same size
-- @tparam[opt=1] number margin
-- @tparam[opt=2] number p
-- @tparam[opt=1e-6] number eps
-- @tparam[opt=false] boolean swap uses d(positive, negative) if it is smaller than d(anchor, negative)
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.tripletMarginLoss = signature('nn.functional.tripletMarginLoss', {
  { 'anchor', 'tensor' }, { 'positive', 'tensor' }, { 'negative', 'tensor' }, { 'margin', 'number', default = 1 },
  { 'p', 'number', min = 0, default = 2 }, { 'eps', 'number', default = 1e-6 }, { 'swap', 'boolean', default = false }, reduction,
}, function(anchor, positive, negative, margin, p, eps, swap, kind)
  checkTriplet('nn.functional.tripletMarginLoss', anchor, positive, negative)
  return reduce(triplet(function(a, b) return distance(a, b, p, eps) end, anchor, positive, negative, margin, swap), kind)
end)

local function euclidean(a, b) return distance(a, b, 2, 1e-6) end

--- tripletMarginLoss with any distance.
-- @function tripletMarginWithDistanceLoss
-- @tparam torch.Tensor anchor
-- @tparam torch.Tensor positive of the same size
-- @tparam torch.Tensor negative of the same size
-- @tparam[opt] function distanceFunction (a, b) -> distances, differentiable; by default |a - b + 1e-6|
-- @tparam[opt=1] number margin above 0
-- @tparam[opt=false] boolean swap as for tripletMarginLoss
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.tripletMarginWithDistanceLoss = signature('nn.functional.tripletMarginWithDistanceLoss', {
  { 'anchor', 'tensor' }, { 'positive', 'tensor' }, { 'negative', 'tensor' }, { 'distanceFunction', 'callable', optional = true },
  { 'margin', 'number', default = 1 }, { 'swap', 'boolean', default = false }, reduction,
}, function(anchor, positive, negative, distanceOf, margin, swap, kind)
  checkTriplet('nn.functional.tripletMarginWithDistanceLoss', anchor, positive, negative)
  return reduce(triplet(distanceOf or euclidean, anchor, positive, negative, margin, swap), kind)
end)

return functional
