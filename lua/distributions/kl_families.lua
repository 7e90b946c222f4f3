--- Divergences between members of a program's exponential families, and between transformed distributions.
-- @module distributions.kl_families
local torch = require 'torch'
local check = require 'torch.check'
local constraints, shapes, weights = require 'distributions.constraints', require 'distributions.shapes', require 'distributions.weights'

-- Whether two parts of transforms are equal: classes, parameters and lists of transforms.
local function isSame(a, b)
  if rawequal(a, b) then return true end
  if torch.isTensor(a) or torch.isTensor(b) then
    return torch.isTensor(a) and torch.isTensor(b) and a:type() == b:type() and torch.equal(a, b)
  end
  if type(a) ~= 'table' or type(b) ~= 'table' then return a == b end
  if constraints.isConstraint(a) then return constraints.isConstraint(b) and a.text == b.text and a.eventDim == b.eventDim end
  if getmetatable(a) ~= getmetatable(b) then return false end
  for key, value in next, a do
    if not isSame(value, rawget(b, key)) then return false end
  end
  for key in next, b do
    if rawget(a, key) == nil then return false end
  end
  return true
end

local function transformed(p, q)
  if not isSame(p.transforms, q.transforms) then check.raise('kl: q: other transforms, expected those of p') end
  if not shapes.equal(p.eventShape, q.eventShape) then
    check.raise(('kl: q: event of size %s, expected %s'):format(shapes.text(q.eventShape), shapes.text(p.eventShape)), 'shape')
  end
  local kl = require('distributions.divergence').kl
  return weights.sumLast(kl(p.base, q.base), #p.eventShape - #p.base.eventShape)
end

-- The Bregman divergence of the logarithms of the normalisers.
local function family(p, q)
  if torch.typename(p) ~= torch.typename(q) then
    check.raise(('kl: q: %s, expected a class for which a divergence from %s is registered'):format(torch.typename(q), torch.typename(p)))
  end
  local first, slopes, value = p:_normaliser()
  local second, _, other = q:_normaliser()
  local result = other - value
  for i, slope in ipairs(slopes) do
    result = result - weights.sumLast(torch.cmul(second[i] - first[i], slope), #q.eventShape)
  end
  return result
end

--- Registers the divergences.
-- @tparam function register see distributions.divergence
return function(register)
  register('distributions.TransformedDistribution', 'distributions.TransformedDistribution', transformed)
  register('distributions.ExponentialFamily', 'distributions.ExponentialFamily', family)
end
