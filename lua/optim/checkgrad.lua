--- Compares a gradient with central differences.
-- @module optim.checkgrad
local torch = require 'torch'
local lists = require 'optim.lists'

local function number(loss) return torch.isTensor(loss) and loss:item() or loss end

--- Returns the relative difference between the gradient of opfunc at x and central differences.
-- @tparam function opfunc x -> loss, gradient; the loss a number or a tensor of one element
-- @tparam torch.Tensor x 1 dimension; changed and restored
-- @tparam[opt=1e-7] number eps step of the differences
-- @treturn number |g - d| / |g + d|, where g is the gradient and d the differences
-- @treturn torch.Tensor g
-- @treturn torch.Tensor d
return function(opfunc, x, eps)
  eps = eps or 1e-7
  local _, gradient = lists.evaluate('optim.checkgrad', opfunc, x)
  gradient = gradient:clone()
  local differences = gradient.new():resizeAs(gradient):zero()
  for i = 1, gradient:size(1) do
    local kept = x[i]
    x[i] = kept + eps
    local above = number((opfunc(x)))
    x[i] = kept - eps
    local below = number((opfunc(x)))
    x[i] = kept
    differences[i] = (above - below) / (2 * eps)
  end
  return torch.norm(gradient - differences) / torch.norm(gradient + differences), gradient, differences
end
