--- max(0, margin - y (a - b)): y = 1 says that a should be the larger, -1 that b should.
-- {a, b} with a number y, where the first elements count, or with a tensor y of their size: the mean over its first dimension.
-- @classmod nn.MarginRankingCriterion
local torch = require 'torch'
require 'nn'

local MarginRankingCriterion, parent = torch.class('nn.MarginRankingCriterion', 'nn.Criterion')
MarginRankingCriterion.takes = 'table'

--- @tparam[opt=1] number margin
function MarginRankingCriterion:__init(margin)
  parent.__init(self)
  self.margin = tonumber(margin) or 1
  self.gradInput = { torch.Tensor(1), torch.Tensor(1) }
  self.sizeAverage = true
end

-- Its gradient passes at 0, too.
local function positive(x)
  return torch.where(torch.ge(x, 0), x, 0)
end

local function first(x)
  return torch.narrow(torch.view(x:contiguous(), -1), 1, 1, 1)
end

function MarginRankingCriterion:compute(input, y)
  local a, b = input[1], input[2]
  if type(y) == 'number' then
    return positive(torch.rsub(torch.mul(torch.csub(first(a), first(b)), y), self.margin))
  end
  local difference = torch.csub(a, torch.viewAs(b:contiguous(), a))
  local loss = torch.sum(positive(torch.rsub(torch.cmul(difference, torch.viewAs(y:contiguous(), a)), self.margin)))
  return self.sizeAverage and loss / y:size(1) or loss
end

return MarginRankingCriterion
