--- Normalisation as functions, in nn.functional.
-- @module nn.functional.normalization
local torch, check = require 'torch', require 'torch.check'
local signature = require 'nn.support.signature'
local sizesOf = require('torch.check.message').sizes

local functional = {}

local input, eps = { 'input', 'tensor' }, { 'eps', 'number', min = 0, default = 1e-5 }
local weight, bias = { 'weight', 'tensor', optional = true }, { 'bias', 'tensor', optional = true }

local function checkDims(where, x, least, expected)
  if x:dim() < least then check.raise(('%s: input: %s, expected %s'):format(where, sizesOf(x), expected), 'shape') end
end

--- Normalises each channel over the batch and all points; without `training` by the running statistics.
-- Source: Ioffe & Szegedy (2015), "Batch Normalization", ICML.
-- @function batchNorm
-- @tparam torch.Tensor input (N, channels, …)
-- @tparam ?torch.Tensor runningMean (channels), which training updates
-- @tparam ?torch.Tensor runningVar (channels), likewise
-- @tparam[opt] torch.Tensor weight (channels)
-- @tparam[opt] torch.Tensor bias (channels)
-- @tparam[opt=false] boolean training
-- @tparam[opt=0.1] number momentum weight of the batch in the running statistics
-- @tparam[opt=1e-5] number eps added to the variance
functional.batchNorm = signature('nn.functional.batchNorm', {
  input, { 'runningMean', 'tensor', optional = true }, { 'runningVar', 'tensor', optional = true }, weight, bias,
  { 'training', 'boolean', default = false }, { 'momentum', 'number', default = 0.1 }, eps,
}, function(x, mean, var, scale, shift, training, momentum, small)
  return (check.call(torch.batchNorm, x, scale, shift, mean, var, training, momentum, small))
end)

-- Repeats values of channels for each sample.
local function forSamples(values, samples)
  if not values then return nil end
  local channels = values:nElement()
  return torch.reshape(torch.expand(torch.view(values:contiguous(), 1, channels), samples, channels), samples * channels)
end

--- Normalises each channel of each sample over its points; with `useInputStats` false by the running statistics.
-- Source: Ulyanov, Vedaldi & Lempitsky (2016), "Instance Normalization", arXiv:1607.08022.
-- @function instanceNorm
-- @tparam torch.Tensor input (N, channels, …)
-- @tparam[opt] torch.Tensor runningMean (channels), updated by the mean over the samples
-- @tparam[opt] torch.Tensor runningVar (channels), likewise
-- @tparam[opt] torch.Tensor weight (channels)
-- @tparam[opt] torch.Tensor bias (channels)
-- @tparam[opt=true] boolean useInputStats
-- @tparam[opt=0.1] number momentum
-- @tparam[opt=1e-5] number eps added to the variance
functional.instanceNorm = signature('nn.functional.instanceNorm', {
  input, { 'runningMean', 'tensor', optional = true }, { 'runningVar', 'tensor', optional = true }, weight, bias,
  { 'useInputStats', 'boolean', default = true }, { 'momentum', 'number', default = 0.1 }, eps,
}, function(x, mean, var, scale, shift, useInputStats, momentum, small)
  checkDims('nn.functional.instanceNorm', x, 3, '(N, channels, …)')
  if not useInputStats then return (check.call(torch.batchNorm, x, scale, shift, mean, var, false, momentum, small)) end
  local samples, channels = x:size(1), x:size(2)
  local flat = { 1, samples * channels }                                          -- each channel of each sample is a channel
  for d = 3, x:dim() do flat[d] = x:size(d) end
  local means, vars = mean and forSamples(mean:detach(), samples), var and forSamples(var:detach(), samples)
  local y = check.call(torch.batchNorm, torch.view(torch.contiguous(x), torch.LongStorage(flat)), forSamples(scale, samples),
    forSamples(shift, samples), means, vars, true, momentum, small)
  if means then torch.noGrad(mean.copy, mean, means:view(samples, channels):mean(1)) end
  if vars then torch.noGrad(var.copy, var, vars:view(samples, channels):mean(1)) end
  return torch.view(y, x:size())
end)

--- Normalises groups of channels of each sample.
-- Source: Wu & He (2018), "Group Normalization", ECCV, section 3.
-- @function groupNorm
-- @tparam torch.Tensor input (N, channels, …)
-- @tparam int numGroups a divisor of channels
-- @tparam[opt] torch.Tensor weight (channels)
-- @tparam[opt] torch.Tensor bias (channels)
-- @tparam[opt=1e-5] number eps added to the variance
functional.groupNorm = signature('nn.functional.groupNorm', {
  input, { 'numGroups', 'int', min = 1 }, weight, bias, eps,
}, function(x, groups, scale, shift, small)
  checkDims('nn.functional.groupNorm', x, 2, '(N, channels, …)')
  if x:size(2) % groups ~= 0 then
    check.raise(('nn.functional.groupNorm: numGroups: %d, expected a divisor of the %d channels'):format(groups, x:size(2)))
  end
  if x:nElement() == 0 then return torch.mul(x, 1) end
  return (check.call(torch.groupNorm, x, groups, scale, shift, small))
end)

-- Checks that the last dimensions of x have these sizes, and returns the number of their elements.
local function lastSizes(where, x, sizes)
  local first, count = x:dim() - #sizes, 1
  local fits = first >= 0
  for d, size in ipairs(sizes) do
    fits, count = fits and x:size(first + d) == size, count * size
  end
  if not fits then
    check.raise(('%s: input: %s, expected [%s] in the last dimensions'):format(where, sizesOf(x), table.concat(sizes, ', ')), 'shape')
  end
  return count
end

--- Normalises each sample over its last dimensions.
-- Source: Ba, Kiros & Hinton (2016), "Layer Normalization", arXiv:1607.06450.
-- @function layerNorm
-- @tparam torch.Tensor input (…, normalizedShape)
-- @tparam int|{int,...} normalizedShape sizes of the last dimensions
-- @tparam[opt] torch.Tensor weight of these sizes
-- @tparam[opt] torch.Tensor bias of these sizes
-- @tparam[opt=1e-5] number eps added to the variance
functional.layerNorm = signature('nn.functional.layerNorm', {
  input, { 'normalizedShape', 'sizes', min = 1 }, weight, bias, eps,
}, function(x, sizes, scale, shift, small)
  local count = lastSizes('nn.functional.layerNorm', x, sizes)
  if #sizes == 1 then return (check.call(torch.layerNorm, x, scale, shift, small)) end
  local rows = torch.view(torch.contiguous(x), -1, count)
  return torch.view(check.call(torch.layerNorm, rows, scale, shift, small), x:size())
end)

local epsOf = { ['torch.FloatTensor'] = 2 ^ -23, ['torch.DoubleTensor'] = 2 ^ -52, ['torch.HalfTensor'] = 2 ^ -10,
  ['torch.BFloat16Tensor'] = 2 ^ -7 }

--- Divides each sample by the root mean square of its last dimensions.
-- Source: Zhang & Sennrich (2019), "Root Mean Square Layer Normalization", NeurIPS, eq. 4.
-- @function rmsNorm
-- @tparam torch.Tensor input (…, normalizedShape)
-- @tparam int|{int,...} normalizedShape sizes of the last dimensions
-- @tparam[opt] torch.Tensor weight of these sizes
-- @tparam[opt] number eps added to the mean square; by default the spacing of the input's type at 1
functional.rmsNorm = signature('nn.functional.rmsNorm', {
  input, { 'normalizedShape', 'sizes', min = 1 }, weight, { 'eps', 'number', min = 0, optional = true },
}, function(x, sizes, scale, small)
  local count = lastSizes('nn.functional.rmsNorm', x, sizes)
  small = small or epsOf[x:type()] or 1e-6
  if #sizes == 1 then return (check.call(torch.rmsNorm, x, scale, small)) end
  return torch.view(check.call(torch.rmsNorm, torch.view(torch.contiguous(x), -1, count), scale, small), x:size())
end)

--- Divides by the p-norm along a dimension, or by eps if that is larger.
-- @function normalize
-- @tparam torch.Tensor input
-- @tparam[opt=2] number p
-- @tparam[opt=2] int dim from 1
-- @tparam[opt=1e-12] number eps
functional.normalize = signature('nn.functional.normalize', {
  input, { 'p', 'number', default = 2 }, { 'dim', 'int', default = 2 }, { 'eps', 'number', min = 0, default = 1e-12 },
}, function(x, p, dim, small)
  check.dim('nn.functional.normalize', 'dim', x, dim)
  local norms = torch.clamp(torch.norm(x, p, dim), small, math.huge)
  return torch.cdiv(x, torch.expandAs(norms, x))
end)

return functional
