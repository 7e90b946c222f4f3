-- A training that can be killed: `th spec/trainer/killed.lua FOLDER PROTOCOL WORKERS [STEP PHASE]`. It continues from the checkpoints in
-- the folder, and prints digests of the model and the history at its end. With STEP it kills itself at that step: in a hook, or, in the
-- phase `rename`, when the next checkpoint is written, but not yet renamed.
local ffi = require 'ffi'
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local Trainer, tnt, md5 = require 'trainer', require 'torchnet', require 'md5'
local setups = require 'spec.trainer.setups'
ffi.cdef 'int kill(int pid, int signal); int getpid(void);'

local folder, protocol, workers, step, phase = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4]), arg[5]
local function die() ffi.C.kill(ffi.C.getpid(), 9) end

local net = setups.net(7)
local isTape = protocol == 'tape'
local optimizer = isTape and optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.01 }) or optim.sgd
local config = not isTape and { learningRate = 0.1, momentum = 0.9 } or nil
local own = torch.Generator()
torch.manualSeed(own, 4)
local trainer
trainer = Trainer {
  model = net, criterion = nn.ClassNLLCriterion(), optimizer = optimizer, config = config, epochs = 4, accumulate = 2,
  data = setups.loader { batchSize = 3, workers = workers }, validation = setups.loader { workers = workers, seed = 8 },
  meters = { error = tnt.ClassErrorMeter() }, generators = { own }, memory = { drawn = 0 },
  schedule = optim.schedule.cosine(isTape and optimizer or config, { period = 12 }), scheduleEvery = 'step',
  logs = { Trainer.CSVLogger(folder .. '/epochs.csv'), Trainer.SummaryWriter(folder) },
  stepLogs = Trainer.JSONLogger(folder .. '/steps.jsonl'),
  checkpoints = { folder = folder, every = 2, keep = 2 },
  prepare = function(batch) return batch.input + torch.uniform(own, 0, 0.1) + 0.1 * math.random(), batch.target end,
}
trainer:on('batch', function(t) t.memory.drawn = t.memory.drawn + math.random() end)
if phase == 'rename' then
  trainer:on('step', function(t)
    if t.step == step then require('torch.file.libc').rename = die end
  end)
elseif step then
  trainer:on(phase, function(t) if t.step == step then die() end end)
end
trainer:on('step', function(t)
  io.write('step ', t.step, '\n')
  io.flush()
end)
local result = trainer:resume()
trainer.memory.history = trainer.history
for _, name in ipairs { 'epochs.csv', 'steps.jsonl' } do trainer.memory[name] = io.open(folder .. '/' .. name):read '*a' end
for name in require('paths').files(folder, 'events') do
  local file = io.open(folder .. '/' .. name)
  trainer.memory.events = (trainer.memory.events or '') .. file:seek 'end' .. ' bytes '
end
print('result', result.reason, result.steps, setups.hash(net), md5.sumhexa(torch.serialize(result.best.value)),
  md5.sumhexa(require('torch.file.json_text')(trainer.memory)))
