-- optim.ZeroRedundancyOptimizer on real processes: against the whole optimiser in each of them, bit for bit.
local optim = require 'optim'
local ranks = require 'spec.support.ranks'

-- Variables of all programs: `pair(class, config)` returns two equal lists of parameters with an optimiser for each, a whole one and a
-- shared one; `train` makes steps of both on random gradients, the same on all ranks, and compares the bits.
local common = [[
  local nn, optim = require 'nn', require 'optim'
  local sizes = { { 70, 50 }, { 3 }, { 1 }, { 40, 60 }, { 5000 }, { 8, 8 } }
  local function lists(typename)
    torch.manualSeed(4)
    local one, other = {}, {}
    for i, size in ipairs(sizes) do
      one[i] = torch.randn(unpack(size)):type(typename or 'torch.DoubleTensor')
      other[i] = one[i]:clone():requiresGrad()
      one[i]:requiresGrad()
    end
    return one, other
  end
  local function same(a, b)
    for i, x in ipairs(a) do assert(torch.equal(x:detach(), b[i]:detach()), 'parameter ' .. i) end
  end
  local function train(one, other, whole, shared, count)
    for t = 1, count do
      whole:zeroGrad(); shared:zeroGrad()
      for i, x in ipairs(one) do
        if i ~= 3 or t > 1 then
          x.grad = torch.randn(x:size()):typeAs(x)
          other[i].grad = x.grad:clone()
        end
      end
      whole:step(); shared:step()
      same(one, other)
    end
  end
  local function bytes(value)
    if torch.isTensor(value) then return value:nElement() * value:elementSize() end
    local sum = 0
    for _, part in pairs(type(value) == 'table' and value or {}) do sum = sum + bytes(part) end
    return sum
  end
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

describe('optim.ZeroRedundancyOptimizer', function()
  for _, n in ipairs { 2, 3 } do
    it(('steps as the whole optimiser of each class, to the last bit, with %d ranks'):format(n), function()
      run(n, [[
        local configs = { SGD = { momentum = 0.9 }, Adam = { weightDecay = 0.1, amsgrad = true }, RMSprop = { momentum = 0.5 } }
        local names = 'SGD Adam AdamW Adamax Adagrad Adadelta Lion RMSprop Rprop ASGD NAdam RAdam LAMB LARS Adafactor Shampoo'
        for _, typename in ipairs { 'torch.DoubleTensor', 'torch.FloatTensor' } do
          for name in names:gmatch '%S+' do
            local config = configs[name] or {}
            local one, other = lists(typename)
            local shared = optim.ZeroRedundancyOptimizer(other, optim[name], config, { bucketBytes = 5000 })
            local done, problem = pcall(train, one, other, optim[name](one, config), shared, 4)
            assert(done, name .. ': ' .. tostring(problem))
          end
        end
      ]])
    end)
  end

  it('keeps 1 / n of the state on each rank', function()
    run(4, [[
      local one, other = lists()
      local whole, shared = optim.Adam(one), optim.ZeroRedundancyOptimizer(other, optim.Adam)
      train(one, other, whole, shared, 2)
      local share = bytes(shared.optimizer.state) / bytes(whole.state)
      assert(share > 0.2 and share < 0.3, share)
      assert(math.abs(dist.allReduce(torch.Tensor { share })[1] - 1) < 1e-12)
    ]])
  end)

  it('has groups, options and schedules, parameters in 16 bits with masters, and a closure', function()
    run(3, [[
      local function grouped(list)
        return { { parameters = { list[1], list[2], list[3] }, learningRate = 0.5 }, { parameters = { list[4], list[5] } } }
      end
      local config = { learningRate = 0.01, momentum = 0.9 }
      local one, other = lists()
      local whole, shared = optim.SGD(grouped(one), config), optim.ZeroRedundancyOptimizer(grouped(other), optim.SGD, config)
      local both = { optim.schedule.step(whole, { stepSize = 2, gamma = 0.1 }), optim.schedule.step(shared, { stepSize = 2, gamma = 0.1 }) }
      for _ = 1, 3 do
        train(one, other, whole, shared, 2)
        for _, schedule in ipairs(both) do schedule:step() end
      end
      assert(shared:option 'learningRate' == whole:option 'learningRate' and whole:option 'learningRate' < 0.5)
      whole:addGroup { parameters = { one[6] }, momentum = 0 }
      shared:addGroup { parameters = { other[6] }, momentum = 0 }
      shared:setOption('learningRate', 0.25)
      whole:setOption('learningRate', 0.25)
      train(one, other, whole, shared, 2)
      assert(#shared.parameters == 6 and #shared.groups == 3)
      local text = require 'spec.trainer.setups'.text
      assert(text(shared:stateDict()) == text(whole:stateDict()))
      for i, group in ipairs(shared:shardedStateDict().groups) do
        assert(text(group.parameters) == text(whole:stateDict().groups[i].parameters))
      end

      local one, other = lists 'torch.BFloat16Tensor'
      local config = { masterWeights = true }
      train(one, other, optim.Adam(one, config), optim.ZeroRedundancyOptimizer(other, optim.Adam, config), 5)

      local x = torch.Tensor { 3 }:requiresGrad()
      local steps = optim.ZeroRedundancyOptimizer({ x }, optim.SGD, { learningRate = 0.25 })
      local loss = steps:step(function()
        steps:zeroGrad()
        local loss = torch.pow(x, 2):sum()
        loss:backward()
        return loss
      end)
      assert(loss:item() == 9 and x:item() == 1.5)
    ]])
  end)

  it('continues from its state on another number of ranks, and so does the whole optimiser', function()
    run(3, [[
      local pair = dist.newGroup { 0, 1 }
      local one, other = lists()
      local config = { learningRate = 0.1 }
      local whole, shared = optim.Adam(one, config), optim.ZeroRedundancyOptimizer(other, optim.Adam, config)
      train(one, other, whole, shared, 3)
      local state = shared:stateDict()
      local setups = require 'spec.trainer.setups'
      assert(setups.text(state) == setups.text(whole:stateDict()))
      local onSecond = shared:stateDict(1)
      assert((onSecond ~= nil) == (rank == 1) and (rank ~= 1 or setups.text(onSecond) == setups.text(state)))
      local fresh = optim.Adam(one)
      fresh:loadStateDict(state)
      shared:loadStateDict(whole:stateDict())
      train(one, other, fresh, shared, 2)
      shared:loadShardedStateDict(shared:shardedStateDict())
      train(one, other, fresh, shared, 2)
      if rank < 2 then
        local third = lists()
        for i, x in ipairs(third) do torch.noGrad(function() x:copy(one[i]) end) end
        local smaller = optim.ZeroRedundancyOptimizer(third, optim.Adam, {}, { group = pair })
        smaller:loadStateDict(fresh:stateDict())
        train(one, third, fresh, smaller, 2)
      end
    ]])
  end)

  it('works with nn.DistributedDataParallel, after getParameters, and with a trainer', function()
    run(2, [[
      local Trainer, setups = require 'trainer', require 'spec.trainer.setups'
      local function train(isShared, folder)
        torch.manualSeed(5)
        local net = nn.Sequential(nn.Linear(2, 700), nn.Tanh(), nn.Linear(700, 2), nn.LogSoftMax()):requiresGrad()
        local config = { learningRate = 0.01 }
        local list = net:parameters()
        local steps = isShared and optim.ZeroRedundancyOptimizer(list, optim.Adam, config) or optim.Adam(list, config)
        net:getParameters()
        local trainer = Trainer { model = net, criterion = nn.ClassNLLCriterion(), data = setups.loader(), epochs = 3, optimizer = steps,
          distributed = true, checkpoints = folder }
        if folder then trainer:resume() else trainer:run() end
        return setups.hash(net)
      end
      local expected = train(false)
      assert(train(true) == expected)
      local folder = dist.broadcastObject(os.tmpname())
      os.remove(folder)
      dist.barrier()
      assert(train(true, folder) == expected)
      assert(train(false, folder) == expected)      -- from its last checkpoint
      if rank == 0 then require('paths').rmall(folder, 'yes') end
    ]])
  end)

  it('checks its arguments', function()
    local class = optim.ZeroRedundancyOptimizer
    assert.error_matches(function() class({}, optim.Adam) end, 'optim.ZeroRedundancyOptimizer: torch.distributed is not started')
    run(2, [[
      local class, x = optim.ZeroRedundancyOptimizer, torch.ones(3):requiresGrad()
      local function problem(...) return select(2, pcall(class, ...)) end
      assert(problem({ x }, optim.LBFGS):find 'class: expected optim.Adam', problem({ x }, optim.LBFGS))
      assert(problem({ x }, optim.adam):find 'class: expected optim.Adam')
      assert(problem({ x }, optim.Adam, { rate = 1 }):find 'optim.Adam: config: .*rate')
      assert(problem({ x }, optim.Adam, {}, { size = 1 }):find 'optim.ZeroRedundancyOptimizer: .*size')
      local steps = class({ x }, optim.Adam)
      assert(select(2, pcall(steps.loadStateDict, steps, { class = 'optim.SGD', groups = { { parameters = { 1 } } }, state = {} })):find
        'of optim.SGD, expected one of optim.Adam')
      assert(select(2, pcall(steps.loadStateDict, steps, { class = 'optim.Adam', groups = { { parameters = { 1, 2 } } }, state = {} })):find
        'group 1: 2 parameters, expected 1')
      assert(select(2, pcall(steps.addGroup, steps, { parameters = { x } })):find 'number 1 is in another group')
    ]])
  end)
end)
