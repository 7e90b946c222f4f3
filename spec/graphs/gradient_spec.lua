-- torch.graph.gradient against the tape's gradients of the same function, and second gradients against closed forms.
local torch, autograd = require 'torch', require 'autograd'
local graph = torch.graph

local assertClose = require('spec.support.close').within { atol = 1e-12, ofLargest = 1e-12 }

local functions = {
  dot = function(x, y) return torch.pow(torch.dot(x, y) - torch.sum(y), 2) end,
  factor = function(x, y) return torch.sum(torch.addcmul(x, 0.5, x, y)) end,
  largest = function(x, y) return torch.max(x) + torch.sum((torch.max(y, 2))) end,
  products = function(x, y) return torch.sum(torch.cumprod(x, 2)) + torch.sum(torch.prod(y, 1)) end,
  mask = function(x, y) return torch.sum(torch.cmul(torch.maskedCopy(x, torch.gt(x:detach(), 0), y), y)) end,
  product = function(x, y) return torch.sum(torch.cmul(x, torch.exp(y))) end,
  matrix = function(x, y) return torch.sum(torch.tanh(torch.mm(x, y:t()))) end,
  broadcast = function(x, y) return torch.sum(torch.cmul(x, y:narrow(1, 1, 1))) end,
  views = function(x, y)
    local z = torch.cmul(x:t(), 2)
    return torch.sum(torch.cmul(z, z) + y:t())
  end,
  softmax = function(x, y) return -torch.sum(torch.cmul(torch.logsoftmax(x), y)) end,
}

describe('the gradient of a graph', function()
  for name, f in pairs(functions) do
    it('equals that of the tape: ' .. name, function()
      torch.manualSeed(4)
      local g = graph.gradient(graph.capture(f, { torch.randn(3, 4), torch.randn(3, 4) }), { 'x1', 'x2' })
      local x, y = torch.randn(3, 4), torch.randn(3, 4)
      local a, b = g:run(x, y)
      local tx, ty = x:clone():requiresGrad(), y:clone():requiresGrad()
      local expected = autograd.grad(f(tx, ty), { tx, ty })
      assertClose(expected[1], a)
      assertClose(expected[2], b)
    end)
  end

  it('has a gradient: of x^3 it is 3 x^2, then 6 x', function()
    local g = graph.capture(function(x) return torch.sum(torch.pow(x, 3)) end, { torch.randn(5) })
    local first = graph.gradient(g, 'x1')
    local second = graph.gradient(first, 'x1')
    local x = torch.randn(5)
    assertClose(torch.cmul(x, x) * 3, first:run(x))
    assertClose(x * 6, second:run(x, torch.ones(5)))
  end)

  it('has an input for the gradient of an output with several elements', function()
    local g = graph.gradient(graph.capture(torch.exp, { torch.zeros(2) }), 'x1')
    assert.same({ 'x1', 'g1' }, g:info().inputs)
    assertClose(torch.Tensor { 3, 5 }, g:run(torch.zeros(2), torch.Tensor { 3, 5 }))
  end)

  it('is by a constant, too', function()
    local w = torch.Tensor { 2, 3 }
    local g = graph.gradient(graph.capture(function(x) return torch.sum(torch.cmul(x, w)) end, { torch.ones(2) }), 'c1')
    assertClose(torch.Tensor { 5, 7 }, g:run(torch.Tensor { 5, 7 }))
  end)

  it('leaves out what the graph writes', function()
    local w = torch.Tensor { 1, 2 }
    local g = graph.capture(function(x)
      local y = torch.sum(torch.cmul(x, w))
      require 'libmoontorch'.functions.sgd_step({ w }, { x }, {}, 0.5)
      return y
    end, { torch.ones(2) })
    w:copy(torch.Tensor { 1, 2 })
    local first = graph.gradient(g, 'x1')
    assert.same({ 1, 2 }, w:totable())
    assert.same({ 1, 2 }, first:run(torch.Tensor { 5, 7 }):totable())
    assert.same({ 1, 2 }, w:totable())
  end)

  it('of a gradient of a gradient has an input for each', function()
    local g = graph.capture(function(x) return torch.pow(x, 4) end, { torch.ones(2) })
    local third = graph.gradient(graph.gradient(graph.gradient(g, 'x1'), 'x1'), 'x1')
    assert.equal(4, #third:info().inputs)
    local ones = torch.ones(2)
    assert.same({ 24, 48 }, third:run(torch.Tensor { 1, 2 }, ones, ones, ones):totable())
  end)

  it('is 0 by an input without influence', function()
    local g = graph.gradient(graph.capture(function(x, y) return torch.sum(torch.exp(x)) + torch.sum(y) * 0 end,
      { torch.ones(2), torch.ones(2) }), { 'x2' })
    assert.same({ 0, 0 }, g:run(torch.ones(2), torch.ones(2)):totable())
  end)

  it('refuses other names and values', function()
    local g = graph.capture(torch.exp, { torch.zeros(2) })
    assert.error_matches(function() graph.gradient(g, 'z') end, 'gradient: wrt: z, expected names of inputs or constants')
    assert.error_matches(function() graph.gradient(g) end, 'graph%.gradient: wrt: ')
    assert.error_matches(function() graph.gradient(3, 'x1') end, 'graph%.gradient: g: 3, expected a graph')
    local sizeless = graph.parse 'graph(x) { return exp(x) }'
    assert.error_matches(function() graph.gradient(sizeless, 'x') end, 'gradient: x: an input without sizes')
  end)
end)
