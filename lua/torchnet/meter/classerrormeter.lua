--- Top-k classification error.
-- @module torchnet.meter.classerrormeter
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'

--- @type tnt.ClassErrorMeter
local ClassErrorMeter = torch.class('tnt.ClassErrorMeter', 'tnt.Meter', tnt)

local function atLeastOne(topk)
  for _, k in ipairs(topk) do
    if type(k) ~= 'number' or k < 1 or k % 1 ~= 0 then return false end
  end
  return #topk > 0
end

--- @function __init
-- @tparam[opt] {int,...} topk a prediction is right if the class is among the k best ones, for each k: {1}
-- @bool[opt=false] accuracy measures right instead of wrong predictions
ClassErrorMeter.__init = argcheck {
  help = 'How often the right class is not among the best.',
  { name = 'self', type = 'tnt.ClassErrorMeter' },
  { name = 'topk', type = 'table', check = atLeastOne, defaultf = function() return { 1 } end, help = 'numbers of best ones' },
  { name = 'accuracy', type = 'boolean', default = false, help = 'the share of right ones' },
  call = function(self, topk, accuracy)
    self.topk, self.accuracy = torch.LongTensor(topk):sort():totable(), accuracy
    self:reset()
  end,
}

--- Removes all samples.
function ClassErrorMeter:reset()
  self.n, self.wrong = 0, {}
  for _, k in ipairs(self.topk) do self.wrong[k] = 0 end
end

local function targetsOf(target)
  if type(target) == 'number' then return torch.LongTensor { target } end
  return check.tensor('tnt.ClassErrorMeter', 'target', target):long():contiguous():view(-1)
end

--- Adds a batch or a sample.
-- @function add
-- @tparam torch.Tensor output scores (N, classes) or (classes)
-- @tparam torch.Tensor|int target classes (N)
ClassErrorMeter.add = argcheck {
  { name = 'self', type = 'tnt.ClassErrorMeter' }, { name = 'output', type = 'torch.*Tensor' }, { name = 'target' },
  call = function(self, output, target)
    local scores, classes = output:dim() == 1 and output:view(1, -1) or output, targetsOf(target)
    local count, most = scores:size(1), self.topk[#self.topk]
    if scores:dim() ~= 2 or classes:size(1) ~= count then
      check.raise(('tnt.ClassErrorMeter: target: %d classes, expected one for each row of scores [%s]'):format(classes:size(1),
        table.concat(output:size():totable(), ', ')))
    end
    if most > scores:size(2) then
      check.raise(('tnt.ClassErrorMeter: output: scores of %d classes, expected at least the best %d'):format(scores:size(2),
        most))
    end
    local _, best = scores:topk(most, 2, true, true)
    local right = torch.eq(best:long(), classes:view(-1, 1):expand(count, most)):double()
    for _, k in ipairs(self.topk) do self.wrong[k] = self.wrong[k] + count - right:narrow(2, 1, k):sum() end
    self.n = self.n + count
  end,
}

--- @function value
-- @int[opt] k one of topk
-- @treturn number|table percentage of wrong predictions (right ones with `accuracy`); without k, a table for all values of topk
ClassErrorMeter.value = argcheck {
  { name = 'self', type = 'tnt.ClassErrorMeter' }, { name = 'k', type = 'number', opt = true },
  call = function(self, k)
    if not k then
      local all = {}
      for _, each in ipairs(self.topk) do all[each] = self:value(each) end
      return all
    end
    local wrong = self.wrong[k] or check.raise(('tnt.ClassErrorMeter: k: invalid k: %s, expected one of {%s}'):format(k,
      table.concat(self.topk, ', ')))
    local share = 100 * wrong / self.n
    return self.accuracy and 100 - share or share
  end,
}

return { ClassErrorMeter = tnt.ClassErrorMeter }
