-- onnx.save: positions, sizes that differ, control flow, names, options and errors.
local torch, nn, onnx = require 'torch', require 'nn', require 'onnx'
local files = require 'spec.support.files'

local file = os.tmpname()
local data = file .. '.data'

local function float(...) return torch.randn(...):float() end

-- The model that a function becomes.
local function exported(f, inputs, options)
  local settings = { inputs = inputs }
  for key, value in pairs(options or {}) do settings[key] = value end
  onnx.save(f, file, settings)
  return onnx.load(file)
end

-- Asserts that a function and its model agree, at inputs.
local function agrees(f, inputs, options, others)
  local model = exported(f, inputs, options)
  for _, given in ipairs { inputs, others } do
    local expected, results = { f(unpack(given)) }, { model:run(unpack(given)) }
    assert.equal(#expected, #results)
    for i, y in ipairs(expected) do
      assert.equal(y:type(), results[i]:type())
      assert.same(y:size():totable(), results[i]:size():totable())
      assert.is_true((y:double() - results[i]:double()):abs():max() <= 1e-6)
    end
  end
  return model
end

describe('onnx.save', function()
  teardown(function()
    os.remove(file)
    os.remove(data)
  end)

  it('writes positions that count from 1 and from the end', function()
    local x = torch.range(1, 24):view(2, 3, 4):float()
    agrees(function(t)
      return t:select(2, -2), t:narrow(3, -3, 2), t:narrow(3, -1, 1),
      t:sub(1, -1, -2, -1), t:select(3, -1), t[{ {}, 2 }]
    end, { x })
    agrees(function(t) return torch.narrow_grad(t, { 2, 3, 9 }, 3, -6), torch.select_grad(t:select(1, 1), { 4, 3, 4 }, 1, -3) end, { x })
  end)

  it('writes the positions of embeddings, sorting and classes', function()
    local weight = torch.range(1, 12):view(4, 3):float()
    local model = agrees(function(i) return torch.index(weight, 1, i) end, { torch.LongTensor { 4, 1, 2 } })
    assert.same({ { 10, 11, 12 }, { 1, 2, 3 }, { 10, 11, 12 } }, model:run(torch.LongTensor { 4, 1, 4 }):totable())
    agrees(function(x) return torch.sort(x, 2, true) end, { float(3, 5) })
    local criterion = nn.CrossEntropyCriterion():float()
    agrees(function(x, t) return criterion:forward(x, t) + torch.zeros(1):float() end, { float(3, 4), torch.LongTensor { 4, 1, 3 } })
  end)

  it('pairs elements in row-major order where sizes differ', function()
    agrees(function(x, y) return torch.cmul(x, y), torch.gt(x, y), torch.add(x, y:view(3, 1)) end, { float(3, 1), float(1, 3) })
  end)

  it('decides at a threshold as the op does', function()
    agrees(function(x) return torch.threshold(x, 1, 7), torch.relu(x), torch.clamp(x, 1, 2) end, { torch.FloatTensor { 1, 2, 0, -1, 3 } })
  end)

  it('keeps sizes that the option names open', function()
    local w = float(3, 4)
    local function f(x) return torch.mm(x, w):view(x:size(1) * 2, 2), torch.sum(x, 1), torch.zeros(x:size(1), 2):float() end
    local model = agrees(f, { float(8, 3) }, { inputNames = { 'rows' }, dynamic = { rows = { [1] = 'n' } } }, { float(5, 3) })
    assert.same({ 'n', 3 }, model:inputs()[1].sizes)
    assert.same({ 1, 3 }, model:outputs()[2].sizes)
    assert.same({ 'n', 2 }, model:outputs()[3].sizes)
    agrees(function(x) return torch.std(x, 1), torch.sort(x, 1) end, { float(8, 3) }, { dynamic = { x1 = { [1] = 'n' } } }, { float(4, 3) })
    agrees(function(x, y)
      return torch.cat(x, y, 1):narrow(1, 2, x:size(1)), x:sub(2, -1), torch.expand(y:narrow(1, 1, 1), x:size(1), 3)
    end, { float(8, 3), float(8, 3) }, { dynamic = { x1 = { [1] = 'n' }, x2 = { [1] = 'n' } } }, { float(2, 3), float(2, 3) })
  end)

  it('computes sequences and matrices of any size', function()
    agrees(function(x)
      local n = x:size(1)
      return torch.range(1, n), torch.range(3, n + 4, 2):long(), torch.arange(0, n):float(), torch.eye(n), torch.eye(n, 3), torch.ones(n, 2)
    end, { float(8, 2) }, { dynamic = { x1 = { [1] = 'n' } } }, { float(3, 2) })
    for _, module in ipairs { nn.SpatialZeroPadding(1, 2, -1, 3), nn.Padding(3, -2, 4, 0.5), nn.Reshape(15) } do
      agrees(function(x) return module:float():forward(x):clone() end, { float(8, 1, 3, 5) }, { dynamic = { x1 = { [1] = 'n' } } },
        { float(3, 1, 3, 5) })
    end
    agrees(function(x)
      local n = x:size(1)
      local before, after = torch.narrow_grad(x, { 2 * n, 2 }, 1, -n), torch.narrow_grad(x, { n + 3, 2 }, 1, 2)
      return nn.functional.pad(x, { 0, 0, 1, 2 }), nn.functional.pad(x, { 0, 0, -1, 2 }), before, after
    end, { float(8, 2) }, { dynamic = { x1 = { [1] = 'n' } } }, { float(3, 2) })
    assert.error_matches(function()
      exported(function(x) return nn.functional.pad(x, { 1, 0, 1, 2 }, 'constant', 1) end, { float(8, 2) },
        { dynamic = { x1 = { [1] = 'n' } } })
    end, 'onnx.save: strided_scatter .*: sizes that differ from run to run, expected fixed ones')
  end)

  it('keeps sizes behind strides open', function()
    for _, stride in ipairs { 2, 3, 4, 7 } do
      local module = nn.Sequential():add(nn.TemporalSubSampling(3, stride, stride)):add(nn.Tanh()):float()
      local model = agrees(function(x) return module:forward(x):clone() end, { float(29, 3) }, { dynamic = { x1 = { [1] = 'n' } } },
        { float(44, 3) })
      assert.equal('output_1', model:outputs()[1].sizes[1])
    end
  end)

  it('writes into rows of a tensor of any size', function()
    agrees(function(x)
      local y = torch.zeros(3, x:size(1), 2):float()
      y:select(1, 2):copy(x)
      return y
    end, { float(4, 2) }, { dynamic = { x1 = { [1] = 'n' } } }, { float(7, 2) })
    agrees(function(x)      -- the same part of each of them
      local y = torch.ones(x:size(1), 3, 5):float()
      y:narrow(2, 2, 2):narrow(3, 1, 3):transpose(2, 3):copy(x)
      return y
    end, { float(4, 3, 2) }, { dynamic = { x1 = { [1] = 'n' } } }, { float(7, 3, 2) })
    agrees(function(x)      -- a column
      local y = x:clone()
      y:select(2, 3):zero()
      y:select(2, 1):copy(x:select(2, 2))
      return y
    end, { float(4, 3) }, { dynamic = { x1 = { [1] = 'n' } } }, { float(7, 3) })
  end)

  it('counts positions from the end by sizes', function()
    local dynamic = { x1 = { [1] = 'n' }, x2 = { [1] = 'k' } }
    for _, f in ipairs {
      function(x, k) return x:narrow(1, -k, 2) end, function(x, k) return x:narrow(1, -k, k) end,
      function(x, k) return x:select(1, -k) end, function(x, k) return x:sub(1, -k) end, function(x, k) return x:sub(k, -1) end,
      function(x, k) return x[{ { -k, -1 } }] end, function(x, k) return x:select(2, 1):narrow(1, -k, 2) end,
    } do
      agrees(function(x, y) return f(x, y:size(1)) end, { float(8, 3), float(4, 1) }, { dynamic = dynamic }, { float(15, 3), float(3, 1) })
    end
  end)

  it('saves graphs with the sizes that they leave open', function()
    local w = float(3, 2)
    local graph = torch.graph.capture(function(x) return torch.mm(x, w) end, { float(4, 3) }, { dynamic = { x1 = 1 } })
    onnx.save(graph, file, { outputNames = { 'scores' } })
    local model = onnx.load(file)
    assert.same({ 'n', 3 }, model:inputs()[1].sizes)
    assert.equal('scores', model:outputs()[1].name)
    assert.is_true((model:run(torch.ones(6, 3):float()) - torch.mm(torch.ones(6, 3):float(), w)):abs():max() < 1e-6)
    onnx.save(torch.graph.parse 'graph(x: tensor) { return add(x, 2) }', file, { inputs = { torch.zeros(2) } })
    assert.same({ 3, 2 }, onnx.load(file):run(torch.Tensor { 1, 0 }):totable())
  end)

  it('has several sizes with names', function()
    local w = float(6, 4)
    local function f(x, mask)
      local batch, time = x:size(1), x:size(2)
      local y = torch.mm(x:view(batch * time, 6), w):view(batch, time, 4)
      return torch.cmul(y, mask:view(batch, time, 1):expandAs(y)), torch.sum(y, 2), torch.ones(time, batch), torch.cat(x, x, 2)
    end
    local names = { [1] = 'batch size', [2] = 'time' }
    for _, first in ipairs { { 3, 3 }, { 2, 4 } } do
      onnx.save(f, file, { inputs = { float(first[1], first[2], 6), float(unpack(first)) }, inputNames = { 'x', 'mask' },
        dynamic = { x = names, mask = names } })
      local model = onnx.load(file)
      assert.same({ 'batch size', 'time', 6 }, model:inputs()[1].sizes)
      assert.same({ 'batch size', 'time' }, model:inputs()[2].sizes)
      assert.same({ 'batch size', 'time', 4 }, model:outputs()[1].sizes)
      assert.same({ 'time', 'batch size' }, model:outputs()[3].sizes)
      assert.same({ 'batch size', 'output4_2', 6 }, model:outputs()[4].sizes)
      for _, sizes in ipairs { { 1, 5 }, { 4, 2 }, { 3, 3 } } do
        local x, mask = float(sizes[1], sizes[2], 6), float(unpack(sizes))
        local found, expected = { model:run(x, mask) }, { f(x, mask) }
        for i, y in ipairs(expected) do assert.is_true((found[i] - y):abs():max() < 1e-6) end
      end
    end
  end)

  it('has pictures of any size, also after a larger batch', function()
    local net = nn.Sequential():add(nn.SpatialConvolution(3, 4, 3, 3, 2, 2, 1, 1)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2, 2, 2))
      :add(nn.SpatialConvolution(4, 5, 3, 3, 1, 1, 1, 1)):add(nn.Dropout()):add(nn.Sum(3)):add(nn.Mean(3)):float()
    net:forward(float(9, 3, 40, 40))
    onnx.save(net, file, { inputs = float(2, 3, 16, 20), dynamic = { input = { [1] = 'batch', [3] = 'height', [4] = 'width' } } })
    local model = onnx.load(file)
    assert.same({ 'batch', 3, 'height', 'width' }, model:inputs()[1].sizes)
    assert.same({ 'batch', 5 }, model:outputs()[1].sizes)
    net:evaluate()
    for _, sizes in ipairs { { 3, 31, 18 }, { 1, 17, 40 } } do
      local x = float(sizes[1], 3, sizes[2], sizes[3])
      assert.is_true((net:forward(x) - model:run(x)):abs():max() < 1e-5)
    end
  end)

  it('has a picture without a batch, and resampled pictures, of any size', function()
    local open = { x1 = { [2] = 'height', [3] = 'width' } }
    for _, module in ipairs {
      nn.SpatialConvolution(3, 2, 3, 3), nn.SpatialMaxPooling(2, 2), nn.SpatialAveragePooling(2, 2), nn.SpatialFullConvolution(3, 2, 2, 2),
      nn.SpatialUpSamplingNearest(2), nn.SpatialUpSamplingBilinear(2), nn.SpatialZeroPadding(1, 2, 0, 1),
    } do
      module:float()
      local function f(x) return module:forward(x):clone() end
      agrees(f, { float(3, 4, 6) }, { dynamic = open }, { float(3, 8, 5) })
      agrees(f, { float(2, 3, 4, 6) }, { dynamic = { x1 = { 'batch', [3] = 'height', [4] = 'width' } } }, { float(5, 3, 8, 5) })
    end
    local norm = nn.InstanceNorm2d(3, { affine = true }):float()
    norm.weight:uniform()
    agrees(function(x) return norm:forward(x):clone() end, { float(2, 3, 4, 6) }, { dynamic = { x1 = { 'batch' } } }, { float(5, 3, 4, 6) })
    local edges = torch.range(-1, 1):float()
    assert.error_matches(function()
      exported(function(x) return torch.searchsorted(edges, x) end, { float(3, 4) }, { dynamic = { x1 = { 'm', 'n' } } })
    end, 'onnx.save: searchsorted .*: several sizes that differ from run to run, expected one')
  end)

  it('names the sizes that a graph leaves open as the graph or the call says', function()
    local text = 'graph(x: float32[n, m, 2], y: float32[?, ?]) { return exp(x), exp(y) }'
    local function sizesOf(dynamic)
      onnx.save(torch.graph.parse(text), file, { dynamic = dynamic })
      local model = onnx.load(file)
      return { model:inputs()[1].sizes, model:inputs()[2].sizes, model:outputs()[1].sizes, model:outputs()[2].sizes }
    end
    assert.same({ { 'n', 'm', 2 }, { 'n', 'n' }, { 'n', 'm', 2 }, { 'n', 'n' } }, sizesOf())
    assert.same({ { 'n', 'm', 2 }, { 'k', 'k' }, { 'n', 'm', 2 }, { 'k', 'k' } }, sizesOf { y = { 'k' } })
    assert.same({ { 'a', 'm', 2 }, { 'b', 'c' }, { 'a', 'm', 2 }, { 'b', 'c' } }, sizesOf { x = { 'a' }, y = { 'b', 'c' } })
  end)

  it('computes sizes from sizes', function()
    local graph = torch.graph.parse [[graph(x: float32[?, 3], w: float32[40]) {
      return narrow(w, 1, 1, 32 - size(x, 1)), narrow(w, 1, 1, (size(x, 1) + 3) // 2 * 2)
    }]]
    onnx.save(graph, file)
    local model = onnx.load(file)
    assert.same({ 'output1_1' }, model:outputs()[1].sizes)      -- 16 for the size 16, but not the size itself
    local w = torch.range(1, 40):float()
    for _, n in ipairs { 5, 12 } do
      local first, second = model:run(torch.zeros(n, 3):float(), w)
      assert.same({ 32 - n, math.floor((n + 3) / 2) * 2 }, { first:nElement(), second:nElement() })
    end
  end)

  it('writes branches and loops', function()
    local function branch(x) return torch.graph.cond(torch.gt(torch.sum(x, 1), 0), torch.exp, torch.neg, { x }) end
    agrees(branch, { torch.FloatTensor { 2 } }, {}, { torch.FloatTensor { -2 } })
    local function double(x)
      return torch.graph.whileLoop(function(a) return torch.lt(a, 100) end, function(a) return torch.mul(a, 2) end, { x }, 5)
    end
    agrees(double, { torch.FloatTensor { 60 } }, {}, { torch.FloatTensor { 1 } })      -- the second one stops at the limit
    agrees(double, { torch.FloatTensor { 200 } })
    local w = float(3, 3)
    for _, reverse in ipairs { false, true } do
      agrees(function(x, v)
        return torch.graph.scan(function(s, row, each)
          s = torch.tanh(torch.add(torch.mv(w, s), row))
          return s, torch.mul(s, 2), torch.add(each, 1)
        end, { torch.ones(3):float() }, { x, v }, reverse)
      end, { float(5, 3), float(5) })
    end
  end)

  it('has slices of any number in a scan, but bodies of fixed sizes', function()
    local function sums(s, x)
      return torch.graph.scan(function(sum, row) return sum + row, torch.cmul(sum, row) end, { s }, { x })
    end
    agrees(sums, { float(3), float(5, 3) }, { dynamic = { x2 = { [1] = 'n' } } }, { float(3), float(2, 3) })
    assert.error_matches(function()
      exported(sums, { float(3), float(5, 3) }, { dynamic = { x1 = { [1] = 'n' }, x2 = { [2] = 'n' } } })
    end, 'scan: a body whose sizes change, expected the same ones in each run')
  end)

  it('writes products of integers of 8 bits, and no products of floats that a run would quantise', function()
    -- (10 - 4) (1 - 2) + (2 - 4) (5 - 2) = -12, and so on; by 0.25, half to even, and 3 added.
    local x, y = torch.ByteTensor { { 10, 2 }, { 5, 255 } }, torch.CharTensor { { 1, -1 }, { 5, 4 } }
    local function products(a, b)
      return torch.int8Matmul(a, b, 4, 2), torch.int8Matmul(a, b, 4, 2, 0.25), torch.int8Matmul(a, b, 4, 2, 0.25, 3, 'torch.ByteTensor')
    end
    local sums, scaled, integers = agrees(products, { x, y }):run(x, y)
    assert.same({ { -12, -22 }, { 752, 499 } }, sums:totable())
    assert.same({ { -3, -5.5 }, { 188, 124.75 } }, scaled:totable())
    assert.same({ { 0, 0 }, { 191, 128 } }, integers:totable())
    assert.is_truthy(files.read(file):find('MatMulInteger', 1, true))
    for _, sizes in ipairs { { { 4, 1, 3, 8 }, { 2, 8, 5 } }, { { 3, 0 }, { 0, 2 } } } do
      local a, b = torch.ByteTensor(unpack(sizes[1])):random(0, 255), torch.ByteTensor(unpack(sizes[2])):random(0, 255)
      agrees(function(c, d)
        return torch.int8Matmul(c, d, 130, 120), torch.int8Matmul(c, d, 0, 255, 1e-3, -100, 'torch.CharTensor')
      end, { a, b })
    end
    assert.error_matches(function() exported(function(a, b) return torch.int8Matmul(a, b) end, { x:float(), y:float() }) end,
      'onnx.save: int8Matmul .*: float32, which the run quantises, expected integers: export the network before it is quantised')
    assert.error_matches(function() exported(function(a, b) return torch.int8Attention(a, b, b) end, { x, y }) end,
      'onnx.save: int8Attention .*: integers of 8 bits with roundings of their own: export the network before it is quantised')
  end)

  it('gives a module in training the results of evaluation, and leaves it as it was', function()
    local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.BatchNormalization(4)):add(nn.Dropout()):float()
    net:training()
    net:forward(float(6, 3))
    onnx.save(net, file, { inputs = float(2, 3) })
    assert.is_true(net:get(3).train)
    local x = float(2, 3)
    local found = onnx.load(file):run(x)
    net:evaluate()
    assert.is_true((net:forward(x) - found):abs():max() < 1e-6)
  end)

  it('accepts modules on the tape, with parameters that are tracked', function()
    local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh()):float()
    for _, parameter in ipairs((net:parameters())) do parameter:requiresGrad() end
    local x = float(2, 3)
    onnx.save(net, file, { inputs = x })
    assert.is_true((net:forward(x):detach() - onnx.load(file):run(x)):abs():max() < 1e-6)
  end)

  it('writes each operator set', function()
    for opset = 17, 26 do
      agrees(function(x) return torch.max(x, 1), torch.mean(x, 2), torch.norm(x, 2, 1) end, { float(3, 4) }, { opset = opset })
      assert.equal(opset == 17, files.read(file):find('axes', 1, true) ~= nil)      -- later ones have an input
      assert.is_truthy(files.read(file):find('B\4\n%z\16' .. string.char(opset), 1))      -- opset_import: domain '', version
    end
    for _, opset in ipairs { 19, 20 } do      -- whose DFT differ
      agrees(function(x) return torch.fft_r2c(x, 1), torch.fft_c2r(torch.fft_r2c(x, 2, 'by_n'), 2, 'none', 5) end, { float(4, 5) },
        { opset = opset })
    end
    assert.error_matches(function() exported(function(x) return torch.bitxor(x, 3) end, { torch.LongTensor { 1 } }, { opset = 17 }) end,
      'onnx.save: bitxor .*: operator set 17, expected 18 or later')
  end)

  it('writes large constants to a second file', function()
    local w = float(40, 30)
    agrees(function(x) return torch.mm(x, w) end, { float(2, 40) }, { external = true })
    assert.equal(40 * 30 * 4, #files.read(data))
    assert.is_true(#files.read(file) < 2000)
  end)

  it('names the op and the line, and writes nothing', function()
    files.write(file, 'before')
    local function f(x)
      local y = torch.lgamma(x)
      return y
    end
    local line = debug.getinfo(f, 'S').linedefined + 1
    assert.error_matches(function() onnx.save(f, file, { inputs = { float(3) } }) end,
      ('onnx.save: lgamma %%(.*save_spec.lua:%d%%): a function that ONNX lacks'):format(line))
    local counter = torch.zeros(1)
    assert.error_matches(function()
      onnx.save(function(x)
        counter:add(1)
        return torch.add(x, counter)
      end, file, { inputs = { torch.zeros(1) } })
    end, 'onnx.save: graph: 1 writes to inputs or constants, expected none')
    local norm = nn.BatchNormalization(3):float()      -- whose step overwrites the running statistics
    norm:training()
    assert.error_matches(function() onnx.save(function(x) return norm:forward(x) end, file, { inputs = float(4, 3) }) end,
      'onnx.save: .*, expected ')
    assert.equal('before', files.read(file))
  end)

  it('leaves out writes to memory on which no result depends', function()
    local seen = torch.zeros(3):float()
    agrees(function(x)
      seen:copy(x)
      return torch.exp(x)
    end, { float(3) })
  end)

  it('checks its arguments', function()
    local function f(x) return torch.exp(x) end
    local x = { float(3, 2) }
    for _, case in ipairs {
      { 3, {}, 'onnx.save: x: 3, expected a graph, a module or a function' },
      { f, { inputs = x, opset = 16 }, 'onnx.save: opset: 16, expected a whole number from 17 to 26' },
      { f, { inputs = x, opset = 27 }, 'onnx.save: opset: 27, expected' },
      { f, { inputs = x, names = {} }, 'onnx.save: options: the key .*names' },
      { f, { inputs = {} }, 'onnx.save: inputs: none, expected tensors' },
      { f, { inputs = { 'x' } }, 'onnx.save: inputs: x1: .*, expected a tensor' },
      { f, {}, 'onnx.save: inputs: nil, expected tensors' },
      { nn.Linear(2, 2), {}, 'onnx.save: inputs: nothing, expected an input of the module' },
      { f, { inputs = x, inputNames = { 'a', 'b' } }, 'onnx.save: inputNames: 2 names, expected 1' },
      { f, { inputs = x, outputNames = { 'x1' } }, 'onnx.save: outputNames: x1, which is taken' },
      { f, { inputs = x, outputNames = { 'a', 'b' } }, 'onnx.save: outputNames: 2 names, expected 1' },
      { f, { inputs = x, inputNames = { '' } }, 'onnx.save: inputNames: ' },
      { f, { inputs = x, inputNames = { 'a\255' } }, 'onnx.save: inputNames: .*, expected names in UTF%-8' },
      { f, { inputs = x, outputNames = { '\195' } }, 'onnx.save: outputNames: .*, expected names in UTF%-8' },
      { f, { inputs = x, dynamic = { x1 = { [1] = '\237\160\128' } } }, 'onnx.save: dynamic: .*, expected the name of a size in UTF%-8' },
      { function() end, { inputs = x }, 'onnx.save: x: no results, expected one or more' },
      { f, { inputs = x, dynamic = { y = { [1] = 'n' } } }, 'onnx.save: dynamic: the key .*y.*, expected one of the inputs x1' },
      { f, { inputs = x, dynamic = { x1 = { [1] = 'n', [2] = 'n' } } }, 'capture: dynamic: size 2 of x1, expected 3' },
      { f, { inputs = x, dynamic = { x1 = {} } }, 'onnx.save: dynamic: ' },
      { f, { inputs = x, dynamic = { x1 = { [3] = 'n' } } }, 'capture: dynamic: 3 of x1' },
      { f, { inputs = x, dynamic = { x1 = 'n' } }, 'onnx.save: dynamic: ' },
      { f, { inputs = x, external = 1 }, 'onnx.save: external: 1, expected a boolean' },
    } do
      assert.error_matches(function() onnx.save(case[1], file, case[2]) end, case[3])
    end
    assert.error_matches(function() onnx.save(f, nil, { inputs = x }) end, 'onnx.save: file: nil, expected a string')
    assert.error_matches(function() onnx.save(f, '/missing/folder/x.onnx', { inputs = x }) end, 'onnx.save: /missing/folder/x.onnx: ')
    assert.error_matches(function() onnx.save(f, 'a\0b', { inputs = x }) end, 'onnx.save: file: a name with a zero byte')
  end)
end)

describe('onnx.write.steps', function()
  it('has no method with the name of an argument of an op', function()
    local taken = {
      refuse = true, wants = true, axisOf = true, fixed = true, fixedSize = true, needs = true, paired = true, promoted = true,
      op = true, origin = true, results = true, used = true, bodies = true, otherBodies = true,
    }
    for _, op in ipairs(torch.ops()) do
      for _, param in ipairs(torch.ops[op] and torch.ops[op].params or {}) do assert.is_nil(taken[param.name], op) end
    end
  end)
end)

describe('docs/packages/onnx.md', function()
  it('lists the ops without a form in ONNX as the rules do', function()
    local page = files.read 'docs/packages/onnx.md'
    assert.is_truthy(page:find(require 'spec.onnx.export_table'.missing(), 1, true))
  end)
end)

describe('a bad argument of onnx.save', function()
  it('names the line that ran a model with sizes that do not fit', function()
    onnx.save(function(x, y) return torch.cmul(x, y) end, file, { inputs = { float(4, 3), float(4, 3) },
      dynamic = { x1 = { 'm' }, x2 = { 'm' } } })
    local model = onnx.load(file)
    for _ = 1, 3 do
      local _, message = pcall(function() model:run(float(4, 3), float(5, 3)) end)
      assert.matches('^[^ ]*save_spec.lua:%d+: onnx: ', message)
    end
  end)

  it('is refused at the line of the program', function()
    for _, call in ipairs {
      function() onnx.save(3, os.tmpname()) end,
      function() onnx.save(nn.Linear(2, 1), '/nowhere/x.onnx', { inputs = torch.randn(1, 2) }) end,
    } do
      assert.matches('^[%w/.]*spec/onnx/save_spec.lua:%d+: onnx.save: ', select(2, pcall(call)))
    end
  end)
end)
