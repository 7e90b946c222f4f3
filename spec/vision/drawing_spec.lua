-- Drawings of objects: which pixels have which colour.
local torch = require 'torch'
local vision = require 'vision'

local function lit(x) return torch.nonzero(torch.gt(x:max(1)[1], 0)):totable() end

describe('drawings', function()
  it('have boxes, clipped at the edges', function()
    local x = torch.ByteTensor(3, 6, 7):zero()
    local found = vision.drawBoxes(x, torch.Tensor { { 1, 2, 5, 5 } }, { colors = { 10, 20, 30 } })
    assert.equal(0, x:sum())
    assert.same({ 10, 20, 30 }, { found[1][3][2], found[2][5][5], found[3][3][5] })
    assert.same({ 0, 0, 0 }, { found[1][2][2], found[1][4][3], found[1][3][6] })
    assert.equal(2 * 4 + 2, #lit(found))
    assert.equal(0, #lit(vision.drawBoxes(x, torch.Tensor { { 20, 20, 30, 30 }, { -9, -9, -3, -2 }, { 0 / 0, 0, 3, 3 } })))
    assert.truthy(#lit(vision.drawBoxes(x, torch.Tensor { { -1e30, -1e30, 1e30, 1e30 } })) == 0)
    assert.equal(5 + 4, #lit(vision.drawBoxes(x, torch.Tensor { { -3, -3, 5, 5 } })))
  end)
  it('have texts, and one colour a label', function()
    local x = torch.zeros(1, 20, 60)
    local boxes = torch.Tensor { { 2, 2, 40, 18 }, { 3, 3, 50, 19 } }
    local plain, named = vision.drawBoxes(x, boxes), vision.drawBoxes(x, boxes, { texts = { 'cat 0.9', 'dog' } })
    assert.same({ 3, 20, 60 }, plain:size():totable())
    assert.truthy(named:sum() > plain:sum() and named:max() <= 1)
    local one = vision.drawBoxes(x, boxes, { labels = { 5, 5 } })
    assert.same({ one[1][3][3], one[2][3][3] }, { one[1][19][50], one[2][19][50] })
  end)
  it('have masks', function()
    local masks = torch.zeros(1, 2, 3)
    masks[1][2][3] = 1
    local found = vision.drawMasks(torch.ByteTensor(3, 2, 3):fill(100), masks, { colors = { 200, 0, 50 }, alpha = 0.25 })
    assert.same({ 125, 75, 88 }, { found[1][2][3], found[2][2][3], found[3][2][3] })
    assert.equal(100 * 15 + 125 + 75 + 88, found:sum())
    local floats = vision.drawMasks(torch.FloatTensor(1, 2, 3):fill(0.5), masks, { colors = { 255, 0, 0 }, alpha = 1 })
    assert.same({ 1, 0, 0.5 }, { floats[1][2][3], floats[2][2][3], floats[3][1][1] })
  end)
  it('have keypoints that are known, and lines between them', function()
    local x = torch.zeros(3, 9, 9)
    local points = torch.Tensor { { { 1.5, 1.5, 1 }, { 7.5, 1.5, 2 }, { 4.5, 7.5, 0 } } }
    local found = vision.drawKeypoints(x, points, { radius = 0, colors = { 255, 255, 255 }, lines = { { 1, 2 }, { 2, 3 } } })
    assert.equal(7, #lit(found))
    assert.equal(1, found[1][2][5])
    assert.equal(2, #lit(vision.drawKeypoints(x, points, { radius = 0, colors = { 255, 255, 255 } })))
    assert.equal(0, #lit(vision.drawKeypoints(x, torch.Tensor { { { 0 / 0, 1 }, { 1e30, 2 } } }, { lines = { { 1, 2 } } })))
  end)
  it('name what is wrong', function()
    assert.has_error(function() vision.drawBoxes(torch.zeros(2, 3, 3), torch.zeros(1, 4)) end,
      'vision.drawBoxes: image: [2, 3, 3], expected (1 or 3, height, width)')
    assert.has_error(function() vision.drawMasks(torch.zeros(3, 3, 3), torch.zeros(1, 2, 3)) end,
      'vision.drawMasks: masks: [1, 2, 3], expected (n, 3, 3)')
    assert.has_error(function() vision.drawKeypoints(torch.zeros(3, 3, 3), torch.zeros(2, 2)) end)
  end)
end)
