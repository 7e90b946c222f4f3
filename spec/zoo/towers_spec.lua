-- CLIP, Whisper and ViT against transformers': states, outputs, gradients, texts; what comes in front of them: pictures and sounds.
local torch, nn = require 'torch', require 'nn'
local zoo, augment = require 'zoo', require 'image.augment'
local formula, figures = require 'spec.zoo.formula', require 'spec.zoo.towers_figures'
local assertClose, relative = require('spec.support.close').assertClose, require('spec.support.close').relative

local function assertFigures(expected, x)
  assertClose(torch.DoubleTensor(expected), torch.DoubleTensor(formula.figures(x)), relative(1e-8))
end

local function networkOf(name, figure, options)
  local net = zoo.make(name, options):double():eval()
  local state = net:stateDict()
  assert.equal(figure.state, formula.fingerprint(state))
  return net, formula.state(state)
end

-- Checks derivatives of the sum of outputs times numbers of a formula.
local function assertGradients(expected, net, output)
  net:zeroGrad()
  torch.sum(torch.cmul(output, formula.series('way', output:size():totable()))):backward()
  local left = 0
  for _ in pairs(expected) do left = left + 1 end
  for name, parameter in net:namedParameters() do
    if expected[name] then
      local figure = formula.figures(parameter.grad)
      for i, value in ipairs(expected[name]) do assertClose(value, figure[i], { rtol = 1e-8, atol = 1e-12 }) end
      left = left - 1
    end
  end
  assert.equal(0, left)
end

describe('CLIP', function()
  local options = {
    vocabSize = 31, maxPositionEmbeddings = 9, imageSize = 24, patchSize = 8, projectionDim = 20, textHiddenSize = 24,
    textIntermediateSize = 40, textNumHiddenLayers = 2, textNumAttentionHeads = 4, visionHiddenSize = 30, visionIntermediateSize = 44,
    visionNumHiddenLayers = 3, visionNumAttentionHeads = 5,
  }
  local ids, mask = formula.positions('ids', { 3, 7 }, 30), torch.ones(3, 7):long()
  for row, first in ipairs { 7, 5, 3 } do ids[{ row, { first, 7 } }] = 31 end      -- the end, and padding with the same token
  mask[{ 2, { 6, 7 } }], mask[{ 3, { 4, 7 } }] = 0, 0

  it("has transformers' logits, vectors and gradients", function()
    local net, state = networkOf('clip-vit-base-patch32', figures.clip, options)
    state['logit_scale']:fill(1.5)
    net:loadStateDict(state)
    net:requiresGrad()
    local x = formula.series('pictures', { 2, 3, 24, 24 })
    local logits, pictures, texts = net(x, { texts = ids, mask = mask })
    assertClose(torch.DoubleTensor(figures.clip.logits):view(2, 3), logits:detach(), relative(1e-8))
    assertFigures(figures.clip.pictures, pictures)
    assertFigures(figures.clip.texts, texts)
    assertGradients(figures.clip.gradients, net, logits)
    torch.noGrad(function()
      assertClose(pictures:detach(), (net(x)), 1e-12)
      assertClose(texts:detach(), (net:encodeText(ids)), 1e-12)      -- nobody sees what comes after the end
    end)
  end)

  it("gets pictures as transformers' processor makes them", function()
    local x, y = torch.range(0, 61):view(1, 62):expand(45, 62), torch.range(0, 44):view(45, 1):expand(45, 62)
    local channels = {}
    for c = 0, 2 do channels[c + 1] = torch.sin(x / 5 + c):cmul(torch.cos(y / 7 - c)):mul(100):add(128):round():byte() end
    local normalisation = zoo.card('clip-vit-base-patch32').normalisation
    local process = augment.compose {
      augment.resize(32, { filter = 'bicubic' }), augment.centerCrop(32), augment.normalize(normalisation.mean, normalisation.std),
    }
    local pixels = process(torch.stack(channels, 1))
    local every = pixels:index(2, torch.range(4, 32, 9):long()):index(3, torch.range(3, 32, 8):long())
    assertClose(torch.DoubleTensor(figures.processed.values), every:double():view(-1), { atol = 1.1 / 255 / 0.26 })      -- a step of a byte
  end)
end)

describe('Whisper', function()
  local function whisper()
    local net, state = networkOf('whisper-tiny', figures.whisper, figures.whisper.options)
    state['model.decoder.embed_positions.weight']:mul(30)
    net:loadStateDict(state)
    return net
  end
  local sound = formula.series('sound', { 2, 6, 20 })

  it("has transformers' logits and gradients", function()
    local net = whisper():requiresGrad()
    local logits = net(sound, { targets = formula.positions('targets', { 2, 5 }, 31) })
    assertFigures(figures.whisper.plain, logits)
    assertFigures(figures.whisper.memory, net:encode(sound))
    assertGradients(figures.whisper.gradients, net, logits)
  end)

  it('goes on from a cache', function()
    local net, cache, targets = whisper(), nn.KeyValueCache(), formula.positions('targets', { 2, 7 }, 31)
    torch.noGrad(function()
      local memory, whole = net:encode(sound), net(sound, { targets = targets })
      for _, part in ipairs { { 1, 3 }, { 4, 2 }, { 6, 1 }, { 7, 1 } } do
        local output = net:decode(targets:narrow(2, part[1], part[2]), memory, { cache = cache })
        assertClose(whole:narrow(2, part[1], part[2]), output, relative(1e-9))
      end
    end)
  end)

  it("writes transformers' texts", function()
    local net, stop = whisper(), figures.whisper.texts[1][4]
    for i, text in ipairs(net:generate(sound, { prompt = { 5, 10 }, maxNewTokens = 12 })) do
      assert.same(figures.whisper.texts[i], text:totable())
    end
    for i, text in ipairs(net:generate(sound, { prompt = { 5, 10 }, maxNewTokens = 12, stopIds = { stop } })) do
      local expected = {}
      for j, token in ipairs(figures.whisper.texts[i]) do
        expected[j] = token
        if token == stop then break end
      end
      assert.same(expected, text:totable())
    end
    assert.equal(15, net:generate(sound)[1]:size(1))
  end)

  for mels, figure in pairs(figures.features) do
    it(("hears what transformers' extractor hears, %d frequencies"):format(mels), function()
      local t = torch.range(0, 11199):div(16000)
      local chirp = torch.sin((t * 2000 + 200):cmul(t):mul(2 * math.pi)):mul(0.5)
      local net = zoo.make('whisper-tiny', { numMelBins = mels, dModel = 2, encoderAttentionHeads = 1, decoderAttentionHeads = 1 })
      local features = net:features { chirp, torch.zeros(500000):float() }
      assert.same({ 2, mels, 3000 }, features:size():totable())
      local some = features[1]:index(1, torch.range(1, mels, math.floor(mels / 5)):long()):index(2, torch.range(1, 80, 16):long())
      assertClose(torch.DoubleTensor(figure.values), some:contiguous():view(-1), { atol = 2e-5 })
      assertClose(features[1], net:features(chirp)[1], 0)
      assert.is_true(torch.equal(features[2], torch.Tensor(mels, 3000):fill(-1.5)))
    end)
  end

  it('says what is wrong with a call', function()
    local net = whisper()
    for _, case in ipairs {
      { function() net:generate(sound, { maxNewTokens = 16 }) end, 'maxNewTokens: 16, expected a whole number from 1 to 15' },
      { function() net:generate(sound, { prompt = {} }) end, 'prompt: no tokens' },
      { function() net:generate(sound, { stopIds = { 0 } }) end, 'stopIds: 0, expected' },
      { function() net:generate(sound, { beams = 3 }) end, 'options: beams, expected one of prompt' },
      { function() net:features {} end, 'sounds: none, expected' },
      { function() net:features(torch.ones(2, 3)) end, 'sounds: 2 dimensions in place 1, expected vectors' },
    } do
      assert.error_matches(case[1], case[2])
    end
  end)
end)

describe('ViT by the names of transformers', function()
  local figure = figures.vit
  local options = {
    numLabels = 5, imageSize = 24, patchSize = 8, numHiddenLayers = 3, numAttentionHeads = 4, hiddenSize = 24, intermediateSize = 40,
  }
  local name = 'vit-base-patch16-224'

  it("has transformers' logits and gradients", function()
    local net, state = networkOf(name, figure, options)
    net:loadStateDict(state)
    local logits = net:requiresGrad()(formula.series('pictures', { 2, 3, 24, 24 }))
    assertFigures(figure.logits, logits:detach())
    assertGradients(figure.gradients, net, logits)
  end)

  it('reads files with the names of before version 5, and those without a head', function()
    local state, old = zoo.make(name, options):stateDict(), {}
    for key, value in pairs(state) do
      for _, pair in ipairs {
        { 'vit%.layers%.', 'vit.encoder.layer.' }, { 'attention%.q_proj', 'attention.attention.query' },
        { 'attention%.k_proj', 'attention.attention.key' }, { 'attention%.v_proj', 'attention.attention.value' },
        { 'attention%.o_proj', 'attention.output.dense' }, { 'mlp%.fc1', 'intermediate.dense' }, { 'mlp%.fc2', 'output.dense' },
      } do key = key:gsub(pair[1], pair[2]) end
      old[key] = value
    end
    assert.truthy(old['vit.encoder.layer.2.attention.attention.query.weight'] and old['vit.encoder.layer.0.output.dense.bias'])
    local net, report = zoo.load(name, old, options)
    assert.same({ report.count, 0 }, { report.fitting, #report.unexpected })
    for key, value in pairs(net:stateDict()) do assertClose(state[key], value, 0) end
    local bare = {}
    for key, value in pairs(old) do
      if key:find '^vit' then bare[key:gsub('^vit%.', '')] = value end
    end
    bare['pooler.dense.weight'] = torch.ones(2, 2)
    options.partial = true
    net, report = zoo.load(name, bare, options)
    options.partial = nil
    assert.same({ report.count - 2, 2, 0 }, { report.fitting, #report.missing, #report.unexpected })
    assertClose(state['vit.layers.1.attention.k_proj.weight'], net.vit.layers[2].attention.k_proj.weight, 0)
  end)

  it('has the parameters of the published networks', function()      -- of the cards of google/vit-...: 86.6 and 304 millions
    assert.equal(86567656, zoo.card(name).parameters)
    assert.equal(304326632, zoo.card('vit-large-patch16-224').parameters)
  end)
end)
