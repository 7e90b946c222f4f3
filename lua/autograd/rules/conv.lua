--- Derivatives of convolutions: each of the three ops is bilinear, and its derivatives are the other two.
-- The gradients of weight and bias come from one pass, so that they are asked for together.
local torch = require 'torch'
local C = require 'libmoontorch'
local rules = require 'autograd.rules'

local tracked = C.tracked

rules.conv2d = function(g, _, x, weight, bias, ...)
  local gx, gWeight, gBias
  local dims = x:dim()
  if tracked(x) then gx = torch.conv2d_input_grad(g, weight, x:size(dims - 1), x:size(dims), ...) end
  if tracked(weight) or (bias and tracked(bias)) then
    gWeight, gBias = torch.conv2d_weight_grad(g, x, weight:size(3), weight:size(4), ...)
  end
  return gx, gWeight, bias and gBias
end

rules.conv2d_input_grad = function(h, _, g, weight, _, _, ...)
  return tracked(g) and torch.conv2d(h, weight, nil, ...) or nil,
    tracked(weight) and (torch.conv2d_weight_grad(g, h, weight:size(3), weight:size(4), ...)) or nil
end

rules.conv2d_weight_grad = function(h, y, g, x, _, _, ...)
  local hWeight, hBias = h[1] or torch.mul(y[1]:detach(), 0), h[2]
  local dims = x:dim()
  return tracked(g) and torch.conv2d(x, hWeight, hBias, ...) or nil,
    tracked(x) and torch.conv2d_input_grad(g, hWeight, x:size(dims - 1), x:size(dims), ...) or nil
end
