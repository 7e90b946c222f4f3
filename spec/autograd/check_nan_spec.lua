-- The search for NaNs: faults of known programs.
local torch, autograd, nn, optim = require 'torch', require 'autograd', require 'nn', require 'optim'
local C = require 'libmoontorch'

local function here() return debug.getinfo(2, 'l').currentline end

-- The fault, without the fields that tests of others compare.
local function find(f, options) return (autograd.checkNaN(f, options)) end

local function isIdle() return pcall(function() C.observation().findFaults(true, '') C.observation().endFaults() end) end

describe('autograd.checkNaN', function()
  after_each(function() assert.is_true(isIdle()) end)

  it('returns nil and the results of f when all is finite', function()
    local function f(a, b) return torch.add(a, b), nil, 'text', nil end
    local results = { n = select('#', autograd.checkNaN(f, nil, torch.ones(2), 1)), autograd.checkNaN(f, nil, torch.ones(2), 1) }
    assert.equal(5, results.n)
    assert.is_nil(results[1])
    assert.same({ 2, 2 }, results[2]:totable())
    assert.equal('text', results[4])
  end)

  it('names the first op that makes a NaN from numbers, and its line', function()
    local x, line = torch.DoubleTensor { -4, 9 }, nil
    local fault = find(function()
      local y = torch.mul(x, 2)
      line = here() + 1
      local z = torch.sqrt(y)
      return torch.exp(z)
    end)
    assert.equal('sqrt', fault.op)
    assert.equal('nan', fault.kind)
    assert.is_false(fault.backward)
    assert.is_nil(fault.argument)
    assert.matches('check_nan_spec.lua:' .. line .. '$', fault.line)
    assert.matches('^sqrt: its result has NaN, its arguments have none; called at .*check_nan_spec.lua:' .. line .. '$', tostring(fault))
    assert.matches('check_nan_spec.lua:' .. line, fault.traceback)
  end)

  it('finds infinities, unless told otherwise', function()
    local x = torch.DoubleTensor { 0, 1 }
    local function f() return torch.log(x) end
    assert.equal('inf', find(f).kind)
    assert.is_nil(find(f, { infinities = false }))
    local function g() return torch.csub(torch.log(x), torch.log(x)) end      -- -inf + inf
    assert.same({ 'csub', 'nan' }, { find(g, { infinities = false }).op, find(g, { infinities = false }).kind })
  end)

  it('finds them in every dtype of floats, in place, and in conversions', function()
    assert.equal('mul', find(function() torch.FloatTensor { 1e38 }:mul(100) end).op)
    assert.equal('inf', find(function() torch.DoubleTensor { 1e300 }:float() end).kind)
    assert.equal('inf', find(function() torch.FloatTensor { 70000 }:half() end).kind)
    assert.equal('nan', find(function() torch.HalfTensor { -1 }:sqrt() end).kind)
    assert.is_nil(find(function() torch.LongTensor { 2 }:mul(3) end))
    assert.is_nil(find(function() return torch.DoubleTensor { 1e308, 1e308 } * 1 end))      -- the sum of all overflows
    local x = torch.DoubleTensor { 0 / 0 }
    local fault = find(function() x:mul(2) end)
    assert.same({ 'mul', 'x' }, { fault.op, fault.argument })
    assert.matches('and so has its argument x', fault.message)
  end)

  it('accepts infinities of the program, and memory that no op has written', function()
    assert.is_nil(find(function()
      local scores = torch.DoubleTensor { 1, 2, 3 }:maskedFill(torch.ByteTensor { 0, 1, 0 }, -math.huge)
      return nn.SoftMax():forward(scores)
    end))
    torch.DoubleTensor(5000):fill(0 / 0)
    collectgarbage()
    collectgarbage()
    local grown
    assert.is_nil(find(function() grown = torch.DoubleTensor(2):zero():resize(5000) end))
    assert.equal(5000, grown:nElement())
    local buffer = torch.DoubleTensor(4):fill(0 / 0)
    assert.is_nil(find(function() return buffer:narrow(1, 1, 2):copy(torch.ones(2)):clone() end))
  end)

  it('names the module by its path, with numbers from 1', function()
    local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Sequential():add(nn.Abs()):add(nn.Log())):add(nn.Linear(3, 1))
    net:get(1).weight:zero()
    net:get(1).bias:zero()
    local x = torch.ones(4, 2)
    local fault = find(function() net:forward(x) end, { model = net })
    assert.same({ 'log', 'inf', 'model.2.2 (nn.Log)' }, { fault.op, fault.kind, fault.module })
    assert.matches('in model.2.2 %(nn.Log%)$', fault.message)
    fault = find(function() torch.noGrad(net, x) end, { model = { net = net } })
    assert.equal('net.2.2 (nn.Log)', fault.module)
    assert.equal('net.2.2 (nn.Log)', find(function() net:forward(x) end, { model = true }).module)
    net:requiresGrad()
    assert.equal('model.2.2 (nn.Log)', find(function() net(x) end, { model = net }).module)
    assert.is_nil(find(function() net(x) end).module)
    for _, module in ipairs(net:listModules()) do
      assert.is_nil(rawget(module, 'updateOutput'))
      assert.is_nil(rawget(module, 'derived'))
    end
  end)

  it('lets f copy the modules', function()
    local net, copy = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Log()), nil
    assert.is_nil(find(function() copy = net:clone() end, { model = net }))
    assert.is_nil(rawget(copy:get(2), '_observed') or rawget(copy:get(2), 'updateOutput'))
    assert.is_nil(rawget(net:get(2), '_observed'))
    copy:get(1).weight:zero()
    copy:get(1).bias:zero()
    assert.is_nil(find(function() copy:forward(torch.ones(1, 2)) end, { model = net }).module)
    local criterion = nn.MSECriterion()
    assert.is_nil(find(function() copy = criterion:clone() end, { model = { loss = criterion } }))
    assert.same({}, { rawget(copy, '_observed'), rawget(copy, 'updateOutput'), rawget(criterion, 'updateOutput') })
  end)

  it('names the criterion of a table', function()
    local criterion, x = nn.MSECriterion(), torch.DoubleTensor { 1e200 }
    local fault = find(function() criterion:forward(x, torch.zeros(1)) end, { model = { loss = criterion } })
    assert.same({ 'inf', 'loss (nn.MSECriterion)' }, { fault.kind, fault.module })
    fault = find(function() criterion:backward(x / 0, torch.zeros(1)) end, { model = { loss = criterion } })
    assert.is_nil(fault.module)
  end)

  it('names the call of the forward pass whose gradient is faulty', function()
    local x, line = torch.DoubleTensor { 0 }:requiresGrad(), nil
    local fault = find(function()
      line = here() + 1
      local y = torch.sqrt(x)
      local z = torch.mul(y, 3)
      torch.sum(z):backward()
    end)
    assert.is_true(fault.backward)
    assert.same({ 'inf', 'sqrt' }, { fault.kind, fault.forward.op })
    assert.matches('check_nan_spec.lua:' .. line .. '$', fault.forward.line)
    assert.matches('in the backward of sqrt, called at .*:' .. line .. '$', fault.message)
  end)

  it('names the module in whose backward the fault arises', function()
    _G.checked = {}
    local Root = torch.class('checked.Root', 'nn.Module')
    function Root:compute(input) return torch.sqrt(input) end      -- luacheck: ignore self
    local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.ReLU()):add(_G.checked.Root()):add(nn.Linear(3, 1))
    net:get(1).weight:fill(-1)
    net:get(1).bias:fill(-1)
    local x, g = torch.ones(4, 2), torch.ones(4, 1)
    local fault = find(function()
      net:forward(x)
      net:backward(x, g)
    end, { model = net })
    assert.same({ 'inf', true, 'model.3 (checked.Root)' }, { fault.kind, fault.backward, fault.module or fault.forward.module })
    net:requiresGrad()
    fault = find(function() torch.sum(net(x)):backward() end, { model = net })
    assert.same({ true, 'sqrt', 'model.3 (checked.Root)' }, { fault.backward, fault.forward.op, fault.forward.module })
    _G.checked = nil
  end)

  it('ignores faults inside of a formula that its outputs lack', function()
    local net = nn.Sequential():add(nn.Sqrt())                   -- its gradient divides by 0, and replaces the quotient
    local x = torch.DoubleTensor { 0, 4 }
    assert.is_nil(find(function()
      net:forward(x)
      assert.same({ 0, 0.25 }, net:backward(x, torch.ones(2)):totable())
    end))
    local graph = torch.graph.capture(function(a) return torch.where(torch.eq(a, 0), 0, torch.log(a)) end, { x })
    assert.is_nil(find(function() return graph:run(x) end))
    graph = torch.graph.capture(function(a) return torch.exp(torch.log(a)) + torch.log(a) end, { x })
    local reached = false
    local fault = find(function()
      graph:run(x)
      reached = true
    end)
    assert.equal('log', fault.op)
    assert.is_false(reached)
  end)

  it('checks prepared runs and optimisers', function()
    local run = nn.Sequential():add(nn.Log()):prepare(2)
    assert.equal('log', find(function() return run(torch.DoubleTensor { 0, 1 }) end).op)
    assert.is_nil(find(function() return run(torch.DoubleTensor { 1, 1 }) end))
    local w = torch.DoubleTensor { 1 }
    assert.equal('nan', find(function() optim.sgd(function() return 0, torch.DoubleTensor { 0 / 0 } end, w, {}) end).kind)
  end)

  it('allows captures inside', function()
    local net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Log())
    net:get(1).weight:zero()
    net:get(1).bias:zero()
    local x = torch.ones(1, 2)
    local fault = find(function()
      local run = net:prepare(1, 2)
      local before = torch.zeros(2):add(1)
      return before, run(x)
    end)
    assert.equal('log', fault.op)
  end)

  it('finds the parameter that is faulty before', function()
    local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Tanh())
    net:get(1).bias[2] = 0 / 0
    local fault = find(function() error 'not called' end, { model = net })
    assert.same({ 'nan', 'model.1.bias' }, { fault.kind, fault.parameter })
    assert.equal('model.1.bias has NaN before the first op', fault.message)
  end)

  it('reports a fault whose error f has caught', function()
    local fault = find(function()
      pcall(torch.sqrt, torch.DoubleTensor { -1 })
      torch.log(torch.DoubleTensor { 0 })
    end)
    assert.equal('sqrt', fault.op)
  end)

  it('passes the errors of f on, and is over then', function()
    local net = nn.Linear(2, 1)
    assert.error_matches(function() autograd.checkNaN(function() net:forward(torch.ones(3)) end, { model = net }) end, 'nn.Linear')
    assert.is_nil(rawget(net, 'updateOutput'))
    local thrown = {}
    local done, value = pcall(autograd.checkNaN, function() error(thrown) end)
    assert.is_false(done)
    assert.equal(thrown, value)
  end)

  it('works while ops are lazy, which it runs at once', function()
    torch.lazy(function()
      local x = torch.DoubleTensor { -1 }
      local y = torch.mul(x, 2)
      assert.equal('sqrt', find(function() return torch.exp(torch.sqrt(y)) end).op)
      assert.is_true(torch.isLazy())
    end)
  end)

  it('refuses wrong arguments, a second search, and a trace', function()
    assert.error_matches(function() autograd.checkNaN(3) end, '^.*autograd.checkNaN: f: number, expected a function')
    assert.error_matches(function() autograd.checkNaN(print, { modle = 1 }) end, 'autograd.checkNaN: .*modle')
    assert.error_matches(function() autograd.checkNaN(print, { model = 3 }) end, 'autograd.checkNaN: model: 3, expected a table')
    assert.error_matches(function() autograd.checkNaN(print, { model = { a = 3 } }) end, 'autograd.checkNaN: model: number in the field a')
    local function inside() return autograd.checkNaN(print) end
    assert.error_matches(function() find(inside) end, 'search for NaNs of this state is running, expected none')
    C.traceOps(true)
    local done, message = pcall(find, print)
    C.traceOps(false)
    assert.is_false(done)
    assert.matches('a capture or a trace of this state is running', message)
  end)
end)
