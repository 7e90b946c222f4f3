--- Averages of weights over the steps of a training, which often predict better than the last ones: optim.EMA and optim.SWA.
-- @usage local ema = optim.EMA(net:parameters(), { decay = 0.999 })
-- ...      -- after each step of the optimiser:
-- ema:update()
-- ema:apply()      -- for a test: the network has the averages
-- ema:restore()
-- @module optim.averages
local torch, check = require 'torch', require 'torch.check'
local replaced, noGrad = require 'torch.tensor.replaced', require('autograd.mode').noGrad
local lists, messages = require 'optim.lists', require 'torch.check.message'

local WeightAverage = torch.class 'optim.WeightAverage'

-- Continues with the tensors that replaced the parameters, and averages of their type.
local function follow(self)
  if replaced.count == self.seen then return end
  for i, parameter in ipairs(self.parameters) do
    local latest = replaced.latest(parameter)
    self.parameters[i] = latest
    for _, list in ipairs { self.averages, self.saved or {} } do list[i] = list[i] and list[i]:to(latest:device()):type(latest:type()) end
  end
  self.seen = replaced.count
end

-- average = average + weight (parameter - average), in one pass over all tensors: a step with the rate -weight and the weight decay -1.
local function mix(averages, parameters, weight)
  lists.eachDevice(function(means, xs) torch.sgd_step(means, xs, {}, -weight, 0, 0, -1) end, averages, parameters)
end

local function copyAll(targets, sources)
  for i, target in ipairs(targets) do target:copy(sources[i]) end
end

local function clones(list)
  local copies = {}
  for i, x in ipairs(list) do copies[i] = x:detach():clone() end
  return copies
end

local function checkParameters(where, parameters)
  if type(parameters) ~= 'table' or torch.typename(parameters) or #parameters == 0 then
    check.raise(('%s: parameters: %s, expected a list of tensors'):format(where, messages.kind(parameters)))
  end
  for i, x in ipairs(parameters) do
    check.tensor(where, 'parameters: number ' .. i, x)
    check.that(x:isFloatingPoint(), ('%s: parameters: number %d: a %s, expected a tensor of floats'):format(where, i, x:type()))
  end
end

--- The base of optim.EMA and optim.SWA. Fields: `averages`, a list of tensors; `count`, the number of updates.
-- @tparam {torch.Tensor,...} parameters tensors of floats
-- @tparam[opt] table options `decay` (0.999), of optim.EMA
-- @raise if a parameter is no tensor of floats, or the decay is not between 0 and 1
function WeightAverage:__init(parameters, options)
  local where = torch.typename(self)
  check.that(self._weight, where .. ': a base class, expected optim.EMA or optim.SWA')
  checkParameters(where, parameters)
  if type(options) == 'table' and torch.isTensor(options[1]) then options = nil end      -- the gradients of net:parameters()
  self.options = check.options(where, options, self._options)
  if self._options[1] then self.options.decay = check.number(where, 'decay', self.options.decay or 0.999, { min = 0, max = 1 }) end
  self.parameters, self.averages, self.count, self.seen = { unpack(parameters) }, noGrad(clones, parameters), 0, replaced.count
end

--- Adds the present weights to the averages. The first call copies them.
-- @raise between `apply` and `restore`, when the parameters are the averages
function WeightAverage:update()
  check.that(not self.saved, torch.typename(self) .. '.update: the parameters are the averages; restore() comes first')
  follow(self)
  if self.count == 0 then
    noGrad(copyAll, self.averages, self.parameters)
  else
    noGrad(mix, self.averages, self.parameters, self._weight(self))
  end
  self.count = self.count + 1
end

--- Gives the parameters the averages, until `restore`.
-- @raise if that is done already
function WeightAverage:apply()
  check.that(not self.saved, torch.typename(self) .. '.apply: the parameters are the averages already')
  follow(self)
  self.saved = noGrad(clones, self.parameters)
  noGrad(copyAll, self.parameters, self.averages)
end

--- Gives the parameters the weights that they had before `apply`.
-- @raise without `apply`
function WeightAverage:restore()
  check.that(self.saved, torch.typename(self) .. '.restore: apply() comes first')
  follow(self)
  noGrad(copyAll, self.parameters, self.saved)
  self.saved = nil
end

--- Returns the state that a program needs to continue later.
-- @treturn table `averages`, whose tensors are shared, and `count`
function WeightAverage:stateDict() return { averages = { unpack(self.averages) }, count = self.count } end

--- Continues from a state; its tensors are copied.
-- @tparam table state result of `stateDict`
-- @raise if its tensors are not as many as the parameters, or of other sizes; then nothing changes
function WeightAverage:loadStateDict(state)
  local where = torch.typename(self) .. '.loadStateDict'
  check.table(where, 'state', state)
  local averages = check.table(where, 'state: averages', state.averages)
  check.int(where, 'state: count', state.count, { min = 0 })
  if #averages ~= #self.averages then check.raise(('%s: state: %d averages, expected %d'):format(where, #averages, #self.averages)) end
  for i, average in ipairs(averages) do
    check.tensor(where, 'state: average ' .. i, average)
    local own = self.averages[i]
    if not average:isSameSizeAs(own) then
      check.raise(('%s: state: average %d: sizes %s, expected %s'):format(where, i, messages.sizes(average), messages.sizes(own)))
    end
  end
  follow(self)
  noGrad(copyAll, self.averages, averages)
  self.count = state.count
end

--- Exponential moving averages: average = decay average + (1 - decay) weights.
-- Source: Polyak & Juditsky (1992), "Acceleration of Stochastic Approximation by Averaging", SIAM J. Control and Optimization 30(4), for
-- averages of weights.
local EMA = torch.class('optim.EMA', 'optim.WeightAverage')
EMA._options = { 'decay' }
function EMA._weight(self) return 1 - self.options.decay end

--- Means of all weights since the start: average = average + (weights - average) / (count + 1).
-- Source: Izmailov et al. (2018), "Averaging Weights Leads to Wider Optima and Better Generalization", UAI, algorithm 1.
local SWA = torch.class('optim.SWA', 'optim.WeightAverage')
SWA._options = {}
function SWA._weight(self) return 1 / (self.count + 1) end

for _, class in ipairs { WeightAverage, EMA, SWA } do class.__givesWay, class.__module = true, 'optim.averages' end

return true
