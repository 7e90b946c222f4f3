-- nn in torch.autocast: every module by Torch7's protocol, against its own values in float32, backward inside of it and outside.
local torch, nn = require 'torch', require 'nn'
local nested = require 'nn.nested'
local samples = require 'spec.support.nn_samples'
local declared = require 'spec.nn.declared'
local assertClose = require('spec.support.close').assertClose

local function cast(f, ...) return torch.autocast('bfloat16', f, ...) end
local function floats(value) return nested.map(value, function(x) return x:isFloatingPoint() and x:float() or x end) end

-- Fails unless all floats of `got` are float32, or of any type with `mixed`, and near those of `expected`: bfloat16 has 8 bits, and
-- some modules lose one or two in sums whose terms cancel.
local function assertAllClose(expected, got, what, mixed)
  expected, got = nested.flatten(expected, {}), nested.flatten(got, {})
  assert.equal(#expected, #got, what)
  local function isChecked(x) return torch.isTensor(x) and x:isFloatingPoint() and x:nElement() > 0 end
  local largest = 1e-3
  for _, x in ipairs(expected) do
    if isChecked(x) then largest = math.max(largest, torch.max(torch.abs(x))) end
  end
  for i, x in ipairs(expected) do
    if isChecked(x) then
      assert(mixed or got[i]:type() == 'torch.FloatTensor', what .. ': a ' .. got[i]:type())
      assertClose(x, got[i]:float(), 2 ^ -5 * largest, what)
    end
  end
end

-- The output, gradInput and gradients of a module in float32.
local function passes(sample, forward, backward)
  local module, input = samples.moduleOf(sample):float(), floats(samples.inputOf(sample))
  module:zeroGradParameters()
  torch.manualSeed(1)
  local output = forward(module.forward, module, input)
  local gradInput = backward(module.backward, module, input, floats(samples.like(output, 0.7)))
  return output, gradInput or {}, select(2, module:parameters()) or {}
end

local function plain(f, ...) return f(...) end

-- The same by a call on the tape.
local function onTape(sample, run)
  local module, input = samples.moduleOf(sample):float(), floats(samples.inputOf(sample))
  local leaves = nested.map(input, function(x) return x:isFloatingPoint() and x:requiresGrad() or x end)
  module:requiresGrad()
  torch.manualSeed(1)
  local output = run(function() return module(leaves) end)
  local roots, gradients = {}, nested.flatten(floats(samples.like(output, 0.7)), {})
  for i, y in ipairs(nested.flatten(output, {})) do
    if y:isTracked() then roots[i] = torch.sum(torch.cmul(torch.to(y, 'float32'), gradients[i])) end
  end
  local total
  for _, root in pairs(roots) do total = total and torch.add(total, root) or root end
  if total then total:backward() end
  local found = {}
  for _, x in ipairs(nested.flatten(leaves, {})) do found[#found + 1] = x.grad end
  for _, x in ipairs((samples.parametersOf(module))) do found[#found + 1] = x.grad end
  return nested.map(output, function(y) return y:detach() end), found
end

describe('In torch.autocast the module', function()
  local list = {}
  for _, sample in ipairs(declared.modules) do list[#list + 1] = sample end
  for _, sample in ipairs(require 'spec.nn.windows') do list[#list + 1] = sample end
  for _, sample in ipairs(list) do
    local name = samples.nameOf(sample)
    it(name .. ' has gradients in the types of input and parameters', function()
      local output, gradInput, gradients = passes(sample, plain, plain)
      for _, backward in ipairs { cast, plain } do
        local o, gi, gs = passes(sample, cast, backward)
        assertAllClose(output, o, 'output', true)
        assertAllClose(gradInput, gi, 'gradInput')
        assertAllClose(gradients, gs, 'gradients')
      end
    end)

    it(name .. ' has them on the tape', function()
      local output, found = onTape(sample, plain)
      local o, gs = onTape(sample, cast)
      assertAllClose(output, o, 'output', true)
      assertAllClose(found, gs, 'gradients')
    end)
  end
end)

-- The loss and gradInput of a criterion; with `kind` its input has that type.
local function lossOf(sample, run, kind)
  local criterion, input, target = samples.criterionOf(sample):float(), floats(samples.inputOf(sample)), samples.targetOf(sample)
  if type(target) ~= 'number' then target = floats(target) end
  if kind then input = nested.map(input, function(x) return x:isFloatingPoint() and x:type(kind) or x end) end
  return run(criterion.forward, criterion, input, target), run(criterion.backward, criterion, input, target)
end

describe('In torch.autocast the criterion', function()
  for _, sample in ipairs(declared.criteria) do
    it(samples.nameOf(sample) .. ' has a loss near that of float32, and a gradient of the type that it has outside', function()
      local expected, gradient = lossOf(sample, plain)
      local got, sameType = lossOf(sample, cast)
      assert.near(expected, got, 2 ^ -5 * math.max(math.abs(expected), 1e-3))
      assertAllClose(gradient, sameType, 'gradInput')
      local short, shortGradient = lossOf(sample, cast, 'torch.BFloat16Tensor')
      assert.near(expected, short, 2 ^ -4 * math.max(math.abs(expected), 0.1))
      local types = nested.flatten(select(2, lossOf(sample, plain, 'torch.BFloat16Tensor')), {})
      for i, g in ipairs(nested.flatten(shortGradient, {})) do assert.equal(types[i]:type(), g:type()) end
    end)
  end
end)

describe('A network of nn', function()
  local x, target = torch.randn(5, 4):float(), torch.LongTensor { 1, 2, 3, 1, 2 }
  local function network()
    torch.manualSeed(3)
    return nn.Sequential():add(nn.Linear(4, 8)):add(nn.BatchNormalization(8)):add(nn.ReLU(true)):add(nn.Linear(8, 3)):add(nn.LogSoftMax())
      :float(), nn.ClassNLLCriterion():float()
  end
  local function step(net, criterion)
    net:zeroGradParameters()
    local output = net:forward(x)
    local loss = criterion:forward(output, target)
    net:backward(x, criterion:backward(output, target))
    return loss, net:get(1).output:type(), output:type()
  end
  local function gradients(net)
    local copies = {}
    for i, g in ipairs((select(2, net:parameters()))) do copies[i] = g:clone() end
    return copies
  end

  it('computes products in 16 bits, and the loss in float32', function()
    local net, criterion = network()
    local loss, first, last = step(net, criterion)
    assert.same({ 'torch.FloatTensor', 'torch.FloatTensor' }, { first, last })
    local near32 = gradients(net)
    local loss16, first16, last16 = cast(step, net, criterion)
    assert.same({ 'torch.BFloat16Tensor', 'torch.FloatTensor' }, { first16, last16 })
    assert.is_true(loss ~= loss16)
    assert.near(loss, loss16, 0.01)
    assertAllClose(near32, gradients(net), 'gradients')
  end)

  it('computes as ever afterwards', function()
    local net, criterion = network()
    net:get(2).momentum = 0
    local loss = step(net, criterion)
    local before = gradients(net)
    cast(step, net, criterion)
    assert.equal(loss, (step(net, criterion)))
    for i, g in ipairs(gradients(net)) do assert.is_true(torch.equal(before[i], g)) end
  end)

  it('has the same gradients by Torch7\'s protocol and on the tape', function()
    local net, criterion = network()
    cast(step, net, criterion)
    local byProtocol = gradients(net)
    local other, loss = (network()):requiresGrad(), nn.ClassNLLCriterion():float()
    local l = cast(function() return loss(other(x), target) end)
    l:backward()
    for i, parameter in ipairs((other:parameters())) do
      assert.equal('torch.FloatTensor', parameter.grad:type())
      assert.is_true(torch.max(torch.abs(parameter.grad - byProtocol[i])) <= 2 ^ -8 * math.max(torch.max(torch.abs(byProtocol[i])), 1e-3))
    end
  end)
end)

describe('A recurrent layer', function()
  it('runs in 16 bits as a whole', function()
    for _, name in ipairs { 'LSTM', 'GRU', 'RNN' } do
      local layer, x = nn[name](4, 3):float(), torch.randn(6, 2, 4):float()
      local g = torch.randn(6, 2, 3):float()
      local output = layer:forward(x):clone()
      layer:zeroGradParameters()
      local gradInput = layer:backward(x, g):clone()
      local y, gi = cast(function()
        local y = layer:forward(x)
        return y, layer:backward(x, g)
      end)
      assert.equal('torch.BFloat16Tensor', y:type())
      assertAllClose(output, y, name, true)
      assertAllClose(gradInput, gi, name)
    end
  end)
end)
