--- optim's algorithms for functions that return gradients: `autograd.optim`.
-- @module autograd.classic.optim
local torch = require 'torch'
local optim = require 'optim'
local util = require 'autograd.classic.util'

-- States and steps of one algorithm.
local function wrap(algorithm)
  --- Steps of the algorithm for a function that returns gradients: each call of the result performs one step.
  -- @tparam function df (parameters, ...) -> gradients, loss, ...
  -- @tparam table state the algorithm's options; each tensor has a separate copy
  -- @tparam table parameters tensors in tables to any depth; changed in place
  -- @treturn function (...) -> what df(parameters, ...) returned
  -- @treturn {table,...} the states, in the order of autograd.util.sortedFlatten
  return function(df, state, parameters)
    local tensors, states, paths = util.sortedFlatten(parameters), {}, util.sortedFlattenKeys(parameters)
    for i = 1, #tensors do states[i] = util.deepCopy(state or {}) end

    local function step(gradients, loss, ...)
      for i = 1, #tensors do
        local gradient = util.nestedGet(gradients, paths[i])
        if gradient and torch.isTensor(tensors[i]) then
          algorithm(function() return loss, gradient:viewAs(tensors[i]) end, tensors[i], states[i])
        end
      end
      return gradients, loss, ...
    end

    return function(...) return step(df(parameters, ...)) end, states
  end
end

return setmetatable({}, {
  __index = function(wrapped, name)
    local algorithm = optim[name]
    if type(algorithm) ~= 'function' then return nil end
    wrapped[name] = wrap(algorithm)
    return wrapped[name]
  end,
})
