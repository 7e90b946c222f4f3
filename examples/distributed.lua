-- Learns to read digits on several processes: `bin/th-launch -n 2 examples/distributed.lua [EPOCHS]`. The losses are those of one process,
-- `th examples/distributed.lua`, to rounding: 1, 2 or 4 processes share the 32 pictures of each step.
package.path = arg[0]:match '^(.*)/[^/]*$' .. '/?.lua;' .. package.path
local torch, nn, optim, data = require 'torch', require 'nn', require 'optim', require 'data'
local digits, dist = require 'digits.data', require 'torch.distributed'
dist.init()
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(1)
local rank, count, epochs = dist.rank(), dist.worldSize(), tonumber(arg[1] or 3)
local training, test = digits.draw(2000, 1), digits.draw(500, 2)

local net = nn.Sequential(nn.SpatialConvolution(1, 16, 5, 5), nn.ReLU(), nn.SpatialMaxPooling(4, 4), nn.View(576))
net = nn.DistributedDataParallel(net:add(nn.Linear(576, 10)):add(nn.LogSoftMax()))
local criterion, steps = nn.ClassNLLCriterion(), optim.Adam(net:requiresGrad():parameters(), { learningRate = 2e-3 })

-- All ranks draw the same order, of which each takes its part.
local sampler = data.DistributedSampler(2000, { rank = rank + 1, replicas = count })
local generator = torch.Generator()
torch.manualSeed(generator, 1)
for epoch = 1, epochs do
  local losses, size = 0, math.ceil(32 / count)
  local parts = sampler:order(generator):split(size)
  for _, part in ipairs(parts) do
    local input, target = digits.batch(training, part)
    steps:zeroGrad()
    local loss = criterion(net(input), target)
    loss:backward()
    steps:step()
    losses = losses + loss:item() / #parts
  end
  local loss = dist.allReduce(torch.Tensor { losses }, 'mean')[1]
  if rank == 0 then print(('epoch %d  loss %.4f'):format(epoch, loss)) end
end

net:evaluate()
if rank == 0 then
  local input, target = digits.batch(test, torch.range(1, 500):long())
  local _, best = net:get(1):forward(input):max(2)
  print(('accuracy %.1f %%'):format(torch.eq(best:view(-1), target):double():mean() * 100))
end
