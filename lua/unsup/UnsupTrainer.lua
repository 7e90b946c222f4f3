--- Stochastic gradient descent for modules that learn without labels, sample by sample.
-- @classmod unsup.UnsupTrainer
local torch = require 'torch'
local nn = require 'nn'
local check = require 'torch.check'

local Trainer = torch.class 'unsup.UnsupTrainer'

local names = {
  'eta', 'etadecay', 'maxiter', 'statinterval', 'etadecayinterval', 'hessian', 'hessianinterval', 'hessiansamples', 'minhessian',
  'maxhessian',
}

--- @tparam unsup.UnsupModule module
-- @param data data[i] is {input, target}, from 1 to data:size() or #data; repeats after the last sample
function Trainer:__init(module, data)
  self.module, self.data = module, data
end

local function sizeOf(data) return type(data.size) == 'function' and data:size() or #data end

local function settings(params)
  params = check.options('unsup.UnsupTrainer:train', check.table('unsup.UnsupTrainer:train', 'params', params), names)
  check.number('unsup.UnsupTrainer:train', 'eta', params.eta)
  local s = {}
  for name, value in pairs(params) do s[name] = value end
  s.maxiter = check.whole('unsup.UnsupTrainer:train', 'maxiter', s.maxiter, { min = 1 })
  s.etadecay = s.etadecay or 0
  s.statinterval = s.statinterval or math.ceil(s.maxiter / 100)
  s.etadecayinterval, s.hessianinterval = s.etadecayinterval or s.statinterval, s.hessianinterval or s.statinterval
  s.hessiansamples, s.minhessian = s.hessiansamples or 500, s.minhessian or 0.02
  s.maxhessian = s.maxhessian or 1 / s.minhessian
  return s
end

local function sample(self, age) return self.data[(age - 1) % sizeOf(self.data) + 1] end

local function refuseNaN(x, message)
  if x:ne(x):any() then error(message, 0) end
end

-- The mean second derivatives by the parameters over the next samples, clamped to the bounds.
local function measure(self, age, s)
  self.diagonal:zero()
  for i = 1, s.hessiansamples do
    local input, target = unpack(sample(self, age + i - 1))
    self.module:updateOutput(input, target)
    self.module:updateDiagHessianInput(input, target)
    self.module:accDiagHessianParameters(input, target, 1 / s.hessiansamples)
  end
  self.diagonal:clamp(s.minhessian, s.maxhessian)
end

local function step(self, example, eta)
  local input, target = unpack(example)
  self.gradients:zero()
  local results = { self.module:updateOutput(input, target) }
  self.module:updateGradInput(input, target)
  self.module:accGradParameters(input, target)
  refuseNaN(self.gradients, 'oops nan dx')
  if self.diagonal then
    self.parameters:addcdiv(-eta, self.gradients, self.diagonal)
  else
    self.parameters:add(-eta, self.gradients)
  end
  refuseNaN(self.parameters, 'oops nan x')
  self.module:normalize()
  return results
end

local function begin(self, s)
  if s.hessian then
    nn.hessian.enable()
    self.module:initDiagHessianParameters()
  end
  self.parameters, self.gradients, self.diagonal = self.module:getParameters()
  if not s.hessian then self.diagonal = nil end
end

--- Trains: after each sample x = x - eta dx (divided by the second derivatives if `hessian` is set), then `module:normalize()`. Every
-- statinterval steps a line is printed, hookEpoch(trainer, n) is called if the trainer has it, and eta becomes params.eta / (1 + age /
-- etadecayinterval * etadecay); hookSample(trainer, age, example, results) is called after each sample.
-- @tparam table params `eta`, `maxiter`, and optionally `etadecay` (0), `statinterval` (a hundredth of maxiter), `etadecayinterval` and
-- `hessianinterval` (statinterval), `hessian` (false), `hessiansamples` (500), `minhessian` (0.02), `maxhessian` (1 / minhessian)
function Trainer:train(params)
  local s = settings(params)
  begin(self, s)
  local eta, sum = s.eta, 0
  for age = 1, s.maxiter do
    if s.hessian and (age - 1) % s.hessianinterval == 0 then measure(self, age, s) end
    local example = sample(self, age)
    local results = step(self, example, eta)
    sum = sum + results[1]
    if self.hookSample then self.hookSample(self, age, example, results) end
    if age % s.statinterval == 0 then
      print(('# iter=%d eta=%g current error= %g'):format(age, eta, sum / s.statinterval))
      if self.hookEpoch then self.hookEpoch(self, age / s.statinterval) end
      eta, sum = s.eta / (1 + age / s.etadecayinterval * s.etadecay), 0
    end
  end
end

return Trainer
