--- Functions of numbers in Torch7's interface, from classes of this package: results are numbers, or tensors where an argument is one.
-- @module distributions.torch7.numbers
local torch = require 'torch'
local check = require 'torch.check'

local numbers = {}

local function asDouble(x) return torch.isTensor(x) and x:double() or torch.DoubleTensor { x } end

local function verify(where, names, values)
  for i, name in ipairs(names) do
    local x = values[i]
    if type(x) ~= 'number' and not torch.isTensor(x) then
      check.raise(('%s: %s: %s, expected a number or a tensor'):format(where, name, require('torch.check.message').kind(x)))
    end
  end
end

--- Makes functions of a value and parameters.
-- @string where the family's name
-- @tparam {string,...} names of the value and the parameters
-- @tparam function make distribution of the parameters
-- @tparam table methods name of the function -> function (distribution, value) -> tensor
-- @treturn table
function numbers.family(where, names, make, methods)
  local family = {}
  for name, method in pairs(methods) do
    family[name] = function(...)
      local values, isNumber = { ... }, true
      verify(('distributions.%s.%s'):format(where, name), names, values)
      for i = 1, #names do
        isNumber = isNumber and type(values[i]) == 'number'
        values[i] = asDouble(values[i])
      end
      local x = table.remove(values, 1)
      values[#names] = { validateArgs = false }
      local y = method(make(unpack(values, 1, #names)), x)
      return isNumber and y[1] or y
    end
  end
  return family
end

--- The density, its logarithm, and the distribution function.
numbers.density = {
  pdf = function(d, x) return torch.exp(d:logProb(x)) end,
  logpdf = function(d, x) return d:logProb(x) end,
  cdf = function(d, x) return d:cdf(x) end,
}

return numbers
