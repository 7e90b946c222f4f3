--- Normalised discounted cumulative gain of rankings.
-- Source: Järvelin & Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4): the gain at rank i counts
-- 1 / log2(i) from the second rank on, and is divided by that of the best ranking.
-- @module torchnet.meter.ndcgmeter
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'

--- @type tnt.NDCGMeter
local NDCGMeter = torch.class('tnt.NDCGMeter', 'tnt.Meter', tnt)

--- @function __init
-- @tparam[opt] {int,...} K the last ranks whose gains count: {1}
NDCGMeter.__init = argcheck {
  help = 'Normalised discounted cumulative gain.',
  { name = 'self', type = 'tnt.NDCGMeter' }, { name = 'K', type = 'table', defaultf = function() return { 1 } end, help = 'ranks' },
  call = function(self, K)
    self.K = {}
    for i, k in ipairs(K) do self.K[i] = check.int('tnt.NDCGMeter', ('K[%d]'):format(i), k, { min = 1 }) end
    table.sort(self.K)
    self:reset()
  end,
}

--- Removes all rankings.
function NDCGMeter:reset()
  self.n, self.sums = 0, {}
  for _, k in ipairs(self.K) do self.sums[k] = 0 end
end

-- The gain of relevances in the order of a ranking.
local function gain(relevance, k)
  local sum = relevance[1]
  for i = 2, math.min(k, #relevance) do sum = sum + relevance[i] * math.log(2) / math.log(i) end
  return sum
end

--- Adds rankings.
-- @function add
-- @tparam torch.Tensor output scores (queries, documents), or (documents) for one query
-- @tparam torch.Tensor relevance with the same size, not negative
NDCGMeter.add = argcheck {
  { name = 'self', type = 'tnt.NDCGMeter' }, { name = 'output', type = 'torch.*Tensor' },
  { name = 'relevance', type = 'torch.*Tensor' },
  call = function(self, output, relevance)
    if output:dim() == 1 then output, relevance = output:view(1, -1), relevance:view(1, -1) end
    check.that(output:isSameSizeAs(relevance), 'tnt.NDCGMeter: relevance: expected the size of the output')
    for i = 1, output:size(1) do
      local _, order = torch.sort(output[i], 1, true)
      local ranked = relevance[i]:double():index(1, order):totable()
      local ideal = torch.sort(relevance[i]:double(), 1, true):totable()
      for _, k in ipairs(self.K) do
        local most = gain(ideal, k)
        self.sums[k] = self.sums[k] + (most > 0 and gain(ranked, k) / most or 0)
      end
      self.n = self.n + 1
    end
  end,
}

--- @function value
-- @int[opt] k one of K
-- @treturn number|table the mean over rankings, 0 to 1; without k a table for all values of K
NDCGMeter.value = argcheck {
  { name = 'self', type = 'tnt.NDCGMeter' }, { name = 'k', type = 'number', opt = true },
  call = function(self, k)
    if not k then
      local all = {}
      for _, each in ipairs(self.K) do all[each] = self:value(each) end
      return all
    end
    local sum = self.sums[k] or check.raise(('tnt.NDCGMeter: k: invalid k: %s, expected one of {%s}'):format(k,
      table.concat(self.K, ', ')))
    return sum / self.n
  end,
}

return { NDCGMeter = tnt.NDCGMeter }
