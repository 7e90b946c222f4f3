-- Layers whose parameters are spread over ranks, against the layers that they are made from, on real processes.
local nn = require 'nn'
local ranks = require 'spec.support.ranks'

local common = [[
  local nn, optim = require 'nn', require 'optim'
  local function close(a, b, bound, what)
    local difference = (a:detach():double() - b:detach():double()):abs():max()
    assert(difference <= (bound or 1e-12), (what or '') .. ' ' .. difference)
  end
  local function refused(expected, f, ...)
    local done, problem = pcall(f, ...)
    assert(not done and problem:find(expected, 1, true), tostring(problem))
  end
  -- The whole gradients of a layer's parameters: those of a copy whose parameters are the gradients.
  local function gradientsOf(layer)
    local copy = layer:clone()
    torch.noGrad(function()
      local own, others = layer:parameters(), copy:parameters()
      for i, x in ipairs(own) do others[i]:detach():copy(x.grad or torch.zeros(x:size())) end
    end)
    return copy:gathered():parameters()
  end
  -- Compares a whole layer and its parts: outputs, gradients of inputs and of parameters, on the tape and by Torch7's protocol.
  local function compare(whole, parts, inputs, call)
    call = call or function(layer, x) return layer(x) end
    whole:requiresGrad()
    parts:requiresGrad()
    local function passed(layer)
      local leaves = {}
      for i, x in ipairs(inputs) do leaves[i] = x:clone():requiresGrad() end
      local y = call(layer, unpack(leaves))
      local weights = torch.range(1, y:nElement()):sin():viewAs(y)
      torch.sum(torch.cmul(weights, torch.cmul(y, y))):backward()
      return y, leaves
    end
    local y, leaves = passed(whole)
    local y2, leaves2 = passed(parts)
    close(y, y2, 1e-11, 'output')
    for i, x in ipairs(leaves) do close(x.grad, leaves2[i].grad, 1e-10, 'gradient of input') end
    local expected = whole:parameters()
    for i, g in ipairs(gradientsOf(parts)) do
      close(expected[i].grad or torch.zeros(g:size()), g, 1e-10, 'gradient of parameter ' .. i)
    end
    for i, x in ipairs(parts:gathered():parameters()) do assert(torch.eq(x:detach(), expected[i]:detach()):all()) end
  end
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

describe('Layers in parts', function()
  for _, n in ipairs { 2, 3 } do
    it(('compute as the whole layers: linear maps, on %d ranks'):format(n), function()
      run(n, [[
        torch.manualSeed(1)
        local x, z = torch.randn(2, 5, 6), torch.randn(7, 6)
        for _, bias in ipairs { true, false } do
          local function whole() return nn.Linear(6, 12, bias) end
          local layer = whole()
          compare(layer, nn.ColumnParallelLinear.from(layer), { x })
          layer = whole()
          compare(layer, nn.RowParallelLinear.from(layer), { z })
          local first, second = nn.Linear(6, 12, bias), nn.Linear(12, 4, bias)
          local a = nn.ColumnParallelLinear.from(first, { gatherOutput = false })
          local b = nn.RowParallelLinear.from(second, { inputIsParallel = true })
          assert(a(z):size(2) == 12 / n and a.weight:size(1) == 12 / n and b.weight:size(2) == 12 / n)
          local net = nn.Sequential(a, nn.Tanh(), b)
          local y, y2 = nn.Sequential(first, nn.Tanh(), second)(z), net(z)
          close(y, y2)
        end
        -- Torch7's protocol
        local layer = nn.Linear(6, 12)
        for _, parts in ipairs { nn.ColumnParallelLinear.from(layer), nn.RowParallelLinear.from(layer) } do
          local g = torch.randn(7, 12)
          layer:zeroGradParameters()
          close(layer:forward(z), parts:forward(z))
          close(layer:backward(z, g), parts:backward(z, g))
          local size, own = 12 / n, layer.gradWeight
          if parts.outputSize == parts.weight:size(1) then
            close(parts.gradWeight, own:narrow(2, rank * 6 / n + 1, 6 / n))
            close(parts.gradBias, layer.gradBias)
          else
            close(parts.gradWeight, own:narrow(1, rank * size + 1, size))
            close(parts.gradBias, layer.gradBias:narrow(1, rank * size + 1, size))
          end
        end
      ]])
    end)
  end

  it('are drawn on the first rank, as in one process', function()
    run(2, [[
      torch.manualSeed(5 + rank)
      local parts, rows = nn.ColumnParallelLinear(3, 4), nn.RowParallelLinear(2, 3)
      local embedding, attention = nn.VocabParallelEmbedding(4, 3), nn.ParallelMultiheadAttention(4, 2, { causal = true })
      local before = torch.getRNGState()
      local wholes = { parts:gathered(), rows:gathered(), embedding:gathered(), attention:gathered() }
      assert(torch.eq(before, torch.getRNGState()):all())
      torch.manualSeed(5)
      local expected = { nn.Linear(3, 4), nn.Linear(2, 3), nn.Embedding(4, 3), nn.MultiheadAttention(4, 2, { causal = true }) }
      for i, whole in ipairs(expected) do close(wholes[i].weight, whole.weight, 0) end
      local both = dist.allGather(parts.weight)
      assert(attention.causal and not torch.eq(both[1], both[2]):all())
    ]])
  end)

  it('compute as the whole layers: embeddings, with a row of padding', function()
    run(3, [[
      torch.manualSeed(1)
      local numbers = torch.LongTensor { { 1, 9, 4 }, { 4, 3, 7 } }
      for _, padding in ipairs { false, 4, 9 } do
        local layer = nn.Embedding(9, 4, padding or nil)
        local parts = nn.VocabParallelEmbedding.from(layer)
        assert(parts.weight:size(1) == 3)
        compare(layer, parts, {}, function(net) return net(numbers) end)
      end
      refused('nn.VocabParallelEmbedding: positions: 10, expected 1 to 9', nn.VocabParallelEmbedding(9, 4).forward,
        nn.VocabParallelEmbedding(9, 4), torch.LongTensor { 10 })
      refused('an nn.Embedding with maxNorm', nn.VocabParallelEmbedding.from, nn.Embedding(9, 4, { maxNorm = 1 }))
    ]])
  end)

  it('compute as the whole layers: attention, with its options', function()
    run(2, [[
      torch.manualSeed(1)
      local x, key, value = torch.randn(3, 5, 8), torch.randn(3, 4, 6), torch.randn(3, 4, 7)
      local function both(make, inputs, call)
        local layer = make()
        torch.noGrad(function() for _, p in ipairs((layer:parameters())) do p:copy(torch.randn(p:size())) end end)
        compare(layer, nn.ParallelMultiheadAttention.from(layer), inputs, call)
      end
      both(function() return nn.MultiheadAttention(8, 4) end, { x })
      both(function() return nn.MultiheadAttention(8, 2, { causal = true, bias = false }) end, { x })
      both(function() return nn.MultiheadAttention(8, 4, { batchFirst = false }) end, { x })
      both(function() return nn.MultiheadAttention(8, 4, { kdim = 6, vdim = 7, addBiasKv = true, addZeroAttn = true }) end,
        { x, key, value }, function(layer, q, k, v) return layer { q, k, v } end)
      both(function() return nn.MultiheadAttention(8, 4) end, { x }, function(layer, q)
        torch.manualSeed(3)
        return layer { q, attnMask = torch.randn(12, 5, 5), keyPaddingMask = torch.ByteTensor(3, 5):bernoulli(0.3) }
      end)
      for _, average in ipairs { true, false } do
        both(function() return nn.MultiheadAttention(8, 4) end, { x }, function(layer, q)
          return (layer { q, needWeights = true, averageAttnWeights = average })[2]
        end)
      end
      local layer = nn.MultiheadAttention(8, 4)
      local parts, cache, last = nn.ParallelMultiheadAttention.from(layer), nn.KeyValueCache(), nil
      torch.noGrad(function()
        for t = 1, 5 do last = parts { x:narrow(2, t, 1), isCausal = true, cache = cache } end
        close(last, layer { x, isCausal = true }:narrow(2, 5, 1))
      end)
      refused('nn.ParallelMultiheadAttention: heads: 3, expected a multiple of the 2 ranks', nn.ParallelMultiheadAttention, 9, 3)
    ]])
  end)

  it('compute the cross entropy of scores in parts', function()
    run(3, [[
      torch.manualSeed(1)
      local x, target = torch.randn(4, 9):mul(20), torch.LongTensor { 9, 1, 5, 4 }
      local part = x:narrow(2, rank * 3 + 1, 3)
      for _, ignored in ipairs { -100, 5 } do
        for _, reduction in ipairs { 'mean', 'sum', 'none' } do
          local options = { ignoreIndex = ignored, reduction = reduction }
          local a, b = x:clone():requiresGrad(), part:clone():requiresGrad()
          local expected, came = nn.CrossEntropyLoss(options)(a, target), nn.VocabParallelCrossEntropyLoss(options)(b, target)
          close(expected:view(-1), came:view(-1), 1e-12)
          torch.sum(torch.sin(expected)):backward()
          torch.sum(torch.sin(came)):backward()
          close(a.grad:narrow(2, rank * 3 + 1, 3), b.grad, 1e-12)
        end
      end
      local criterion, whole = nn.VocabParallelCrossEntropyLoss(), nn.CrossEntropyCriterion()
      assert(math.abs(criterion:forward(part, target) - whole:forward(x, target)) < 1e-12)
      close(criterion:backward(part, target), whole:backward(x, target):narrow(2, rank * 3 + 1, 3))
      assert(math.abs(criterion:forward(part[2], 4) - whole:forward(x[2], 4)) < 1e-12)
      refused('target: 10, expected 1 to 9', criterion.forward, criterion, part, torch.LongTensor { 9, 1, 10, 4 })
      refused('expected a class for each of 4 rows', criterion.forward, criterion, part, torch.LongTensor { 9, 1 })
    ]])
  end)

  it('work in groups, in copies and in files', function()
    run(3, [[
      local pair = dist.newGroup { 2, 0 }
      if rank ~= 1 then
        torch.manualSeed(1)
        local layer, x = nn.Linear(3, 4), torch.randn(2, 3)
        local parts = nn.ColumnParallelLinear.from(layer, { group = pair })
        assert(torch.eq(parts.weight, layer.weight:narrow(1, rank == 2 and 1 or 3, 2)):all())
        local y = parts:forward(x):clone()
        close(y, layer:forward(x))
        close(parts:clone():forward(x), y, 0)
        local name = os.tmpname()
        torch.save(name, parts)
        close(torch.load(name):forward(x), y, 0)
        close(parts:float():forward(x:float()), y, 1e-6)
        os.remove(name)
      end
    ]])
  end)

  it('check their arguments', function()
    assert.error_matches(function() nn.ColumnParallelLinear(2, 2) end, 'torch.distributed is not started')
    run(2, [[
      refused('nn.ColumnParallelLinear: outputSize: 5, expected a multiple of the 2 ranks', nn.ColumnParallelLinear, 2, 5)
      refused('nn.RowParallelLinear: inputSize: 5, expected a multiple of the 2 ranks', nn.RowParallelLinear, 5, 2)
      refused('nn.VocabParallelEmbedding: count: 5, expected a multiple of the 2 ranks', nn.VocabParallelEmbedding, 5, 2)
      refused('nn.RowParallelLinear.from: layer: nn.Tanh, expected an nn.Linear', nn.RowParallelLinear.from, nn.Tanh())
      refused('options: gather', nn.ColumnParallelLinear.from, nn.Linear(2, 2), { gather = true })
      refused('expected that of rank 0', nn.ColumnParallelLinear.from, nn.Linear(2, 2 + 2 * rank))
    ]])
  end)
end)

local training = [[
  local size, classes = 8, 12
  local Net = torch.class('TensorParallelNet', 'nn.Module')
  function Net:__init()
    self.embedding = nn.Embedding(classes, size)
    self.block = nn.TransformerEncoderLayer(size, 4, { dimFeedforward = 16, dropout = 0, batchFirst = true, normFirst = true })
    self.head = nn.Linear(size, classes, false)
  end
  function Net:forward(x) return self.head(self.block(self.embedding(x))) end
  torch.manualSeed(1)
  local one = Net()
  torch.manualSeed(1 + rank)
  local net = nn.TensorParallel(Net(), { plan = {
    embedding = 'vocab', ['block.self_attn'] = 'heads', ['block.linear1'] = 'colwise', ['block.linear2'] = 'rowwise', head = 'colwise' } })
  torch.manualSeed(2)
  local xs = torch.LongTensor(6, 3, 5):random(1, classes)
  local function train(model, criterion, make)
    model:requiresGrad()
    local steps, losses = make(model:parameters()), {}
    for i = 1, 6 do
      steps:zeroGrad()
      local scores = model(xs[i])
      local loss = criterion(scores:view(15, -1), xs[7 - i]:view(15))
      loss:backward()
      steps:step()
      losses[i] = loss:item()
    end
    return torch.DoubleTensor(losses)
  end
  for _, make in ipairs { function(p) return optim.SGD(p, { learningRate = 0.1, momentum = 0.9 }) end,
      function(p) return optim.Adam(p, { learningRate = 0.01 }) end } do
    local expected = train(one, nn.CrossEntropyLoss(), make)
    close(train(net, nn.VocabParallelCrossEntropyLoss(), make), expected, 1e-10)
    local own = net:gathered():parameters()
    for i, x in ipairs((one:parameters())) do close(x:detach(), own[i]:detach(), 1e-10) end
  end
]]

describe('nn.TensorParallel', function()
  for _, n in ipairs { 2, 4 } do
    it(('trains a transformer as one process does, on %d ranks'):format(n), function() run(n, training) end)
  end

  it('spreads the layers of transformers without a plan', function()
    run(2, [[
      torch.manualSeed(1)
      local whole = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, { dimFeedforward = 6, dropout = 0 }), 2)
      local net = nn.TensorParallel(whole:clone())
      local count = 0
      for _, module in net:namedModules() do count = count + (module.partNames and 1 or 0) end
      assert(count == 8)      -- two of attention and two of linear maps, in each layer
      local x, memory = torch.randn(3, 2, 8), torch.randn(4, 2, 8)
      close(net(x, memory), whole(x, memory))
      close(net:gathered()(x, memory), whole(x, memory))
    ]])
  end)

  it('drops the same elements on all ranks, whatever their seeds', function()
    run(2, [[
      torch.manualSeed(1 + rank)
      local net = nn.TensorParallel(nn.TransformerEncoderLayer(8, 2, { dropout = 0.5 })):requiresGrad()
      local y = net(torch.ones(3, 2, 8))
      assert(torch.eq(dist.broadcast(y:detach():clone(), 0), y:detach()):all())
      net:evaluate()
      local state = torch.getRNGState()
      net(torch.ones(3, 2, 8))
      assert(torch.eq(state, torch.getRNGState()):all())
    ]])
  end)

  it('clips the norm of the gradients of all ranks', function()
    run(2, [[
      torch.manualSeed(1)
      local whole = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 4))
      local net = nn.TensorParallel(whole:clone(), { plan = { ['0'] = 'colwise', ['2'] = 'rowwise' } }):requiresGrad()
      whole:requiresGrad()
      local x = torch.randn(5, 4)
      torch.pow(whole(x), 2):sum():backward()
      torch.pow(net(x), 2):sum():backward()
      local expected = nn.utils.clipGradNorm and nn.utils.clipGradNorm(whole:parameters(), 0.5)
      local norm = net:clipGradNorm(0.5)
      assert(not expected or math.abs(norm - (torch.isTensor(expected) and expected:item() or expected)) < 1e-12)
      local squares = 0
      for _, p in ipairs((whole:parameters())) do squares = squares + p.grad:norm() ^ 2 end
      for i, g in ipairs(gradientsOf(net)) do close(g, (whole:parameters())[i].grad, 1e-6) end
      assert(net:clipGradNorm(1) < 0.5 + 1e-9)
    ]])
  end)

  it('trains on a grid of ranks with nn.DistributedDataParallel', function()
    run(4, [[
      -- Ranks 0 and 1, and 2 and 3, share a network; 0 and 2, and 1 and 3, share its parts.
      local shares, copies = {}, {}
      for i = 0, 1 do
        shares[i] = dist.newGroup { 2 * i, 2 * i + 1 }
        copies[i] = dist.newGroup { i, i + 2 }
      end
      local row, column = math.floor(rank / 2), rank % 2
      torch.manualSeed(1)
      local whole = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 4))
      local x = torch.randn(6, 4)
      local net = nn.TensorParallel(whole:clone(), { plan = { ['0'] = 'colwise', ['2'] = 'rowwise' }, group = shares[row] })
      local both = nn.DistributedDataParallel(net, { group = copies[column] }):requiresGrad()
      torch.pow(both(x:narrow(1, 3 * row + 1, 3)), 2):mean():backward()
      whole:requiresGrad()
      torch.pow(whole(x), 2):mean():backward()
      for i, g in ipairs(gradientsOf(net)) do close(g, (whole:parameters())[i].grad) end
    ]])
  end)

  it('checks its arguments', function()
    run(2, [[
      refused('nn.TensorParallel: net: no attention and no layer of a transformer, expected a plan', nn.TensorParallel, nn.Linear(2, 2))
      refused('plan: 5, expected a name of net:namedModules()', nn.TensorParallel, nn.Sequential(nn.Linear(2, 2)),
        { plan = { ['5'] = 'colwise' } })
      refused("plan: ['0']: 'columns', expected one of 'colwise'", nn.TensorParallel, nn.Sequential(nn.Linear(2, 2)),
        { plan = { ['0'] = 'columns' } })
      refused('nn.ColumnParallelLinear.from: layer: nn.Tanh, expected an nn.Linear', nn.TensorParallel, nn.Sequential(nn.Tanh()),
        { plan = { ['0'] = 'colwise' } })
      refused('options: plans', nn.TensorParallel, nn.Linear(2, 2), { plans = {} })
    ]])
  end)
end)
