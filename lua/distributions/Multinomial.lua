--- Multinomial distribution: the counts of each class in totalCount draws.
-- @classmod distributions.Multinomial
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check, counts = require 'torch.check', require 'distributions.counts'
local common = require('distributions.elements').common
local weights = require 'distributions.weights'
require 'distributions.Distribution'

local Multinomial = torch.class('distributions.Multinomial', 'distributions.Distribution')

--- @tparam[opt=1] int totalCount number of draws, 0 or more; or a table of options
-- @tparam[opt] torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] torch.Tensor logits logarithms of the probabilities, up to a constant, instead of probs
-- @tparam[opt] table options `totalCount`, `probs`, `logits`, `validateArgs`
function Multinomial:__init(totalCount, probs, logits, options)
  if type(totalCount) == 'table' then totalCount, options = nil, totalCount end
  if options == nil and type(probs) == 'table' then options, probs = probs, nil end
  if options == nil and type(logits) == 'table' then options, logits = logits, nil end
  local rest = {}
  for key, value in pairs(type(options) == 'table' and options or {}) do rest[key] = value end
  if totalCount == nil then totalCount, rest.totalCount = rest.totalCount or 1, nil end
  self.totalCount = check.int('distributions.Multinomial', 'totalCount', totalCount, { min = 0, max = 2 ^ 53 })
  self:_declareWeights({}, {}, probs, logits, type(options) == 'table' and rest or options, weights.vector)
end

Multinomial._derive = weights.deriveEvent

-- Each class is a binomial part of the draws that are left.
function Multinomial:_draw(sizes)
  local last = #sizes
  local p = self.probs:detach():expand(unpack(sizes)):double()
  local result = torch.DoubleTensor():resize(torch.LongStorage(sizes))
  if result:nElement() == 0 then return result:type(self:_type()) end
  local rest, left = p:select(last, 1):clone():fill(self.totalCount), p:select(last, 1):clone():fill(1)
  for i = 1, self.eventShape[1] do
    local share = p:select(last, i)
    local count = rest
    if i < self.eventShape[1] then
      count = counts.binomial(rest, torch.clamp(torch.cdiv(share, torch.clamp(left, 1e-300, 1)), 0, 1))
    end
    result:select(last, i):copy(count)
    rest, left = rest - count, left - share
  end
  return result:type(self:_type())
end

function Multinomial:_logProb(x)
  local terms = torch.where(torch.gt(x, 0), torch.cmul(x, self.logits), 0) - torch.lgamma(x + 1)
  return torch.lgamma(weights.sumLast(x) + 1) + weights.sumLast(terms)
end

function Multinomial:entropy()
  local n, p = self.totalCount, self.probs
  local x = torch.range(0, n):type(self:_type())
  local wide, k = common(p:unsqueeze(p:dim() + 1), x)
  local logBinomial = torch.lgamma(x:clone():fill(n + 1)) - torch.lgamma(x + 1) - torch.lgamma(n + 1 - x)
  local binomial = torch.exp(torch.xlogy(k, wide) + torch.xlogy(n - k, 1 - wide) + logBinomial)
  local factorials = weights.sumLast(torch.cmul(binomial, torch.lgamma(x + 1)), 2)
  return factorials - torch.lgamma(factorials:detach():clone():fill(n + 1)) - weights.sumLast(torch.xlogy(p, p)) * n
end

function Multinomial:mean() return self.probs * self.totalCount end
function Multinomial:variance() return torch.cmul(self.probs, 1 - self.probs) * self.totalCount end
function Multinomial:support() return constraints.multinomial(self.totalCount) end

return Multinomial
