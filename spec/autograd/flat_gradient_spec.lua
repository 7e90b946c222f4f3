-- Gradients of the tape where Torch7's programs look for them, and optimisers that keep up with a network.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local autograd = require 'autograd'
local assertClose = require('spec.support.close').within(1e-14)

local function network()
  torch.manualSeed(3)
  return nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2))
end
local input, target = torch.DoubleTensor { { 1, -2, 0.5 }, { 0.25, 3, -1 } }, torch.DoubleTensor { { 1, 0 }, { -1, 2 } }

-- The flat gradient by Torch7's protocol.
local function expected()
  local net, criterion = network(), nn.MSECriterion()
  local _, dw = net:getParameters()
  net:zeroGradParameters()
  criterion:forward(net:forward(input), target)
  net:backward(input, criterion:backward(net.output, target))
  return dw
end

describe('the flat gradient of getParameters', function()
  for order, prepare in pairs {
    ['before requiresGrad'] = function(net)
      local _, dw = net:getParameters()
      net:requiresGrad()
      return dw
    end,
    ['after it'] = function(net) return select(2, net:requiresGrad():getParameters()) end,
  } do
    it('has what backward on the tape adds up, taken ' .. order, function()
      local net = network()
      local dw = prepare(net)
      for times = 1, 2 do
        nn.MSECriterion()(net(input), target):backward()
        assertClose(expected() * times, dw)
      end
      assert.equal(dw:norm() > 0, true)
      assert.is_true(net:get(1).weight.grad:isSetTo(net:get(1).gradWeight))
      dw:zero()
      assert.equal(0, net:get(1).weight.grad:norm())
      nn.MSECriterion()(net(input), target):backward()
      assertClose(expected(), dw)
    end)
  end

  it('has what was added before', function()
    local net = network():requiresGrad()
    nn.MSECriterion()(net(input), target):backward()
    local _, dw = net:getParameters()
    assertClose(expected(), dw)
  end)

  it('is cleared by nil for a gradient, and takes one that is put there', function()
    local net = network():requiresGrad()
    local _, dw = net:getParameters()
    nn.MSECriterion()(net(input), target):backward()
    for _, parameter in ipairs((net:parameters())) do parameter.grad = nil end
    assert.equal(0, dw:norm())
    net:get(3).bias.grad = torch.DoubleTensor { 3, 4 }
    assert.equal(5, dw:norm())
    net:get(3).bias:zeroGrad()
    assert.equal(0, dw:norm())
  end)

  it('has the gradients of a recorded backward and of those after it', function()
    local net = network():requiresGrad()
    local _, dw = net:getParameters()
    nn.MSECriterion()(net(input), target):backward(nil, { createGraph = true })
    assertClose(expected(), dw)
    assert.is_true(net:get(1).weight.grad:isTracked())
    nn.MSECriterion()(net(input), target):backward()
    assertClose(expected() * 2, dw)
  end)

  it('trains with optim.sgd', function()
    local net, criterion = network():requiresGrad(), nn.MSECriterion()
    local w, dw = net:getParameters()
    local first, last
    for _ = 1, 50 do
      optim.sgd(function()
        dw:zero()
        local loss = criterion(net(input), target)
        loss:backward()
        last = loss:item()
        first = first or last
        return last, dw
      end, w, { learningRate = 0.1 })
    end
    assert.is_true(last < first / 10)
  end)
end)

describe('an optimiser made before the network changed its type', function()
  it('goes on with the tensors that the network has now, and its state', function()
    local net, same = network():requiresGrad(), network():requiresGrad()
    local steps = optim.SGD(net:parameters(), { learningRate = 0.1, momentum = 0.9 })
    local other = optim.SGD(same:parameters(), { learningRate = 0.1, momentum = 0.9 })
    for i = 1, 4 do
      if i == 3 then net:float() end
      local x = input:type(net:type())
      for _, each in ipairs { { net, steps, x, target:type(net:type()) }, { same, other, input, target } } do
        each[2]:zeroGrad()
        nn.MSECriterion():type(each[3]:type())(each[1](each[3]), each[4]):backward()
        each[2]:step()
      end
    end
    for i, parameter in ipairs((net:parameters())) do
      assert.equal('torch.FloatTensor', parameter:type())
      local difference = torch.csub(parameter:detach():double(), (same:parameters())[i]:detach())
      assert.is_true(torch.max(torch.abs(difference)) < 1e-5)
    end
  end)

  it('twice, there and back', function()
    local net = network():requiresGrad()
    local steps = optim.Adam((net:parameters()), { learningRate = 0.1 })
    net:float():double()
    local before = net:get(1).weight:detach():clone()
    autograd.enableGrad(function() net(input):sum():backward() end)
    steps:step()
    assert.is_true(torch.csub(before, net:get(1).weight:detach()):norm() > 0.01)
  end)
end)
