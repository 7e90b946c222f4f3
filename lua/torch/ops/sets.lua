-- Tensors as sets of their elements. NaN is equal to nothing.
local torch = require 'torch'
local declare = require('torch.op').declare

-- Returns both as vectors, in the type that can hold the elements of both.
local function alike(a, b)
  local kind = a:type() == b:type() and a:type() or torch.add(a.new(), b.new()):type()
  return torch.reshape(a, a:nElement()):type(kind), torch.reshape(b, b:nElement()):type(kind)
end

local function contained(x, values)
  local mask = torch.ByteTensor(x:nElement()):zero():to(x:device())
  if x:nElement() == 0 or values:nElement() == 0 then return mask end
  local sorted = torch.sort(values, 1)
  local place = torch.cmin(torch.searchsorted(sorted, x), values:nElement())
  return torch.eq(torch.index(sorted, 1, place), x)
end

local function chosen(x, mask, wanted)
  local list = x:nElement() > 0 and torch.maskedSelect(x, torch.eq(mask, wanted)) or x
  return torch.reshape(list, list:nElement())
end

declare {
  name = 'isin', signature = '[res] x:tensor values:tensor', result = 'mask', differentiable = false,
  doc = 'Which elements of x are among the values: a mask of x\'s sizes. Elements are compared in a type that can hold both.',
  samples = '{positions(4, {2, 3}), positions(2, 2)}, {range(5), range(3)}, {randn(0), randn(3)}, {randn(3), randn(0)}, '
    .. '{full(nan), full(nan)}',
  forward = function(x, values)
    local mask = contained(alike(x, values))
    return torch.reshape(mask, x:size())
  end,
}

declare {
  name = 'setdiff', signature = '[res] a:tensor b:tensor', differentiable = false,
  doc = 'The distinct elements of a that are not elements of b, a vector in ascending order, in a type that can hold both.',
  samples = '{positions(6, 6), positions(3, 3)}, {range(5), range(2)}, {randn(0), randn(2)}, {range(3), range(3)}',
  forward = function(a, b)
    a, b = alike(a, b)
    a = torch.unique(a)
    return chosen(a, contained(a, b), 0)
  end,
}

declare {
  name = 'intersect', signature = '[res] a:tensor b:tensor', differentiable = false,
  doc = 'The distinct common elements of a and b, a vector in ascending order, in a type that can hold both.',
  samples = '{positions(6, 6), positions(3, 3)}, {range(5), range(2)}, {randn(0), randn(2)}, {range(3), range(3)}',
  forward = function(a, b)
    a, b = alike(a, b)
    a = torch.unique(a)
    return chosen(a, contained(a, b), 1)
  end,
}

declare {
  name = 'union', signature = '[res] a:tensor b:tensor', differentiable = false,
  doc = 'The distinct elements of a and b together, a vector in ascending order, in a type that can hold both.',
  samples = '{positions(6, 6), positions(3, 3)}, {range(5), range(2)}, {randn(0), range(2)}, {range(3), range(4)}',
  forward = function(a, b) return (torch.unique(torch.cat({ alike(a, b) }, 1))) end,
}
