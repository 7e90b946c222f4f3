-- A state's hook is called for all tensors that nn, optim and the tape write or expose: every sample of every module and criterion,
-- containers, optimisers, and accumulated gradients.
local torch = require 'torch'
local nn, optim = require 'nn', require 'optim'
local nested = require 'nn.nested'
local autograd = require 'autograd'
local announced = require 'spec.support.announced'
local samples = require 'spec.support.nn_samples'

-- Raises an error for ops that were not announced.
local function check(name, tensors, f)
  torch.manualSeed(3)
  local missing = announced.missing(tensors, f)
  assert(#missing == 0, name .. ': ' .. table.concat(missing, '\n  '))
end

local function fresh(module)
  if module.train == true and module.training then module:training() end
  return module
end

-- Two passes, of other inputs; the second writes where the first one's results lie.
local function checkModule(name, module, input)
  local output = fresh(module):forward(input)
  local gradOutput = samples.like(output, 0.7)
  local function pass()
    local made = module:forward(input)
    return { made, module:backward(input, gradOutput) }
  end
  local gradInput = pass()[2]
  local parameters, gradients = module:parameters()
  local tensors = nested.flatten({ input, output, gradOutput, gradInput, parameters or {}, gradients or {} }, {})
  for _, x in ipairs(nested.flatten({ input, gradOutput }, {})) do x:mul(0.9) end
  check(name, tensors, pass)
end

local function checkCriterion(name, criterion, input, target)
  local function pass()
    criterion:forward(input, target)
    return criterion:backward(input, target)
  end
  local gradInput = pass()
  for _, x in ipairs(nested.flatten(input, {})) do x:mul(0.9) end
  check(name, nested.flatten({ input, gradInput }, {}), pass)
end

describe('a hook is told of what nn does, in each sample of', function()
  for _, class in ipairs(samples.classes()) do
    local list = samples.of(class)
    if #list > 0 then
      it(class.declaration.name, function()
        for _, sample in ipairs(list) do
          local name = samples.nameOf(sample)
          if samples.isCriterion(class) then
            checkCriterion(name, samples.criterionOf(sample), samples.inputOf(sample), samples.targetOf(sample))
          else
            checkModule(name, samples.moduleOf(sample), samples.inputOf(sample))
          end
        end
      end)
    end
  end
end)

describe('a hook is told of what containers do:', function()
  local function x() return torch.range(1, 24):resize(4, 6) end
  local cases = {
    { 'SplitTable', function() return nn.SplitTable(1), x() end },
    { 'SplitTable of its last dimension', function() return nn.SplitTable(2), x() end },
    { 'JoinTable', function() return nn.JoinTable(1), { x(), x() } end },
    { 'SplitTable and JoinTable', function() return nn.Sequential():add(nn.SplitTable(2)):add(nn.JoinTable(1)), x() end },
    { 'Concat', function() return nn.Concat(2):add(nn.Linear(6, 3)):add(nn.Tanh()), x() end },
    { 'ConcatTable', function() return nn.ConcatTable():add(nn.Linear(6, 3)):add(nn.Identity()), x() end },
    { 'ParallelTable', function() return nn.ParallelTable():add(nn.Linear(6, 3)):add(nn.ReLU()), { x(), x() } end },
    { 'Parallel', function() return nn.Parallel(1, 1):add(nn.Linear(6, 3)):add(nn.Linear(6, 3)), x():narrow(1, 1, 2) end },
    { 'MapTable', function() return nn.MapTable():add(nn.Linear(6, 3)), { x(), x() } end },
    { 'FlattenTable', function() return nn.FlattenTable(), { x(), { x(), { x() } } } end },
    { 'modules in place', function()
      return nn.Sequential():add(nn.Linear(6, 3)):add(nn.ReLU(true)):add(nn.Dropout(0.5, false, true)), x()
    end },
    { 'views', function()
      return nn.Sequential():add(nn.View(-1)):add(nn.Reshape(2, 12)):add(nn.Transpose({ 1, 2 })):add(nn.Contiguous()), x()
    end },
    { 'of images with their channels last', function()
      local images = torch.range(1, 288):resize(2, 4, 6, 6):channelsLast()
      return nn.Concat(2):add(nn.SpatialConvolution(4, 5, 3, 3, 1, 1, 1, 1)):add(nn.Identity()), images
    end },
    { 'a module of a program', function()
      local Twice, parent = torch.class('AnnouncedTwice', 'nn.Module', {})
      function Twice.updateOutput(self, input) return self.output:resizeAs(input):copy(input):mul(2) end
      function Twice.updateGradInput(self, _, g) return self.gradInput:resizeAs(g):copy(g):mul(2) end
      function Twice.__init(self) parent.__init(self) end
      return nn.Sequential():add(Twice()):add(nn.Linear(6, 2)), x()
    end },
  }
  for _, case in ipairs(cases) do
    it(case[1], function() checkModule(case[1], case[2]()) end)
  end
end)

describe('a hook is told of what is done with a module:', function()
  local function net() return nn.Sequential():add(nn.Linear(4, 3)):add(nn.Tanh()):add(nn.Linear(3, 2)) end
  local function watched(module)
    local parameters, gradients = module:parameters()
    return nested.flatten({ parameters, gradients }, {})
  end
  local input = torch.range(1, 8):resize(2, 4)
  local cases = {
    zeroGradParameters = function(m) m:zeroGradParameters() end,
    updateParameters = function(m) m:updateParameters(0.1) end,
    getParameters = function(m) return { m:getParameters() } end,
    reset = function(m) m:reset() end,
    share = function(m) m:share(net(), 'weight', 'bias') end,
    apply = function(m) m:apply(function(child) if child.weight then child.weight:fill(1) end end) end,
    type = function(m) m:float() end,
    clearState = function(m) m:clearState() end,
    clipGradients = function(m) optim.clipGradNorm(select(2, m:parameters()), 0.1) end,
  }
  for name, f in pairs(cases) do
    it(name, function()
      local module = net()
      module:forward(input)
      module:backward(input, torch.ones(2, 2))
      check(name, watched(module), function() return f(module) end)
    end)
  end
end)

describe('a hook is told of the steps of', function()
  for _, name in ipairs { 'sgd', 'adam', 'adamw', 'adamax', 'adagrad', 'adadelta', 'rmsprop', 'rprop', 'nag', 'asgd', 'lbfgs', 'cg' } do
    it('optim.' .. name, function()
      local x, g, state = torch.range(1, 5), torch.Tensor(5), { learningRate = 0.01, momentum = 0.9, dampening = 0, maxIter = 2 }
      local function evaluate(at)
        g:copy(at):mul(2)
        return at:dot(at), g
      end
      optim[name](evaluate, x, state)
      local tensors = { x, g }
      for _, value in pairs(state) do if torch.isTensor(value) then tensors[#tensors + 1] = value end end
      check(name, tensors, function() optim[name](evaluate, x, state) end)
    end)
  end
end)

describe('a hook is told of what the tape does:', function()
  it('gradients that add up', function()
    local w, x = torch.range(1, 6):resize(2, 3):requiresGrad(), torch.range(1, 3)
    local function pass() torch.sum(torch.mv(w, x) + w:select(2, 1)):backward() end
    pass()
    check('backward', { w, w.grad, x }, pass)
  end)

  it('views, in place and gradients of gradients', function()
    local w = torch.range(1, 6):resize(2, 3):requiresGrad()
    local function pass()
      local y = w * 2
      y[{ 1, { 1, 2 } }] = 0
      y:select(1, 2):mul(3)
      local g = autograd.grad(torch.sum(torch.cmul(y, y)), { w }, { createGraph = true })[1]
      torch.sum(torch.cmul(g, g)):backward()
    end
    pass()
    check('backward', { w, w.grad }, pass)
  end)

  it('hooks of gradients', function()
    local w = torch.range(1, 3):requiresGrad()
    local function pass()
      local y = w * 2
      y:registerHook(function(g) return g:mul(2) end)
      torch.sum(y):backward()
    end
    pass()
    check('backward', { w, w.grad }, pass)
  end)

  it('torch-autograd', function()
    local x = torch.range(1, 3)
    local df = require('autograd')(function(p) return torch.sum(torch.cmul(p.w, p.w)) end)
    df { w = x }
    check('autograd', { x }, function() x:add(-0.1, (df { w = x }).w) end)
  end)
end)
