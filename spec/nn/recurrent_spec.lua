-- Recurrent layers, cells and packed sequences: forms of calls, errors, and copies. PyTorch's results are in spec/nn/pytorch.
local torch, nn = require 'torch', require 'nn'
local autograd = require 'autograd'
local close = require 'spec.support.close'
local assertClose = close.assertClose
local rnn = nn.utils.rnn

local function refuses(message, f, ...)
  local arguments, count = { ... }, select('#', ...)
  assert.error_matches(function() f(unpack(arguments, 1, count)) end, message)
end

describe('A recurrent layer', function()
  it('returns the states in a table if they are given so', function()
    local net, x, h, c = nn.LSTM(3, 2), torch.randn(4, 2, 3), torch.randn(1, 2, 2), torch.randn(1, 2, 2)
    local flat = net:forward { x, h, c }
    flat = { flat[1]:clone(), flat[2]:clone(), flat[3]:clone() }
    local y, states = unpack(net:forward { x, { h, c } })
    assertClose(flat[1], y, 0)
    assertClose(flat[2], states[1], 0)
    assertClose(flat[3], states[2], 0)
    local g = net:backward({ x, { h, c } }, { y:clone(), { h, c } })
    assert.same({ 4, 2, 3 }, g[1]:size():totable())
    assert.same({ 1, 2, 2 }, g[2][2]:size():totable())
  end)

  it('returns states without a batch for a single sequence, unless the given ones have one', function()
    local net, x = nn.GRU(3, 2, { numLayers = 2 }), torch.randn(4, 3)
    assert.same({ 2, 2 }, net:forward { x }[2]:size():totable())
    assert.same({ 2, 2 }, net:forward { x, torch.zeros(2, 2) }[2]:size():totable())
    assert.same({ 2, 1, 2 }, net:forward { x, torch.zeros(2, 1, 2) }[2]:size():totable())
    refuses('nn.GRU: state 1: %[1, 2%], expected %[2, 2%]', net.forward, net, { x, torch.zeros(1, 2) })
  end)

  it('has a common parent, and lists its parameters', function()
    local net = nn.LSTM(3, 4, 2, { bidirectional = true, projSize = 2 })
    assert.is_true(torch.isTypeOf(net, 'nn.RNNBase') and torch.isTypeOf(nn.GRUCell(1, 1), 'nn.RNNCellBase'))
    assert.equal(4, #net:allWeights())
    assert.equal(net.weightProjection2Reverse, net:allWeights()[4][5])
    assert.equal(net, net:flattenParameters())
    assert.same({ 4, 2, true, 2 }, { net.hiddenSize, net.numLayers, net.bidirectional, net.projSize })
    assert.equal('nn.LSTM(3 -> 4, 2 layers, both directions, projected to 2)', tostring(net))
    assertClose(net:forward(torch.ones(2, 1, 3)):clone(), net:clone():forward(torch.ones(2, 1, 3)), 0)
  end)

  it('reads what was saved before it had modes and projections', function()
    local net, x = nn.LSTM(3, 2), torch.randn(4, 2, 3)
    local expected = net:forward { x }
    local y, h = expected[1]:clone(), expected[2]:clone()
    for _, name in ipairs { 'mode', 'projSize', 'hiddenSize', 'numLayers', 'bidirectional' } do net[name] = nil end
    local result = net:clone():forward { x }
    assertClose(y, result[1], 0)
    assertClose(h, result[2], 0)
    assert.equal('nn.LSTM(3 -> 2)', tostring(net))
  end)

  it('drops nothing before its first layer', function()
    local net, x = nn.LSTM(3, 2, 1, { dropout = 0.9 }), torch.randn(4, 2, 3)
    local y = net:forward(x):clone()
    net:evaluate()
    assertClose(y, net:forward(x), 0)
  end)

  it('with a projection has second derivatives', function()
    local net, x = nn.LSTM(2, 3, { projSize = 2 }):double(), torch.randn(3, 2, 2):double()
    assert(autograd.gradcheck(function(z) return net(z) end, { x }))
  end)

  it('names what it does not accept', function()
    refuses('nn.LSTM: projSize: 4, expected a whole number from 0 to 3', nn.LSTM, 3, 4, { projSize = 4 })
    refuses("nn.RNNBase: mode: 'GRUU', expected one of", nn.RNNBase, 'GRUU', 3, 4)
    refuses('nn.RNNBase: projSize: 1, expected', nn.RNNBase, 'GRU', 3, 4, 1, true, false, 0, false, 1)
    refuses("nn.RNN: nonlinearity: 'gelu', expected one of 'tanh', 'relu'", nn.RNN, 3, 4, 1, 'gelu')
    refuses('nn.LSTM: dropout: 2, expected a number from 0 to 1', nn.LSTM, 3, 4, { dropout = 2 })
    local packed = rnn.packSequence { torch.randn(3, 2), torch.randn(1, 2) }
    refuses('nn.LSTM: input: a packed sequence of rows of 2, expected 3', nn.LSTM(3, 4).forward, nn.LSTM(3, 4), packed)
    local cell = nn.LSTMCell(3, 2)
    refuses('nn.LSTMCell: state 2: %[2, 3%], expected %[2, 2%]', cell.forward, cell,
      { torch.randn(2, 3), torch.zeros(2, 2), torch.zeros(2, 3) })
    refuses('nn.LSTMCell: input: %[2, 4%], expected %(N, 3%)', cell.forward, cell, torch.randn(2, 4))
  end)
end)

describe('A packed sequence', function()
  local xs = { torch.randn(2, 3), torch.randn(4, 3), torch.randn(1, 3) }

  it('has the rows of each step, from the longest sequence on', function()
    local packed = rnn.packSequence(xs, false)
    assert.same({ { 3, 2, 1, 1 }, { 2, 1, 3 }, { 2, 1, 3 } },
      { packed.batchSizes:totable(), packed.sortedIndices:totable(), packed.unsortedIndices:totable() })
    assertClose(torch.cat({ xs[2][{ { 1 } }], xs[1][{ { 1 } }], xs[3], xs[2][{ { 2 } }], xs[1][{ { 2 } }], xs[2][{ { 3, 4 } }] }, 1),
      packed.data, 0)
    local same = rnn.PackedSequence(packed.data, packed.batchSizes, packed.sortedIndices)
    for i, x in ipairs(rnn.unpackSequence(same)) do assertClose(xs[i], x, 0) end
  end)

  it("passes through Torch7's forward and backward", function()
    local net, packed = nn.GRU(3, 2), rnn.packSequence(xs, false)
    local y, h = unpack(net:forward(packed))
    for i, x in ipairs(rnn.unpackSequence(y)) do
      local alone = nn.Module.forward(net:clone(), xs[i])
      assertClose(alone, x, 1e-12)
      assertClose(alone[-1], h[1][i], 1e-12)
    end
    local g = net:backward(packed, { { data = torch.ones(7, 2) }, torch.zeros(1, 3, 2) })
    net:zeroGradParameters()
    local single = net:clone()
    single:forward(xs[2])
    assertClose(single:backward(xs[2], torch.ones(4, 2)), rnn.unpackSequence(rnn.PackedSequence(g.data, packed.batchSizes,
      packed.sortedIndices))[2], 1e-12)
  end)

  it('names what cannot be packed', function()
    local x = torch.randn(4, 3, 2)
    refuses('nn.utils.rnn.packPaddedSequence: lengths%[2%]: 3, expected at most 2, the one before, or enforceSorted = false',
      rnn.packPaddedSequence, x, { 2, 3, 1 })
    refuses('nn.utils.rnn.packPaddedSequence: lengths%[1%]: 5, expected an integer from 1 to 4', rnn.packPaddedSequence, x, { 5, 3, 1 })
    refuses('nn.utils.rnn.packPaddedSequence: lengths%[3%]: 0, expected', rnn.packPaddedSequence, x, { 2, 1, 0 })
    refuses('nn.utils.rnn.packPaddedSequence: lengths: 2 numbers, expected 3', rnn.packPaddedSequence, x, { 2, 1 })
    refuses('nn.utils.rnn.packPaddedSequence: lengths: .*, expected a tensor or a list', rnn.packPaddedSequence, x, 'abc')
    refuses('nn.utils.rnn.packPaddedSequence: input: %[4%], expected %(T, N, …%)', rnn.packPaddedSequence, torch.ones(4), { 1 })
    refuses('nn.utils.rnn.padPackedSequence: totalLength: 3, expected at least 4', rnn.padPackedSequence, rnn.packSequence(xs, false),
      false, 0, 3)
    refuses('nn.utils.rnn.padPackedSequence: sequence: .*, expected a packed sequence', rnn.padPackedSequence, x)
    refuses('nn.utils.rnn.padSequence: sequences%[2%]: %[2, 4%], expected the sizes of the first', rnn.padSequence,
      { torch.ones(3, 3), torch.ones(2, 4) })
    refuses('nn.utils.rnn.padSequence: sequences: .*, expected a list of tensors', rnn.padSequence, {})
    refuses("nn.utils.rnn.padSequence: paddingSide: 'top', expected one of", rnn.padSequence, xs, false, 0, 'top')
    refuses('nn.utils.rnn.PackedSequence: data: %[3, 2%], expected the 4 rows of batchSizes', rnn.PackedSequence, torch.ones(3, 2),
      torch.LongTensor { 3, 1 })
    refuses('nn.utils.rnn.PackedSequence: batchSizes%[2%]: 3, expected', rnn.PackedSequence, torch.ones(4, 2), torch.LongTensor { 1, 3 })
  end)

  it('is padded with zeros', function()
    local y, lengths = rnn.padPackedSequence(rnn.packSequence({ torch.ones(1), torch.ones(2) }, { enforceSorted = false }))
    assert.same({ { 1, 1 }, { 0, 1 } }, y:totable())
    assert.same({ 1, 2 }, lengths:totable())
  end)

  it('may have a sequence without steps padded, but not packed', function()
    local y = rnn.padSequence { torch.ones(2), torch.Tensor(0) }
    assertClose(torch.Tensor { { 1, 0 }, { 1, 0 } }, y, 0)
  end)

  it('pads and packs positions of words', function()
    local words = { torch.LongTensor { 7, 8, 9 }, torch.LongTensor { 4 } }
    local padded = torch.LongTensor { { 7, 4 }, { 8, 0 }, { 9, 0 } }
    assert.is_true(torch.equal(padded, rnn.padSequence(words)))
    assert.is_true(torch.equal(padded, (rnn.padPackedSequence(rnn.packSequence(words)))))
  end)
end)
