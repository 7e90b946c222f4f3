--- One tensor or a list of tensors, seen as a list.
-- @module optim.lists
local torch = require 'torch'

local lists = {}

--- `x` as a list.
function lists.of(x)
  return type(x) == 'table' and x or { x }
end

--- Parameters and gradients as lists.
-- @raise if they are not alike
function lists.both(where, x, gradient)
  if type(x) == 'table' then
    if type(gradient) ~= 'table' or #gradient ~= #x then
      error(('%s: gradient: %s, expected a list of %d tensors, as x is'):format(where,
        type(gradient) == 'table' and 'a list of ' .. #gradient or 'a ' .. torch.type(gradient), #x), 3)
    end
    return x, gradient
  end
  return { x }, { gradient }
end

--- Zeros in the shape of `x`, a tensor or a list.
function lists.like(x)
  if type(x) ~= 'table' then return x.new():resizeAs(x):zero() end
  local zeros = {}
  for i = 1, #x do zeros[i] = x[i].new():resizeAs(x[i]):zero() end
  return zeros
end

return lists
