-- The functions of nn.Module: flattening, cloning, conversion, traversal of the tree, updates, Torch7's protocol and the tape.
local torch = require 'torch'
local nn, optim = require 'nn', require 'optim'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local function small()
  return nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2)):double()
end

describe('nn.Module:getParameters', function()
  it('gathers parameters in order and keeps the same tensor objects as views', function()
    local net = small()
    local weight, before = net:get(1).weight, net:get(1).weight:clone()
    local flat, gradients = net:getParameters()
    assert.equal(3 * 4 + 4 + 4 * 2 + 2, flat:nElement())
    assert.equal(flat:nElement(), gradients:nElement())
    assert.is_true(rawequal(weight, net:get(1).weight))
    assertClose(before, weight)
    flat[1] = 42
    assert.equal(42, weight[1][1])
    net:get(3).gradBias[2] = 7
    assert.equal(7, gradients[26])
  end)

  it('stores what is shared once', function()
    local first, second = nn.Linear(2, 2):double(), nn.Linear(2, 2):double()
    second:share(first, 'weight', 'bias', 'gradWeight', 'gradBias')
    local flat = nn.Sequential():add(first):add(second):getParameters()
    assert.equal(6, flat:nElement())
    flat:fill(3)
    assertClose({ { 3, 3 }, { 3, 3 } }, second.weight)
  end)

  it('takes tensors and modules that stand there twice', function()
    local tied, twice = nn.Linear(2, 2):double(), nn.Linear(2, 2):double()
    twice.weight, twice.gradWeight = tied.weight, tied.gradWeight
    local net = nn.Sequential():add(tied):add(twice):add(tied)
    local before = tied.weight:clone()
    local flat, gradients = net:getParameters()
    assert.equal(8, flat:nElement())
    assert.equal(8, gradients:nElement())
    assertClose(before, twice.weight)
    assert.equal(8, (net:getParameters()):nElement())
    twice.weight = twice.weight:clone()
    assert.error_matches(function() net:getParameters() end, 'check that you are sharing')
  end)

  it('closes the gaps between views of one storage', function()
    local all = torch.range(1, 10):double()
    local net = nn.Module()
    net.weight, net.bias = all:narrow(1, 2, 3), all:narrow(1, 8, 2)
    net.gradWeight, net.gradBias = torch.zeros(3):double(), torch.zeros(2):double()
    assertClose({ 2, 3, 4, 8, 9 }, (net:getParameters()))
  end)

  it('refuses tensors with gaps, and gradients that are shared in another way', function()
    local net = nn.Linear(2, 2):double()
    net.weight = torch.DoubleTensor(2, 4):narrow(2, 1, 2)
    assert.error_matches(function() net:getParameters() end, 'Cannot gather tensors that are not compact')
    local first, second = nn.Linear(2, 2):double(), nn.Linear(2, 2):double()
    second:share(first, 'weight', 'bias')
    assert.error_matches(function() nn.Sequential():add(first):add(second):getParameters() end, 'check that you are sharing')
  end)

  it('gives empty tensors for a module without parameters', function()
    local flat, gradients = nn.Tanh():getParameters()
    assert.equal(0, flat:nElement())
    assert.equal(0, gradients:nElement())
  end)
end)

describe('nn.Module:clone', function()
  it('copies deeply', function()
    local net, x = small(), layers.input(2, 3)
    local copy = net:clone()
    assertClose(net:forward(x), copy:forward(x))
    copy:get(1).weight:zero()
    assert.is_true(net:get(1).weight:norm() > 0)
  end)

  it('shares the named fields', function()
    local net = small()
    local copy = net:clone('weight', 'bias')
    net:get(1).weight:fill(5)
    assert.equal(5, copy:get(1).weight[1][1])
    net:get(1).gradWeight:fill(5)
    assert.not_equal(5, copy:get(1).gradWeight[1][1])
    assert.error_matches(function() net:clone('modules') end, 'Shared parameters have to be Tensors')
  end)

  it('gives a copy that goes on from the same forward', function()
    local net, x, g = small(), layers.input(2, 3), layers.input(2, 2)
    net:forward(x)
    local copy = net:clone()
    copy:zeroGradParameters()
    net:zeroGradParameters()
    assertClose(net:backward(x, g), copy:backward(x, g))
    assertClose(net:get(1).gradWeight, copy:get(1).gradWeight)
  end)
end)

describe('nn.Module:type', function()
  it('refuses a cache that is no table, FFI arrays above all, which have no bounds', function()
    local ffi = require 'ffi'
    local net = nn.Linear(2, 2)
    assert.error_matches(function() net:double(ffi.new 'int[2]') end, 'nn.Linear: type: cache: a cdata, expected a table')
  end)

  it('converts all tensors, and keeps sharing', function()
    local net = small()
    net:get(3).alias = net:get(3).weight:view(-1)
    net:float()
    assert.equal('torch.FloatTensor', net:type())
    assert.equal('torch.FloatTensor', net:get(1).weight:type())
    assert.equal('torch.FloatTensor', net:get(1).gradWeight:type())
    net:get(3).alias:fill(9)
    assert.equal(9, net:get(3).weight[2][4])
    assert.equal('torch.FloatTensor', net:forward(torch.FloatTensor(2, 3):fill(1)):type())
  end)
end)

describe('The tree of modules', function()
  it('is visited parents first', function()
    local net, names = small(), {}
    net:apply(function(module) names[#names + 1] = torch.type(module) end)
    assert.same({ 'nn.Sequential', 'nn.Linear', 'nn.Tanh', 'nn.Linear' }, names)
    assert.equal(4, #net:listModules())
  end)

  it('is searched by exact class name', function()
    local net = nn.Sequential():add(small())
    local found, containers = net:findModules 'nn.Linear'
    assert.equal(2, #found)
    assert.equal(net:get(1), containers[1])
    assert.equal(0, #net:findModules 'nn.Module')
  end)

  it('has its modules replaced', function()
    local net = small():replace(function(module) return torch.type(module) == 'nn.Tanh' and nn.Sigmoid() or module end)
    assert.equal('nn.Sigmoid', torch.type(net:get(2)))
  end)
end)

describe("Torch7's protocol", function()
  it('keeps output and gradInput the same objects between calls', function()
    local net, x = nn.Linear(3, 2):double(), layers.input(4, 3)
    local output = net:forward(x)
    local gradInput = net:backward(x, layers.input(4, 2))
    local other = layers.input(5, 3)
    assert.is_true(rawequal(output, net:forward(other)))
    assert.is_true(rawequal(output, net.output))
    assert.is_true(rawequal(gradInput, net:backward(other, layers.input(5, 2))))
    assert.equal(5, output:size(1))
  end)

  it('updates parameters at once as by zeroing, backward and updateParameters', function()
    local net, x, g = small(), layers.input(2, 3), layers.input(2, 2)
    local other = net:clone()
    net:getParameters()
    net:forward(x)
    net:backwardUpdate(x, g, 0.1)
    other:zeroGradParameters()
    other:forward(x)
    other:backward(x, g)
    other:updateParameters(0.1)
    local expected, updated = other:parameters(), net:parameters()
    for i = 1, #expected do assertClose(expected[i], updated[i], 1e-15) end
  end)

  it('gives the same in one pass or in two', function()
    local net, x, g = small(), layers.input(2, 3), layers.input(2, 2)
    net:zeroGradParameters()
    net:forward(x)
    local gradInput = net:backward(x, g):clone()
    local _, gradients = net:getParameters()
    local once = gradients:clone()
    net:zeroGradParameters()
    assertClose(gradInput, net:updateGradInput(x, g))
    net:accGradParameters(x, g)
    assertClose(once, gradients)
  end)

  it('takes weights as they are at backward', function()
    local net, x = nn.Linear(2, 1, false):double(), torch.DoubleTensor { { 1, 1 } }
    net:forward(x)
    net.weight:fill(3)
    assertClose({ { 3, 3 } }, net:updateGradInput(x, torch.DoubleTensor { { 1 } }))
  end)

  it('drops what is not needed to save a module', function()
    local net = small()
    net:forward(layers.input(2, 3))
    net:clearState()
    assert.equal(0, net.output:nElement())
    assert.equal(0, net:get(1).output:nElement())
    assert.equal(2, net:forward(layers.input(2, 3)):size(2))
  end)

  it('runs forward and backward when a module is called with a gradient', function()
    local net, x, g = nn.Linear(2, 1):double(), torch.DoubleTensor { { 1, 2 } }, torch.DoubleTensor { { 1 } }
    local output, gradInput = net(x, g)
    assertClose(net.weight, gradInput)
    assert.is_true(rawequal(net.output, output))
  end)
end)

describe('A module on the tape', function()
  it('records by module(x), not by forward, and not under noGrad', function()
    local net, x = nn.Linear(2, 1):double(), torch.DoubleTensor { { 1, 2 } }
    assert.is_false(net(x):isTracked())
    net:requiresGrad()
    assert.is_true(net(x):isTracked())
    assert.is_false(net:forward(x):isTracked())
    assert.is_false(torch.noGrad(function() return net(x) end):isTracked())
  end)

  it('may be used several times', function()
    local net = nn.Linear(1, 1, false):double():requiresGrad()
    torch.noGrad(function() net.weight:fill(3) end)
    torch.sum(net(net(torch.DoubleTensor { { 2 } }))):backward()
    assertClose({ { 12 } }, net.weight.grad)                -- d(w^2 x) / dw
  end)

  it('has gradients of gradients', function()
    local autograd = require 'autograd'
    local net = nn.Sequential():add(nn.Linear(1, 1)):add(nn.Tanh()):double()
    net:get(1).weight:fill(2)
    net:get(1).bias:fill(0)
    local x = torch.DoubleTensor { { 0.3 } }:requiresGrad()
    local slope = autograd.grad(torch.sum(net(x)), x, { createGraph = true })
    local t = math.tanh(0.6)
    assertClose({ { 2 * (1 - t * t) } }, slope:detach(), 1e-15)
    assertClose({ { -8 * t * (1 - t * t) } }, autograd.grad(torch.sum(slope), x), 1e-14)
  end)

  it('leaves recording on when a call fails', function()
    local function stillRecords() return torch.mul(torch.ones(1):requiresGrad(), 2):isTracked() end
    local net = nn.Linear(2, 2)
    local x, gradOutput = torch.ones(1, 2), torch.ones(1, 2)
    net:forward(x)
    local failures = {
      updateParameters = function() net:updateParameters 'fast' end,
      share = function() net:share({ weight = 1 }, 'weight') end,
      accGradParameters = function() net:accGradParameters(x, gradOutput, 'twice') end,
      draw = function() net:draw 'wide' end,
      JoinTable = function() nn.JoinTable(1):forward { torch.ones(1, 2), torch.ones(1, 3) } end,
      clipGradValue = function() optim.clipGradValue(torch.ones(1), 'tight') end,
    }
    for name, fail in pairs(failures) do
      assert.is_false(pcall(fail), name)
      assert.is_true(stillRecords(), name)
    end
  end)

  it("leaves the caller's leaves as they were when Torch7's protocol is used in between", function()
    local net, x = nn.Linear(2, 1):double():requiresGrad(), torch.DoubleTensor { { 1, 2 } }
    local loss = torch.sum(net(x))
    net:zeroGradParameters()
    net:forward(x)
    net:backward(x, torch.DoubleTensor { { 5 } })
    loss:backward()
    assertClose({ { 1, 2 } }, net.weight.grad)
    assertClose({ { 5, 10 } }, net.gradWeight)
  end)
end)

describe('A class of nn', function()
  it('is read when a class is derived from it or a file names it', function()
    local program = require 'spec.support.program'
    local script = program.script [[
      require 'nn'
      assert(rawget(nn, 'Sigmoid') == nil)
      torch.class('nn.Mine', 'nn.Sigmoid')
      assert(rawget(nn, 'Sigmoid') ~= nil)
      assert(torch.factory 'nn.Tanh')
      assert(nn.NoSuchModule == nil)
      io.write(tostring(torch.isTypeOf(nn.Mine(), 'nn.Module')))
    ]]
    local output, status, errors = program.run { script }
    assert.equal('', errors)
    assert.equal('true', output)
    assert.equal(0, status)
  end)
end)

describe('namedParameters', function()
  local function names(net)
    local list, state = {}, net:stateDict()
    for name, parameter in net:namedParameters() do
      list[#list + 1] = name
      assert.equal(torch.pointer(parameter:storage()), torch.pointer(state[name]:storage()))
    end
    return list
  end

  it('has the names and order of stateDict, and the gradients of parameters()', function()
    local inner = nn.Sequential():add(nn.Tanh()):add(nn.Linear(2, 2))
    local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.ConcatTable():add(inner):add(nn.Linear(2, 1, false)))
    assert.same({ '0.weight', '0.bias', '1.0.1.weight', '1.0.1.bias', '1.1.weight' }, names(net))
    assert.same({ 'weight', 'bias' }, names(nn.Linear(2, 2)))
    assert.same({}, names(nn.Tanh()))
    local parameters, gradients = net:parameters()
    local i = 0
    for _, parameter, gradient in net:namedParameters() do
      i = i + 1
      assert.is_true(rawequal(parameters[i], parameter) and rawequal(gradients[i], gradient))
    end
  end)
  it('has no gradient of what is frozen, and names what is shared once', function()
    local linear = nn.Linear(2, 2)
    local net = nn.Sequential():add(linear):add(linear:clone('weight', 'bias', 'gradWeight', 'gradBias')):add(nn.Linear(2, 2):noBias())
    net:get(3).gradWeight = nil
    assert.same({ '0.weight', '0.bias', '1.weight', '1.bias', '2.weight' }, names(net))
    for name, _, gradient in net:namedParameters() do assert.equal(name == '2.weight', gradient == nil) end
    assert.same({ '0.weight', '0.bias' }, names(nn.Sequential():add(linear):add(linear)))
  end)
  it('finds modules and tensors in fields of a program\'s own', function()
    local Mine = torch.class('NamedParametersMine', 'nn.Module')
    function Mine:__init()
      self.encoder, self.scale = nn.Linear(2, 2), torch.ones(1)
    end
    function Mine:parameters()
      return { self.encoder.weight, self.encoder.bias, self.scale, torch.ones(2) }, { self.encoder.gradWeight, self.encoder.gradBias, 1, 2 }
    end
    assert.same({ 'scale', 'encoder.weight', 'encoder.bias' }, names(Mine()))
  end)
  it('finds modules in tables of a program\'s own, if it returns their parameters', function()
    local Listed = torch.class('NamedParametersListed', 'nn.Module')
    function Listed:__init()
      self.layers = { nn.Linear(1, 1, false), deep = { nn.Linear(2, 1, false) } }
      self.others = { nn.Linear(2, 2) }
      self.others[2] = self.others
    end
    function Listed:parameters()
      local first, second = self.layers[1], self.layers.deep[1]
      return { first.weight, second.weight }, { first.gradWeight, second.gradWeight }
    end
    assert.same({ 'layers.0.weight', 'layers.deep.0.weight' }, names(Listed()))
  end)
end)
