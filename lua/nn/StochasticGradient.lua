--- Trains a module by stochastic gradient descent, one example per step.
-- Fields that programs may change: learningRate (0.01), learningRateDecay (0), maxIteration (25; 0 and below: without end), shuffleIndices
-- (true), verbose (true), hookExample(self, example), hookIteration(self, iteration, error).
-- @classmod nn.StochasticGradient
local torch, check = require 'torch', require 'torch.check'

local StochasticGradient = torch.class 'nn.StochasticGradient'

--- @tparam nn.Module module
-- @tparam nn.Criterion criterion
function StochasticGradient:__init(module, criterion)
  self.learningRate = 0.01
  self.learningRateDecay = 0
  self.maxIteration = 25
  self.shuffleIndices = true
  self.module = module
  self.criterion = criterion
  self.verbose = true
end

-- Runs one example; returns the loss before the step.
local function step(self, example, rate)
  local module, criterion, input, target = self.module, self.criterion, example[1], example[2]
  local loss = criterion:forward(module:forward(input), target)
  local gradOutput = criterion:updateGradInput(module.output, target)
  module:updateGradInput(input, gradOutput)
  module:accUpdateGradParameters(input, gradOutput, rate)
  if self.hookExample then self.hookExample(self, example) end
  return loss
end

--- Runs maxIteration passes over the data; the rate is learningRate / (1 + passes * learningRateDecay).
-- @param dataset with a method size(), and {input, target} at each position up to it
function StochasticGradient:train(dataset)
  check.that(type(dataset) == 'table' or type(dataset) == 'userdata',
    ('nn.StochasticGradient: dataset: %s, expected a table with a method size'):format(type(dataset)))
  local iteration, rate, count = 1, self.learningRate, dataset:size()
  local order = self.shuffleIndices and torch.randperm(count, 'torch.LongTensor') or torch.range(1, count):_as 'Long'
  if self.verbose then print '# StochasticGradient: training' end
  while true do
    local total = 0
    for t = 1, count do total = total + step(self, dataset[order[t]], rate) end
    local loss = total / count
    if self.hookIteration then self.hookIteration(self, iteration, loss) end
    if self.verbose then print('# current error = ' .. loss) end
    iteration = iteration + 1
    rate = self.learningRate / (1 + iteration * self.learningRateDecay)
    if self.maxIteration > 0 and iteration > self.maxIteration then
      if self.verbose then
        print('# StochasticGradient: you have reached the maximum number of iterations')
        print('# training error = ' .. loss)
      end
      break
    end
  end
end

return StochasticGradient
