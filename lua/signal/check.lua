--- Checks of what the functions of signal get.
-- @module signal.check
local C = require 'libmoontorch'
local check = require 'torch.check'

local checks = {}

-- What messages call a tensor.
local function shown(x) return ('%s [%s] came'):format(x:type(), table.concat(x:size():totable(), ', ')) end

--- A tensor of floats or doubles.
-- @string where the function's name
-- @string name the argument's
-- @param x
-- @treturn torch.Tensor x
function checks.signal(where, name, x)
  check.tensor(where, name, x)
  local kind = C.dtypeOf(x)
  if kind ~= 'Float' and kind ~= 'Double' then
    check.raise(('%s: %s: Unsupported precision of input tensor: %s came, torch.FloatTensor or torch.DoubleTensor was expected')
      :format(where, name, x:type()))
  end
  return x
end

-- The same with a number of dimensions, said in words.
function checks.dims(where, name, x, dims, expected)
  checks.signal(where, name, x)
  if x:dim() ~= dims or x:nElement() == 0 then check.raise(('%s: %s: %s, %s'):format(where, name, shown(x), expected)) end
  return x
end

-- The same of real numbers in so many dimensions, or of complex ones with a dimension of 2 more. Returns whether x is complex.
function checks.realOrComplex(where, name, x, dims, expected)
  checks.signal(where, name, x)
  local complex = x:dim() == dims + 1 and x:size(x:dim()) == 2
  if not complex and x:dim() ~= dims or x:nElement() == 0 then check.raise(('%s: %s: %s, %s'):format(where, name, shown(x), expected)) end
  return complex
end

-- Complex numbers in so many dimensions and one of 2.
function checks.complex(where, name, x, dims, expected)
  if not checks.realOrComplex(where, name, x, dims, expected) then
    check.raise(('%s: %s: %s, %s'):format(where, name, shown(x), expected))
  end
  return x
end

return checks
