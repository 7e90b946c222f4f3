--- Speed on a GPU, compared with PyTorch if Python has it (bench/gpu_peer.py): rows of a table, `id | ours | peer | ratio`, medians of
-- `rounds` alternating runs. Times are in microseconds and include the work on the device.
local torch = require 'torch'
local nn = require 'nn'
local cuda = torch.cuda

local rounds = 15
local script = arg[0]:gsub('[^/]*$', 'gpu_peer.py')

local function fill(...) return torch.FloatTensor(...):uniform(-1, 1):to 'cuda' end
local function as(kind, x) return x:to(kind .. ' on cuda') end

-- A training step of a net on a batch, by Torch7's protocol.
local function step(net, input, classes)
  local criterion = nn.CrossEntropyCriterion():to 'float on cuda'
  local target = torch.LongTensor(input:size(1)):random(1, classes):to 'cuda'
  net:to 'float on cuda'
  local parameters, gradients = net:getParameters()
  return function()
    gradients:zero()
    local output = net:forward(input)
    criterion:forward(output, target)
    net:backward(input, criterion:backward(output, target))
    parameters:add(-0.01, gradients)
  end
end

local n = 2 ^ 26
local workloads = {
  { 'add 6.7e7 floats', function()
    local x, y, z = fill(n), fill(n), fill(n)
    return function() torch.add(z, x, y) end
  end },
  { 'exp 6.7e7 bf16', function()
    local x = as('bfloat16', fill(n))
    local z = x:clone()
    return function() torch.exp(z, x) end
  end },
  { 'sum 6.7e7 floats', function()
    local x = fill(8192, 8192)
    return function() x:sum(2) end
  end },
  { 'mm 4096 bf16', function()
    local a, b = as('bfloat16', fill(4096, 4096)), as('bfloat16', fill(4096, 4096))
    local c = torch.mm(a, b)
    return function() torch.mm(c, a, b) end
  end },
  { 'add 1000 floats', function()
    local x, y, z = fill(1000), fill(1000), fill(1000)
    return function() torch.add(z, x, y) end
  end },
  { 'mlp step 64', function()
    local net = nn.Sequential():add(nn.Linear(784, 256)):add(nn.ReLU()):add(nn.Linear(256, 256)):add(nn.ReLU()):add(nn.Linear(256, 10))
    return step(net, fill(64, 784), 10)
  end },
  { 'convnet step 128', function()
    local net = nn.Sequential():add(nn.SpatialConvolution(3, 32, 3, 3, 1, 1, 1, 1)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
      :add(nn.SpatialConvolution(32, 64, 3, 3, 1, 1, 1, 1)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2)):add(nn.View(64 * 8 * 8))
      :add(nn.Linear(64 * 8 * 8, 10))
    return step(net, fill(128, 3, 32, 32), 10)
  end },
}

local function microseconds(f)
  local repeats = 20
  f()
  cuda.synchronize()
  local timer = torch.Timer()
  for _ = 1, repeats do f() end
  cuda.synchronize()
  return timer:time().real / repeats * 1e6
end

-- The peer runs all workloads in one process, which prints a line `id microseconds` for each request.
local function peer(id)
  local pipe = io.popen(("python3 '%s' '%s' 2>/dev/null"):format(script, id))
  local answer = pipe:read '*a'
  pipe:close()
  return tonumber(answer)
end

local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

for _, workload in ipairs(workloads) do
  local id, f, times = workload[1], workload[2](), {}
  for i = 1, rounds do times[i] = microseconds(f) end
  local ours, theirs = median(times), peer(id)
  print(('| bench | %s | %.1f us | %s |'):format(id, ours,
    theirs and ('PyTorch %.1f us, ratio %.2f'):format(theirs, theirs / ours) or 'no PyTorch here'))
end
