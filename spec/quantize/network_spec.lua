-- Networks of integers, against the same networks of floats.
local torch, nn = require 'torch', require 'nn'
local quantize = require 'quantize'
local raises = assert.error_matches

local function convolutional()
  return nn.Sequential():add(nn.SpatialConvolution(2, 6, 3, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
    :add(nn.SpatialConvolution(6, 8, 3, 3, 1, 1, 1, 1)):add(nn.ReLU()):add(nn.View(-1):setNumInputDims(3))
    :add(nn.Linear(8 * 4 * 4, 20)):add(nn.Sigmoid()):add(nn.Linear(20, 5)):add(nn.LogSoftMax()):float()
end

local function difference(wanted, got) return torch.csub(wanted, got):norm() / wanted:norm() end

-- The network of integers.
local function converted(net, x, options)
  options.input = options.input or x
  local prepared = quantize.prepare(net, options)
  if options.mode ~= 'dynamic' then quantize.calibrate(prepared, x) end
  return quantize.convert(prepared), prepared
end

local function opsOf(network)
  local counts = {}
  for _, op in ipairs(network.graph:info().ops) do counts[op] = (counts[op] or 0) + 1 end
  return counts
end

describe('quantize', function()
  it('keeps a convolutional network in integers between its layers', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local small = converted(net, x, {})
    net:evaluate()
    assert.is_true(difference(net:forward(x), small:forward(x)) < 0.01)
    assert.same({ quantize = 1, int8Conv2d = 2, int8MaxPool2d = 1, reshape = 1, int8Linear = 2, int8Map = 1, logsoftmax = 1 }, opsOf(small))
  end)

  it('has convolutions in one dimension, with a normalisation behind them', function()
    local options = { { stride = 1 }, { stride = 2, padding = 3, groups = 2 }, { dilation = 2, padding = 1, bias = false } }
    for i, each in ipairs(options) do
      local net = nn.Sequential(nn.Conv1d(4, 8, 5, each), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 6, 3), nn.Tanh(), nn.Conv1d(6, 5, 1))
        :float()
      net:training()
      for _ = 1, 20 do net:forward(torch.randn(16, 4, 40):float()) end
      local x = torch.randn(3, 4, 40):float()
      for _, mode in ipairs { 'static', 'dynamic' } do
        local small = converted(net, x, { mode = mode })
        net:evaluate()
        assert.is_true(difference(net:forward(x), small:forward(x)) < 0.02, i .. mode)
        local ops = opsOf(small)
        assert.same({ 3 }, { ops.int8Conv2d, ops.conv1d })
        assert.is_nil(mode == 'static' and ops.batchNorm or nil)
      end
      local halves = converted(net, x, { weights = 'bfloat16' })
      assert.is_true(difference(net:forward(x), halves:forward(x)) < 0.01)
      assert.equal(3, opsOf(halves).conv1d)
    end
  end)

  it('accepts any number of examples', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local small = converted(net, x, {})
    local all = small:forward(x):clone()
    for i = 1, 3 do assert.is_true(torch.equal(all[i], small:forward(x:narrow(1, i, 1))[1])) end
  end)

  it('has options for weights and values', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    net:evaluate()
    local wanted = net:forward(x):clone()
    for _, perChannel in ipairs { true, false } do
      for _, symmetric in ipairs { true, false } do
        for _, symmetricWeights in ipairs { true, false } do
          local small = converted(net, x, { perChannel = perChannel, symmetric = symmetric, symmetricWeights = symmetricWeights })
          assert.is_true(difference(wanted, small:forward(x)) < 0.01)
        end
      end
    end
  end)

  it('has a scale for each channel of a weight, or one', function()
    local net, x = nn.SpatialConvolution(2, 2, 3, 3):float(), torch.rand(3, 2, 10, 10):float()
    net.weight[1]:mul(1000)
    local wanted = net:forward(x):clone()
    local function lossOfSecond(perChannel)
      return difference(wanted:select(2, 2), converted(net, x, { perChannel = perChannel }):forward(x):select(2, 2))
    end
    assert.is_true(lossOfSecond(true) < 0.02)
    assert.is_true(lossOfSecond(false) > 0.3)
  end)

  for _, activation in ipairs { 'ReLU', 'Tanh', 'Sigmoid', 'GELU' } do
    it(('computes %s on integers with a sign and without'):format(activation), function()
      local net, x = nn.Sequential():add(nn.Linear(8, 64)):add(nn[activation]()):add(nn.Linear(64, 4)):float(), torch.randn(50, 8):float()
      net:get(1).weight:mul(4)
      net:evaluate()
      local wanted = net:forward(x):clone()
      for _, symmetric in ipairs { true, false } do
        local small = converted(net, x, { symmetric = symmetric })
        assert.is_true(difference(wanted, small:forward(x)) < 0.03)
        assert.is_nil(opsOf(small).dequantize)
      end
    end)
  end

  it('quantises dynamically without calibration', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local small = converted(net, x, { mode = 'dynamic' })
    net:evaluate()
    assert.is_true(difference(net:forward(x), small:forward(x)) < 0.01)
    assert.equal(2, opsOf(small).int8Linear)
  end)

  local recurrent = {
    LSTM = function() return nn.Sequential():add(nn.Embedding(20, 32)):add(nn.LSTM(32, 24)):add(nn.Linear(24, 20)):float() end,
    GRU = function() return nn.Sequential():add(nn.Embedding(20, 32)):add(nn.GRU(32, 24, 2)):add(nn.Linear(24, 20)):float() end,
    Transformer = function() return nn.Sequential():add(nn.Embedding(20, 32)):add(nn.TransformerEncoderLayer(32, 4, 64)):float() end,
  }
  for name, make in pairs(recurrent) do
    for _, mode in ipairs { 'static', 'dynamic' } do
      it(('runs %s with integers, %s'):format(name, mode), function()
        local net, x = make(), torch.LongTensor(7, 3):random(1, 20)
        local small = converted(net, x, { mode = mode, batch = 2 })
        net:evaluate()
        assert.is_true(difference(net:forward(x), small:forward(x)) < 0.03)
        local ops = opsOf(small)
        assert.is_nil(ops.linear)
        assert.is_nil(ops.addmm)
        assert.is_nil(ops.mm)
        assert.equal(1, ops.dequantize)      -- rows of the embedding
        local constants, floats = small:constants(), 0
        for _, constant in pairs(constants) do
          if constant:isFloatingPoint() then floats = math.max(floats, constant:nElement()) end
        end
        assert.is_true(floats <= 4 * 32)      -- no weight is left
        local other = torch.LongTensor(7, 5):random(1, 20)
        assert.is_true(difference(net:forward(other), small:forward(other)) < 0.06)
      end)
    end
  end

  it('shares the weight of steps that use it again', function()
    local net = nn.Sequential():add(nn.LSTM(8, 16)):float()
    local short, long = converted(net, torch.randn(2, 1, 8):float(), { mode = 'dynamic', batch = 2 }),
      converted(net, torch.randn(9, 1, 8):float(), { mode = 'dynamic', batch = 2 })
    assert.equal(short:bytes(), long:bytes())
  end)

  it('leaves out steps that the program names', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local small = converted(net, x, { skips = function(op, weight) return op == 'conv2d' or weight:size(1) == 5 end })
    local ops = opsOf(small)
    assert.equal(2, ops.conv2d)
    assert.equal(1, ops.linear)
    assert.equal(1, ops.int8Linear)
  end)

  -- Two residual blocks, of which the second one changes the size, and a head.
  local function residual()
    local function conv(inner, out, k, stride) return nn.SpatialConvolution(inner, out, k, k, stride, stride, (k - 1) / 2, (k - 1) / 2) end
    local function block(inner, out, stride)
      local branch = nn.Sequential():add(conv(inner, out, 3, stride)):add(nn.SpatialBatchNormalization(out)):add(nn.ReLU())
        :add(conv(out, out, 3, 1)):add(nn.SpatialBatchNormalization(out))
      local shortcut = inner == out and nn.Identity() or conv(inner, out, 1, stride)
      return nn.Sequential():add(nn.ConcatTable():add(branch):add(shortcut)):add(nn.CAddTable()):add(nn.ReLU())
    end
    return nn.Sequential():add(conv(2, 8, 3, 1)):add(nn.SpatialBatchNormalization(8)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
      :add(block(8, 8, 1)):add(block(8, 12, 2))
  end

  for name, head in pairs {
    SpatialAveragePooling = function() return nn.SpatialAveragePooling(4, 4, 1, 1) end,
    SpatialAdaptiveAveragePooling = function() return nn.SpatialAdaptiveAveragePooling(1, 1) end,
  } do
    for _, symmetric in ipairs { true, false } do
      it(('keeps a residual network in integers, with %s, %s'):format(name, symmetric and 'symmetric' or 'asymmetric'), function()
        local net = residual():add(head()):add(nn.View(12)):add(nn.Linear(12, 5)):float()
        local x = torch.randn(3, 2, 16, 16):float()
        net:training()
        for _ = 1, 5 do net:forward(torch.randn(8, 2, 16, 16):float()) end
        local small = converted(net, x, { symmetric = symmetric })
        net:evaluate()
        assert.is_true(difference(net:forward(x), small:forward(x)) < 0.06)
        local ops = opsOf(small)
        assert.same({ 6, 1, 1, 1, 1 },
          { ops.int8Conv2d, ops.int8MaxPool2d, ops.int8AvgPool2d, ops.int8Linear, ops.quantize })
        for op in pairs(ops) do assert.is_true(op:match '^int8' ~= nil or ({ quantize = 1, reshape = 1, cmax = 1 })[op] == 1, op) end
        assert.is_true(torch.equal(small:forward(x)[2], small:forward(x:narrow(1, 2, 1))[1]))
      end)
    end
  end

  it('makes normalisations part of the weights before them', function()
    local function trained(net, ...)
      net:training()
      for _ = 1, 5 do net:forward(torch.randn(...):float():mul(3):add(1)) end
      return net
    end
    local cases = {
      { trained(nn.Sequential():add(nn.Linear(6, 8)):add(nn.BatchNormalization(8)):add(nn.ReLU()):add(nn.Linear(8, 3)):float(), 16, 6),
        torch.randn(5, 6):float(), 'int8Linear' },
      { trained(nn.Sequential():add(nn.SpatialConvolution(2, 8, 3, 3)):add(nn.SpatialBatchNormalization(8, 1e-3, 0.1, false))
          :add(nn.ReLU6()):add(nn.SpatialConvolution(8, 3, 3, 3)):float(), 4, 2, 7, 7), torch.randn(5, 2, 7, 7):float(), 'int8Conv2d' },
    }
    for _, case in ipairs(cases) do
      local net, x, op = unpack(case)
      for _, options in ipairs { {}, { symmetric = true }, { symmetricWeights = false }, { mode = 'dynamic' } } do
        local small, prepared = converted(net, x, { mode = options.mode, symmetric = options.symmetric })
        net:evaluate()
        assert.is_true(difference(net:forward(x), small:forward(x)) < 0.02)
        local ops = opsOf(small)
        assert.equal(2, ops[op])
        assert.is_nil(ops.batchNorm)
        local layers = quantize.report(prepared, x).layers
        assert.equal(2, #layers)
        for _, layer in ipairs(layers) do assert.is_true(layer.loss > 0 and layer.loss < 0.03) end
      end
    end
  end)

  it('joins branches in integers, whose parts have the scale of the whole', function()
    local branches = nn.Concat(2):add(nn.Sequential():add(nn.SpatialConvolution(4, 5, 1, 1)):add(nn.ReLU()))
      :add(nn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1)):add(nn.SpatialAveragePooling(3, 3, 1, 1, 1, 1))
      :add(nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1))
    local net = nn.Sequential():add(nn.SpatialConvolution(2, 4, 3, 3)):add(nn.ReLU()):add(branches):add(nn.SpatialConvolution(19, 3, 1, 1))
      :float()
    local x = torch.rand(2, 2, 8, 8):float()
    for _, symmetric in ipairs { true, false } do
      local small = converted(net, x, { symmetric = symmetric })
      net:evaluate()
      assert.is_true(difference(net:forward(x), small:forward(x)) < 0.02)
      local ops = opsOf(small)
      assert.equal(4, ops.int8Conv2d)
      assert.equal(1, ops.cat)
      assert.equal(1, ops.quantize)
      for _, op in ipairs { 'conv2d', 'avgPool2d', 'maxPool2d', 'dequantize', 'relu' } do assert.is_nil(ops[op], op) end
    end
  end)

  it('computes sums of floats where steps of floats follow, and no step twice', function()
    local net = nn.Sequential():add(nn.Linear(6, 8)):add(nn.ConcatTable():add(nn.Linear(8, 8)):add(nn.Identity())):add(nn.CAddTable())
      :add(nn.SoftMax()):float()
    local x = torch.randn(4, 6):float()
    local small = converted(net, x, {})
    net:evaluate()
    assert.is_true(difference(net:forward(x), small:forward(x)) < 0.02)
    local ops = opsOf(small)
    assert.equal(2, ops.int8Linear)
    assert.is_nil(ops.int8Add)
    -- Sums with another size stay floats.
    local wide = nn.Sequential():add(nn.SpatialConvolution(2, 3, 3, 3)):add(nn.ConcatTable():add(nn.Identity())
      :add(nn.SpatialAdaptiveAveragePooling(1, 1))):add(nn.CAddTable()):add(nn.SpatialConvolution(3, 2, 1, 1)):float()
    x = torch.randn(4, 2, 6, 6):float()
    small = converted(wide, x, {})
    wide:evaluate()
    assert.is_true(difference(wide:forward(x), small:forward(x)) < 0.03)
    assert.is_nil(opsOf(small).int8Add)
  end)

  it('keeps weights in 16 bits, and computes in float32', function()
    local nets = {
      { convolutional(), torch.rand(3, 2, 10, 10):float(), 1, { 'conv2d', 'linear16' } },
      { nn.Sequential():add(nn.Embedding(20, 32)):add(nn.LSTM(32, 24)):add(nn.Linear(24, 20)):float(), torch.LongTensor(7, 3):random(1, 20),
        2, { 'linear16' } },
    }
    for _, case in ipairs(nets) do
      local net, x, batch, wanted = unpack(case)
      net:evaluate()
      for weights, share in pairs { bfloat16 = 2 ^ -8, half = 2 ^ -11 } do
        local prepared = quantize.prepare(net, { input = x, batch = batch, weights = weights })
        local small = quantize.convert(prepared)
        local ops = opsOf(small)
        for _, op in ipairs(wanted) do assert.is_true(ops[op] > 0) end
        for _, op in ipairs { 'linear', 'addmm', 'mm', 'int8Linear' } do assert.is_nil(ops[op]) end
        -- The weights are rounded, and nothing else: a network with rounded weights is the truth.
        local rounded = net:clone()
        for _, parameter in ipairs((rounded:parameters())) do
          if parameter:dim() > 1 then parameter:copy(parameter:type(weights == 'half' and 'torch.HalfTensor' or 'torch.BFloat16Tensor')) end
        end
        assert.is_true(difference(rounded:forward(x), small:forward(x)) < 1e-5)
        local off = difference(net:forward(x), small:forward(x))
        assert.is_true(off > share / 100 and off < share)
        local bytes, before = small:bytes(), 0
        for _, parameter in ipairs((net:parameters())) do before = before + 4 * parameter:nElement() end
        assert.is_true(bytes < before * 0.56)
        local report = quantize.report(prepared, x)
        assert.is_true(report.after < report.before * 0.56 and report.loss < share)
      end
    end
    raises(function() quantize.prepare(convolutional(), { input = torch.rand(1, 2, 10, 10):float(), weights = 'int4' }) end,
      "weights: 'int4', expected one of 'int8', 'bfloat16', 'half'")
    raises(function()
      quantize.prepare(convolutional(), { input = torch.rand(1, 2, 10, 10):float(), weights = 'half', mode = 'training' })
    end, "mode: 'training', expected static")
  end)

  it('takes graphs, and returns graphs', function()
    local w, b = torch.randn(6, 9):float(), torch.randn(6):float()
    local x = torch.randn(4, 9):float()
    local g = torch.graph.capture(function(input) return torch.relu(torch.linear(input, w, b)) end, { x })
    local small = quantize.convert(quantize.calibrate(quantize.prepare(g), x))
    assert.equal('torch.Graph', torch.typename(small))
    assert.is_true(difference(g:run(x), small:run(x)) < 0.02)
    local y, run = small:run(x), small:prepare(x)
    assert.is_true(torch.equal(y, run(x)))
  end)

  it('saves and loads networks', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local small = converted(net, x, {})
    local file = torch.MemoryFile()
    file:writeObject(small)
    file:seek(1)
    local loaded = file:readObject()
    assert.is_true(torch.equal(small:forward(x), loaded:forward(x)))
    assert.equal(small:bytes(), loaded:bytes())
    assert.is_true(torch.equal(small:forward(x), small:clone():forward(x)))
  end)

  it('calibrates with lists of inputs, and with functions that return inputs', function()
    local net, x, y = convolutional(), torch.rand(1, 2, 10, 10):float(), torch.rand(2, 2, 10, 10):float():mul(3)
    local function ranges(data)
      local prepared = quantize.calibrate(quantize.prepare(net, { input = x }), data)
      return prepared:rangeOf 'x1'
    end
    local i = 0
    local wanted = { math.min(x:min(), y:min()), math.max(x:max(), y:max()) }
    assert.same(wanted, ranges { { x }, { y } })
    assert.same(wanted, ranges(function()
      i = i + 1
      return ({ x, y })[i]
    end))
    assert.same({ x:min(), x:max() }, ranges(x))
  end)

  it('reports losses, sizes and times', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local _, prepared = converted(net, x, {})
    local report = quantize.report(prepared, x)
    assert.equal(4, #report.layers)
    assert.same({ 6, 2, 3, 3 }, report.layers[1].sizes)
    assert.equal(4 * 6 * 2 * 3 * 3, report.layers[1].before)
    for _, layer in ipairs(report.layers) do assert.is_true(layer.loss > 0 and layer.loss < 0.05) end
    assert.is_true(report.after < report.before * 0.6 and report.loss < 0.01)
    assert.is_true(report.timeBefore > 0 and report.timeAfter > 0)
    assert.matches('conv2d .*linear .*bytes before.*ms before', (tostring(report):gsub('\n', ' ')))
  end)

  it('takes a quarter of the memory for large weights', function()
    local net = nn.Sequential():add(nn.Linear(512, 1024)):add(nn.ReLU()):add(nn.Linear(1024, 512)):float()
    local small, prepared = converted(net, torch.randn(2, 512):float(), {})
    local report = quantize.report(prepared, torch.randn(2, 512):float())
    assert.equal(report.after, small:bytes())
    assert.is_true(report.after < report.before * 0.26)
  end)

  it('refuses what does not fit', function()
    local net, x = convolutional(), torch.rand(1, 2, 10, 10):float()
    raises(function() quantize.prepare(3) end, 'quantize.prepare: net: 3, expected an nn.Module or a torch.Graph')
    raises(function() quantize.prepare(net) end, 'quantize.prepare: input: nil, expected an example')
    raises(function() quantize.prepare(net, { input = x, mode = 'fast' }) end,
      "mode: 'fast', expected one of 'static', 'dynamic', 'training'")
    for _, observer in ipairs { 'max', 'minmax, movingAverage' } do
      raises(function() quantize.prepare(net, { input = x, observer = observer }) end,
        ("observer: '%s', expected one of 'minmax', 'movingAverage', 'percentile', 'entropy'"):format(observer))
    end
    raises(function() quantize.prepare(net, { input = x, bits = 4 }) end, "options: 'bits', expected the name of an option")
    raises(function() quantize.prepare(net, { input = x, percentile = 0 }) end, 'percentile: 0, expected a number above 0')
    raises(function() quantize.prepare(net, { input = x, batch = 1.5 }) end, 'batch: 1.5, expected a dimension')
    raises(function() quantize.convert(net) end, 'quantize.convert: prepared: .*expected the result of quantize.prepare')
    raises(function() quantize.convert(quantize.prepare(net, { input = x })) end, 'no values seen, expected quantize.calibrate')
    raises(function() quantize.calibrate(quantize.prepare(net, { input = x }), 3) end, 'quantize.calibrate: data: 3, expected a tensor')
    raises(function() quantize.prepare(net, { input = x })(x) end, 'prepared for the mode static, expected training')
    raises(function() converted(net, x, {}):forward(3) end, 'quantize.Network: input: 3')
    raises(function() converted(net, x, {}):forward { x, 3 } end, 'quantize.Network: input: 3, expected tensors')
    raises(function() converted(net, x, {}):backward(x, x) end, 'quantize.Network: backward')
    raises(function() quantize.prepare(net, { input = x, batch = 5 }) end, 'batch: 5, expected a dimension of an input')
    raises(function() quantize.Network(3) end, 'quantize.Network: graph: 3, expected a torch.Graph')
    local g = torch.graph.capture(function(input) return torch.add(input, torch.rand(2)) end, { torch.ones(2) })
    raises(function() quantize.prepare(g) end, 'random numbers')
    for _, weights in ipairs { 'int8', 'half' } do
      raises(function() quantize.prepare(convolutional():double(), { input = x:double(), weights = weights }) end,
        "quantize.prepare: input: 'torch.DoubleTensor', expected float32, in which layers are quantised: net:float%(%), input:float%(%)")
    end
  end)

  it('refuses another number of inputs', function()
    local net, x = convolutional(), torch.rand(1, 2, 10, 10):float()
    local small, prepared = converted(net, x, {})
    local wanted = prepared:rangeOf 'x1'
    local expected = ': 2 tensors, expected 1 for a run of the network'
    local two = { x, torch.mul(x, 9) }
    raises(function() quantize.calibrate(prepared, two) end, 'quantize.calibrate: data' .. expected)
    raises(function() quantize.calibrate(prepared, { two }) end, 'quantize.calibrate: data' .. expected)
    raises(function() quantize.report(prepared, two) end, 'quantize.report: input' .. expected)
    raises(function() small:forward(two) end, 'quantize.Network: input' .. expected)
    raises(function() small:forward { 3 } end, 'quantize.Network: input: 3, expected tensors')
    raises(function() quantize.prepare(net, { input = x, mode = 'training' })(two) end, 'quantize.Prepared: input' .. expected)
    assert.same(wanted, prepared:rangeOf 'x1')
  end)

  it('refuses values and weights that are not finite', function()
    for _, value in ipairs { 0 / 0, 1 / 0, -1 / 0 } do
      local net, x = convolutional(), torch.rand(1, 2, 10, 10):float()
      local bad = x:clone()
      bad[1][2][3][4] = value
      for _, observer in ipairs { 'minmax', 'movingAverage', 'percentile', 'entropy' } do
        local prepared = quantize.prepare(net, { input = x, observer = observer })
        raises(function() quantize.calibrate(prepared, bad) end, 'quantize.calibrate: data: values from .* expected finite numbers')
        assert.is_nil(prepared:rangeOf 'x1')
        raises(function() quantize.convert(prepared) end, 'no values seen, expected quantize.calibrate')
      end
      raises(function() quantize.prepare(net, { input = x, mode = 'training' })(bad) end, 'quantize.Prepared: input: values from ')
      net:get(4).weight[1][2][1][3] = value
      for _, perChannel in ipairs { true, false } do
        raises(function() converted(net, x, { mode = 'dynamic', perChannel = perChannel }) end, 'quantize.convert: weight: elements from ')
      end
    end
  end)

  it('leaves products of more than 65536 elements to floats', function()
    local x = torch.rand(2, 65537):float()
    local net = nn.Linear(65537, 1):float()
    local small = converted(net, x, { mode = 'dynamic' })
    assert.same({ linear = 1 }, opsOf(small))
    assert.is_true(torch.equal(net:forward(x), small:forward(x)))
    local weight = torch.rand(65537, 2):float()
    local g = torch.graph.capture(function(input) return torch.mm(input, weight) end, { x })
    assert.same({ 'mm' }, quantize.convert(quantize.prepare(g, { mode = 'dynamic' })):info().ops)
    net = nn.SpatialConvolution(65537, 1, 1, 1):float()
    assert.same({ conv2d = 1 }, opsOf(converted(net, torch.rand(1, 65537, 1, 1):float(), { mode = 'dynamic' })))
    net = nn.SpatialConvolution(16384, 1, 2, 2):float()
    assert.equal(1, opsOf(converted(net, torch.rand(1, 16384, 2, 2):float(), { mode = 'dynamic' })).int8Conv2d)
  end)

  it('accepts networks that no integers compute', function()
    local x = torch.randn(3, 4):float()
    for _, net in ipairs { nn.Sequential():add(nn.ReLU()):float(), nn.Identity():float() } do
      assert.is_true(torch.equal(net:forward(x), converted(net, x, {}):forward(x)))
    end
  end)
end)

describe('training with the rounding', function()
  local function prepared(net, x)
    net:requiresGrad()
    return quantize.prepare(net, { input = x, mode = 'training' })
  end

  it('computes what the integers compute', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local p = prepared(net, x)
    p(x)
    p:evaluate()
    local rounded, exact = p(x):detach(), net:forward(x):detach()
    local small = quantize.convert(p)
    assert.is_true(difference(rounded, small:forward(x)) < difference(exact, small:forward(x)) / 2)
  end)

  it('gives the parameters of the network gradients, near those of floats', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local p = prepared(net, x)
    net:evaluate()
    net(x):narrow(2, 1, 1):sum():backward()
    local wanted = {}
    for i, parameter in ipairs((net:parameters())) do
      wanted[i] = parameter.grad:clone()
      parameter.grad:zero()
    end
    net:training()
    p(x):narrow(2, 1, 1):sum():backward()
    for i, parameter in ipairs((p:parameters())) do assert.is_true(difference(wanted[i], parameter.grad) < 0.2) end
  end)

  it('moves ranges in training mode alone', function()
    local net, x = convolutional(), torch.rand(3, 2, 10, 10):float()
    local p = prepared(net, x)
    p(x)
    local before = p:rangeOf 'x1'
    p:evaluate()
    p(torch.mul(x, 10))
    assert.same(before, p:rangeOf 'x1')
    p:training()
    p(torch.mul(x, 10))
    assert.is_true(p:rangeOf('x1')[2] > before[2] * 1.5)
  end)

  it('lowers the loss of a small network whose weights round badly', function()
    torch.manualSeed(3)
    local net = nn.Sequential():add(nn.Linear(4, 16)):add(nn.Tanh()):add(nn.Linear(16, 1)):float()
    local x = torch.rand(64, 4):float()
    local y = torch.sin(torch.sum(x, 2))
    local p = prepared(net, x)
    local first, last
    for _ = 1, 150 do
      for _, parameter in ipairs((p:parameters())) do parameter:zeroGrad() end
      local loss = torch.mean(torch.pow(torch.csub(p(x), y), 2), 1):sum()
      loss:backward()
      torch.noGrad(function()
        for _, parameter in ipairs((p:parameters())) do parameter:add(-0.1, parameter.grad) end
      end)
      last = loss:item()
      first = first or last
    end
    assert.is_true(last < first / 20)
    p:evaluate()
    local small = quantize.convert(p)
    assert.is_true(torch.csub(small:forward(x), y):pow(2):mean() < 2 * last + 1e-4)
  end)
end)
