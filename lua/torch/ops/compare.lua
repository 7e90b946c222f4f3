-- Comparisons with a tolerance for rounding.
local torch = require 'torch'
local declare = require('torch.op').declare
local asFloats = require 'torch.names.as_floats'

local function isclose(x, y, rtol, atol, equalNan)
  x, y = asFloats(x), asFloats(y)
  local difference = torch.abs(torch.csub(x, y))
  local allowed = torch.add(torch.mul(torch.abs(y), rtol), atol)
  -- An infinite y would allow any difference.
  local near = torch.cmul(torch.le(difference, allowed), torch.isfinite(y))
  local close = torch.cmax(near, torch.eq(x, y))
  if equalNan then close = torch.cmax(close, torch.cmul(torch.isnan(x), torch.isnan(y))) end
  return close
end

declare {
  name = 'isclose', signature = '[res] x:tensor y:tensor rtol:number=1e-5 atol:number=1e-8 equalNan:boolean=false',
  result = 'mask', differentiable = false,
  doc = [[
Whether |x - y| is at most atol + rtol |y|, or both are the same infinity, elementwise and broadcast: a ByteTensor of 0 and 1. With
equalNan, NaN is close to NaN.]],
  samples = '{randn(3, 4), randn(3, 4)}, {randn(3, 4), unit(3, 4), 0.5, 0.1}, {randn(5), randn(5), 0, 1}, {full(inf), full(inf)}, '
    .. '{full(nan), full(nan), 0, 0, true}, {full(-inf), full(inf)}, {full(1), full(inf)}, '
    .. '{randn(3, 1), randn(1, 4)}, {randn(0), randn(0)}',
  forward = isclose,
}

declare {
  name = 'allclose', signature = '[res] x:tensor y:tensor rtol:number=1e-5 atol:number=1e-8 equalNan:boolean=false',
  differentiable = false,
  doc = 'Whether isclose is true for all elements, as a boolean. Arguments as for isclose.',
  samples = '{range(4), range(4)}, {randn(3, 4), unit(3, 4), 0.5, 0.1}, {randn(5), randn(5), 0, 9}, {full(nan), full(nan)}, '
    .. '{randn(0), randn(0)}',
  forward = function(...) return torch.all(isclose(...)) end,
}
