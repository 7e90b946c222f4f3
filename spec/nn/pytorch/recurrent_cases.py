"""Recurrent layers, cells and packed sequences: see figures.py."""
from figures import case, module

X, H, C = (5, 3, 4), (1, 3, 2), (1, 3, 2)
PACK = "nn.utils.rnn.pack_padded_sequence"

CASES = [
    # plain calls, and those with states
    case("m(x1)", "m(x1)[0]", X, module=("nn.LSTM(4, 2)", "nn.LSTM(4, 2)")),
    case("m { x1, x2, x3 }", "m(x1, (x2, x3))", X, H, C, module=("nn.LSTM(4, 2)", "nn.LSTM(4, 2)")),
    case("m { x1 }", "m(x1)", X, module=("nn.LSTM(4, 2, 2, false)", "nn.LSTM(4, 2, 2, False)")),
    case("m { x1, { x2, x3 } }", "m(x1, (x2, x3))", (3, 5, 4), (4, 3, 2), (4, 3, 2),
         module=("nn.LSTM(4, 2, { numLayers = 2, batchFirst = true, bidirectional = true })",
                 "nn.LSTM(4, 2, num_layers=2, batch_first=True, bidirectional=True)")),
    case("m { x1, x2, x3 }", "m(x1, (x2, x3))", (5, 4), (2, 2), (2, 2), module=("nn.LSTM(4, 2, 2)", "nn.LSTM(4, 2, 2)")),
    case("m { x1 }", "m(x1)", (5, 4), module=("nn.LSTM(4, 2, { bidirectional = true })", "nn.LSTM(4, 2, bidirectional=True)")),
    # projections
    case("m { x1, x2, x3 }", "m(x1, (x2, x3))", X, (1, 3, 2), (1, 3, 5), module=("nn.LSTM(4, 5, { projSize = 2 })", "nn.LSTM(4, 5, proj_size=2)")),
    case("m { x1 }", "m(x1)", X,
         module=("nn.LSTM(4, 5, 2, true, false, 0, true, 3)", "nn.LSTM(4, 5, 2, True, False, 0.0, True, 3)")),
    case("m(x1)", "m(x1)[0]", (5, 4), module=("nn.LSTM(4, 3, { projSize = 1, bias = false })", "nn.LSTM(4, 3, proj_size=1, bias=False)")),
    # GRU and RNN
    case("m(x1)", "m(x1)[0]", X, module=("nn.GRU(4, 2)", "nn.GRU(4, 2)")),
    case("m { x1, x2 }", "m(x1, x2)", X, (4, 3, 2),
         module=("nn.GRU(4, 2, 2, { bidirectional = true })", "nn.GRU(4, 2, 2, bidirectional=True)")),
    case("m { x1, x2 }", "m(x1, x2)", (5, 4), (1, 2), module=("nn.GRU(4, 2, { bias = false })", "nn.GRU(4, 2, bias=False)")),
    case("m(x1)", "m(x1)[0]", X, module=("nn.RNN(4, 2)", "nn.RNN(4, 2)")),
    case("m { x1, x2 }", "m(x1, x2)", (3, 5, 4), (2, 3, 2),
         module=("nn.RNN(4, 2, 2, 'relu', true, true)", "nn.RNN(4, 2, 2, 'relu', True, True)")),
    case("m { x1 }", "m(x1)", (5, 4), module=("nn.RNN(4, 2, { bidirectional = true, bias = false })", "nn.RNN(4, 2, bidirectional=True, bias=False)")),
    case("m { x1 }", "m(x1)", X, module=("nn.RNNBase('GRU', 4, 2, 2)", "nn.GRU(4, 2, 2)")),
    case("m { x1 }", "m(x1)", X, module=("nn.LSTM(4, 2, 3, { dropout = 0.5 })", "nn.LSTM(4, 2, 3, dropout=0.5)"), evaluate=True),
    # cells
    case("m { x1, x2, x3 }", "m(x1, (x2, x3))", (3, 4), (3, 2), (3, 2), module=("nn.LSTMCell(4, 2)", "nn.LSTMCell(4, 2)")),
    case("m { x1, { x2, x3 } }", "m(x1, (x2, x3))", (4,), (2,), (2,), module=("nn.LSTMCell(4, 2, false)", "nn.LSTMCell(4, 2, False)")),
    module("nn.GRUCell(4, 2)", "nn.GRUCell(4, 2)", (3, 4), (3, 2)),
    module("nn.GRUCell(4, 2, { bias = false })", "nn.GRUCell(4, 2, bias=False)", (4,)),
    module("nn.RNNCell(4, 2)", "nn.RNNCell(4, 2)", (3, 4)),
    module("nn.RNNCell(4, 2, true, 'relu')", "nn.RNNCell(4, 2, True, 'relu')", (4,), (2,)),
    # packed sequences
    case("nn.utils.rnn.packPaddedSequence(x1, { 5, 3, 1 }).data", PACK + "(x1, [5, 3, 1]).data", X),
    case("{ p(x1).data, p(x1).batchSizes, p(x1).sortedIndices, p(x1).unsortedIndices }"
         .replace("p(x1)", "nn.utils.rnn.packPaddedSequence(x1, torch.LongTensor { 2, 5, 3 }, true, false)"),
         PACK + "(x1, torch.tensor([2, 5, 3]), True, False)", (3, 5, 2), indices=(3, 4)),
    case("{ nn.utils.rnn.padPackedSequence(nn.utils.rnn.packPaddedSequence(x1, { 2, 4, 3 }, { enforceSorted = false }), true, -1, 6) }",
         "nn.utils.rnn.pad_packed_sequence(%s(x1, [2, 4, 3], enforce_sorted=False), True, -1.0, 6)" % PACK, X),
    case("nn.utils.rnn.padSequence { x1, x2, x3 }", "nn.utils.rnn.pad_sequence([x1, x2, x3])", (2, 3), (4, 3), (1, 3)),
    case("nn.utils.rnn.padSequence({ x1, x2 }, true, 2, 'left')", "nn.utils.rnn.pad_sequence([x1, x2], True, 2.0, 'left')", (2,), (3,)),
    case("nn.utils.rnn.packSequence({ x1, x2, x3 }, false).data", "nn.utils.rnn.pack_sequence([x1, x2, x3], False).data", (2, 3), (4, 3), (1, 3)),
    case("nn.utils.rnn.unpackSequence(nn.utils.rnn.packSequence({ x1, x2, x3 }, false))",
         "nn.utils.rnn.unpack_sequence(nn.utils.rnn.pack_sequence([x1, x2, x3], False))", (2, 3), (4, 3), (1, 3)),
    case("nn.utils.rnn.unpadSequence(x1, { 1, 5, 2 })", "nn.utils.rnn.unpad_sequence(x1 * 1, torch.tensor([1, 5, 2]))", X),
    case("(function(y) return { y[1].data, y[2], y[3] } end)(m { nn.utils.rnn.packPaddedSequence(x1, { 2, 5, 3 }, false, false), x2, x3 })",
         "(lambda y: [y[0].data, y[1]])(m(%s(x1, [2, 5, 3], False, False), (x2, x3)))" % PACK, X, (4, 3, 2), (4, 3, 2),
         module=("nn.LSTM(4, 2, 2, { bidirectional = true })", "nn.LSTM(4, 2, 2, bidirectional=True)")),
    case("(function(y) return { y[1].data, y[2] } end)(m(nn.utils.rnn.packPaddedSequence(x1, { 5, 5, 1 })))",
         "(lambda y: [y[0].data, y[1]])(m(%s(x1, [5, 5, 1])))" % PACK, X, module=("nn.GRU(4, 2)", "nn.GRU(4, 2)")),
    case("(function(y) return { y[1].data, y[2], y[3] } end)(m { nn.utils.rnn.packPaddedSequence(x1, { 4, 2, 5 }, { enforceSorted = false }) })",
         "(lambda y: [y[0].data, y[1]])(m(%s(x1, [4, 2, 5], enforce_sorted=False)))" % PACK, X,
         module=("nn.LSTM(4, 5, { projSize = 2, bidirectional = true })", "nn.LSTM(4, 5, proj_size=2, bidirectional=True)")),
]
