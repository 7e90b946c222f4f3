-- Augmentations: torchvision's figures for deterministic cases (augment_figures.py), bounds and frequencies of random values,
-- files instead of pictures, and random values that depend only on the generator.
local torch = require 'torch'
local image = require 'image'
local augment = require 'image.augment'
local assertClose = require('spec.support.close').assertClose

local figures = {}
for _, figure in ipairs(require 'spec.image.augment_figures') do
  figures[figure.name] = torch.DoubleTensor(figure.values):view(unpack(figure.size))
end
local picture = figures.picture:float()
local exact = { 1.4, 1.4 }

local function scratch(ending)
  local name = os.tmpname()
  os.remove(name)
  return name .. '.' .. ending
end

describe("augment has torchvision's results:", function()
  -- Its weight of red is 0.2989, not 0.299, and figures have 6 digits.
  for name, case in pairs {
    brightness = { augment.colorJitter(exact), 2e-6 },
    contrast = { augment.colorJitter(nil, { 1.6, 1.6 }), 1e-4 },
    saturation = { augment.colorJitter(nil, nil, { 0.3, 0.3 }), 1e-4 },
    hue = { augment.colorJitter(nil, nil, nil, { 0.2, 0.2 }), 2e-5 },
    grayscale = { augment.grayscale(3), 1.1e-4 },
    blur = { augment.gaussianBlur(5, 1.3), 2e-6 },
    rotation = { augment.randomRotation({ 33, 33 }, { mode = 'simple' }), 1e-6 },
    solarize = { augment.randomSolarize(0.6, 1), 1e-6 },
    invert = { augment.randomInvert(1), 2e-6 },
    normalize = { augment.normalize({ 0.4, 0.5, 0.6 }, { 0.2, 0.3, 0.4 }), 1e-5 },
    centerCrop = { augment.centerCrop { 5, 14 }, 1e-6 },
    reflect = { augment.pad({ 2, 3, 1, 4 }, { mode = 'reflect' }), 1e-6 },
    symmetric = { augment.pad({ 2, 3, 1, 4 }, { mode = 'symmetric' }), 1e-6 },
    edge = { augment.pad({ 2, 3, 1, 4 }, { mode = 'edge' }), 1e-6 },
    constant = { augment.pad({ 2, 3, 1, 4 }, { fill = 0.25 }), 1e-6 },
    resize = { augment.resize(5), 2e-6 },
    resizeTo = { augment.resize({ 12, 5 }, { filter = 'bicubic' }), 1e-5 },
  } do
    it(name, function() assertClose(figures[name], case[1](picture), case[2]) end)
  end

  it('posterize', function()
    local bytes = torch.floor(picture:double() * 255 + 1e-4):byte()
    assertClose(figures.posterize, augment.randomPosterize(3, 1)(bytes), 0)
  end)

  it('affine', function()
    -- Equal bounds fix the random values, except moves, for which only the moved part is compared.
    local turned = augment.randomAffine({ -20, -20 }, { scale = { 1.3, 1.3 }, shear = { 10, 10, 5, 5 }, mode = 'simple' })(picture)
    assertClose(figures.affine[{ {}, { 1, 8 }, { 3, 11 } }], turned[{ {}, { 2, 9 }, { 1, 9 } }], 1e-6)
  end)
end)

describe('augment', function()
  local x = torch.rand(3, 40, 50):float()

  it('keeps the type of bytes', function()
    local bytes = (x * 255):byte()
    for _, transform in ipairs {
      augment.colorJitter(0.4, 0.4, 0.4, 0.1), augment.grayscale(), augment.randomRotation(20), augment.gaussianBlur(3), augment.resize(20),
      augment.randomErasing(1), augment.randomInvert(1), augment.pad(2), augment.randomPerspective(0.5, 1), augment.randomSolarize(0.5, 1),
    } do
      assert.equal('torch.ByteTensor', transform(bytes):type())
      assert.equal('torch.DoubleTensor', transform(x:double()):type())
    end
    assertClose(bytes, augment.toByte()(augment.toFloat()(bytes)), 0)
    assertClose(bytes:double() / 255, augment.toFloat 'double'(bytes), 1e-15)
    assertClose((bytes:double() / 255 - 0.4) / 0.2, augment.normalize(0.4, 0.2)(bytes), 1e-6)
  end)

  it('leaves the picture that it gets as it is', function()
    local before = x:clone()
    for _, transform in ipairs {
      augment.colorJitter(0.4, 0.4, 0.4, 0.1), augment.randomErasing(1), augment.normalize(0.5, 0.5), augment.randomHorizontalFlip(1),
      augment.randomInvert(1), augment.toByte(),
    } do transform(x) end
    assertClose(before, x, 0)
  end)

  it('changes all of several pictures alike', function()
    local both = torch.stack({ x, x }, 1)
    for seed, transform in ipairs {
      augment.randomCrop(20), augment.randomResizedCrop(16), augment.colorJitter(0.4, 0.4, 0.4, 0.2), augment.randomRotation(20),
      augment.randomErasing(1), augment.gaussianBlur(5), augment.randomAffine(10, { translate = { 0.1, 0.1 }, shear = 5 }),
    } do
      torch.manualSeed(seed)
      local y = transform(both)
      assertClose(y[1], y[2], 0)
      torch.manualSeed(seed)
      assertClose(transform(x), y[1], 1e-6)
    end
  end)

  it('crops anywhere, and everywhere alike', function()
    local numbered = torch.range(1, 12):view(1, 3, 4)
    local seen = {}
    local crop, count = augment.randomCrop { 2, 3 }, 4000
    for _ = 1, count do
      local first = crop(numbered)[1][1][1]
      seen[first] = (seen[first] or 0) + 1
    end
    for _, first in ipairs { 1, 2, 5, 6 } do      -- a quarter each, within 5 deviations
      assert.is_true(math.abs(seen[first] - count / 4) < 5 * math.sqrt(count * 3 / 16))
      seen[first] = nil
    end
    assert.same({}, seen)
  end)

  it('draws parts of the areas and shapes that are allowed', function()
    local ramp = torch.range(0, 199):view(1, 1, 200):expand(1, 200, 200)      -- an element is its column
    local crop = augment.randomResizedCrop({ 200, 200 }, { scale = { 0.2, 0.5 }, ratio = { 0.5, 2 }, filter = 'nearest' })
    local least, most = 1e9, 0
    for _ = 1, 300 do
      local row = crop(ramp)[1][1]
      local width = row[200] - row[1] + 1
      least, most = math.min(least, width), math.max(most, width)
    end
    -- The widths of an area of 0.2 with a ratio of 0.5, and of one of 0.5 with a ratio of 2.
    assert.is_true(least >= math.sqrt(0.2 * 0.5) * 200 - 3 and least < math.sqrt(0.2 * 0.5) * 200 + 20)
    assert.is_true(most <= 200 and most > math.sqrt(0.5) * 200)
  end)

  it('erases a part of the area that is allowed', function()
    local erase = augment.randomErasing(1, { scale = { 0.1, 0.2 }, value = { 2, 3, 4 } })
    for _ = 1, 50 do
      local y = erase(x)
      local share = y[1]:eq(2):sum() / (40 * 50)
      assert.is_true(share > 0.08 and share < 0.22)
      assert.equal(y[1]:eq(2):sum(), y[3]:eq(4):sum())
    end
    assert.equal(40 * 50 * 3, augment.randomErasing(0)(x):eq(x):sum())
  end)

  it('does what has a probability as often as that', function()
    local count, flips, applied, first = 2000, 0, 0, 0
    local one = torch.FloatTensor { { { 0, 1 } } }
    local flip, maybe = augment.randomHorizontalFlip(0.3), augment.randomApply({ augment.lambda(function(y) return y + 1 end) }, 0.2)
    local choice = augment.randomChoice({ function() return 1 end, function() return 0 end }, { weights = { 1, 3 } })
    for _ = 1, count do
      flips = flips + flip(one)[1][1][1]
      applied = applied + maybe(one)[1][1][1]
      first = first + choice(one)
    end
    for probability, times in pairs { [0.3] = flips, [0.2] = applied, [0.25] = first } do
      assert.is_true(math.abs(times - count * probability) < 5 * math.sqrt(count * probability * (1 - probability)))
    end
  end)

  it("draws from torch's generator, or from its own", function()
    local function some(transform)
      local list = {}
      for i = 1, 5 do list[i] = transform(x) end
      return torch.stack(list, 1)
    end
    torch.manualSeed(7)
    local a = some(augment.randomCrop(10))
    torch.manualSeed(7)
    assertClose(a, some(augment.randomCrop(10)), 0)
    local own = some(augment.randomCrop(10, { seed = 5 }))
    local state = torch.getRNGState()
    assertClose(own, some(augment.randomCrop(10, { seed = 5 })), 0)
    assert.is_true(state:equal(torch.getRNGState()))
    local generator = torch.Generator()
    torch.manualSeed(generator, 9)
    local b = some(augment.randomCrop(10, { generator = generator }))
    torch.manualSeed(generator, 9)
    assertClose(b, some(augment.randomCrop(10, { generator = generator })), 0)
  end)

  it('takes files, and decodes what it needs', function()
    local name = scratch 'jpg'
    local ramp = torch.range(0, 1, 1 / 159):view(1, 160):expand(120, 160)
    image.save(name, torch.stack({ ramp, torch.pow(ramp, 2), 1 - ramp }, 1))
    local bytes = image.load(name, 3, 'byte')
    local whole = io.open(name, 'rb'):read '*a'
    local packed = torch.ByteTensor(torch.ByteStorage():string(whole))
    for seed, transform in ipairs {
      augment.randomCrop(30), augment.centerCrop(50), augment.resize(60), augment.randomResizedCrop(40), augment.randomHorizontalFlip(1),
      augment.compose { augment.randomCrop(64), augment.toFloat() },
    } do
      torch.manualSeed(seed)
      local expected = transform(bytes)
      for _, source in ipairs { name, packed, image.open(name) } do
        torch.manualSeed(seed)
        assertClose(expected, transform(source), 0)
      end
    end
    local small = augment.resize(30, { shrinkOnLoad = true })(name)
    assert.same({ 3, 30, 40 }, small:size():totable())
    assertClose(augment.resize(30)(name), small, 6)
    os.remove(name)
  end)

  it('gives a loader the same batches, whoever makes them', function()
    local data = require 'data'
    local folder = os.tmpname()
    os.remove(folder)
    for i = 1, 7 do
      local class = folder .. (i % 2 == 0 and '/even' or '/odd')
      os.execute('mkdir -p ' .. class)
      image.save(('%s/%d.jpg'):format(class, i), torch.rand(3, 40 + i, 50))
    end
    local transform = augment.compose {
      augment.randomResizedCrop(16), augment.randomHorizontalFlip(), augment.colorJitter(0.4), augment.normalize(0.5, 0.25),
      augment.randomErasing(0.5),
    }
    local set = data.ImageFolder(folder, { decode = false, transform = transform })
    local function all(options)
      local pictures = {}
      options.batchSize, options.shuffle, options.seed = 3, true, 5
      for batch in data.DataLoader(set, options)() do pictures[#pictures + 1] = batch.input end
      return torch.cat(pictures, 1)
    end
    local expected = all { workers = 0 }
    assert.same({ 7, 3, 16, 16 }, expected:size():totable())
    assertClose(expected, all { workers = 3 }, 0)
    assertClose(expected, all { workers = 2, mode = 'processes' }, 0)
    os.execute('rm -r ' .. folder)
  end)

  for call, expected in pairs {
    ["augment.randomCrop()"] = 'augment.randomCrop: size: nil, expected a number or { height, width }',
    ["augment.randomCrop(8)(torch.ones(3, 4, 5))"] =
      'augment.randomCrop: picture: 4 x 5, expected 8 x 8 or more, or the option padIfNeeded',
    ["augment.randomCrop(8, { pad = 1 })"] =
      'augment.randomCrop: options: pad, expected one of generator, seed, padding, padIfNeeded, mode, fill',
    ["augment.randomHorizontalFlip(2)"] = 'augment.randomHorizontalFlip: probability: 2, expected a number from 0 to 1',
    ["augment.randomHorizontalFlip()(5)"] =
      'augment.randomHorizontalFlip: picture: 5, expected channels x height x width or a file',
    ["augment.compose { 5 }"] = 'augment.compose: transforms: number 1: number, expected a function',
    ["augment.colorJitter(nil, nil, nil, 0.7)"] = 'augment.colorJitter: hue: 0.7, expected a number from 0 to 0.5',
    ["augment.gaussianBlur(4)"] = 'augment.gaussianBlur: kernelSize: 4, expected an odd number',
    ["augment.normalize({ 1, 2 }, 1)(torch.ones(3, 4, 5))"] = 'augment.normalize: mean: 2 numbers for a picture of 3 channels',
    ["augment.normalize(1, 0)"] = 'augment.normalize: std: 0, expected deviations above 0',
    ["augment.resize(9)('no/such.png')"] = 'augment.resize: no/such.png: No such file or directory',
    ["augment.randomResizedCrop(9, { scale = { 1, 0 } })"] =
      'augment.randomResizedCrop: scale: {1, 0}, expected two numbers in order from 0 on',
    ["augment.pad()"] = 'augment.pad: padding: nil, expected a number or a list of numbers',
    ["augment.pad({ 1, 2, 3 })"] = 'augment.pad: padding: {1, 2, 3}, expected 1, 2 or 4 numbers',
  } do
    it(call .. ' gets a sentence', function()
      local _, message = pcall(assert(loadstring('local torch, augment = ...\nlocal _ = ' .. call, '=program')), torch, augment)
      assert.equal('program:2: ' .. expected, message)
    end)
  end
end)
