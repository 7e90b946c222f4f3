-- Freezing by names, and PyTorch's names for modes, conversions and counts.
local torch, C = require 'torch', require 'libmoontorch'
local nn, optim = require 'nn', require 'optim'
local assertClose = require('spec.support.close').assertClose

local function newNet()
  return nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Sequential():add(nn.Linear(4, 4)):add(nn.Linear(4, 2))):double()
end

local function free(net)
  local list = {}
  for name, _, gradient in net:namedParameters() do
    if gradient then list[#list + 1] = name end
  end
  return table.concat(list, ' ')
end

local function snapshot(net)
  local values = {}
  for name, x in pairs(net:stateDict()) do values[name] = x:clone() end
  return values
end

-- The names of the parameters that differ from a snapshot.
local function moved(net, before)
  local list = {}
  for name, x in pairs(net:stateDict()) do
    if not torch.equal(x, before[name]) then list[#list + 1] = name end
  end
  table.sort(list)
  return table.concat(list, ' ')
end

local x, target = torch.randn(5, 3):double(), torch.randn(5, 2):double()
local criterion = nn.MSECriterion():double()

describe('freeze', function()
  it('chooses by names, paths, * and ?', function()
    local all = '0.weight 0.bias 2.0.weight 2.0.bias 2.1.weight 2.1.bias'
    for pattern, left in pairs {
      ['0'] = '2.0.weight 2.0.bias 2.1.weight 2.1.bias', ['2'] = '0.weight 0.bias', ['2.0'] = '0.weight 0.bias 2.1.weight 2.1.bias',
      ['*.bias'] = '0.weight 2.0.weight 2.1.weight', ['2.?.weight'] = '0.weight 0.bias 2.0.bias 2.1.bias', ['*'] = '',
      ['?.weight'] = '0.bias 2.0.weight 2.0.bias 2.1.weight 2.1.bias', ['2.1.bias'] = '0.weight 0.bias 2.0.weight 2.0.bias 2.1.weight',
    } do
      local net = newNet()
      assert.equal(net, net:freeze(pattern))
      assert.equal(left, free(net), pattern)
      assert.equal(6, #torch.pt.keys(net:stateDict()))
      net:freeze(pattern)
      assert.equal(net, net:unfreeze(pattern))
      assert.equal(all, free(net))
    end
    assert.equal('', free(newNet():freeze()))
    assert.equal('2.1.bias', free(newNet():freeze('0', '2.0', '2.1.weight')))
    assert.equal('0.weight 0.bias', free(newNet():freeze():unfreeze '0'))
  end)

  it('refuses names of nothing, with names that exist, and changes nothing then', function()
    local net = newNet()
    for _, pattern in ipairs { 'x', '0.weigh', '.', '0.w+', '%d' } do
      local done, message = pcall(net.freeze, net, '0', pattern)
      assert.is_false(done)
      assert.truthy(message:find(('nn.Sequential: freeze: pattern: %q, expected a name of a parameter or module'):format(pattern), 1, true))
      assert.truthy(message:find('0.weight, 0.bias, 2.0.weight', 1, true))
      assert.is_false((pcall(net.unfreeze, net, pattern)))
      assert.equal(6, #net:parameters())
    end
    assert.error_matches(function() nn.Tanh():freeze 'x' end, 'there are no parameters')
    assert.equal('nn.Tanh', torch.type(nn.Tanh():freeze()))
    assert.error_matches(function() net:freeze {} end, 'pattern: a table, expected a string')
    local partial = nn.Sequential():add(nn.Linear(2, 3)):add(nn.PartialLinear(3, 5))
    local before = free(partial)
    assert.error_matches(function() partial:freeze() end, '1.*a parameter of a nn.PartialLinear, expected one of a class')
    assert.equal(before, free(partial))
    assert.equal(4, #partial:parameters())
  end)

  it("keeps parameters unchanged by Torch7's protocol, whose other gradients stay the same", function()
    local net, free_ = newNet(), newNet()
    free_:loadStateDict(net:stateDict())
    net:freeze('2.0', '*.bias')
    for _, each in ipairs { net, free_ } do
      each:zeroGradParameters()
      each:backward(x, criterion:backward(each:forward(x), target))
    end
    assertClose(free_.gradInput, net.gradInput, 1e-12)
    assertClose(free_:get(1).gradWeight, net:get(1).gradWeight, 1e-12)
    local before = snapshot(net)
    net:updateParameters(0.1)
    assert.equal('0.weight 2.1.weight', moved(net, before))
    local whole = newNet()
    local _, all = whole:getParameters()
    all:fill(1)
    whole:freeze '2'
    assert.equal(12 + 4, all:sum())
    local flat, gradients = net:getParameters()
    assert.equal(12 + 8, flat:nElement())
    before = snapshot(net)
    optim.sgd(function() return 0, gradients end, flat, { learningRate = 0.1, weightDecay = 0.1 })
    assert.equal('0.weight 2.1.weight', moved(net, before))
  end)

  it('keeps them unchanged on the tape, also by an optimiser that has them', function()
    local net = newNet():requiresGrad()
    local steps = optim.Adam(net:parameters(), { learningRate = 0.1, weightDecay = 0.1 })
    local function step()
      steps:zeroGrad()
      criterion(net(x), target):backward()
      steps:step()
    end
    step()
    net:freeze '2'
    assert.is_false(C.tracked(net:get(3):get(1).weight))
    local before = snapshot(net)
    step()
    assert.equal('0.bias 0.weight', moved(net, before))
    net:unfreeze()
    assert.is_true(C.tracked(net:get(3):get(1).weight))
    before = snapshot(net)
    step()
    assert.equal('0.bias 0.weight 2.0.bias 2.0.weight 2.1.bias 2.1.weight', moved(net, before))
    assert.is_false(C.tracked(newNet():freeze():unfreeze():parameters()[1]))
  end)

  it('follows a tensor with two names, conversions, copies and files', function()
    local net = nn.TableModule { { 'a', nn.Linear(2, 2) }, { 'b', nn.Linear(2, 2) }, forward = print }
    net.b.weight = net.a.weight
    net:freeze 'a.weight'
    assert.equal('a.bias b.bias', free(net))
    local copy = net:clone():float()
    assert.equal('a.bias b.bias', free(copy))
    copy:unfreeze()
    assert.equal('torch.FloatTensor', copy.a.gradWeight:type())
    assert.equal(3, #copy:parameters())
    net:unfreeze 'b.weight'
    assert.equal('a.weight a.bias b.bias', free(net))
    net:freeze 'a.bias'
    net.a.bias = torch.ones(5)
    net:unfreeze()
    assert.equal(5, net.a.gradBias:nElement())
  end)
end)

describe("PyTorch's names of a module's methods:", function()
  it('numParameters counts memory once, and those that are not frozen', function()
    local net = newNet()
    assert.same({ 12 + 4 + 16 + 4 + 8 + 2, 4 + 16 + 4 + 8 + 2 }, { net:freeze('0.weight'):numParameters() })
    local linear = nn.Linear(3, 2)
    assert.same({ 8, 8 }, { nn.Sequential():add(linear):add(linear):add(linear:clone('weight', 'bias')):numParameters() })
    assert.same({ 0, 0 }, { nn.Tanh():numParameters() })
  end)

  it('children returns each direct child once', function()
    local net, layer = newNet(), nn.Linear(1, 1)
    assert.same({ net:get(1), net:get(2), net:get(3) }, net:children())
    local twice = nn.TableModule { a = layer, b = layer, forward = print }
    assert.equal(1, #twice:children())
    assert.same({}, layer:children())
  end)

  it('eval is evaluate, zeroGrad clears gradients of both kinds', function()
    local net = nn.Sequential():add(nn.Dropout()):add(nn.Linear(3, 2)):double()
    assert.equal(net, net:eval())
    assert.is_false(net:get(1).train)
    net:backward(x, net:forward(x))
    net:requiresGrad()
    torch.sum(net(x)):backward()
    assert.is_true(net:get(2).gradWeight:norm() > 0 and net:get(2).weight.grad:norm() > 0)
    net:zeroGrad()
    assert.is_true(net:get(2).gradWeight:norm() == 0 and net:get(2).weight.grad:norm() == 0)
  end)

  it('to accepts a type, a device, both, a table of them, or a tensor', function()
    local function typeAfter(...) return nn.Linear(1, 1):double():to(...):type() end
    for _, case in ipairs {
      { 'torch.FloatTensor', 'float' }, { 'torch.DoubleTensor', 'cpu' }, { 'torch.FloatTensor', 'cpu', 'float' },
      { 'torch.FloatTensor', 'float', 'cpu' }, { 'torch.HalfTensor', { dtype = 'half' } }, { 'torch.DoubleTensor', { device = 'cpu' } },
      { 'torch.BFloat16Tensor', { dtype = torch.bfloat16, device = 'cpu' } }, { 'torch.FloatTensor', torch.FloatTensor(1) },
    } do
      assert.equal(case[1], typeAfter(unpack(case, 2)))
    end
    assert.equal('meta', nn.Linear(1, 1):to('meta', 'float').weight:device())
    assert.equal('torch.FloatTensor', nn.Linear(1, 1):to('meta', 'float').weight:type())
    for message, f in pairs {
      ['nn.Linear: to: options: type, expected one of dtype, device'] = function() typeAfter { type = 'float' } end,
      ['nn.Linear: to: options: an empty table, expected dtype or device'] = function() typeAfter {} end,
      ['nn.Linear: type: typename: float on nowhere is no type of tensor'] = function() typeAfter('float', 'nowhere') end,
      ['to: typename: nothing'] = function() typeAfter() end,
    } do
      assert.error_matches(f, message)
    end
  end)
end)
