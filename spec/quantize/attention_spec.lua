-- Products of two values in networks of integers: attention of encoders, against the same networks of floats.
local torch, nn = require 'torch', require 'nn'
local quantize = require 'quantize'
local bert = require 'zoo.bert_encoder'

local function difference(wanted, got) return torch.csub(wanted, got):norm() / wanted:norm() end

local function converted(net, inputs, options)
  options.input = inputs
  local prepared = quantize.prepare(net, options)
  if options.mode ~= 'dynamic' then quantize.calibrate(prepared, torch.isTensor(inputs) and inputs or { inputs }) end
  return quantize.convert(prepared), prepared
end

local function opsOf(graph)
  local counts = {}
  for _, op in ipairs(graph:info().ops) do counts[op] = (counts[op] or 0) + 1 end
  return counts
end

local function encoderLayer() return nn.TransformerEncoderLayer(32, 4, { dimFeedforward = 64, dropout = 0, batchFirst = true }):float() end

describe('quantize, attention', function()
  it('keeps the products of an encoder layer in integers', function()
    local net, x = encoderLayer(), torch.randn(3, 9, 32):float()
    net:evaluate()
    local wanted = net:forward(x):clone()
    for _, symmetric in ipairs { false, true } do
      local small = converted(net, x, { symmetric = symmetric })
      local ops = opsOf(small.graph)
      assert.same({ 6, 1 }, { ops.int8Linear, ops.int8Attention })
      for _, op in ipairs { 'linear', 'scaledDotProductAttention', 'dequantize' } do assert.is_nil(ops[op], op) end
      assert.equal(2, ops.quantize)      -- the input, and what the first layer normalisation returns
      assert.is_true(difference(wanted, small:forward(x)) < 0.02)
      for i = 1, 3 do assert.is_true(torch.equal(small:forward(x)[i], small:forward(x:narrow(1, i, 1))[1])) end
    end
  end)

  it('has ranges for queries, keys and values of one projection', function()
    local net, x = nn.MultiheadAttention(32, 4):float(), torch.randn(3, 9, 32):float()
    net.weight:narrow(1, 65, 32):mul(1e-3)
    net.bias:fill(0.2):narrow(1, 65, 32):fill(1e-3)
    net:evaluate()
    local wanted = net:forward(x):clone()
    local small, prepared = converted(net, x, {})
    assert.is_true(difference(wanted, small:forward(x)) < 0.03)
    local report = quantize.report(prepared, x)
    local sizes = {}
    for i, layer in ipairs(report.layers) do
      assert.is_true(layer.loss > 0 and layer.loss < 0.03)
      sizes[i] = layer.op .. table.concat(layer.sizes, 'x')
    end
    table.sort(sizes)
    assert.same({ 'linear32x32', 'linear32x32', 'linear32x32', 'linear32x32', 'scaledDotProductAttention' }, sizes)
    assert.equal(report.after, small:bytes())
    local rows, width = 0, nil
    for line in tostring(report):gmatch '[^\n]+' do
      if line:match '^[%d ]+ linear' or line:match '^[%d ]+ scaledDot' or line:match '^step' then
        rows, width = rows + 1, width or #line
        assert.equal(width, #line)
      end
    end
    assert.equal(6, rows)
  end)

  it('quantises queries, keys and values in each run', function()
    local net, x = encoderLayer(), torch.randn(3, 9, 32):float()
    net:evaluate()
    local small = converted(net, x, { mode = 'dynamic' })
    local ops = opsOf(small.graph)
    assert.same({ 4, 1 }, { ops.int8Linear, ops.int8Attention })
    assert.is_true(difference(net:forward(x), small:forward(x)) < 0.02)
    local other = torch.randn(2, 9, 32):float():mul(100)      -- no range was learnt
    assert.is_true(difference(net:forward(other), small:forward(other)) < 0.03)
  end)

  it('leaves attention to floats if the program says so', function()
    local net, x = encoderLayer(), torch.randn(3, 9, 32):float()
    net:evaluate()
    for _, mode in ipairs { 'static', 'dynamic' } do
      local small = converted(net, x, { mode = mode, attention = false })
      local ops = opsOf(small.graph)
      assert.same({ 4, 1 }, { ops.int8Linear, ops.scaledDotProductAttention })
      assert.is_nil(ops.int8Attention)
      assert.is_true(difference(net:forward(x), small:forward(x)) < 0.02)
    end
    assert.error_matches(function() converted(net, x, { attention = 1 }) end, 'quantize.prepare: attention: 1, expected a boolean')
  end)

  it('has masks, and lets queries see no later keys', function()
    local net = nn.MultiheadAttention(32, 4, 0, true, false, false, nil, nil, true, true):float()
    local x = torch.randn(2, 9, 32):float()
    net:evaluate()
    for _, mode in ipairs { 'static', 'dynamic' } do
      local small = converted(net, x, { mode = mode })
      local got = small:forward(x):clone()
      assert.is_true(difference(net:forward(x), got) < 0.03)
      local changed = x:clone()
      changed:narrow(2, 6, 4):mul(0.5)
      if mode == 'static' then
        assert.is_true(torch.equal(got:narrow(2, 1, 5):clone(), small:forward(changed):narrow(2, 1, 5):clone()))
      end
      assert.is_true(difference(got:narrow(2, 6, 4), small:forward(changed):narrow(2, 6, 4)) > 0.1)
    end
  end)

  it('keeps an encoder of texts with padding in integers', function()
    local net = bert.initialise(bert.Bert.new({
      vocabSize = 50, hiddenSize = 32, numHiddenLayers = 3, numAttentionHeads = 4, intermediateSize = 64, maxPositionEmbeddings = 16,
      typeVocabSize = 2, layerNormEps = 1e-12, hiddenDropoutProb = 0, attentionProbsDropoutProb = 0,
    }, true)):float()
    for _, parameter in ipairs((net:parameters())) do
      if parameter:dim() == 2 then parameter:mul(5) end      -- as after training, whose attention is not even
    end
    net:evaluate()
    local ids, mask = torch.LongTensor(4, 12):random(1, 50), torch.ones(4, 12):long()
    for i = 1, 4 do
      if i > 1 then mask[i]:narrow(1, 13 - i, i):zero() end
    end
    local graph = torch.noGrad(function()
      return (torch.graph.capture(function(a, b) return (net(a, { mask = b })) end, { ids, mask }, { dynamic = { 1, 1 } }))
    end)
    local wanted = graph:run(ids, mask)
    local seen = mask:float():unsqueeze(3):expandAs(wanted)
    for mode, bound in pairs { static = 0.06, dynamic = 0.04 } do
      local small = converted(graph, { ids, mask }, { mode = mode })
      local ops = opsOf(small)
      assert.same({ 18, 3 }, { ops.int8Linear, ops.int8Attention })
      assert.same({}, { ops.linear, ops.scaledDotProductAttention })
      local got = small:run(ids, mask)
      assert.is_true(difference(torch.cmul(wanted, seen), torch.cmul(got, seen)) < bound)
      -- What is padding changes nothing, but for the ranges of values in the dynamic mode.
      local others = ids:clone()
      for i = 2, 4 do others[i]:narrow(1, 13 - i, i):fill(1) end
      local again = torch.cmul(small:run(others, mask), seen)
      if mode == 'static' then assert.is_true(torch.equal(torch.cmul(got, seen), again)) end
      assert.is_true(difference(torch.cmul(got, seen), again) < 0.02)
    end
  end)

  it('has products of two computed matrices', function()
    local w = { torch.randn(16, 16):float():div(4), torch.randn(16, 16):float():div(4), torch.randn(16, 16):float():div(4) }
    local x = torch.randn(3, 7, 16):float()
    local function f(input)
      local q, k, v = torch.linear(input, w[1]), torch.linear(input, w[2]), torch.linear(input, w[3])
      return torch.bmm(torch.softmax(torch.div(torch.matmul(q, torch.transpose(k, 2, 3)), 4), 3), v)
    end
    local graph = torch.graph.capture(f, { x })
    for _, options in ipairs { {}, { symmetric = true }, { mode = 'dynamic' } } do
      local small = converted(graph, x, options)
      local ops = opsOf(small)
      assert.same({ 2, 3 }, { ops.int8Matmul, ops.int8Linear })
      assert.same({}, { ops.matmul, ops.bmm })
      assert.is_true(difference(graph:run(x), small:run(x)) < 0.03)
    end
    local kept = opsOf(converted(graph, x, { attention = false }))
    assert.same({ 1, 1 }, { kept.matmul, kept.bmm })
    -- Where a layer of integers follows, so is the product.
    graph = torch.graph.capture(function(input)
      return torch.linear(torch.matmul(torch.linear(input, w[1]), torch.transpose(torch.linear(input, w[2]), 2, 3)), w[3]:narrow(2, 1, 7))
    end, { x })
    local small = converted(graph, x, {})
    assert.same({ 1, 3, 1 }, { opsOf(small).int8Matmul, opsOf(small).int8Linear, opsOf(small).quantize })
    assert.is_true(difference(graph:run(x), small:run(x)) < 0.03)
  end)

  it('learns with the rounding of queries, keys and values', function()
    local net, x = nn.MultiheadAttention(16, 2):float(), torch.randn(3, 5, 16):float()
    net:requiresGrad()
    local prepared = quantize.prepare(net, { mode = 'training', input = x })
    local y = prepared(x)
    net:evaluate()
    local plain = net:forward(x):detach()
    assert.is_true(difference(plain, y:detach()) > 1e-4 and difference(plain, y:detach()) < 0.05)
    torch.sum(torch.pow(y, 2)):backward()
    for _, part in ipairs { 1, 17, 33 } do assert.is_true(net.weight.grad:narrow(1, part, 16):norm() > 0) end
    prepared:evaluate()
    -- The integers differ by the rounding of probabilities and of the result.
    assert.is_true(difference(prepared(x):detach(), quantize.convert(prepared):forward(x)) < 0.03)
  end)

  it('saves and loads encoders, and runs them prepared', function()
    local net, x = encoderLayer(), torch.randn(3, 9, 32):float()
    net:evaluate()
    local small = converted(net, x, {})
    local file = torch.MemoryFile()
    file:writeObject(small)
    file:seek(1)
    local loaded = file:readObject()
    assert.is_true(torch.equal(small:forward(x), loaded:forward(x)))
    local run = small.graph:prepare(x)
    assert.is_true(torch.equal(small:forward(x), run(x)))
  end)
end)
