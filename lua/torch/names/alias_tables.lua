--- Draws from a distribution in constant time: Walker's alias tables, with Torch7's names.
-- Source: Vose (1991), "A linear algorithm for generating random numbers with a given distribution", IEEE Trans. Software Eng. 17(9).
-- @module torch.names.alias_tables
local torch, check = require 'torch', require 'torch.check'

local alias = {}

local function fail(name, argument, text, ...) check.raise(('%s: %s: %s'):format(name, argument, text:format(...))) end

local function isVector(x) return torch.isTensor(x) and x:dim() == 1 and x:nElement() > 0 end

-- Returns for each category the probability of keeping it when it is drawn, and the category that replaces it otherwise.
local function tables(p)
  local n, total = #p, 0
  for i = 1, n do total = total + p[i] end
  local keep, other, small, large = {}, {}, {}, {}
  for i = 1, n do
    keep[i], other[i] = p[i] / total * n, i
    if keep[i] < 1 then small[#small + 1] = i else large[#large + 1] = i end
  end
  while #small > 0 and #large > 0 do
    local s, l = table.remove(small), large[#large]
    other[s], keep[l] = l, keep[l] + keep[s] - 1
    if keep[l] < 1 then small[#small + 1] = table.remove(large) end
  end
  -- The rest is 1 up to rounding errors.
  for _, rest in ipairs { small, large } do
    for _, i in ipairs(rest) do keep[i] = 1 end
  end
  return other, keep
end

--- The low-level form of multinomialAliasSetup.
-- @tparam torch.Tensor p probabilities, a vector of floats, not negative; they are divided by their sum
-- @tparam[opt] torch.LongTensor J receives for each category the one that replaces it, from 1
-- @tparam[opt] torch.Tensor q receives the probability of keeping a category
-- @treturn torch.LongTensor J
-- @treturn torch.Tensor q, of the type of p
function alias.multinomialAliasSetup_(p, J, q)
  local name = 'multinomialAliasSetup_'
  if not isVector(p) or not p:isFloatingPoint() then fail(name, 'p', '%s, expected a vector of floats', torch.type(p)) end
  if not (torch.min(p) >= 0 and torch.sum(p) > 0 and torch.sum(p) < math.huge) then
    fail(name, 'p', 'expected numbers not below 0 with a sum above 0')
  end
  if J ~= nil and torch.typename(J) ~= 'torch.LongTensor' then fail(name, 'J', '%s, expected a LongTensor', torch.type(J)) end
  if q ~= nil and not torch.isTensor(q) then fail(name, 'q', '%s, expected a tensor of floats', torch.type(q)) end
  local other, keep = tables(p:totable())
  J, q = J or torch.LongTensor(), q or p.new()
  J:resize(#other):copy(torch.LongTensor(other))
  q:resize(#keep):copy(torch.DoubleTensor(keep))
  return J, q
end

--- Creates an alias table, for multinomialAlias.
-- @tparam torch.Tensor p probabilities, a vector of floats
-- @tparam[opt] table state its tensors are reused
-- @treturn table {J, q}: see multinomialAliasSetup_
function alias.multinomialAliasSetup(p, state)
  state = state or {}
  if type(state) ~= 'table' then fail('multinomialAliasSetup', 'state', '%s, expected a table', torch.type(state)) end
  state[1], state[2] = alias.multinomialAliasSetup_(p, state[1], state[2])
  return state
end

--- The low-level form of multinomialAlias.
-- Each element uses two numbers u in [0, 1): the result is the category floor(u1 K) + 1 if u2 is at most its q, else its J.
-- @tparam torch.LongTensor output receives categories, from 1
-- @tparam[opt] torch.Generator generator
-- @tparam torch.LongTensor J
-- @tparam torch.Tensor q
-- @treturn torch.LongTensor output
function alias.multinomialAlias_(output, generator, J, q)
  local name = 'multinomialAlias_'
  if torch.typename(generator) ~= 'torch.Generator' then generator, J, q = nil, generator, J end
  if torch.typename(output) ~= 'torch.LongTensor' then
    fail(name, 'output', '%s, expected a torch.LongTensor', torch.type(output))
  end
  if not isVector(J) or not isVector(q) or J:size(1) ~= q:size(1) then fail(name, 'J', 'expected two vectors of one size') end
  local n, count = output:nElement(), q:size(1)
  if n == 0 then return output end
  local u = torch.DoubleTensor(n, 2)
  if generator then u:uniform(generator) else u:uniform() end
  local hit = torch.floor(torch.mul(u:select(2, 1), count)):add(1):_as 'Long'
  local keeps = torch.le(u:select(2, 2), torch.index(q, 1, hit):_as 'Double')
  return output:copy(torch.where(keeps, hit, torch.index(J, 1, hit)))
end

--- Fills a tensor with categories drawn from an alias table.
-- @tparam torch.LongTensor output
-- @tparam[opt] torch.Generator generator
-- @tparam table state from multinomialAliasSetup
-- @treturn torch.LongTensor output
function alias.multinomialAlias(output, generator, state)
  if type(generator) == 'table' then generator, state = nil, generator end
  if type(state) ~= 'table' then
    fail('multinomialAlias', 'state', '%s, expected the table of multinomialAliasSetup', type(state))
  end
  if generator then return alias.multinomialAlias_(output, generator, state[1], state[2]) end
  return alias.multinomialAlias_(output, state[1], state[2])
end

return alias
