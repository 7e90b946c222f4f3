-- graph:prepare and net:prepare: the results of eager runs, without garbage, with the module's state untouched.
local torch, nn = require 'torch', require 'nn'

local isClose = require('spec.support.close').isClose

local function same(actual, expected) return isClose(expected, actual, { sameType = true }) end

local function residual()
  local main = nn.Sequential():add(nn.SpatialConvolution(4, 4, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(4)):add(nn.ReLU())
  return nn.Sequential():add(nn.SpatialConvolution(3, 4, 3, 3)):add(nn.ConcatTable():add(main):add(nn.Identity())):add(nn.CAddTable())
    :add(nn.SpatialMaxPooling(2, 2)):add(nn.Dropout(0.5)):add(nn.View(36)):add(nn.Linear(36, 5)):add(nn.LogSoftMax())
end

describe('net:prepare', function()
  it('computes what the module computes in evaluation mode', function()
    local net = residual()
    net:forward(torch.randn(4, 3, 8, 8))                               -- sets running statistics
    local run = net:prepare(2, 3, 8, 8)
    net:evaluate()
    for _ = 1, 3 do
      local x = torch.randn(2, 3, 8, 8)
      assert.is_true(isClose(net:forward(x), run(x), { rtol = 1e-12, atol = 1e-12, sameType = true }))
    end
  end)

  -- With a limit that many elements reach.
  local rectifiers = { ReLU = nn.ReLU, ['a limited ReLU'] = function() return nn.Clamp(0, 0.5) end }

  for name, rectified in pairs(rectifiers) do
    it(('computes convolutions with packed weights up to rounding, with %s'):format(name), function()
      local function convolution(from, to, size, stride, groups)
        local pad = (size - 1) / 2
        local conv = groups and nn.SpatialDepthWiseConvolution(from, to / from, size, size, stride, stride, pad, pad)
          or nn.SpatialConvolution(from, to, size, size, stride, stride, pad, pad)
        local norm = nn.SpatialBatchNormalization(to)
        norm.running_mean:uniform(-1, 1)
        norm.running_var:uniform(0.5, 2)
        norm.weight:uniform(0.5, 2)
        norm.bias:uniform(-1, 1)
        return nn.Sequential():add(conv):add(norm)
      end
      local function block(channels)
        local main = convolution(channels, channels, 3, 1):add(rectified()):add(convolution(channels, channels, 3, 1))
        return nn.Sequential():add(nn.ConcatTable():add(main):add(nn.Identity())):add(nn.CAddTable()):add(rectified())
      end
      local function shortened(from, to)
        local main = convolution(from, to, 3, 2):add(rectified()):add(convolution(to, to, 1, 1))
        return nn.Sequential():add(nn.ConcatTable():add(convolution(from, to, 1, 2)):add(main)):add(nn.CAddTable()):add(rectified())
      end
      local nets = {
        { convolution(3, 32, 7, 2):add(rectified()), 3, 30 },
        { block(96), 96, 20 },                                             -- batches have enough tiles for Winograd's method
        { nn.Sequential():add(shortened(32, 64)):add(block(64)):add(shortened(64, 48)), 32, 14 },
        { convolution(8, 32, 1, 1):add(rectified()):add(convolution(32, 32, 3, 1, true)):add(rectified()):add(convolution(32, 24, 1, 1))
          :add(rectified()):add(convolution(24, 24, 3, 2, true)):add(rectified()):add(convolution(24, 7, 1, 1)), 8, 21 },
      }
      for _, case in ipairs(nets) do
        local net, channels, size = case[1]:float(), case[2], case[3]
        for _, batch in ipairs { 1, 4 } do
          local run = net:prepare(batch, channels, size, size)
          local double = net:clone():double()
          double:evaluate()
          for _ = 1, 2 do
            local x = torch.randn(batch, channels, size, size):float()
            local expected, actual = double:forward(x:double()), run(x):double()
            assert.is_true((actual - expected):abs():max() < 2e-5 * math.max(1, expected:std()))
          end
        end
      end
    end)
  end

  local function convolution(from, to, size, stride, groups)
    local pad = (size - 1) / 2
    return nn.Conv2d(from, to, size, { stride = stride or 1, padding = pad, groups = groups or 1 })
  end

  -- Compares prepared runs in float32 with the module in float64, for batches of 1 and 4 images.
  local function expectClose(net, channels, height, width, inputs)
    for _, batch in ipairs { 1, 4 } do
      local run = net:float():prepare(batch, channels, height, width or height)
      local double = net:clone():double()
      double:evaluate()
      for _ = 1, 2 do
        local x = (inputs or torch.randn)(batch, channels, height, width or height):float()
        local expected, actual = double:forward(x:double()), run(x):double()
        assert.is_true((actual - expected):abs():max() < 2e-5 * math.max(1, expected:std()))
      end
    end
  end

  it('computes convolutions between pooling, concatenations and elementwise functions up to rounding', function()
    local function branches(from, ...)
      local all = nn.Concat(2)
      for _, to in ipairs { ... } do all:add(nn.Sequential():add(convolution(from, to, 3)):add(nn.ReLU())) end
      return all
    end
    local nets = {
      branches(32, 16, 48):add(nn.Sequential():add(nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1)):add(convolution(32, 32, 1))),
      branches(32, 16, 24, 8):add(nn.SpatialAveragePooling(3, 3, 1, 1, 1, 1)),   -- parts within blocks of 16 channels
      branches(32, 32, 16):add(nn.Identity()),
      nn.Sequential():add(branches(32, 64, 32)):add(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1)):add(nn.Tanh()):add(convolution(96, 32, 1)),
      nn.Sequential():add(convolution(32, 48, 3)):add(nn.SpatialAveragePooling(2, 2, 2, 2)):add(convolution(48, 16, 3)),
      nn.Sequential():add(convolution(32, 48, 3)):add(nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1):setCountExcludePad())
        :add(convolution(48, 16, 3)),
      nn.Sequential():add(convolution(32, 48, 3)):add(nn.SpatialMaxPooling(5, 3, 4, 1):ceil()):add(nn.Sigmoid())
        :add(convolution(48, 20, 3)),
      nn.Sequential():add(convolution(32, 64, 3)):add(nn.Narrow(2, 17, 32)):add(convolution(32, 16, 1)),
      nn.Sequential():add(convolution(32, 64, 3)):add(nn.Narrow(2, 9, 32)):add(convolution(32, 16, 1)),
      nn.Sequential():add(convolution(32, 64, 3)):add(nn.Transpose { 3, 4 }):add(convolution(64, 16, 1)),
      nn.Sequential():add(convolution(32, 32, 3)):add(nn.Reshape(32, 9, 16)):add(convolution(32, 16, 3)),
      nn.Sequential():add(convolution(32, 32, 3)):add(nn.CAdd(1, 32, 1, 1)):add(nn.PReLU(32)):add(convolution(32, 16, 3)),
      nn.Sequential():add(nn.ConcatTable():add(convolution(32, 32, 3)):add(nn.Tanh())):add(nn.CAddTable()):add(convolution(32, 16, 1)),
      nn.Sequential():add(nn.ConcatTable():add(convolution(32, 32, 3)):add(convolution(32, 32, 1))):add(nn.CMulTable())
        :add(convolution(32, 16, 1)),
    }
    for _, net in ipairs(nets) do expectClose(net, 32, 12) end
  end)

  it('divides batches among threads', function()
    local before = torch.getnumthreads()
    local net = nn.Sequential():add(convolution(32, 48, 3)):add(nn.ReLU())
      :add(nn.ConcatTable():add(convolution(48, 40, 1)):add(convolution(48, 40, 3))):add(nn.CAddTable()):add(nn.ReLU())
    for _, threads in ipairs { 2, 3, 4 } do
      torch.setnumthreads(threads)
      local fits, why = pcall(expectClose, net, 32, 15)
      torch.setnumthreads(before)
      assert.is_true(fits, why)
    end
  end)

  for name, rectified in pairs(rectifiers) do
    it(('computes depthwise convolutions between images with channels first up to rounding, with %s'):format(name), function()
      local depthwise = convolution(136, 136, 3, 1, 136)
      expectClose(depthwise, 136, 14)
      expectClose(nn.Sequential():add(depthwise):add(rectified()), 136, 14)
      expectClose(nn.Sequential():add(nn.ConcatTable():add(depthwise):add(nn.Tanh())):add(nn.CAddTable()):add(rectified()), 136, 14)
      expectClose(nn.Sequential():add(convolution(136, 136, 3, 2, 136)):add(rectified()), 136, 14)
    end)
  end

  it('pools NaN and infinity between convolutions as modules do', function()
    local net = nn.Sequential():add(convolution(16, 16, 1)):add(nn.SpatialMaxPooling(2, 2, 2, 2)):add(convolution(16, 16, 1)):float()
    for _, conv in ipairs(net:findModules('nn.Conv2d')) do conv.weight:copy(torch.eye(16):float()):add(0) conv.bias:zero() end
    local x = torch.randn(1, 16, 6, 6):float()
    x[{ 1, {}, 3, 4 }] = 0 / 0
    x[{ 1, {}, { 1, 2 }, { 1, 2 } }] = -1e30
    local expected, actual = net:forward(x):clone(), net:prepare(1, 16, 6, 6)(x)
    assert.equal(16, actual:ne(actual):sum())
    assert.is_true(isClose(expected, actual, { equalNan = true, rtol = 1e-5, atol = 1e-5 }))
  end)

  for name, rectified in pairs(rectifiers) do
    it(('computes 1x1 convolutions in groups that fill no whole vectors up to rounding, with %s'):format(name), function()
      local cases = { { 8, 20, 2, 7, 7 }, { 24, 112, 4, 5, 9 }, { 136, 68, 4, 14, 14 }, { 36, 36, 3, 8, 8 }, { 10, 16, 2, 1, 1 } }
      for _, case in ipairs(cases) do
        local from, to, groups, height, width = unpack(case)
        expectClose(convolution(from, to, 1, 1, groups), from, height, width)
        local main = nn.Sequential():add(convolution(from, from, 1, 1, groups)):add(rectified()):add(convolution(from, from, 1, 1, groups))
        local sum = nn.Sequential():add(nn.ConcatTable():add(main):add(nn.Identity())):add(nn.CAddTable()):add(rectified())
        expectClose(sum, from, height, width)
        expectClose(nn.Sequential():add(convolution(from, from, 1)):add(sum), from, height, width)
      end
    end)
  end

  it('computes convolutions of images that are one element wide up to rounding', function()
    for _, case in ipairs { { 5, 1, 0 }, { 3, 2, 1 }, { 1, 3, 0 } } do
      local kernel, stride, pad = unpack(case)
      local net = nn.SpatialConvolution(32, 48, 1, kernel, 1, stride, 0, pad)
      expectClose(net, 32, 40, 1)
      expectClose(nn.Sequential():add(net):add(nn.ReLU()):add(nn.SpatialConvolution(48, 16, 1, 3)), 32, 40, 1)
    end
  end)

  it('multiplies by packed matrices up to rounding, for any number of rows and columns', function()
    for _, rows in ipairs { 1, 2, 3, 4, 5, 6, 7, 11, 12, 40 } do
      for _, columns in ipairs { 8, 15, 16, 33, 64, 70 } do
        local net = nn.Linear(23, columns, rows % 2 == 0):float()
        local x = torch.randn(rows, 23):float()
        local expected = net:clone():double():forward(x:double())
        assert.is_true(isClose(expected, net:prepare(rows, 23)(x):double(), { rtol = 1e-5, atol = 1e-5 }))
      end
    end
    local w = torch.randn(40, 23):float()
    local sum = torch.graph.capture(function(x, m) return torch.addmv(m, w, x), torch.addmm(m:view(1, 40), x:view(1, 23), w:t()) end,
      { torch.zeros(23):float(), torch.zeros(40):float() }):prepare()
    local x, m = torch.randn(23):float(), torch.randn(40):float()
    local expected = m:double() + torch.mv(w:double(), x:double())
    local a, b = sum(x, m)
    assert.is_true(isClose(expected, a:double(), { rtol = 1e-5, atol = 1e-5 }))
    assert.is_true(isClose(expected, b:double():view(-1), { rtol = 1e-5, atol = 1e-5 }))
  end)

  it('pools without positions that nothing reads', function()
    for _, case in ipairs { { 2, 2, 0 }, { 3, 2, 1 }, { 3, 1, 1 }, { 2, 1, 0 }, { 3, 3, 0 }, { 5, 4, 2 } } do
      local size, stride, pad = unpack(case)
      local pool = nn.SpatialMaxPooling(size, size, stride, stride, pad, pad):float()
      for _, width in ipairs { 5, 24, 37 } do
        local x = torch.randn(2, 3, 21, width):float()
        x[1][2][7][3] = 0 / 0
        x[2]:fill(-math.huge)
        local run = pool:prepare(2, 3, 21, width)
        local expected, actual = pool:forward(x), run(x)
        assert.is_true(isClose(expected, actual, { equalNan = true, sameType = true }))
      end
    end
  end)

  it('accepts sizes, storages, samples and tables of them', function()
    local x = torch.randn(2, 3)
    for _, sizes in ipairs { { 2, 3 }, torch.LongStorage { 2, 3 }, torch.randn(2, 3) } do
      assert.is_true(same(nn.Tanh():prepare(sizes)(x), torch.tanh(x)))
    end
    local both = nn.Sequential():add(nn.ParallelTable():add(nn.Identity()):add(nn.ConcatTable():add(nn.CAddTable()):add(nn.CMulTable())))
    local run = both:prepare { { 2 }, { { 3 }, torch.ones(3) } }
    local a, b, c = torch.randn(2), torch.randn(3), torch.randn(3)
    local result = run { a, { b, c } }
    assert.is_true(same(result[1], a))
    assert.is_true(same(result[2][1], b + c))
    assert.is_true(same(result[2][2], torch.cmul(b, c)))
  end)

  it('has the type of the module', function()
    local run = nn.Linear(3, 2):float():prepare(1, 3)
    assert.equal('torch.FloatTensor', run(torch.randn(1, 3):float()):type())
  end)

  it('works for sequences, embeddings and attention', function()
    local cases = {
      { nn.LSTM(4, 5), torch.randn(7, 2, 4) },
      { nn.GRU(4, 5), torch.randn(7, 2, 4) },
      { nn.MultiheadAttention(8, 2), torch.randn(2, 5, 8) },
      { nn.Sequential():add(nn.LookupTable(9, 4)):add(nn.Linear(4, 2)), torch.LongTensor { { 1, 9, 3 } } },
    }
    for _, case in ipairs(cases) do
      local net, x = unpack(case)
      net:evaluate()
      local expected, actual = net:forward(x), net:prepare(x)(x)
      if type(expected) == 'table' then expected = expected[1] end
      if type(actual) == 'table' then actual = actual[1] end
      assert.is_true(same(actual, expected))
    end
  end)

  it('leaves the module as it was', function()
    local net = residual()
    local x = torch.randn(2, 3, 8, 8)
    local before = net:forward(x)
    local kept, mean = before:clone(), net:get(2):get(1):get(2).running_mean:clone()
    local run = net:prepare(5, 3, 8, 8)
    assert.is_true(net.output == before)
    assert.is_true(same(net.output, kept))
    assert.is_true(net:get(5).train)
    assert.is_true(same(net:get(2):get(1):get(2).running_mean, mean))
    assert.same({ 5, 5 }, run(torch.randn(5, 3, 8, 8)):size():totable())
    net:backward(x, torch.ones(2, 5))
  end)

  it('returns the same tensors, and adds nothing to the heap of Lua', function()
    local run, x = residual():prepare(1, 3, 8, 8), torch.randn(1, 3, 8, 8)
    local first = run(x)
    for _ = 1, 200 do run(x) end                                       -- compiles the loop
    collectgarbage()
    collectgarbage 'stop'
    local before = collectgarbage 'count'
    for _ = 1, 200 do run(x) end
    local grown = collectgarbage 'count' - before
    collectgarbage 'restart'
    assert.is_true(grown < 2, grown)                                   -- kilobytes
    assert.equal(first, run(x))
  end)

  it('reads inputs from its own tensors without a copy', function()
    local run = nn.MulConstant(2):prepare(3)
    run.inputs[1]:copy(torch.Tensor { 1, 2, 3 })
    assert.same({ 2, 4, 6 }, run():totable())
    assert.same({ 2, 4, 6 }, run(run.inputs[1]):totable())
  end)

  it('refuses its memory of one input as another input', function()
    local run = torch.graph.parse('graph(a: float64[2], b: float64[2]) { return add(a, mul(b, 10)) }'):prepare()
    run.inputs[1]:copy(torch.Tensor { 1, 2 })
    run.inputs[2]:copy(torch.Tensor { 3, 4 })
    local a, b = unpack(run.inputs)
    assert.has_error(function() run(b, a) end, 'prepare: a: memory from which runs read b, expected other memory')
    assert.has_error(function() run(a:view(2, 1):expand(2, 2):select(2, 1):narrow(1, 1, 1):expand(2), b) end,
      'prepare: a: memory from which runs read a, expected other memory')
    assert.same({ 31, 42 }, run(a, b):totable())
    assert.same({ 33, 44 }, run(b, b):totable())
  end)

  it('says what was expected', function()
    local run = nn.Linear(3, 2):prepare(1, 3)
    assert.has_error(function() run(torch.randn(2, 3)) end,
      'prepare: x1: torch.DoubleTensor [2, 3], expected torch.DoubleTensor [1, 3], for which the run was prepared')
    assert.has_error(function() run(torch.randn(1, 3):float()) end,
      'prepare: x1: torch.FloatTensor [1, 3], expected torch.DoubleTensor [1, 3], for which the run was prepared')
    assert.error_matches(function() run(1) end, 'prepare: run: number, expected tensors')
    assert.error_matches(function() nn.Linear(3, 2):prepare 'x' end, "prepare: sizes: 'x', expected sizes or tensors")
    assert.error_matches(function() nn.Linear(3, 2):prepare(1, 4) end, 'linear')
    local both = nn.CAddTable():prepare { { 2 }, { 2 } }
    assert.error_matches(function() both { torch.ones(2) } end, 'prepare: input: nil, expected a tensor')
    assert.error_matches(function() both(torch.ones(2)) end, 'expected a table of 2 inputs')
    local noise = nn.Module()
    noise.updateOutput = function(_, x) return x + torch.randn(x:size(1)) end
    assert.error_matches(function() noise:prepare(3) end, 'it draws random numbers, expected a step that can be repeated')
    assert.error_matches(function() torch.graph.capture(function() return run(torch.randn(1, 3)) end, {}) end, 'inside a capture')
    assert.error_matches(function() torch.serialize(run) end, 'can not be saved')
  end)

  it('runs in threads, which share the parameters', function()
    local threads = require 'threads'
    threads.Threads.serialization 'threads.sharedserialize'
    local net = nn.Sequential():add(nn.Linear(20, 30)):add(nn.Tanh()):add(nn.Linear(30, 4))
    local x = torch.randn(1, 20)
    local expected = net:forward(x):clone()
    local pool, results = threads.Threads(2, function() require 'nn' end), {}
    for i = 1, 4 do
      pool:addjob(function()
        local run = net:prepare(1, 20)
        for _ = 1, 20 do run(x) end
        return run(x):clone()
      end, function(y) results[i] = y end)
    end
    pool:synchronize()
    pool:terminate()
    for i = 1, 4 do assert.is_true(same(results[i], expected)) end
  end)
end)

describe('graph:prepare', function()
  it('prepares captured and parsed graphs', function()
    local g = torch.graph.capture(function(t) return { sum = t.a + t.b, product = torch.cmul(t.a, t.b) } end,
      { a = torch.ones(2), b = torch.ones(2) })
    local run = g:prepare()
    local result = run(torch.Tensor { 1, 2 }, torch.Tensor { 3, 4 })
    assert.same({ 4, 6 }, result.sum:totable())
    assert.same({ 3, 8 }, result.product:totable())
    local parsed = torch.graph.parse 'graph(x: tensor) { return exp(x) }'
    assert.error_matches(function() parsed:prepare() end, 'prepare: x: an input without a type, expected a tensor for it')
    assert.is_true(same(parsed:prepare(torch.ones(3))(torch.zeros(3)), torch.ones(3)))
    assert.is_true(same(parsed:prepare({ x = torch.ones(2, 2) })(torch.zeros(2, 2)), torch.ones(2, 2)))
  end)

  it('prepares a training step, which writes to the parameters', function()
    local function make()
      torch.manualSeed(3)
      local net, criterion = nn.Linear(3, 2), nn.MSECriterion()
      local parameters, gradients = net:getParameters()
      return net, torch.graph.capture(function(x, y)
        gradients:zero()
        local loss = criterion:forward(net:forward(x), y)
        net:backward(x, criterion:backward(net.output, y))
        parameters:add(-0.1, gradients)
        return loss
      end, { torch.ones(4, 3), torch.ones(4, 2) })
    end
    local net, step = make()
    local other, eager = make()
    local before = net.weight:clone()
    local run = step:prepare()
    assert.is_true(same(net.weight, before))
    for _ = 1, 5 do
      local x, y = torch.randn(4, 3), torch.randn(4, 2)
      assert.is_true(same(run(x, y), eager:run(x, y)))
    end
    assert.is_true(same(net.weight, other.weight))
  end)

  it('refuses a graph that writes to an input', function()
    local g = torch.graph.capture(function(x) return x:add(1) end, { torch.ones(2) })
    assert.error_matches(function() g:prepare() end, 'prepare: x1: an input that the graph writes, expected writes to constants alone')
  end)
end)

describe('a prepared run', function()
  it('names the line that gave it other inputs', function()
    local prepared = torch.graph.capture(function(x) return torch.exp(x) end, { torch.ones(2, 3) }):prepare()
    for _, f in ipairs { function() prepared(torch.ones(3)) end, function() prepared:run(torch.ones(2, 3):float()) end } do
      local _, message = pcall(f)
      assert.matches('^[^ ]*prepared_spec.lua:%d+: prepare: x1: torch.*, expected torch.DoubleTensor %[2, 3%]', message)
    end
  end)
end)

describe('a graph that was captured under another default type', function()
  local former = torch.getdefaulttensortype()
  after_each(function() torch.setdefaulttensortype(former) end)

  it('has the types and the bits of the capture when it runs, and when it is prepared', function()
    torch.setdefaulttensortype 'torch.FloatTensor'
    local x = torch.randn(7)
    local function f(a)
      local out = torch.IntTensor(7)
      torch.linspace(out, 1, 4, 7)
      return torch.add(a, torch.linspace(0, 1, 7)), torch.where(torch.gt(a, 0), 0.1, 0.2), torch.range(0.1, 0.7, 0.1), torch.zeros(2), out
    end
    local expected, g = { f(x) }, torch.graph.capture(f, { x })
    torch.setdefaulttensortype(former)
    for _, results in ipairs { { g:run(x) }, { g:prepare(x)(x) }, { torch.graph.parse(tostring(g)):run(x) } } do
      assert.equal(5, #results)
      for i = 1, 5 do
        assert.equal(expected[i]:type(), results[i]:type())
        assert.is_true(torch.equal(expected[i], results[i]))
      end
    end
  end)
end)
