-- nn.FullyShardedDataParallel on real processes: against nn.DistributedDataParallel, bit for bit.
local nn = require 'nn'
local ranks = require 'spec.support.ranks'

local common = [[
  local nn, optim = require 'nn', require 'optim'
  local setups = require 'spec.trainer.setups'
  local criterion = nn.ClassNLLCriterion()
  local function lenet()
    torch.manualSeed(1)
    return nn.Sequential(nn.SpatialConvolution(1, 4, 3, 3), nn.ReLU(), nn.SpatialMaxPooling(2, 2), nn.View(36),
      nn.Sequential(nn.Linear(36, 8), nn.BatchNormalization(8), nn.Tanh()), nn.Linear(8, 5), nn.LogSoftMax()):requiresGrad()
  end
  torch.manualSeed(5 + rank)
  local xs, ys = torch.randn(20, 4, 1, 8, 8), torch.LongTensor(20, 4):random(1, 5)
  local function train(net, make, count)
    local steps, losses = make(net:parameters()), torch.Tensor(count)
    for i = 1, count do
      steps:zeroGrad()
      local loss = criterion(net(xs[i]), ys[i])
      loss:backward()
      steps:step()
      losses[i] = loss:item()
    end
    return losses, steps
  end
  local function same(a, b)
    for i, x in ipairs((a:parameters())) do assert(torch.equal(x:detach(), b:parameters()[i]:detach()), 'parameter ' .. i) end
  end
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

describe('nn.FullyShardedDataParallel', function()
  for _, n in ipairs { 2, 3 } do
    it(('trains as nn.DistributedDataParallel, with %d ranks'):format(n), function()
      run(n, [[
        for _, make in ipairs {
          function(list) return optim.Adam(list, { learningRate = 0.01 }) end,
          function(list) return optim.SGD(list, { learningRate = 0.1, momentum = 0.9 }) end,
        } do
          local plain, own = lenet(), lenet()
          if rank > 0 then own:apply(function(module) if module.weight then module.weight:detach():fill(rank) end end) end
          local sharded = nn.FullyShardedDataParallel(own)
          local expected = train(nn.DistributedDataParallel(plain), make, 10)
          local found = train(sharded, make, 10)
          assert(torch.equal(found, expected), (found - expected):abs():max())
          local whole = sharded:gathered()
          same(whole, plain)
          assert(setups.text(sharded:stateDict()) == setups.text(plain:stateDict()))
          plain:evaluate(); sharded:evaluate()
          assert(torch.equal(sharded:forward(xs[1]), plain:forward(xs[1])))
          assert(torch.equal(torch.noGrad(sharded, xs[1]), plain:forward(xs[1])))
        end
      ]])
    end)
  end

  it('keeps 1 / n of parameters and gradients, and gives the memory of a part back after each use', function()
    run(2, [[
      local net = nn.Sequential()
      for _ = 1, 4 do net:add(nn.Linear(300, 300)):add(nn.Tanh()) end
      local sharded = nn.FullyShardedDataParallel(net:requiresGrad())
      -- Released memory reads as zeros: all whole pages of it.
      local function isReleased(except)
        for i = 1, 7, 2 do
          if i ~= except and torch.abs(net:get(i).weight:detach():narrow(1, 10, 280)):max() > 0 then return false end
        end
        return true
      end
      local elements = 0
      for _, x in ipairs((sharded:parameters())) do elements = elements + x:nElement() end
      assert(math.abs(elements / (4 * 90300) - 0.5) < 0.001, elements)
      for i = 1, 7, 2 do assert(net:get(i).gradWeight:nElement() == 0) end
      assert(isReleased())
      local seen = {}
      for i = 2, 8, 2 do
        local forward = net:get(i).onTape
        net:get(i).onTape = function(self, input)
          seen[#seen + 1] = isReleased(i + 1)      -- all but the next linear layer, which is on its way
          return forward(self, input)
        end
      end
      local output = sharded(torch.randn(3, 300))
      assert(#seen == 4 and seen[1] and seen[4] and isReleased())
      output:sum():backward()
      assert(isReleased())
      for _, x in ipairs((sharded:parameters())) do assert(x.grad:nElement() == x:nElement() and x.grad:norm() > 0) end
    ]])
  end)

  it('shares out gradients alone with another strategy, with the bits of the whole network', function()
    run(2, [[
      local function make(list) return optim.Adam(list, { learningRate = 0.01 }) end
      local plain, own = lenet(), lenet()
      local sharded = nn.FullyShardedDataParallel(own, { strategy = 'shardGradOp' })
      local expected = train(nn.DistributedDataParallel(plain), make, 10)
      assert(torch.equal(train(sharded, make, 10), expected))
      same(sharded:gathered(), plain)
      local fresh = nn.FullyShardedDataParallel(lenet(), { strategy = 'shardGradOp' })
      fresh:loadStateDict(sharded:stateDict())
      plain:evaluate(); fresh:evaluate()
      assert(torch.equal(torch.noGrad(fresh, xs[1]), plain:forward(xs[1])))
      -- Parameters stay, their gradients and the state of the optimiser are those of the shards.
      assert(own:get(1).weight:detach():norm() > 0)
      local whole, shards = 0, 0
      for i, x in ipairs((sharded:parameters())) do
        shards = shards + x.grad:nElement()
        assert(x.grad:nElement() == x:nElement())
      end
      for _, x in ipairs((plain:parameters())) do whole = whole + x:nElement() end
      assert(shards < whole / 2 + 64 * 4, shards)
      -- One call for each part and pass gets parameters; the other strategy makes another one in the backward pass.
      local operation = require 'distributed.operation'
      local own, counts = operation.run, {}
      operation.run = function(name, ...)
        counts[name] = (counts[name] or 0) + 1
        return own(name, ...)
      end
      for _, case in ipairs { { 'shardGradOp', 4 }, { 'fullShard', 8 } } do
        local strategy, gathers = unpack(case)
        local net = nn.FullyShardedDataParallel(lenet(), { strategy = strategy })
        for i = 1, 2 do
          counts = {}
          criterion(net(xs[1]), ys[1]):backward()
          assert(counts.allGather == gathers and counts.reduceScatter == 4, strategy .. counts.allGather)
        end
      end
      local _, problem = pcall(nn.FullyShardedDataParallel, lenet(), { strategy = 'half' })
      assert(problem:find "strategy: 'half', expected one of", problem)
    ]])
  end)

  it('serves networks of any form, several passes, shared layers, and parts that a program wraps', function()
    run(2, [[
      local Net = torch.class('nn.SpecSharded', 'nn.Module')
      function Net:__init(wrap)
        nn.Module.__init(self)
        torch.manualSeed(3)
        local first, second = nn.Linear(4, 4):requiresGrad(), nn.Linear(4, 4):requiresGrad()
        self.first, self.second = wrap(first), wrap(second)
      end
      function Net:forward(a) return torch.tanh(self.first(self.first(a))) + self.second(a) end
      local function plain() return nn.SpecSharded(function(module) return module end) end
      local function row()
        torch.manualSeed(4)
        local twice = nn.Linear(4, 4)
        local both = nn.ConcatTable():add(nn.Linear(4, 4)):add(nn.Identity())
        return nn.Sequential(twice, nn.Tanh(), both, nn.CAddTable(), twice):requiresGrad()
      end
      torch.manualSeed(6 + rank)
      local x = torch.randn(3, 4)
      local function gradients(net)
        local loss = torch.pow(net(x), 2):sum() / 2 + torch.pow(net(x * 3), 2):sum()
        loss:backward(nil, { retainGraph = true })
        loss:backward()
      end
      local function ofAll(net)
        local list, met = {}, {}
        for _, p in ipairs((net:parameters())) do
          list[#list + 1] = not met[p] and p.grad:view(-1) or nil
          met[p] = true
        end
        return torch.cat(list, 1)
      end
      local function compare(one, net)
        gradients(one); gradients(net)
        local expected = dist.allReduce(ofAll(one), 'mean')
        -- by the norm, as shards are in another order
        local norm = net.clipGradNorm and net:clipGradNorm(1e9) or math.sqrt(dist.allReduce(torch.Tensor { ofAll(net):norm() ^ 2 })[1])
        assert(math.abs(norm / expected:norm() - 1) < 1e-12, norm / expected:norm())
      end
      compare(plain(), nn.FullyShardedDataParallel(plain()))
      compare(plain(), nn.SpecSharded(nn.FullyShardedDataParallel))
      compare(row(), nn.FullyShardedDataParallel(row()))
    ]])
  end)

  it('keeps its state in checkpoints of all ranks, for other numbers of them', function()
    local place = os.tmpname()
    os.remove(place)
    run(3, ([[
      local function make(list) return optim.SGD(list, { learningRate = 0.1 }) end
      local net = nn.FullyShardedDataParallel(lenet())
      train(net, make, 3)
      dist.save('%s', { net = net, whole = net:stateDict() })
      local fresh = nn.FullyShardedDataParallel(lenet())
      fresh:loadStateDict(net:stateDict())
      same(fresh, net)
    ]]):format(place))
    run(2, ([[
      local net, plain = nn.FullyShardedDataParallel(lenet()), lenet()
      dist.load('%s', { net = net, whole = plain })
      same(net:gathered(), plain)
      local other = lenet()
      dist.load('%s', { net = other })
      same(other, plain)
    ]]):format(place, place))
    require('paths').rmall(place, 'yes')
  end)

  it('clips gradients by their norm over all ranks, and refuses what it can not do', function()
    assert.error_matches(function() nn.FullyShardedDataParallel(nn.Linear(2, 2)) end, 'torch.distributed is not started')
    run(2, [[
      local net = nn.FullyShardedDataParallel(lenet())
      local function refuses(pattern, f, ...)
        local _, problem = pcall(f, ...)
        assert(type(problem) == 'string' and problem:find(pattern), tostring(problem))
      end
      torch.pow(net(xs[1]), 2):sum():backward()
      local norm = net:clipGradNorm(0.5)
      assert(norm > 0.5 and math.abs(net:clipGradNorm(1) - 0.5) < 1e-12)
      refuses("backward: by Torch7's protocol", net.backward, net, xs[1], xs[1])
      refuses('type: the network has shards', net.float, net)
      refuses('expected a new wrapper', function() net:clone()(xs[1]) end)
      local loss = torch.pow(net(xs[1]), 2):sum()
      refuses('averages have no gradient', loss.backward, loss, nil, { createGraph = true })
      loss = torch.pow(net(xs[1]), 2):sum()
      torch.noGrad(function() net:parameters()[1]:add(1) end)
      refuses('a shard was changed since the forward', loss.backward, loss)
      local tied = nn.Linear(3, 3)
      local other = nn.Linear(3, 3)
      other.weight = tied.weight
      refuses('two parts share a parameter', nn.FullyShardedDataParallel, nn.Sequential(tied, other))
      local frozen = nn.Linear(3, 3):requiresGrad()
      frozen.bias:requiresGrad(false)
      refuses('with and without a gradient', nn.FullyShardedDataParallel, nn.Sequential(frozen))
    ]])
  end)
end)
