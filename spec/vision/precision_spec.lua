-- COCO's figures of detections, equal to pycocotools' (spec/vision/precision_figures.py), and measures of segmentation by definition.
local torch = require 'torch'
local vision = require 'vision'
local figures = require 'spec.vision.precision_figures'

local function fields(list, isMasks)
  local found = {
    labels = torch.LongTensor(#list), boxes = torch.DoubleTensor(#list, 4), scores = torch.DoubleTensor(#list),
    area = torch.DoubleTensor(#list), isCrowd = torch.ByteTensor(#list), masks = {},
  }
  for i, each in ipairs(list) do
    found.labels[i], found.scores[i], found.area[i], found.isCrowd[i] = each.label, each.score or 0, each.area or 0, each.crowd or 0
    found.boxes[i]:copy(torch.DoubleTensor(each.box))
    if isMasks then found.masks[i] = each.mask end
  end
  return found
end

describe('vision.averagePrecision', function()
  for number, case in ipairs(figures) do
    it(("has pycocotools' twelve figures, set %d"):format(number), function()
      local truth, detections, isMasks = {}, {}, case.kind == 'segm'
      for i, picture in ipairs(case.pictures) do truth[i], detections[i] = fields(picture[1], isMasks), fields(picture[2], isMasks) end
      local found = vision.averagePrecision(truth, detections, { kind = isMasks and 'masks' or 'boxes', format = 'xywh' })
      local count = 0
      for name, value in pairs(case.stats) do
        assert.near(value, found[name], 1e-9)
        count = count + 1
      end
      assert.equal(12, count)
      for name in pairs(found) do assert.truthy(case.stats[name], name) end
    end)
  end

  it('is 1 of what was found exactly, and -1 of nothing', function()
    local objects = { labels = torch.LongTensor { 7 }, boxes = torch.Tensor { { 0, 0, 10, 10 } }, scores = torch.Tensor { 0.5 } }
    local found = vision.averagePrecision({ objects }, { objects })
    assert.near(1, found.AP, 1e-12)
    assert.equal(1, found.ARsmall)
    assert.equal(-1, found.APlarge)
    local none = { labels = torch.LongTensor(0), boxes = torch.Tensor(0, 4), scores = torch.Tensor(0) }
    assert.equal(-1, vision.averagePrecision({ none }, { objects }).AP)
    assert.equal(0, vision.averagePrecision({ objects }, { none }).AP)
  end)

  it('names what is wrong', function()
    local good = { labels = torch.LongTensor { 1 }, boxes = torch.Tensor(1, 4):fill(1) }
    assert.has_error(function() vision.averagePrecision({ good }, {}) end, 'vision.averagePrecision: detections: 0 pictures, expected 1')
    assert.has_error(function() vision.averagePrecision({ good }, { good }) end,
      'vision.averagePrecision: detections[1].scores: nil, expected a tensor')
    assert.has_error(function() vision.averagePrecision({ good }, { { labels = torch.LongTensor(2), boxes = good.boxes } }) end)
    assert.has_error(function() vision.averagePrecision({ good }, { good }, { kind = 'lines' }) end)
    assert.has_error(function() vision.averagePrecision({ good }, { good }, { kind = 'masks' }) end)
  end)
end)

describe('vision.segmentation', function()
  it('counts pixels', function()
    local target = torch.LongTensor { { 1, 1, 2 }, { 2, 0, 255 } }
    local found = vision.segmentation(torch.LongTensor { { 1, 2, 2 }, { 2, 9, 1 } }, target, 3)
    assert.same({ { 1, 1, 0 }, { 0, 2, 0 }, { 0, 0, 0 } }, found.matrix:totable())
    assert.equal(0.75, found.pixelAccuracy)
    assert.same({ 0.5, 2 / 3 }, { found.iou[1], found.iou[2] })
    assert.truthy(found.iou[3] ~= found.iou[3])
    assert.near(7 / 12, found.meanIou, 1e-15)
  end)
  it('refuses predictions outside, and other sizes', function()
    assert.has_error(function() vision.segmentation(torch.LongTensor { 4 }, torch.LongTensor { 1 }, 3) end,
      'vision.segmentation: prediction: 4 to 4, expected 1 to 3')
    assert.has_error(function() vision.segmentation(torch.LongTensor { 1, 2 }, torch.LongTensor { 1 }, 3) end)
  end)
end)
