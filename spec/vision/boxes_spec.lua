-- Boxes, regions, anchors and codes of boxes: figures of torchvision (spec/vision/figures.py), closed forms.
local torch = require 'torch'
local vision = require 'vision'
local figures = require 'spec.vision.figures'

local T = torch.DoubleTensor

local function same(expected, actual, tolerance)
  expected = torch.isTensor(expected) and expected or T(expected)
  assert.same(expected:size():totable(), actual:size():totable())
  if expected:nElement() > 0 then
    local off = (expected:double() - actual:double()):abs():max()
    assert.truthy(off <= (tolerance or 1e-12) * math.max(1, expected:double():abs():max()), 'off by ' .. off)
  end
end

describe('boxes', function()
  local f = figures.convert
  it('are converted between formats', function()
    for _, from in ipairs { 'xyxy', 'xywh', 'cxcywh' } do
      for _, to in ipairs { 'xyxy', 'xywh', 'cxcywh' } do same(f[to], vision.boxConvert(T(f[from]), from, to)) end
    end
    same({ { 1, 2, 4, 6 } }, vision.boxConvert(torch.IntTensor { { 1, 2, 3, 4 } }, 'xywh', 'xyxy'))
  end)
  it('have areas, and edges within the picture', function()
    same(f.area, vision.boxArea(T(f.xyxy)))
    same(f.clipped, vision.clipBoxes(T(f.xyxy), 9, 12))
    assert.same({ 2, 3 }, vision.removeSmallBoxes(T { { 0, 0, 1, 9 }, { 0, 0, 2, 2 }, { 1, 1, 9, 9 } }, 2):totable())
    assert.same(0, vision.removeSmallBoxes(T(0, 4), 2):nElement())
  end)
  it('overlap as in torchvision, with its gradients', function()
    local names = {
      boxIou = 'box_iou', generalizedBoxIou = 'generalized_box_iou',
      distanceBoxIou = 'distance_box_iou', completeBoxIou = 'complete_box_iou',
    }
    for name, theirs in pairs(names) do
      local a, b, expected = T(figures.iou.a):requiresGrad(), T(figures.iou.b):requiresGrad(), figures.iou[theirs]
      local found = vision[name](a, b)
      same(expected.out, found:detach())
      torch.cmul(found, torch.range(1, 12):view(4, 3)):sum():backward()
      same(expected.ga, a.grad)
      same(expected.gb, b.grad)
      assert.same({ 0, 3 }, vision[name](T(0, 4), b):size():totable())
    end
  end)
  it('name what is no box', function()
    assert.has_error(function() vision.boxIou(T(2, 4), T(3)) end, 'vision.boxIou: b: [3], expected boxes (n, 4)')
    assert.has_error(function() vision.boxConvert(T(2, 4), 'xyxy', 'yxyx') end)
    assert.has_error(function() vision.boxArea 'x' end, 'vision.boxArea: x: string, expected a tensor')
  end)
end)

describe('suppression', function()
  local f = figures.nms
  it('keeps the boxes that torchvision keeps, in its order', function()
    local boxes, scores = T(f.boxes), T(f.scores)
    for _, t in ipairs { 1, 3, 7 } do
      assert.same(f['kept' .. t], vision.nms(boxes, scores, t / 10):totable())
      assert.same(f['kept' .. t], vision.nms(boxes:float(), scores:float(), t / 10):totable())
    end
    assert.same(f.batched, vision.batchedNms(boxes, scores, torch.LongTensor(f.classes), 0.3):totable())
  end)
  it('keeps a box at the threshold, and an empty one', function()
    local boxes = T { { 0, 0, 2, 1 }, { 0, 0, 1, 1 }, { 5, 5, 5, 5 }, { 5, 5, 5, 5 } }
    assert.same({ 1, 2, 3, 4 }, vision.nms(boxes, T { 4, 3, 2, 1 }, 0.5):totable())
    assert.same({ 1, 3, 4 }, vision.nms(boxes, T { 4, 3, 2, 1 }, 0.499):totable())
    assert.same(0, vision.nms(T(0, 4), T(0), 0.5):nElement())
  end)
  it('finds the same in groups of many boxes as a loop', function()
    local n = 700
    local corners = torch.rand(n, 2) * 60
    local boxes, scores = torch.cat(corners, corners + torch.rand(n, 2) * 20, 2), torch.rand(n)
    local classes = torch.LongTensor(n):random(1, 4)
    local expected = {}
    for class = 1, 4 do
      local own = torch.nonzero(torch.eq(classes, class)):view(-1)
      for _, k in ipairs(vision.nms(boxes:index(1, own), scores:index(1, own), 0.4):totable()) do expected[#expected + 1] = own[k] end
    end
    table.sort(expected, function(a, b) return scores[a] > scores[b] end)
    assert.same(expected, vision.batchedNms(boxes, scores, classes, 0.4):totable())
  end)
  it('names arguments of other sizes', function()
    assert.has_error(function() vision.nms(T(3, 4), T(2), 0.5) end, 'vision.nms: scores: [2], expected [3]')
    assert.has_error(function() vision.nms(T(3, 4), T(3), -1) end)
    assert.has_error(function() vision.batchedNms(T(3, 4), T(3), T(3), 1) end)
  end)
end)

describe('regions', function()
  local f = figures.regions
  local boxes = { T(f.boxes[1]), T(f.boxes[2]) }
  local function check(case, run)
    local x = T(f.x):requiresGrad()
    local found = run(x)
    same(case.out, found:detach())
    torch.cmul(found, (torch.range(1, found:nElement()) / 10):view(found:size())):sum():backward()
    same(case.gradient, x.grad)
  end
  it('are averaged as in torchvision', function()
    for _, case in ipairs(f.align) do
      check(case, function(x)
        return vision.roiAlign(x, boxes, case.size, { scale = case.scale, samples = case.samples, aligned = case.aligned })
      end)
    end
  end)
  it('have the largest elements of torchvision', function()
    for _, case in ipairs(f.pool) do
      check(case, function(x) return vision.roiPool(x, boxes, case.size, { scale = case.scale }) end)
    end
  end)
  it('of boxes without a place are 0', function()
    local x, strange = torch.rand(1, 1, 4, 4), { T { { 0 / 0, 0, 2, 2 }, { -1e300, 0, 1e300, 2 }, { 0, 0, math.huge, 2 } } }
    assert.same(0, vision.roiAlign(x, strange, 2):abs():sum())
    assert.same(0, vision.roiPool(x, strange, 2):abs():sum())
    assert.same({ 0, 1, 2, 2 }, vision.roiAlign(x, { T(0, 4) }, 2):size():totable())
  end)
  it('name arguments of other sizes', function()
    assert.has_error(function() vision.roiAlign(torch.rand(2, 1, 4, 4), { T(1, 4) }, 2) end,
      'vision.roiAlign: boxes: a list of 1, expected boxes of each of 2 pictures')
    assert.has_error(function() vision.roiPool(torch.rand(1, 4, 4), { T(1, 4) }, 2) end)
    assert.has_error(function() vision.roiPool(torch.rand(1, 1, 4, 4), { T(1, 4) }, 0) end)
  end)
end)

describe('anchors and codes', function()
  it('are those of torchvision', function()
    same(figures.anchors.out, vision.anchors(figures.anchors.sizes, figures.anchors.ratios)({ { 3, 5 }, { 2, 2 } }, { 30, 41 }))
    local f = figures.coder
    local encode, decode = vision.boxCoder { weights = { 10, 10, 5, 5 } }
    same(f.codes, encode(T(f.boxes), T(f.anchors)))
    same(f.decoded, decode(T(f.given), T(f.anchors)))
    same(f.boxes, decode(encode(T(f.boxes), T(f.anchors)), T(f.anchors)))
  end)
  it('have gradients', function()
    local _, decode = vision.boxCoder()
    local codes = torch.randn(3, 4):requiresGrad()
    local anchors, weight = T(figures.coder.anchors):narrow(1, 1, 3), torch.randn(3, 4)
    local function loss(x) return torch.sum(torch.cmul(decode(x, anchors), weight)) end
    loss(codes):backward()
    local eps = 1e-6
    local moved = codes:detach():clone()
    moved[2][3] = moved[2][3] + eps
    local other = codes:detach():clone()
    other[2][3] = other[2][3] - eps
    assert.near((loss(moved) - loss(other)) / (2 * eps), codes.grad[2][3], 1e-5)
  end)
  it('name what is wrong', function()
    assert.has_error(function() vision.anchors({ { 1 } }, {}) end, 'vision.anchors: ratios: 0 levels, expected 1 as of sizes, at least one')
    local encode = vision.boxCoder()
    assert.has_error(function() encode(T(2, 4), T(3, 4)) end, 'vision.boxCoder: boxes: [2, 4], expected as many as anchors, 3')
  end)
end)
