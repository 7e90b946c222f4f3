-- Networks for texts against transformers': names and sizes of states, outputs, masks; a cache against all positions at once.
local torch, nn = require 'torch', require 'nn'
local zoo = require 'zoo'
local formula = require 'spec.zoo.formula'
local assertClose, relative = require('spec.support.close').assertClose, require('spec.support.close').relative

local sizes, vocabulary = { 2, 7 }, 31

-- transformers' Llama computes angles and means of squares in float32, T5 the latter.
local function assertFigures(figure, expected, x)
  local tolerance = relative(figure.name:find '^t5' and 1e-5 or figure.name == 'llama' and 1e-6 or 1e-8)
  assertClose(torch.DoubleTensor(expected), torch.DoubleTensor(formula.figures(x)), tolerance)
end

local function networkOf(figure)
  local net = zoo.make(figure.name, figure.options):double():eval()
  local state = net:stateDict()
  assert.equal(figure.state, formula.fingerprint(state))
  net:loadStateDict(formula.state(state))
  return net
end

local ids = formula.positions('ids', sizes, vocabulary)
local right = torch.ones(2, 7):long()
right[{ 2, { 5, 7 } }] = 0

describe('the network', function()
  for _, figure in ipairs(require 'spec.zoo.texts_figures') do
    it("gives transformers' output: " .. figure.title, function()
      local net = networkOf(figure)
      torch.noGrad(function()
        local targets = figure.name:find '^t5' and formula.positions('targets', { 2, 5 }, vocabulary) or nil
        local output, pooled = net(ids, { targets = targets })
        assertFigures(figure, figure.plain, output)
        if pooled then assertFigures(figure, figure.pooled, pooled) end
        local types = figure.name:find '^bert' and formula.positions('types', sizes, 2)
        local padded = net(ids, { mask = right, types = types, targets = targets })
        local isOfTokens = output:size(2) == (targets or ids):size(2)
        assertFigures(figure, figure.padded, isOfTokens and padded:narrow(2, 1, 4) or padded)
      end)
    end)

    if zoo.make(figure.name, figure.options).predictsNext then
      it('goes on from a cache: ' .. figure.title, function()
        local net, cache = networkOf(figure), nn.KeyValueCache()
        torch.noGrad(function()
          local whole = net(ids)
          for _, part in ipairs { { 1, 3 }, { 4, 2 }, { 6, 1 }, { 7, 1 } } do
            local output = net(ids:narrow(2, part[1], part[2]), { cache = cache })
            assertClose(whole:narrow(2, part[1], part[2]), output, relative(1e-9))
          end
        end)
      end)
    end
  end
end)

describe('zoo.load', function()
  it("knows the names of transformers' other files of GPT-2", function()
    local options = { vocabSize = 5, nPositions = 4, nEmbd = 4, nLayer = 1, nHead = 2 }
    local state, bare = zoo.make('gpt2', options):stateDict(), {}
    for name, value in pairs(state) do bare[name:gsub('^transformer%.', '')] = value end
    bare['h.0.attn.bias'] = torch.ones(1, 1, 4, 4)
    local _, report = zoo.load('gpt2', bare, options)
    assert.equal(report.count, report.fitting)
  end)

  it("reads GPT-2's decoder into a network for classes, which looks at the last token of each text", function()
    local options = { vocabSize = 5, nPositions = 6, nEmbd = 4, nLayer = 1, nHead = 2 }
    local state = zoo.make('gpt2', options):stateDict()
    options.head, options.numLabels, options.partial = 'sequenceClassification', 3, true
    local net, report = zoo.load('gpt2', state, options)
    assert.same({ report.count - 1, 1, 'score.weight' }, { report.fitting, #report.missing, report.missing[1].name })
    local texts, masks = torch.LongTensor { { 2, 4, 1, 1 }, { 1, 2, 4, 1 } }, torch.LongTensor { { 1, 1, 0, 0 }, { 1, 1, 1, 0 } }
    local logits = torch.noGrad(function() return net(texts, { mask = masks }) end)
    for i, length in ipairs { 2, 3 } do
      assertClose(torch.noGrad(function() return net(texts:narrow(1, i, 1):narrow(2, 1, length)) end)[1], logits[i], relative(1e-12))
    end
    assert.error_matches(function() zoo.generate(net, { { 1 } }) end, 'zoo.generate: net')
  end)

  it('knows the names of older files of BERT', function()
    local options = {
      vocabSize = 5, hiddenSize = 4, numHiddenLayers = 1, numAttentionHeads = 2, intermediateSize = 4, maxPositionEmbeddings = 4,
    }
    local state, old = zoo.make('bert-base-uncased', options):stateDict(), {}
    for name, value in pairs(state) do
      old['bert.' .. name:gsub('LayerNorm.weight', 'LayerNorm.gamma'):gsub('LayerNorm.bias', 'LayerNorm.beta')] = value
    end
    old['cls.predictions.bias'] = torch.ones(5)
    local _, report = zoo.load('bert-base-uncased', old, options)
    assert.equal(report.count, report.fitting)
  end)
end)
