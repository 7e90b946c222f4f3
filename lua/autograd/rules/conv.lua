-- Derivatives of convolutions. For each number of dimensions the three ops are bilinear: the derivatives of one are the other two. One
-- kernel computes the gradients of weight and bias, so rules request them together.
local torch = require 'torch'
local C = require 'libmoontorch'
local rules = require 'autograd.rules'

local saving, tracked = rules.saving, C.tracked

-- Sizes of x along its axes from `first` on, in the form that the ops expect: three in one table.
local sizesFrom = {
  function(x, first) return x:size(first) end,
  function(x, first) return x:size(first), x:size(first + 1) end,
  function(x, first) return { x:size(first), x:size(first + 1), x:size(first + 2) } end,
}

-- Returns the arguments without `count` ones after the first `kept`.
local function without(kept, count, ...)
  local list, n = { ... }, select('#', ...)
  for i = kept + 1, n - count do list[i] = list[i + count] end
  return unpack(list, 1, n - count)
end

-- Returns the sum of g (n, c, sizes...) or (c, sizes...) for each channel.
local function channelSums(g, dims)
  local channels = g:dim() - dims
  for dim = g:dim(), 1, -1 do
    if dim ~= channels then g = torch.sum(g, dim) end
  end
  return torch.reshape(g, g:nElement())
end

local function family(dims)
  local name, sizes = ('conv%dd'):format(dims), sizesFrom[dims]
  local conv, inputGrad, weightGrad = torch[name], torch[name .. '_input_grad'], torch[name .. '_weight_grad']

  local byInput, byWeight
  if dims == 2 then
    function byInput(g, weight, x, ...)
      local height, width = sizes(x, x:dim() - 1)
      return inputGrad(g, weight, height, width, ...)
    end
    function byWeight(g, x, weight, ...) return weightGrad(g, x, weight:size(3), weight:size(4), ...) end
  else
    function byInput(g, weight, x, ...) return inputGrad(g, weight, sizes(x, x:dim() - dims + 1), ...) end
    function byWeight(g, x, weight, ...) return weightGrad(g, x, sizes(weight, 3), ...) end
  end

  rules[name] = saving('x, weight, bias, ...', function(g, x, weight, bias, ...)
    local gx, gWeight, gBias
    if tracked(x) then gx = byInput(g, weight, x, ...) end
    if tracked(weight) or (bias and tracked(bias)) then gWeight, gBias = byWeight(g, x, weight, ...) end
    return gx, gWeight, bias and gBias
  end)

  local function ofInputGrad(h, g, weight, ...)
    return tracked(g) and conv(h, weight, nil, ...) or nil, tracked(weight) and (byWeight(g, h, weight, ...)) or nil
  end
  local function ofWeightGrad(h, y, g, x, ...)
    local hWeight, hBias = h[1] or torch.mul(y:detach(), 0), h[2]
    return tracked(g) and conv(x, hWeight, hBias, ...) or nil, tracked(x) and byInput(g, hWeight, x, ...) or nil
  end
  if dims == 2 then
    rules.conv2d_input_grad = saving('...', function(h, g, weight, _, _, ...) return ofInputGrad(h, g, weight, ...) end)
    rules.conv2d_weight_grad = saving('result[1], ...', function(h, y, g, x, _, _, ...) return ofWeightGrad(h, y, g, x, ...) end)
  else
    rules[name .. '_input_grad'] = saving('...', function(h, g, weight, _, ...) return ofInputGrad(h, g, weight, ...) end)
    rules[name .. '_weight_grad'] = saving('result[1], ...', function(h, y, g, x, _, ...) return ofWeightGrad(h, y, g, x, ...) end)
  end

  local adjustments = dims == 3 and 1 or dims
  rules[('convTranspose%dd'):format(dims)] = saving('...', function(g, x, weight, bias, ...)
    return tracked(x) and conv(g, weight, nil, without(2 * dims, adjustments, ...)) or nil,
      tracked(weight) and (byWeight(x, g, weight, without(2 * dims, adjustments, ...))) or nil,
      bias and tracked(bias) and channelSums(g, dims) or nil
  end)
end

for dims = 1, 3 do family(dims) end

local byWeight2d = 'conv2d_weight_grad(g, x, size(weight, 3), size(weight, 4), strideH, strideW, padH, padW, dilationH, dilationW, groups)'
rules.plain.conv2d = {
  'conv2d_input_grad(g, weight, size(x, -2), size(x, -1), strideH, strideW, padH, padW, dilationH, dilationW, groups)',
  byWeight2d, byWeight2d .. '[2]',
}
local byWeight1d = 'conv1d_weight_grad(g, x, size(weight, 3), stride, pad, dilation, groups)'
rules.plain.conv1d = { 'conv1d_input_grad(g, weight, size(x, -1), stride, pad, dilation, groups)', byWeight1d, byWeight1d .. '[2]' }

rules.plain.convTranspose2d = {
  'conv2d(g, weight, none, strideH, strideW, padH, padW, dilationH, dilationW, groups)',
  'conv2d_weight_grad(x, g, size(weight, 3), size(weight, 4), strideH, strideW, padH, padW, dilationH, dilationW, groups)',
  'linear_bias_grad(squeeze(squeeze(sum(sum(g, -1), -2), -1), -1))',
}
rules.plain.convTranspose1d = {
  'conv1d(g, weight, none, stride, pad, dilation, groups)', 'conv1d_weight_grad(x, g, size(weight, 3), stride, pad, dilation, groups)',
  'linear_bias_grad(squeeze(sum(g, -1), -1))',
}
