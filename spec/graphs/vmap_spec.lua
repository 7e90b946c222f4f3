-- autograd.vmap and torch.graph.vmap against a loop over the examples, for every op with a derivative and for networks.
local torch, autograd, nn = require 'torch', require 'autograd', require 'nn'
local graph = torch.graph
local sampleInputs, samples = require 'autograd.sweep.sample_inputs', require 'torch.sweep.samples'
local registry, floatResults = require 'spec.support.registry', require 'spec.support.float_results'

local assertClose = require('spec.support.close').within { atol = 1e-11, ofLargest = 1e-11 }
local kind, size = 'torch.DoubleTensor', 3

-- Compares vmap with a loop. Bit i of `mask`: input i differs from example to example.
local function check(op, sample, mask)
  local inputs, inDims, one = sampleInputs.of(op, sample, kind), {}, {}
  local batch = {}
  for i, x in ipairs(inputs) do
    local isIn = math.floor(mask / 2 ^ (i - 1)) % 2 == 1
    inDims[i] = isIn and 1
    batch[i] = x:contiguous():clone()
    if isIn then
      local all = torch.cat({ batch[i]:view(1, -1), (batch[i] * 0.9):view(1, -1), (batch[i] * 1.1):view(1, -1) }, 1)
      batch[i] = all:view(size, unpack(x:size():totable()))
    end
  end
  local function f(...) return unpack(floatResults(op, sample, kind, { ... })) end
  local found = { autograd.vmap(f, inDims)(unpack(batch)) }
  for e = 1, size do
    for i in ipairs(inputs) do
      one[i] = batch[i]
      if inDims[i] then one[i] = batch[i]:dim() > 1 and batch[i]:select(1, e) or batch[i]:narrow(1, e, 1) end
      one[i] = one[i]:clone()
    end
    for r, y in ipairs { f(unpack(one)) } do
      local row = found[r]:narrow(1, e, 1)
      assert.equal(y:nElement(), row:nElement(), 'elements of result ' .. r)
      assertClose(y, row:contiguous():view(y:size()))
    end
  end
end

describe('vmap of', function()
  for _, op in ipairs(registry.ops()) do
    if sampleInputs.hasDerivative(op) then
      it(op.name, function()
        local checked = 0
        for _, sample in ipairs(samples.of(op, kind)) do
          local elements, inputs = 0, sampleInputs.of(op, sample, kind)
          for _, x in ipairs(inputs) do elements = elements + x:nElement() end
          if not sample.rough and elements > 0 and checked < 4 then
            checked = checked + 1
            for mask = 1, 2 ^ math.min(#inputs, 2) - 1 do check(op, sample, mask) end
          end
        end
        assert.is_true(checked > 0)
      end)
    end
  end
end)

-- Compares vmap with a loop over slices of the first dimension of all arguments.
local function checkFunction(f, ...)
  local arguments, n = { ... }, (...):size(1)
  local found = { autograd.vmap(f)(...) }
  for e = 1, n do
    local one = {}
    for i, x in ipairs(arguments) do one[i] = x:select(1, e) end
    for r, y in ipairs { f(unpack(one)) } do
      if type(y) == 'number' then y = torch.Tensor { y } end
      assertClose(y, found[r]:narrow(1, e, 1):contiguous():view(y:size()))
    end
  end
  return found
end

describe('autograd.vmap', function()
  it('runs networks by batching rules', function()
    torch.manualSeed(4)
    local mlp = nn.Sequential():add(nn.Linear(4, 5)):add(nn.Tanh()):add(nn.Linear(5, 3)):add(nn.LogSoftMax())
    checkFunction(function(x) return mlp:forward(x) end, torch.randn(6, 4))
    checkFunction(function(x) return mlp:forward(x) end, torch.randn(6, 2, 4))
    local images = nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2)):add(nn.View(-1))
    checkFunction(function(x) return images:forward(x):clone() end, torch.randn(3, 1, 6, 6))
  end)

  it('has no loop over the examples where ops have rules', function()
    local g = graph.capture(function(x, w) return torch.tanh(torch.mv(w, x)) + torch.sum(x) end, { torch.randn(4), torch.randn(3, 4) })
    local many, few = graph.vmap(g, 50, 'x1'):info().ops, graph.vmap(g, 2, 'x1'):info().ops
    assert.equal(#few, #many)
  end)

  it('gives a vector for numbers and for one element', function()
    assert.same({ 3 }, autograd.vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2)):size():totable())
    assert.same({ 2, 4, 6 }, autograd.vmap(function(x) return x * 2 end)(torch.Tensor { 1, 2, 3 }):totable())
    assert.same({ 7, 7 }, autograd.vmap(function() return 7 end)(torch.ones(2, 2)):totable())
  end)

  it('maps any dimension, and leaves other arguments alone', function()
    local a, b = torch.randn(4, 3), torch.randn(2, 4)
    local y = autograd.vmap(function(x, m, n) return torch.mv(m, x) * n end, { 2, false })(a, b, 3)
    assertClose(torch.mm(b, a):t() * 3, y)
  end)

  it('records on the tape', function()
    local w = torch.randn(3, 4)
    local x = torch.randn(5, 4):requiresGrad()
    local function f(one) return torch.sum(torch.tanh(torch.mv(w, one))) end
    torch.sum(autograd.vmap(f)(x)):backward()
    local other = x:detach():clone():requiresGrad()
    torch.sum(torch.tanh(torch.mm(other, w:t()))):backward()
    assertClose(other.grad, x.grad)
  end)

  it('records tracked tensors that f reads', function()
    local w = torch.randn(4):requiresGrad()
    local x = torch.randn(5, 4)
    torch.sum(autograd.vmap(function(one) return torch.dot(w, one) end)(x)):backward()
    assertClose(x:sum(1):view(4), w.grad)
  end)

  it('gives gradients of each example', function()
    local w = torch.randn(3)
    local function loss(weight, x, y) return torch.sum(torch.pow(torch.dot(weight, x) - y, 2)) end
    local gradient = graph.gradient(graph.capture(loss, { w, torch.randn(3), torch.randn(1) }), 'x1')
    local x, y = torch.randn(4, 3), torch.randn(4, 1)
    local all = graph.vmap(gradient, 4, { 'x2', 'x3' }):run(w, x, y)
    for e = 1, 4 do assertClose(x[e] * (2 * (torch.dot(w, x[e]) - y[e][1])), all[e]) end
  end)

  it('runs functions that can not be captured for one example after another', function()
    checkFunction(function(x)
      if x[1] > 0 then return torch.exp(x) end
      return torch.sin(x)
    end, torch.Tensor { { 1, 2 }, { -1, 2 }, { 3, -4 } })
    local inner = autograd.vmap(torch.exp)
    local g = graph.capture(function(x) return inner(x) end, { torch.ones(2, 2) })
    local x = torch.Tensor { { 1, 2 }, { 3, 4 } }
    assertClose(torch.exp(x), g:run(x))
    assertClose(torch.exp(x), autograd.vmap(autograd.vmap(torch.exp))(x))
  end)

  it('draws random numbers for each example', function()
    torch.manualSeed(3)
    local y = autograd.vmap(function(x) return x + torch.Tensor(4):uniform() end)(torch.zeros(2, 4))
    assert.is_true(torch.max(torch.abs(y[1] - y[2])) > 0)
  end)

  it('refuses what it can not map', function()
    local function message(f, inDims, ...) return select(2, pcall(autograd.vmap(f, inDims), ...)) end
    assert.matches('vmap: argument 2: 2 examples, expected 3', message(torch.cmul, nil, torch.ones(3, 2), torch.ones(2, 2)))
    assert.matches('vmap: no tensor with examples', message(torch.exp, { false }, torch.ones(2)))
    assert.matches('vmap: inDims: 3 for argument 1, expected a dimension from 1 to 2', message(torch.exp, { 3 }, torch.ones(2, 2)))
    assert.matches("vmap: f: result 1 is a string", message(function() return 'x' end, nil, torch.ones(2)))
    assert.matches('vmap: f: ', select(2, pcall(autograd.vmap, 3)))
    local g = graph.capture(torch.exp, { torch.ones(2) })
    assert.matches('graph.vmap: size: 0', select(2, pcall(graph.vmap, g, 0)))
    assert.matches('vmap: names: y, expected names of inputs', select(2, pcall(graph.vmap, g, 2, 'y')))
  end)
end)
