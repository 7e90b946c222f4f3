--- Precision and recall of scores at thresholds.
-- @module torchnet.meter.precisionmeter
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'
local pair = require('torchnet.meter').pair

-- Declares a class whose value is the number of hits divided by the number from `countOf(predicted, truth)`, both by class (1, K).
local function declare(name, help, countOf)
  local full = 'tnt.' .. name
  local class = torch.class(full, 'tnt.Meter', tnt)

  class.__init = argcheck {
    help = help,
    { name = 'self', type = full },
    { name = 'threshold', type = 'table', defaultf = function() return { 0.5 } end, help = 'scores from these on count as positive' },
    { name = 'perclass', type = 'boolean', default = false, help = 'a figure for each class' },
    call = function(self, threshold, perclass)
      self.threshold, self.perclass = {}, perclass
      for i, t in ipairs(threshold) do self.threshold[i] = check.number(full, ('threshold[%d]'):format(i), t, { min = 0, max = 1 }) end
      table.sort(self.threshold)
      self:reset()
    end,
  }

  function class:reset()
    self.hits, self.counts = {}, {}
    for _, t in ipairs(self.threshold) do self.hits[t], self.counts[t] = 0, 0 end
  end

  class.add = argcheck {
    { name = 'self', type = full }, { name = 'output', type = 'torch.*Tensor' }, { name = 'target', type = 'torch.*Tensor' },
    call = function(self, output, target)
      local scores, truth = pair(full, output, target)
      if scores:nElement() > 0 and (scores:min() < 0 or scores:max() > 1) then
        check.raise(full .. ': output: expected probabilities from 0 to 1')
      end
      for _, t in ipairs(self.threshold) do
        local predicted = scores:ge(t):double()
        self.hits[t] = torch.cmul(predicted, truth):sum(1) + self.hits[t]
        self.counts[t] = countOf(predicted, truth):sum(1) + self.counts[t]
      end
    end,
  }

  class.value = argcheck {
    { name = 'self', type = full }, { name = 't', type = 'number', opt = true, help = 'one of the thresholds' },
    call = function(self, t)
      if not t then
        local all = {}
        for _, each in ipairs(self.threshold) do all[each] = self:value(each) end
        return all
      end
      local hits = self.hits[t] or check.raise(('%s: t: %s is an incorrect threshold, expected one of {%s}'):format(full, t,
        table.concat(self.threshold, ', ')))
      if type(hits) == 'number' then return 0 end
      if self.perclass then return torch.cdiv(hits, self.counts[t]:clone():clamp(1, math.huge)):mul(100):view(-1) end
      return 100 * hits:sum() / math.max(self.counts[t]:sum(), 1)
    end,
  }
end

--- Precision: the percentage of right ones among the positive predictions. `add(output, target)` accepts probabilities and 0 or 1, (N) or
-- (N, K); `value([t])` is a number, or a tensor (K) with `perclass`; without t a table by threshold.
-- @function PrecisionMeter
-- @tparam[opt] {number,...} threshold {0.5}
-- @bool[opt=false] perclass
declare('PrecisionMeter', 'The percentage of positive predictions that are correct.', function(predicted) return predicted end)

--- Recall: the percentage of positive samples that were predicted; otherwise like PrecisionMeter.
-- @function RecallMeter
-- @tparam[opt] {number,...} threshold {0.5}
-- @bool[opt=false] perclass
declare('RecallMeter', 'The percentage of positive samples that were predicted.', function(_, truth) return truth end)

return { PrecisionMeter = tnt.PrecisionMeter, RecallMeter = tnt.RecallMeter }
