--- Positive definite matrices, and Wishart distributions of them, in Torch7's functions.
-- @module distributions.torch7.definite
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'
local Wishart = require 'distributions.Wishart'

local definite = {}

--- The lower Cholesky factor.
-- @string where
-- @string name of the argument
-- @tparam torch.Tensor m
-- @treturn torch.DoubleTensor
-- @raise if m is not a positive definite matrix
function definite.lower(where, name, m)
  check.tensor(where, name, m)
  if m:dim() ~= 2 or m:size(1) ~= m:size(2) then
    check.raise(('%s: %s: %s, expected a square matrix'):format(where, name, messages.sizes(m)), 'shape')
  end
  local isDefinite, lower = pcall(torch.cholesky, m:double())
  check.that(isDefinite, ('%s: %s: not positive definite, expected a positive definite matrix'):format(where, name), 'range')
  return lower
end

--- The inverse.
-- @string where
-- @string name of the argument
-- @tparam torch.Tensor m
-- @treturn torch.DoubleTensor
function definite.inverse(where, name, m)
  local inverse = torch.inverse(definite.lower(where, name, m))
  return torch.mm(inverse:t(), inverse)
end

--- A Wishart distribution.
-- @string where
-- @number ndof
-- @tparam torch.Tensor scale
-- @treturn distributions.Wishart
function definite.wishart(where, ndof, scale)
  local lower = definite.lower(where, 'scale', scale)
  local n = lower:size(1)
  if type(ndof) ~= 'number' or not (ndof > n - 1) then
    check.raise(('%s: ndof: %s, expected a number above %d'):format(where, tostring(ndof), n - 1), 'range')
  end
  return Wishart(ndof, { scaleTril = lower, validateArgs = false })
end

return definite
