-- The loop of a trainer computes what a loop written by hand computes, to the last bit, in both protocols.
local torch, nn, optim, data = require 'torch', require 'nn', require 'optim', require 'data'
local Trainer, tnt = require 'trainer', require 'torchnet'
local setups = require 'spec.trainer.setups'
local close = require 'spec.support.close'

local function lossOf() return nn.ClassNLLCriterion() end

-- Options of a small training on the tape.
local function onTape(more)
  local net = setups.net()
  local options = {
    model = net, criterion = lossOf(), optimizer = optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.01 }),
    data = setups.loader(), epochs = 3,
  }
  for name, value in pairs(more or {}) do options[name] = value end
  return options, net
end

local function classic(more)
  local net = setups.net()
  local options = {
    model = net, criterion = lossOf(), optimizer = optim.sgd, config = { learningRate = 0.1, momentum = 0.9 }, data = setups.loader(),
    epochs = 3,
  }
  for name, value in pairs(more or {}) do options[name] = value end
  return options, net
end

describe('Trainer', function()
  it('trains on the tape as a loop written by hand, with several workers, too', function()
    local net, criterion, loader = setups.net(), lossOf(), setups.loader()
    local steps = optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.01 })
    net:training()
    for _ = 1, 3 do
      for batch in loader() do
        steps:zeroGrad()
        criterion(net(batch.input), batch.target):backward()
        steps:step()
      end
    end
    for _, workers in ipairs { 0, 2 } do
      local options, trained = onTape { data = setups.loader { workers = workers } }
      local result = Trainer(options):run()
      assert.equal(setups.hash(net), setups.hash(trained))
      assert.equal('epochs', result.reason)
      assert.equal(12, result.steps)
      assert.equal(3, result.epochs)
    end
  end)

  it('limits the norm of gradients as a hook does, in both protocols', function()
    for _, make in ipairs { onTape, classic } do
      local options, expected = make { hooks = { backward = function(t)
        local list = t._protocol:allGradients()
        optim.clipGradNorm(list, 0.3)
      end } }
      Trainer(options):run()
      local norms, most = torch.Tensor(12), 0
      local clipped, net = make { clipGradNorm = 0.3, hooks = { backward = function(t)
        local square = 0
        for _, g in ipairs(t._protocol:allGradients()) do square = square + g:norm() ^ 2 end
        norms[t.step + 1], most = t.gradientNorm, math.max(most, math.sqrt(square))
      end } }
      Trainer(clipped):run()
      assert.equal(setups.hash(expected), setups.hash(net))
      assert.is_true(norms:max() > 0.3 and most < 0.3 + 1e-9)
    end
  end)

  it('keeps averages of the weights, validates and saves them', function()
    local place = os.tmpname()
    os.remove(place)
    for name, make in pairs { tape = onTape, classic = classic } do
      -- The same steps, with averages in a hook.
      local ema, average
      local others, plain = make { validation = setups.loader { seed = 4 } }
      others.hooks = { start = function(t)
        ema = optim.EMA(name == 'tape' and t.optimizer.parameters or { t._protocol.parameters }, { decay = 0.8 })
      end, step = function() ema:update() end }
      Trainer(others):run()
      local options, net = make { validation = setups.loader { seed = 4 } }
      options.average = function(parameters)
        average = optim.EMA(parameters, { decay = 0.8 })
        return average
      end
      options.checkpoints = place .. name
      local trainer = Trainer(options)
      trainer:run()
      assert.equal(setups.hash(plain), setups.hash(net))
      for i, x in ipairs(ema.averages) do assert.is_true(torch.equal(x, average.averages[i])) end
      ema:apply()
      plain:evaluate()
      local losses, count = 0, 0
      for batch in setups.loader { seed = 4 }() do      -- without the draws of the trainer's generator: close alone
        local size = batch.input:size(1)
        losses, count = losses + lossOf():forward(plain:forward(batch.input), batch.target) * size, count + size
      end
      assert.is_true(math.abs(losses / count - trainer.values['validation.loss']) < 0.05)
      local again = make { validation = setups.loader { seed = 4 } }
      local loaded
      again.average = function(parameters)
        loaded = optim.EMA(parameters, { decay = 0.8 })
        return loaded
      end
      again.checkpoints = place .. name
      Trainer(again):load()
      assert.equal(12, loaded.count)
      for i, x in ipairs(average.averages) do assert.is_true(torch.equal(x, loaded.averages[i])) end
      again.average = nil
      assert.error_matches(function() Trainer(again):load() end, 'average: one, expected none as in the trainer')
      require('paths').rmall(place .. name, 'yes')
    end
  end)

  it("trains by Torch7's protocol as a loop written by hand", function()
    local net, criterion, loader = setups.net(), lossOf(), setups.loader()
    local parameters, gradients = net:getParameters()
    local config, state = { learningRate = 0.1, momentum = 0.9 }, {}
    net:training()
    for _ = 1, 3 do
      for batch in loader() do
        optim.sgd(function()
          gradients:zero()
          local loss = criterion:forward(net:forward(batch.input), batch.target)
          net:backward(batch.input, criterion:backward(net.output, batch.target))
          return loss, gradients
        end, parameters, config, state)
      end
    end
    local options, trained = classic()
    Trainer(options):run()
    assert.equal(setups.hash(net), setups.hash(trained))
  end)

  it('trains a function of tensors', function()
    local x, y = torch.DoubleTensor { { 1, 2 }, { 3, -1 }, { 0, 1 } }, torch.DoubleTensor { { 5 }, { 1 }, { 2 } }      -- w = (1, 2)
    local w = torch.zeros(2, 1):requiresGrad()
    Trainer {
      model = function(input) return torch.mm(input, w) end, optimizer = optim.SGD({ w }, { learningRate = 0.1 }), epochs = 300,
      criterion = function(output, target) return torch.mean(torch.pow(output - target, 2)) end, data = { { x, y } },
    }:run()
    close.assertClose(torch.DoubleTensor { { 1 }, { 2 } }, w, { atol = 1e-6 })
  end)

  it('averages the gradients of several batches', function()
    local x, y = torch.randn(10, 2), torch.randn(10, 1)
    local function weights(size, accumulate, protocol)
      torch.manualSeed(2)
      local net, batches = nn.Linear(2, 1), {}
      for first = 1, 10, size do
        local count = math.min(size, 11 - first)
        batches[#batches + 1] = { x:narrow(1, first, count), y:narrow(1, first, count) }
      end
      local steps = protocol == 'tape' and optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1 }) or optim.sgd
      local trainer = Trainer {
        model = net, criterion = nn.MSECriterion(), optimizer = steps, config = protocol ~= 'tape' and { learningRate = 0.1 } or nil,
        data = batches, epochs = 2, accumulate = accumulate,
      }
      local result = trainer:run()
      return net.weight:detach():clone(), result.steps
    end
    for _, protocol in ipairs { 'tape', 'classic' } do
      local expected, steps = weights(4, 1, protocol)
      assert.equal(6, steps)
      local actual, same = weights(2, 2, protocol)      -- the last step of an epoch has one batch
      assert.equal(6, same)
      close.assertClose(expected, actual, { rtol = 1e-12 })
      assert.is_true(torch.dist(expected, (weights(2, 1, protocol))) > 1e-3)
    end
  end)

  it('computes in 16 bits as a loop written by hand', function()
    for _, precision in ipairs { 'bfloat16', 'float16' } do
      local net, criterion, loader = setups.net():float(), lossOf():float(), setups.loader()
      local function float(batch) return batch.input:float(), batch.target end
      local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1 })
      local scaler = optim.GradScaler { enabled = precision == 'float16', scale = 256, growthInterval = 3 }
      for batch in loader() do
        local input, target = float(batch)
        steps:zeroGrad()
        scaler:scale(torch.autocast(precision, function() return criterion(net(input), target) end)):backward()
        scaler:step(steps)
        scaler:update()
      end
      local same = setups.net():float()
      local own = optim.GradScaler { scale = 256, growthInterval = 3 }
      Trainer {
        model = same, criterion = lossOf():float(), optimizer = optim.SGD(same:requiresGrad():parameters(), { learningRate = 0.1 }),
        data = setups.loader(), epochs = 1, prepare = float, precision = precision, scaler = precision == 'float16' and own or nil,
      }:run()
      assert.equal(setups.hash(net), setups.hash(same))
      if precision == 'float16' then assert.equal(512, own:getScale()) end

      local function plain() return optim.GradScaler { scale = 256, growthInterval = 3, enabled = precision == 'float16' } end
      local byHand, scale = setups.net():float(), plain()
      local parameters, gradients = byHand:getParameters()
      criterion = lossOf():float()
      for batch in setups.loader()() do
        local input, target = float(batch)
        local function evaluate()
          gradients:zero()
          local loss = criterion:forward(byHand:forward(input), target)
          byHand:backward(input, scale:scale(criterion:backward(byHand.output, target)))
          return loss, gradients
        end
        scale:step(optim.sgd, function() return torch.autocast(precision, evaluate) end, parameters, { learningRate = 0.1 })
        scale:update()
      end
      local legacy = setups.net():float()
      Trainer {
        model = legacy, criterion = lossOf():float(), optimizer = optim.sgd, config = { learningRate = 0.1 }, data = setups.loader(),
        epochs = 1, prepare = float, precision = precision, scaler = plain(),
      }:run()
      assert.equal(setups.hash(byHand), setups.hash(legacy))
    end
  end)

  it('runs optimisers that search', function()
    local x, y = torch.randn(12, 3), torch.randn(12, 1)
    local best = torch.mm(torch.inverse(torch.mm(x:t(), x)), torch.mm(x:t(), y))      -- least squares
    local one, other = nn.Linear(3, 1, false), nn.Linear(3, 1, false)
    Trainer {
      model = one, criterion = nn.MSECriterion(), optimizer = optim.LBFGS(one:requiresGrad():parameters(), { maxIter = 50 }),
      data = { { x, y } }, epochs = 2,
    }:run()
    Trainer {
      model = other, criterion = nn.MSECriterion(), optimizer = optim.cg, config = { maxIter = 30 }, data = { { x, y } }, epochs = 3,
    }:run()
    close.assertClose(best:t(), one.weight, { atol = 1e-5 })
    close.assertClose(best:t(), other.weight, { atol = 1e-5 })
  end)

  it('calls hooks in order, and shows them where it is', function()
    local called = {}
    local function note(name) return function(t) called[#called + 1] = ('%s %d.%d.%d'):format(name, t.epoch, t.step, t.batch) end end
    local options = onTape {
      epochs = 2, data = { { torch.randn(3, 2), torch.ones(3):long() }, { torch.randn(3, 2), torch.ones(3):long() } },
      hooks = { start = note 'start', batch = note 'batch', backward = { note 'backward', note 'again' }, step = note 'step' },
    }
    Trainer(options):on('epoch', note 'epoch'):on('end', note 'end'):run()
    assert.same({
      'start 1.0.0', 'batch 1.0.1', 'backward 1.0.1', 'again 1.0.1', 'step 1.1.1', 'batch 1.1.2', 'backward 1.1.2', 'again 1.1.2',
      'step 1.2.2', 'epoch 1.2.2', 'batch 2.2.1', 'backward 2.2.1', 'again 2.2.1', 'step 2.3.1', 'batch 2.3.2', 'backward 2.3.2',
      'again 2.3.2', 'step 2.4.2', 'epoch 2.4.2', 'end 3.4.0',
    }, called)
  end)

  it('lets a hook change gradients before the step', function()
    local options, net = onTape { epochs = 1, hooks = { backward = function(t)
      for _, parameter in ipairs(t.optimizer.parameters) do parameter.grad:zero() end
    end } }
    local before = net:get(1).weight:detach():clone()
    Trainer(options):run()
    assert.is_true(torch.equal(before, net:get(1).weight:detach()))
  end)

  it('measures the validation data without dropout, and leaves the model in its mode', function()
    local set = setups.set(9)
    local batches = { { set:get(1).input:view(1, 2), torch.LongTensor { set:get(1).target } }, { torch.randn(5, 2), torch.ones(5):long() } }
    local function reciprocal(output) return torch.exp(output):max() end
    for _, make in ipairs { onTape, classic } do
      local isTraining
      local options, net = make {
        epochs = 2, validation = batches, hooks = { batch = function(t) isTraining = t.model.train end },
        meters = { error = tnt.ClassErrorMeter(), most = reciprocal },
      }
      local trainer = Trainer(options)
      local values = trainer:run().values
      assert.is_true(isTraining)
      net:evaluate()
      local losses, wrong, most = 0, 0, 0
      for _, pair in ipairs(batches) do
        local output = torch.noGrad(net.forward, net, pair[1])
        local count = pair[1]:size(1)
        losses = losses + count * lossOf():forward(output, pair[2])
        local _, guess = output:max(2)
        wrong = wrong + guess:view(-1):ne(pair[2]):sum()
        most = most + count * torch.exp(output):max()
      end
      assert.near(losses / 6, values['validation.loss'], 1e-12)
      assert.near(100 * wrong / 6, values['validation.error'], 1e-12)
      assert.near(most / 6, values['validation.most'], 1e-12)
      assert.is_true(values.error >= 0 and values.error <= 100)
      assert.equal(2, #trainer.history)
      assert.is_true(trainer.history[1].loss ~= trainer.history[2].loss)
    end
  end)

  it('reports the mean loss of the samples of an epoch', function()
    local losses, samples = 0, 0
    local options = onTape { epochs = 1, hooks = { step = function(t)
      losses, samples = losses + t.loss * t.input:size(1), samples + t.input:size(1)
    end } }
    local values = Trainer(options):run().values
    assert.equal(20, samples)
    assert.near(losses / 20, values.loss, 1e-12)
    assert.equal(0.01, values.learningRate)
  end)

  it('steps a schedule after epochs or steps, and a plateau by the loss', function()
    local function rates(make, every)
      local options = onTape { epochs = 2 }
      options.schedule, options.scheduleEvery = make(options.optimizer), every
      local list = {}
      Trainer(options):on('step', function(t) list[#list + 1] = t.optimizer:option 'learningRate' end):run()
      return list
    end
    local function halves(o) return optim.schedule.exponential(o, { gamma = 0.5 }) end
    assert.same({ 0.01, 0.01, 0.01, 0.01, 0.005, 0.005, 0.005, 0.005 }, rates(halves))
    assert.same({ 0.005, 0.0025, 0.00125, 0.000625, 0.0003125 }, { unpack(rates(halves, 'step'), 1, 5) })
    local seen
    local options = onTape { epochs = 1 }
    options.schedule = { kind = { step = true }, step = function(_, metric) seen = metric end }
    assert.equal(Trainer(options):run().values.loss, seen)
  end)

  it('continues a stopped run where it ended, for every source of data', function()
    local function iterators()      -- a new order for each epoch, from torch's generator
      local set, order = setups.set(), torch.randperm(20)
      local k = 0
      return function()
        k = k + 1
        if k <= 20 then return { input = set:get(order[k]).input:view(1, 2):expand(3, 2), target = torch.ones(3):long() } end
      end
    end
    local list = { iterators()(), iterators()(), iterators()() }
    for _, source in ipairs { function() return setups.loader() end, function() return list end, function() return iterators end } do
      local function train(stops)
        local options, net = onTape { data = source() }
        local trainer = Trainer(options)
        trainer:on('step', function(t) if t.step == stops then t:stop() end end)
        local result = trainer:run()
        if stops then
          assert.equal('stop', result.reason)
          assert.equal(stops, result.steps)
          result = trainer:run()
        end
        assert.equal('epochs', result.reason)
        return setups.hash(net), result.steps, trainer.history
      end
      local hash, steps, history = train()
      for stops = 1, steps - 1, 3 do
        local sameHash, sameSteps, sameHistory = train(stops)
        assert.equal(hash, sameHash)
        assert.equal(steps, sameSteps)
        assert.same(history, sameHistory)
      end
    end
  end)

  it('moves the model and the batches to a device', function()
    local options, net = onTape { device = 'cpu', epochs = 1 }
    Trainer(options):run()
    assert.equal('cpu', net:get(1).weight:device())
    for _, name in ipairs { 'nowhere', 'float', 'cpux', '' } do
      local bad = onTape { device = name }
      assert.error_matches(function() Trainer(bad) end, ("Trainer: device: '%s', expected one of cpu"):format(name))
    end
    local cuda = onTape { device = 'cuda' }
    local good, message = pcall(Trainer, cuda)
    assert.is_true(good or message:find 'Trainer: device: CUDA: ' ~= nil, message)
  end)

  it('names the option that is wrong', function()
    local net = setups.net()
    local function refuses(change, pattern, make)
      local options = (make or onTape)()
      for name, value in pairs(change) do
        if value == 'nothing' then options[name] = nil else options[name] = value end
      end
      assert.error_matches(function() Trainer(options) end, pattern)
    end
    refuses({ epoch = 3 }, 'Trainer: options: epoch, expected one of model, criterion')
    refuses({ model = 'nothing' }, 'Trainer: model: nothing, expected a module')
    refuses({ model = 3 }, 'Trainer: model: number, expected a function')
    refuses({ criterion = 3 }, 'Trainer: criterion: number, expected a function')
    refuses({ optimizer = {} }, 'Trainer: optimizer: .*, expected an object such as optim.Adam')
    refuses({ optimizer = net }, 'Trainer: optimizer: .*, expected an object such as optim.Adam')
    refuses({ config = {} }, 'Trainer: config: given with an object')
    refuses({ config = 3 }, 'Trainer: config: 3, expected a table', classic)
    refuses({ model = function() end }, 'Trainer: model: .*, expected a module, for an algorithm', classic)
    refuses({ criterion = function() end }, 'Trainer: criterion: .*, expected a criterion, for an algorithm', classic)
    refuses({ data = 'nothing' }, 'Trainer: data: nothing, expected a loader')
    refuses({ data = setups.set() }, 'Trainer: data: .*: data.DataLoader%(set%) is one')
    refuses({ data = {} }, 'Trainer: data: an empty table, expected a data.DataLoader')
    refuses({ validation = 3 }, 'Trainer: validation: ')
    refuses({ epochs = -1 }, 'Trainer: epochs: %-1, expected a whole number, 0 or more')
    refuses({ meters = { loss = tnt.MSEMeter() } }, 'Trainer: meters: ')
    refuses({ meters = { error = 3 } }, 'Trainer: meters: error: number, expected a function')
    refuses({ hooks = { sample = print } }, "Trainer: hooks: name: 'sample', expected one of 'start', 'batch'")
    refuses({ hooks = { step = 3 } }, 'Trainer: hooks: step: number, expected a function')
    refuses({ schedule = 3 }, 'Trainer: schedule: .*, expected one of optim.schedule')
    refuses({ scheduleEvery = 'batch' }, "Trainer: scheduleEvery: 'batch', expected one of 'epoch', 'step'")
    refuses({ average = 3 }, 'Trainer: average: a number, expected an optim.EMA or optim.SWA, or a function')
    refuses({ clipGradNorm = -1 }, 'Trainer: clipGradNorm: %-1, expected a number, 0 or more')
    refuses({ accumulate = 0 }, 'Trainer: accumulate: 0, expected a whole number, 1 or more')
    refuses({ precision = 'float8' }, "Trainer: precision: 'float8', expected one of")
    refuses({ scaler = 3 }, 'Trainer: scaler: .*, expected an optim.GradScaler')
    local search = optim.LBFGS(net:requiresGrad():parameters())
    refuses({ optimizer = search, precision = 'float16' }, 'Trainer: optimizer: optim.LBFGS, expected')
    assert.error_matches(function() Trainer(3) end, 'Trainer: options: ')
    assert.error_matches(function() Trainer(onTape()):on('steps', print) end, "Trainer.on: name: 'steps'")
  end)

  it('says what is wrong with a batch, a loss, or a call inside a run', function()
    local function fails(change, pattern)
      local trainer = Trainer(onTape(change))
      assert.error_matches(function() trainer:run() end, pattern)
      assert.equal(0, trainer.step)
    end
    fails({ data = { 3 } }, 'Trainer: data: a batch that is .*, expected { input =, target = }')
    fails({ data = { {}, {} } }, 'Trainer: data: a batch that is a table without an input')
    fails({ prepare = function() end }, 'Trainer: prepare: it returned nothing')
    fails({ criterion = function(output) return output end }, 'Trainer: criterion: its result is a tensor with 12 elements')
    fails({ criterion = function() return 3 end }, 'Trainer: criterion: its result does not depend on a parameter')
    fails({ criterion = function() return {} end }, 'Trainer: criterion: its result is ')
    fails({ meters = { x = function() end } }, 'meters: x: the result: ')
    fails({ hooks = { batch = function(t) t:run() end } }, 'Trainer.run: called from a hook')
    fails({ data = function() return 3 end }, 'data: the iterator that it returned')
    fails({ hooks = { start = function() error 'mine' end } }, 'mine')
  end)

  it('lets a program have a module of its name, and prints where it is', function()
    assert.equal('trainer.Trainer: epoch 1 of 3, 0 steps', tostring(Trainer(onTape())))
    assert.is_true(data ~= nil and require('torch.modules').givesWay 'trainer')
  end)
end)
