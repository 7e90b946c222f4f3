--- Precision among the k best candidates.
-- @module torchnet.meter.precisionatkmeter
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'
local pair = require('torchnet.meter').pair

--- @type tnt.PrecisionAtKMeter
local AtK = torch.class('tnt.PrecisionAtKMeter', 'tnt.Meter', tnt)

--- @function __init
-- @tparam[opt] {int,...} topk {10}
-- @int[opt=2] dim dimension of the candidates
-- @bool[opt=false] online whether each `add` adds candidates for the same queries, instead of further queries
AtK.__init = argcheck {
  help = 'How many of the best k are right ones.',
  { name = 'self', type = 'tnt.PrecisionAtKMeter' },
  { name = 'topk', type = 'table', defaultf = function() return { 10 } end, help = 'numbers of best ones' },
  { name = 'dim', type = 'number', default = 2, check = function(d) return d == 1 or d == 2 end,
    help = 'along which candidates are ranked' },
  { name = 'online', type = 'boolean', default = false, help = 'further candidates for the same queries' },
  call = function(self, topk, dim, online)
    self.topk, self.dim, self.online = {}, dim, online
    for i, k in ipairs(topk) do self.topk[i] = check.int('tnt.PrecisionAtKMeter', ('topk[%d]'):format(i), k, { min = 1 }) end
    check.that(#topk > 0, 'tnt.PrecisionAtKMeter: topk: an empty list, expected at least one number')
    table.sort(self.topk)
    self:reset()
  end,
}

--- Removes all measurements.
function AtK:reset()
  self.n, self.right, self.scores, self.truth = 0, {}, nil, nil
  for _, k in ipairs(self.topk) do self.right[k] = 0 end
end

-- The best candidates of each row, sorted: their targets and scores.
local function best(self, scores, truth)
  local most = math.min(self.topk[#self.topk], scores:size(2))
  local top, places = scores:topk(most, 2, true, true)
  return truth:gather(2, places), top
end

local function count(self, truth)
  self.n = self.n + truth:size(1)
  for _, k in ipairs(self.topk) do self.right[k] = self.right[k] + truth:narrow(2, 1, math.min(k, truth:size(2))):sum() end
end

--- Adds scores.
-- @function add
-- @tparam torch.Tensor output scores (queries, candidates), or (candidates, queries) with dim 1
-- @tparam torch.Tensor target 0 or 1
AtK.add = argcheck {
  { name = 'self', type = 'tnt.PrecisionAtKMeter' }, { name = 'output', type = 'torch.*Tensor' },
  { name = 'target', type = 'torch.*Tensor' },
  call = function(self, output, target)
    if output:dim() == 1 then output, target = output:view(1, -1), target:view(1, -1) end
    local scores, truth = pair('tnt.PrecisionAtKMeter', output, target)
    if self.dim == 1 then scores, truth = scores:t():contiguous(), truth:t():contiguous() end
    if not self.online then
      count(self, (best(self, scores, truth)))
      return
    end
    if self.scores then scores, truth = torch.cat(self.scores, scores, 2), torch.cat(self.truth, truth, 2) end
    self.truth, self.scores = best(self, scores, truth)
    self.n = 0
    for _, k in ipairs(self.topk) do self.right[k] = 0 end
    count(self, self.truth)
  end,
}

--- @function value
-- @int[opt] k one of topk
-- @treturn number|table percentage; without k a table for all values of topk
AtK.value = argcheck {
  { name = 'self', type = 'tnt.PrecisionAtKMeter' }, { name = 'k', type = 'number', opt = true },
  call = function(self, k)
    if not k then
      local all = {}
      for _, each in ipairs(self.topk) do all[each] = self:value(each) end
      return all
    end
    local right = self.right[k] or check.raise(('tnt.PrecisionAtKMeter: k: invalid k: %s, expected one of {%s}'):format(k,
      table.concat(self.topk, ', ')))
    return 100 * right / (k * self.n)
  end,
}

return { PrecisionAtKMeter = tnt.PrecisionAtKMeter }
