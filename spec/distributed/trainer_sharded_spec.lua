-- The trainer with nn.FullyShardedDataParallel on real processes: against a trainer in one process, and after failures.
local ranks, program, shell = require 'spec.support.ranks', require 'spec.support.program', require 'spec.support.shell'
local paths = require 'paths'

-- Variables of all programs.
local common = [[
  local nn, optim, data, Trainer = require 'nn', require 'optim', require 'data', require 'trainer'
  local setups = require 'spec.trainer.setups'
  local function close(a, b, bound)
    if type(a) == 'number' then a, b = torch.Tensor { a }, torch.Tensor { b } end
    local difference = (a - b):abs():max()
    assert(difference <= (bound or 1e-10), difference)
  end
  local function net()
    torch.manualSeed(1)
    return nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2), nn.LogSoftMax()):requiresGrad()
  end
  local function adam(list) return optim.Adam(list, { learningRate = 0.05 }) end
  local function average(list) return optim.EMA(list, { decay = 0.8 }) end
  -- 20 samples in batches of 6: the last one has 2, of which the third rank may have none.
  local function trainerOf(model, more)
    local options = {
      model = model, criterion = nn.ClassNLLCriterion(), epochs = 3, data = setups.loader(), validation = setups.loader { seed = 9 },
      optimizer = adam(model:parameters()), meters = { confidence = function(output) return output:max(2):exp():mean() end },
      average = average,
    }
    for name, value in pairs(more or {}) do options[name] = value end
    return Trainer(options)
  end
  local function shardedOf(more, options)
    local t = { distributed = true, average = average }
    for name, value in pairs(more or {}) do t[name] = value end
    return trainerOf(nn.FullyShardedDataParallel(net(), options), t)
  end
  local function same(a, b, bound)
    for i, p in ipairs((a:parameters())) do close(p:detach():double(), b:parameters()[i]:detach():double(), bound) end
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

describe('Trainer with a sharded network', function()
  for _, n in ipairs { 2, 3 } do
    it(('trains and measures as one process, with %d ranks'):format(n), function()
      run(n, [[
        local function compare(strategy, more, bound)
          local one = net()
          local alone = trainerOf(one, more())
          torch.manualSeed(3)
          local expected = alone:run()
          torch.manualSeed(3 + rank)
          local together = shardedOf(more(), { strategy = strategy })
          local result = together:run()
          assert(expected.steps == result.steps and expected.reason == result.reason)
          for epoch, row in ipairs(alone.history) do
            for name, value in pairs(row) do close(together.history[epoch][name], value, bound) end
          end
          local own = together.model:gathered()
          same(own, one, bound)
          local bits = dist.allGatherObject(setups.hash(own))
          for i = 2, n do assert(bits[i] == bits[1]) end
        end
        compare('fullShard', function() end)
        -- optim.clipGradNorm divides by the norm + 1e-6, as PyTorch's does.
        compare('shardGradOp', function() return { clipGradNorm = 0.1, accumulate = 2, patience = 1, goal = 'max', epochs = 5 } end, 1e-6)
        compare('fullShard', function() return { data = setups.loader { workers = 1 } } end)
      ]])
    end)
  end

  it('shares out parameters, gradients and the state of an optimiser by options', function()
    run(2, [[
      local function made(more)
        local model = net():requiresGrad(false)
        local t = { optimizer = optim.Adam, config = { learningRate = 0.05 }, scheduleEvery = 'step',
          schedule = function(optimizer) return optim.schedule.exponential(optimizer, { gamma = 0.9 }) end }
        for name, value in pairs(more or {}) do t[name] = value end
        return trainerOf(model, t), model
      end
      local one = net()
      local adam = adam(one:parameters())
      trainerOf(one, { optimizer = adam, scheduleEvery = 'step', schedule = optim.schedule.exponential(adam, { gamma = 0.9 }) }):run()
      local alone, model = made()
      alone:run()
      assert(setups.hash(model) == setups.hash(one))
      for _, case in ipairs { { 'none', 'optim.Adam' }, { 'shardOptimizer', 'optim.ZeroRedundancyOptimizer' } } do
        local strategy, class = unpack(case)
        local trainer, own = made { distributed = strategy == 'none' or { strategy = strategy, bucketBytes = 1000 } }
        trainer:run()
        assert(torch.typename(trainer.optimizer) == class and rawequal(trainer.model, own))
        same(own, one)
      end
      for _, strategy in ipairs { 'shardGradOp', 'fullShard' } do
        local trainer = made { distributed = { strategy = strategy } }
        trainer:run()
        assert(torch.typename(trainer.model) == 'nn.FullyShardedDataParallel')
        assert(trainer.optimizer.parameters[1]:nElement() == 64)      -- a shard
        same(trainer.model:gathered(), one)
      end
    ]])
  end)

  it('computes in 16 bits, and skips steps with infinite gradients on all ranks', function()
    run(2, [[
      -- The first scale is too large for some of the gradients.
      local function float(make) return make:float() end
      local function run(model, precision, isDistributed)
        local trainer = Trainer {
          model = model, criterion = nn.ClassNLLCriterion(), optimizer = adam(model:parameters()), distributed = isDistributed,
          precision = precision, scaler = precision == 'float16' and optim.GradScaler { scale = 2 ^ 30 } or nil, epochs = 2,
          data = setups.loader { transform = function(sample) return { input = sample.input:float(), target = sample.target } end },
        }
        trainer:run()
        return trainer
      end
      for _, precision in ipairs { 'bfloat16', 'float16' } do
        local one, exact = float(net()), float(net())
        local alone = run(one, precision)
        local together = run(nn.FullyShardedDataParallel(float(net())), precision, true)
        local whole = together.model:gathered()
        run(exact)
        same(whole, one, 0.02)
        assert(not torch.equal(whole:get(1).weight:detach(), exact:get(1).weight:detach()))
        if precision == 'float16' then
          assert(alone.scaler:getScale() < 2 ^ 30 and alone.scaler:getScale() == together.scaler:getScale())
        end
      end
    ]])
  end)

  it('continues with the same bits, with other numbers of ranks, and without shards', function()
    local place = folder()
    run(3, ([[
      local place = '%s'
      local function hash(trainer) return setups.hash(trainer.model:gathered()) end
      local checkpoints = { folder = place, every = 1, keep = 2 }
      torch.manualSeed(7)
      local whole = shardedOf { epochs = 4 }
      whole:run()
      torch.manualSeed(7)
      local first = shardedOf { epochs = 4, checkpoints = checkpoints }
      first:on('step', function(t) if t.step == 6 then t:stop() end end)
      assert(first:run().steps == 6)
      torch.manualSeed(8)
      local second = shardedOf { epochs = 4, checkpoints = checkpoints }
      assert(second:resume().steps == 16)
      assert(hash(second) == hash(whole))
      assert(setups.text(second.history) == setups.text(whole.history))
      second:load 'best'
      assert(second.step == second.best.step)
      -- A checkpoint that does not fit changes nothing.
      local before = hash(first)
      local other = trainerOf(nn.FullyShardedDataParallel(nn.Sequential(nn.Linear(2, 8), nn.Linear(8, 2)):requiresGrad()),
        { distributed = true, checkpoints = checkpoints })
      local kept = hash(other)
      local _, problem = pcall(other.load, other)
      assert(problem:find 'model: module 1: nn.Tanh, expected that of the model, 1: nn.Linear', problem)
      assert(hash(other) == kept)
      if rank == 0 then torch.save(place .. '/expected', whole.model:gathered()) else whole.model:gathered() end
    ]]):format(place))
    assert.equal(3, #require('trainer.checkpoints').new('', { folder = place }):steps() + 1)
    for _, count in ipairs { 1, 2 } do
      run(count, ([[
        local place = '%s'
        local expected = torch.load(place .. '/expected')
        -- Shards, the state of an optimiser shared out, and whole networks: two more epochs are the same to rounding.
        local results, losses = {}, {}
        for i, make in ipairs {
          function(t) return shardedOf(t) end,
          function(t) return shardedOf(t, { strategy = 'shardGradOp' }) end,
          function(t)
            local own = net()
            t.optimizer = optim.ZeroRedundancyOptimizer(own:parameters(), optim.Adam, { learningRate = 0.05 })
            t.distributed = true
            return trainerOf(own, t)
          end,
          function(t)
            t.distributed = n > 1
            return trainerOf(net(), t)
          end,
        } do
          local trainer = make { epochs = 6, checkpoints = place }
          trainer:load()
          assert(trainer.step == 16)
          local model = trainer.model.gathered and trainer.model:gathered() or trainer.model
          same(model, expected, 0)
          trainer._checkpoints = nil
          trainer:run()
          assert(trainer.step == 24)
          results[i] = trainer.model.gathered and trainer.model:gathered() or trainer.model
          same(results[i], results[1], 1e-12)
          losses[i] = trainer.values['validation.loss']      -- of the averages, which the checkpoint has, too
          close(losses[i], losses[1], 1e-12)
          assert(trainer.average.count == 24)
        end
        if n == 2 then
          local shared = shardedOf { epochs = 1, checkpoints = place .. '/plain' }
          local plain = trainerOf(net(), { epochs = 1, distributed = true, checkpoints = place .. '/plain' })
          plain:run()
          shared:load()      -- of a whole network
          same(shared.model:gathered(), plain.model, 0)
          shared.average:apply()
          plain.average:apply()
          same(shared.model:gathered(), plain.model, 0)
        end
      ]]):format(place))
    end
    paths.rmall(place, 'yes')
  end)

  it('names the module that makes a NaN on one rank', function()
    run(2, [[
      local model = nn.Sequential(nn.Linear(2, 2), nn.Log(), nn.Linear(2, 2), nn.LogSoftMax()):requiresGrad()
      model:get(1).weight:detach():copy(torch.eye(2))
      model:get(1).bias:detach():zero()
      local list = { { torch.Tensor { { 1, 1 }, { -1, 1 } }, torch.LongTensor { 1, 2 } } }
      local trainer = trainerOf(nn.FullyShardedDataParallel(model),
        { data = list, validation = list, distributed = true, checkNaN = true, meters = {} })
      local _, problem = pcall(trainer.run, trainer)
      assert(problem:find 'checkNaN: step 1, batch 1 of epoch 1: ', problem)
      assert((problem:find 'nn.Log' ~= nil) == (rank == 1), problem)
      dist.barrier()
    ]])
  end)

  it('refuses what it can not do', function()
    run(1, [[
      local function refuses(pattern, more, model)
        local _, problem = pcall(trainerOf, model or nn.FullyShardedDataParallel(net()), more)
        assert(type(problem) == 'string' and problem:find(pattern), tostring(problem))
      end
      refuses('Trainer: distributed: nothing, expected true: model is an nn.FullyShardedDataParallel', {})
      refuses('bucketBytes: an option of nn.DistributedDataParallel, expected none', { distributed = { bucketBytes = 1 } })
      refuses('optimizer: a function, expected an elementwise one', { distributed = true, optimizer = optim.sgd })
      refuses('optimizer: optim.LBFGS, expected', { distributed = true, optimizer = optim.LBFGS(net():parameters()) })
      refuses('optimizer: optim.LAMB, expected', { distributed = true, optimizer = optim.LAMB(net():parameters()) })
      refuses('parameter 1 is no shard of the network', { distributed = true, optimizer = adam(net():parameters()) })
      local function with(strategy, optimizer) return { distributed = { strategy = strategy }, optimizer = optimizer or optim.Adam } end
      refuses("strategy: 'half', expected one of", with 'half', net())
      refuses('strategy: expected a class as the optimizer', { distributed = { strategy = 'fullShard' } }, net())
      refuses('strategy: expected none: model is an nn.FullyShardedDataParallel', with 'fullShard')
      refuses('optimizer: .*, expected an elementwise one', with('fullShard', optim.LAMB), net())
      refuses('an nn.TensorParallel, expected a whole network', { distributed = true },
        nn.TensorParallel(nn.TransformerEncoderLayer(4, 2):requiresGrad()))
      refuses('an nn.PipelineParallel, expected a whole network', { distributed = true }, nn.PipelineParallel(net(), { microBatches = 1 }))
    ]])
  end)
end)

-- Rank arg[2] kills itself at step arg[3], in the hook, or in the next save: after its file, or before the rename of the manifest.
local killed = [[
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local Trainer, setups, dist = require 'trainer', require 'spec.trainer.setups', require('torch.distributed').init { timeout = 60 }
require('ffi').cdef 'int raise(int);'
local folder, kills = arg[1], {}
for rank, step, phase in (arg[2] or ''):gmatch '(%d+):(%d+):(%a+)' do kills[#kills + 1] = { tonumber(rank), tonumber(step), phase } end
local function die() require('ffi').C.raise(9) end
local net = nn.FullyShardedDataParallel(setups.net():requiresGrad())
local trainer = Trainer {
  model = net, criterion = nn.ClassNLLCriterion(), epochs = 3, data = setups.loader { batchSize = 7 },
  validation = setups.loader { seed = 8 },
  optimizer = optim.Adam(net:parameters(), { learningRate = 0.01 }), memory = { drawn = 0 },
  checkpoints = { folder = folder, every = 1, keep = 2 }, distributed = true,
}
torch.manualSeed(dist.rank() + 1)
trainer:on('step', function(t)
  t.memory.drawn = t.memory.drawn + math.random()
  local kill = kills[dist.restarts() + 1]
  if not kill or t.step ~= kill[2] or dist.rank() ~= kill[1] then return end
  if kill[3] == 'hook' then die() end
  if kill[3] == 'shard' then
    local atomic = require 'torch.file.atomic'
    local write = atomic.write
    atomic.write = function(...)
      write(...)
      die()
    end
  else
    require('torch.file.checked').write = die
  end
end)
local result = trainer:resume()
local whole = net:gathered()
if dist.rank() == 0 then print(('result %d %s %s %.17g'):format(result.steps, setups.hash(whole), setups.text(trainer.history),
  trainer.memory.drawn)) end
]]

describe('A sharded training whose ranks are killed', function()
  it('continues under th-launch --restart with the same bits', function()
    ranks.need()
    local script = program.script(killed)
    local function launch(options, place, kills)
      local output, status = shell(('MT_PRESET=%s %s bin/th-launch %s %s %s %s 2>&1'):format(os.getenv 'MT_PRESET' or 'release',
        ranks.environment, options, script, place, kills))
      assert.equal(0, status, output)
      return output:match '%[0%] (result[^\r\n]*)', output
    end
    local whole, broken = folder(), folder()
    local expected = launch('-n 2 --seed 1', whole, '-')
    local result, output = launch('-n 2 --seed 1 --restart 3', broken, '1:4:hook,1:5:shard,0:7:manifest')
    assert.equal(3, select(2, output:gsub('starts again', '')))
    assert.equal(expected, result)
    assert.equal(2, #require('trainer.checkpoints').new('', { folder = broken, keep = 2 }):steps())
    paths.rmall(whole, 'yes')
    paths.rmall(broken, 'yes')
  end)
end)
