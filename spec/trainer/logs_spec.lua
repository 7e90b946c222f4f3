-- The loggers of the trainer: exact files, TensorBoard's own bytes, and positions.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local Trainer, paths, ffi = require 'trainer', require 'paths', require 'ffi'
local messages, truth = require 'trainer.event_messages', require 'spec.trainer.events'
local setups, files = require 'spec.trainer.setups', require 'spec.support.files'
local clock = require('torch.modules').require 'torch.clock'

local folder

local function hex(text) return (text:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end
local function bytes(digits) return (digits:gsub('..', function(pair) return string.char(tonumber(pair, 16)) end)) end

-- Calls f while the clock shows a time.
local function at(time, f, ...)
  local wall = clock.wall
  clock.wall = function() return time end
  local results = { pcall(f, ...) }
  clock.wall = wall
  assert(results[1], results[2])
  return unpack(results, 2)
end

-- The records of an event file, without the first one, which has the version.
local function eventsOf(name)
  local text, list, place = files.read(name), {}, 1
  while place <= #text do
    local size = 0
    for i = 7, 0, -1 do size = size * 256 + text:byte(place + i) end
    list[#list + 1] = text:sub(place, place + size + 15)
    place = place + size + 16
  end
  return list
end

local function eventFile() return folder .. '/' .. paths.files(folder, 'events')() end

before_each(function()
  folder = os.tmpname()
  os.remove(folder)
end)
after_each(function() paths.rmall(folder, 'yes') end)

describe('trainer.CSVLogger', function()
  it('writes rows under names, with all digits, quotes and gaps', function()
    local log = Trainer.CSVLogger(folder .. '/a/b.csv')
    assert.is_true(torch.isTypeOf(log, 'optim.Logger'))
    log:setNames { 'x', 'a "b", c', 'y' }
    log:add { x = 0.1, y = 1 / 3 }
    log:add { 1e300, 'two\nlines', 0 / 0 }
    log:add { [3] = -math.huge }
    assert.equal('x,"a ""b"", c",y\n0.1,,0.33333333333333331\n1e+300,"two\nlines",nan\n,,-inf\n', files.read(folder .. '/a/b.csv'))
    assert.error_matches(function() log:add { z = 1 } end, 'Logger.add: z: no such column')
    assert.error_matches(function() log:add { x = {} } end, 'can only log numbers and strings')
    assert.error_matches(function() Trainer.CSVLogger() end, 'trainer.CSVLogger: filename: nil, expected a string')
    assert.error_matches(function() Trainer.CSVLogger('/dev/null/x'):add { x = 1 } end, 'trainer.CSVLogger.add: .*/dev/null/x')
  end)

  it('continues from a position', function()
    local name = folder .. '/x.csv'
    local log = Trainer.CSVLogger(name)
    log:add { step = 1, loss = 3 }
    local state = torch.deserialize(torch.serialize(log:state()))
    log:add { step = 2, loss = 2 }
    local other = Trainer.CSVLogger(name)
    assert.matches('2,2\n$', '\n' .. files.read(name):gsub('(%d),(%d)\n$', '%1,%2\n'))
    other:resume(state)
    assert.equal('loss,step\n3,1\n', files.read(name))
    other:add { step = 2, loss = 5 }
    assert.equal('loss,step\n3,1\n5,2\n', files.read(name))
    assert.same({ 3, 5 }, other.symbols.loss)
    os.remove(name)
    other:resume(state)      -- the file is gone: a new one begins
    local third = Trainer.CSVLogger(name)
    third:resume(state)
    third:add { step = 9 }
    assert.equal('step\n9\n', files.read(name))
    third:add { step = 10 }
    Trainer.CSVLogger(name):add { a = 1 }      -- a new run
    assert.equal('a\n1\n', files.read(name))
    assert.error_matches(function() log:resume(3) end, 'trainer.CSVLogger.resume: state: 3, expected a table')
    assert.error_matches(function() log:resume {} end, 'trainer.CSVLogger.resume: state.bytes: nil')
  end)
end)

describe('trainer.JSONLogger', function()
  it('writes an object on each line', function()
    local log = Trainer.JSONLogger(folder .. '/x.jsonl')
    log:add { loss = 0.1, step = 1 }
    log:add { loss = 0 / 0, step = 2 }
    assert.equal('{"loss":0.10000000000000001,"step":1}\n{"loss":null,"step":2}\n', files.read(folder .. '/x.jsonl'))
    local named = Trainer.JSONLogger(folder .. '/y.jsonl')
    named:setNames { 'a"', 'b' }
    named:add { 1, 'text' }
    assert.equal('{"a\\"":1,"b":"text"}\n', files.read(folder .. '/y.jsonl'))
  end)
end)

describe('trainer.SummaryWriter', function()
  it("writes TensorBoard's own bytes", function()
    local png = '\137PNG\r\n\26\n not a whole picture'
    local function record(...) return hex(messages.record(messages.summary(...))) end
    assert.equal(truth.version, hex(messages.record(messages.version(1.5))))
    assert.equal(truth.picture, record(4, 3, 'input', 'images', messages.texts { '5', '300', png }))
    local function written(time, method, ...)
      local writer = Trainer.SummaryWriter(folder)
      at(time, writer[method], writer, ...)
      local events = eventsOf(eventFile())
      assert.equal(hex(messages.record(messages.version(time))), hex(events[1]))
      paths.rmall(folder, 'yes')
      return hex(events[2])
    end
    assert.equal(truth.scalar, written(1234567890.25, 'addScalar', 'train/loss', 0.1, 7))
    assert.equal(truth.zero, written(0, 'addScalar', 'x', 0, 0))
    assert.equal(truth.large, written(2, 'addScalar', 'x', -1e30, 2 ^ 40 + 300))
    assert.equal(truth.nan, written(2, 'addScalar', 'x', 0 / 0, 1))
    assert.equal(written(2, 'addScalar', '3', 1, 1), written(2, 'addScalar', 3, 1, 1))
    local values = { 0, 1, 1.5, 2, 2, 3.9, 4 }
    assert.equal(truth.histogram, written(3, 'addHistogram', 'weights', torch.Tensor(values), 200, { bins = 4 }))
    values[8], values[9], values[10] = 0 / 0, math.huge, -math.huge
    assert.equal(truth.histogram, written(3, 'addHistogram', 'weights', torch.Tensor(values):view(2, 5), 200, { bins = 4 }))
    assert.equal(truth.constant, written(3, 'addHistogram', 'weights', torch.LongTensor { 2, 2 }, 1))
    assert.equal(truth.empty, written(3, 'addHistogram', 'weights', torch.FloatTensor(), 1))
    assert.equal(truth.empty, written(3, 'addHistogram', 'weights', torch.FloatTensor { 0 / 0 }, 1))
    assert.equal(truth.text, written(5, 'addText', 'note', 'grüß', 128))
    assert.equal(truth.long, written(5, 'addText', 'note', ('0123456789'):rep(30), 1))
  end)

  it('adds pictures with their sizes, and tables of numbers', function()
    local writer = Trainer.SummaryWriter(folder)
    local picture = torch.rand(3, 4, 5)
    if pcall(require('image').compressPNG, picture) then
      at(4, writer.addImage, writer, 'input', picture, 3)
      local png = require('image').compressPNG(picture)
      local text = ffi.string(png:data(), png:nElement())
      assert.equal(hex(messages.record(messages.summary(4, 3, 'input', 'images', messages.texts { '5', '4', text }))),
        hex(eventsOf(eventFile())[2]))
    end
    at(1, writer.add, writer, { step = 7, ['validation.loss'] = 2, epoch = 1, name = 'x' })
    local events = eventsOf(eventFile())
    assert.equal(messages.record(messages.summary(1, 7, 'epoch', 'scalars', messages.scalar(1))), events[#events - 1])
    assert.equal(messages.record(messages.summary(1, 7, 'validation/loss', 'scalars', messages.scalar(2))), events[#events])
    writer:addScalar('x', torch.ones(1):requiresGrad(), 1)
    writer:close()
    writer:addScalar('x', 2, 2)
    assert.equal(#events + 2, #eventsOf(eventFile()))
  end)

  it('continues from a position in the same file', function()
    local writer = Trainer.SummaryWriter(folder)
    at(1, writer.addScalar, writer, 'x', 1, 1)
    local state, before = writer:state(), files.read(eventFile())
    at(1, writer.addScalar, writer, 'x', 2, 2)
    local whole = files.read(eventFile())
    writer:addScalar('x', 3, 3)
    local other = Trainer.SummaryWriter(folder)
    other:resume(state)
    assert.equal(before, files.read(eventFile()))
    at(1, other.addScalar, other, 'x', 2, 2)
    assert.equal(whole, files.read(eventFile()))
    assert.equal(bytes(truth.version):sub(1, 8), whole:sub(1, 8))
  end)

  it('names what is wrong', function()
    local writer = Trainer.SummaryWriter(folder)
    local function refuses(pattern, method, ...)
      local arguments = { ... }
      local expected = ('trainer.SummaryWriter.%s: %s'):format(method, pattern)
      assert.error_matches(function() writer[method](writer, unpack(arguments, 1, 4)) end, expected)
    end
    refuses('tag: nil, expected a string', 'addScalar', nil, 1, 1)
    refuses('value: nil, expected a number', 'addScalar', 'a', nil, 1)
    refuses("value: 'x', expected a number", 'addScalar', 'a', 'x', 1)
    refuses('value: .*, expected a number', 'addScalar', 'a', torch.zeros(2), 1)
    refuses('step: %-1, expected a whole number from 0', 'addScalar', 'a', 1, -1)
    refuses('step: nil, expected a whole number from 0', 'addText', 'a', 'b')
    refuses('values: number, expected a tensor', 'addHistogram', 'a', 3, 1)
    refuses('bins: 0, expected a whole number', 'addHistogram', 'a', torch.zeros(1), 1, { bins = 0 })
    refuses('options: bin, expected one of bins', 'addHistogram', 'a', torch.zeros(1), 1, { bin = 0 })
    refuses('picture: number, expected a tensor', 'addImage', 'a', 3, 1)
    refuses('text: nil, expected a string', 'addText', 'a', nil, 1)
    refuses('step: nil', 'add', { loss = 3 })
    refuses('values: 3, expected a table', 'add', 3)
    refuses('state.name: ', 'resume', { name = '../events', bytes = 3 })
    refuses('state.bytes: nil', 'resume', { name = 'events.out' })
    assert.error_matches(function() Trainer.SummaryWriter() end, 'trainer.SummaryWriter: logDir: nil, expected a string')
    assert.is_nil(paths.dirp(folder) or nil)
  end)
end)

describe('the logs of a trainer', function()
  it('get the measures of epochs and steps', function()
    local net = setups.net()
    local rows, steps, lists = {}, {}, {}
    local steps_ = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.5 })
    local function collect(list) return { add = function(_, values) list[#list + 1] = values end } end
    local trainer = Trainer {
      model = net, criterion = nn.ClassNLLCriterion(), optimizer = steps_, data = setups.loader(), epochs = 3,
      logs = { collect(rows), optim.Logger(folder .. '/x.log') }, stepLogs = collect(steps), logEvery = 5, validation = setups.loader(),
      schedule = optim.schedule.exponential(steps_, { gamma = 0.5 }), scheduleEvery = 'step',
    }
    trainer:on('step', function(t) lists[t.step] = { t.loss, t.epoch } end):run()
    assert.equal(3, #rows)
    for i, row in ipairs(rows) do assert.same(trainer.history[i], row) end
    assert.equal(2, #steps)
    assert.same({ step = 5, stepLoss = lists[5][1], epoch = lists[5][2], learningRate = 0.5 ^ 5 }, steps[1])
    assert.same({ step = 10, stepLoss = lists[10][1], epoch = 3, learningRate = 0.5 ^ 10 }, steps[2])
    assert.matches('^epoch\tlearningRate\tloss\tstep\tvalidation.loss\t\n +1.0000e%+00\t', files.read(folder .. '/x.log'))
  end)

  it('are checked', function()
    local net = setups.net()
    local function refuses(more, pattern)
      local options = {
        model = net, criterion = nn.ClassNLLCriterion(), optimizer = optim.sgd, data = setups.loader(), epochs = 1,
      }
      for name, value in pairs(more) do options[name] = value end
      assert.error_matches(function() Trainer(options) end, pattern)
    end
    refuses({ logs = 3 }, 'Trainer: logs: 3, expected a table')
    refuses({ logs = { {} } }, 'Trainer: logs: number 1: .*, expected an object with a method add')
    refuses({ stepLogs = { 3 } }, 'Trainer: stepLogs: number 1: .*, expected an object')
    refuses({ logEvery = 0 }, 'Trainer: logEvery: 0, expected a whole number, 1 or more')
    refuses({ progress = 3 }, 'Trainer: progress: 3, expected true or false')
    refuses({ plot = 3 }, 'Trainer: plot: 3, expected a table')
    refuses({ plot = { {} } }, 'Trainer: plot: number 1: .*, expected a string')
    refuses({ checkNaN = 3 }, 'Trainer: checkNaN: 3, expected true or false')
  end)
end)
