-- Averages of weights, Lookahead, groups for weight decay, and clipping by units, against their rules in plain numbers.
local torch, optim, nn = require 'torch', require 'optim', require 'nn'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

local function parameters() return { torch.DoubleTensor { 1, 2 }:requiresGrad(), torch.DoubleTensor { { 3 } }:requiresGrad() } end

-- Gives the parameters new values; returns them as plain numbers.
local function move(list, t)
  local values = {}
  for k, x in ipairs(list) do
    local new = {}
    for i = 1, x:nElement() do
      new[i] = math.sin(t * 7 + k * 3 + i)
      values[#values + 1] = new[i]
    end
    torch.noGrad(function() x:copy(torch.DoubleTensor(new):viewAs(x)) end)
  end
  return values
end

local function flat(list)
  local all = {}
  for _, x in ipairs(list) do
    for _, v in ipairs(x:detach():reshape(x:nElement()):totable()) do all[#all + 1] = v end
  end
  return all
end

describe('averages of weights', function()
  for name, weight in pairs { EMA = function() return 0.25 end, SWA = function(n) return 1 / n end } do
    it('follow their rule: ' .. name, function()
      local list, expected = parameters(), {}
      local average = optim[name](list, name == 'EMA' and { decay = 0.75 } or nil)
      assert.same({ 1, 2, 3 }, flat(average.averages))
      for t = 1, 8 do
        for i, v in ipairs(move(list, t)) do expected[i] = t == 1 and v or (1 - weight(t)) * expected[i] + weight(t) * v end
        average:update()
        assertClose(expected, flat(average.averages), relative(1e-14))
      end
      local last = flat(list)
      average:apply()
      assertClose(expected, flat(list), relative(1e-14))
      assert.error_matches(function() average:update() end, 'optim.' .. name .. '.update: the parameters are the averages; restore')
      assert.error_matches(function() average:apply() end, 'averages already')
      average:restore()
      assert.same(last, flat(list))
      assert.error_matches(function() average:restore() end, 'apply%(%) comes first')
      local again = optim[name](parameters(), name == 'EMA' and { decay = 0.75 } or nil)
      again:loadStateDict(torch.deserialize(torch.serialize(average:stateDict())))
      assert.same(flat(average.averages), flat(again.averages))
      assert.equal(8, again.count)
      average:update()
      assert.is_false(torch.equal(average.averages[1], again.averages[1]))
    end)

    it('follow a network into another type: ' .. name, function()
      local net = nn.Linear(2, 2):requiresGrad()
      local average = optim[name](net:parameters())
      average:update()
      net:float()
      average:update()
      assert.equal('torch.FloatTensor', average.averages[1]:type())
      average:apply()
      assert.is_true(torch.equal(net.weight:detach(), average.averages[1]))
    end)
  end

  it('refuse what they can\'t average, and change nothing', function()
    for message, call in pairs {
      ['optim.EMA: parameters: a number, expected a list of tensors'] = function() optim.EMA(3) end,
      ['optim.EMA: parameters: number 1: a torch.LongTensor, expected a tensor of floats'] = function()
        optim.EMA { torch.LongTensor(1) }
      end,
      ['optim.EMA: decay: 2, expected a number from 0 to 1'] = function() optim.EMA(parameters(), { decay = 2 }) end,
      ['optim.SWA: options: decay, expected'] = function() optim.SWA(parameters(), { decay = 0.5 }) end,
      ['optim.WeightAverage: a base class'] = function() optim.WeightAverage(parameters()) end,
      ['optim.SWA.loadStateDict: state: 1 averages, expected 2'] = function()
        optim.SWA(parameters()):loadStateDict { count = 1, averages = { torch.ones(2) } }
      end,
      ['optim.SWA.loadStateDict: state: average 2: sizes [2], expected [1, 1]'] = function()
        optim.SWA(parameters()):loadStateDict { count = 1, averages = { torch.ones(2), torch.ones(2) } }
      end,
      ['optim.SWA.loadStateDict: state: count: -1'] = function() optim.SWA(parameters()):loadStateDict { count = -1, averages = {} } end,
    } do
      local good, text = pcall(call)
      assert.is_false(good)
      assert.is_truthy(text:find(message, 1, true), text)
    end
  end)
end)

describe('optim.Lookahead', function()
  local function trained(count, alpha)
    local x = torch.DoubleTensor { 8 }:requiresGrad()
    local steps = optim.Lookahead(optim.SGD({ x }, { learningRate = 0.25 }), { steps = 2, alpha = alpha })
    local function step()
      steps:zeroGrad()
      return steps:step(function()
        local loss = torch.sum(torch.mul(torch.cmul(x, x), 0.5))
        loss:backward()
        return loss
      end)
    end
    for _ = 1, count do step() end
    return x, steps, step
  end

  it('follows its rule', function()
    for _, alpha in ipairs { 0.5, 0.125 } do
      local fast, slow = 8, 8
      for t = 1, 7 do
        fast = fast - 0.25 * fast
        if t % 2 == 0 then
          slow = slow + alpha * (fast - slow)
          fast = slow
        end
        assertClose({ fast }, { trained(t, alpha):item() }, relative(1e-14))
      end
    end
    assert.equal(8 * 8 / 2, select(3, trained(0))():item())
  end)

  it('continues from its state, and takes schedules', function()
    local x, steps, step = trained(3)
    local y, later, laterStep = trained(0)
    torch.noGrad(function() y:copy(x) end)
    later:loadStateDict(torch.deserialize(torch.serialize(steps:stateDict())))
    for _ = 1, 3 do
      step()
      laterStep()
    end
    assert.equal(x:item(), y:item())
    assert.error_matches(function() later:loadStateDict { count = 1 } end, 'state: slow: nil, expected a table')
    local bad = steps:stateDict()
    bad.optimizer.class = 'optim.Adam'
    local before = later.slow.averages[1]:clone()
    assert.error_matches(function() later:loadStateDict(bad) end, 'of optim.Adam, expected one of optim.SGD')
    assert.is_true(torch.equal(before, later.slow.averages[1]))
    optim.schedule.constant(steps, { factor = 0.5 })
    assert.equal(0.125, steps.optimizer:option 'learningRate')
    assert.error_matches(function() optim.Lookahead {} end, 'optim.Lookahead: optimizer: expected an object')
    assert.error_matches(function() optim.Lookahead(steps.optimizer, { steps = 0 }) end, 'optim.Lookahead: steps: 0')
  end)
end)

describe('optim.decayGroups', function()
  it('leaves out biases, or what a function says', function()
    local net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    local groups = optim.decayGroups(net)
    assert.same({ net:get(1).weight, net:get(2).weight }, groups[1].parameters)
    assert.same({ net:get(1).bias, net:get(2).bias }, groups[2].parameters)
    assert.equal(0, groups[2].weightDecay)
    local named = optim.decayGroups(net, function(_, name) return name == '0.weight' end)
    assert.same({ net:get(1).weight }, named[1].parameters)
    assert.equal(3, #named[2].parameters)
    net:requiresGrad()
    local steps = optim.SGD(optim.decayGroups(net:parameters()), { learningRate = 1, weightDecay = 0.5 })
    local weight, bias = net:get(1).weight:detach():clone(), net:get(1).bias:detach():clone()
    for _, p in ipairs((net:parameters())) do p.grad = torch.zeros(p:size()) end
    steps:step()
    assertClose(torch.mul(weight, 0.5), net:get(1).weight:detach(), relative(1e-15))
    assert.is_true(torch.equal(bias, net:get(1).bias:detach()))
    assert.error_matches(function() optim.decayGroups(3) end, 'optim.decayGroups: parameters: a number, expected a list')
    assert.error_matches(function() optim.decayGroups({ 3 }) end, 'optim.decayGroups: parameters: number 1')
  end)
end)

describe('optim.clipGradAdaptive', function()
  it('limits the gradient of each row by the norm of the weights', function()
    local w = torch.DoubleTensor { { 3, 4 }, { 0, 0 }, { 6, 8 } }:requiresGrad()
    local b = torch.DoubleTensor { 0, 2 }:requiresGrad()
    w.grad, b.grad = torch.DoubleTensor { { 0, 20 }, { 1, 0 }, { 0.3, 0.4 } }, torch.DoubleTensor { 3, 4 }
    optim.clipGradAdaptive({ w, b, w, torch.ones(2) }, 0.1, 1e-2)
    assertClose(torch.DoubleTensor { { 0, 0.5 }, { 0.001, 0 }, { 0.3, 0.4 } }, w.grad, relative(1e-14))
    assertClose({ 0.12, 0.16 }, b.grad, relative(1e-14))
    assert.error_matches(function() optim.clipGradAdaptive({ w }, -1) end, 'optim.clipGradAdaptive: factor: %-1')
    assert.error_matches(function() optim.clipGradAdaptive(3) end, 'optim.clipGradAdaptive: parameters: a number')
  end)
end)
