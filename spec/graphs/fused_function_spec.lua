-- torch.fuse: functions that run as graphs have the results, the gradients and the effects of the function.
local torch, nn = require 'torch', require 'nn'
local autograd = require 'autograd'

local function gelu(x) return torch.cmul(torch.mul(x, 0.5), torch.add(torch.erf(torch.mul(x, math.sqrt(0.5))), 1)) end

-- Calls f on the tape and returns its results, and the gradients of their sum by tensors.
local function withGradients(f, leaves, ...)
  for _, leaf in ipairs(leaves) do leaf:zeroGrad() end
  local results = { f(...) }
  local sum
  for _, result in ipairs(results) do
    if result:isTracked() then sum = sum and torch.add(sum, torch.sum(torch.square(result))) or torch.sum(torch.square(result)) end
  end
  sum:backward()
  local gradients = {}
  for i, leaf in ipairs(leaves) do gradients[i] = leaf.grad and leaf.grad:clone() or false end
  return results, gradients
end

local function near(a, b) return (a - b):abs():max() <= 1e-12 * math.max(1, b:abs():max()) end

local function checkGradients(f, leaves, ...)
  local fused = torch.fuse(f)
  for _ = 1, 3 do
    local state = torch.getRNGState()
    local expected, expectedGradients = withGradients(f, leaves, ...)
    torch.setRNGState(state)
    local got, gradients = withGradients(fused, leaves, ...)
    assert.equal(#expected, #got)
    for i = 1, #expected do
      assert.is_true(torch.equal(expected[i]:detach(), got[i]:detach()))
      assert.equal(expected[i]:isTracked(), got[i]:isTracked())
    end
    for i = 1, #leaves do
      assert.equal(expectedGradients[i] == false, gradients[i] == false)
      if gradients[i] then assert.is_true(near(gradients[i], expectedGradients[i])) end
    end
  end
end

describe('torch.fuse', function()
  before_each(function() torch.manualSeed(7) end)

  it('runs a function of tensors and numbers, for each size, dtype and number', function()
    local calls = 0
    local function f(x, k)
      calls = calls + 1
      return torch.add(gelu(x), k), { torch.sum(torch.exp(x), 2) }
    end
    local fused = torch.fuse(f)
    for _ = 1, 3 do
      for _, x in ipairs { torch.randn(3, 4), torch.randn(5, 2), torch.randn(3, 4):float() } do
        for k = 1, 2 do
          local a, b = fused(x, k)
          local c, d = f(x, k)
          calls = calls - 1
          assert.is_true(torch.equal(a, c) and torch.equal(b[1], d[1]))
        end
      end
    end
    assert.equal(6, calls)
  end)

  it('has the gradients by arguments', function()
    local x, y = torch.randn(3, 4):requiresGrad(), torch.randn(3, 4):requiresGrad()
    checkGradients(gelu, { x }, x)
    checkGradients(function(a, b) return torch.cmul(torch.tanh(a), b), torch.gt(a, 0), torch.exp(b) end, { x, y }, x, y)
    checkGradients(function(a, b) return torch.cmul(torch.tanh(a), b) end, { x }, x, y:detach())
    checkGradients(function(a) return a, torch.add(a, 1) end, { x }, x)
  end)

  it('has the gradients by parameters', function()
    local net = nn.Sequential():add(nn.Linear(4, 6)):add(nn.Tanh()):add(nn.Linear(6, 2))
    local parameters = {}
    for _, p in pairs(net:parameters()) do parameters[#parameters + 1] = p:requiresGrad() end
    local x = torch.randn(3, 4)
    checkGradients(function(input) return net(input) end, parameters, x)
    local leaf = x:clone():requiresGrad()
    parameters[#parameters + 1] = leaf
    checkGradients(function(input) return net(input) end, parameters, leaf)
  end)

  it('continues the tape of its arguments', function()
    local leaf = torch.randn(3, 4):requiresGrad()
    local fused = torch.fuse(gelu)
    checkGradients(function(x) return torch.mul(fused(torch.mul(x, 2)), 3) end, { leaf }, leaf)
  end)

  it('draws the numbers that the function draws', function()
    local x = torch.randn(3, 4):requiresGrad()
    checkGradients(function(a) return torch.cmul(gelu(a), torch.rand(3, 4)) end, { x }, x)
    local fused = torch.fuse(function(a) return torch.add(a, torch.rand(3, 4)) end)
    fused(x:detach())
    assert.is_false(torch.equal(fused(x:detach()), fused(x:detach())))
  end)

  it('has second derivatives', function()
    local x = torch.randn(5):requiresGrad()
    local function second(f)
      local first = autograd.grad(torch.sum(f(x)), x, { createGraph = true })
      return autograd.grad(torch.sum(torch.square(first)), x)
    end
    local fused = torch.fuse(gelu)
    for _ = 1, 3 do assert.is_true(near(second(fused), second(gelu))) end
  end)

  it('writes what the function writes', function()
    local state, x = torch.zeros(4), torch.ones(4)
    local fused = torch.fuse(function(a)
      state:add(a)
      return torch.mul(state, 2)
    end)
    for i = 1, 4 do
      assert.is_true(torch.equal(torch.mul(x, 2 * i), fused(x)))
      assert.is_true(torch.equal(torch.mul(x, i), state))
    end
    local norm = nn.BatchNormalization(3)
    local twin = norm:clone()
    local input = torch.randn(5, 3)
    local fusedNorm = torch.fuse(function(a) return norm(a) end)
    for _ = 1, 3 do
      local leaf = torch.mul(input, 1):requiresGrad()
      assert.is_true(torch.equal(twin(input:clone():requiresGrad()):detach(), fusedNorm(leaf):detach()))
      assert.is_true(torch.equal(twin.running_mean, norm.running_mean))
    end
  end)

  it('refuses what it cannot repeat', function()
    local ok, message = pcall(torch.fuse(function(x) return torch.mul(x, x[1]) end), torch.ones(2))
    assert.is_false(ok)
    assert.is_truthy(message:find('fused_function_spec.lua:', 1, true), message)
    assert.has_error(function() torch.fuse(3) end, 'fuse: f: number, expected a function')
    assert.has_error(function() torch.fuse(gelu) {} end,
      'fuse: argument 1: {}, expected a tensor, a number, a boolean or a string')
    local fused = torch.fuse(function(x) return torch.mm(x, x) end)
    assert.has_error(function() fused(torch.ones(2, 3)) end)
    assert.is_true(torch.equal(torch.mm(torch.ones(2, 2), torch.ones(2, 2)), fused(torch.ones(2, 2))))
  end)

  it('detects parameters and results that were changed before the backward pass', function()
    local weight = torch.randn(3, 3):requiresGrad()
    local function run(f, change)
      local x = torch.randn(3):requiresGrad()
      for _ = 1, 2 do f(x) end
      local y = f(x)
      change(y)
      torch.sum(y):backward()
    end
    local product = torch.fuse(function(a) return torch.exp(torch.mv(weight, a)) end)
    run(product, function() end)
    assert.has_error(function() run(product, function() torch.noGrad(weight.add, weight, 1) end) end)
    assert.has_error(function() run(torch.fuse(torch.exp), function(y) torch.noGrad(y.add, y, 1) end) end)
  end)

  it('detects arguments that were changed before the backward pass', function()
    local fused = torch.fuse(gelu)
    local x = torch.randn(3):requiresGrad()
    for _ = 1, 2 do fused(torch.mul(x, 1)) end
    local a = torch.mul(x, 1)
    local y = torch.sum(fused(a))
    a:add(1)
    assert.has_error(function() y:backward() end)
  end)
end)
