-- Transforms of samples: figures of torchvision (spec/vision/transforms_figures.py), and that all parts move alike.
local torch = require 'torch'
local vision = require 'vision'
local transforms = require 'vision.transforms'
local figures = require 'spec.vision.transforms_figures'

local function sampleOf()
  return {
    image = torch.DoubleTensor(figures.image), masks = torch.ByteTensor(figures.masks), boxes = torch.DoubleTensor(figures.boxes),
    mask = torch.ByteTensor(figures.masks)[1], labels = torch.LongTensor { 4, 5, 6 },
    keypoints = torch.cat(torch.DoubleTensor(figures.boxes):view(3, 2, 2), torch.ones(3, 2, 1), 3), name = 'x',
  }
end

local function same(expected, actual, tolerance)
  assert.same(expected:size():totable(), actual:size():totable())
  assert.truthy((expected:double() - actual:double()):abs():max() <= tolerance)
end

local cases = {
  horizontalFlip = transforms.randomHorizontalFlip(1), verticalFlip = transforms.randomVerticalFlip(1),
  crop = transforms.crop(2, 3, 7, 9), outside = transforms.crop(-2, 10, 8, 12),
  center = transforms.centerCrop { 5, 8 }, larger = transforms.centerCrop { 16, 21 },
  pad = transforms.pad { 1, 2, 3, 4 }, resize = transforms.resize { 7, 25 }, shorter = transforms.resize(8),
  affine = transforms.affine { degrees = 25, translate = { 2, -1 }, scale = 1.25, shear = { 8, -3 } },
}

describe('transforms', function()
  for name, transform in pairs(cases) do
    it('move all parts as torchvision does: ' .. name, function()
      local given, expected = sampleOf(), figures[name]
      local found = transform(given)
      if name ~= 'affine' then same(torch.DoubleTensor(expected.image), found.image, 1e-6) end
      same(torch.ByteTensor(expected.masks), found.masks, 0)
      same(torch.DoubleTensor(expected.boxes), found.boxes, 1e-6)      -- torchvision computes ratios in float32
      same(found.masks[1], found.mask, 0)
      assert.same({ 4, 5, 6 }, found.labels:totable())
      assert.equal('x', found.name)
      same(torch.DoubleTensor(figures.boxes), given.boxes, 0)
      same(torch.DoubleTensor(figures.image), given.image, 0)
      if name ~= 'affine' and name ~= 'horizontalFlip' and name ~= 'verticalFlip' then      -- corners stay corners; only boxes are cut
        local points = found.keypoints:narrow(3, 1, 2):clone():view(3, 4)
        same(found.boxes, vision.clipBoxes(points, found.image:size(2), found.image:size(3)), 1e-9)
      end
      assert.equal(1, found.keypoints:select(3, 3):min())
    end)
  end

  it('map points as pixels move', function()      -- a bright pixel's middle
    local image = torch.zeros(1, 31, 41)
    image[1][9][13] = 1
    local given = { image = image, keypoints = torch.Tensor { { { 12.5, 8.5 } } } }
    for _, transform in ipairs { transforms.affine { degrees = 90 }, transforms.affine { degrees = -90, translate = { 3, 2 } },
      transforms.randomHorizontalFlip(1), transforms.randomVerticalFlip(1) } do
      local found = transform(given)
      local x, y = found.keypoints[1][1][1], found.keypoints[1][1][2]
      assert.near(1, found.image[1][math.floor(y) + 1][math.floor(x) + 1], 1e-9)
      assert.near(0.5, x % 1, 1e-9)
    end
  end)

  it('draw the same with the same seed, and other parts with another', function()
    local makers = {
      function(seed) return transforms.randomCrop(5, { seed = seed }) end,
      function(seed) return transforms.randomResizedCrop({ 6, 7 }, { seed = seed }) end,
      function(seed) return transforms.randomAffine(30, { translate = { 0.2, 0.2 }, scale = { 0.8, 1.2 }, seed = seed }) end,
      function(seed) return transforms.randomRotation(30, { seed = seed }) end,
      function(seed) return transforms.randomIouCrop { seed = seed, overlaps = { 0.1 } } end,
    }
    for _, make in ipairs(makers) do
      local first, again, other = make(5)(sampleOf()), make(5)(sampleOf()), make(6)(sampleOf())
      assert.truthy(torch.equal(first.boxes, again.boxes) and torch.equal(first.image, again.image))
      assert.falsy(first.image:isSameSizeAs(other.image) and torch.equal(first.image, other.image))
    end
  end)

  it('keep objects whose middles are inside, and overlap enough', function()
    for seed = 1, 40 do
      local given = sampleOf()
      given.boxes = torch.Tensor { { 1, 1, 5, 5 }, { 10, 6, 16, 11 }, { 2, 3, 14, 11 } }
      local found = transforms.randomIouCrop { seed = seed, overlaps = { 0.3 } }(given)
      local n = found.boxes:size(1)
      assert.truthy(n >= 1 and found.labels:size(1) == n and found.masks:size(1) == n and found.keypoints:size(1) == n)
      local height, width = found.image:size(2), found.image:size(3)
      assert.truthy(width / height >= 0.5 and width / height <= 2)
      assert.same({ height, width }, { found.masks:size(2), found.masks:size(3) })
      assert.truthy(torch.equal(found.boxes, vision.clipBoxes(found.boxes, height, width)))
    end
    assert.same(sampleOf().boxes:totable(), transforms.randomIouCrop { overlaps = { 1 } }(sampleOf()).boxes:totable())
  end)

  it('remove what is small or outside', function()
    local given = sampleOf()
    given.boxes = torch.Tensor { { 1, 1, 5, 5 }, { 2, 2, 2.5, 9 }, { -1, 2, 5, 9 } }
    local found = transforms.sanitize()(given)
    assert.same({ 4 }, found.labels:totable())
    assert.same({ { 1, 1, 5, 5 } }, found.boxes:totable())
    given.boxes = torch.zeros(3, 4)
    assert.same(0, transforms.sanitize()(given).boxes:nElement())
  end)

  it('are composed, and change pictures alone', function()
    local both = transforms.compose { transforms.randomHorizontalFlip(1), transforms.randomHorizontalFlip(1), transforms.normalize(0.5, 2) }
    local found = both(sampleOf())
    same((sampleOf().image - 0.5) / 2, found.image, 1e-12)
    same(sampleOf().boxes, found.boxes, 1e-12)
    assert.equal('torch.FloatTensor', transforms.toFloat()({ image = torch.ByteTensor(3, 4, 5):fill(7) }).image:type())
    local picture = { image = torch.rand(3, 8, 9) }
    local jitter = transforms.colorJitter(0.5, 0.5)
    assert.falsy(torch.equal(jitter(picture).image, picture.image))
  end)

  it('work on samples without objects', function()
    for _, transform in pairs(cases) do
      local found = transform { image = torch.rand(1, 12, 17), boxes = torch.Tensor(0, 4), masks = torch.ByteTensor(0, 12, 17) }
      assert.same({ 0, 4 }, found.boxes:size():totable())
      assert.same({ 0, found.image:size(2), found.image:size(3) }, found.masks:size():totable())
    end
  end)

  it('name what is wrong', function()
    assert.has_error(function() transforms.crop(0, 0, 2, 2) { image = torch.rand(3, 3) } end,
      'transforms.crop: sample.image: [3, 3], expected (channels, height, width)')
    assert.has_error(function() transforms.pad(1) { image = torch.rand(1, 3, 3), masks = torch.rand(1, 2, 3) } end,
      'transforms.pad: sample.masks: [1, 2, 3], expected (n, 3, 3)')
    assert.has_error(function() transforms.resize(0) end)
    assert.has_error(function() transforms.randomCrop(5) { image = torch.rand(1, 3, 3) } end,
      'transforms.randomCrop: sample.image: 3 x 3, expected 5 x 5 or more')
    assert.has_error(function() transforms.compose { 1 } end)
    assert.has_error(function() transforms.onImage(function() return torch.rand(1, 2, 2) end) { image = torch.rand(1, 3, 3) } end)
  end)
end)
