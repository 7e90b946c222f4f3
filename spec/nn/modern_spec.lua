-- Modules that Torch7's nn lacks: against PyTorch's figures, differences of both orders, and closed forms.
local torch = require 'torch'
local nn = require 'nn'
local autograd = require 'autograd'
local layers = require 'spec.support.layers'
local figures = require 'spec.nn.modern_figures'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

local series = layers.series

local function make(text) return assert(loadstring('local nn = ...; return ' .. text))(nn) end

local function project(x) return torch.sum(torch.cmul(x, series(x:size(), 1.3))) end

local function first(y) return type(y) == 'table' and y[1] or y end

describe('PyTorch has the same values and gradients as', function()
  for _, case in ipairs(figures) do
    local text, sizes, shape, expected = unpack(case)
    it('nn.' .. text, function()
      local module = make('nn.' .. text):double()
      local parameters, gradients = module:parameters()
      for i, parameter in ipairs(parameters or {}) do parameter:copy(series(parameter:size(), 1.7 + 0.3 * i)) end
      local x = series(torch.LongStorage(sizes), 2.3):mul(1.5)
      local output = module:forward(x)
      local y = first(output)
      assert.equal(shape, table.concat(y:size():totable(), 'x'))
      assertClose(expected[1], project(y), relative(1e-10), 'output')
      local g = series(y:size(), 0.7)
      if type(output) == 'table' then g = { g, output[2]:clone():zero() } end
      module:zeroGradParameters()
      assertClose(expected[2], project(module:backward(x, g)), relative(1e-10), 'gradInput')
      for i in ipairs(parameters or {}) do
        assertClose(expected[i + 2], project(gradients[i]), relative(1e-10), 'gradient of parameter ' .. i)
      end

      -- On the tape, in float32, and as a copy.
      local leaf = x:clone():requiresGrad()
      module:requiresGrad()
      local onTape = first(module(leaf))
      torch.sum(torch.cmul(onTape, series(y:size(), 0.7))):backward()
      assertClose(expected[2], project(leaf.grad), relative(1e-10), 'gradient on the tape')
      for i, parameter in ipairs(parameters or {}) do
        assertClose(expected[i + 2], project(parameter.grad), relative(1e-10), 'gradient on the tape of parameter ' .. i)
      end
      module:requiresGrad(false)
      assertClose(first(module:clone():forward(x)), y:clone(), 0)
      assertClose(y:clone(), first(module:clone():float():forward(x:float())), 2e-5)
    end)
  end
end)

describe('gradients of gradients are those of differences:', function()
  for _, text in ipairs {
    'LayerNorm({ 2, 3 })', 'GroupNorm(3, 3)', 'MultiheadAttention(4, 2)', 'LSTM(2, 2, { layers = 2 })',
    'GRU(2, 2, { bidirectional = true })', 'LSTMCell(3, 2)', 'GRUCell(3, 2)',
  } do
    it('nn.' .. text, function()
      local module = make('nn.' .. text):double():requiresGrad()
      local size = {
        LayerNorm = { 2, 2, 3 }, GroupNorm = { 2, 3, 2 }, MultiheadAttention = { 1, 2, 4 }, LSTM = { 3, 1, 2 }, GRU = { 3, 1, 2 },
      }
      local x = series(torch.LongStorage(size[text:match '^%a+'] or { 2, 3 }), 2.3)
      assert(autograd.gradcheck(function(z) return first(module(z)) end, { x }))
    end)
  end
end)

describe('a recurrent layer', function()
  it('goes on from given states, and gives the last ones', function()
    for _, name in ipairs { 'LSTM', 'GRU', 'RNN' } do
      local net, x = nn[name](3, 2, { layers = 2 }):double(), series(torch.LongStorage { 5, 2, 3 }, 2.3)
      local whole = net:forward({ x })
      local y, last = whole[1]:clone(), whole[2]:clone()
      local states = { x:narrow(1, 1, 2) }
      local head = net:forward(states)
      local go = { x:narrow(1, 3, 3) }
      for k = 2, #head do go[k] = head[k]:clone() end
      local tail = net:forward(go)
      assertClose(y:narrow(1, 3, 3):clone(), tail[1], 1e-14)
      assertClose(last, tail[2], 1e-14)
      assertClose(last[2], y[5], 1e-14)
      assertClose(y[{ {}, 1 }]:clone(), net:forward(x[{ {}, 1 }]:clone()), 1e-14)
      assert.equal(name == 'LSTM' and 3 or 2, #whole)
    end
  end)

  it('is the loop over its cell', function()
    local net, cell = nn.LSTM(3, 2):double(), nn.LSTMCell(3, 2):double()
    for i, parameter in ipairs((cell:parameters())) do parameter:copy(net:parameters()[i]) end
    local x, state = series(torch.LongStorage { 4, 2, 3 }, 2.3), {}
    local y = net:forward(x)
    for t = 1, 4 do
      state = cell:forward { x[t], unpack(state) }
      state = { state[1]:clone(), state[2]:clone() }
      assertClose(y[t]:clone(), state[1], 1e-14)
    end
  end)

  it('has gradients by its states, and may be used twice before backward', function()
    local net = nn.GRU(2, 2):double():requiresGrad()
    local x, h = series(torch.LongStorage { 2, 1, 2 }, 2.3), series(torch.LongStorage { 1, 1, 2 }, 0.9)
    assert(autograd.gradcheck(function(state)
      local once = net { x, state }
      return net { x, once[2] }[1]
    end, { h }))
  end)

  it('drops between layers while training alone, and names sizes that do not fit', function()
    local net, x = nn.LSTM(3, 4, { layers = 2, dropout = 0.5 }), torch.randn(3, 2, 3)
    net:evaluate()
    assertClose(net:forward(x):clone(), net:forward(x), 0)
    assert.error_matches(function() net:forward(torch.randn(3, 2, 4)) end, 'nn.LSTM: input: %[3, 2, 4%], expected %(T, N, 3%)')
    assert.error_matches(function() net:forward { x, torch.zeros(1, 2, 4) } end, 'nn.LSTM: state 1: %[1, 2, 4%], expected %[2, 2, 4%]')
    assert.equal('nn.LSTM(3 -> 4, 2 layers)', tostring(net))
    assert.error_matches(function() nn.LSTM(3, 4, 0) end, 'nn.LSTM: numLayers: 0, expected a whole number, 1 or more')
    assert.error_matches(function() nn.GRU(3, 4, { depth = 2 }) end, 'nn.GRU: options: depth, expected one of batchFirst, bias, .*')
    assert.error_matches(function() nn.MultiheadAttention(4, 2, { heads = 2 }) end,
      'nn.MultiheadAttention: options: heads, which is argument 2 already')
  end)
end)

describe('nn.Embedding', function()
  it('gives rows, and gradients to those that were used', function()
    local net = nn.Embedding(4, 2, 3):double():requiresGrad()
    net.weight:detach():copy(torch.range(1, 8):view(4, 2))
    assertClose({ { { 1, 2 }, { 5, 6 } }, { { 7, 8 }, { 1, 2 } } }, net(torch.LongTensor { { 1, 3 }, { 4, 1 } }):detach())
    torch.sum(net(torch.LongTensor { { 1, 3 }, { 4, 1 } })):backward()
    assertClose({ { 2, 2 }, { 0, 0 }, { 0, 0 }, { 1, 1 } }, net.weight.grad)
    assertClose({ 0, 0 }, nn.Embedding(4, 2, 3).weight[3], 0)
  end)
end)

describe('nn.MultiheadAttention', function()
  it('does not look where the mask has 1', function()
    local net, x = nn.MultiheadAttention(4, 2):double(), torch.randn(2, 3, 4)
    local mask = torch.ByteTensor { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } }
    local y = net:forward { x, x, x, mask }:clone()
    local other = x:clone()
    other[{ {}, 3 }]:zero()
    assertClose(y, net:forward { x, other, other, mask }, 1e-14)
    assertClose(y, net:forward { x, x, x, mask:view(1, 3, 3):expand(2, 3, 3):contiguous() }, 1e-14)
    assert.error_matches(function() net:forward(torch.randn(2, 3, 5)) end, 'query: %[2, 3, 5%], expected %(N, T, 4%)')
    assert.error_matches(function() nn.MultiheadAttention(5, 2) end, 'size: 5, expected a multiple of the 2 heads')
  end)
end)

describe('nn.init', function()
  local init = nn.init
  local function deviation(x) return math.sqrt(torch.sum(torch.pow(x, 2)) / x:nElement()) end

  it('has the published spread', function()
    for name, expected in pairs {
      xavierUniform = math.sqrt(2 / 500), xavierNormal = math.sqrt(2 / 500), kaimingUniform = math.sqrt(2 / 300),
      kaimingNormal = math.sqrt(2 / 300),
    } do
      local x = torch.DoubleTensor(200, 300)
      assert.equal(x, init[name](x))
      assert.is_true(math.abs(deviation(x) / expected - 1) < 0.02, name)
    end
    local bound = math.sqrt(6 / 500)
    local x = init.xavierUniform(torch.DoubleTensor(200, 300))
    assert.is_true(x:max() <= bound and x:max() > 0.99 * bound and x:min() >= -bound)
    local out = deviation(init.kaimingNormal(torch.DoubleTensor(200, 30, 3, 3), { mode = 'out', nonlinearity = 'leakyRelu', slope = 1 }))
    assert.is_true(math.abs(out / math.sqrt(1 / 1800) - 1) < 0.02)
    local cut = init.truncatedNormal(torch.DoubleTensor(1000), 1, 0.5)
    assert.is_true(cut:max() <= 2 and cut:min() >= 0)
    local variance = 1 - 4 * math.exp(-2) / math.sqrt(2 * math.pi) / torch.erf(math.sqrt(2))      -- of values within 2 deviations
    assert.is_true(math.abs(deviation(init.truncatedNormal(torch.FloatTensor(100000))) / math.sqrt(variance) - 1) < 0.02)
    for _, far in ipairs { 0, 1e-320, 1e-3, 1, 40, math.huge } do      -- nothing is drawn until it fits
      assert.is_true(torch.abs(init.truncatedNormal(torch.DoubleTensor(30, 2), 0, 1, far)):max() <= far)
    end
    assert.error_matches(function() init.truncatedNormal(torch.IntTensor(3)) end, 'tensor: a torch.IntTensor, expected a tensor of floats')
    for _, bad in ipairs { -1, 0 / 0 } do
      assert.error_matches(function() init.truncatedNormal(torch.ones(3), 0, 1, bad) end,
                           'nn.init.truncatedNormal: cut: .*, expected a number, 0 or more')
    end
    assert.error_matches(function() init.xavierUniform(torch.ones(3)) end, 'nn.init.xavierUniform: tensor: %[3%], expected 2 dimensions')
    assert.error_matches(function() init.eye(torch.ones(3)) end, 'nn.init.eye: tensor: %[3%], expected 2 dimensions$')
    assert.error_matches(function() init.sparse(torch.ones(1, 2, 3), 0.5) end, 'nn.init.sparse: tensor: %[1, 2, 3%], expected 2 dimen')
    assert.error_matches(function() init.gain 'step' end, "nn.init.gain: name: 'step'")
  end)

  it('makes orthogonal, diagonal, sparse and constant tensors', function()
    for _, size in ipairs { { 5, 3 }, { 3, 5 }, { 4, 2, 2 } } do
      local x = init.orthogonal(torch.DoubleTensor(torch.LongStorage(size)), 2):view(size[1], -1)
      local product = size[1] <= x:size(2) and torch.mm(x, x:t()) or torch.mm(x:t(), x)
      assertClose(torch.mul(torch.eye(product:size(1)):double(), 4), product, 1e-12)
    end
    assertClose({ { 1, 0, 0 }, { 0, 1, 0 } }, init.eye(torch.DoubleTensor(2, 3)))
    assertClose({ 6, 6, 6 }, torch.sum(torch.ne(init.sparse(torch.DoubleTensor(10, 3), 0.4), 0):double(), 1):view(-1))
    assertClose({ 7 }, init.constant(torch.DoubleTensor(1), 7))
    local weight = torch.DoubleTensor(2, 2):requiresGrad()
    assert.equal(weight, init.ones(weight))
    assert.is_true(weight:isLeaf())
  end)
end)

describe('nn.functional', function()
  local f = nn.functional
  local x, y = torch.DoubleTensor { 0.5, -2, 3 }, torch.DoubleTensor { 0, 1, 1 }

  it('computes its formulas, and their reductions', function()
    local function is(expected, got) assertClose(expected, torch.isTensor(got) and got:item() or got, relative(1e-10), 'loss') end
    is((0.25 + 9 + 4) / 3, f.mseLoss(x, y))
    is(0.25 + 9 + 4, f.mseLoss(x, y, { reduction = 'sum' }))
    assertClose({ 0.25, 9, 4 }, f.mseLoss(x, y, { reduction = 'none' }))
    is((0.5 + 3 + 2) / 3, f.l1Loss(x, y))
    is((0.125 + 2.5 + 1.5) / 3, f.smoothL1Loss(x, y))
    is((0.25 / 4 + 2 + 1) / 3, f.smoothL1Loss(x, y, { beta = 2 }))
    is((0.125 + 4 + 2) / 3, f.huberLoss(x, y, { delta = 2 }))
    local function log1pexp(v) return math.log(1 + math.exp(v)) end
    is((log1pexp(0.5) + log1pexp(2) + log1pexp(-3)) / 3, f.bceWithLogits(x, y))
    is((log1pexp(0.5) + 3 * log1pexp(2) + 3 * log1pexp(-3)) / 3, f.bceWithLogits(x, y, { positiveWeight = 3 }))
    is(f.bceWithLogits(x, y), f.bceLoss(torch.sigmoid(x), y))
    is(0.25 * (math.log(0.25) + 1), f.klDiv(torch.DoubleTensor { -1, -5 }, torch.DoubleTensor { 0.25, 0 }, { reduction = 'sum' }))
    local scores = torch.DoubleTensor { { 1, 2, 3 }, { 0, 0, 0 } }
    local z = math.log(math.exp(1) + math.exp(2) + math.exp(3))
    is((z - 3 + math.log(3)) / 2, f.crossEntropy(scores, torch.LongTensor { 3, 1 }))
    local smooth = f.crossEntropy(scores, torch.LongTensor { 3, 1 }, { labelSmoothing = 0.1 })
    is(0.9 * (z - 3 + math.log(3)) / 2 + 0.1 * (z - 2 + math.log(3)) / 2, smooth)
    is(z - 3, f.nllLoss(torch.logsoftmax(scores, 2), torch.LongTensor { 3, 1 }, { ignore = 1 }))
    -- Smoothing uses the weights, and ignores classes with weight 0.
    local weights, target = torch.DoubleTensor { 1, 2, 4 }, torch.LongTensor { 3, 1 }
    local hits, spread = { 4 * (z - 3), math.log(3) }, { ((z - 1) + 2 * (z - 2) + 4 * (z - 3)) / 3, 7 * math.log(3) / 3 }
    is(0.9 * (hits[1] + hits[2]) / 5 + 0.1 * (spread[1] + spread[2]) / 5,
      f.crossEntropy(scores, target, { labelSmoothing = 0.1, weights = weights }))
    is(0.9 * hits[1] / 4 + 0.1 * spread[1] / 4, f.crossEntropy(scores, target, { labelSmoothing = 0.1, weights = weights, ignore = 1 }))
    is(0.9 * hits[1] + 0.1 * spread[1],
      f.crossEntropy(scores, target, { labelSmoothing = 0.1, weights = weights, ignore = 1, reduction = 'sum' }))
    is(0.9 * (z - 3) + 0.1 * (z - 2), f.crossEntropy(scores[1], 3, { labelSmoothing = 0.1 }))
    is(0, f.crossEntropy(scores[1], 3, { labelSmoothing = 0.1, ignore = 3 }))
    local points = torch.view(scores:t():contiguous(), 1, 3, 2)               -- one sample of two places
    is(0.9 * hits[1] / 4 + 0.1 * spread[1] / 4,
      f.crossEntropy(points, torch.LongTensor { { 3, 1 } }, { labelSmoothing = 0.1, weights = weights, ignore = 1 }))
  end)

  it('drops all where p is 1', function() assert.same({ 0, 0, 0 }, f.dropout(torch.ones(3), 1):totable()) end)

  it('differentiates, to the second order', function()
    for _, name in ipairs { 'mseLoss', 'bceWithLogits', 'huberLoss', 'smoothL1Loss', 'klDiv' } do
      assert(autograd.gradcheck(function(z) return f[name](z, y) end, { x }))
    end
  end)

  it('refuses sizes that would only match by broadcasting, and shows both', function()
    assert.error_matches(function() f.mseLoss(torch.ones(4, 1), torch.ones(4)) end, 'mseLoss: target: %[4%], expected %[4, 1%]')
    assert.error_matches(function() f.l1Loss(torch.ones(4), 3) end, 'nn.functional.l1Loss: target: number, expected a tensor')
    assert.error_matches(function() f.dropout(x, 2) end, 'nn.functional.dropout: p: 2, expected a number from 0 to 1')
    assert.error_matches(function() f.l1Loss(x, y, { reduction = 'most' }) end, "reduction: 'most', expected one of 'mean'")
  end)

  it('names positions out of range', function()
    local embedding, expected = require('nn').functional.embedding, 'nn.functional.embedding: input: position out of range: '
    for position, at in pairs { [0] = 1, [3] = 1 } do
      local done, said = pcall(embedding, torch.LongTensor { position, 1 }, torch.ones(2, 2))
      assert.is_false(done)
      assert.truthy(said:find(('%s%d at place %d, expected 1..2'):format(expected, position, at), 1, true), said)
    end
    assert.equal(2, embedding(torch.LongTensor { 2, 1 }, torch.ones(2, 2)):size(1))
  end)
end)
