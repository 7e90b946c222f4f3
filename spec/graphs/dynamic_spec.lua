-- Graphs for any size of a dimension against the function itself.
local torch, nn = require 'torch', require 'nn'
local graph = torch.graph

local function same(a, b) return a:isSameSizeAs(b) and torch.equal(a, b) end

-- Captures f with 3 examples, and runs it with other numbers.
local function follow(f, make, dynamic)
  local g = graph.capture(f, make(3), { dynamic = dynamic })
  for _, n in ipairs { 1, 2, 3, 4, 9 } do
    local inputs = make(n)
    local found, expected = { g:run(unpack(inputs)) }, { f(unpack(inputs)) }
    for i, y in ipairs(expected) do assert.is_true(same(y, found[i]), ('result %d for size %d'):format(i, n)) end
  end
  return g
end

describe('a graph of any size', function()
  local w = torch.randn(3, 4)

  it('has sizes that are expressions of the size', function()
    local g = follow(function(x)
      local n = x:size(1)
      local y = torch.tanh(torch.mm(x, w))
      return torch.cat(y, torch.ones(n + 1, 4), 1), y:view(n * 2, 2), torch.mul(y, n), torch.eye(n), x:narrow(1, n, 1), torch.mm(x, x:t())
    end, function(n) return { torch.randn(n, 3) } end, { 1 })
    assert.matches('graph%(x1: float64%[%?, 3%]%)', tostring(g))
    assert.matches('ones%({size%(x1, 1%) %+ 1, 4}%)', tostring(g))
    assert.matches('view%(.-, {2 %* size%(x1, 1%), 2}%)', tostring(g))
    local text = tostring(g)
    assert.equal(text, tostring(graph.parse(text, { c1 = w })))
  end)

  it('has several inputs of this size, by name, in any dimension', function()
    local f = function(t) return torch.mm(t.a, t.b):view(-1), torch.sum(torch.cmul(t.a:t(), t.b), 1) end
    local g = graph.capture(f, { a = torch.randn(2, 5), b = torch.randn(5, 2) }, { dynamic = { a = 2, b = 1 } })
    local t = { a = torch.randn(2, 8), b = torch.randn(8, 2) }
    local x, y = g:run(t)
    local expected, other = f(t)
    assert.is_true(same(expected, x) and same(other, y))
  end)

  it('writes in part of what it computes', function()
    follow(function(x)
      local y = x:clone()
      y:narrow(1, 1, 1):fill(7)
      y[{ {}, 2 }] = y[{ {}, 1 }]
      return y:t():contiguous(), y
    end, function(n) return { torch.randn(n, 3) } end, { 1 })
  end)

  it('trains a network, which the captures train once', function()
    local function make()
      torch.manualSeed(5)
      return nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2)):add(nn.LogSoftMax())
    end
    local function step(net, criterion)
      return function(x, y)
        net:clearState()
        net:zeroGradParameters()
        local loss = criterion:forward(net:forward(x), y)
        net:backward(x, criterion:backward(net.output, y))
        net:updateParameters(0.1)
        return torch.isTensor(loss) and loss or torch.Tensor { loss }
      end
    end
    local net, twin = make(), make()
    local eager, g = step(twin, nn.ClassNLLCriterion()), nil
    for i, n in ipairs { 4, 4, 2, 7, 1 } do
      local x, y = torch.randn(n, 3), torch.Tensor(n):random(2)
      local state = torch.getRNGState()
      local loss
      if g then
        loss = g:run(x, y)
      else
        g, loss = graph.capture(step(net, nn.ClassNLLCriterion()), { x, y }, { dynamic = { 1, 1 } })
      end
      assert.is_true(same(loss:view(1), eager(x, y)), ('loss of step %d'):format(i))
      assert.is_true(same(state, torch.getRNGState()))
      for k, p in ipairs((net:parameters())) do assert.is_true(same(p, twin:parameters()[k]), ('parameter %d, step %d'):format(k, i)) end
    end
  end)

  it('keeps running statistics as after one run, and the results of this run', function()
    local net, twin = nn.BatchNormalization(2), nn.BatchNormalization(2)
    twin.weight:copy(net.weight)
    local x = torch.randn(4, 2)
    local g, y = graph.capture(function(t) net:clearState() return net:forward(t) end, { x }, { dynamic = { 1 } })
    assert.is_true(same(y, twin:forward(x)))
    assert.is_true(same(net.running_mean, twin.running_mean))
    x = torch.randn(6, 2)
    assert.is_true(same(g:run(x), twin:forward(x)))
    assert.is_true(same(net.running_var, twin.running_var))
  end)

  it('has tensors that the program makes anew in each run', function()
    local g = follow(function(x)
      local n, rows, down, steps = x:size(1), {}, {}, {}
      for i = 1, n do rows[i], down[i], steps[i] = i, n + 1 - i, 3 * i - 5 end
      local equal, twice, both = {}, {}, {}
      for i = 1, n do equal[i], twice[2 * i - 1], twice[2 * i], both[i] = 0.1, 7, -0.5, { i, i } end
      local order = torch.index(x, 1, torch.LongTensor(down))
      return torch.cmul(x, torch.Tensor { 1, 2, 3 }:view(1, 3):expandAs(x)), torch.index(x, 1, torch.LongTensor(rows)), order,
        torch.Tensor(steps):mul(2), torch.Tensor(equal):mul(3), torch.Tensor(twice):add(1),
        torch.cmul(x:narrow(2, 1, 2), torch.Tensor(both))
    end, function(n) return { torch.randn(n, 3) } end, { 1 })
    local text = tostring(g)
    assert.matches('range%(size%(x1, 1%), 1, %-1', text)
    assert.matches('range%(%-2, 3 %* size%(x1, 1%) %- 5, 3', text)
    assert.matches('repeatTensor%(c%d, {size%(x1, 1%)}%)', text)
    local constants = {}
    for name, count in text:gmatch 'constant (c%d+): float64%[(%d)%]' do constants[name] = torch.zeros(tonumber(count)) end
    assert.equal(text, tostring(graph.parse(text, constants)))
  end)

  it('has tensors of rows that are the same, and of the size itself', function()
    follow(function(x)
      local rows = {}
      for i = 1, x:size(1) do rows[i] = { 0.5, 0.25, 4 } end
      return torch.cmul(x, torch.Tensor(rows)), torch.Tensor { x:size(1), x:size(1) }:mul(2)
    end, function(n) return { torch.randn(n, 3) } end, { 1 })
  end)

  it('knows elements that only look like whole numbers', function()
    follow(function(x)
      local zeros = {}
      for i = 1, x:size(1) do zeros[i] = -0.0 end
      return torch.cdiv(x, torch.Tensor(zeros))      -- the sign of a zero counts
    end, function(n) return { torch.ones(n) } end, { 1 })
  end)

  it('writes to tensors of the program of other sizes, and keeps those that follow the size to itself', function()
    local seen, rows, total = torch.zeros(3), torch.zeros(7, 3), torch.ones(3)
    local g = graph.capture(function(x)
      rows:resizeAs(x):copy(x):mul(2)
      seen:copy(rows:sum(1))
      total:add(seen)
      return rows:clone()
    end, { torch.ones(2, 3) }, { dynamic = { 1 } })
    assert.same({ 5, 5, 5 }, total:totable())
    assert.equal(2, g:info().updates)
    assert.same({ 2, 2, 2 }, g:run(torch.ones(4, 3))[4]:totable())
    assert.same({ 8, 8, 8 }, seen:totable())
    assert.same({ 13, 13, 13 }, total:totable())
  end)

  it('has no steps for the rest of a larger tensor that is first an out argument, as the last output of a module may be', function()
    local kept = torch.zeros(50)
    local g = graph.capture(function(x)
      torch.add(kept, x, 1)
      return torch.mul(kept, 2)
    end, { torch.ones(4) }, { dynamic = { 1 } })
    assert.same({ 'add', 'mul' }, g:info().ops)
    assert.same({ 4, 4, 4, 4, 4 }, g:run(torch.ones(5)):totable())
  end)

  it('refuses tensors of the program that follow the size in another way, or whose elements are needed', function()
    local function message(f) return select(2, pcall(graph.capture, f, { torch.randn(4) }, { dynamic = { 1 } })) end
    local function squares(x)
      local list = {}
      for i = 1, x:size(1) do list[i] = i * i end
      return torch.cmul(x, torch.Tensor(list))
    end
    assert.matches('dynamic: step 1 %(.-dynamic_spec%.lua:%d+%), cmul, .-: a tensor of the program whose elements depend on the size, and',
      message(squares))
    local function mixed(x) return torch.Tensor { x:size(1), 0.5 }:mul(2) end
    assert.matches('mul, .-: a tensor of the program whose elements depend on the size, and', message(mixed))
    local kept = torch.zeros(5)
    assert.matches('another step for another size', message(function(x)      -- the next run would need it
      local y = torch.sum(kept, 1)
      kept:resizeAs(x):copy(x)
      return y
    end))
  end)

  it('does not depend on what a module ran before', function()
    local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Dropout()):add(nn.ReLU(true)):add(nn.Linear(4, 2)):add(nn.LogSoftMax())
    for _, module in ipairs { net, nn.Dropout(0.5, true), nn.Reshape(3), nn.Padding(2, 2), nn.Replicate(2), nn.Mean(1) } do
      for _, before in ipairs { 2, 4, 5, 12, 13, 40 } do
        module:evaluate()
        module:forward(torch.randn(before, 3))
        local twin = module:clone():clearState()
        local g = graph.capture(function(x) return module:forward(x) end, { torch.randn(4, 3) }, { dynamic = { 1 } })
        assert.equal(0, g:info().updates)
        for _, n in ipairs { 6, 1, 30 } do
          local x = torch.randn(n, 3)
          assert.is_true(same(twin:forward(x), g:run(x)), torch.type(module))
        end
      end
    end
  end)

  describe('with names of sizes', function()
    -- Captures f for inputs of some sizes, and compares it for others.
    local function follows(f, make, dynamic, first)
      local g = graph.capture(f, make(unpack(first)), { dynamic = dynamic })
      for _, sizes in ipairs { first, { 2, 3 }, { 3, 2 }, { 5, 5 }, { 1, 4 }, { 7, 1 }, { 6, 11 } } do
        local inputs = make(unpack(sizes))
        local found, expected = { g:run(unpack(inputs)) }, { f(unpack(inputs)) }
        for i, y in ipairs(expected) do
          assert.is_true(same(y, found[i]), ('result %d for sizes %d and %d'):format(i, unpack(sizes)))
        end
      end
      return g
    end
    local both = { { [1] = 'batch', [2] = 'time' } }

    it('tells them apart, also where the example has equal ones', function()
      for _, first in ipairs { { 3, 3 }, { 2, 5 } } do
        local g = follows(function(x)
          local b, t = x:size(1), x:size(2)
          return x:view(b * t, 4), torch.ones(b + 2 * t - 1), torch.ones(t, b), torch.mul(x, 2 * b * t + 1), x:transpose(1, 2):contiguous()
            :view(t, b * 4)
        end, function(b, t) return { torch.randn(b, t, 4) } end, both, first)
        local text = tostring(g)
        assert.matches('graph%(x1: float64%[batch, time, 4%]%)', text)
        assert.matches('view%(x1, {size%(x1, 1%) %* size%(x1, 2%), 4}%)', text)
        assert.matches('ones%({size%(x1, 1%) %+ 2 %* size%(x1, 2%) %- 1}%)', text)
        assert.matches('mul%(x1, 2 %* size%(x1, 1%) %* size%(x1, 2%) %+ 1%)', text)
        assert.equal(text, tostring(graph.parse(text)))
      end
    end)

    it('checks that inputs agree', function()
      local g = graph.capture(function(x, y) return torch.cmul(x, y) end, { torch.randn(3, 2), torch.randn(3, 2) },
        { dynamic = { { [1] = 'n', [2] = 'm' }, { [1] = 'n', [2] = 'm' } } })
      assert.same({ 4, 5 }, g:run(torch.ones(4, 5), torch.ones(4, 5)):size():totable())
      assert.error_matches(function() g:run(torch.ones(4, 5), torch.ones(1, 5)) end,
        'x2: size 1 of dimension 1, expected 4, the size n of x1')
      assert.error_matches(function() g:run(torch.ones(4, 5), torch.ones(4, 6)) end,
        'x2: size 6 of dimension 2, expected 5, the size m of x1')
      assert.error_matches(function() g:run(torch.ones(4), torch.ones(4, 6)) end, 'x1: .*, expected torch.DoubleTensor %[n, m%]')
      local square = graph.parse 'graph(x: float64[n, n, ?]) { return exp(x) }'
      assert.equal('graph(x: float64[n, n, ?]) {', tostring(square):match '[^\n]+')
      assert.error_matches(function() square:run(torch.ones(4, 5, 2)) end, 'x: size 5 of dimension 2, expected 4, the size n of x')
    end)

    it('has sizes behind convolutions, which are rounded down', function()
      local conv = nn.SpatialConvolution(2, 3, 3, 3, 2, 2, 1, 1)
      follows(function(x)
        local y = torch.conv2d(x, conv.weight, conv.bias, 2, 2, 1, 1)
        local z = torch.maxPool2d(y, 2, 2, 1, 1, 1, 1)
        return z:view(3, z:size(3) * z:size(4)), y:narrow(3, 1, y:size(3)):contiguous():view(-1)
      end, function(height, width) return { torch.randn(1, 2, height + 3, width + 2) } end, { { [3] = 'height', [4] = 'width' } }, { 6, 9 })
    end)

    it('is saved, loaded and prepared', function()
      local weight, file = torch.randn(4, 5), os.tmpname()
      local g = graph.capture(function(x) return torch.tanh(torch.mm(x:view(x:size(1) * x:size(2), 4), weight)) end,
        { torch.randn(2, 3, 4) }, { dynamic = both })
      g:save(file)
      local loaded = graph.load(file)
      os.remove(file)
      assert.equal(tostring(g), tostring(loaded))
      for _, sizes in ipairs { { 3, 7 }, { 5, 2 } } do
        local x = torch.randn(sizes[1], sizes[2], 4)
        assert.is_true(same(g:run(x), loaded:run(x)))
        assert.is_true((g:prepare(x)(x) - g:run(x)):abs():max() < 1e-12)
      end
    end)

    it('checks the names', function()
      local function message(dynamic, inputs)
        return select(2, pcall(graph.capture, torch.exp, inputs or { torch.randn(4, 2) }, { dynamic = dynamic }))
      end
      assert.matches("capture: dynamic: 'a b' as the name of dimension 1 of x1, expected letters and digits", message { { 'a b' } })
      assert.matches('capture: dynamic: 7 as the name of dimension 1 of x1, expected', message { { 7 } })
      assert.matches('capture: dynamic: 3 of x1, expected a dimension from 1 to 2', message { { [3] = 'n' } })
      assert.matches('capture: dynamic: size 2 of x1, expected 4', message { { 'n', 'n' } })
      assert.matches('capture: dynamic: no dimension, expected one or more', message { {} })
      assert.matches('in the capture with size 9 in dimension 1 of input 1', select(2, pcall(graph.capture, function(x)
        return x + torch.ones(2, 2):narrow(1, 1, x:size(1))
      end, { torch.randn(2, 2) }, { dynamic = { 1 } })))
    end)
  end)

  it('draws random numbers of this size', function()
    local g = graph.capture(function(x) return x + torch.rand(x:size(1), 2) end, { torch.zeros(3, 2) }, { dynamic = { 1 } })
    torch.manualSeed(8)
    local y = g:run(torch.zeros(5, 2))
    torch.manualSeed(8)
    assert.is_true(same(torch.rand(5, 2), y))
  end)

  it('refuses programs that differ in more than sizes, with the line', function()
    local function message(f, dynamic, inputs)
      return select(2, pcall(graph.capture, f, inputs or { torch.randn(4, 2) }, { dynamic = dynamic or { 1 } }))
    end
    local proportion = 'expected the same program with sizes that grow in proportion'
    local fraction = 'dynamic: step 1 %(.-dynamic_spec%.lua:%d+%), mul, value: a number that depends on the size and is not whole, '
    assert.matches(fraction .. proportion, message(function(x) return x * (1 / x:size(1)) end))
    assert.matches('ones, sizes: a number that does not grow in proportion', message(function(x) return torch.ones(2 ^ x:size(1)) end))
    assert.matches('narrow, length: a number that does not grow', message(function(x) return x:narrow(1, 1, math.floor(x:size(1) / 4)) end,
      { 1 }, { torch.randn(8, 2) }))      -- 2 for 8, 9 and 11
    local function branch(x) return x:size(1) > 5 and x:sum(1) or x end
    assert.matches('step 1 %(.-%), sum: a step that another size does not have', message(branch))
    assert.matches('sin: another step for another size', message(function(x) return x:size(1) > 5 and torch.sin(x) or torch.exp(x) end))
    assert.matches('capture: dynamic: 3 of x1, expected a dimension from 1 to 2', message(torch.exp, { 3 }))
    assert.matches('capture: dynamic: a key that is no input', message(torch.exp, { x1 = 1, y = 1 }))
    assert.matches('capture: dynamic: size 1, expected 2 or more', message(torch.exp, { 1 }, { torch.ones(1, 2) }))
    assert.matches('capture: dynamic: size 3 of x2, expected 2', message(torch.cmul, { 1, 1 }, { torch.ones(2), torch.ones(3) }))
    assert.matches('capture: dynamic: 5, expected a table', message(torch.exp, 5))
    local both = { dynamic = { 1 }, guards = true }
    assert.matches('capture: dynamic: with guards', select(2, pcall(graph.capture, torch.exp, { torch.ones(2) }, both)))
  end)

  it('tells memory of the program from memory freed before it, which had its address', function()
    for _ = 1, 60 do
      local net = nn.Sequential():add(nn.Embedding(20, 32)):add(nn.GRU(32, 24, 2)):add(nn.Linear(24, 20)):float()
      net:evaluate()
      local x = torch.LongTensor(7, 3):random(1, 20)
      local function f(input)
        net:clearState()
        return net:forward(input)
      end
      torch.noGrad(function() assert.equal(11, #graph.capture(f, { x }, { dynamic = { 2 } }):info().constants) end)
    end
  end)
end)
