--- Batch normalisation folded into the layer before it, for evaluation: a part of `nn.utils`.
-- @module nn.utils.fusion
local torch, check = require 'torch', require 'torch.check'

local fusion = {}

-- Returns the factor per output, and the bias.
local function factors(bias, mean, variance, eps, scale, shift)
  local factor = torch.rsqrt(torch.add(variance, eps))
  if scale then factor = torch.cmul(factor, scale) end
  local centred = bias and torch.csub(bias, mean) or torch.neg(mean)
  local fused = torch.cmul(centred, factor)
  return factor, shift and torch.add(fused, shift) or fused
end

local function scaled(weight, factor, dim)
  local sizes = {}
  for d = 1, weight:dim() do sizes[d] = d == dim and factor:nElement() or 1 end
  return torch.cmul(weight, factor:view(torch.LongStorage(sizes)):expandAs(weight))
end

-- Returns the weight, whose outputs are in dimension `dim`, and the bias.
local function weights(where, dim, weight, bias, mean, variance, eps, scale, shift)
  check.tensor(where, 'weight', weight)
  check.tensor(where, 'runningMean', mean)
  check.tensor(where, 'runningVar', variance)
  check.number(where, 'eps', eps)
  if weight:dim() < 2 or weight:size(dim) ~= mean:nElement() or mean:nElement() ~= variance:nElement() then
    check.raise(('%s: runningMean: %d elements, expected the size of dimension %d of the weight'):format(where, mean:nElement(), dim),
      'shape')
  end
  local factor, fused = factors(bias, mean, variance, eps, scale, shift)
  return scaled(weight, factor, dim), fused
end

--- Returns the weight and bias of a convolution followed by a batch normalisation.
-- @tparam torch.Tensor weight outputs in the first dimension
-- @tparam ?torch.Tensor bias
-- @tparam torch.Tensor runningMean
-- @tparam torch.Tensor runningVar
-- @number eps
-- @tparam ?torch.Tensor scale weight of the batch normalisation
-- @tparam ?torch.Tensor shift its bias
-- @bool[opt=false] transpose whether outputs are in the second dimension of the weight
-- @treturn torch.Tensor weight
-- @treturn torch.Tensor bias
-- @raise if sizes differ
function fusion.fuseConvBnWeights(weight, bias, runningMean, runningVar, eps, scale, shift, transpose)
  return weights('nn.utils.fuseConvBnWeights', transpose and 2 or 1, weight, bias, runningMean, runningVar, eps, scale, shift)
end

--- Returns the weight and bias of a linear map followed by a batch normalisation.
-- @tparam torch.Tensor weight (out, in)
-- @tparam ?torch.Tensor bias
-- @tparam torch.Tensor runningMean
-- @tparam torch.Tensor runningVar
-- @number eps
-- @tparam ?torch.Tensor scale weight of the batch normalisation
-- @tparam ?torch.Tensor shift its bias
-- @treturn torch.Tensor weight
-- @treturn torch.Tensor bias
-- @raise if sizes differ
function fusion.fuseLinearBnWeights(weight, bias, runningMean, runningVar, eps, scale, shift)
  return weights('nn.utils.fuseLinearBnWeights', 1, weight, bias, runningMean, runningVar, eps, scale, shift)
end

-- Returns a copy of a layer with the batch normalisation in it.
local function fuse(where, layer, norm, transpose)
  check.instance(where, 'layer', layer, 'a module')
  check.instance(where, 'norm', norm, 'a module')
  if layer.train or norm.train then
    check.raise(where .. ': modules: one in training mode, expected both in evaluation mode: module:evaluate()')
  end
  check.tensor(where, 'layer: weight', layer.weight)
  local weight, bias = torch.noGrad(weights, where, transpose and 2 or 1, layer.weight, layer.bias, norm.running_mean, norm.running_var,
    norm.eps, norm.weight, norm.bias)
  local copy = layer:clone()
  torch.noGrad(copy.weight.copy, copy.weight, weight)
  copy.bias = bias:detach():clone()
  copy.gradBias = copy.gradWeight and bias:detach():clone():zero() or nil
  return copy
end

--- Returns a convolution that computes what a convolution and a batch normalisation after it compute in evaluation mode.
-- @tparam nn.Module conv in evaluation mode; not changed
-- @tparam nn.Module bn likewise, with running statistics
-- @bool[opt=false] transpose whether it is a transposed convolution without groups, whose weight has outputs in the second dimension
-- @treturn nn.Module
-- @raise if one is in training mode, or sizes differ
-- @usage local fused = nn.utils.fuseConvBnEval(conv:eval(), norm:eval())
function fusion.fuseConvBnEval(conv, bn, transpose) return fuse('nn.utils.fuseConvBnEval', conv, bn, transpose) end

--- Returns a linear map that computes what a linear map and a batch normalisation after it compute in evaluation mode.
-- @tparam nn.Module linear in evaluation mode; not changed
-- @tparam nn.Module bn likewise, with running statistics
-- @treturn nn.Module
-- @raise if one is in training mode, or sizes differ
function fusion.fuseLinearBnEval(linear, bn) return fuse('nn.utils.fuseLinearBnEval', linear, bn, false) end

return fusion
