-- Derivatives of normalisation along the last dimension, and of groups of channels.
local torch = require 'torch'
local C = require 'libmoontorch'
local rules, elements = require 'autograd.rules', require 'torch.names.element_count'

-- Reshapes one value per row to broadcast with x.
local function beside(values, x)
  local size = x:size():totable()
  size[#size] = 1
  return torch.view(values, torch.LongStorage(size))
end

-- Sums over all rows; the result has the size of `like`.
local function overRows(t, like)
  return rules.inSizeOf(torch.sum(torch.view(torch.contiguous(t), -1, t:size(t:dim())), 1), like)
end

-- Returns g .* weight; the weight has as many elements as a row, in any sizes.
local function weighted(g, weight)
  return weight and torch.cmul(g, torch.reshape(weight, weight:nElement())) or g
end

-- Returns the gradient of (x - mean) invstd, or of x invstd, from that of the result. It uses differentiable ops.
local function throughNormal(g, normal, invstd, centred)
  local dim = g:dim()
  local rest = torch.csub(g, torch.cmul(normal, torch.mean(torch.cmul(g, normal), dim)))
  if centred then rest = torch.csub(rest, torch.mean(g, dim)) end
  return torch.cmul(rest, invstd)
end

-- For higher derivatives, computes everything from x again.
local function again(x, eps, centred)
  local dim = x:dim()
  local off = centred and torch.csub(x, torch.mean(x, dim)) or x
  local invstd = torch.rsqrt(torch.add(torch.mean(torch.square(off), dim), eps))
  return torch.cmul(off, invstd), invstd
end

-- Adds the gradient of x through the returned mean and invstd.
local function throughStatistics(gx, gMean, gInvstd, x, mean, invstd)
  local n = x:size(x:dim())
  if gMean then gx = torch.add(gx, torch.mul(beside(gMean, x), 1 / n)) end
  if gInvstd then
    local off = mean and torch.csub(x, beside(mean, x)) or x
    local slope = torch.mul(torch.cmul(gInvstd, torch.pow(invstd, 3)), -1 / n)
    gx = torch.add(gx, torch.cmul(off, beside(slope, x)))
  end
  return gx
end

-- Computes the statistics as functions of x, for higher derivatives.
local function statistics(x, eps)
  local dim, rows = x:dim(), x:nElement() / x:size(x:dim())
  local mean = torch.mean(x, dim)
  local off = torch.csub(x, mean)
  return torch.view(mean, rows), torch.view(torch.rsqrt(torch.add(torch.mean(torch.square(off), dim), eps)), rows)
end

rules.layerNorm = rules.saving('result[2], result[3], ...', function(g, mean, invstd, x, weight, bias, eps)
  local gx, gWeight, gBias
  if C.gradMode() then
    if g[2] or g[3] then mean, invstd = statistics(x, eps) end
    if g[1] then
      local normal, factor = again(x, eps, true)
      gx = throughNormal(weighted(g[1], weight), normal, factor, true)
      gWeight, gBias = weight and overRows(torch.cmul(g[1], normal), weight), bias and overRows(g[1], bias)
    end
  elseif g[1] then
    gx, gWeight, gBias = torch.layerNorm_grad(g[1], x, weight, mean, invstd)
  end
  if g[2] or g[3] then gx = throughStatistics(gx or torch.mul(x, 0), g[2], g[3], x, mean, invstd) end
  return gx, rules.inSizeOf(gWeight, weight), rules.inSizeOf(gBias, bias)
end)

-- Returns weights of channels in sizes that broadcast with x (n, c, …).
local function ofChannels(weight, x)
  local size = { 1, x:size(2) }
  for d = 3, x:dim() do size[d] = 1 end
  return torch.reshape(weight, size)
end

-- Sums over all but the channels; the result has the size of `like`.
local function overChannels(t, like)
  local sums = torch.sum(torch.sum(torch.reshape(t, t:size(1), t:size(2), t:nElement() / (t:size(1) * t:size(2))), 3), 1)
  return rules.inSizeOf(sums, like)
end

rules.groupNorm = rules.saving('result[2], result[3], ...', function(g, mean, invstd, x, groups, weight, bias, eps)
  local gx, gWeight, gBias
  if g[1] and not C.gradMode() then gx, gWeight, gBias = torch.groupNorm_grad(g[1], x, groups, weight, mean, invstd) end
  if C.gradMode() or g[2] or g[3] then
    local count = x:size(1) * groups
    local rows = torch.reshape(x, count, x:size(2) / groups * elements(x:size(), 3))      -- a group is a row
    gx = gx and torch.reshape(gx, rows:size())
    if C.gradMode() and (g[2] or g[3]) then mean, invstd = statistics(rows, eps) end
    if C.gradMode() and g[1] then
      local normal, factor = again(rows, eps, true)
      local incoming = weight and torch.cmul(g[1], ofChannels(weight, x)) or g[1]
      gx = throughNormal(torch.reshape(incoming, rows:size()), normal, factor, true)
      gWeight = weight and overChannels(torch.cmul(g[1], torch.reshape(normal, x:size())), weight)
      gBias = bias and overChannels(g[1], bias)
    end
    if g[2] or g[3] then gx = throughStatistics(gx or torch.mul(rows, 0), g[2], g[3], rows, mean, invstd) end
    gx = torch.reshape(gx, x:size())
  end
  return gx, nil, rules.inSizeOf(gWeight, weight), rules.inSizeOf(gBias, bias)
end)

rules.rmsNorm = rules.saving('result[2], ...', function(g, invrms, x, weight, eps)
  local gx, gWeight
  if C.gradMode() then
    local normal, factor = again(x, eps, false)
    if g[2] then invrms = torch.view(factor, x:nElement() / x:size(x:dim())) end
    if g[1] then
      gx = throughNormal(weighted(g[1], weight), normal, factor, false)
      gWeight = weight and overRows(torch.cmul(g[1], normal), weight)
    end
  elseif g[1] then
    gx, gWeight = torch.rmsNorm_grad(g[1], x, weight, invrms)
  end
  if g[2] then gx = throughStatistics(gx or torch.mul(x, 0), nil, g[2], x, nil, invrms) end
  return gx, rules.inSizeOf(gWeight, weight)
end)

local reason = 'wherever the gradient is to be derived again, it is made of other ops'
rules.layerNorm_grad, rules.groupNorm_grad, rules.rmsNorm_grad = rules.none(reason), rules.none(reason), rules.none(reason)

local ofGroups = 'groupNorm_grad(g, x, groups, weight, result[2], result[3])'
local ofLayer, ofRootMean = 'layerNorm_grad(g, x, weight, result[2], result[3])', 'rmsNorm_grad(g, x, weight, result[2])'
rules.plain.layerNorm = { ofLayer, ofLayer .. '[2]', ofLayer .. '[3]' }
rules.plain.groupNorm = { ofGroups, nil, ofGroups .. '[2]', ofGroups .. '[3]' }
rules.plain.rmsNorm = { ofRootMean, ofRootMean .. '[2]' }
