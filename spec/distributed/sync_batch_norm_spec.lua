-- nn.SyncBatchNorm on real processes: against batch normalisation of the joined batch in one process.
local nn = require 'nn'
local ranks = require 'spec.support.ranks'

-- Variables of all programs: the joined batch x of 11 images, and the rank's part of it, of another size on each rank.
local common = [[
  local nn = require 'nn'
  local sizes = n == 2 and { 4, 7 } or { 4, 2, 5 }
  local first = 1
  for i = 1, rank do first = first + sizes[i] end
  local function mine(all) return all:narrow(1, first, sizes[rank + 1]) end
  torch.manualSeed(7)
  local x = torch.randn(11, 3, 4, 5):mul(3):add(10)
  local g = torch.randn(11, 3, 4, 5)
  local function close(a, b, bound)
    local difference = (a - b):abs():max()
    assert(difference <= (bound or 1e-12), difference)
  end
  local function total(t) return dist.allReduce(t:clone()) end
  local function plain(...)
    local norm = nn.BatchNorm2d(3, ...)
    norm.weight:copy(torch.Tensor { 2, -1, 0.5 })
    norm.bias:copy(torch.Tensor { 1, 2, 3 })
    return norm
  end
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

describe('nn.SyncBatchNorm', function()
  for _, n in ipairs { 2, 3 } do
    it(('is the normalisation of the joined batch, with %d ranks and batches of different sizes'):format(n), function()
      run(n, [[
        for _, momentum in ipairs { 0.1, false } do
          local one = plain(1e-5, momentum)
          local own = nn.SyncBatchNorm.convert(one:clone())
          assert(torch.type(own) == 'nn.SyncBatchNorm')
          for i = 1, 2 do
            -- Torch7's protocol
            one:zeroGradParameters(); own:zeroGradParameters()
            close(own:forward(mine(x)), mine(one:forward(x)))
            close(own:backward(mine(x), mine(g)), mine(one:backward(x, g)))
            close(total(own.gradWeight), one.gradWeight, 1e-11)
            close(total(own.gradBias), one.gradBias)
            close(own.running_mean, one.running_mean)
            close(own.running_var, one.running_var)
            assert(own.num_batches_tracked[1] == i)
          end
          -- the tape
          one:requiresGrad(); own:requiresGrad()
          local input, all = mine(x):clone():requiresGrad(), x:clone():requiresGrad()
          local output, ofAll = own(input), one(all)
          close(output:detach(), mine(ofAll:detach()))
          output:backward(mine(g)); ofAll:backward(g)
          close(input.grad, mine(all.grad))
          close(total(own.weight.grad), one.weight.grad, 1e-11)
          close(total(own.bias.grad), one.bias.grad)
          close(own.running_var, one.running_var)
          -- evaluation exchanges nothing
          one:evaluate(); own:evaluate()
          if rank == 0 then close(own:forward(x), one:forward(x)) end
        end
      ]])
    end)
  end

  it('computes in 32 and 16 bits, without parameters, and with a batch of one on each rank', function()
    run(2, [[
      local norm, one = nn.SyncBatchNorm(3, { affine = false }):float(), nn.BatchNorm2d(3, { affine = false }):float()
      close(norm:forward(mine(x):float()), mine(one:forward(x:float())), 1e-5)
      close(norm:backward(mine(x):float(), mine(g):float()), mine(one:backward(x:float(), g:float())), 1e-5)
      local norm, one = nn.SyncBatchNorm.convert(plain():half()), plain()
      local h = x:half():double()
      close(norm:forward(mine(x):half()):double(), mine(one:forward(h)), 2 ^ -8)
      close(norm:backward(mine(x):half(), mine(g):half()):double(), mine(one:backward(h, g)), 2 ^ -8)
      local norm, one = nn.SyncBatchNorm(3), nn.BatchNorm1d(3)
      local two = torch.randn(2, 3)
      close(norm:forward(two:narrow(1, 1 + rank, 1)), one:forward(two):narrow(1, 1 + rank, 1))
      -- nothing here, all on the other rank
      local norm = nn.SyncBatchNorm(3)
      local output = norm:forward(rank == 0 and torch.Tensor(0, 3) or two)
      if rank == 1 then close(output, nn.BatchNorm1d(3):forward(two)) end
      close(norm.running_mean, one.running_mean)
      local _, problem = pcall(norm.forward, norm, torch.Tensor(rank, 3))
      assert(problem:find 'nn.SyncBatchNorm: .*1 values a channel on all ranks, expected two or more', problem)
    ]])
  end)

  it('trains within nn.DistributedDataParallel as one process, weighed by examples', function()
    run(3, [[
      local optim = require 'optim'
      local function make()
        torch.manualSeed(3)
        return nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3), nn.SpatialBatchNormalization(4), nn.ReLU(), nn.View(24), nn.Linear(24, 5),
          nn.BatchNormalization(5), nn.LogSoftMax())
      end
      local criterion, y = nn.ClassNLLCriterion(), torch.LongTensor(11):random(1, 5)
      local function train(net, input, target)
        local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1, momentum = 0.9 })
        for _ = 1, 5 do
          steps:zeroGrad()
          criterion(net(input), target):backward()
          steps:step()
        end
      end
      local one, own = make(), nn.SyncBatchNorm.convert(make())
      train(one, x, y)
      train(nn.DistributedDataParallel(own):setWeight(sizes[rank + 1]), mine(x), mine(y))
      for i, p in ipairs((own:parameters())) do close(p:detach(), one:parameters()[i]:detach(), 1e-10) end
      close(own:get(2).running_var, one:get(2).running_var, 1e-10)
      assert(own:get(2).num_batches_tracked[1] == 5)
      local _, problem = pcall(function() nn.DistributedDataParallel(own):idle() end)
      assert(problem:find 'idle: the network has nn.SyncBatchNorm, expected a batch on every rank', problem)
    ]])
  end)

  it('joins the batches of a group', function()
    run(3, [[
      local pair = dist.newGroup { 0, 2 }
      if rank == 1 then return io.write 'ok' end
      local twice = plain()
      local net = nn.SyncBatchNorm.convert(nn.Sequential(twice, nn.Sequential(twice, nn.ReLU())), pair)
      local norm = net:get(1)
      assert(torch.type(norm) == 'nn.SyncBatchNorm' and net:get(2):get(1) == norm and norm.weight == twice.weight)
      local parts = torch.cat(x:narrow(1, 1, 4), x:narrow(1, 7, 5), 1)
      close(norm:forward(mine(x)), plain():forward(parts):narrow(1, rank == 0 and 1 or 5, rank == 0 and 4 or 5))
      local copy = norm:clone()
      assert(select(2, pcall(copy.forward, copy, x)):find 'expected nn.SyncBatchNorm.convert%(net, group%)')
      assert(nn.SyncBatchNorm.convert(copy, pair) == copy)
      copy:forward(x)
    ]])
  end)

  it('refuses gradients of gradients and captures on several ranks', function()
    run(2, [[
      local norm = nn.SyncBatchNorm(3):requiresGrad()
      local loss = torch.pow(norm(mine(x)), 3):sum()
      local _, problem = pcall(function() loss:backward(nil, { createGraph = true }) end)
      assert(problem:find 'nn.SyncBatchNorm: backward: createGraph: ', problem)
      _, problem = pcall(torch.graph.capture, function(input) return norm:forward(input) end, { mine(x) })
      assert(problem:find 'nn.SyncBatchNorm: .*a capture', problem)
    ]])
  end)

  it('checks its arguments', function()
    assert.error_matches(function() nn.SyncBatchNorm.convert(3) end, 'nn.SyncBatchNorm.convert: net: 3, expected a module')
    assert.error_matches(function() nn.SyncBatchNorm.convert(nn.Linear(2, 2), {}) end, 'torch.distributed is not started')
    assert.error_matches(function() nn.SyncBatchNorm(2):setWeight(-1) end, 'nn.SyncBatchNorm.setWeight: weight: %-1, expected')
  end)
end)
