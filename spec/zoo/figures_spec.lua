-- Networks against torchvision's, and references in PyTorch: names and sizes of states, and outputs, with parameters of a formula.
local torch = require 'torch'
local zoo, catalogue = require 'zoo', require 'zoo.catalogue'
local figures, references, formula = require 'spec.zoo.figures', require 'spec.zoo.references', require 'spec.zoo.formula'
local assertClose, relative = require('spec.support.close').assertClose, require('spec.support.close').relative

-- Returns a network with the parameters of the formula; VGG's and AlexNet's classifiers have 8 hidden units.
local function networkOf(figure)
  local family = catalogue.family('spec', figure.name)
  local options = family:optionsOf('spec', figure.name, figure.options)
  options.hidden = options.hidden and 8
  local net = family.make(options):double():eval()
  local state = net:stateDict()
  assert.equal(figure.state, formula.fingerprint(state))
  net:loadStateDict(formula.state(state), { strict = false })
  return net
end

describe('the network', function()
  for source, list in pairs { ["torchvision's"] = figures, ["the reference's"] = references } do
    for _, figure in ipairs(list) do
      it(("%s of %d x %d gives %s output"):format(figure.name, figure.input[3], figure.input[4], source), function()
        local net = networkOf(figure)
        local output = torch.noGrad(function() return (net(formula.series('input', figure.input))) end)
        assertClose(torch.DoubleTensor(figure[1]), torch.DoubleTensor(formula.figures(output)), relative(1e-8))
      end)
    end
  end

  for name, counts in pairs(figures.published) do
    it(name .. ' has the parameters and multiply-adds that torchvision states', function()
      local card = zoo.card(name, name == 'googlenet' and { auxLogits = false } or nil)      -- of which torchvision counts none
      assert.equal(counts[1], card.parameters)
      assertClose(counts[2], card.multiplyAdds / 1e9, { atol = 0.00051 })
    end)
  end
end)

describe('the VAE', function()
  it("has the reference's loss", function()
    local net
    for _, figure in ipairs(references) do net = figure.name == 'vae' and networkOf(figure) or net end
    local x = formula.series('input', { 2, 1, 28, 28 }):add(1):div(2)
    assertClose(references.vaeLoss, torch.noGrad(function() return net:loss(x) end), relative(1e-10))
  end)

  it('draws from its distributions in training, decodes their means in evaluation', function()
    local net, x = zoo.make('vae', { inputDim = 6, hiddenDim = 5, latentDim = 2 }), torch.rand(4000, 6)
    local mean, logVariance = net:encode(x)
    local z = net:drawn(mean, logVariance)
    local standard = torch.cdiv(torch.add(z, -1, mean), torch.exp(logVariance / 2)):detach()
    assert.is_true(math.abs(standard:mean()) < 0.05)
    assert.is_true(math.abs(standard:std() - 1) < 0.05)
    net:eval()
    assertClose(net:decode(mean), (net(x)), 1e-12)
  end)
end)

describe('sequence to sequence', function()
  local ids, targets = formula.positions('ids', { 3, 6 }, 13), formula.positions('targets', { 3, 5 }, 11)
  local mask = torch.ones(3, 6):long()
  mask[{ 2, { 4, 6 } }], mask[{ 3, { 5, 6 } }] = 0, 0

  local function sequenceNet(figure)
    local net = zoo.make(figure.name, { vocabSize = 13, targetVocabSize = 11, hiddenSize = 6 }):eval()
    local state = net:stateDict()
    assert.equal(figure.state, formula.fingerprint(state))
    state = formula.state(state)
    state['decoder.out.weight']:mul(5)
    net:loadStateDict(state)
    return net
  end

  for _, figure in ipairs(references.sequences) do
    it("has the reference's logits, weights and texts: " .. figure.name, function()
      local net = sequenceNet(figure)
      local logits, weights = torch.noGrad(function() return net(ids, { targets = targets, mask = mask }) end)
      assertClose(torch.DoubleTensor(figure.logits), torch.DoubleTensor(formula.figures(logits)), relative(1e-8))
      assertClose(torch.DoubleTensor(figure.weights), torch.DoubleTensor(formula.figures(weights)), { rtol = 1e-8, atol = 1e-14 })
      for i, text in ipairs(net:generate(ids, { mask = mask, maxNewTokens = 7 })) do assert.same(figure.texts[i], text:totable()) end
      assert.equal(50, net:generate(ids)[1]:size(1))
    end)
  end
end)

describe('the original U-Net', function()
  it('has 388 x 388 logits of 572 x 572 points, and leaves features out in training', function()
    assert.equal('1 x 2 x 388 x 388', zoo.card('unet').output)
    local net, x = zoo.make('unet', { width = 8, depth = 1 }), torch.randn(1, 1, 28, 28)
    assert.equal(0.5, net.dropout1.p)
    assert.is_false(torch.equal(net(x):clone(), net(x)))
    net:eval()
    assert.is_true(torch.equal(net(x):clone(), net(x)))
  end)
end)
