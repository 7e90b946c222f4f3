-- Moontorch's side of bench/latency.py: prepares a network and measures as the driver asks.
-- Input lines: "run SECONDS" or "loop SECONDS MICROSECONDS" (plain arithmetic that takes about as long as a run). The answer is a line of
-- times in microseconds.
local folder = arg[0]:match '^(.*)/' or '.'
package.path = folder .. '/?.lua;' .. package.path
local torch, nn = require 'torch', require 'nn'
local networks = require 'networks'

torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(0)

local function unit(net, from, to, size, stride, groups)
  local pad = (size - 1) / 2
  local convolution = groups == 1 and nn.SpatialConvolution(from, to, size, size, stride, stride, pad, pad):noBias()
    or nn.SpatialDepthWiseConvolution(from, 1, size, size, stride, stride, pad, pad):noBias()
  return net:add(convolution):add(nn.SpatialBatchNormalization(to)):add(nn.ReLU())
end

local function mobilenet()
  local net, from = unit(nn.Sequential(), 3, 32, 3, 2, 1), 32
  local blocks = { { 64, 1 }, { 128, 2 }, { 128, 1 }, { 256, 2 }, { 256, 1 }, { 512, 2 } }
  for _ = 1, 5 do blocks[#blocks + 1] = { 512, 1 } end
  blocks[#blocks + 1], blocks[#blocks + 2] = { 1024, 2 }, { 1024, 1 }
  for _, block in ipairs(blocks) do
    unit(unit(net, from, from, 3, block[2], from), from, block[1], 1, 1, 1)
    from = block[1]
  end
  return net:add(nn.SpatialAdaptiveAveragePooling(1, 1)):add(nn.View(1024):setNumInputDims(3)):add(nn.Linear(1024, 1000))
end

local known = {
  mlp = { function() return nn.Sequential():add(nn.Linear(784, 256)):add(nn.ReLU()):add(nn.Linear(256, 10)) end, { 1, 784 } },
  lenet = { networks.lenet, { 1, 1, 28, 28 } },
  resnet18 = { function() return networks.resnet18(false, 1000) end, { 1, 3, 224, 224 } },
  mobilenet = { mobilenet, { 1, 3, 224, 224 } },
  lstm = { function() return nn.LSTM(128, 128) end, { 32, 1, 128 } },
  encoder = { networks.transformer, { 1, 64, 256 } },
}

local name, threads = arg[1], tonumber(arg[2])
torch.setnumthreads(threads)
local make, sizes = unpack(known[name])
local net = make()
local input = torch.randn(unpack(sizes))
local run = arg[3] == 'eager' and function(x) return torch.noGrad(function() return net(x) end) end or net:prepare(sizes)
if arg[3] == 'eager' then net:evaluate() end

local timer = torch.Timer()
local function seconds() return timer:time().real end

local function times(f, duration)
  local list, stop = {}, seconds() + duration
  while true do
    local before = seconds()
    f()
    local after = seconds()
    list[#list + 1] = ('%.2f'):format((after - before) * 1e6)
    if after > stop then return list end
  end
end

local function arithmetic(count)
  local x = 1
  for i = 1, count do x = x * 0.999999 + i end
  return x
end

for line in io.lines() do
  local command, duration, wanted = line:match '(%S+) (%S+) ?(%S*)'
  local list
  if command == 'run' then
    list = times(function() run(input) end, tonumber(duration))
  else
    local before = seconds()
    arithmetic(1e6)
    local count = math.max(1, 1e6 * tonumber(wanted) / ((seconds() - before) * 1e6))
    list = times(function() arithmetic(count) end, tonumber(duration))
  end
  io.write(table.concat(list, ' '), '\n')
  io.flush()
end
