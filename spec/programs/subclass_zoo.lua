--[[
Classes over nn's own, in every way that programs made them: methods replaced one by one, called through the parent, called directly;
containers, decorators, criteria, modules with buffers, with files of their own, with hooks into type and printing.
]]
require 'torch'
require 'nn'

zoo = {}
local tests = torch.TestSuite()
local tester = torch.Tester()
local precision = 1e-5
torch.manualSeed(11)

do -- a Linear without bias: constructor of the parent, then fields taken away, the three methods over BLAS
  local LinearNB, parent = torch.class('zoo.LinearNB', 'nn.Linear')
  function LinearNB:__init(n_in, n_out)
    parent.__init(self, n_in, n_out)
    self.bias, self.gradBias = nil, nil
  end
  function LinearNB:updateOutput(input)
    if input:dim() == 1 then
      self.output:resize(self.weight:size(1)):zero():addmv(1, self.weight, input)
    else
      self.output:resize(input:size(1), self.weight:size(1)):zero():addmm(0, self.output, 1, input, self.weight:t())
    end
    return self.output
  end
  function LinearNB:accGradParameters(input, gradOutput, scale)
    scale = scale or 1
    if input:dim() == 1 then self.gradWeight:addr(scale, gradOutput, input)
    else self.gradWeight:addmm(scale, gradOutput:t(), input) end
  end
end

function tests.LinearNB()
  local module = zoo.LinearNB(4, 3)
  tester:asserteq(#module:parameters(), 1)
  for _, input in ipairs { torch.randn(4), torch.randn(5, 4) } do
    tester:assertlt(nn.Jacobian.testJacobian(module, input), precision)
    tester:assertlt(nn.Jacobian.testJacobianParameters(module, input, module.weight, module.gradWeight), precision)
  end
  tester:asserteq(tostring(module), 'zoo.LinearNB(4 -> 3) without bias')
end

do -- only updateOutput is new; gradients come from the parent, which sees self.output
  local ScaledTanh, parent = torch.class('zoo.ScaledTanh', 'nn.Tanh')
  function ScaledTanh:updateOutput(input)
    self.calls = (self.calls or 0) + 1
    return parent.updateOutput(self, input)
  end
  function ScaledTanh:updateGradInput(input, gradOutput)
    parent.updateGradInput(self, input, gradOutput)
    return self.gradInput:mul(2)
  end
end

function tests.ParentsMethods()
  local module = zoo.ScaledTanh()
  local x, g = torch.randn(3, 2), torch.randn(3, 2)
  local y = module:forward(x)
  tester:asserteq(module.calls, 1)
  tester:asserteq(torch.pointer(y), torch.pointer(module.output))
  local expected = torch.cmul(g, torch.cmul(y, y):mul(-1):add(1)):mul(2)
  tester:assertTensorEq(module:backward(x, g), expected, 1e-12)
  tester:assertTensorEq(module.gradInput, expected, 1e-12)
end

do -- buffers made on demand, a state that survives types and copies, and printing
  local Running, parent = torch.class('zoo.RunningMean', 'nn.Module')
  Running.__version = 2
  function Running:__init(size, momentum)
    parent.__init(self)
    self.momentum = momentum or 0.1
    self.mean = torch.Tensor(size):zero()
    self:reset()
  end
  function Running:reset() self.mean:zero() end
  function Running:updateOutput(input)
    self._row = self._row or input.new()
    if self.train ~= false then
      self._row:mean(input, 1)
      self.mean:mul(1 - self.momentum):add(self.momentum, self._row)
    end
    self.output:resizeAs(input):copy(input):add(-1, self.mean:view(1, -1):expandAs(input))
    return self.output
  end
  function Running:updateGradInput(_, gradOutput)
    self.gradInput = gradOutput
    return self.gradInput
  end
  function Running:clearState()
    nn.utils.clear(self, '_row')
    return parent.clearState(self)
  end
  function Running:read(file, version)
    parent.read(self, file)
    self.readVersion = version
  end
  function Running:__tostring__() return string.format('%s(%d)', torch.type(self), self.mean:nElement()) end
end

function tests.Buffers()
  local net = nn.Sequential():add(zoo.RunningMean(3)):add(nn.Linear(3, 2))
  local x = torch.randn(8, 3):add(5)
  net:forward(x)
  net:backward(x, torch.randn(8, 2))
  tester:assertTensorEq(net:get(1).mean, x:mean(1):squeeze():mul(0.1), 1e-12)
  local copy = torch.deserialize(torch.serialize(net))
  tester:asserteq(copy:get(1).readVersion, 2)
  tester:assertTensorEq(copy:get(1).mean, net:get(1).mean, 0)
  net:evaluate()
  local before = net:get(1).mean:clone()
  net:forward(x)
  tester:assertTensorEq(net:get(1).mean, before, 0)
  net:float():clearState()
  tester:asserteq(torch.type(net:get(1).mean), 'torch.FloatTensor')
  tester:asserteq(net:get(1)._row:nElement(), 0)
  tester:assert(tostring(net):find('(1): zoo.RunningMean(3)', 1, true) ~= nil)
end

do -- a container with its own order of things, and accGradParameters through the children
  local Residual, parent = torch.class('zoo.Residual', 'nn.Container')
  function Residual:__init(inner)
    parent.__init(self)
    self:add(inner)
    self.inner = inner
  end
  function Residual:updateOutput(input)
    local inner = self:rethrowErrors(self.inner, 1, 'updateOutput', input)
    self.output:resizeAs(inner):copy(inner):add(input)
    return self.output
  end
  function Residual:updateGradInput(input, gradOutput)
    local inner = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', input, gradOutput)
    self.gradInput:resizeAs(inner):copy(inner):add(gradOutput)
    return self.gradInput
  end
  function Residual:accGradParameters(input, gradOutput, scale)
    self:rethrowErrors(self.modules[1], 1, 'accGradParameters', input, gradOutput, scale)
  end
end

function tests.Residual()
  local inner = nn.Sequential():add(nn.Linear(4, 6)):add(nn.ReLU()):add(zoo.LinearNB(6, 4))
  local module = nn.Sequential():add(zoo.Residual(inner)):add(nn.Tanh())
  local x = torch.randn(3, 4)
  tester:assertlt(nn.Jacobian.testJacobian(module, x), precision)
  local w, dw = module:getParameters()
  tester:asserteq(w:nElement(), 4 * 6 + 6 + 24)
  tester:assertlt(nn.Jacobian.testJacobianParameters(module, x, w, dw), precision)
  local twin = module:clone('weight', 'bias', 'gradWeight', 'gradBias')
  w:mul(0.5)
  tester:assertTensorEq(twin:forward(x), module:forward(x), 0)
  tester:assert(twin:get(1).inner == twin:get(1).modules[1], 'one module under two names')
  local types = {}
  module:apply(function(m) table.insert(types, torch.type(m)) end)
  tester:assertTableEq(types, { 'nn.Sequential', 'zoo.Residual', 'nn.Sequential', 'nn.Linear', 'nn.ReLU', 'zoo.LinearNB', 'nn.Tanh' })
  tester:assertErrorPattern(function() module:forward(torch.randn(2, 9)) end, 'In 1 module of zoo.Residual:.*In 1 module of nn.Sequential:')
  module:replace(function(m) return torch.type(m) == 'nn.ReLU' and nn.Sigmoid() or m end)
  tester:asserteq(#module:findModules('nn.Sigmoid'), 1)
end

do -- a decorator that looks, a Sequential whose add does more, a Dropout with another noise, a LookupTable with a padding row
  local Spy, parent = torch.class('zoo.Spy', 'nn.Decorator')
  function Spy:updateOutput(input)
    self.seen = (self.seen or 0) + input:nElement()
    return parent.updateOutput(self, input)
  end

  local Named, sequential = torch.class('zoo.Named', 'nn.Sequential')
  function Named:add(module, name)
    self.names = self.names or {}
    self.names[name or #self.modules + 1] = module
    return sequential.add(self, module)
  end

  local Masked = torch.class('zoo.FixedDropout', 'nn.Dropout')
  function Masked:updateOutput(input)
    self.output:resizeAs(input):copy(input)
    if self.train then
      self.noise:resizeAs(input):fill(0)
      self.noise:narrow(input:dim(), 1, 1):fill(1)
      self.output:cmul(self.noise)
    end
    return self.output
  end

  local Padded, lookup = torch.class('zoo.Padded', 'nn.LookupTable')
  function Padded:__init(n, size) lookup.__init(self, n + 1, size) end
  function Padded:updateOutput(input)
    self.shifted = self.shifted or input.new()
    self.shifted:resize(input:size()):copy(input):add(1)
    self.weight[1]:zero()
    return lookup.updateOutput(self, self.shifted)
  end
  function Padded:accGradParameters(_, gradOutput, scale) lookup.accGradParameters(self, self.shifted, gradOutput, scale) end
end

function tests.Stock()
  local words = torch.LongTensor { { 1, 0, 2 }, { 3, 3, 0 } }
  local net = zoo.Named():add(zoo.Padded(3, 2), 'words'):add(zoo.Spy(nn.Sum(2)), 'sum'):add(zoo.FixedDropout(), 'drop')
  local y = net:forward(words)
  local table_ = net.names.words.weight
  tester:assertTensorEq(net.names.sum:get(1).output[2], table_[4] * 2, 1e-12)
  tester:asserteq(y[{ 1, 2 }], 0)
  net:zeroGradParameters()
  net:backward(words, torch.ones(2, 2))
  tester:assertTensorEq(net.names.words.gradWeight:select(2, 1), torch.Tensor { 2, 1, 1, 2 }, 0)
  tester:asserteq(net.names.sum.seen, 12)
  tester:assertTensorEq(net.names.drop.gradInput:select(2, 2), torch.zeros(2), 0)
  net:evaluate()
  tester:assertTensorEq(net:forward(words), net.names.sum:get(1).output, 0)
end

do -- criteria: a custom one, and one around another
  local Huber, parent = torch.class('zoo.HuberCriterion', 'nn.Criterion')
  function Huber:__init(delta)
    parent.__init(self)
    self.delta, self.sizeAverage = delta or 1, true
  end
  function Huber:updateOutput(input, target)
    self.diff = self.diff or input.new()
    self.diff:resizeAs(input):copy(input):add(-1, target)
    local sum = 0
    self.diff:clone():apply(function(d)
      d = math.abs(d)
      sum = sum + (d <= self.delta and 0.5 * d * d or self.delta * (d - 0.5 * self.delta))
    end)
    self.output = self.sizeAverage and sum / input:nElement() or sum
    return self.output
  end
  function Huber:updateGradInput(input)
    self.gradInput:resizeAs(input):copy(self.diff):clamp(-self.delta, self.delta)
    if self.sizeAverage then self.gradInput:div(input:nElement()) end
    return self.gradInput
  end

  local Penalized, mse = torch.class('zoo.PenalizedMSE', 'nn.MSECriterion')
  function Penalized:updateOutput(input, target)
    self.output = mse.updateOutput(self, input, target) + 0.5 * input:norm() ^ 2
    return self.output
  end
  function Penalized:updateGradInput(input, target) return mse.updateGradInput(self, input, target):add(input) end
end

function tests.Criteria()
  for _, criterion in ipairs { zoo.HuberCriterion(0.7), zoo.PenalizedMSE() } do
    for _, average in ipairs { true, false } do
      criterion.sizeAverage = average
      local x, t = torch.randn(4, 3), torch.randn(4, 3)
      criterion:forward(x, t)
      local g = criterion:backward(x, t):clone()
      for i = 1, 4 do
        for j = 1, 3 do
          local old = x[i][j]
          x[i][j] = old + 1e-6
          local up = criterion:forward(x, t)
          x[i][j] = old - 1e-6
          tester:eq((up - criterion:forward(x, t)) / 2e-6, g[i][j], 1e-6)
          x[i][j] = old
        end
      end
    end
  end
  local both = nn.MultiCriterion():add(zoo.HuberCriterion(), 0.5):add(zoo.PenalizedMSE())
  local x, t = torch.randn(6), torch.randn(6)
  local loss = both:forward(x, t)
  tester:eq(loss, 0.5 * zoo.HuberCriterion():forward(x, t) + zoo.PenalizedMSE():forward(x, t), 1e-12)
  tester:asserteq(torch.type(both:float():backward(x:float(), t:float())), 'torch.FloatTensor')
end

do -- type that does more, share, and a table as output
  local Twins, parent = torch.class('zoo.Twins', 'nn.Module')
  function Twins:__init(n)
    parent.__init(self)
    self.one, self.two = nn.Linear(n, n), nn.Linear(n, n)
    self.two:share(self.one, 'weight', 'bias', 'gradWeight', 'gradBias')
    self.output, self.gradInput, self.history = {}, {}, {}
  end
  function Twins:updateOutput(input)
    self.output = { self.one:forward(input[1]), self.two:forward(input[2]) }
    return self.output
  end
  function Twins:updateGradInput(input, gradOutput)
    self.gradInput = { self.one:updateGradInput(input[1], gradOutput[1]), self.two:updateGradInput(input[2], gradOutput[2]) }
    return self.gradInput
  end
  function Twins:accGradParameters(input, gradOutput, scale)
    self.one:accGradParameters(input[1], gradOutput[1], scale)
    self.two:accGradParameters(input[2], gradOutput[2], scale)
  end
  function Twins:parameters() return self.one:parameters() end
  function Twins:type(type, tensorCache)
    if type then table.insert(self.history, type) end
    return parent.type(self, type, tensorCache)
  end
end

function tests.Twins()
  local net = nn.Sequential():add(zoo.Twins(3)):add(nn.CSubTable())
  local x = { torch.randn(2, 3), torch.randn(2, 3) }
  tester:assertTensorEq(net:forward(x), (x[1] - x[2]) * net:get(1).one.weight:t(), 1e-12)
  net:zeroGradParameters()
  local g = torch.randn(2, 3)
  net:backward(x, g, 0.5)
  tester:assertTensorEq(net:get(1).one.gradWeight, (g:t() * (x[1] - x[2])) / 2, 1e-12)
  net:float()
  tester:assertTableEq(net:get(1).history, { 'torch.FloatTensor' })
  local a, b = net:get(1).one.weight, net:get(1).two.weight
  a:fill(3)
  tester:asserteq(b:min(), 3, 'shared after a change of type')
end

tester:add(tests)
tester:run()
local pass, fail = 0, 0
for name in pairs(tests.__tests) do
  pass, fail = pass + tester.assertionPass[name], fail + tester.assertionFail[name] + tester.testError[name]
end
assert(pass >= 60 and fail == 0, fail .. ' failures')
print('ok')
