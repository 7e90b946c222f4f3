-- Learns to read digits with all that a trainer has: `th examples/trainer.lua [RUN [EPOCHS [DATA]]]`. Started again, it continues in the
-- folder RUN. DATA is a folder with MNIST's files; without it the program draws its own digits.
package.path = arg[0]:match '^(.*)/[^/]*$' .. '/?.lua;' .. package.path
local torch, nn, optim, data, tnt = require 'torch', require 'nn', require 'optim', require 'data', require 'torchnet'
local Trainer, digits, run, epochs = require 'trainer', require 'digits.data', arg[1] or 'digits-run', tonumber(arg[2] or 5)
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(1)
local training, test = digits.draw(2000, 1), digits.draw(500, 2)
if arg[3] then training, test = digits.read(arg[3]) end
local function set(of) return data.TensorDataset { input = of.images, target = of.labels } end
local net = nn.Sequential(nn.SpatialConvolution(1, 16, 5, 5), nn.ReLU(), nn.SpatialMaxPooling(4, 4), nn.View(576), nn.Dropout(0.2))
local steps = optim.Adam(net:add(nn.Linear(576, 10)):requiresGrad():parameters(), { learningRate = 2e-3 })
local writer = Trainer.SummaryWriter(run .. '/events')
local trainer = Trainer {
  model = net, criterion = nn.CrossEntropyCriterion(), optimizer = steps, schedule = optim.schedule.cosine(steps, { period = epochs }),
  data = data.DataLoader(set(training), { batchSize = 16, shuffle = true, workers = 2, seed = 1 }), epochs = epochs,
  validation = data.DataLoader(set(test), { batchSize = 100 }), meters = { error = tnt.ClassErrorMeter() }, monitor = 'validation.error',
  prepare = function(batch) return batch.input:float():div(255):view(-1, 1, 28, 28), batch.target end, patience = 3,
  accumulate = 2, precision = 'bfloat16', checkNaN = true, plot = true, checkpoints = { folder = run, every = 20, keep = 2 },
  logs = { Trainer.CSVLogger(run .. '/epochs.csv'), writer }, stepLogs = Trainer.JSONLogger(run .. '/steps.jsonl'),
  hooks = { backward = function(t) optim.clipGradNorm(t.optimizer.parameters, 5) end, epoch = function(t)
    writer:addHistogram('weights', net:get(1).weight, t.step):addImage('digit', t.input[1], t.step):addText('note', tostring(t), t.step)
    print(('epoch %d  loss %.4f  error %.1f %%'):format(t.epoch, t.values.loss, t.values['validation.error']))
  end } }
print(('the best error is %.1f %%, in epoch %d'):format(trainer:resume().best.value, trainer.best.epoch))
