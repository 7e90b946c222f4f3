-- Products with Jacobians, whole Jacobians and Hessians, recomputation, and the mode that finds where numbers go wrong.
local torch = require 'torch'
local autograd = require 'autograd'
local nn = require 'nn'
local assertClose = require('spec.support.close').assertClose

local A = torch.DoubleTensor { { 1, 2 }, { 3, 4 }, { 5, 6 } }
local function map(x) return torch.mv(A, torch.square(x)) end          -- Jacobian A diag(2 x)

describe('autograd', function()
  local x = torch.DoubleTensor { 1, -2 }

  it('gives products with Jacobians', function()
    local y, g = autograd.vjp(map, x, torch.DoubleTensor { 1, 10, 100 })
    assertClose({ 9, 19, 29 }, y)
    assertClose({ 2 * 531, -4 * 642 }, g)
    local _, both = autograd.vjp(function(a, b) return torch.cmul(a, b), a end, { x, x }, { torch.ones(2), torch.ones(2) })
    assertClose({ 2, -1 }, both[1])
    assertClose({ 1, -2 }, both[2])
    local _, along = autograd.jvp(map, x, torch.DoubleTensor { 1, 10 })
    assertClose({ 2 - 80, 6 - 160, 10 - 240 }, along)
    local _, none = autograd.jvp(function(a) return torch.mul(a:detach(), 2) end, x, x)
    assertClose({ 0, 0 }, none)
  end)

  it('gives Jacobians and Hessians', function()
    assertClose({ { 2, -8 }, { 6, -16 }, { 10, -24 } }, autograd.jacobian(map, x))
    local blocks = autograd.jacobian(function(a, b) return torch.ger(a, b) end, { x, torch.DoubleTensor { 3, 4 } })
    assert.same({ 2, 2, 2 }, blocks[1]:size():totable())
    assertClose({ { { 3, 0 }, { 4, 0 } }, { { 0, 3 }, { 0, 4 } } }, blocks[1])
    assertClose({ { 6, 1 }, { 1, -12 } }, autograd.hessian(function(a) return torch.sum(torch.pow(a, 3)) + a[1] * a[2] end, x))
    local H = autograd.hessian(function(a, b) return torch.sum(torch.cmul(a, torch.square(b))) end, { x, x })
    assertClose({ { 0, 0 }, { 0, 0 } }, H[1][1])
    assertClose({ { 2, 0 }, { 0, -4 } }, H[1][2])
    assertClose({ { 2, 0 }, { 0, -4 } }, H[2][2])
    assert.error_matches(function() autograd.hessian(map, x) end, 'hessian: f: a result of 3 elements')
    assert.error_matches(function() autograd.vjp(map, { 3 }) end, 'vjp: inputs: number 1 is a number')
    assert.error_matches(function() autograd.vjp(map, x, x) end, 'vjp: v: number 1: size %[2%], expected %[3%]')
    assert.error_matches(function() autograd.jvp(map, x, torch.ones(3)) end, 'jvp: v: number 1: size %[3%], expected %[2%]')
    assert.error_matches(function() autograd.jvp(map, { x, x }, x) end, 'jvp: v: number 2 is a nil, expected a tensor')
  end)
end)

describe('products with Hessians, and the modes of Jacobians', function()
  local function cubes(a, b) return torch.sum(torch.cmul(torch.pow(a, 3), b)) end
  it('give the derivative of a gradient', function()
    local a, b = torch.DoubleTensor { 1, 2 }, torch.DoubleTensor { 3, 4 }
    local y, products = autograd.hvp(cubes, { a, b }, { torch.DoubleTensor { 1, 10 }, torch.DoubleTensor { 2, 0 } })
    assertClose({ 3 + 32 }, y:view(1))
    assertClose({ 18 * 1 + 3 * 2, 48 * 10 }, products[1])
    assertClose({ 3, 12 * 10 }, products[2])
    local _, none = autograd.hvp(function(x) return torch.sum(x) end, a, b)
    assertClose({ 0, 0 }, none)
    assert.error_matches(function() autograd.hvp(torch.exp, a, b) end, 'hvp: f: a result of 2 elements, expected 1')
    assert.error_matches(function() autograd.hvp(cubes, { a, b }, { a }) end, 'hvp: v: number 2')
  end)

  -- Against differences of the function.
  local function differences(f, x)
    local rows, h = {}, 1e-6
    for i = 1, x:nElement() do
      local d = torch.zeros(x:nElement())
      d[i] = h
      d = d:view(x:size())
      rows[i] = ((f(x + d) - f(x - d)) / (2 * h)):view(1, -1)
    end
    return torch.cat(rows, 1):t()
  end
  for _, case in ipairs { { 3, 40 }, { 40, 3 }, { 40, 50 }, { 50, 40 } } do
    it(('agree with differences: %d inputs, %d results'):format(case[1], case[2]), function()
      torch.manualSeed(1)
      local w, calls = torch.randn(case[2], case[1]), 0
      local function f(x)
        calls = calls + 1
        return torch.tanh(torch.mv(w, x)) + torch.sum(x)
      end
      local x = torch.randn(case[1])
      local J = autograd.jacobian(f, x)
      assert.equal(1, calls)
      assertClose(differences(f, x), J, 1e-6)
      local branch = autograd.jacobian(function(v) return v:detach()[1] > 100 and v or f(v) end, x)
      assertClose(J, branch, 1e-12)
    end)
  end

  it('agree for several inputs, of which one has no influence', function()
    torch.manualSeed(2)
    local w, x, y = torch.randn(60, 4), torch.randn(4), torch.randn(3)
    local blocks = autograd.jacobian(function(a, b) return torch.square(torch.mv(w, a)), b end, { x, y })
    assertClose(torch.cmul(w, (torch.mv(w, x) * 2):view(60, 1):expand(60, 4)), blocks[1], 1e-12)
    assertClose(torch.zeros(60, 3), blocks[2])
  end)

  it('give the Hessian of many inputs', function()
    torch.manualSeed(3)
    local x = torch.randn(40)
    local H = autograd.hessian(function(a) return torch.sum(torch.pow(a, 3)) + torch.pow(torch.sum(a), 2) end, x)
    assertClose(torch.diag(x * 6) + 2, H, 1e-11)
  end)
end)

describe('autograd.checkpoint', function()
  local w, input
  local function block(h)
    local mask = torch.DoubleTensor(2):bernoulli(0.5)
    return torch.cmul(torch.exp(torch.cmul(h, w)), mask), torch.cmul(h, h)
  end
  local function run(wrap)
    torch.manualSeed(4)
    w, input = torch.DoubleTensor { 0.3, 0.4 }:requiresGrad(), torch.DoubleTensor { 0.1, 0.2 }:requiresGrad()
    local a, b = wrap(block, torch.tanh(input))
    local c = wrap(block, torch.add(a, b))
    torch.add(torch.sum(c), torch.sum(a)):backward()
    return w.grad, input.grad, torch.uniform()
  end

  it('changes no gradient: not those of what f captures, nor with random numbers', function()
    local plain, checkpointed = { run(function(f, ...) return f(...) end) }, { run(autograd.checkpoint) }
    assertClose(plain[1], checkpointed[1])
    assertClose(plain[2], checkpointed[2])
    assert.equal(plain[3], checkpointed[3])
  end)

  it('keeps gradients of gradients', function()
    local x = torch.DoubleTensor { 0.5 }:requiresGrad()
    local y = autograd.checkpoint(torch.tanh, x)
    local g = autograd.grad(y, x, { createGraph = true })
    local t = math.tanh(0.5)
    assertClose({ -2 * t * (1 - t * t) }, autograd.grad(g, x), 1e-15)
  end)

  it('takes modules, and leaves alone what needs no gradient', function()
    local net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Tanh()):requiresGrad()
    local x = torch.randn(3, 2)
    torch.sum(net(x)):backward()
    local expected = net:get(1).weight.grad
    net:get(1).weight.grad = nil
    torch.sum(autograd.checkpoint(net, x)):backward()
    assertClose(expected, net:get(1).weight.grad)
    assert.is_false(autograd.checkpoint(torch.exp, x):isTracked())
    assert.is_false(torch.noGrad(autograd.checkpoint, net, x):isTracked())
  end)

  it('notices that an argument was changed in between', function()
    local x = torch.DoubleTensor { 0.5 }:requiresGrad()
    local h = torch.mul(x, 2)
    local y = autograd.checkpoint(torch.exp, h)
    h:add(1)
    assert.error_matches(function() y:backward() end, 'checkpoint: backward: saved tensor 1 was changed in place')
  end)

  it('keeps nothing of what is computed inside', function()
    local x = torch.randn(20000):requiresGrad()
    local function long(h)
      for _ = 1, 50 do h = torch.tanh(h) end
      return h
    end
    local function growth(wrap)
      collectgarbage()
      collectgarbage()
      local before = torch.memory().blocks
      local y = wrap(long, x)
      collectgarbage()
      collectgarbage()
      return torch.memory().blocks - before, y
    end
    local checkpointed, plain = growth(autograd.checkpoint), growth(function(f, ...) return f(...) end)
    assert.is_true(checkpointed <= 5 and plain >= 50, checkpointed .. ' blocks, else ' .. plain)
  end)
end)

describe('autograd.anomaly', function()
  local function here() return debug.getinfo(2, 'l').currentline end

  it('names the line whose op made the first NaN', function()
    local x, line = torch.DoubleTensor { -1 }:requiresGrad(), nil
    local done, message = pcall(autograd.anomaly, function()
      local y = torch.mul(x, 2)
      line = here() + 1
      local z = torch.sqrt(y)
      return torch.exp(z)
    end)
    assert.is_false(done)
    assert.matches('^sqrt: its result has NaN; recorded at .*derivatives_spec.lua:' .. line .. '$', message)
    done, message = pcall(autograd.anomaly, function() return torch.mul(torch.cmul(x, torch.DoubleTensor { 0 / 0 }), 1) end)
    assert.is_false(done)
    assert.matches('cmul: its result has NaN %(argument 2 has, too%)', message)
  end)

  it('names the line whose backward made it', function()
    local x, line = torch.DoubleTensor { 0 }:requiresGrad(), nil
    local done, message = pcall(autograd.anomaly, function()
      line = here() + 1
      local y = torch.sqrt(x)
      torch.sum(torch.mul(y, 0)):backward()
    end)
    assert.is_false(done)
    assert.matches('^sqrt: the gradient that its backward gives has NaN; recorded at .*_spec.lua:' .. line .. '$', message)
  end)

  it('names op and line in errors of backward', function()
    local x, line = torch.DoubleTensor { 1 }:requiresGrad(), nil
    local done, message = pcall(autograd.anomaly, function()
      line = here() + 1
      local y = torch.exp(x)
      y:add(1)
      y:backward()
    end)
    assert.is_false(done)
    assert.matches('^exp %(recorded at .*_spec.lua:' .. line .. '%): backward: its result, kept .* was changed in place', message)
    local bad = autograd.Function { name = 'bad', forward = function(_, z) return z * 2 end, backward = function() error('oh no', 0) end }
    assert.error_matches(function() autograd.anomaly(function() bad(x):backward() end) end,
      '^bad: backward: oh no; recorded at .*_spec.lua:%d+$')
    local function lose(_, z) return z * (0 / 0) end
    local lost = autograd.Function { name = 'lost', forward = lose, backward = function(_, g) return g end }
    assert.error_matches(function() autograd.anomaly(lost, x) end, '^lost: its result has NaN; recorded at')
    assert.is_true(lost(x):isTracked())
  end)

  it('finds the line of the program through modules', function()
    local net, line = nn.Sequential():add(nn.Linear(1, 1)):add(nn.Sigmoid()), nil
    net:get(1).weight:fill(0 / 0)
    net:requiresGrad()
    local done, message = pcall(autograd.anomaly, function()
      line = here() + 1
      local y = net(torch.ones(1, 1))
      return y
    end)
    assert.is_false(done)
    assert.matches('linear: its result has NaN .*_spec.lua:' .. line .. ' %(in .*lua/nn/', message)
  end)

  it('can be switched on and off, and is off after an error', function()
    assert.is_false(autograd.anomaly(true))
    assert.is_true(autograd.anomaly(false))
    local x = torch.DoubleTensor { -1 }:requiresGrad()
    assert.is_true(torch.sqrt(x):isTracked())
    assert.error_matches(function() autograd.anomaly(3) end, 'anomaly: what: a number')
  end)
end)
