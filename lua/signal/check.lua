--- Checks of the arguments of signal's functions.
-- @module signal.check
local C = require 'libmoontorch'
local check = require 'torch.check'

local checks = {}

-- The description of a tensor in messages.
local function shown(x) return ('%s [%s]'):format(x:type(), table.concat(x:size():totable(), ', ')) end

--- Checks a tensor of floats or doubles.
-- @string where name of the function
-- @string name name of the argument
-- @param x
-- @treturn torch.Tensor x
function checks.signal(where, name, x)
  check.tensor(where, name, x)
  local kind = C.dtypeOf(x)
  if kind ~= 'Float' and kind ~= 'Double' then
    check.raise(('%s: %s: Unsupported precision of input tensor: %s, expected torch.FloatTensor or torch.DoubleTensor')
      :format(where, name, x:type()))
  end
  return x
end

-- Likewise with a number of dimensions, described by `expected`.
function checks.dims(where, name, x, dims, expected)
  checks.signal(where, name, x)
  if x:dim() ~= dims or x:nElement() == 0 then check.raise(('%s: %s: %s, %s'):format(where, name, shown(x), expected)) end
  return x
end

-- Likewise for real numbers with `dims` dimensions, or complex ones with another dimension of 2. Returns whether x is complex.
function checks.realOrComplex(where, name, x, dims, expected)
  checks.signal(where, name, x)
  local complex = x:dim() == dims + 1 and x:size(x:dim()) == 2
  if not complex and x:dim() ~= dims or x:nElement() == 0 then check.raise(('%s: %s: %s, %s'):format(where, name, shown(x), expected)) end
  return complex
end

-- Checks complex numbers with `dims` dimensions and another one of 2.
function checks.complex(where, name, x, dims, expected)
  if not checks.realOrComplex(where, name, x, dims, expected) then
    check.raise(('%s: %s: %s, %s'):format(where, name, shown(x), expected))
  end
  return x
end

return checks
