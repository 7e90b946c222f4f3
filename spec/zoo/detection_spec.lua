-- Detectors against torchvision's: names and sizes of states, and outputs, with parameters of a formula.
local torch = require 'torch'
local zoo, vision = require 'zoo', require 'vision'
local figures, formula = require 'spec.zoo.detection_figures', require 'spec.zoo.formula'
local assertClose, relative = require('spec.support.close').assertClose, require('spec.support.close').relative

describe('RetinaNet', function()
  local net = zoo.make('retinanet_resnet50_fpn', { numClasses = 5, width = 12, widthPerGroup = 4 }):double():eval()
  local state = net:stateDict()
  net:loadStateDict(formula.state(state), { strict = false })

  it("has torchvision's names, logits and codes", function()
    assert.equal(figures.state, formula.fingerprint(state))
    local logits, codes = torch.noGrad(function() return net(formula.series('input', figures.input)) end)
    assertClose(torch.DoubleTensor(figures.logits), torch.DoubleTensor(formula.figures(logits)), relative(1e-8))
    assertClose(torch.DoubleTensor(figures.codes), torch.DoubleTensor(formula.figures(codes)), relative(1e-8))
  end)

  it('has outputs for each anchor', function()
    local sizes, ratios = {}, {}
    for i = 0, 4 do
      local size = 32 * 2 ^ i
      sizes[i + 1] = { size, math.floor(size * 2 ^ (1 / 3)), math.floor(size * 2 ^ (2 / 3)) }
      ratios[i + 1] = { 0.5, 1, 2 }
    end
    local levels = net:featureSizes(97, 130)
    assert.same(figures.levels, levels)
    local anchors = vision.anchors(sizes, ratios)(levels, { 97, 130 })
    local logits, codes = torch.noGrad(function() return net(torch.randn(1, 3, 97, 130)) end)
    assert.same({ anchors:size(1), 5 }, { logits:size(2), logits:size(3) })
    assert.same({ anchors:size(1), 4 }, { codes:size(2), codes:size(3) })
    local _, decode = vision.boxCoder()
    assert.same({ anchors:size(1), 4 }, decode(codes[1], anchors):size():totable())
  end)

  it("has the names and sizes of torchvision's file", function()
    assert.equal(figures.whole, formula.fingerprint(zoo.make('retinanet_resnet50_fpn'):stateDict()))
  end)
end)
