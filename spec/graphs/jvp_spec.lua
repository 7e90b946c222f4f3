-- torch.graph.jvp against central differences for every op with a derivative, and against closed forms.
local torch = require 'torch'
require 'autograd'
local sampleInputs, samples = require 'autograd.sweep.sample_inputs', require 'torch.sweep.samples'
local registry, floatResults = require 'spec.support.registry', require 'spec.support.float_results'
local graph = torch.graph

local assertClose = require('spec.support.close').within { atol = 1e-12, ofLargest = 1e-12 }

describe('the forward derivative of a graph', function()
  it('is the product of the Jacobian and the direction', function()
    local A = torch.Tensor { { 1, 2 }, { 3, 4 }, { 5, 6 } }
    local function f(x) return torch.mv(A, torch.square(x)), torch.sum(x) end
    local g = graph.jvp(graph.capture(f, { torch.zeros(2) }), 'x1')
    assert.same({ 'x1', 't_x1' }, g:info().inputs)
    local y, sum, dy, dsum = g:run(torch.Tensor { 1, -2 }, torch.Tensor { 1, 10 })
    assertClose({ 9, 19, 29 }, y)
    assertClose({ -1 }, sum)
    assertClose({ 2 - 80, 6 - 160, 10 - 240 }, dy)
    assertClose({ 11 }, dsum)
  end)

  it('has directions for several inputs and constants', function()
    local w = torch.Tensor { 2, 3 }
    local ones = { a = torch.ones(2), b = torch.ones(2) }
    local captured = graph.capture(function(t) return torch.cmul(torch.cmul(t.a, t.b), w) end, ones)
    local g = graph.jvp(captured, { 'a', 'c1' })
    assert.same({ 'a', 'b', 't_a', 't_c1' }, g:info().inputs)
    local a, b = torch.Tensor { 1, 2 }, torch.Tensor { 5, 7 }
    local _, along = g:run { a = a, b = b, t_a = torch.Tensor { 1, 0 }, t_c1 = torch.Tensor { 0, 1 } }
    assertClose({ 5 * 2, 2 * 7 }, along)
  end)

  it('runs no backward pass', function()
    local captured = graph.capture(function(x, w) return torch.tanh(torch.mm(x, w)) end, { torch.ones(2, 3), torch.ones(3, 4) })
    local g = graph.jvp(captured, 'x1')
    local ops = g:info().ops
    table.sort(ops)
    assert.same({ 'clone', 'mm', 'mm', 'tanh', 'tanh_grad' }, ops)
  end)

  it('of a gradient is the product of the Hessian and the direction', function()
    local gradient = graph.gradient(graph.capture(function(x) return torch.sum(torch.pow(x, 3)) end, { torch.ones(2) }), 'x1')
    local first, along = graph.jvp(gradient, 'x1'):run(torch.Tensor { 1, 2 }, torch.Tensor { 10, 100 })
    assertClose({ 3, 12 }, first)
    assertClose({ 60, 1200 }, along)
    local forward = graph.jvp(graph.capture(function(x) return torch.sum(torch.pow(x, 3)) end, { torch.ones(2) }), 'x1')
    local twice = graph.gradient(forward, 'x1')
    assertClose({ 3 + 60, 12 + 1200 }, twice:run(torch.Tensor { 1, 2 }, torch.Tensor { 10, 100 }))
  end)

  it('is zero for an output on which the inputs have no influence', function()
    local g = graph.jvp(graph.capture(function(x) return torch.mul(x, 2), torch.ones(3) end, { torch.ones(2) }), 'x1')
    local _, _, a, b = g:run(torch.ones(2), torch.Tensor { 1, 5 })
    assert.same({ 2, 10 }, a:totable())
    assert.same({ 0, 0, 0 }, b:totable())
  end)

  it('refuses unknown names and inputs of any size', function()
    local g = graph.capture(torch.exp, { torch.ones(2) })
    assert.matches('jvp: wrt: y, expected names of inputs', select(2, pcall(graph.jvp, g, 'y')))
    assert.matches('graph.jvp: g: 3, expected a graph', select(2, pcall(graph.jvp, 3, 'y')))
    assert.matches('graph.jvp: wrt: {}, expected names', select(2, pcall(graph.jvp, g, {})))
    local any = graph.parse 'graph(x: float64[?]) { return exp(x) }'
    assert.matches('jvp: x: an input of any size', select(2, pcall(graph.jvp, any, 'x')))
  end)
end)

-- ---- every op

local kind, distance = 'torch.DoubleTensor', 1e-6

-- Compares the tangents of a captured call with central differences along random directions, and its gradient with the tangents: the
-- product of a gradient u and the tangent is that of the gradient for u and the direction.
local function check(op, sample)
  local inputs, names, directions = sampleInputs.of(op, sample, kind), {}, {}
  for i, x in ipairs(inputs) do
    inputs[i], names[i], directions[i] = x:contiguous():clone(), 'x' .. i, torch.randn(x:size())
  end
  local function moved(h)
    local list = {}
    for i, x in ipairs(inputs) do list[i] = x + directions[i] * h end
    return floatResults(op, sample, kind, list)
  end
  local g = graph.capture(function(...) return unpack(floatResults(op, sample, kind, { ... })) end, inputs)
  local count, arguments = g:info().outputs, {}
  for i, x in ipairs(inputs) do arguments[i], arguments[#inputs + i] = x, directions[i] end
  local found = { graph.jvp(g, names):run(unpack(arguments)) }
  local ahead, behind, here = moved(distance), moved(-distance), moved(0)
  for i = 1, count do
    local expected = (ahead[i] - behind[i]) / (2 * distance)
    assertClose(here[i], found[i]:contiguous():view(here[i]:size()), 1e-9)
    assertClose(expected, found[count + i]:contiguous():view(expected:size()), 2e-6 * math.max(1, torch.max(torch.abs(expected))))
  end
  local backward, ofTangents, ofDirections = graph.gradient(g, names), 0, 0
  for i = 1, count do
    local tangent = found[count + i]
    local u = tangent:nElement() == 1 and torch.ones(tangent:size()) or torch.randn(tangent:size())
    if tangent:nElement() > 1 then inputs[#inputs + 1] = u end
    ofTangents = ofTangents + torch.sum(torch.cmul(u, tangent))
  end
  for i, gradient in ipairs { backward:run(unpack(inputs)) } do
    ofDirections = ofDirections + torch.sum(torch.cmul(gradient, directions[i]:view(gradient:size())))
  end
  assertClose({ ofTangents }, torch.Tensor { ofDirections }, 1e-8 * math.max(1, math.abs(ofTangents)))
end

local withGuards = 'its branches depend on elements: a capture needs guards'
local overlaps = 'its gradient writes to a view that overlaps itself'
local excepted = {
  bincount = withGuards, cond = withGuards, ctc_loss = withGuards, expm = withGuards, interp = withGuards,
  maskedSelect = withGuards, matrix_norm = withGuards,
  nanmax = withGuards, nanmin = withGuards, nanquantile = withGuards, csrProduct = withGuards,
  percentile = withGuards, quantile = withGuards,
  fakeQuantize = 'its gradient passes through the rounding',
  as_strided = overlaps, strided_view = overlaps, to = 'its result has fewer bits than differences need',
}

describe('the forward derivative of', function()
  for _, op in ipairs(registry.ops()) do
    if sampleInputs.hasDerivative(op) and not excepted[op.name] then
      it(op.name, function()
        torch.manualSeed(3)
        local checked = 0
        for _, sample in ipairs(samples.of(op, kind)) do
          local elements = 0
          for _, x in ipairs(sampleInputs.of(op, sample, kind)) do elements = elements + x:nElement() end
          if not sample.rough and elements > 0 and checked < 2 then
            checked = checked + 1
            check(op, sample)
          end
        end
        assert.is_true(checked > 0)
      end)
    end
  end
end)
