-- Detectors against torchvision's and Megvii's: names and sizes of states, and outputs, with parameters of a formula.
local torch = require 'torch'
local zoo, vision = require 'zoo', require 'vision'
local figures, formula = require 'spec.zoo.detection_figures', require 'spec.zoo.formula'
local yolox = require 'spec.zoo.yolox_figures'
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

describe('YOLOX', function()
  local function networkOf(figure)
    local net = zoo.make(figure.name, { numClasses = 4, baseChannels = figure.baseChannels }):double():eval()
    local state = net:stateDict()
    assert.equal(figure.state, formula.fingerprint(state))
    net:loadStateDict(formula.state(state), { strict = false })
    for i = 1, 3 do
      net.head.cls_preds[i].weight:mul(20)
      net.head.obj_preds[i].weight:mul(20)
    end
    return net
  end

  for _, figure in ipairs(yolox) do
    it(("has the package's names, outputs and detections: %s"):format(figure.name), function()
      local net, x = networkOf(figure), formula.series('input', { 2, 3, 96, 64 })
      local output = torch.noGrad(function() return net(x) end):clone()
      local probabilities = output:narrow(3, 5, 5)
      probabilities:copy(torch.sigmoid(probabilities))
      assertClose(torch.DoubleTensor(figure.output), torch.DoubleTensor(formula.figures(output)), relative(1e-8))
      local found = net:detect(x)
      assert.equal(2, #found)
      for i, expected in ipairs(figure.detections) do
        local rows = torch.cat({ found[i].boxes, found[i].scores:view(-1, 1), found[i].labels:double():view(-1, 1) }, 2)
        assert.equal(expected.count, rows:size(1))
        assertClose(torch.DoubleTensor(expected[1]), rows[1], relative(1e-7))
        assertClose(torch.DoubleTensor(expected[2]), torch.DoubleTensor(formula.figures(rows)), relative(1e-7))
      end
    end)
  end

  for name, fingerprint in pairs(yolox.published) do
    it(("has the names and sizes of the package's %s"):format(name), function()
      assert.equal(fingerprint, formula.fingerprint(torch.withDevice('meta', function() return zoo.make(name) end):stateDict()))
    end)
  end

  it("has the paper's parameters and operations", function()      -- table 6: millions, and two operations for a multiply-add
    local papers = { yolox_nano = { 0.91, 1.08 }, yolox_tiny = { 5.06, 6.45 }, yolox_s = { 9.0, 26.8 }, yolox_x = { 99.1, 281.9 } }
    for name, paper in pairs(papers) do
      local card = zoo.card(name)
      assertClose(paper[1], card.parameters / 1e6, { atol = 0.05 })
      assertClose(paper[2], 2 * card.multiplyAdds / 1e9, relative(0.05))
    end
  end)

  it('has no detections where all scores are low, and refuses other sizes', function()
    local net = zoo.make('yolox_nano', { numClasses = 2, baseChannels = 2 }):eval()
    local found = net:detect(torch.zeros(1, 3, 64, 64))
    assert.same({ 0, 0, 0 }, { found[1].boxes:nElement(), found[1].scores:nElement(), found[1].labels:nElement() })
    assert.error_matches(function() net(torch.zeros(1, 3, 60, 64)) end, 'zoo.YoloX: x: %[1, 3, 60, 64%], expected .*multiples of 32')
    assert.error_matches(function() net:detect(torch.zeros(1, 3, 64, 64), { least = 1 }) end, 'zoo.YoloX: detect: options: least, expected')
  end)
end)
