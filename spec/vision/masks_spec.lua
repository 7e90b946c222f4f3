-- Masks of objects: figures of pycocotools (spec/vision/figures.py), and what encoding and decoding keep.
local torch = require 'torch'
local vision = require 'vision'
local figures = require 'spec.vision.figures'

local function maskOf(rows)
  local list = {}
  for i, row in ipairs(rows) do
    list[i] = {}
    for digit in row:gmatch '.' do table.insert(list[i], tonumber(digit)) end
  end
  return torch.ByteTensor(list)
end

describe('masks', function()
  it("have pycocotools' texts, areas and boxes", function()
    for _, case in ipairs(figures.rle) do
      local rle = { size = { case.h, case.w }, counts = case.counts }
      assert.same(case.area, vision.maskArea(rle))
      assert.same(case.box, { vision.maskBox(rle) })
      local mask = vision.decodeMask(rle)
      if #case.rows > 0 then assert.same(maskOf(case.rows):totable(), mask:totable()) end
      assert.same(rle, vision.encodeMask(mask))
    end
  end)
  it('of polygons are those of pycocotools', function()
    for _, case in ipairs(figures.polygons) do
      assert.same(case.counts, vision.polygonsToMask(case.points, case.h, case.w).counts)
    end
  end)
  it("overlap, and are joined, as in pycocotools", function()
    local f, list = figures.maskIou, {}
    for i, counts in ipairs(f.codes) do list[i] = { size = { 25, 28 }, counts = counts } end
    local found = vision.maskIou({ unpack(list, 1, 4) }, { unpack(list, 5, 7) }, { false, true, false })
    assert.truthy((found - torch.DoubleTensor(f.out)):abs():max() < 1e-15)
    assert.same(f.shared, vision.mergeMasks({ list[1], list[2] }, true).counts)
    assert.same(f.union, vision.mergeMasks(list).counts)
  end)
  it('have lists of runs, too', function()
    assert.same({ { 0, 1 }, { 1, 0 } }, vision.decodeMask({ size = { 2, 2 }, counts = { 1, 2, 1 } }):totable())
    assert.same('0', vision.encodeMask(torch.ByteTensor(0, 3)).counts)
  end)
  it('have boxes', function()
    local x = torch.zeros(3, 4, 5)
    x[1][2][3], x[1][4][2], x[2][1][5] = 1, 1, 1
    assert.same({ { 1, 1, 2, 3 }, { 4, 0, 4, 0 }, { 0, 0, 0, 0 } }, vision.masksToBoxes(x):totable())
  end)
  it('refuse damaged texts', function()
    for _, counts in ipairs { '', '1', 'zzzz', string.char(200), 'o', 'oooooooooooo', '0m', '\0' } do
      assert.has_error(function() vision.decodeMask { size = { 4, 5 }, counts = counts } end)
    end
    assert.has_error(function() vision.decodeMask { size = { 2, 2 }, counts = { 1, 2 } } end,
      'vision.decodeMask: rle.counts: runs of 3 pixels, expected 4')
    assert.has_error(function() vision.decodeMask { size = { 2 }, counts = '' } end)
    assert.has_error(function() vision.polygonsToMask({ { 1, 2, 3, 4 } }, 3, 3) end,
      'vision.polygonsToMask: polygons[1]: 4 numbers, expected x, y, ... of three corners or more')
    assert.has_error(function() vision.polygonsToMask({ { 1, 2, 3, 4, 0 / 0, 2 } }, 3, 3) end)
  end)
  it('read any text without harm', function()
    for _ = 1, 300 do
      local bytes = {}
      for i = 1, torch.random(1, 12) do bytes[i] = string.char(torch.random(48, 111)) end
      local done, mask = pcall(vision.decodeMask, { size = { 6, 7 }, counts = table.concat(bytes) })
      if done then assert.same(42, mask:nElement()) else assert.truthy(mask:find 'vision.decodeMask: rle.counts') end
    end
  end)
end)
