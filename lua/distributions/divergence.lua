--- Divergences between distributions: D.kl and D.registerKl.
-- @module distributions.divergence
local torch = require 'torch'
local check = require 'torch.check'

local divergence = {}

local formulas = {}      -- name of p's class -> name of q's class -> function

local function isDistribution(value) return torch.isTypeOf(value, 'distributions.Distribution') end

-- The names of the classes of an object, the nearest first.
local function ancestry(value)
  local names, metatable = {}, getmetatable(value)
  while metatable and rawget(metatable, '__typename') do
    names[#names + 1] = rawget(metatable, '__typename')
    metatable = getmetatable(metatable)
  end
  return names
end

local function find(p, q)
  local ofQ = ancestry(q)
  for _, first in ipairs(ancestry(p)) do
    for _, second in ipairs(ofQ) do
      local formula = (formulas[first] or {})[second]
      if formula then return formula end
    end
  end
end

-- A class made by torch.class is the metatable of its objects, and has its parent's class as a metatable; a constructor such as D.Normal
-- has its class as one.
local function classOf(where, name, value)
  local isTable = type(value) == 'table'
  local metatable = isTable and getmetatable(value)
  local typename = type(value) == 'string' and value or isTable and rawget(value, '__typename')
    or type(metatable) == 'table' and rawget(metatable, '__typename')
  if not typename then check.raise(('%s: %s: a %s, expected a class'):format(where, name, torch.type(value))) end
  return typename
end

--- Registers the divergence of distributions of two classes; it also serves their subclasses, unless these have one of their own.
-- @param p class, such as distributions.Normal, or its name
-- @param q class
-- @tparam function formula (p, q) -> tensor
function divergence.registerKl(p, q, formula)
  local first, second = classOf('registerKl', 'p', p), classOf('registerKl', 'q', q)
  check.callable('registerKl', 'formula', formula)
  formulas[first] = formulas[first] or {}
  formulas[first][second] = formula
end

--- The Kullback-Leibler divergence of q from p: the mean under p of log(p / q), in nats.
-- @tparam distributions.Distribution p
-- @tparam distributions.Distribution q
-- @treturn torch.Tensor the common size of both batches
-- @raise if no formula for the two classes is registered
function divergence.kl(p, q)
  for name, value in pairs { p = p, q = q } do
    if not isDistribution(value) then check.raise(('kl: %s: a %s, expected a distribution'):format(name, torch.type(value))) end
  end
  local formula = find(p, q)
  if not formula then
    check.raise(('kl: q: %s, expected a class for which a divergence from %s is registered'):format(torch.typename(q), torch.typename(p)))
  end
  return formula(p, q)
end

--- Another name of `kl`, PyTorch's.
-- @function klDivergence
divergence.klDivergence = divergence.kl

require 'distributions.kl_formulas'(divergence.registerKl)

return divergence
