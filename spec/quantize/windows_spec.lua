-- Convolutions in 3 dimensions and transposed ones, bags of rows and cells of integers, against the same networks of floats.
local torch, nn = require 'torch', require 'nn'
local quantize = require 'quantize'

local function difference(wanted, got) return torch.csub(wanted, got):norm() / wanted:norm() end

local function opsOf(network)
  local counts = {}
  for _, op in ipairs(network.graph:info().ops) do counts[op] = (counts[op] or 0) + 1 end
  return counts
end

local modes = { {}, { symmetric = true }, { symmetricWeights = false }, { perChannel = false }, { mode = 'dynamic' } }

-- Calls f(network of integers, its ops, the mode) for each mode, after a comparison with the network of floats. The number of examples is
-- any, and an example alone has the same bits.
local function inAllModes(net, x, bound, f)
  net:float():evaluate()
  local wanted = net:forward(x):clone()
  for i, options in ipairs(modes) do
    options.input = x
    local prepared = quantize.prepare(net, options)
    if options.mode ~= 'dynamic' then quantize.calibrate(prepared, x) end
    local small = quantize.convert(prepared)
    local got = small:forward(x):clone()
    assert.is_true(got:isSameSizeAs(wanted))
    assert.is_true(difference(wanted, got) < bound, ('mode %d: %g'):format(i, difference(wanted, got)))
    assert.is_true(torch.equal(got[2], small:forward(x:narrow(1, 2, 1))[1]))
    f(opsOf(small), options.mode)
  end
end

describe('quantize', function()
  it('has convolutions in three dimensions, with a normalisation behind them', function()
    local net = nn.Sequential(nn.Conv3d(2, 4, { 3, 2, 3 }, { padding = 1 }), nn.BatchNorm3d(4), nn.ReLU(),
      nn.Conv3d(4, 6, 3, { stride = { 2, 1, 2 }, padding = { 2, 0, 1 }, groups = 2 }), nn.Tanh(),
      nn.Conv3d(6, 4, 2, { dilation = { 2, 1, 1 }, bias = false })):float()
    net:training()
    for _ = 1, 5 do net:forward(torch.randn(6, 2, 5, 6, 7):float()) end
    inAllModes(net, torch.randn(3, 2, 6, 7, 8):float(), 0.03, function(ops, mode)
      assert.equal(3, ops.int8Conv2d)
      assert.is_nil(ops.conv3d)
      if mode == 'dynamic' then return end
      assert.is_nil(ops.batchNorm)
      assert.same({ 1, 1 }, { ops.quantize, ops.int8Map })
    end)
  end)

  it('has transposed convolutions of any stride, padding and adjustment', function()
    for kernel = 1, 5 do
      for stride = 1, 3 do
        local padding, adj = (kernel + stride) % kernel % 3, (kernel * stride) % stride
        local options = { stride = { stride, 2 }, padding = { padding, 0 }, outputPadding = { adj, 1 }, groups = kernel % 2 + 1 }
        local net = nn.Sequential(nn.ConvTranspose2d(4, 6, { kernel, 3 }, options), nn.ReLU(),
          nn.ConvTranspose2d(6, 3, 2, { bias = false }))
        inAllModes(net, torch.randn(2, 4, 5, 4):float(), 0.04, function(ops)
          assert.equal(2, ops.int8Conv2d)
          assert.is_nil(ops.convTranspose2d)
        end)
      end
    end
    local signals = nn.Sequential(nn.ConvTranspose1d(2, 4, 5, { stride = 2, padding = 1, outputPadding = 1 }), nn.Tanh(),
      nn.ConvTranspose1d(4, 3, 2, { stride = 3, groups = 1 }))
    inAllModes(signals, torch.randn(2, 2, 6):float(), 0.04, function(ops)
      assert.equal(2, ops.int8Conv2d)
      assert.is_nil(ops.convTranspose1d)
    end)
  end)

  it('keeps what has no such form in floats, with a normalisation of floats behind transposed convolutions', function()
    local net = nn.Sequential(nn.ConvTranspose2d(2, 4, 3, { dilation = 2 }), nn.ConvTranspose2d(4, 4, 3, { stride = 2 }), nn.BatchNorm2d(4))
      :float()
    net:training()
    for _ = 1, 5 do net:forward(torch.randn(6, 2, 5, 6):float()) end
    inAllModes(net, torch.randn(2, 2, 5, 6):float(), 0.03, function(ops)
      assert.same({ 1, 1, 1 }, { ops.convTranspose2d, ops.int8Conv2d, ops.batchNorm })
    end)
  end)

  it('learns with rounded filters of all these', function()
    local net = nn.Sequential(nn.ConvTranspose2d(2, 4, 3, { stride = 2 }), nn.ReLU(), nn.Unsqueeze(3), nn.Conv3d(4, 3, { 1, 3, 3 })):float()
    net:requiresGrad()
    local x = torch.randn(2, 2, 4, 4):float()
    local prepared = quantize.prepare(net, { mode = 'training', input = x })
    local y = prepared(x)
    torch.sum(torch.pow(y, 2)):backward()
    for _, parameter in ipairs((net:parameters())) do assert.is_true(parameter.grad:norm() > 0) end
    prepared:evaluate()
    assert.is_true(difference(prepared(x):detach(), quantize.convert(prepared):forward(x)) < 0.02)
  end)

  it('keeps their weights in 16 bits', function()
    local net = nn.Sequential(nn.ConvTranspose2d(2, 4, 3, { stride = 2 }), nn.ReLU(), nn.Unsqueeze(3), nn.Conv3d(4, 3, { 1, 3, 3 })):float()
    local x = torch.randn(2, 2, 4, 4):float()
    net:evaluate()
    local small = quantize.convert(quantize.prepare(net, { weights = 'half', input = x }))
    local off = difference(net:forward(x), small:forward(x))
    assert.is_true(off > 2 ^ -18 and off < 2 ^ -11)
    local halves = 0
    for _, constant in pairs(small:constants()) do
      if constant:type() == 'torch.HalfTensor' then halves = halves + constant:nElement() end
    end
    assert.equal(2 * 4 * 9 + 4 * 3 * 9, halves)
  end)

  it('has bags of rows of integers', function()
    local ids = torch.LongTensor(4, 6):random(1, 20)
    ids[1]:fill(3)      -- a bag of padding alone
    for _, mode in ipairs { 'sum', 'mean', 'max' } do
      for _, padding in ipairs { false, 3 } do
        local net = nn.Sequential(nn.EmbeddingBag(20, 16, { mode = mode, paddingIdx = padding or nil }), nn.Linear(16, 5))
        inAllModes(net, ids, 0.03, function(ops)
          assert.same({ 1, 1, 1 }, { ops[mode == 'max' and 'bagMax' or 'bagSum'], ops.int8Linear, ops.dequantize })
        end)
      end
    end
    local net = nn.EmbeddingBag(20, 64):float()
    local small = quantize.convert(quantize.calibrate(quantize.prepare(net, { input = ids }), ids))
    assert.is_true(small:bytes() < 0.3 * 4 * 20 * 64)
  end)

  it('has bags with offsets and factors', function()
    local weight, ids = torch.randn(30, 8):float(), torch.LongTensor(12):random(1, 30)
    local offsets, factors = torch.LongTensor { 1, 4, 4, 9 }, torch.rand(12):float()
    local graph = torch.graph.capture(function(index, starts, f) return torch.bagSum(weight, index, false, 2, starts, f) end,
      { ids, offsets, factors })
    local small = quantize.convert(quantize.prepare(graph, { mode = 'dynamic', input = { ids, offsets, factors } }))
    assert.is_true(difference(graph:run(ids, offsets, factors), small:run(ids, offsets, factors)) < 0.02)
    for i = 1, 30 do
      local one = torch.LongTensor(12):fill(i)
      local got, scale = small:run(one, offsets, factors), factors:sum()
      -- Each element is off by half a step of its row at most; row 2 is padding.
      local wanted = torch.mul(weight[i], i == 2 and 0 or scale)
      assert.is_true(torch.csub(got:sum(1):view(-1), wanted):abs():max() <= scale * torch.abs(weight[i]):max() / 127 * 0.51)
    end
  end)

  it('gives rows and products of one weight their own integers', function()
    local weight, ids = torch.randn(20, 8):float(), torch.LongTensor(3):random(1, 20)
    for _, isFirst in ipairs { true, false } do
      local graph = torch.graph.capture(function(index, x)
        local rows = isFirst and torch.index(weight, 1, index) or nil
        local y = torch.linear(x, weight)
        return torch.linear(rows or torch.index(weight, 1, index), weight), y
      end, { ids, torch.randn(3, 8):float() })
      local x = torch.randn(3, 8):float()
      local wanted, wantedY = graph:run(ids, x)
      for _, mode in ipairs { 'static', 'dynamic' } do
        local prepared = quantize.prepare(graph, { mode = mode, input = { ids, x } })
        if mode == 'static' then quantize.calibrate(prepared, { { ids, x } }) end
        local got, gotY = quantize.convert(prepared):run(ids, x)
        assert.is_true(difference(wanted, got) < 0.03 and difference(wantedY, gotY) < 0.03)
      end
    end
  end)

  it('runs cells step by step with integers', function()
    for _, name in ipairs { 'LSTMCell', 'GRUCell', 'RNNCell' } do
      local cell = nn[name](12, 16):float()
      local x = torch.randn(4, 3, 12):float()
      local graph = torch.noGrad(function()
        return (torch.graph.capture(function(sequence)
          local state
          for t = 1, 4 do
            local step = torch.select(sequence, 1, t)
            state = cell:forward(state and { step, unpack(torch.isTensor(state) and { state } or state) } or step)
          end
          return torch.isTensor(state) and state or state[1]
        end, { x }))
      end)
      local bytes
      for _, mode in ipairs { 'static', 'dynamic' } do
        local prepared = quantize.prepare(graph, { mode = mode, input = x })
        if mode == 'static' then quantize.calibrate(prepared, x) end
        local small = quantize.convert(prepared)
        local ops = {}
        for _, op in ipairs(small:info().ops) do ops[op] = (ops[op] or 0) + 1 end
        assert.equal(8, ops.int8Linear)
        assert.is_nil(ops.linear)
        assert.is_true(difference(graph:run(x), small:run(x)) < 0.04)
        bytes = 0
        for _, constant in ipairs(small:info().constants) do
          local tensor = small:constant(constant)
          if tensor:type() == 'torch.CharTensor' then bytes = bytes + tensor:nElement() end
        end
        -- Steps share the two weights: panels of 16 rows with their sums.
        local gates = ({ LSTMCell = 4, GRUCell = 3, RNNCell = 1 })[name] * 16
        assert.equal(gates * (12 + 4) + gates * (16 + 4), bytes)
      end
    end
  end)
end)
