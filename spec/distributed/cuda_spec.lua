-- torch.distributed with tensors on GPUs, which are emulated: by NCCL where each rank has one, else through memory of the host.
local hasCuda = require 'spec.support.with_cuda'
local ranks = require 'spec.support.ranks'

if not hasCuda then return end
local cuda = require('torch').cuda
if cuda.deviceCount() < 2 then return end

local start = [[
  torch.cuda.setDevice(dist.localRank() % torch.cuda.deviceCount() + 1)
  local function onGpu(x) return x:to('cuda') end
  local nccl = require 'torch.cuda.nccl'
  local function wide(x) return x:isComplex() and x:to('cpu') or x:to('cpu'):double() end
  local function close(x, y) assert(torch.abs(wide(x) - wide(y)):max() == 0) end
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, start .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

-- Every call, against the same on the CPU.
local calls = [[
  for _, count in ipairs { 5, 40000 } do
    local function numbers(seed) return torch.range(1, 2 * count):float():view(count, 2):add(seed) end
    local x = numbers(rank)
    for _, reduction in ipairs { 'sum', 'product', 'min', 'max', 'mean' } do
      if reduction ~= 'product' or count == 5 then
        close(dist.allReduce(onGpu(x), reduction), dist.allReduce(x:clone(), reduction))
      end
    end
    local turned = onGpu(x:t():clone()):t()                -- not contiguous
    assert(dist.allReduce(turned) == turned)
    close(turned, dist.allReduce(x:clone()))
    local reduced = onGpu(x)
    close(dist.reduce(reduced, 1), rank == 1 and dist.allReduce(x:clone()) or (dist.allReduce(x:clone()) and x))
    close(dist.broadcast(onGpu(x), 1), numbers(1))
    local list = {}
    for i = 1, n do list[i] = onGpu(numbers(10 * rank + i)) end
    for i, y in ipairs(dist.allGather(onGpu(x))) do close(y, numbers(i - 1)) end
    for i, y in ipairs(dist.allToAll(list)) do close(y, numbers(10 * (i - 1) + rank + 1)) end
    local gathered = dist.gather(onGpu(x), 1)
    assert((gathered ~= nil) == (rank == 1))
    for i, y in ipairs(gathered or {}) do close(y, numbers(i - 1)) end
    close(dist.scatter(onGpu(x), list, 1), numbers(10 + rank + 1))
    local hosts = {}
    for i = 1, n do hosts[i] = list[i]:to('cpu') end
    local part = dist.reduceScatter(list)
    assert(part:device() == list[1]:device())
    close(part, dist.reduceScatter(hosts))
    local to, from = (rank + 1) % n, (rank - 1) % n
    local sent = dist.send(onGpu(x), to, { async = true })
    close(dist.receive(onGpu(torch.FloatTensor(count, 2)), from), numbers(from))
    sent:wait()
  end
  for _, info in ipairs(require('libmoontorch').dtypes) do
    local x = torch.DoubleTensor { 1, 0, rank + 1 }:type(('torch.%sTensor'):format(info.torch))
    if info.use ~= 'storage' and torch['Cuda' .. info.torch .. 'Tensor'] then
      close(dist.allReduce(onGpu(x)), dist.allReduce(x:clone()))
    end
  end
  assert(dist.allReduce(onGpu(torch.FloatTensor())):nElement() == 0)
]]

describe('torch.distributed on GPUs', function()
  it('makes every call by NCCL', function()
    run(2, calls .. [[
      local program = nccl.join
      nccl.join = function() error 'a second communicator' end
      dist.allReduce(onGpu(torch.ones(3)))
      nccl.join = program
    ]])
  end)

  it('goes through the host where ranks share a GPU', function()
    if cuda.deviceCount() > 2 then return end
    local outputs, status, errors = ranks.try(3, start .. calls .. "io.write 'ok'")
    assert.equal('okokok', table.concat(outputs))
    assert.equal(0, status)
    assert.equal('torch.distributed: CUDA tensors go through the memory of the host: ranks 0 and 2 have the same GPU\n',
      table.concat(errors))
  end)

  it('works in groups', function()
    run(2, [[
      local alone, both = dist.newGroup { 0 }, dist.newGroup { 1, 0 }
      if rank == 0 then close(dist.allReduce(onGpu(torch.ones(3)), 'sum', { group = alone }), torch.ones(3)) end
      local all = dist.allGather(onGpu(torch.ones(2):mul(rank)), { group = both })
      close(all[1], torch.ones(2))
      close(all[2], torch.zeros(2))
    ]])
  end)

  it('refuses calls that differ on all ranks, and goes on', function()
    run(2, [[
      for _ = 1, 2 do      -- before and after the ranks have a communicator
        local x = onGpu(torch.ones(3 + rank))
        local done, problem = pcall(dist.allReduce, x)
        assert(not done and problem:find('allReduce %(sum%) of a CudaDoubleTensor of 3.*allReduce %(sum%) of a CudaDoubleTensor of 4')
          or problem:find('of a CudaDoubleTensor of 4.*of a CudaDoubleTensor of 3'), problem)
        assert(x:sum() == 3 + rank)
        done, problem = pcall(dist.allReduce, rank == 0 and onGpu(torch.ones(3)) or torch.ones(3))
        assert(not done and problem:find 'expected the same call on all ranks', problem)
        close(dist.allReduce(onGpu(torch.ones(2))), torch.ones(2):mul(2))
      end
    ]])
  end)

  it('runs on a stream of its own, between events', function()
    run(2, [[
      local x, handles = onGpu(torch.zeros(50000)), {}
      x:add(rank + 1)                                     -- runs late on the emulated stream
      local handle = dist.allReduce(x, 'sum', { async = true })
      local y = onGpu(torch.ones(1000)):mul(2)            -- does not wait for it
      assert(y:sum() == 2000)
      handle:wait()
      handle:wait()
      x:mul(2)
      assert(x:min() == 6 and x:max() == 6 and handle:isCompleted())
      for i = 1, 20 do handles[i] = dist.allReduce(onGpu(torch.ones(30000)):mul(i), 'sum', { async = true }) end
      collectgarbage()
      collectgarbage()
      for i = 20, 1, -1 do assert(handles[i]:wait():max() == 2 * i) end
    ]])
  end)

  it('trains a network with the gradients of one process', function()
    run(2, [[
      local nn = require 'nn'
      local function net()
        torch.manualSeed(1)
        return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Sequential(nn.Linear(8, 8), nn.Tanh()), nn.Linear(8, 3))
      end
      torch.manualSeed(3)
      local x, y = torch.randn(8, 6), torch.randn(8, 3)
      local function mine(t) return onGpu(t:narrow(1, 1 + 4 * rank, 4)) end
      local function near(a, b, bound) assert((a:to('cpu'):double() - b:double()):abs():max() < bound) end
      for _, options in ipairs { { bucketBytes = 100 }, { gradientCompression = 'half' } } do
        local bound = options.gradientCompression and 1e-2 or 1e-12
        local one, own = net():requiresGrad(), net()
        if rank > 0 then own:apply(function(module) if module.weight then module.weight:fill(rank) end end) end
        own = nn.DistributedDataParallel(own:type 'torch.CudaDoubleTensor', options)
        own:requiresGrad()
        nn.MSECriterion()(one(x), y):backward()
        nn.MSECriterion()(own(mine(x)), mine(y)):backward()
        for i, p in ipairs((one:parameters())) do near(own:parameters()[i].grad, p.grad, bound) end
        one, own = net(), nn.DistributedDataParallel(net():type 'torch.CudaDoubleTensor', options)
        local function gradients(of, input, target)
          local criterion = nn.MSECriterion():type(input:type())
          of:zeroGradParameters()
          local output = of:forward(input)
          criterion:forward(output, target)
          of:backward(input, criterion:backward(output, target))
          return select(2, of:parameters())
        end
        local expected = gradients(one, x, y)
        for i, g in ipairs(gradients(own, mine(x), mine(y))) do near(g, expected[i], bound) end
      end
    ]])
  end)

  it('begins the averages of the last layers before the gradients of the first', function()
    run(2, [[
      local nn, devices = require 'nn', require 'distributed.devices'
      local net = nn.Sequential():add(nn.Linear(6, 8)):add(nn.Tanh()):add(nn.Linear(8, 3)):type 'torch.CudaDoubleTensor'
      local own, order = nn.DistributedDataParallel(net, { bucketBytes = 200, broadcastBuffers = false }), {}
      local prepare, backward = devices.prepare, net:get(1).backward
      devices.prepare = function(...)
        order[#order + 1] = 'average'
        return prepare(...)
      end
      net:get(1).backward = function(...)
        order[#order + 1] = 'first layer'
        return backward(...)
      end
      local x, g = onGpu(torch.randn(4, 6)), onGpu(torch.randn(4, 3))
      own:forward(x)
      own:backward(x, g)
      order = table.concat(order, ', ')
      assert(order:find '^average, .*first layer, .*average$' or order:find '^average, first layer, average', order)
    ]])
  end)

  it('has gradients of calls, and normalises over all ranks', function()
    run(2, [[
      local nn = require 'nn'
      local x = onGpu(torch.ones(3)):requiresGrad()
      local y = dist.functional.allReduce(x)
      local loss = (y * 2):sum()                          -- on each of the two ranks
      loss:backward()
      close(y:detach(), torch.ones(3):mul(2))
      close(x.grad, torch.ones(3):mul(4))
      local bn = nn.SyncBatchNorm(3):type 'torch.CudaDoubleTensor'
      local expected = (2 * rank - 1) * 0.5 / math.sqrt(0.25 + 1e-5)      -- inputs 0 and 1: mean 0.5, variance 0.25
      local output = bn:forward(onGpu(torch.ones(2, 3):mul(rank))):to 'cpu'
      assert((output - expected):abs():max() < 1e-12)
    ]])
  end)

  it('goes through pinned memory without NCCL', function()
    if not cuda.isEmulated() then return end
    local former = ranks.environment
    ranks.environment = former .. ' MOONTORCH_EMULATED_NCCL=0'
    local outputs, status, errors = ranks.try(2, start .. calls .. "io.write 'ok'")
    ranks.environment = former
    assert.equal('okok', table.concat(outputs))
    assert.equal(0, status)
    assert.matches('go through the memory of the host: .*NCCL is needed', table.concat(errors))
  end)
end)
