--- Losses of classes as functions, in nn.functional. Classes count from 1.
-- @module nn.functional.class_losses
local torch, check = require 'torch', require 'torch.check'
local reductions = require 'nn.support.reduction'
local signature, onDeviceOf = require 'nn.support.signature', require 'autograd.on_device_of'
local sizesOf = require('torch.check.message').sizes

local reduce, reduction = reductions.of, reductions.argument

local functional = {}

local function checkTarget(where, target)
  return type(target) == 'number' and target or check.tensor(where, 'target', target)
end

-- Returns a vector with one entry for each class in the shape that broadcasts to `like`, whose classes are along dim.
local function along(vector, like, dim)
  local size = torch.LongStorage(like:dim()):fill(1)
  size[dim] = like:size(dim)
  return torch.view(vector, size)
end

-- Returns the sizes without dimension dim.
local function without(x, dim)
  local sizes = x:size():totable()
  table.remove(sizes, dim)
  return torch.LongStorage(#sizes > 0 and sizes or { 1 })
end

-- The loss of each place: -weight logp at its class, 0 where that is ignored. Also returns which places count, as floats.
local function eachLikelihood(where, logp, dim, target, weight, ignore)
  local sizes = without(logp, dim)
  local classes = type(target) == 'number' and onDeviceOf(torch.LongTensor { target }, logp) or target:detach():_as 'Long'
  if classes:nElement() ~= logp:nElement() / math.max(1, logp:size(dim)) then
    check.raise(('%s: target: %s, expected %s'):format(where, sizesOf(classes), sizesOf(torch.LongTensor(sizes))), 'shape')
  end
  classes = classes:contiguous():view(sizes)
  local counts = torch.ne(classes, ignore)
  classes = torch.where(counts, classes, 1)
  local count = logp:size(dim)
  local outside = classes:nElement() > 0 and (classes:min() < 1 and classes:min() or classes:max() > count and classes:max())
  if outside then
    check.raise(('%s: target: %d, expected a class from 1 to %d'):format(where, outside, count), 'range')
  end
  local hits = torch.gather(logp, dim, logp:dim() == 1 and classes or torch.unsqueeze(classes, dim))
  local losses = torch.mul(torch.view(hits:contiguous(), sizes), -1)
  if weight then losses = torch.cmul(losses, torch.view(torch.index(weight, 1, classes:view(-1)), sizes)) end
  counts = counts:to(losses:type())
  return torch.cmul(losses, counts), counts
end

-- Negative log-likelihood along dim, and the sum of the weights of the classes that count.
local function likelihood(where, logp, dim, target, weight, ignore, kind)
  if kind == 'none' then return (eachLikelihood(where, logp, dim, target, weight, ignore)) end
  return check.call(torch.nll_loss, logp, target, weight, kind ~= 'sum', ignore)
end

local weight = { 'weight', 'tensor', optional = true, other = 'weights' }
local ignoreIndex = { 'ignoreIndex', 'int', default = -100, other = 'ignore' }

--- Negative log-likelihood of classes.
-- @function nllLoss
-- @tparam torch.Tensor logp log-probabilities (classes), (N, classes) or (N, classes, …)
-- @tparam int|torch.Tensor target classes from 1, one for each position
-- @tparam[opt] torch.Tensor weight one for each class; means are divided by the sum of the targets' weights
-- @tparam[opt=-100] int ignoreIndex a class without loss
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.nllLoss = signature('nn.functional.nllLoss', {
  { 'logp', 'tensor', other = 'input' }, { 'target', 'any' }, weight, ignoreIndex, reduction,
}, function(logp, target, weights, ignore, kind)
  target = checkTarget('nn.functional.nllLoss', target)
  return (likelihood('nn.functional.nllLoss', logp, logp:dim() == 1 and 1 or 2, target, weights, ignore, kind))
end)

-- The term of label smoothing: the negative log-probabilities of all classes, weighted and averaged over the classes, for places that are
-- not ignored.
local function spread(logp, dim, target, weights, ignore)
  if weights then logp = torch.cmul(logp, along(weights, logp, dim)) end
  local losses = torch.mul(torch.sum(logp, dim), -1 / logp:size(dim))
  if torch.isTensor(target) then
    return torch.cmul(losses, torch.view(torch.to(torch.ne(target, ignore):contiguous(), losses:type()), losses:size()))
  end
  return target == ignore and torch.mul(losses, 0) or losses
end

-- Cross entropy with the probability of each class as target.
local function withProbabilities(logp, dim, target, weights, kind, smoothing)
  if smoothing > 0 then target = torch.add(torch.mul(target, 1 - smoothing), smoothing / logp:size(dim)) end
  local terms = torch.cmul(logp, target)
  if weights then terms = torch.cmul(terms, along(weights, logp, dim)) end
  if kind == 'none' then return torch.view(torch.mul(torch.sum(terms, dim), -1), without(logp, dim)) end
  local count = kind == 'mean' and logp:nElement() / logp:size(dim) or 1
  return torch.sum(terms) * (-1 / count)
end

local function crossEntropy(where, input, target, weights, ignore, kind, smoothing)
  target = checkTarget(where, target)
  local dim = input:dim() == 1 and 1 or 2
  local logp = torch.logsoftmax(input, dim)
  if torch.isTensor(target) and target:isFloatingPoint() and target:isSameSizeAs(input) and input:size(dim) > 1 then
    return withProbabilities(logp, dim, target, weights, kind, smoothing)
  end
  local loss, total = likelihood(where, logp, dim, target, weights, ignore, kind)
  if smoothing == 0 then return loss end
  local rest = spread(logp, dim, target, weights, ignore)
  if kind == 'none' then
    rest = torch.view(rest, loss:size())
  else
    rest = torch.sum(rest)
    if kind == 'mean' then rest = total:item() == 0 and 0 or rest / total:item() end
  end
  return loss * (1 - smoothing) + rest * smoothing
end

local labelSmoothing = { 'labelSmoothing', 'number', min = 0, max = 1, default = 0 }

--- Cross entropy of scores: nllLoss of their log-softmax; or with floats of the input's size as target, the probabilities of the classes:
-- -sum(target logp), whose mean is that over places. Source of label smoothing: Szegedy et al. (2016), "Rethinking the Inception
-- Architecture for Computer Vision", CVPR, section 7.
-- @function crossEntropy
-- @tparam torch.Tensor input scores (classes), (N, classes) or (N, classes, …)
-- @tparam int|torch.Tensor target classes from 1, or probabilities of the classes
-- @tparam[opt] torch.Tensor weight one for each class; means are divided by the sum of the targets' weights
-- @tparam[opt=-100] int ignoreIndex a class without loss
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=0] number labelSmoothing that fraction of each target is spread over all classes according to their weights
functional.crossEntropy = signature('nn.functional.crossEntropy', {
  { 'input', 'tensor' }, { 'target', 'any' }, weight, ignoreIndex, reduction, labelSmoothing,
}, function(...) return crossEntropy('nn.functional.crossEntropy', ...) end)

--- crossEntropy of the scores `linear(input, linearWeight, linearBias)`.
-- @function linearCrossEntropy
-- @tparam torch.Tensor input (size) or (N, size)
-- @tparam torch.Tensor linearWeight (classes, size), or (classes, …, size) for targets (N, …)
-- @tparam int|torch.Tensor target as for crossEntropy
-- @tparam[opt] torch.Tensor linearBias (classes, …)
-- @tparam[opt] torch.Tensor weight one for each class
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=-100] int ignoreIndex a class without loss
-- @tparam[opt=0] number labelSmoothing
functional.linearCrossEntropy = signature('nn.functional.linearCrossEntropy', {
  { 'input', 'tensor' }, { 'linearWeight', 'tensor' }, { 'target', 'any' }, { 'linearBias', 'tensor', optional = true }, weight, reduction,
  ignoreIndex, labelSmoothing,
}, function(input, linearWeight, target, linearBias, weights, kind, ignore, smoothing)
  local sizes = linearWeight:size():totable()
  local width = table.remove(sizes)
  local rows = linearWeight:dim() == 2 and linearWeight or torch.view(linearWeight:contiguous(), -1, width)
  local scores = check.call(torch.linear, input, rows, linearBias and torch.view(linearBias:contiguous(), -1))
  if #sizes > 1 then
    if input:dim() > 1 then table.insert(sizes, 1, input:size(1)) end
    scores = torch.view(scores, torch.LongStorage(sizes))
  end
  return crossEntropy('nn.functional.linearCrossEntropy', scores, target, weights, ignore, kind, smoothing)
end)

-- Returns the classes of rows as a column.
local function column(where, input, target)
  if type(target) == 'number' then target = onDeviceOf(torch.LongTensor { target }, input) end
  local classes = target:detach():_as 'Long':contiguous()
  if classes:nElement() ~= input:size(1) then
    check.raise(('%s: target: %s, expected [%d]'):format(where, sizesOf(target), input:size(1)), 'shape')
  end
  require 'nn.support.classRange'(where, classes, 1, input:size(2))
  return classes:view(-1, 1)
end

--- Margin loss of classes: the sum over classes j other than y of w[y] max(0, margin - x[y] + x[j])^p, divided by their number.
-- @function multiMarginLoss
-- @tparam torch.Tensor input scores (classes) or (N, classes)
-- @tparam int|torch.Tensor target classes from 1
-- @tparam[opt=1] int p 1 or 2
-- @tparam[opt=1] number margin
-- @tparam[opt] torch.Tensor weight one for each class
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.multiMarginLoss = signature('nn.functional.multiMarginLoss', {
  { 'input', 'tensor' }, { 'target', 'any' }, { 'p', 'int', min = 1, max = 2, default = 1 }, { 'margin', 'number', default = 1 }, weight,
  reduction,
}, function(input, target, p, margin, weights, kind)
  local where = 'nn.functional.multiMarginLoss'
  target = checkTarget(where, target)
  local rows = input:dim() == 1 and torch.view(input:contiguous(), 1, -1) or input
  if rows:dim() ~= 2 then check.raise(('%s: input: %s, expected (classes) or (N, classes)'):format(where, sizesOf(input)), 'shape') end
  local classes = column(where, rows, target)
  local others = onDeviceOf(torch.ByteTensor(rows:size()):fill(1), rows):scatter(2, classes, 0)
  local over = torch.add(torch.csub(rows, torch.gather(rows, 2, classes)), margin)
  local terms = torch.where(torch.cmul(others, torch.gt(over, 0)), over, 0)
  if p == 2 then terms = torch.square(terms) end
  if weights then terms = torch.cmul(terms, weights:index(1, classes:view(-1)):view(-1, 1)) end
  return reduce(torch.view(torch.mul(torch.sum(terms, 2), 1 / rows:size(2)), -1), kind)
end)

-- Returns which entries of the rows of classes count, those before the first 0, and which classes are targets.
local function listed(lists, classes)
  local counts = torch.eq(torch.cumsum(torch.eq(lists, 0):_as 'Long', 2), 0)
  local extra = onDeviceOf(torch.ByteTensor(lists:size(1), classes + 1):zero(), lists)          -- column 1 for entries that don't count
  extra:scatter(2, torch.add(torch.where(counts, lists, 0), 1), 1)
  return counts, extra:narrow(2, 2, classes)
end

--- Margin loss of sets of classes: the sum over targets t and other classes j of max(0, 1 - (x[t] - x[j])), divided by the number of
-- classes.
-- @function multilabelMarginLoss
-- @tparam torch.Tensor input scores (classes) or (N, classes)
-- @tparam torch.Tensor target of the same size: each row is a list of classes from 1, which ends with the first 0
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.multilabelMarginLoss = signature('nn.functional.multilabelMarginLoss', {
  { 'input', 'tensor' }, { 'target', 'tensor' }, reduction,
}, function(input, target, kind)
  local where, dims = 'nn.functional.multilabelMarginLoss', input:dim()
  if dims ~= 1 and dims ~= 2 then
    check.raise(('%s: input: %s, expected (classes) or (N, classes)'):format(where, sizesOf(input)), 'shape')
  end
  if not target:isSameSizeAs(input) then
    check.raise(('%s: target: %s, expected %s as the input has'):format(where, sizesOf(target), sizesOf(input)), 'shape')
  end
  local classes = input:size(dims)
  require 'nn.support.classRange'(where, target, 0, classes)
  local x, lists = torch.view(input:contiguous(), -1, classes), target:detach():_as 'Long':contiguous():view(-1, classes)
  local counts, isTarget = listed(lists, classes)
  local count = x:size(1)
  -- Targets along dimension 2, all classes along dimension 3. (Tensors with equally many elements don't broadcast.)
  local function down(t) return torch.expand(torch.view(t:contiguous(), count, classes, 1), count, classes, classes) end
  local function across(t) return torch.expand(torch.view(t:contiguous(), count, 1, classes), count, classes, classes) end
  local over = torch.add(torch.csub(across(x), down(torch.gather(x, 2, torch.cmax(lists, 1)))), 1)
  local pairs = torch.cmul(down(counts), across(torch.eq(isTarget, 0)))
  local terms = torch.where(torch.cmul(pairs, torch.gt(over, 0)), over, 0)
  return reduce(torch.mul(torch.sum(torch.view(terms, count, -1), 2):view(-1), 1 / classes), kind)
end)

--- Binary cross entropy of each class, from scores; its mean over the classes, the last dimension.
-- @function multilabelSoftMarginLoss
-- @tparam torch.Tensor input scores (…, classes)
-- @tparam torch.Tensor target labels from 0 to 1, of the same size
-- @tparam[opt] torch.Tensor weight factors, which broadcast to the input
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
functional.multilabelSoftMarginLoss = signature('nn.functional.multilabelSoftMarginLoss', {
  { 'input', 'tensor' }, { 'target', 'tensor' }, weight, reduction,
}, function(input, target, weights, kind)
  if not target:isSameSizeAs(input) then
    check.raise(('nn.functional.multilabelSoftMarginLoss: target: %s, expected %s as the input has'):format(sizesOf(target),
      sizesOf(input)), 'shape')
  end
  local terms = torch.add(torch.cmul(torch.rsub(target, 1), input), torch.softplus(torch.mul(input, -1)))
  if weights then terms = torch.cmul(terms, weights) end
  local dim = input:dim()
  return reduce(torch.view(torch.mean(terms, dim), without(terms, dim)), kind)
end)

return functional
