--- Arguments of the functions on boxes and masks.
-- @module vision.arguments
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local arguments = {}

--- Checks boxes (n, 4), and converts integers to doubles.
-- @string where prefix of error messages
-- @string name of the argument
-- @param x
-- @treturn torch.Tensor
function arguments.boxes(where, name, x)
  check.tensor(where, name, x)
  if x:dim() ~= 2 or x:size(2) ~= 4 then
    check.raise(('%s: %s: %s, expected boxes (n, 4)'):format(where, name, messages.sizes(x)), 'shape')
  end
  return torch.isFloatingPoint(x) and x or x:double()
end

--- Checks a vector with an element for each of n things.
-- @string where
-- @string name
-- @param x
-- @int n
-- @treturn torch.Tensor
function arguments.each(where, name, x, n)
  check.tensor(where, name, x)
  if x:dim() ~= 1 or x:size(1) ~= n then
    check.raise(('%s: %s: %s, expected [%d]'):format(where, name, messages.sizes(x), n), 'shape')
  end
  return x
end

arguments.size = require 'image.augment.draw'.size

return arguments
