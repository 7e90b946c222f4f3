--- max(0, margin - y (a - b)): y = 1 says that a should be larger, -1 that b should.
-- {a, b} with a number y, for which only the first elements are used, or with a tensor y of their size: the mean over its first dimension.
-- @classmod nn.MarginRankingCriterion
local torch, nn = require 'torch', require 'nn'

local function positive(x) return ('where(ge(%s, 0), %s, 0)'):format(x, x) end     -- the gradient passes at 0, too
local function first(x) return ('narrow(view(contiguous(%s), flat), 1, 1, 1)'):format(x) end

local flat = torch.LongStorage { -1 }
local ofFirst = positive(('rsub(mul(csub(%s, %s), target), margin)'):format(first 'input[1]', first 'input[2]'))
local difference = 'csub(input[1], viewAs(contiguous(input[2]), input[1]))'
local product = ('cmul(%s, viewAs(contiguous(target), input[1]))'):format(difference)
local ofEach = ('mul(sum(%s), factor)'):format(positive(('rsub(%s, margin)'):format(product)))

local MarginRankingCriterion, parent = nn.declare {
  name = 'nn.MarginRankingCriterion', parent = 'nn.Criterion', takes = 'table',
  formula = function(self, _, target)
    if type(target) == 'number' then return ofFirst, flat end
    return ofEach, flat, self.sizeAverage and 1 / target:size(1) or 1
  end,
  values = { 'flat', 'factor' },
  samples = {
    { 'MarginRankingCriterion(0.1)', { { 4 }, { 4 } }, 'torch.DoubleTensor { 1, -1, -1, 1 }' },
    { 'MarginRankingCriterion()', { { 1 }, { 1 } }, -1 },
  },
}

--- @tparam[opt=1] number margin
-- @tparam[opt=true] boolean sizeAverage whether terms are averaged over the batch
function MarginRankingCriterion:__init(margin, sizeAverage)
  parent.__init(self)
  self.margin = tonumber(margin) or 1
  self.gradInput = { torch.Tensor(1), torch.Tensor(1) }
  self.sizeAverage = sizeAverage ~= false
end

return MarginRankingCriterion
