-- Checkpoints: which ones stay, what they contain, and what a trainer refuses without a change.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local Trainer, tnt, paths = require 'trainer', require 'torchnet', require 'paths'
local setups, files, program = require 'spec.trainer.setups', require 'spec.support.files', require 'spec.support.program'

local folder

local function make(more)
  local net = setups.net()
  local options = {
    model = net, criterion = nn.ClassNLLCriterion(), optimizer = optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.01 }),
    data = setups.loader(), epochs = 3, checkpoints = folder,
  }
  for name, value in pairs(more or {}) do
    if value == 'nothing' then options[name] = nil else options[name] = value end
  end
  return Trainer(options), options.model
end

local function names()
  local list = {}
  for _, name in ipairs(paths.dir(folder)) do
    if not name:find '^%.' then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

local function contents()
  local all = {}
  for _, name in ipairs(names()) do all[name] = files.read(folder .. '/' .. name) end
  return all
end

describe('checkpoints of a trainer', function()
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
  end)
  after_each(function() paths.rmall(folder, 'yes') end)

  it('are the last ones and the best one', function()
    local values = { 3, 1, 2, 5, 4 }
    local trainer = make { epochs = 5, checkpoints = { folder = folder, keep = 2 } }
    trainer._metrics.values = function(_, _, all) all.loss = values[trainer.epoch] end      -- the second epoch is the best
    trainer:run()
    assert.same({ 'best.checkpoint', 'step-0000000016.checkpoint', 'step-0000000020.checkpoint' }, names())
    assert.same({ value = 1, epoch = 2, step = 8 }, trainer.best)
    local best = make { epochs = 5 }:load 'best'
    assert.equal(8, best.step)
    assert.equal(3, best.epoch)
    assert.equal(20, make { epochs = 5 }:load 'last'.step)
    assert.equal(16, make { epochs = 5 }:load(folder .. '/step-0000000016.checkpoint').step)
  end)

  it('follow a measure that should be large, and leave the best one out', function()
    local trainer = make { goal = 'max', monitor = 'loss', checkpoints = { folder = folder, best = false, every = 3, keep = 9 } }
    local values = { 1, 3, 2 }
    trainer._metrics.values = function(_, _, all) all.loss = values[trainer.epoch] end
    trainer:run()
    assert.equal(2, trainer.best.epoch)
    local steps = {}
    for i, step in ipairs { 3, 4, 6, 8, 9, 12 } do steps[i] = ('step-%010d.checkpoint'):format(step) end
    assert.same(steps, names())
  end)

  it('stop a run that does not improve', function()
    local function epochs(values, more)
      local options = { epochs = 9, patience = 2, checkpoints = 'nothing' }
      for name, value in pairs(more or {}) do options[name] = value end
      local trainer = make(options)
      trainer._metrics.values = function(_, _, all) all.loss = values[trainer.epoch] end
      local result = trainer:run()
      return result.epochs, result.reason
    end
    assert.same({ 4, 'patience' }, { epochs { 3, 2, 2.5, 2.6, 1 } })
    assert.same({ 9, 'epochs' }, { epochs { 9, 8, 7, 6, 5, 4, 3, 2, 1 } })
    assert.same({ 3, 'patience' }, { epochs({ 9, 8, 7, 6, 5, 4, 3, 2, 1 }, { minDelta = 2 }) })
    assert.same({ 3, 'patience' }, { epochs({ 9, 8, 7, 6, 5, 4, 3, 2, 1 }, { goal = 'max' }) })
    assert.same({ 2, 'patience' }, { epochs { 0 / 0, 0 / 0, 0 / 0 } })
    local function growing(patience) return make { epochs = 9, patience = patience, monitor = 'step' } end      -- the first is the best
    assert.equal(2, growing(1):run().epochs)
    local again = growing(1):resume()
    assert.same({ 'patience', 2 }, { again.reason, again.epochs })
    assert.equal(4, growing(3):resume().epochs)
  end)

  it('continue a run whose model was converted after its optimiser was made', function()
    local function start()
      local net = setups.net()
      local steps = optim.Lookahead(optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.01 }), { steps = 3 })
      net:float()
      return make { model = net, criterion = nn.ClassNLLCriterion():float(), optimizer = steps, epochs = 2, prepare = function(batch)
        return batch.input:float(), batch.target
      end }
    end
    local whole, net = start()
    whole:run()
    paths.rmall(folder, 'yes')
    start():on('step', function(t) if t.step == 5 then t:stop() end end):run()
    local second, same = start()
    second:resume()
    assert.equal(setups.hash(net), setups.hash(same))
    assert.same(whole.history, second.history)
  end)

  it("continue a run whose order a sampler draws from torch's generator", function()
    local function start(place)
      return make { checkpoints = place or 'nothing', epochs = 2, data = setups.loader {
        shuffle = false, sampler = function() return torch.randperm(20):long() end,
      } }
    end
    local whole, net = start()
    whole:run()
    local first = start(folder)
    first:on('step', function(t) if t.step == 6 then t:stop() end end):run()
    torch.manualSeed(99)
    local second, same = start(folder)
    second:resume()
    assert.equal(setups.hash(net), setups.hash(same))
  end)

  it('continue a run with an iterator, with a schedule by epochs, and with memory', function()
    local function iterators()
      local set, order, k = setups.set(), torch.randperm(20), 0
      return function()
        k = k + 1
        local input = k <= 20 and set:get(order[k]).input:view(1, 2):expand(3, 2)
        return input and { input = input, target = torch.ones(3):long() } or nil
      end
    end
    local function start(where)
      local net = setups.net()
      local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1, momentum = 0.9 })
      local trainer = Trainer {
        model = net, criterion = nn.ClassNLLCriterion(), optimizer = steps, data = iterators, epochs = 2, checkpoints = where,
        schedule = optim.schedule.plateau(steps, { patience = 0 }), memory = { list = {} },
        meters = { error = tnt.ClassErrorMeter(), mean = function(output) return output:mean() end },
      }
      trainer:on('step', function(t) table.insert(t.memory.list, t.loss) end)
      return trainer, net
    end
    local whole, net = start()
    whole:run()
    for _, stops in ipairs { 1, 20, 33 } do
      local first = start(folder)
      first:on('step', function(t) if t.step == stops then t:stop() end end)
      first:run()
      torch.manualSeed(99)      -- another process
      local second, same = start(folder)
      second:resume()
      assert.equal(setups.hash(net), setups.hash(same))
      assert.same(whole.memory, second.memory)
      assert.same(whole.history, second.history)
      assert.same(whole.values, second.values)
      paths.rmall(folder, 'yes')
    end
  end)

  it('are not mixed with those of another run', function()
    make():run()
    local before = contents()
    assert.error_matches(function() make():run() end, 'Trainer.run: checkpoints: .* has checkpoints of an earlier run')
    assert.same(before, contents())
    local trainer = make { epochs = 4 }
    assert.equal(16, trainer:resume().steps)
    assert.equal(20, (function() trainer.epochs = 5 return trainer:run().steps end)())
  end)

  it('of something else change nothing', function()
    make():run()
    local before, last = contents(), folder .. '/step-0000000012.checkpoint'
    local function refuses(more, pattern)
      local trainer, net = make(more)
      local random, hash = torch.getRNGState(), setups.hash(net)
      local state = torch.serialize(trainer.optimizer:stateDict())
      for _, method in ipairs { 'resume', 'load' } do
        local expected = ('Trainer.load: checkpoint: %s: %s'):format(last:gsub('%p', '%%%0'), pattern)
        assert.error_matches(function() trainer[method](trainer) end, expected)
      end
      assert.equal(hash, setups.hash(net))
      assert.equal(state, torch.serialize(trainer.optimizer:stateDict()))
      assert.is_true(torch.equal(random, torch.getRNGState()))
      assert.equal(0, trainer.step)
      assert.same(before, contents())
    end
    local function with(net, class)
      return { model = net, optimizer = (class or optim.Adam)(net:requiresGrad():parameters(), { learningRate = 0.01 }) }
    end
    refuses(with(nn.Sequential(nn.Linear(2, 2), nn.LogSoftMax())), 'model: module 1: nn.BatchNormalization, expected that of the model')
    local wide = setups.net()
    wide:get(1).weight, wide:get(1).bias = torch.randn(8, 3), torch.randn(8)
    refuses(with(wide), 'model: 0.weight: Double of size %[8, 2%], expected Double of size %[8, 3%]')
    refuses(with(setups.net():float()), 'model: .*: Double of size .*, expected Float of size')
    refuses(with(setups.net(), optim.SGD), 'optim.SGD.loadStateDict: state: of optim.Adam, expected one of optim.SGD')
    refuses({ data = setups.loader { batchSize = 5 } }, 'data.DataLoader: state: batchSize of 6, expected 5')
    refuses({ data = { { torch.zeros(1, 2), torch.ones(1):long() } } }, 'data: a list of 1 batches, expected nil')
    refuses({ meters = { error = tnt.ClassErrorMeter() } }, 'meters: error, expected one of the checkpoint')
    refuses({ validation = setups.loader() }, 'validation: none, expected one as in the trainer')
    refuses({ generators = { torch.Generator() } }, 'generators: 1, expected 0')
    local options = with(setups.net())
    options.schedule = optim.schedule.cosine(options.optimizer, { period = 3 })
    refuses(options, 'schedule: none, expected one as in the trainer')
  end)

  it('that are damaged or cut off change nothing', function()
    make():run()
    local name = folder .. '/step-0000000012.checkpoint'
    local good = files.read(name)
    local generator = torch.Generator()
    torch.manualSeed(generator, 5)
    local function refuses(bytes, pattern)
      files.write(name, bytes)
      local trainer, net = make()
      local hash = setups.hash(net)
      assert.error_matches(function() trainer:resume() end, 'Trainer.load: checkpoint: .*step%-0000000012.checkpoint: ' .. pattern)
      assert.equal(hash, setups.hash(net))
      assert.equal(bytes, files.read(name))
    end
    for _ = 1, 20 do
      local at = torch.random(generator, 56, #good)
      refuses(good:sub(1, at - 1) .. string.char((good:byte(at) + torch.random(generator, 1, 255)) % 256) .. good:sub(at + 1),
        'damaged: its bytes have the checksum')
    end
    for _ = 1, 10 do
      local size = torch.random(generator, 55, #good - 1)
      refuses(good:sub(1, size), ('%d bytes, expected %d'):format(size, #good))
    end
    refuses(good .. 'x', ('%d bytes, expected %d'):format(#good + 1, #good))
    refuses(good:sub(1, 54), 'no checkpoint of Moontorch')
    refuses('', 'no checkpoint of Moontorch')
    refuses('x' .. good:sub(2), 'no checkpoint of Moontorch')
    files.write(name, good)
    assert.equal(12, make():load().step)
  end)

  it('with a valid checksum, but strange contents, change nothing', function()
    local file = require 'trainer.checkpoint_file'
    paths.mkdir(folder)
    local name = folder .. '/step-0000000012.checkpoint'
    local function refuses(state, pattern)
      file.write('test', name, state)
      local trainer, net = make()
      local hash = setups.hash(net)
      assert.error_matches(function() trainer:resume() end, 'Trainer.load: checkpoint: .*: ' .. pattern)
      assert.equal(hash, setups.hash(net))
    end
    refuses({}, 'version: nil, expected 1')
    refuses({ format = 'moontorch trainer', version = 2 }, 'version: 2, expected 1')
    refuses({ format = 'moontorch trainer', version = 1 }, '%w+: nil, expected a %w+')
    local trainer = make()
    local state = require('trainer.snapshot').take(trainer)
    for field, value in pairs(state) do
      local copy = {}
      for key, other in pairs(state) do copy[key] = other end
      copy[field] = type(value) == 'table' and 3 or {}
      refuses(copy, '')
    end
    for _, field in ipairs { 'model', 'optimizer', 'scaler', 'data', 'random', 'meters' } do
      local copy = {}
      for key, other in pairs(state) do copy[key] = other end
      copy[field] = {}
      refuses(copy, '')
    end
  end)

  it('name wrong options and calls', function()
    local function refuses(more, pattern) assert.error_matches(function() make(more) end, pattern) end
    refuses({ checkpoints = { folder = folder, ever = 3 } }, 'Trainer: checkpoints: options: ever, expected one of folder, every, keep')
    refuses({ checkpoints = {} }, 'Trainer: checkpoints: folder: nil, expected a string')
    refuses({ checkpoints = { folder = folder, every = 0 } }, 'Trainer: checkpoints: every: 0, expected a whole number, 1 or more')
    refuses({ checkpoints = { folder = folder, keep = 0 } }, 'Trainer: checkpoints: keep: 0, expected a whole number, 1 or more')
    refuses({ checkpoints = { folder = folder, best = 1 } }, 'Trainer: checkpoints: best: 1, expected true or false')
    refuses({ schedule = { step = function() end } }, 'Trainer: schedule: without stateDict and loadStateDict')
    refuses({ goal = 'less' }, "Trainer: goal: 'less', expected one of 'min', 'max'")
    refuses({ patience = 0 }, 'Trainer: patience: 0, expected a whole number, 1 or more')
    refuses({ minDelta = -1 }, 'Trainer: minDelta: %-1, expected a number, 0 or more')
    refuses({ generators = { 3 } }, 'Trainer: generators: number 1: number, expected a torch.Generator')
    refuses({ memory = 3 }, 'Trainer: memory: 3, expected a table')
    local function fails(more, pattern) assert.error_matches(function() make(more):run() end, pattern) end
    fails({ monitor = 'accuracy' }, 'Trainer: monitor: accuracy, expected one of epoch, learningRate, loss')
    fails({ memory = { a = { f = print } } }, 'checkpoints: memory.a.f: a function, expected values')
    paths.rmall(folder, 'yes')
    assert.error_matches(function() make():load() end, 'Trainer.load: which: .* has no checkpoint')
    assert.error_matches(function() make():load 'best' end, 'Trainer.load: which: .* has no checkpoint')
    assert.error_matches(function() make():resume 'nowhere' end, 'Trainer.load: checkpoint: nowhere: No such file')
    assert.error_matches(function() make():resume '/' end, 'Trainer.load: checkpoint: /: Is a directory')
    assert.error_matches(function() make { checkpoints = 'nothing' }:resume() end, 'Trainer.load: which: expected a file')
    files.write(folder, 'a file')
    assert.error_matches(function() make():run() end, 'the folder can not be created')
    os.remove(folder)
  end)

  it('end a run at Ctrl-C after a whole step', function()
    local script = program.script(([[
      local nn, optim, Trainer, setups = require 'nn', require 'optim', require 'trainer', require 'spec.trainer.setups'
      require('ffi').cdef 'int kill(int pid, int signal); int getpid(void);'
      local net = setups.net()
      local trainer = Trainer {
        model = net, criterion = nn.ClassNLLCriterion(), optimizer = optim.Adam(net:requiresGrad():parameters()),
        data = setups.loader { workers = 2 }, epochs = 3, checkpoints = '%s',
      }
      trainer:on('backward', function(t) if t.step == 5 then require('ffi').C.kill(require('ffi').C.getpid(), 2) end end)
      local result = trainer:run()
      print(result.reason, result.steps, trainer.epoch, trainer.batch)
      trainer:on('step', function(t) if t.step == 7 then t:stop() end end)
      print(trainer:run().reason)
      local presses = 0
      trainer:on('batch', function(t)
        for i = 1, 2 do require('ffi').C.kill(require('ffi').C.getpid(), 2) end
        for i = 1, 1e7 do presses = presses + 1 end
      end)
      print(pcall(trainer.run, trainer))
      print(trainer.step)
      require('ffi').C.kill(require('ffi').C.getpid(), 2)
      for i = 1, 1e9 do presses = presses + 1 end
    ]]):format(folder))
    local output, status, errors = program.run { script }
    assert.matches('^interrupt\t6\t2\t2%s+stop%s+false\t[^\n]*interrupted!.-\n7', output)
    assert.matches('ends after this step; Ctrl%-C again interrupts at once', errors, 1)
    assert.matches('interrupted!', errors)
    assert.equal(130, status)
    assert.equal(7, make():load().step)
    os.remove(script)
  end)
end)
