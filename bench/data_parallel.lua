-- Data parallel training on the ranks of th-launch: how much faster than one process it is, and how much of the reduction its steps hide.
--
--     OMP_NUM_THREADS=1 bin/th-launch -n 2 bench/data_parallel.lua [--rounds 15] [digits lenet gpt]
--
-- In each round, in turns: `alone`, a step of rank 0 while the others sleep; `apart`, steps of all ranks without reduction; `together`,
-- steps with it; and `reduction`, the gradients' reduction without a step. Printed are medians of rank 0, and medians of ratios of a round:
--
-- * speed: n alone / together, the throughput of n ranks over that of one;
-- * ceiling: n alone / apart, what the machine gives to n programs that don't know of each other: memory, caches, and other programs;
-- * hidden: 1 - (together - apart) / reduction, the share of the reduction that takes no time of the step.
local torch, nn, optim, sys = require 'torch', require 'nn', require 'optim', require 'sys'
local Reducer = require 'distributed.reducer'
local dist = require('torch.distributed').init { timeout = 300 }
torch.setdefaulttensortype 'torch.FloatTensor'

local models = {}

local function pictures(net, batch) return net, torch.randn(batch, 1, 28, 28), torch.LongTensor(batch):random(1, 10) end

-- The network of examples/distributed.lua.
function models.digits(batch)
  local net = nn.Sequential(nn.SpatialConvolution(1, 16, 5, 5), nn.ReLU(), nn.SpatialMaxPooling(4, 4), nn.View(576))
  return pictures(net:add(nn.Linear(576, 10)):add(nn.LogSoftMax()), batch or 32)
end

function models.lenet(batch)
  local net = nn.Sequential(nn.SpatialConvolution(1, 20, 5, 5), nn.ReLU(), nn.SpatialMaxPooling(2, 2))
  net:add(nn.SpatialConvolution(20, 50, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2)):add(nn.View(800))
  net:add(nn.Linear(800, 500)):add(nn.ReLU()):add(nn.Linear(500, 10)):add(nn.LogSoftMax())
  return pictures(net, batch or 64)
end

-- A transformer with 10 million parameters: 12 blocks of 256 numbers, texts of 64 of 256 tokens.
function models.gpt(batch)
  local width, context, tokens = 256, 64, 256
  batch = batch or 2
  local net = nn.Sequential(nn.Embedding(tokens, width))
  for _ = 1, 12 do net:add(nn.TransformerEncoderLayer(width, 4, 4 * width, 0, 'gelu', 1e-5, true, true)) end
  net:add(nn.LayerNorm(width)):add(nn.View(-1, width)):add(nn.Linear(width, tokens)):add(nn.LogSoftMax())
  return net, torch.LongTensor(batch, context):random(1, tokens), torch.LongTensor(batch * context):random(1, tokens)
end

local function median(list)
  local sorted = { unpack(list) }
  table.sort(sorted)
  return sorted[math.ceil(#sorted / 2)]
end

-- Returns the seconds of a call, of several in a row.
local function timed(calls, f)
  dist.barrier()
  local start = sys.clock()
  for _ = 1, calls do f() end
  return (sys.clock() - start) / calls
end

local function measure(name, batch, rounds)
  torch.manualSeed(1 + dist.rank())
  local inner, x, y = models[name](batch)
  local net = nn.DistributedDataParallel(inner:requiresGrad())
  local criterion, parameters = nn.ClassNLLCriterion(), inner:parameters()
  local optimizer = optim.Adam(parameters, { learningRate = 1e-4 })
  local reducer, gradients, count = Reducer.new { bucketBytes = net.bucketBytes }, {}, 0
  for i, p in ipairs(parameters) do gradients[i], count = torch.zeros(p:size()), count + p:nElement() end

  local function step()
    optimizer:zeroGrad()
    criterion(net(x), y):backward()
    optimizer:step()
  end
  local function reduce()
    reducer:begin(gradients, 1, {})
    for i = #gradients, 1, -1 do reducer:put(i, gradients[i]) end
    reducer:finish(function() end)
  end
  local function apart() net:noSync(step) end
  local function alone()
    if dist.rank() == 0 then apart() end
  end
  local kinds = { { 'alone', alone }, { 'apart', apart }, { 'together', step }, { 'reduction', reduce } }
  for _ = 1, 2 do
    for _, kind in ipairs(kinds) do kind[2]() end
  end
  local calls = dist.broadcastObject(math.max(1, math.ceil(0.05 / timed(3, apart))))
  local times, ratios = { alone = {}, apart = {}, together = {}, reduction = {} }, { speed = {}, ceiling = {}, hidden = {} }
  local n = dist.worldSize()
  for round = 1, rounds do
    for _, kind in ipairs(kinds) do times[kind[1]][round] = timed(calls, kind[2]) end
    local a, b, t, r = times.alone[round], times.apart[round], times.together[round], times.reduction[round]
    ratios.speed[round], ratios.ceiling[round], ratios.hidden[round] = n * a / t, n * a / b, 1 - (t - b) / r
  end
  if dist.rank() > 0 then return end
  local line = { ('%-6s %9d parameters'):format(name, count) }
  for _, kind in ipairs(kinds) do line[#line + 1] = ('%s %.2f ms'):format(kind[1], median(times[kind[1]]) * 1e3) end
  for _, ratio in ipairs { 'speed', 'ceiling', 'hidden' } do line[#line + 1] = ('%s %.2f'):format(ratio, median(ratios[ratio])) end
  print(table.concat(line, '  '))
  io.flush()
end

local rounds, names, i = 15, {}, 1
while arg[i] do
  if arg[i] == '--rounds' then
    rounds, i = tonumber(arg[i + 1]), i + 2
  else
    names[#names + 1], i = arg[i], i + 1
  end
end
for _, word in ipairs(#names > 0 and names or { 'digits', 'lenet', 'gpt' }) do
  local name, batch = word:match '^(%a+):?(%d*)$'
  if not models[name] then error(('%s: expected digits, lenet or gpt, with a batch as in lenet:256'):format(word), 0) end
  measure(name, tonumber(batch), rounds)
end
