-- The package rnn's uses of torch and nn: names that nn leaves free, a replaced nn.Dropout, modules that swap their lists of children,
-- step tables with holes, decorators, products and masks with expanded operands.
local torch, nn = require 'torch', require 'nn'
local assertClose = require('spec.support.close').within(1e-12)

-- Names that rnn's files assert to be absent, or define, before the classes below exist.
local taken = {}
for name in ([[AbstractRecurrent Recurrent LSTM Sequencer Repeater RepeaterCriterion GRU Recursor Recurrence FastLSTM SeqLSTM SeqGRU
  SeqLSTMP SeqBRNN BiSequencer BiSequencerLM AbstractSequencer LinearNoBias LookupTableMaskZero MaskZero TrimZero MaskZeroCriterion
  SequencerCriterion NormStabilizer MuFuRu RecurrentAttention CopyGrad SAdd ExpandAs SeqReverseSequence]]):gmatch '%S+' do
  if nn[name] then taken[#taken + 1] = name end
end

it('the names of rnn are free in a file that defines them', function() assert.same({}, taken) end)

describe('nn.Dropout', function()
  it('may get another constructor and other methods, for instances that exist too', function()
    local existing, class = nn.Dropout(0.5), nn.Dropout
    local metatable, kept = torch.getmetatable 'nn.Dropout', {}
    for _, name in ipairs { '__init', 'updateOutput', 'updateGradInput', '__tostring__' } do kept[name] = rawget(metatable, name) end
    function class:__init(p, v1, inplace, lazy, mono)
      nn.Module.__init(self)
      self.p, self.train, self.inplace, self.lazy, self.mono, self.flag = p or 0.5, true, inplace, lazy or false, mono or false, true
      self.v2, self.noise = not v1, torch.Tensor()
    end
    function class:updateOutput(input)
      self.output:resizeAs(input):copy(input)
      if self.p > 0 and self.train then
        if not self.lazy or self.flag then
          local sizes = input:size()
          if self.mono then sizes[1] = 1 end
          self.noise:resize(sizes):bernoulli(1 - self.p)
          if self.v2 then self.noise:div(1 - self.p) end
          self.flag = false
        end
        if self.mono and self.noise:size(1) ~= input:size(1) then self.noise = self.noise:expandAs(input) end
        self.output:cmul(self.noise)
      end
      return self.output
    end
    function class:updateGradInput(_, gradOutput)
      self.flag = true
      return self.gradInput:resizeAs(gradOutput):copy(gradOutput):cmul(self.noise)
    end
    function class:__tostring__() return ('%s(%.1f, %s)'):format(torch.type(self), self.p, self.lazy and 'lazy' or 'busy') end
    local dropout, x = nn.Dropout(0.5, false, false, true, true), torch.ones(4, 30)
    local first = dropout:forward(x):clone()
    assertClose(first, dropout:forward(x))
    assertClose(first[1], first[4])
    assertClose(first, dropout:backward(x, x))
    assert.equal('nn.Dropout(0.5, lazy)', tostring(dropout))
    assert.equal('nn.Dropout(0.5, busy)', tostring(existing))
    local net = nn.Sequential():add(nn.Linear(30, 5)):add(existing):add(nn.Linear(5, 2)):float()
    net:forward(x:float())
    assert.same({ 4, 30 }, net:backward(x:float(), torch.FloatTensor(4, 2):fill(1)):size():totable())
    net:evaluate()
    net:clone():forward(x:float())
    local tracked = x:clone():requiresGrad()
    dropout:training()
    dropout(tracked):sum():backward()
    assertClose(dropout.noise, tracked.grad)
    for name, method in pairs(kept) do class[name] = method end
  end)
end)

-- A module that keeps a clone for each step.
local Recurrent, parent = torch.class('nn.AbstractRecurrent', 'nn.Container')

function Recurrent:__init(rho)
  parent.__init(self)
  self.rho, self.outputs, self.gradInputs, self.sharedClones, self.step = rho or 99999, {}, {}, {}, 1
end

function Recurrent:getStepModule(step)
  self.sharedClones[step] = self.sharedClones[step] or self.recurrentModule:clone('weight', 'bias', 'gradWeight', 'gradBias')
  return self.sharedClones[step]
end

function Recurrent:before(step, input) return { input, self.outputs[step - 1] or input.new(input:size(1), self.outputSize):zero() } end

function Recurrent:updateOutput(input)
  local module = self.train == false and self.recurrentModule or self:getStepModule(self.step)
  self.output = module:updateOutput(self:before(self.step, input))
  self.outputs[self.step], self.step, self.updateGradInputStep = self.output, self.step + 1, nil
  return self.output
end

function Recurrent:backward(input, gradOutput, scale)
  local step = (self.updateGradInputStep or self.step) - 1
  if self.gradPrevious then gradOutput = torch.add(gradOutput, self.gradPrevious) end
  local gradInput = self:getStepModule(step):backward(self:before(step, input), gradOutput, scale)
  self.updateGradInputStep, self.gradPrevious, self.gradInputs[step] = step, gradInput[2]:clone(), gradInput[1]
  return gradInput[1]
end

-- Type, training and evaluate see the clones among the children.
for _, name in ipairs { 'type', 'training', 'evaluate' } do
  Recurrent[name] = function(self, ...)
    local modules, clones = self.modules, self.sharedClones
    self.sharedClones, self.modules = nil, {}
    for _, module in ipairs(modules) do table.insert(self.modules, module) end
    for _, module in pairs(clones) do table.insert(self.modules, module) end
    local result = parent[name](self, ...)
    self.sharedClones, self.modules = clones, modules
    return result
  end
end

function Recurrent:__tostring__() return self.__typename .. ' @ ' .. tostring(self.recurrentModule) end

-- nn.Linear without its bias, which calls the constructor of nn.Module alone.
local NoBias = torch.class('nn.LinearNoBias', 'nn.Linear')

function NoBias:__init(inputSize, outputSize)
  nn.Module.__init(self)
  self.weight, self.gradWeight = torch.Tensor(outputSize, inputSize), torch.Tensor(outputSize, inputSize)
  self:reset()
end

function NoBias:reset(stdv)
  stdv = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(2))
  if nn.oldSeed then
    for i = 1, self.weight:size(1) do self.weight:select(1, i):apply(function() return torch.uniform(-stdv, stdv) end) end
  else
    self.weight:uniform(-stdv, stdv)
  end
  return self
end

function NoBias:updateOutput(input)
  if input:dim() == 1 then
    self.output:resize(self.weight:size(1)):mv(self.weight, input)
  else
    self.output:resize(input:size(1), self.weight:size(1)):addmm(0, self.output, 1, input, self.weight:t())
  end
  return self.output
end

function NoBias:accGradParameters(input, gradOutput, scale)
  if input:dim() == 1 then
    self.gradWeight:addr(scale or 1, gradOutput, input)
  else
    self.gradWeight:addmm(scale or 1, gradOutput:t(), input)
  end
end

describe('nn.LinearNoBias', function()
  it('inherits from nn.Linear what it does not write', function()
    local net, x = nn.LinearNoBias(3, 2), torch.randn(4, 3)
    assertClose(x * net.weight:t(), net:forward(x))
    net:zeroGradParameters()
    local ones = torch.ones(4, 2)
    assertClose(ones * net.weight, net:backward(x, ones))
    assertClose(ones:t() * x, net.gradWeight)
    assert.equal(1, #net:parameters())
    local tracked = x:clone():requiresGrad()
    net(tracked):sum():backward()
    assertClose(ones * net.weight, tracked.grad)
    assert.equal('nn.LinearNoBias(3 -> 2) without bias', tostring(net))
    assert.same({ 2 }, nn.Sequential():add(net:clone():float()):forward(torch.FloatTensor(3)):size():totable())
  end)
end)

describe("a program's nn.LSTM", function()
  local LSTM, recurrent = torch.class('nn.LSTM', 'nn.AbstractRecurrent')
  function LSTM:__init(inputSize, outputSize, rho)
    recurrent.__init(self, rho)
    self.outputSize, self.i2g, self.o2g = outputSize, nn.Linear(inputSize, outputSize), nn.LinearNoBias(outputSize, outputSize)
    self.recurrentModule = nn.Sequential():add(nn.ParallelTable():add(self.i2g):add(self.o2g)):add(nn.CAddTable()):add(nn.Tanh())
    self.modules[1] = self.recurrentModule
  end
  torch.class('nn.GRU', 'nn.LSTM')

  it('goes through time with clones that share', function()
    local net, xs = nn.GRU(3, 2), {}
    assert.equal('nn.GRU', torch.type(net))
    for step = 1, 4 do
      xs[step] = torch.randn(5, 3)
      net:forward(xs[step])
    end
    net:zeroGradParameters()
    for step = 4, 1, -1 do net:backward(xs[step], torch.ones(5, 2)) end
    -- By hand: h(t) = tanh(W x(t) + b + U h(t - 1)), the sum of all h differentiated.
    local h, carried = { [0] = torch.zeros(5, 2) }, torch.zeros(5, 2)
    for step = 1, 4 do
      h[step] = torch.tanh(xs[step] * net.i2g.weight:t() + net.i2g.bias:view(1, 2):expand(5, 2) + h[step - 1] * net.o2g.weight:t())
    end
    local byWeight, byState = torch.zeros(2, 3), torch.zeros(2, 2)
    for step = 4, 1, -1 do
      local slope = torch.cmul(carried + 1, -torch.pow(h[step], 2) + 1)
      byWeight, byState, carried = byWeight + slope:t() * xs[step], byState + slope:t() * h[step - 1], slope * net.o2g.weight
    end
    assertClose(h[4], net.output)
    assertClose(byWeight, net.i2g.gradWeight)
    assertClose(byState, net.o2g.gradWeight)
    assert.is_truthy(tostring(net):find '^nn.GRU @ nn.Sequential')
  end)

  it('converts, and changes mode, with its clones and its tables of steps', function()
    local net = nn.LSTM(2, 2)
    for _ = 1, 3 do net:forward(torch.randn(1, 2)) end
    net.outputs[0], net.outputs[7] = torch.zeros(1, 2), torch.ones(1, 2)
    net:float()
    local inner = net.sharedClones[3]:get(1):get(1)
    for _, tensor in ipairs { inner.weight, net.outputs[0], net.outputs[7], net.outputs[2] } do
      assert.equal('torch.FloatTensor', tensor:type())
    end
    net.i2g.weight:fill(3)
    assert.equal(3, inner.weight:min())
    net:evaluate()
    assert.is_false(net.sharedClones[1].train)
    net:training()
    assert.is_true(net.sharedClones[1].train)
    assert.equal(1, #net.modules)
    local copy = net:clone()
    assert.same({ { { 1, 1 } }, 3 }, { copy.outputs[7]:totable(), #copy.sharedClones })
    local nested = nn.utils.recursiveCopy({}, net.outputs)
    assert.is_true(nested[0] ~= nil and nested[7]:sum() == 2)
  end)
end)

describe('decorators', function()
  it('pass calls on to the module inside, for classes of other parents too', function()
    local Wrapped = torch.class('nn.WrappedOnce', 'nn.Container')
    Wrapped.__init = function(self, module)
      nn.Container.__init(self)
      self.modules[1] = module
    end
    nn.Decorator.decorate(Wrapped)
    Wrapped.__tostring__ = nn.Decorator.__tostring__
    local net, x = nn.WrappedOnce(nn.Linear(3, 2)), torch.randn(4, 3)
    assertClose(net:get(1):forward(x):clone(), net:forward(x))
    assertClose(net:get(1):backward(x, torch.ones(4, 2)):clone(), net:backward(x, torch.ones(4, 2)))
    assert.is_truthy(tostring(net):find('nn.Linear(3 -> 2)', 1, true))
  end)

  it('mask rows of zeros, by masks that are expanded', function()
    local MaskZero, decorator = torch.class('nn.MaskZero', 'nn.Decorator')
    function MaskZero:__init(module)
      decorator.__init(self, module)
      self.norms, self.zeroMask = torch.Tensor(), torch.ByteTensor()
    end
    function MaskZero:updateOutput(input)
      self.norms:norm(input, 2, input:dim())
      self.norms.eq(self.zeroMask, self.norms, 0)
      local output = self.modules[1]:updateOutput(input)
      self.output:resizeAs(output):copy(output):maskedFill(self.zeroMask:expandAs(output), 0)
      return self.output
    end
    function MaskZero:__tostring__() return self.__typename .. '(' .. tostring(self.modules[1]) .. ')' end
    local net, x = nn.MaskZero(nn.Linear(3, 2)), torch.ones(3, 3)
    x[2]:zero()
    local y = net:forward(x)
    assertClose(net:get(1).output[1], y[1])
    assert.equal(0, y[2]:abs():max())
    assert.same({ 3, 3 }, net:backward(x, y):size():totable())
    assert.equal('nn.MaskZero(nn.Linear(3 -> 2))', tostring(net))
  end)
end)

describe('a layer over whole sequences', function()
  it('works in slices of one tensor, with an expanded bias', function()
    local N, D, H = 2, 3, 4
    local weight, bias, x, h = torch.randn(D + H, 4 * H), torch.randn(4 * H), torch.randn(N, D), torch.randn(N, H)
    local gates, expanded = torch.Tensor(3, N, 4 * H):zero(), bias:view(1, 4 * H):expand(N, 4 * H)
    local g = gates[2]
    g:addmm(expanded, x, weight:narrow(1, 1, D))
    g:addmm(h, weight:narrow(1, D + 1, H))
    assertClose(torch.cat(x, h, 2) * weight + expanded, g)
    local linear = g:clone()
    g:narrow(2, 1, 3 * H):sigmoid()
    g:narrow(2, 3 * H + 1, H):tanh()
    assertClose(torch.cat(torch.sigmoid(linear:narrow(2, 1, 3 * H)), torch.tanh(linear:narrow(2, 3 * H + 1, H)), 2), g)
    local c, output, sums = torch.Tensor(N, H), torch.Tensor(N, H), torch.Tensor()
    c:cmul(g:narrow(2, 1, H), g:narrow(2, H + 1, H)):addcmul(g:narrow(2, 2 * H + 1, H), h)
    output:tanh(c):cmul(h)
    assertClose(torch.cmul(torch.tanh(c), h), output)
    sums:sum(g, 1)
    assertClose((bias + g:sum(1):view(-1)), bias:clone():add(sums))
    local mask = torch.ByteTensor { { 1 }, { 0 } }
    output:maskedFill(mask:expand(N, H), 0)
    assert.is_true(output[1]:abs():max() == 0 and output[2]:abs():min() > 0)
  end)
end)

describe('smaller uses', function()
  it('add methods by the name of a class, and clear fields', function()
    function nn.Sequential:countOfChildren() return #self.modules end
    function nn.Criterion:isCriterion() return true end
    assert.equal(2, nn.Sequential():add(nn.Tanh()):add(nn.Tanh()):countOfChildren())
    assert.is_true(nn.MSECriterion():isCriterion())
    nn.Criterion.isCriterion, nn.Sequential.countOfChildren = nil, nil
    local net = nn.Linear(2, 2)
    net._buffer, net._steps = torch.ones(2), { 1 }
    nn.utils.clear(net, '_buffer', '_steps', '_none')
    assert.same({ 0, {} }, { net._buffer:nElement(), net._steps })
  end)

  it('look up zeros by an index one below', function()
    local MaskedLookup, lookup = torch.class('nn.LookupTableMaskZero', 'nn.LookupTable')
    function MaskedLookup:__init(count, size) lookup.__init(self, count + 1, size) end
    function MaskedLookup:updateOutput(input)
      self.weight[1]:zero()
      self.shifted = (self.shifted or input.new()):resizeAs(input):add(input, 1)
      return lookup.updateOutput(self, self.shifted)
    end
    function MaskedLookup:accGradParameters(_, gradOutput, scale) lookup.accGradParameters(self, self.shifted, gradOutput, scale) end
    local net, x = nn.LookupTableMaskZero(5, 2), torch.LongTensor { 0, 3, 5 }
    local y = net:forward(x)
    assertClose(net.weight[4], y[2])
    assert.equal(0, y[1]:abs():max())
    net:zeroGradParameters()
    net:backward(x, torch.ones(3, 2))
    assert.same({ 1, 0, 0, 1, 0, 1 }, net.gradWeight:select(2, 1):totable())
    net:clearState()
    assert.equal('torch.FloatTensor', net:clone():float():forward(torch.LongTensor { 1, 0 }):type())
  end)
end)
