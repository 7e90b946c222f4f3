-- dataload's loaders of pictures.
local torch = require 'torch'
local paths = require 'paths'
local files = require 'spec.support.files'
local dl = require 'dataload'

local root
before_each(function()
  root = paths.tmpname()
  os.remove(root)
  paths.mkdir(root)
end)
after_each(function() paths.rmall(root, 'yes') end)

-- A picture 6 wide and 4 high whose red is its column and whose green is its row, times 40; blue as given.
local function write(name, blue)
  local bytes = {}
  for y = 0, 3 do
    for x = 0, 5 do bytes[#bytes + 1] = string.char(40 * x, 40 * y, blue or 0) end
  end
  paths.mkdir(paths.dirname(root .. '/' .. name))
  files.write(root .. '/' .. name, 'P6\n6 4\n255\n' .. table.concat(bytes))
end

describe('dl.ImageClass', function()
  before_each(function()
    write('b/1.ppm', 10)
    write('b/2.PPM', 20)
    write('a/1.ppm', 30)
    files.write(root .. '/a/notes.txt', 'x')
  end)

  it('knows its classes and pictures', function()
    local set = dl.ImageClass(root, { 3, 4, 6 }, nil, nil, nil, false)
    assert.same({ 3, 1, 2 }, { set:size(), set:size 'a', set:size(2) })
    assert.same({ 'a', 'b' }, set.classes)
    assert.same({ a = 1, b = 2 }, set.iclasses)
    assert.same({ 1, 2, 2 }, set.imageClass:totable())
    assert.same({ 2, 3 }, set.classList[2]:totable())
    assert.same({ 3, 4, 6 }, set:isize())
    local inputs, targets, names = set:index(torch.LongTensor { 3, 1 })
    assert.same({ 2, 3, 4, 6 }, inputs:size():totable())
    assert.same({ 2, 1 }, targets:totable())
    assert.same({ root .. '/b/2.PPM', root .. '/a/1.ppm' }, names)
    assert.is_true(math.abs(inputs[1][3][1][1] - 20 / 255) < 1e-6 and math.abs(inputs[2][1][1][6] - 200 / 255) < 1e-6)
    local reversed = dl.ImageClass(root, { 3, 4, 6 }, nil, nil, function(a, b) return a > b end, false, '1', nil)
    assert.same({ 'b', 'a' }, reversed.classes)
    assert.equal(1, reversed.nsample)
    assert.error_matches(function() reversed:sample(50) end, 'a: Class has zero samples')
    assert.equal(2, dl.ImageClass(root, { 3, 4, 6 }, nil, nil, nil, false, nil, 'a').nsample)
  end)

  it('draws classes, and samples as they are asked for', function()
    local set = dl.ImageClass(root, { 3, 4, 6 }, { 3, 2, 3 }, 'sampleTrain', nil, false)
    local inputs, targets = set:sample(200)
    assert.same({ 200, 3, 2, 3 }, inputs:size():totable())
    local ofA = torch.eq(targets, 1):long():sum()
    assert.is_true(ofA > 70 and ofA < 130)
    local mirrored = 0
    for i = 1, 200 do
      local red, green = inputs[i][1] * 255 / 40, inputs[i][2] * 255 / 40
      local step = red[1][2] - red[1][1]
      assert.is_true(math.abs(math.abs(step) - 1) < 1e-4 and math.abs(green[2][1] - green[1][1] - 1) < 1e-4)
      mirrored = mirrored + (step < 0 and 1 or 0)
    end
    assert.is_true(mirrored > 70 and mirrored < 130)
    inputs, targets = set:index(torch.LongTensor { 1, 2 }, nil, nil, 'sampleTest')
    assert.same({ 20, 3, 2, 3 }, inputs:size():totable())
    assert.same({ 1, 2 }, { targets[10], targets[11] })
    assert.is_true(math.abs(inputs[3][1][1][1]) < 1e-6 and math.abs(inputs[4][1][1][3]) < 1e-6)
    local own = dl.ImageClass(root, { 3, 4, 6 }, { 3, 1, 1 }, function(_, dst) return dst:fill(9) end, nil, false)
    assert.equal(9, own:sub(1, 1):max())
    assert.same({ 1, 3, 8, 5 }, dl.ImageClass(root, { 3, 4, 6 }, { 3, 8, 5 }, nil, nil, false):sub(1, 1):size():totable())
  end)

  it('is read by threads', function()
    local set = dl.AsyncIterator(dl.ImageClass(root, { 3, 4, 6 }, nil, nil, nil, false), 2)
    local count = 0
    for _, inputs, targets, names in set:subiter(2) do
      count = count + inputs:size(1)
      assert.same({ #names, #names }, { inputs:size(1), targets:size(1) })
    end
    assert.equal(3, count)
  end)

  it('says what is wrong', function()
    assert.error_matches(function() dl.ImageClass('/no/such', { 3, 4, 6 }) end, 'dl.ImageClass: datapath: /no/such, expected a folder')
    assert.error_matches(function() dl.ImageClass(root, { 3, 4 }) end, 'dl.ImageClass: loadsize%[3%]: nil, expected a whole number')
    assert.error_matches(function() dl.ImageClass(root, { 3, 4, 6 }, nil, nil, nil, false, '[12]') end,
      'Could not find any image file in the given input paths')
    assert.error_matches(function() dl.ImageClass(root, { 3, 4, 6 }, nil, 'sampleX', nil, false):sub(1, 1) end, 'samplefunc: sampleX')
  end)
end)

describe('dl.MultiImageSequence', function()
  it('runs through folders of pictures, with zeros between them', function()
    for i = 1, 2 do
      write(('s1/input%d.ppm'):format(i), 10 * i)
      write(('s1/target%d.ppm'):format(i), 10 * i + 5)
    end
    write('s2/input1.ppm', 200)
    write('s2/target1.ppm', 205)
    local size = { { 3, 4, 6 }, { 3, 4, 6 } }
    local set = dl.MultiImageSequence(root, 1, size, { { 3, 4, 6 }, { 1, 2, 2 } }, nil, false)
    set.inputpattern, set.targetpattern = 'input%d.ppm', 'target%d.ppm'
    assert.equal(5, set:size())
    local whole = dl.MultiImageSequence(root, 1, size, nil, nil, false)
    whole.inputpattern, whole.targetpattern = set.inputpattern, set.targetpattern
    local inputs, targets = whole:sub(1, 6)
    assert.same({ 6, 1, 3, 4, 6 }, inputs:size():totable())
    local blues = {}
    for i = 1, 6 do
      blues[i] = { math.floor(inputs[i][1][3]:max() * 255 + 0.5), math.floor(targets[i][1][3]:max() * 255 + 0.5) }
    end
    assert.same({ { 0, 0 }, { 10, 15 }, { 20, 25 }, { 0, 0 }, { 200, 205 }, { 0, 0 } }, blues)
    whole.samplesize, whole.samplefunc, whole.varyloadsize = { { 3, 2, 3 }, { 3, 2, 3 } }, 'sampleTrain', true
    inputs, targets = whole:sub(1, 2)
    assert.same({ 2, 1, 3, 2, 3 }, inputs:size():totable())
    assert.is_true(torch.abs(inputs[2][1][1] - targets[2][1][1]):max() < 1e-6)      -- the same part of both
    assert.error_matches(function() dl.MultiImageSequence(root, 1, size, nil, nil, false):sub(1, 2) end, 's1/input1.jpg is missing')
  end)
end)
