-- The trainer's options tensorParallel and pipeline on real processes, against a trainer in one process.
local run = require 'spec.trainer.spread'.run

-- optim.clipGradNorm divides by the norm + 1e-6, as PyTorch's does.
describe('Trainer with layers that are spread', function()
  it('trains and measures as one process', function()
    run(2, [[
      local function clipped() return { clipGradNorm = 0.1, accumulate = 2, patience = 1, goal = 'max', epochs = 5 } end
      local trainer = compare(tensorParallel(2))
      assert(torch.typename(trainer.model) == 'nn.TensorParallel' and trainer.model:get(1):get(1).weight:size(1) == 6)
      compare(tensorParallel(2), clipped, 1e-6)
      -- Attention by heads, without a plan; a list of batches.
      local list = {}
      for k = 1, 3 do list[k] = { torch.Tensor(k == 3 and 2 or 4, 3, 8):uniform(), torch.LongTensor(k == 3 and 2 or 4):random(2) } end
      list = dist.broadcastObject(list, 0)
      local function encoder()
        torch.manualSeed(2)
        local layer = nn.TransformerEncoderLayer(8, 4, { dimFeedforward = 16, dropout = 0, batchFirst = true })
        local model = nn.Sequential(layer, nn.Mean(2), nn.Linear(8, 2), nn.BatchNormalization(2), nn.LogSoftMax())
        return { model = model, data = list, validation = list, optimizer = optim.SGD }
      end
      compare({ tensorParallel = 2 }, encoder)
    ]])
  end)

  it('trains copies of the network as one process', function()
    run(4, [[
      compare(tensorParallel(2), function() return { accumulate = 2, clipGradNorm = 0.1 } end, 1e-6)
      local trainer = compare(tensorParallel(2), function() return { data = setups.loader { workers = 1 } } end)
      assert(trainer._protocol.model.ranks[2] == rank % 2 + 2)      -- averages over the rank of the other copy
      compare({ pipeline = 2, microBatches = 2, schedule = 'GPipe' }, function() return { accumulate = 2, clipGradNorm = 0.1 } end, 1e-6)
    ]])
  end)
end)

describe('Trainer with a network in stages', function()
  for _, n in ipairs { 2, 3 } do
    it(('trains and measures as one process, with %d ranks'):format(n), function()
      run(n, [[
        local trainer = compare({ pipeline = n, microBatches = 4 })
        assert(torch.typename(trainer.model) == 'nn.PipelineParallel' and trainer.model.schedule == '1F1B')
        assert(#trainer.model:get(1).modules < 6)
        compare({ pipeline = n, schedule = 'GPipe' }, function() return { clipGradNorm = 0.1, accumulate = 2 } end, 1e-6)
      ]])
    end)
  end
end)

describe('Trainer with tensorParallel or pipeline', function()
  it('names the module that makes a NaN', function()
    run(2, [[
      local list = { { torch.Tensor { { 1, 1 }, { -1, 1 } }, torch.LongTensor { 1, 2 } } }
      for _, distributed in ipairs { { tensorParallel = 2, plan = { ['2'] = 'gathered' } }, { pipeline = 2 } } do
        local model = nn.Sequential(nn.Linear(2, 2), nn.Log(), nn.Linear(2, 2), nn.LogSoftMax())
        model:get(1).weight:copy(torch.eye(2))
        model:get(1).bias:zero()
        local trainer = trainerOf(distributed, { model = model, data = list, validation = list, checkNaN = true, meters = {} })
        local _, problem = pcall(trainer.run, trainer)
        assert(problem:find 'checkNaN: step 1, batch 1 of epoch 1: log.*nn.Log', problem)
      end
    ]])
  end)

  it('scales losses in 16 bits, and skips steps on all ranks', function()
    run(2, [[
      local function floats(sample) return { input = sample.input:float(), target = sample.target } end
      local function trained(distributed)
        local loader = setups.loader { transform = floats }
        local trainer = trainerOf(distributed, { model = net():float(), data = loader, validation = setups.loader { transform = floats },
          precision = 'float16', scaler = optim.GradScaler { scale = 2 ^ 30 } })
        trainer:run()
        return trainer
      end
      local alone, together = trained(), trained(tensorParallel(2))
      assert(alone.scaler:getScale() < 2 ^ 30 and alone.scaler:getScale() == together.scaler:getScale())
      same(gathered(together), alone.model, 0.02)
    ]])
  end)

  it('refuses what it can not do', function()
    run(3, [[
      local function refuses(pattern, distributed, more)
        local done, problem = pcall(trainerOf, distributed, more)
        assert(not done and type(problem) == 'string' and problem:find(pattern), tostring(problem))
      end
      refuses('Trainer: distributed: tensorParallel: 2, expected a divisor of the number of ranks, 3', tensorParallel(2))
      refuses('Trainer: distributed: pipeline: 0, expected', { pipeline = 0 })
      refuses('Trainer: distributed: pipeline: given with tensorParallel, expected none', { pipeline = 3, tensorParallel = 3 })
      refuses('Trainer: distributed: strategy: given with pipeline, expected none', { pipeline = 3, strategy = 'fullShard' })
      refuses('Trainer: distributed: group: given with pipeline, expected none', { pipeline = 3, group = dist.newGroup { 0, 1, 2 } })
      refuses('Trainer: distributed: plan: given without tensorParallel, expected none', { plan = plan })
      refuses('Trainer: distributed: microBatches: given without pipeline, expected none', { tensorParallel = 3, microBatches = 3 })
      refuses('plan: 7, expected a name of net:namedModules%(%)', { tensorParallel = 3, plan = { ['7'] = 'colwise' } })
      refuses('outputSize: 8, expected a multiple of the 3 ranks', { tensorParallel = 3, plan = { ['2'] = 'gathered' } })
      refuses('net: no attention and no layer of a transformer', { tensorParallel = 3 })
      refuses('microBatches: 0, expected', { pipeline = 3, microBatches = 0 })
      refuses("schedule: 'x', expected", { pipeline = 3, schedule = 'x' })
      refuses('tensorParallel: expected a class as the optimizer', tensorParallel(3), { optimizer = optim.sgd, config = {} })
      refuses('optimizer: .*, expected an elementwise one', tensorParallel(3), { optimizer = optim.LAMB })
      refuses('pipeline: model: nn.Linear, expected an nn.Sequential', { pipeline = 3 }, { model = nn.Linear(2, 2) })
      refuses('pipeline: criterion: function, expected an nn.Criterion', { pipeline = 3 }, { criterion = function() end })
      refuses("pipeline: precision: 'bfloat16', expected none", { pipeline = 3 }, { precision = 'bfloat16' })
      refuses('pipeline: scaler: given, expected none', { pipeline = 3 }, { scaler = optim.GradScaler() })
      refuses('expected 3 or more', { pipeline = 3 }, { model = nn.Sequential(nn.Linear(2, 2), nn.LogSoftMax()) })
      refuses('pipeline: rank 2: stage 3 has no parameters, expected fewer stages', { pipeline = 3 },
        { model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2), nn.LogSoftMax()) })
      refuses('model: an nn.FullyShardedDataParallel, expected a whole network', tensorParallel(3),
        { model = nn.FullyShardedDataParallel(net():requiresGrad()) })
      refuses('an nn.TensorParallel, expected a whole network', tensorParallel(3),
        { model = nn.TensorParallel(nn.Sequential(nn.Linear(2, 3)), { plan = { ['0'] = 'colwise' } }) })
      local function tied()
        local model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.LogSoftMax())
        model:get(3).weight = model:get(1).weight
        return { model = model }
      end
      refuses('distributed: model: 0.weight is 2.weight, too, expected parameters of one layer each',
        { tensorParallel = 3, plan = { ['0'] = 'colwise' } }, tied())
      refuses('distributed: model: 0.weight is 2.weight, too', { pipeline = 3 }, tied())
    ]])
  end)
end)
