-- Derivatives of normalisation.
local torch = require 'torch'
local C = require 'libmoontorch'
local rules = require 'autograd.rules'

-- Returns means over all dimensions except the channels of x (n, c, …), of size (1, c, 1, …).
local function channelMeans(x)
  local mean = x
  for dim = 1, x:dim() do
    if dim ~= 2 then mean = torch.mean(mean, dim) end
  end
  return mean
end

-- Reshapes one value per channel to broadcast with x.
local function beside(values, x)
  local sizes = { 1, -1 }
  for dim = 3, x:dim() do sizes[dim] = 1 end
  return torch.view(torch.contiguous(values), torch.LongStorage(sizes))
end

-- Computes the gradients with differentiable ops, and mean and invstd from x again if they depend on it.
local function differentiable(g, x, weight, mean, invstd, training, eps)
  mean, invstd = beside(mean, x), beside(invstd, x)
  if training then
    mean = channelMeans(x)
    local off = torch.csub(x, mean)
    invstd = torch.rsqrt(torch.add(channelMeans(torch.cmul(off, off)), eps))
  end
  local normal = torch.cmul(torch.csub(x, mean), invstd)
  local gNormal = weight and torch.cmul(g, beside(weight, x)) or g
  local gx = gNormal
  if training then
    gx = torch.csub(torch.csub(gx, channelMeans(gNormal)), torch.cmul(normal, channelMeans(torch.cmul(gNormal, normal))))
  end
  local count = x:nElement() / x:size(2)
  local function sum(t) return torch.mul(torch.reshape(channelMeans(t), x:size(2)), count) end
  return torch.cmul(gx, invstd), sum(torch.cmul(g, normal)), sum(g)
end

-- Adds the gradient of x through the mean and the invstd that batchNorm returned, if these were computed from x.
local function throughStatistics(gx, gMean, gInvstd, x, mean, invstd)
  local count = x:nElement() / x:size(2)
  if gMean then gx = torch.add(gx, 1 / count, beside(gMean, x)) end
  if gInvstd then
    local slope = torch.mul(torch.cmul(gInvstd, torch.pow(invstd, 3)), -1 / count)
    gx = torch.add(gx, torch.cmul(torch.csub(x, beside(mean, x)), beside(slope, x)))
  end
  return gx
end

-- Returns the gradients of the running mean and variance, if these were used.
local function ofStatistics(g, gWeight, gBias, weight, invstd)
  local gMean, gVar = g[2], nil
  if gBias then
    local factor = weight and torch.cmul(invstd, weight) or invstd
    local slope = torch.mul(torch.cmul(gBias, factor), -1)
    gMean = gMean and torch.add(gMean, slope) or slope
    gVar = torch.mul(torch.cmul(gWeight, torch.cmul(factor, invstd)), -0.5)
  end
  if g[3] then
    local slope = torch.mul(torch.cmul(g[3], torch.pow(invstd, 3)), -0.5)
    gVar = gVar and torch.add(gVar, slope) or slope
  end
  return gMean, gVar
end

-- Returns the gradients for the mean and invstd that the op used.
local function gradients(g, mean, invstd, x, weight, bias, training, eps)
  local gx, gWeight, gBias
  if g[1] and C.gradMode() then
    gx, gWeight, gBias = differentiable(g[1], x, weight, mean, invstd, training, eps)
  elseif g[1] then
    gx, gWeight, gBias = torch.batchNorm_grad(g[1], x, weight, mean, invstd, training)
  end
  local byWeight, byBias = rules.inSizeOf(gWeight, weight), rules.inSizeOf(gBias, bias)
  if not training then return gx, byWeight, byBias, ofStatistics(g, gWeight, gBias, weight, invstd) end
  if g[2] or g[3] then gx = throughStatistics(gx or torch.mul(x, 0), g[2], g[3], x, mean, invstd) end
  return gx, byWeight, byBias
end
rules.batchNorm = rules.saving('result[2], result[3], x, weight, bias, training, eps', gradients)

rules.batchNorm_grad = rules.none 'the derivative of batchNorm, wherever it is to be derived again, is made of other ops'

local inOnePass = 'batchNorm_grad(g, x, weight, result[2], result[3], training)'
rules.plain.batchNorm = { inOnePass, inOnePass .. '[2]', inOnePass .. '[3]' }
