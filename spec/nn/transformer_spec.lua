-- Attention with caches and masks, rotary embeddings and transformers: identities, messages, copies. PyTorch's results are in
-- spec/nn/pytorch.
local torch, nn = require 'torch', require 'nn'
local autograd = require 'autograd'
local assertClose = require('spec.support.close').assertClose
local F = nn.functional

local function refuses(message, f, ...)
  local arguments, count = { ... }, select('#', ...)
  assert.error_matches(function() f(unpack(arguments, 1, count)) end, message)
end

describe('nn.KeyValueCache', function()
  local function inParts(net, x, sizes, call)
    local cache, parts, first = nn.KeyValueCache(), {}, 1
    torch.noGrad(function()
      for i, size in ipairs(sizes) do
        parts[i] = call(net, x:narrow(2, first, size), cache):clone()
        first = first + size
      end
    end)
    return torch.cat(parts, 2), cache
  end

  it('gives step by step what a causal pass over the whole sequence gives', function()
    local x = torch.randn(2, 7, 6)
    for _, options in ipairs { {}, { addBiasKv = true, addZeroAttn = true }, { bias = false } } do
      local net = nn.MultiheadAttention(6, 2, options):double()
      local whole = net:forward { x, isCausal = true }:clone()
      for _, sizes in ipairs { { 1, 1, 1, 1, 1, 1, 1 }, { 3, 1, 2, 1 }, { 7 } } do
        local y, cache = inParts(net, x, sizes, function(m, part, c) return m { part, isCausal = true, cache = c } end)
        assertClose(whole, y, 1e-12)
        assert.equal(7, cache.length)
      end
    end
  end)

  it('serves the layers of an encoder and a decoder', function()
    local x, memory = torch.randn(2, 5, 6), torch.randn(2, 3, 6)
    local layer = nn.TransformerEncoderLayer(6, 2, 8, 0, 'gelu', { batchFirst = true, normFirst = true }):double()
    local encoder = nn.TransformerEncoder(layer, 3)
    assertClose(encoder(x, { isCausal = true }),
      (inParts(encoder, x, { 2, 1, 1, 1 }, function(m, part, c) return m(part, { isCausal = true, cache = c }) end)), 1e-12)
    local decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 8, 0, { batchFirst = true }):double(), 2)
    local y, cache = inParts(decoder, x, { 1, 3, 1 }, function(m, part, c) return m(part, memory, { tgtIsCausal = true, cache = c }) end)
    assertClose(decoder(x, memory, { tgtIsCausal = true }), y, 1e-12)
    assert.same({ 2, 5 }, { #cache.layers, cache.layers[2].length })
    cache:reset()
    assert.same({ 0, 0 }, { cache.length, cache:layer(2).length })
    assert.equal('nn.KeyValueCache(0 positions)', tostring(cache))
    refuses('nn.KeyValueCache: layer: index: 4, expected a whole number from 1 to 3', cache.layer, cache, 4)
  end)

  it('refuses another batch', function()
    local net, cache = nn.MultiheadAttention(6, 2), nn.KeyValueCache()
    net:forward { torch.randn(2, 1, 6), cache = cache }
    refuses('nn.KeyValueCache: append: keys: %[3, 2, 1, 3%], expected %[2, 2, 1, 3%] except in dimension 3', net.forward, net,
      { torch.randn(3, 1, 6), cache = cache })
    assert.equal(1, cache.length)
  end)
end)

describe('nn.MultiheadAttention', function()
  local x = torch.randn(2, 3, 4)

  it('computes the same with and without its weights', function()
    local net = nn.MultiheadAttention(4, 2):double()
    local mask = torch.ByteTensor { { 0, 0, 1 }, { 1, 1, 1 }, { 0, 1, 0 } }      -- the second query ignores all keys
    local y = net:forward { x, attnMask = mask }:clone()
    local result = net:forward { x, attnMask = mask, needWeights = true }
    assertClose(y, result[1], 1e-14)
    assertClose(torch.Tensor { { 1, 0, 1 }, { 1, 0, 1 } }, result[2]:sum(3):squeeze(3), 1e-14)
    assertClose(net.outBias, y[{ 1, 2 }], 1e-14)
    assertClose(y, net:forward { x, x, x, mask }, 1e-14)
    for _, sizes in ipairs { { 4, 3, 3 }, { 2, 3, 3 }, { 2, 1, 3, 3 } } do
      local view = #sizes == 3 and mask:view(1, 3, 3) or mask:view(1, 1, 3, 3)
      assertClose(y, net:forward { x, attnMask = view:expand(unpack(sizes)) }, 1e-14)
    end
    local causal = nn.MultiheadAttention(4, 2, { causal = true }):double()
    for i, p in ipairs((causal:parameters())) do p:copy(net:parameters()[i]) end
    assertClose(net:forward { x, isCausal = true }:clone(), causal:forward(x), 1e-14)
  end)

  it('draws the further key and value around 0, by the size', function()
    local net = nn.MultiheadAttention(1024, 2, { addBiasKv = true })
    for _, row in ipairs { net.keyRow, net.valueRow } do
      assert.is_true(math.abs(row:mean()) < 5e-3 and math.abs(row:std() * 32 - 1) < 0.1)
    end
  end)

  it('drops weights while training alone', function()
    local net = nn.MultiheadAttention(4, 2, 0.5)
    local p = net:forward { x, needWeights = true, averageAttnWeights = false }[2]
    assert.is_true(torch.eq(p, 0):sum() > 0)
    net:evaluate()
    assert.equal(0, torch.eq(net:forward { x, needWeights = true, averageAttnWeights = false }[2], 0):sum())
    nn.MultiheadAttention(4, 2, 1):forward(x)
  end)

  it('reads what was saved before it had further sizes', function()
    local net = nn.MultiheadAttention(4, 2)
    local y = net:forward(x):clone()
    for _, name in ipairs { 'kdim', 'vdim', 'batchFirst', 'addZeroAttn' } do net[name] = nil end
    assertClose(y, net:clone():forward(x), 0)
  end)

  it('has second derivatives with weights, masks and further keys', function()
    local net = nn.MultiheadAttention(2, 1, { addBiasKv = true }):double()
    local input = torch.randn(1, 2, 2)
    assert(autograd.gradcheck(function(z) return net { z, attnMask = torch.eye(2):byte(), needWeights = true }[1] end, { input }))
  end)

  it('names what it does not accept', function()
    local net = nn.MultiheadAttention(4, 2)
    refuses('nn.MultiheadAttention: attnMask: %[3, 2%], expected %(3, 3%), %(2, 3, 3%) or %(4, 3, 3%)', net.forward, net,
      { x, attnMask = torch.zeros(3, 2) })
    refuses('nn.MultiheadAttention: attnMask: %[4, 3%], expected', net.forward, net, { x, attnMask = torch.zeros(4, 3) })
    refuses('nn.MultiheadAttention: keyPaddingMask: %[3, 2%], expected %(2, 3%)', net.forward, net,
      { x, keyPaddingMask = torch.zeros(3, 2) })
    refuses('nn.MultiheadAttention: options: attMask, expected one of', net.forward, net, { x, attMask = torch.zeros(3, 3) })
    refuses('nn.MultiheadAttention: key: %[2, 3, 5%], expected %(N, T, 4%)', net.forward, net, { x, torch.randn(2, 3, 5), x })
    refuses('nn.functional.multiHeadAttentionForward: dropoutP: 2, expected', F.multiHeadAttentionForward, x, x, x, 4, 2,
      torch.randn(12, 4), nil, nil, nil, false, 2, torch.randn(4, 4))
    refuses('nn.functional.multiHeadAttentionForward: query: %[3, 2, 4%], expected %(L, N, 4%) with a multiple of the 3 heads',
      F.multiHeadAttentionForward, torch.randn(3, 2, 4), x, x, 4, 3, nil, nil, nil, nil, false, 0, torch.randn(4, 4))
  end)
end)

describe('nn.functional.rotaryEmbedding', function()
  it('makes products depend on distances alone, and keeps norms', function()
    for _, interleaved in ipairs { true, false } do
      local q, k = torch.randn(1, 8), torch.randn(1, 8)
      local function product(i, j)
        local a = F.rotaryEmbedding(q, i, { interleaved = interleaved })
        return torch.sum(torch.cmul(a, F.rotaryEmbedding(k, j, { interleaved = interleaved })))
      end
      assert.is_true(math.abs(product(3, 1) - product(12, 10)) < 1e-12 and math.abs(product(3, 1) - product(3, 2)) > 1e-3)
      assertClose(F.rotaryEmbedding(q, 3, 50, interleaved), nn.RotaryEmbedding(8, 50, interleaved):forward { q, 3 }, 0)
      assert.is_true(math.abs(F.rotaryEmbedding(q, 9, { interleaved = interleaved }):norm() - q:norm()) < 1e-12)
    end
  end)

  it('names what it does not accept', function()
    refuses('nn.functional.rotaryEmbedding: x: %[2, 3%], expected %(…, T, E%) with an even dim up to E', F.rotaryEmbedding,
      torch.ones(2, 3))
    refuses('nn.functional.rotaryEmbedding: x: %[2, 4%], expected', F.rotaryEmbedding, torch.ones(2, 4), 0, { dim = 6 })
    refuses('nn.functional.rotaryEmbedding: positions: %[3%], expected 2, one for each row', F.rotaryEmbedding, torch.ones(2, 4),
      torch.ones(3))
    assert.same({ 0, 4 }, F.rotaryEmbedding(torch.Tensor(0, 4)):size():totable())
  end)
end)

describe('A transformer', function()
  local function small() return nn.Transformer(4, 2, 1, 1, 6, 0) end

  it('converts, copies and saves', function()
    local net, src, tgt = small(), torch.randn(3, 2, 4), torch.randn(2, 2, 4)
    local y = net(src, tgt)
    assertClose(y, net:clone()(src, tgt), 0)
    assertClose(y:float(), net:clone():float()(src:float(), tgt:float()), 1e-5)
    local state = net:stateDict()
    local other = small()
    other:loadStateDict(state)
    assertClose(y, other(src, tgt), 0)
    assert.is_not_nil(state['decoder.layers.0.multihead_attn.in_proj_weight'])
    assert.is_true(net.encoder.layers[1].selfAttn.train)
    net:evaluate()
    assert.is_false(net.encoder.layers[1].selfAttn.train)
  end)

  it("has Torch7's backward", function()
    local net, x = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, 0), 1), torch.randn(3, 2, 4)
    net:zeroGradParameters()
    local y = net:forward(x)
    local g = net:backward(x, torch.ones(3, 2, 4)):clone()
    local tracked = x:clone():requiresGrad()
    net(tracked):sum():backward()
    assertClose(tracked.grad, g, 1e-12)
    assert.same({ 3, 2, 4 }, y:size():totable())
    local sequence = nn.Sequential():add(net):add(nn.Linear(4, 3))
    assert.same({ 3, 2, 3 }, sequence:forward(x):size():totable())
  end)

  it('ignores later positions with the mask', function()
    local mask = nn.Transformer.generateSquareSubsequentMask(3)
    assert.same({ { 0, -math.huge, -math.huge }, { 0, 0, -math.huge }, { 0, 0, 0 } }, mask:totable())
    local net, x = nn.TransformerEncoderLayer(4, 2, 6, 0), torch.randn(3, 1, 4)
    local y = net(x, mask):clone()
    local other = x:clone()
    other[3]:fill(7)
    assertClose(y[{ { 1, 2 } }], net(other, mask)[{ { 1, 2 } }], 1e-14)
    assertClose(y, net(x, { isCausal = true }), 1e-14)
  end)

  it('names what it does not accept', function()
    refuses('nn.TransformerEncoderLayer: nhead: 0, expected', nn.TransformerEncoderLayer, 4, 0)
    refuses('nn.MultiheadAttention: size: 4, expected a multiple of the 3 heads', nn.TransformerEncoderLayer, 4, 3)
    refuses("nn.TransformerDecoderLayer: activation: 'tan', expected one of", nn.TransformerDecoderLayer, 4, 2, 8, 0, 'tan')
    refuses('nn.TransformerEncoder: encoderLayer: .*, expected a module', nn.TransformerEncoder, 3, 2)
    refuses('nn.TransformerEncoder: numLayers: 0, expected', nn.TransformerEncoder, nn.TransformerEncoderLayer(4, 2, 4), 0)
    refuses('nn.Transformer: tgt: .*, expected a tensor', small(), torch.ones(2, 2, 4))
    local layer = nn.TransformerEncoderLayer(4, 2, 4)
    refuses('nn.TransformerEncoderLayer: options: mask, expected one of', layer, torch.ones(2, 2, 4), { mask = 1 })
  end)
end)
