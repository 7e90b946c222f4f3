-- Derivatives of reductions. Along a dimension the result keeps it, with size 1; over everything it has size {1}.
local torch = require 'torch'
local rules, elements = require 'autograd.rules', require 'torch.elements'

local saving = rules.saving

-- Repeats a reduction's result, or its gradient, over what was reduced.
local function spread(g, size)
  if g:dim() ~= #size then
    local ones = {}
    for i = 1, #size do ones[i] = 1 end
    g = torch.reshape(g, ones)
  end
  return torch.expand(g, size)
end

-- x and the dimension that was reduced: all elements are those of one dimension. (A reduction over everything may give a number.)
local function alongOne(x, dim)
  if dim then return x, dim end
  return torch.reshape(x, x:nElement()), 1
end

-- x, with 1 where it is 0.
local function nonzero(x) return torch.where(torch.eq(x, 0), 1, x) end

rules.sum = { 'expand(g, size(x))' }
rules.nansum = { 'where(isnan(x), 0, g)' }
rules.mean = { saving('size(x)', function(g, size) return spread(torch.mul(g, g:nElement() / elements(size)), size) end) }

-- The product of the others: y / x, unless one element is 0; it is then 0 for the others, and for all where two are 0. (The second
-- derivative at an element next to a 0 is that of elements away from 0.)
rules.prod = { saving('result, x, dim', function(g, y, x, dim)
  local along, d = alongOne(x, dim)
  local isZero = torch.to(torch.eq(along, 0), x:type())
  local zeros = torch.sum(isZero, d)
  local noneIsZero = torch.cdiv(spread(y, along:size()), nonzero(along))
  if torch.max(zeros) == 0 then return torch.cmul(spread(g, x:size()), torch.reshape(noneIsZero, x:size())) end
  local others = torch.cdiv(torch.expand(torch.prod(nonzero(along), d), along:size()), nonzero(along))
  local only = torch.cmul(isZero, torch.to(torch.eq(zeros, 1), x:type()))
  return torch.cmul(spread(g, x:size()), torch.reshape(torch.add(noneIsZero, torch.cmul(others, only)), x:size()))
end) }

-- Along a dimension the gradient goes to the position that was found; over everything, equal extremes share it.
-- Of the results the position is kept: programs may write to the value.
local function extremum(name) return { saving('result[2], x, dim', function(g, positions, x, dim)
  if dim then return torch.scatter(g[1].new():resize(x:size()):zero(), dim, positions, g[1]) end
  local plain = x:detach()
  local mask = torch.to(torch.eq(plain, (torch[name](plain))), x:type())
  return torch.cmul(mask, torch.div(g[1], torch.sum(torch.reshape(mask, mask:nElement()), 1)[1]))
end) } end
rules.max, rules.min = extremum 'max', extremum 'min'

local position = rules.none 'a position has no derivative'
rules.argmax, rules.argmin = position, position
local mask = rules.none 'a mask has no derivative'
rules.any, rules.all = mask, mask

-- At 0 the gradient is 0, one of the subgradients.
rules.norm = { saving('result, x, p', function(g, y, x, p)
  local size = x:size()
  if p == 0 then return torch.mul(spread(g, size), 0) end
  if p == 1 then return torch.cmul(spread(g, size), torch.sign(x)) end
  if p == 2 then return torch.cmul(torch.cdiv(spread(g, size), nonzero(spread(y, size))), x) end
  local magnitude = torch.abs(x)
  if p == math.huge or p == -math.huge then
    local extreme = torch.to(torch.eq(magnitude, spread(y, size)), x:type())
    return torch.cmul(spread(g, size), torch.cmul(torch.sign(x), extreme))
  end
  local share                                                      -- (|x| / y)^(p - 1), 0 where x is
  if p < 1 then
    share = torch.pow(torch.cdiv(spread(y, size), nonzero(magnitude)), 1 - p)
  else
    share = torch.pow(torch.cdiv(magnitude, nonzero(spread(y, size))), p - 1)
  end
  return torch.cmul(spread(g, size), torch.cmul(torch.sign(x), share))
end) }

-- 2 (x - mean) / (n - 1), or over n when biased.
local function varianceGradient(g, x, dim, biased)
  local along, d = alongOne(x, dim)
  local n = along:size(d)
  local deviation = torch.csub(along, torch.mean(along, d))
  return torch.cmul(spread(torch.mul(g, 2 / (biased and n or n - 1)), x:size()), torch.reshape(deviation, x:size()))
end
rules.var = { saving('x, dim, biased', varianceGradient) }
rules.std = { saving('result, x, dim, biased', function(g, y, x, dim, biased)
  return varianceGradient(torch.cdiv(g, torch.mul(nonzero(y), 2)), x, dim, biased)
end) }
