-- torch.graph.capture: functions, modules in both protocols and whole training steps, against the same code without a capture.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local graph = torch.graph

local isClose = require('spec.support.close').isClose

local function same(actual, expected) return isClose(expected, actual, { sameType = true }) end

local function twins(make)
  torch.manualSeed(1)
  local a = make()
  return a, a:clone()
end

describe('capture', function()
  it('begins each run with the elements of tensors that the program makes', function()
    local function f(x)
      local y = torch.Tensor { 1, 2 }
      local first = y:clone()
      y:mul(2):narrow(1, 1, 1):add(x:narrow(1, 1, 1))
      return y, first, torch.Tensor { { 3, 4 }, { 5, 6 } }:t():contiguous()
    end
    local x = torch.Tensor { 10, 20 }
    local g = torch.graph.capture(f, { x })
    assert.equal(0, g:info().updates)
    for _ = 1, 2 do
      local y, first, other = g:run(x)
      assert.same({ 12, 4 }, y:totable())
      assert.same({ 1, 2 }, first:totable())
      assert.same({ { 3, 5 }, { 4, 6 } }, other:totable())
    end
    local guarded = torch.graph.capture(f, { x }, { guards = true })
    for _ = 1, 2 do assert.same({ 12, 4 }, (guarded:run(x)):totable()) end
    local scanned = torch.graph.capture(function(v)
      return torch.graph.scan(function(s, each)
        local step = torch.Tensor { 1 }
        step:add(each)
        return s + step
      end, { torch.zeros(1) }, { v })
    end, { torch.Tensor { 1, 2, 3 } })
    for _ = 1, 2 do assert.equal(8 + 3 - 2, (scanned:run(torch.Tensor { 1, 2, 3 }))[1]) end
  end)

  it('records a plain function, which runs with other tensors', function()
    local function f(x, y) return torch.relu(torch.cmul(x, y) + torch.sin(y) - x) end
    local g, first = graph.capture(f, { torch.randn(3, 4), torch.randn(3, 4) })
    assert.is_true(torch.isTensor(first))
    local x, y = torch.randn(3, 4), torch.randn(3, 4)
    assert.is_true(same(g:run(x, y), f(x, y)))
    assert.same({ 'cmul', 'sin', 'add', 'csub', 'relu' }, g:info().ops)
  end)

  it('accepts inputs by name, and returns what the function returned', function()
    local function f(inputs) return { sum = inputs.a + inputs.b, parts = { inputs.a * 2, inputs.b * 3 } } end
    local g = graph.capture(f, { a = torch.ones(2), b = torch.ones(2) })
    local result = g:run { a = torch.Tensor { 1, 2 }, b = torch.Tensor { 10, 20 } }
    assert.same({ 11, 22 }, result.sum:totable())
    assert.same({ 30, 60 }, result.parts[2]:totable())
  end)

  it('reads constants anew in each run', function()
    local w = torch.ones(3)
    local g = graph.capture(function(x) return torch.cmul(x, w) end, { torch.ones(3) })
    w:fill(5)
    assert.same({ 5, 10, 15 }, g:run(torch.Tensor { 1, 2, 3 }):totable())
  end)

  it('writes to inputs and constants that the function writes to', function()
    local total = torch.zeros(2)
    local g = graph.capture(function(x) total:add(x) x[1] = 7 return total end, { torch.ones(2) })
    total:zero()
    local x = torch.Tensor { 1, 2 }
    assert.same({ 1, 2 }, g:run(x):totable())
    assert.same({ 7, 2 }, x:totable())
    g:run(torch.ones(2))
    assert.same({ 2, 3 }, total:totable())
  end)

  it('follows writes through views', function()
    local function f(x)
      local y = x:clone()
      y[2]:fill(3)
      y:narrow(2, 1, 2):mul(2)
      y[{ {}, 3 }] = y[{ {}, 1 }]
      return y, y:t():sum(2)
    end
    local g = graph.capture(f, { torch.randn(3, 4) })
    local x = torch.randn(3, 4)
    local a, b = g:run(x)
    local c, d = f(x)
    assert.is_true(same(a, c))
    assert.is_true(same(b, d))
  end)

  it('keeps copies apart from what is written later', function()
    local function f(x)
      local y, z = torch.Tensor(2):copy(x), torch.Tensor(3, 2):copy(x:view(1, 2):expand(3, 2))
      x:add(1)
      return y, z
    end
    local g = graph.capture(f, { torch.ones(2) })
    local x = torch.Tensor { 3, 5 }
    local y, z = g:run(x)
    assert.same({ 3, 5 }, y:totable())
    assert.same({ { 3, 5 }, { 3, 5 }, { 3, 5 } }, z:totable())
    assert.same({ 4, 6 }, x:totable())
    y:fill(0)
    assert.same({ 4, 6 }, x:totable())
  end)

  it('draws random numbers in each run', function()
    local dropout = nn.Dropout(0.5)
    local g = graph.capture(function(x) return dropout:forward(x) end, { torch.ones(100) })
    local x = torch.ones(100)
    torch.manualSeed(3)
    local a, b = g:run(x):clone(), g:run(x):clone()
    assert.is_false(same(a, b))
    torch.manualSeed(3)
    assert.is_true(same(a, dropout:forward(x)))
  end)

  it('keeps the line of the program for each step', function()
    local g = graph.capture(function(x) return torch.exp(x) end, { torch.ones(2) })
    assert.matches('capture_spec%.lua:%d+$', g:info().origins[1])
  end)
end)

describe('a captured network', function()
  local nets = {
    mlp = { function() return nn.Sequential():add(nn.Linear(6, 5)):add(nn.Tanh()):add(nn.Linear(5, 3)):add(nn.LogSoftMax()) end, { 4, 6 } },
    convolutions = {
      function()
        return nn.Sequential():add(nn.SpatialConvolution(2, 4, 3, 3)):add(nn.ReLU(true)):add(nn.SpatialMaxPooling(2, 2))
          :add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(16, 3))
      end, { 5, 2, 6, 6 },
    },
    branches = {
      function()
        return nn.Sequential():add(nn.ConcatTable():add(nn.Linear(6, 3)):add(nn.Linear(6, 3))):add(nn.CAddTable()):add(nn.Sigmoid())
      end, { 4, 6 },
    },
    joined = { function() return nn.Concat(2):add(nn.Linear(6, 3)):add(nn.Linear(6, 2)) end, { 4, 6 } },
  }
  for name, case in pairs(nets) do
    it(name .. ' runs forward as the module does', function()
      torch.manualSeed(2)
      local net, size = case[1](), case[2]
      local g = graph.capture(function(x) return net:forward(x) end, { torch.randn(unpack(size)) })
      local recorded = graph.capture(function(x) return net(x) end, { torch.randn(unpack(size)) })
      local x = torch.randn(unpack(size))
      local expected = net:forward(x:clone()):clone()
      assert.is_true(same(g:run(x:clone()), expected))
      assert.is_true(same(recorded:run(x:clone()), expected))
    end)

    it(name .. ' trains by Torch7\'s protocol', function()
      local net, twin = twins(case[1])
      local size = case[2]
      local criterion, twinCriterion = nn.MSECriterion(), nn.MSECriterion()
      local function step(module, loss)
        return function(x, y)
          module:zeroGradParameters()
          local output = module:forward(x)
          local value = loss:forward(output, y)
          module:backward(x, loss:backward(output, y))
          module:updateParameters(0.1)
          return torch.isTensor(value) and value or torch.Tensor { value }
        end
      end
      local sizes = net:clone():forward(torch.randn(unpack(size))):size()
      local eager, g = step(twin, twinCriterion), nil
      for i = 1, 4 do
        local x, y = torch.randn(unpack(size)), torch.randn(sizes)
        local loss
        if g then loss = g:run(x, y) else g, loss = graph.capture(step(net, criterion), { x:clone(), y }) end
        assert.is_true(same(loss:view(1), eager(x, y)), ('loss of step %d'):format(i))
        for k, p in ipairs((net:parameters())) do assert.is_true(same(p, twin:parameters()[k])) end
      end
    end)
  end

  it('trains on the tape, with flat parameters and an optimiser', function()
    local function make() return nn.Sequential():add(nn.Linear(6, 5)):add(nn.ReLU()):add(nn.Linear(5, 3)) end
    local net, twin = twins(make)
    local function step(module)
      local parameters, gradients = module:getParameters()
      local config = { learningRate = 0.05, momentum = 0.9 }
      local criterion = nn.CrossEntropyCriterion()
      return function(x, y)
        local loss
        optim.sgd(function()
          gradients:zero()
          loss = criterion:forward(module:forward(x), y)
          module:backward(x, criterion:backward(module.output, y))
          return loss, gradients
        end, parameters, config)
        return torch.isTensor(loss) and loss or torch.Tensor { loss }
      end
    end
    local eager, captured, g = step(twin), step(net), nil
    for i = 1, 4 do
      local x, y = torch.randn(4, 6), torch.Tensor { 1, 2, 3, 1 }
      local loss = i == 1 and captured(x, y)                     -- the first step creates the optimiser's state
      if i == 2 then g, loss = graph.capture(captured, { x, y }) end
      if i > 2 then loss = g:run(x, y) end
      assert.is_true(same(loss:view(1), eager(x, y)), ('loss of step %d'):format(i))
      for k, p in ipairs((net:parameters())) do assert.is_true(same(p, twin:parameters()[k])) end
    end
  end)

  it('updates the statistics of batch normalisation', function()
    local net, twin = twins(function() return nn.BatchNormalization(3) end)
    local g = graph.capture(function(x) return net:forward(x) end, { torch.randn(8, 3) })
    net.running_mean:zero()
    net.running_var:fill(1)
    for _ = 1, 3 do
      local x = torch.randn(8, 3)
      assert.is_true(same(g:run(x), twin:forward(x)))
    end
    assert.is_true(same(net.running_mean, twin.running_mean))
    assert.is_true(same(net.running_var, twin.running_var))
  end)

  it('trains by the tape\'s gradients', function()
    local net, twin = twins(function() return nn.Sequential():add(nn.Linear(4, 4)):add(nn.Tanh()):add(nn.Linear(4, 1)) end)
    local function step(module)
      local parameters = (module:parameters())
      for _, p in ipairs(parameters) do p:requiresGrad() end
      return function(x)
        for _, p in ipairs(parameters) do p:zeroGrad() end
        local loss = torch.mean(torch.pow(module(x), 2))
        loss:backward()
        torch.noGrad(function()
          for _, p in ipairs(parameters) do p:add(-0.1, p.grad) end
        end)
        return torch.isTensor(loss) and loss:detach() or torch.Tensor { loss }
      end
    end
    local eager, g = step(twin)
    for i = 1, 3 do
      local x = torch.randn(5, 4)
      local loss
      if i == 1 then
        g, loss = graph.capture(step(net), { x:clone() })
      else
        loss = g:run(x)
      end
      assert.is_true(same(loss:view(1), eager(x):view(1)), ('loss of step %d'):format(i))
      for k, p in ipairs((net:parameters())) do assert.is_true(same(p:detach(), twin:parameters()[k]:detach())) end
    end
  end)
end)

describe('capture refuses', function()
  local function message(f, inputs)
    local done, failure = pcall(graph.capture, f, inputs or { torch.ones(3) })
    assert.is_false(done)
    local probe = torch.ones(2)
    assert.equal(1, probe[1])                                    -- the state works as before
    return failure
  end
  it('an element that the program reads', function()
    assert.matches('capture_spec%.lua:%d+: read: an element that the program reads', message(function(x) return x * x[1] end))
    assert.matches('read: an element', message(function(x) return x * x:item() end, { torch.ones(1) }))
    assert.matches('read: an element', message(function(x) return x * x:totable()[1] end))
  end)
  it('sizes that depend on elements', function()
    assert.matches('nonzero: sizes that depend on elements', message(function(x) return x:nonzero() end))
  end)
  it('pointers', function()
    assert.matches('expose: a pointer to elements', message(function(x) x:data() return x end))
  end)
  it('results that are no tensors', function()
    assert.matches('capture: results: 3, expected tensors', message(function() return 3 end))
  end)
  it('an error of the program, which it passes on', function()
    assert.matches('capture_spec%.lua:%d+: mine', message(function() error 'mine' end))
  end)
  it('inputs that are no tensors', function()
    assert.matches('capture: x1: 3, expected a tensor', message(function(x) return x end, { 3 }))
    assert.matches('capture: inputs: ', message(function(x) return x end, 5))
  end)
  it('nothing that a suspended coroutine captures', function()
    local resume = coroutine.wrap(function()
      return graph.capture(function(x)
        local y = x + 1
        coroutine.yield()
        return y
      end, { torch.ones(2) })
    end)
    resume()
    local outside = torch.ones(2) * 3
    collectgarbage()
    assert.is_true(torch.isTensor(outside))
    local g = resume()
    assert.same({ 3, 3 }, g:run(torch.Tensor { 2, 2 }):totable())
  end)
  it('nothing after the coroutine that captures is dropped', function()
    local resume = coroutine.wrap(function() return graph.capture(function() coroutine.yield() end, { torch.ones(2) }) end)
    resume()
    resume = nil                                                 -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.equal(1, torch.ones(2)[1])
    assert.is_true(torch.isTensor((graph.capture(torch.exp, { torch.ones(2) }):run(torch.ones(2)))))
  end)
  it('names that a text can\'t have', function()
    for _, name in ipairs { 'my input', 'none', '%1', '1x' } do
      assert.error_matches(function() graph.capture(function(t) return t[name] end, { [name] = torch.ones(2) }) end,
        'graph: names: .*, expected a letter')
    end
    for _, key in ipairs { 7, '' } do
      assert.error_matches(function() graph.capture(torch.exp, { torch.ones(2), [key] = torch.ones(2) }) end,
        'capture: inputs: the key .*, expected a list or names')
    end
  end)
  it('no name that a constant would have', function()
    local w = torch.Tensor { 2, 3 }
    local g = graph.capture(function(t) return torch.cmul(t.c1, w) end, { c1 = torch.ones(2) })
    assert.same({ 8, 15 }, g:run { c1 = torch.Tensor { 4, 5 } }:totable())
    assert.equal(tostring(g), tostring(graph.parse(tostring(g), { c1_ = w })))
  end)
  it('a capture inside a capture', function()
    assert.matches('capture: a capture', message(function(x) return graph.capture(torch.exp, { x }) end))
  end)
end)

describe('a graph', function()
  local function f(x, y) return torch.cmul(torch.exp(x), y), torch.max(y, 2) end
  local g = graph.capture(f, { torch.randn(2, 3), torch.randn(2, 3) })

  it('is text, which parses to an equal graph', function()
    local text = tostring(g)
    assert.equal(text, tostring(graph.parse(text)))
    local x, y = torch.randn(2, 3), torch.randn(2, 3)
    assert.is_true(same((graph.parse(text):run(x, y)), (f(x, y))))
  end)

  it('returns separate tensors for equal results', function()
    local h = graph.capture(function(x) return torch.exp(x), torch.exp(x) end, { torch.ones(2) })
    assert.equal(1, #h:info().ops)
    local a, b = h:run(torch.zeros(2))
    a:add(1)
    assert.same({ 1, 1 }, b:totable())
  end)

  it('has the writes of ops that also return results', function()
    local norm = nn.BatchNormalization(3)
    local twin, x = norm:clone(), torch.randn(5, 3)
    local h = torch.graph.capture(function(a) return norm(a) end, { x })
    twin(x)
    assert.is_truthy(tostring(h):find('batchNorm%(.*writes'))
    assert.equal(2, h:info().updates)
    for _ = 1, 2 do assert.is_true(torch.equal(twin(x), (h:run(x)))) end
    assert.is_true(torch.equal(twin.running_mean, norm.running_mean) and torch.equal(twin.running_var, norm.running_var))
    local constants = {}
    for _, name in ipairs(h:info().constants) do constants[name] = h:constant(name) end
    local parsed = torch.graph.parse(tostring(h), constants)
    assert.equal(tostring(h), tostring(parsed))
    assert.is_true(torch.equal(twin(x), (parsed:run(x))))
    assert.is_true(torch.equal(twin.running_mean, norm.running_mean))
    torch.graph.gradient(h, 'x1'):run(x, torch.ones(5, 3))
    assert.is_true(torch.equal(twin.running_mean, norm.running_mean))
  end)

  it('with constants gets their tensors when it is parsed', function()
    local w = torch.ones(2)
    local text = tostring(graph.capture(function(x) return x + w end, { torch.ones(2) }))
    assert.error_matches(function() graph.parse(text) end, 'constants: no tensor c1, expected one for each constant')
    assert.same({ 6, 7 }, graph.parse(text, { c1 = torch.Tensor { 5, 5 } }):run(torch.Tensor { 1, 2 }):totable())
  end)

  it('refuses inputs of other numbers, kinds, types and sizes', function()
    local x = torch.randn(2, 3)
    assert.error_matches(function() g:run(x) end, 'graph: run: 1 inputs, expected 2')
    assert.error_matches(function() g:run(x, 3) end, 'graph: x2: .*, expected tensor')
    assert.error_matches(function() g:run(x, x:float()) end, 'graph: x2: torch%.FloatTensor %[2, 3%], expected torch%.DoubleTensor')
    local _, message = pcall(function() g:run(x, x:float()) end)
    assert.matches('^[^ ]*capture_spec.lua:%d+: graph: x2', message)
    assert.error_matches(function() g:run(x, torch.randn(2, 4)) end, 'graph: x2: .*%[2, 4%], expected .*%[2, 3%]')
  end)

  it('accepts numbers and sizes that count as in Lua', function()
    local sums = graph.parse 'graph(x: tensor, dim: dim, n: number) { return mul(sum(x, dim), n) }'
    assert.same({ { 12 }, { 30 } }, sums:run(torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }, 2, 2):totable())
  end)

  it('names the step and its line when a step fails', function()
    local h = graph.parse 'graph(x: tensor, y: tensor) {\n z = add(x, 1) -- model.lua:3\n w = mm(z, y) -- model.lua:4\n return w\n}'
    assert.error_matches(function() h:run(torch.ones(2, 2), torch.ones(3, 3)) end, 'graph: step 2 %(model.lua:4%): mm: ')
  end)
end)
