--- Declares elementwise ops of one argument.
-- @module torch.names.declare_element
local declare = require('torch.op').declare

--- Declares an op of x, by default of floats.
-- @string name
-- @string doc its documentation
-- @tparam function forward gets x and further arguments
-- @tparam[opt] table fields of the declaration that differ from the usual ones
return function(name, doc, forward, fields)
  local declaration = {
    name = name, signature = '[res] x:tensor', result = 'float', ulp = 8, doc = doc, samples = '{randn(3, 4)}, {randn(0)}, {range(5)}',
    forward = forward,
  }
  for field, value in pairs(fields or {}) do declaration[field] = value end
  declare(declaration)
end
