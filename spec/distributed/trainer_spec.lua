-- The trainer's option `distributed` on real processes: against a trainer in one process, and after failures.
local files, program = require 'spec.support.files', require 'spec.support.program'
local ranks, shell = require 'spec.support.ranks', require 'spec.support.shell'
local paths = require 'paths'

-- Variables of all programs. A training in one process and one on all ranks have the same options but `distributed`.
local common = [[
  local nn, optim, data, Trainer, tnt = require 'nn', require 'optim', require 'data', require 'trainer', require 'torchnet'
  local setups = require 'spec.trainer.setups'
  local function close(a, b, bound)
    if type(a) == 'number' then a, b = torch.Tensor { a }, torch.Tensor { b } end
    local difference = (a - b):abs():max()
    assert(difference <= (bound or 1e-10), difference)
  end
  local function net()
    torch.manualSeed(1)
    return nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2), nn.LogSoftMax())
  end
  local function optionsOf(more)
    local model = net()
    local options = {
      model = model, criterion = nn.ClassNLLCriterion(), epochs = 3, data = setups.loader(), validation = setups.loader { seed = 9 },
      optimizer = optim.Adam(model:requiresGrad():parameters(), { learningRate = 0.05 }),
      meters = { error = tnt.ClassErrorMeter(), confidence = function(output) return output:max(2):exp():mean() end },
    }
    if more.config then
      model:requiresGrad(false)
      options.optimizer = more.optimizer
    end
    for name, value in pairs(more) do options[name] = value end
    return options, model
  end
  local function zero(model) return optim.ZeroRedundancyOptimizer(model:parameters(), optim.Adam, { learningRate = 0.05 }) end
  local function average(list) return optim.EMA(list, { decay = 0.8 }) end
  -- Checks that a training of all ranks is that of one process. `more` returns options.
  local function compare(more, bound)
    local options, one = optionsOf(more())
    local alone = Trainer(options)
    torch.manualSeed(3)
    local expected = alone:run()
    options = optionsOf(more())
    options.distributed = true
    torch.manualSeed(3 + rank)
    local together = Trainer(options)
    local result = together:run()
    assert(expected.steps == result.steps and expected.reason == result.reason)
    for epoch, row in ipairs(alone.history) do
      local count = 0
      for name, value in pairs(row) do
        if type(value) == 'number' then close(together.history[epoch][name], value, bound) end
        count = count + 1
      end
      assert(count >= 5)
    end
    local own = options.model
    for i, p in ipairs((own:parameters())) do close(p:detach(), one:parameters()[i]:detach(), bound) end
    local bits = dist.allGatherObject(setups.hash(own))
    for i = 2, n do assert(bits[i] == bits[1]) end
  end
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

local function folder()
  local name = os.tmpname()
  os.remove(name)
  return name
end

describe('Trainer with distributed = true', function()
  -- 20 samples in batches of 6: the last one has 2, of which the third rank may have none.
  for _, n in ipairs { 2, 3 } do
    it(('trains and measures as one process, with %d ranks'):format(n), function()
      run(n, [[
        compare(function() return {} end)
        compare(function() return { data = setups.loader { workers = 1 }, accumulate = 2 } end)
        compare(function() return { optimizer = optim.sgd, config = { learningRate = 0.1, momentum = 0.9 }, accumulate = 3 } end)
      ]])
    end)
  end

  it('shares lists, functions and streams, and optimisers with a search', function()
    run(3, [[
      local set = setups.set()
      local function batches()
        local list = {}
        for k = 1, 5 do
          local which = torch.randperm(20):narrow(1, 1, k == 5 and 1 or 4):long()
          local batch = set:getBatch(which)
          list[k] = { batch.input, batch.target }
        end
        return list
      end
      torch.manualSeed(2)
      local list = batches()
      compare(function() return { data = list, validation = list } end)
      local function drawn()
        local k, present = 0, batches()
        return function()
          k = k + 1
          return present[k]
        end
      end
      compare(function() return { data = drawn } end)
      compare(function() return { data = data.DataLoader(data.Stream(function()
        local k = 0
        return function()
          k = k + 1
          return k <= 7 and set:get(k) or nil
        end
      end), { batchSize = 3 }) } end)
      compare(function()
        return { optimizer = optim.lbfgs, config = { maxIter = 3, lineSearch = optim.lswolfe }, data = list }
      end, 1e-6)      -- its searches enlarge the differences
    ]])
  end)

  it('trains on the share of a DistributedSampler', function()
    run(2, [[
      local sampler = data.DistributedSampler(20, { rank = rank + 1, replicas = n })
      local options = optionsOf { data = data.DataLoader(setups.set(), { batchSize = 5, sampler = sampler }), distributed = true }
      local seen = 0
      local trainer = Trainer(options)
      trainer:on('batch', function(t) seen = seen + t.input:size(1) end)
      assert(trainer:run().steps == 6 and seen == 30)
    ]])
  end)

  it('shares out the state of an optimiser, whose checkpoints continue with another one', function()
    local place = folder()
    run(2, ([[
      local function trained(isShared, more)
        local options, model = optionsOf { distributed = true, average = average }
        if isShared then options.optimizer = zero(model) end
        for name, value in pairs(more) do options[name] = value end
        return Trainer(options), model
      end
      local whole, expected = trained(false, {})
      whole:run()
      local shared, model = trained(true, { checkpoints = { folder = '%s', best = false } })
      shared:run()
      local a, b = shared.optimizer:stateDict(), whole.optimizer:stateDict()
      for i, x in ipairs(shared.average:stateDict().averages) do close(x, whole.average:stateDict().averages[i], 0) end
      for i, p in ipairs(model:parameters()) do
        close(p:detach(), expected:parameters()[i]:detach(), 0)
        close(a.state[i].m, b.state[i].m, 0)
      end
      for _, isShared in ipairs { true, false } do      -- two more epochs, with the state shared out and whole
        local again, continued = trained(isShared, { epochs = 5, checkpoints = isShared and '%s' or nil })
        if isShared then again:resume() else again:run() end
        if isShared then expected = continued else
          for i, p in ipairs(continued:parameters()) do close(p:detach(), expected:parameters()[i]:detach(), 0) end
        end
      end
    ]]):format(place, place))
    -- Each rank's file has its part of the state: Adam's two numbers for each of 21 parameters.
    local last = require('trainer.checkpoints').new('', { folder = place }):find()
    for rank = 0, 1 do assert.is_true(#files.read(('%s/data-1/shard-%05d'):format(last, rank)) >= 2 * 21 * 8) end
    -- Other numbers of ranks, with the state shared out and whole, make the same steps to rounding.
    for _, n in ipairs { 1, 3 } do
      run(n, ([[
        local losses = {}
        for i, isShared in ipairs { true, false } do
          local options, model = optionsOf { epochs = 7, checkpoints = '%s', distributed = isShared or n > 1, average = average }
          if isShared then options.optimizer = zero(model) end
          local trainer = Trainer(options)
          trainer:load()
          assert(trainer.step == 20 and trainer.average.count == 20)
          trainer._checkpoints = nil
          assert(trainer:run().steps == 28)
          losses[i] = trainer.values.loss
          close(losses[i], losses[1], 1e-12)
          local kept = setups.hash(model)
          -- The state of another optimiser is refused, and nothing changes.
          if isShared then
            local other = optionsOf { epochs = 7, checkpoints = '%s', distributed = true, average = average }
            other.optimizer = optim.ZeroRedundancyOptimizer(other.model:parameters(), optim.SGD, { learningRate = 0.05 })
            local before = setups.hash(other.model)
            local wrong = Trainer(other)
            local done, problem = pcall(wrong.load, wrong)
            assert(not done and problem:find 'of optim.Adam, expected one of optim.SGD', problem)
            assert(setups.hash(other.model) == before and setups.hash(model) == kept)
          end
        end
      ]]):format(place, place))
    end
    paths.rmall(place, 'yes')
  end)

  it('stops on all ranks if a hook of one stops it, and logs on the first alone', function()
    local place = folder()
    run(2, ([[
      local logged = 0
      local log = { add = function() logged = logged + 1 end }
      local options = optionsOf { distributed = true, logs = log, stepLogs = log, checkpoints = '%s' }
      local trainer = Trainer(options)
      trainer:on('step', function(t) if rank == 1 and t.step == 6 then t:stop 'enough' end end)
      local result = trainer:run()
      assert(result.reason == 'enough' and result.steps == 6)
      assert(logged == (rank == 0 and 7 or 0), logged)
      local again = Trainer(optionsOf { distributed = true, checkpoints = '%s' })
      assert(select(2, pcall(again.run, again)):find 'has checkpoints of an earlier run')
      assert(again:resume().steps == 12)
    ]]):format(place, place))
    paths.rmall(place, 'yes')
  end)

  it('names the module that makes a NaN on one rank', function()
    run(2, [[
      local list = { { torch.Tensor { { 1, 1 }, { -1, 1 } }, torch.LongTensor { 1, 2 } } }
      local model = nn.Sequential(nn.Linear(2, 2), nn.Log(), nn.Linear(2, 2), nn.LogSoftMax())
      model:get(1).weight:copy(torch.eye(2))
      model:get(1).bias:zero()
      local options = optionsOf { model = model, data = list, validation = list, distributed = true, checkNaN = true,
        optimizer = optim.SGD(model:requiresGrad():parameters(), { learningRate = 0.1 }) }
      local trainer = Trainer(options)
      local _, problem = pcall(trainer.run, trainer)
      assert(problem:find 'checkNaN: step 1, batch 1 of epoch 1: ', problem)
      assert((problem:find 'nn.Log' ~= nil) == (rank == 1), problem)
      dist.barrier()
    ]])
  end)

  it('checks its option', function()
    run(1, [[
      local function problem(given, model)
        local options = optionsOf { distributed = given }
        options.model = model or options.model
        return select(2, pcall(Trainer, options))
      end
      assert(problem { groups = 1 }:find 'Trainer: distributed: .*groups')
      assert(problem(true, function() end):find 'Trainer: distributed: model: .*expected a module')
      assert(problem(true, nn.DistributedDataParallel(net())):find 'expected the network inside')
      assert(optionsOf {} and Trainer(optionsOf { distributed = { gradientCompression = 'half' } }):run().steps == 12)
    ]])
    local Trainer, nn, optim = require 'trainer', require 'nn', require 'optim'
    local model = nn.Linear(1, 1)
    assert.error_matches(function()
      Trainer {
        model = model, criterion = nn.MSECriterion(), optimizer = optim.SGD(model:requiresGrad():parameters()), epochs = 1,
        data = { { model.weight, model.weight } }, distributed = true,
      }
    end, 'Trainer: distributed: torch.distributed is not started, expected a call of torch.distributed.init before')
  end)
end)

-- A training with dropout, batch normalisation and random input, whose rank arg[2] kills itself at steps in a hook; a kill a start.
local killed = [[
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local Trainer, setups, dist = require 'trainer', require 'spec.trainer.setups', require('torch.distributed').init { timeout = 60 }
require('ffi').cdef 'int raise(int);'
local folder, kills = arg[1], {}
for rank, step in (arg[2] or ''):gmatch '(%d+):(%d+)' do kills[#kills + 1] = { tonumber(rank), tonumber(step) } end
local net, isPlain = setups.net(), arg[3] == 'plain'
if isPlain then net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2), nn.LogSoftMax()) end
local function noisy(batch) return batch.input + torch.rand(batch.input:size()) * 0.1, batch.target end
local trainer = Trainer {
  model = net, criterion = nn.ClassNLLCriterion(), epochs = 4, data = setups.loader { workers = 1 },
  validation = setups.loader { seed = 8 },
  optimizer = optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.01 }), accumulate = 2, memory = { drawn = 0 },
  prepare = not isPlain and noisy or nil,
  checkpoints = { folder = folder, every = 1, keep = 2 }, stepLogs = Trainer.CSVLogger(folder .. '/steps.csv'), distributed = true,
}
torch.manualSeed(dist.rank() + 1)
trainer:on('step', function(t)
  t.memory.drawn = t.memory.drawn + math.random()
  local kill = kills[dist.restarts() + 1]
  if kill and t.step == kill[2] and dist.rank() == kill[1] then require('ffi').C.raise(9) end
end)
local result = trainer:resume()
if dist.rank() == 0 then
  local figures = { result.steps, setups.hash(net), setups.text(trainer.history), trainer.memory.drawn }
  if isPlain then figures = {} end
  for _, row in ipairs(isPlain and trainer.history or {}) do
    for _, name in ipairs { 'loss', 'validation.loss', 'step' } do figures[#figures + 1] = ('%.9f'):format(row[name]) end
  end
  print('result ' .. table.concat(figures, ' '))
end
]]

describe('A distributed training whose ranks are killed', function()
  local script = program.script(killed)

  local function launch(options, place, ...)
    ranks.need()
    local command = 'MT_PRESET=%s %s bin/th-launch %s %s %s %s 2>&1'
    local output, status = shell(command:format(os.getenv 'MT_PRESET' or 'release', ranks.environment, options, script, place,
      table.concat({ ... }, ' ')))
    assert.equal(0, status, output)
    return output:match '%[0%] (result[^\r\n]*)', files.read(place .. '/steps.csv'), output
  end

  it('continues under th-launch --restart with the same bits', function()
    local whole, broken = folder(), folder()
    local expected, log = launch('-n 2 --seed 1', whole)
    local result, ownLog, output = launch('-n 2 --seed 1 --restart 3', broken, '1:4,0:6,1:7')
    assert.equal(3, select(2, output:gsub('starts again', '')))
    assert.equal(expected, result)
    assert.equal(log, ownLog)
    paths.rmall(whole, 'yes')
    paths.rmall(broken, 'yes')
  end)

  -- With accumulation of 2 of 4 batches an epoch has 2 steps: the last checkpoint before step 6 ends is in the middle of one.
  it('continues with another number of processes, in the middle of an epoch, with the measures of one', function()
    local expected
    for _, counts in ipairs { { 1, 1 }, { 3, 2 }, { 2, 3 } } do
      local place = folder()
      local options = ('-n %d --restart 1 --restart-ranks %d'):format(counts[1], counts[2])
      local result = launch(options, place, counts[1] == 1 and '-' or '0:6', 'plain')
      expected = expected or result
      assert.equal(expected, result)
      paths.rmall(place, 'yes')
    end
  end)
end)
