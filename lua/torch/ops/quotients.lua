-- PyTorch's quotients, whose sizes broadcast.
local torch = require 'torch'
local pair = require 'torch.names.declare_pair'
local asFloats = require 'torch.names.as_floats'
local expect = require 'torch.check.expect'

local declarePair = pair.declare
local isTensor = torch.isTensor

-- The quotient rounded down, without the error of rounding x / y first. Source: Python's float_divmod.
local function floorQuotient(x, y)
  local isFloat = x:isFloatingPoint() or isTensor(y) and y:isFloatingPoint()
  local rest = torch.fmod(x, y)
  local whole = torch.cdiv(torch.csub(x, rest), y)
  local isNegative = isTensor(y) and torch.lt(y, 0) or y < 0 and 1 or 0
  local tooLarge = torch.cmul(torch.ne(rest, 0), torch.ne(torch.lt(rest, 0), isNegative))
  whole = torch.csub(whole, tooLarge:typeAs(whole))
  if not isFloat then return whole end
  whole = torch.round(whole)
  if not isTensor(y) then return y == 0 and torch.cdiv(x, y) or whole end
  return torch.where(torch.eq(y, 0), torch.cdiv(x, y), whole)
end

local function quotient(name)
  return function(x, y, mode)
    if mode == 'floor' then return floorQuotient(x, y) end
    if mode == 'trunc' then return torch.trunc(torch.cdiv(x, y)) end
    if mode then expect.fail(name, 'roundingMode', "'%s', expected 'trunc', 'floor' or nothing", mode) end
    return torch.cdiv(asFloats(x), asFloats(y))
  end
end
local quotients = '{randn(3, 4), nonzero(3, 4)}, {randn(3, 4), nonzero(4)}, {randn(5), 2}, {range(5), 3}'
local rounded = ", {range(7), 3, 'floor'}, {randn(3, 4), constant(2, 4), 'trunc'}, {randn(3, 4), constant(2, 4), 'floor'}"
declarePair('divide', [[
x / y, elementwise, in floats also of integers; with roundingMode 'trunc' rounded towards 0, and with 'floor' rounded down, in the dtype of
the arguments. Errors: integers divided by 0 with a roundingMode.]], quotient 'divide', {
  signature = '[res] x:tensor y:tensor|number roundingMode:string?', result = 'custom', samples = quotients .. rounded,
})
declarePair('trueDivide', 'x / y, elementwise, in floats also of integers.', quotient 'trueDivide',
  { result = 'float', samples = quotients })
declarePair('floorDivide', 'x / y rounded down, elementwise. Errors: integers divided by 0.', floorQuotient, {
  differentiable = false, samples = '{randn(3, 4), constant(2, 3, 4)}, {range(7), 3}, {randn(3, 4), nonzero(4)}',
})
