-- nn.PipelineParallel on real processes: against one process, its schedules, and failures of a stage.
local ranks = require 'spec.support.ranks'
local schedules = require 'nn.support.pipeline_schedule'

local common = [[
  local nn, optim = require 'nn', require 'optim'
  local function close(a, b, bound, what)
    local difference = (a:detach():double() - b:detach():double()):abs():max()
    assert(difference <= (bound or 1e-12), (what or '') .. ' ' .. difference)
  end
  local function refused(expected, f, ...)
    local done, problem = pcall(f, ...)
    assert(not done and problem:find(expected, 1, true), tostring(problem))
  end
  local function mlp()
    torch.manualSeed(1)
    return nn.Sequential(nn.Linear(4, 9), nn.Tanh(), nn.Linear(9, 7), nn.Sigmoid(), nn.Linear(7, 5), nn.LogSoftMax())
  end
  torch.manualSeed(7)
  local x, target = torch.randn(10, 4), torch.LongTensor(10):random(1, 5)
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

-- Runs the schedules of all stages in a simulation with one unit of time for each pass. Returns the time, and the most micro-batches that
-- each stage keeps.
local function simulated(kind, stages, count)
  local queues, ended, free, most, kept = {}, {}, {}, {}, {}
  for s = 1, stages do
    queues[s], free[s], most[s], kept[s] = schedules[kind](s, stages, count), 0, 0, 0
    ended[s] = { forward = {}, backward = {} }
  end
  local left = 2 * stages * count
  while left > 0 do
    local moved = false
    for s = 1, stages do
      local action = queues[s][1]
      if action then
        local ready
        if action.kind == 'forward' then
          ready = s == 1 and 0 or ended[s - 1].forward[action.batch]
        elseif ended[s].forward[action.batch] then
          ready = s == stages and 0 or ended[s + 1].backward[action.batch]
        end
        if ready then
          free[s] = math.max(free[s], ready) + 1
          ended[s][action.kind][action.batch] = free[s]
          kept[s] = kept[s] + (action.kind == 'forward' and 1 or -1)
          most[s] = math.max(most[s], kept[s])
          table.remove(queues[s], 1)
          moved, left = true, left - 1
        end
      end
    end
    assert.is_true(moved, 'the stages wait for each other')
  end
  return math.max(unpack(free)), most
end

describe('schedules of pipelines', function()
  it('end, with the bubble of the formula, and keep what they say', function()
    for stages = 1, 5 do
      for count = 1, 9 do
        local most1F1B = function(s) return math.min(stages - s + 1, count) end
        for kind, keeps in pairs { GPipe = function() return count end, ['1F1B'] = most1F1B } do
          local time, most = simulated(kind, stages, count)
          assert.equal(2 * (count + stages - 1), time)
          for s = 1, stages do assert.equal(keeps(s), most[s]) end
        end
      end
    end
  end)

  it('divide a row so that the heaviest stage is light', function()
    assert.same({ 2, 1, 1 }, schedules.divide({ 1, 2, 4, 3 }, 3))
    assert.same({ 1, 1 }, schedules.divide({ 5, 1 }, 2))
    assert.same({ 3, 2 }, schedules.divide({ 1, 1, 1, 2, 2 }, 2))
    -- against all divisions
    local random = { 7, 3, 9, 1, 4, 4, 8, 2 }
    local function best(from, stages)
      local sum, least = 0, math.huge
      for i = from, #random do
        sum = sum + random[i]
        local rest = stages > 1 and i < #random and best(i + 1, stages - 1) or math.huge
        least = stages == 1 and sum or math.min(least, math.max(sum, rest))
      end
      return least
    end
    for stages = 1, 8 do
      local at, largest = 0, 0
      for _, size in ipairs(schedules.divide(random, stages)) do
        assert.is_true(size >= 1)
        local sum = 0
        for i = at + 1, at + size do sum = sum + random[i] end
        at, largest = at + size, math.max(largest, sum)
      end
      assert.equal(8, at)
      assert.equal(best(1, stages), largest)
    end
  end)
end)

describe('nn.PipelineParallel', function()
  for _, n in ipairs { 1, 2, 3 } do
    it(('has the loss, gradients and steps of one process, with %d stages'):format(n), function()
      run(n, [[
        for _, case in ipairs { { '1F1B', 5, true }, { 'GPipe', 4, true }, { '1F1B', 1, false }, { '1F1B', 10, false } } do
          local schedule, count, isMean = unpack(case)
          local one, criterion = mlp(), nn.ClassNLLCriterion(nil, isMean)
          torch.manualSeed(1 + rank)
          local net = nn.PipelineParallel(n == 1 and { mlp } or mlp(), { microBatches = count, schedule = schedule, criterion = criterion })
          local function sgd(model) return optim.SGD(model:requiresGrad():parameters(), { learningRate = 0.1, momentum = 0.5 }) end
          local steps, own = sgd(one), sgd(net)
          for _ = 1, 3 do
            steps:zeroGrad()
            own:zeroGrad()
            local expected = criterion(one(x), target)
            expected:backward()
            local loss = net:step(rank == 0 and x or nil, rank == n - 1 and target or nil)
            assert(math.abs(loss - expected:item()) < 1e-12)
            local norm = net:clipGradNorm(0.3)
            local square = 0
            for _, p in ipairs((one:parameters())) do square = square + p.grad:norm() ^ 2 end
            assert(math.abs(norm - math.sqrt(square)) < 1e-12)
            if norm > 0.3 then for _, p in ipairs((one:parameters())) do p.grad:mul(0.3 / norm) end end
            steps:step()
            own:step()
          end
          local kept = net:statistics().kept
          assert(kept == (schedule == 'GPipe' and count or math.min(count, n - rank)), kept)
          local whole = net:gathered()
          assert((whole ~= nil) == (rank == 0))
          if whole then for i, p in ipairs((whole:parameters())) do close(p, (one:parameters())[i], 1e-12) end end
          close(net(x), one(x))
        end
      ]])
    end)
  end

  it('makes only its own stage, and sends lists of tensors of several types', function()
    run(2, [[
      local First = torch.class('PipelineFirst', 'nn.Module')
      function First:__init() self.map = nn.Linear(4, 3) end
      function First:forward(a) return { self.map(a), torch.gt(torch.select(a, 2, 1), 0):long(), torch.mul(a, 2) } end
      local Last = torch.class('PipelineLast', 'nn.Module')
      function Last:__init() self.map = nn.Linear(3, 5) end
      function Last:forward(list)
        local y = torch.mul(self.map(list[1]), 1)
        return torch.add(y, torch.cmul(list[2]:typeAs(y):view(-1, 1):expandAs(y), y))
      end
      local made = 0
      local function maker(class)
        return function()
          made = made + 1
          torch.manualSeed(4)
          return class()
        end
      end
      local criterion = nn.CrossEntropyCriterion()
      local net = nn.PipelineParallel({ maker(First), maker(Last) }, { microBatches = 3, criterion = criterion }):requiresGrad()
      assert(made == 1 and torch.type(net:get(1)) == (rank == 0 and 'PipelineFirst' or 'PipelineLast'))
      local loss = net:step(x, target)
      local first, last = maker(First)():requiresGrad(), maker(Last)():requiresGrad()
      local expected = criterion(last(first(x)), target)
      expected:backward()
      assert(math.abs(loss - expected:item()) < 1e-12)
      close(net:get(1).map.weight.grad, (rank == 0 and first or last).map.weight.grad)
      close(net:get(1).map.bias.grad, (rank == 0 and first or last).map.bias.grad)
      close(net:forward(x), last(first(x)))
    ]])
  end)

  it('raises the error of one stage on all ranks, and goes on', function()
    run(3, [[
      local broken
      local Faulty = torch.class('PipelineFaulty', 'nn.Module')
      function Faulty.__init() end
      local fault = require('autograd').Function {
        forward = function(_, a)
          if broken == 'forward' then error('out of order', 0) end
          return a * 2
        end,
        backward = function(_, g)
          if broken == 'backward' then error('out of luck', 0) end
          return g * 2
        end }
      function Faulty.forward(_, a) return fault(a) end
      for _, schedule in ipairs { '1F1B', 'GPipe' } do
        for place = 1, 3 do
          local stages = { nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 5) }
          stages[place] = nn.Sequential(stages[place], Faulty())
          local net = nn.PipelineParallel(stages, { microBatches = 5, schedule = schedule, criterion = nn.CrossEntropyCriterion() })
          net:requiresGrad()
          broken = 'forward'
          refused(('nn.PipelineParallel: rank %d: '):format(place - 1), net.step, net, x, target)
          refused('out of order', net.step, net, x, target)
          refused('out of order', net.forward, net, x)
          broken = 'backward'
          refused('out of luck', net.step, net, x, target)
          broken = nil
          assert(net:step(x, target) > 0 and net:forward(x):size(2) == 5)
        end
      end
      local net = nn.PipelineParallel(mlp(), { microBatches = 5, criterion = nn.ClassNLLCriterion() }):requiresGrad()
      refused('input: 3 examples, expected 5 or more, one for each micro-batch', net.step, net, x:narrow(1, 1, 3), target)
      refused('input: nil, expected a tensor', net.step, net, nil, target)
      refused('target: nil, expected a tensor', net.step, net, x)
      refused('rank 0', net.step, net, torch.randn(10, 7), target)
      assert(net:step(x, target) > 0)
    ]])
  end)

  it('trains copies of a pipeline on a grid of ranks', function()
    run(4, [[
      local rows, columns = {}, {}
      for i = 0, 1 do
        rows[i] = dist.newGroup { 2 * i, 2 * i + 1 }
        columns[i] = dist.newGroup { i, i + 2 }
      end
      local row, column = math.floor(rank / 2), rank % 2
      local function stage(from, to, place)
        return function()
          local net = nn.Sequential()
          for i = from, to do net:add(mlp():get(i)) end
          return nn.DistributedDataParallel(net, { group = columns[place] })
        end
      end
      local net = nn.PipelineParallel({ stage(1, 2, 0), stage(3, 6, 1) }, { microBatches = 2, criterion = nn.ClassNLLCriterion(),
        group = rows[row] }):requiresGrad()
      local one = mlp():requiresGrad()
      nn.ClassNLLCriterion()(one(x), target):backward()
      net:step(x:narrow(1, 5 * row + 1, 5), target:narrow(1, 5 * row + 1, 5))
      local all = one:parameters()
      for i, p in ipairs((net:parameters())) do close(p.grad, all[i + 2 * column].grad) end
    ]])
  end)

  it('checks arguments', function()
    run(2, [[
      refused('nn.PipelineParallel: schedule:', nn.PipelineParallel, mlp(), { schedule = '2F2B' })
      refused('microBatches: 0, expected', nn.PipelineParallel, mlp(), { microBatches = 0 })
      refused('an nn.Sequential of 1 modules, expected 2 or more', nn.PipelineParallel, nn.Sequential(nn.Tanh()))
      refused('stages: a list of 1, expected an nn.Sequential, or a list of 2', nn.PipelineParallel, { nn.Tanh() })
      refused('rank 1: ', nn.PipelineParallel, { nn.Tanh(), 3 })
      refused('rank 1: no memory', nn.PipelineParallel, { nn.Tanh(), function() error('no memory', 0) end })
      refused('options: ', nn.PipelineParallel, mlp(), { microBatches = 2 + rank })
      local net = nn.PipelineParallel(mlp())
      refused('step: no criterion, expected the option criterion', net.step, net, x, target)
      refused('backward: expected step', net.backward, net, x, x)
      refused('statistics: nothing has run', net.statistics, net)
      assert(tostring(net):find('nn.PipelineParallel(2 stages, 2 micro-batches, 1F1B) @ nn.Sequential', 1, true))
    ]])
  end)
end)
