-- How training on many processes would scale, on paper: the time of all-reduces by several ways, of pipelines, and the traffic and memory
-- of divided optimisers, for up to 4,096 ranks of a network that is described by a few figures.
--
--   bin/th-launch -n 4 examples/scale.lua               measures these figures on its ranks, and compares the model with real all-reduces
--   th examples/scale.lua latency=2e-6 bandwidth=25e9 perMachine=8      takes them from the command line: seconds, bytes per second
local here = arg[0]:match '^(.*)/' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, sys = require 'torch', require 'sys'
local Network, ways, plans = require 'scale.network', require 'scale.all_reduce', require 'scale.plans'

local figures = { latency = 2e-6, bandwidth = 25e9, localLatency = 1e-6, localBandwidth = 10e9, sum = 10e9, perMachine = 8, most = 4096,
  flops = 50e12, examples = 4096 }
for _, word in ipairs(arg) do
  local name, value = word:match '^(%w+)=(.+)$'
  if not figures[name or ''] or not tonumber(value) then error(word .. ': expected one of the figures with a number, as latency=2e-6') end
  figures[name] = tonumber(value)
end

local function network(ranks, perMachine)
  local described = { ranks = ranks }
  for name, value in pairs(figures) do described[name] = value end
  described.perMachine = perMachine or figures.perMachine
  return Network.new(described)
end

local function line(...) io.write(string.format(...), '\n') end

-- The median seconds of a function.
local function timed(f)
  local times = {}
  for i = 1, 9 do
    local start = sys.clock()
    f()
    times[i] = sys.clock() - start
  end
  table.sort(times)
  return times[5]
end

-- Measures the figures of this machine with all ranks, and real all-reduces beside the model's.
local function measure(dist)
  local ranks, mega = dist.worldSize(), 2 ^ 20
  local pair = dist.newGroup { 0, 1 }
  local x, y = torch.FloatTensor(4 * mega):fill(1), torch.FloatTensor(4 * mega):fill(1)
  if pair:rank() then figures.localLatency = timed(function() dist.barrier { group = pair } end) end
  -- All ranks send and receive at the same time, as in an all-reduce: they may share cores, and share memory.
  dist.barrier()
  figures.localBandwidth = x:nElement() * 4 / timed(function()
    local sent = dist.send(x, (dist.rank() + 1) % ranks, { async = true })
    dist.receive(y, (dist.rank() - 1) % ranks)
    sent:wait()
  end)
  dist.barrier()
  figures.sum = x:nElement() * 4 / timed(function() x:cmax(y) end)
  dist.barrier()
  if dist.rank() == 0 then
    local words = 'latency %.3g us, bandwidth %.3g GB/s, sums %.3g GB/s'
    line(words, figures.localLatency * 1e6, figures.localBandwidth / 1e9, figures.sum / 1e9)
    line('%12s %14s %14s', 'bytes', 'measured ms', 'model ms')
  end
  for _, bytes in ipairs { 1024, mega, 16 * mega, 64 * mega } do
    local v = torch.FloatTensor(bytes / 4):fill(1)
    local seconds = timed(function()
      dist.barrier()
      dist.allReduce(v, 'max')
    end)
    local model = ways.direct(network(ranks, ranks), bytes)
    if dist.rank() == 0 then line('%12d %14.3f %14.3f', bytes, seconds * 1e3, model * 1e3) end
  end
end

local function allReduces()
  local names = { 'direct', 'chain', 'ring', 'tree', 'hierarchical' }
  line('\nall-reduce of float32, %d ranks a machine: milliseconds', figures.perMachine)
  line('%6s %12s %10s %10s %10s %10s %13s', 'ranks', 'bytes', unpack(names))
  local ranks = figures.perMachine
  while ranks <= figures.most do
    for _, bytes in ipairs { 4096, 4e6, 4e8, 4e9 } do
      local seconds = {}
      for i, name in ipairs(names) do seconds[i] = ways[name](network(ranks), bytes) * 1e3 end
      line('%6d %12d %10.3f %10.3f %10.3f %10.3f %13.3f', ranks, bytes, unpack(seconds))
    end
    ranks = ranks * 8
  end
end

local function pipelines()
  line('\npipeline of equal stages, small batches of 1 ms forward and 2 ms backward: share of the time in which a stage works')
  line('%6s %10s %10s %10s', 'stages', '4 batches', '16', '64')
  for _, stages in ipairs { 2, 4, 8, 16, 64 } do
    local shares = {}
    for _, batches in ipairs { 4, 16, 64 } do
      shares[#shares + 1] = batches * 3e-3 / plans.pipeline(stages, batches, 1e-3, 2e-3, figures.latency + 16e6 / figures.bandwidth)
    end
    line('%6d %10.2f %10.2f %10.2f', stages, unpack(shares))
  end
end

local function divided()
  line('\nAdam in float32 on 64 ranks: what each keeps, and the time of its traffic against that of the arithmetic of %d examples',
    figures.examples)
  line('%12s %6s %12s %12s %12s', 'parameters', 'stage', 'GB a rank', 'traffic s', 'arithmetic s')
  for _, parameters in ipairs { 1e7, 1e8, 1e9, 1e10, 1e11 } do
    for stage = 0, 3 do
      local sent, kept = plans.zero(stage, parameters, 64)
      -- A number takes part in 6 operations for each example: 2 forwards, 4 backwards.
      line('%12.0e %6d %12.3f %12.4f %12.4f', parameters, stage, kept / 1e9, sent / figures.bandwidth,
        6 * parameters * figures.examples / figures.flops)
    end
  end
end

local launched = (tonumber(os.getenv 'OMPI_COMM_WORLD_SIZE') or 1) > 1
local dist = launched and require('torch.distributed').init { timeout = 120 }
if dist then measure(dist) end
if not dist or dist.rank() == 0 then
  allReduces()
  pipelines()
  divided()
end
