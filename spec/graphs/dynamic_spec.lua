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
    assert.matches('ones, sizes: a number that does not grow in proportion', message(function(x) return torch.ones(x:size(1) ^ 2) end))
    local function branch(x) return x:size(1) > 5 and x:sum(1) or x end
    assert.matches('step 1 %(.-%), sum: a step that another size does not have', message(branch))
    assert.matches('exp: another step for another size', message(function(x) return x:size(1) > 5 and torch.sin(x) or torch.exp(x) end))
    assert.matches('capture: dynamic: 3 of x1, expected a dimension from 1 to 2', message(torch.exp, { 3 }))
    assert.matches('capture: dynamic: a key that is no input', message(torch.exp, { x1 = 1, y = 1 }))
    assert.matches('capture: dynamic: size 1, expected 2 or more', message(torch.exp, { 1 }, { torch.ones(1, 2) }))
    assert.matches('capture: dynamic: size 3 of x2, expected 2', message(torch.cmul, { 1, 1 }, { torch.ones(2), torch.ones(3) }))
    assert.matches('capture: dynamic: 5, expected a table', message(torch.exp, 5))
    local both = { dynamic = { 1 }, guards = true }
    assert.matches('capture: dynamic: with guards', select(2, pcall(graph.capture, torch.exp, { torch.ones(2) }, both)))
  end)
end)
