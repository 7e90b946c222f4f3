-- torch.graph.gradient against the tape's gradients of the same function, and second gradients against closed forms.
local torch, autograd = require 'torch', require 'autograd'
local graph = torch.graph

local function near(a, b) return torch.abs(a - b):max() <= 1e-12 * (1 + torch.abs(b):max()) end

local functions = {
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
      assert.is_true(near(a, expected[1]))
      assert.is_true(near(b, expected[2]))
    end)
  end

  it('has a gradient: of x^3 it is 3 x^2, then 6 x', function()
    local g = graph.capture(function(x) return torch.sum(torch.pow(x, 3)) end, { torch.randn(5) })
    local first = graph.gradient(g, 'x1')
    local second = graph.gradient(first, 'x1')
    local x = torch.randn(5)
    assert.is_true(near(first:run(x), torch.cmul(x, x) * 3))
    assert.is_true(near(second:run(x, torch.ones(5)), x * 6))
  end)

  it('has an input for the gradient of an output with several elements', function()
    local g = graph.gradient(graph.capture(torch.exp, { torch.zeros(2) }), 'x1')
    assert.same({ 'x1', 'g1' }, g:info().inputs)
    assert.is_true(near(g:run(torch.zeros(2), torch.Tensor { 3, 5 }), torch.Tensor { 3, 5 }))
  end)

  it('is by a constant, too', function()
    local w = torch.Tensor { 2, 3 }
    local g = graph.gradient(graph.capture(function(x) return torch.sum(torch.cmul(x, w)) end, { torch.ones(2) }), 'c1')
    assert.is_true(near(g:run(torch.Tensor { 5, 7 }), torch.Tensor { 5, 7 }))
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
