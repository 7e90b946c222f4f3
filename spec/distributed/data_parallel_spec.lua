-- nn.DistributedDataParallel on real processes: against one process on the whole batch, and its options.
local nn = require 'nn'
local ranks = require 'spec.support.ranks'

-- Variables of all programs.
local common = [[
  local nn, optim = require 'nn', require 'optim'
  local criterion = nn.ClassNLLCriterion()
  local function lenet()
    torch.manualSeed(1)
    return nn.Sequential(nn.SpatialConvolution(1, 4, 3, 3), nn.ReLU(), nn.SpatialMaxPooling(2, 2), nn.View(36),
      nn.Sequential(nn.Linear(36, 8), nn.Tanh()), nn.Linear(8, 5), nn.LogSoftMax())
  end
  local function mlp()
    torch.manualSeed(2)
    return nn.Sequential(nn.View(64), nn.Linear(64, 10), nn.ReLU(), nn.Linear(10, 5), nn.LogSoftMax())
  end
  torch.manualSeed(5)
  local xs, ys = torch.randn(20, 12, 1, 8, 8), torch.LongTensor(20, 12):random(1, 5)
  local share = 12 / n
  local function all(i) return xs[i], ys[i] end
  local function mine(i) return xs[i]:narrow(1, 1 + rank * share, share), ys[i]:narrow(1, 1 + rank * share, share) end
  local function close(a, b, bound)
    local difference = (a - b):abs():max()
    assert(difference <= (bound or 1e-12), difference)
  end
  local function gradientsOf(net)
    local list = {}
    for i, x in ipairs((net:parameters())) do list[i] = x.grad:clone():view(-1) end
    return torch.cat(list, 1)
  end
  local function backward(net, x, y)
    local output = net:forward(x)
    criterion:forward(output, y)
    net:backward(x, criterion:backward(output, y))
  end
  local function passed(net, x, y)
    criterion(net(x), y):backward()
    return gradientsOf(net)
  end
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

local training = [[
  local function tape(net, how, batch)
    local steps = how == 'sgd' and optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1, momentum = 0.9 })
      or optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.01 })
    local losses = torch.Tensor(20)
    for i = 1, 20 do
      local x, y = batch(i)
      steps:zeroGrad()
      local loss = criterion(net(x), y)
      loss:backward()
      steps:step()
      losses[i] = loss:item()
    end
    return losses
  end
  local function torch7(net, how, batch)
    local parameters, gradients = net:getParameters()
    local config = how == 'sgd' and { learningRate = 0.1, momentum = 0.9 } or { learningRate = 0.01 }
    local losses = torch.Tensor(20)
    for i = 1, 20 do
      local x, y = batch(i)
      gradients:zero()
      local output = net:forward(x)
      losses[i] = criterion:forward(output, y)
      net:backward(x, criterion:backward(output, y))
      optim[how](function() return losses[i], gradients end, parameters, config)
    end
    return losses
  end
  for _, case in ipairs { { lenet, 'sgd', tape }, { lenet, 'adam', torch7 }, { mlp, 'adam', tape }, { mlp, 'sgd', torch7 } } do
    local make, how, train = unpack(case)
    local one, own = make(), make()
    local expected = train(one, how, all)
    if rank > 0 then own:apply(function(module) if module.weight then module.weight:fill(rank) end end) end
    local losses = train(nn.DistributedDataParallel(own, { bucketBytes = 2000 }), how, mine)
    close(dist.allReduce(losses, 'mean'), expected, 1e-10)
    -- The ranks have the same bits.
    local weights = {}
    for i, x in ipairs((own:parameters())) do weights[i] = x:detach():view(-1) end
    for _, other in ipairs(dist.allGather(torch.cat(weights, 1))) do assert(torch.eq(other, torch.cat(weights, 1)):all()) end
  end
]]

describe('nn.DistributedDataParallel', function()
  for _, n in ipairs { 2, 3 } do
    it(('trains as one process on the whole batch, with %d ranks'):format(n), function() run(n, training) end)
  end

  it('needs torch.distributed, a module and known options', function()
    assert.error_matches(function() nn.DistributedDataParallel(nn.Linear(2, 2)) end,
      'nn.DistributedDataParallel: torch.distributed is not started, expected a call of torch.distributed.init before')
    assert.error_matches(function() nn.DistributedDataParallel(3) end, 'nn.DistributedDataParallel: net: 3, expected a module')
    run(1, [[
      local function problem(options) return select(2, pcall(nn.DistributedDataParallel, mlp(), options)) end
      assert(problem({ bucketBytes = 0 }):find 'bucketBytes: 0, expected')
      assert(problem({ gradientCompression = 'int8' }):find "gradientCompression: 'int8', expected")
      assert(problem({ broadcastBuffers = 1 }):find 'broadcastBuffers: 1, expected true or false')
      assert(problem({ bucketSize = 1 }):find 'bucketSize')
      local net = nn.DistributedDataParallel(mlp())
      assert(select(2, pcall(net.setWeight, net, -1)):find 'setWeight: weight: %-1, expected')
      assert(select(2, pcall(net.noSync, net, 1)):find 'noSync: f: number, expected a function')
      assert(select(2, pcall(net.accUpdateGradParameters, net)):find 'expected backward and updateParameters')
    ]])
  end)

  it('refuses networks that differ, on every rank', function()
    run(2, [[
      local _, problem = pcall(nn.DistributedDataParallel, nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2 + rank)))
      assert(problem:find('tensor 3 of rank 1 is 1.weight, a DoubleTensor of 3 x 2, '
        .. 'expected that of rank 0: 1.weight, a DoubleTensor of 2 x 2', 1, true), problem)
      _, problem = pcall(nn.DistributedDataParallel, rank == 0 and nn.Linear(3, 2) or nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2)))
      assert(problem:find 'expected that of rank 0', problem)
      assert(dist.allReduce(torch.ones(1))[1] == 2)
    ]])
  end)

  it('sends gradients while the pass computes', function()
    run(2, [[
      local operation = require 'distributed.operation'
      local own, calls = operation.run, 0
      operation.run = function(...)
        calls = calls + 1
        return own(...)
      end
      for _, isTape in ipairs { true, false } do
        local seen
        local Watch, parent = torch.class('nn.SpecWatch' .. tostring(isTape), 'nn.Identity')
        function Watch:updateGradInput(input, gradOutput)
          seen = calls
          return parent.updateGradInput(self, input, gradOutput)
        end
        local net = nn.Sequential(nn.Linear(4, 3), nn['SpecWatch' .. tostring(isTape)](), nn.Linear(3, 3), nn.Linear(3, 2))
        if isTape then net:requiresGrad() end
        net = nn.DistributedDataParallel(net, { bucketBytes = 1 })
        calls = 0
        local x = torch.randn(5, 4)
        if isTape then net(x):sum():backward() else net:backward(x, net:forward(x)) end
        -- two weights and biases; then those of the first layer, with the ranks' weights
        assert(seen == 4 and calls == 6, seen .. ' ' .. calls)
      end
    ]])
  end)

  it('adds up under noSync, and averages the sums in the next pass', function()
    run(2, [[
      local one, net = lenet():requiresGrad(), nn.DistributedDataParallel(lenet():requiresGrad())
      passed(one, all(1))
      local expected = passed(one, all(2))
      local silent = net:noSync(passed, net, mine(1))
      local others = dist.allGather(silent)
      assert(torch.ne(others[1], others[2]):any())
      close(passed(net, mine(2)), expected)
      -- The next pass adds to the averages.
      expected = passed(one, all(3))
      close(passed(net, mine(3)), expected)

      local one, net = lenet(), nn.DistributedDataParallel(lenet())
      local _, g = one:getParameters()
      local _, h = net:getParameters()
      g:zero(); h:zero()
      for i = 1, 2 do backward(one, all(i)) end
      net:noSync(backward, net, mine(1))
      backward(net, mine(2))
      close(h, g)
    ]])
  end)

  it('takes zeros for parameters that a pass does not reach', function()
    run(3, [[
      local function make()
        torch.manualSeed(3)
        local first, second, third = nn.Linear(4, 2), nn.Linear(4, 2), nn.Linear(4, 2)
        local net = nn.Sequential(nn.ConcatTable():add(first):add(second):add(third))
        return net:requiresGrad(), first, second, third
      end
      local x = torch.randn(3, 4)
      local net, first, second, third = make()
      local parallel = nn.DistributedDataParallel(net)
      local outputs = parallel(x)
      outputs[rank == 0 and 1 or 2]:sum():backward()
      local byFirst = x:sum(1):view(1, 4):expand(2, 4)
      close(first.weight.grad, byFirst / 3)
      close(second.weight.grad, byFirst * 2 / 3)
      assert(third.weight.grad == nil)      -- no rank has reached it

      local strict = nn.DistributedDataParallel((make()), { findUnusedParameters = false })
      local done, problem = pcall(function() strict(x)[rank == 0 and 1 or 2]:sum():backward() end)
      assert(not done)
      assert(problem:find(rank == 0 and 'did not reach 0.1.weight, 0.1.bias, 0.2.weight' or 'did not reach 0.0.weight'), problem)
      assert(dist.allReduce(torch.ones(1))[1] == 3)
    ]])
  end)

  it('weighs the ranks by examples, and lets ranks without a batch take part', function()
    run(3, [[
      local one, net = lenet():requiresGrad(), nn.DistributedDataParallel(lenet():requiresGrad(), { bucketBytes = 500 })
      local expected = passed(one, xs[1]:narrow(1, 1, 7), ys[1]:narrow(1, 1, 7))
      local first, size = ({ 1, 6 })[rank + 1], ({ 5, 2 })[rank + 1]      -- 5 examples, 2, none
      if rank < 2 then
        net:setWeight(size)
        close(passed(net, xs[1]:narrow(1, first, size), ys[1]:narrow(1, first, size)), expected)
      else
        net:idle()
        close(gradientsOf(net), expected)
      end

      local one, net = mlp(), nn.DistributedDataParallel(mlp())
      local _, g = one:getParameters()
      local _, h = net:getParameters()
      g:zero(); h:zero()
      local x, y = xs[1]:narrow(1, 1, 7), ys[1]:narrow(1, 1, 7)
      backward(one, x, y)
      if rank < 2 then
        x, y = xs[1]:narrow(1, first, size), ys[1]:narrow(1, first, size)
        net:setWeight(size)
        backward(net, x, y)
      else
        net:idle()
      end
      close(h, g)
    ]])
  end)

  it('sends 16 bits if asked to', function()
    run(2, [[
      for i, kind in ipairs { 'half', 'bfloat16' } do
        local bound = 2 ^ -({ 10, 7 })[i]
        local one = lenet():float():requiresGrad()
        local net = nn.DistributedDataParallel(lenet():float():requiresGrad(), { gradientCompression = kind })
        local x, y = mine(1)
        local expected, found = passed(one, xs[1]:float(), ys[1]), passed(net, x:float(), y)
        close(found, expected, bound * expected:clone():abs():max())
        assert(torch.ne(found, expected):any())
      end
    ]])
  end)

  it('serves networks of any form: repeated and shared layers, several passes, several results', function()
    run(2, [[
      local Tied = torch.class('nn.SpecTied', 'nn.Module')
      function Tied:__init()
        nn.Module.__init(self)
        self.first, self.second, self.scale = nn.Linear(4, 4), nn.Linear(4, 4), nn.Parameter(torch.ones(4))
      end
      function Tied:forward(a, b)
        return torch.cmul(torch.tanh(self.first(self.first(a))), self.scale:view(1, 4):expandAs(a)), self.second(b)
      end
      local function plain()
        torch.manualSeed(3)
        return nn.SpecTied():requiresGrad()
      end
      local function loss(net, x)
        local a, b = net(x, x * 2)
        return a:sum() + torch.pow(b, 2):sum()
      end
      local function row()
        torch.manualSeed(4)
        local twice = nn.Linear(4, 4)
        return nn.Sequential(twice, nn.Tanh(), nn.ConcatTable():add(twice):add(nn.Identity()), nn.CAddTable(), twice):requiresGrad()
      end
      local function sum(net, x) return torch.pow(net(x), 2):sum() end
      local x = torch.randn(6, 4)
      local part = x:narrow(1, 1 + 3 * rank, 3)
      for i, make in ipairs { plain, row } do
        local of = ({ loss, sum })[i]
        local one, net = make(), nn.DistributedDataParallel(make(), { bucketBytes = 64 })
        of(one, x):backward()
        of(net, part):backward()
        close(gradientsOf(net) * 2, gradientsOf(one))
        -- two forwards for one pass, and the same graph twice
        local bothOfOne = of(one, x) / 2 + of(one, x * 3)
        bothOfOne:backward()
        local both = of(net, part) / 2 + of(net, part * 3)
        both:backward()
        close(gradientsOf(net) * 2, gradientsOf(one))
        local kept, ofOne = of(net, part), of(one, x)
        for i = 1, 2 do
          kept:backward(nil, { retainGraph = true })
          ofOne:backward(nil, { retainGraph = true })
        end
        close(gradientsOf(net) * 2, gradientsOf(one))
      end

      -- Torch7's protocol
      local one, net = row(), nn.DistributedDataParallel(row():requiresGrad(false), { bucketBytes = 64 })
      one:requiresGrad(false)
      one:zeroGradParameters(); net:zeroGradParameters()
      one:backward(x, one:forward(x))
      net:backward(part, net:forward(part))
      close(net:get(1):get(1).gradWeight * 2, one:get(1).gradWeight)

      -- gradients by the input, and averages that have no gradient
      local input = part:clone():requiresGrad()
      local net = nn.DistributedDataParallel(row())
      local autograd = require 'autograd'
      close(autograd.grad(sum(net, input), input), autograd.grad(sum(row(), input), input))
      local _, problem = pcall(function() sum(net, part):backward(nil, { createGraph = true }) end)
      assert(problem:find 'averages have no gradient', problem)
      -- a penalty of parameters is not averaged, and stays
      local fresh = row()
      local net = nn.DistributedDataParallel(fresh)
      local penalised = sum(net, part) + torch.pow(fresh:get(1).weight, 2):sum()
      penalised:backward()
      local other = row()
      penalised = sum(other, x) / 2 + torch.pow(other:get(1).weight, 2):sum()
      penalised:backward()
      close(gradientsOf(net), gradientsOf(other))
    ]])
  end)

  it('copies buffers before a forward, and works in groups', function()
    run(3, [[
      local function make() return nn.Sequential(nn.Linear(2, 2), nn.BatchNormalization(2)):requiresGrad() end
      local last = dist.newGroup { 1, 2 }
      if rank > 0 then
        for _, isCopied in ipairs { true, false } do
          local net = nn.DistributedDataParallel(make(), { group = last, broadcastBuffers = isCopied })
          local x = torch.randn(4, 2):mul(rank)
          for i = 1, 2 do net(x):sum():backward() end
          net:get(1):get(1).weight.grad:zero()
          local mean = net:get(1):get(2).running_mean:clone()
          net(x)
          local means = dist.allGather(mean, { group = last })
          assert(torch.ne(means[1], means[2]):any())
          local copies = dist.allGather(net:get(1):get(1).weight:detach(), { group = last })
          assert(torch.eq(copies[1], copies[2]):all())
          local copy = net:clone()
          assert(select(2, pcall(copy.forward, copy, x)):find 'expected a new wrapper')
        end
      end
    ]])
  end)
end)
