-- Common divisors and multiples.
local torch = require 'torch'
local pair = require 'torch.names.declare_pair'

local declarePair = pair.declare
local isTensor = torch.isTensor

-- Euclid's algorithm.
local function gcd(x, y)
  x, y = torch.abs(x), isTensor(y) and torch.abs(y) or torch.add(torch.mul(x, 0), math.abs(y))
  if x:type() ~= y:type() then
    local kind = torch.add(x.new(), y.new()):type()
    x, y = x:type(kind), y:type(kind)
  end
  while x:nElement() > 0 and torch.any(torch.ne(y, 0)) do
    local isDone = torch.eq(y, 0)
    local rest = torch.fmod(x, torch.where(isDone, 1, y))
    x, y = torch.where(isDone, x, y), torch.where(isDone, 0, rest)
  end
  return x
end
local whole = '{randn(3, 4), nonzero(3, 4)}, {range(6), 4}, {range(6), range(6)}'
declarePair('gcd', 'The greatest common divisor of integers, elementwise; gcd(0, 0) is 0.', gcd,
  { floats = false, differentiable = false, samples = whole })
declarePair('lcm', 'The least common multiple of integers, elementwise; 0 if one is 0.', function(x, y)
  local divisor = gcd(x, y)
  local safe = torch.where(torch.eq(divisor, 0), 1, divisor)
  return torch.abs(torch.cmul(torch.cdiv(x, safe), y))
end, { floats = false, differentiable = false, samples = whole })
