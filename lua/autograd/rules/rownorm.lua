-- Derivatives of normalisation along the last dimension.
local torch = require 'torch'
local C = require 'libmoontorch'
local rules = require 'autograd.rules'

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
rules.layerNorm_grad, rules.rmsNorm_grad = rules.none(reason), rules.none(reason)

local ofLayer, ofRootMean = 'layerNorm_grad(g, x, weight, result[2], result[3])', 'rmsNorm_grad(g, x, weight, result[2])'
rules.plain.layerNorm = { ofLayer, ofLayer .. '[2]', ofLayer .. '[3]' }
rules.plain.rmsNorm = { ofRootMean, ofRootMean .. '[2]' }
