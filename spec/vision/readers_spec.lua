-- Data sets of COCO's and VOC's annotations, in files that the specs write.
local torch, image, paths = require 'torch', require 'image', require 'paths'
local vision = require 'vision'
local xml = require 'vision.xml'

local function write(name, text)
  local file = assert(io.open(name, 'w'))
  file:write(text)
  file:close()
  return name
end

local function folder()
  local name = os.tmpname()
  os.remove(name)
  paths.mkdir(name)
  return name
end

local good = [==[{
  "images": [{ "id": 9, "file_name": "a.png", "height": 6, "width": 8 }, { "id": 4, "file_name": "b.png", "height": 6, "width": 8 }],
  "categories": [{ "id": 7, "name": "dog" }, { "id": 3, "name": "cat" }],
  "annotations": [
    { "id": 1, "image_id": 9, "category_id": 7, "bbox": [1, 2, 3, 4], "area": 5.5, "iscrowd": 0,
      "segmentation": [[1, 2, 4, 2, 4, 6, 1, 6]], "keypoints": [1, 2, 2, 0, 0, 0] },
    { "id": 2, "image_id": 9, "category_id": 3, "bbox": [0, 0, 8, 6], "iscrowd": 1,
      "segmentation": { "size": [6, 8], "counts": [10, 3, 35] }, "keypoints": [3, 4, 1, 5, 5, 2] }
  ]
}]==]

describe("COCO's annotations", function()
  local root = folder()
  local picture = torch.rand(3, 6, 8)
  image.save(root .. '/a.png', picture)
  image.save(root .. '/b.png', picture)
  local file = write(root .. '/instances.json', good)

  it('are samples', function()
    local set = vision.CocoDetection(root, file, { masks = true })
    assert.equal(2, set:size())
    assert.same({ 'cat', 'dog' }, set.classes)
    assert.same({ 3, 7 }, set.categoryIds)
    local sample = set:get(1)
    assert.same({ { 1, 2, 4, 6 }, { 0, 0, 8, 6 } }, sample.boxes:totable())
    assert.same({ 2, 1 }, sample.labels:totable())
    assert.same({ 5.5, 48 }, sample.area:totable())
    assert.same({ 0, 1 }, sample.isCrowd:totable())
    assert.same({ { { 1, 2, 2 }, { 0, 0, 0 } }, { { 3, 4, 1 }, { 5, 5, 2 } } }, sample.keypoints:totable())
    assert.same({ 2, 6, 8 }, sample.masks:size():totable())
    assert.same({ 12, 3 }, { sample.masks[1]:sum(), sample.masks[2]:sum() })
    assert.equal(1, sample.masks[1][3][2])
    assert.same({ 3, 6, 8 }, sample.image:size():totable())
    assert.truthy((sample.image:double() - picture:double()):abs():max() < 1 / 255)
    assert.same({ 0, 4 }, set:get(2).boxes:size():totable())
    assert.equal(4, set:get(2).imageId)
  end)

  it('are the truth of averagePrecision', function()
    local set = vision.CocoDetection(root, file)
    local truth = { set:truth(1), set:truth(2) }
    local found = {
      { labels = torch.LongTensor { 2 }, boxes = torch.Tensor { { 1, 2, 4, 6 } }, scores = torch.Tensor { 1 },
        masks = { truth[1].masks[1] } },
      { labels = torch.LongTensor(0), boxes = torch.Tensor(0, 4), scores = torch.Tensor(0), masks = {} },
    }
    assert.near(1, vision.averagePrecision(truth, found).AP, 1e-9)
    assert.near(1, vision.averagePrecision(truth, found, { kind = 'masks' }).AP, 1e-9)
  end)

  it('pass transforms and loaders', function()
    local transforms = require 'vision.transforms'
    local set = vision.CocoDetection(root, file, { transform = transforms.randomHorizontalFlip(1), type = 'byte' })
    assert.same({ { 4, 2, 7, 6 }, { 0, 0, 8, 6 } }, set:get(1).boxes:totable())
    local count = 0
    for batch in set:loader { batchSize = 2, collate = function(samples) return samples end }() do count = count + #batch end
    assert.equal(2, count)
  end)

  it('name the file and the place of damage', function()
    local function fails(change, with, message)
      local text, n = good:gsub(change, with, 1)
      assert.equal(1, n)
      local name = write(root .. '/bad.json', text)
      local done, err = pcall(function()
        local set = vision.CocoDetection(root, name, { masks = true })
        set:get(1)
      end)
      assert.falsy(done, change)
      assert.truthy(err:find('bad.json', 1, true) or err:find('a.png', 1, true), err)
      assert.truthy(err:find(message, 1, true), err)
    end
    fails('"images"', 'images', 'at byte')
    fails('"categories"', '"kinds"', 'categories: nil')
    fails('"image_id": 9', '"image_id": 5', 'annotations[1].image_id: 5, expected one of images')
    fails('"category_id": 7', '"category_id": 8', 'annotations[1].category_id: 8, expected one of categories')
    fails('%[1, 2, 3, 4%]', '[1, 2, 3]', 'annotations[1].bbox, expected 4 numbers')
    fails('%[1, 2, 3, 4%]', '[1, 2, "3", 4]', 'annotations[1].bbox[3]: string, expected a number')
    fails('"a.png"', '"../a.png"', 'images[1].file_name')
    fails('%[%[1, 2, 4, 2', '[["x", 2, 4, 2', 'annotations[1].segmentation[1][1]')
    fails('10, 3, 35', '10, 3, 36', 'annotations[2].segmentation')
    fails('"width": 8', '"width": 9', 'annotations[2].segmentation: 6 x 8, expected 6 x 9')
    fails('^{', '[', 'expected')
    fails('"id": 4', '"id": 9', 'images[2].id: 9 again')
    fails('"height": 6', '"height": 1e9', 'images[1].height: 1000000000, expected a number of pixels')
    fails('%[%[1, 2, 4, 2', '[[1, 2, 4, 1e308', 'annotations[1].segmentation[1][4]: 1e+308, expected a number of pixels')
    fails('"width": 8', '"width": 0.5', 'images[1].width: 0.5, expected a number of pixels')
    fails('"images"', '"pictures"', 'bad.json: images: nil, expected a list')
    assert.has_error(function() vision.CocoDetection(root, root .. '/none.json') end)
    local name = write(root .. '/other.json', (good:gsub('"width": 8 }]', '"width": 9 }]', 1)))
    assert.error_matches(function() vision.CocoDetection(root, name):get(2) end, 'b%.png: a picture of 6 x 8, expected 6 x 9')
  end)
end)

local annotation = [[<?xml version="1.0"?>
<!-- a picture -->
<annotation>
  <filename>x.jpg</filename><owner name="a"/>
  <object><name>dog</name><difficult>1</difficult><bndbox><xmax>5</xmax><xmin>1</xmin><ymin>2</ymin><ymax>6.5</ymax></bndbox>
    <part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part></object>
  <object><name>cat</name><bndbox><xmin>3</xmin><ymin>3</ymin><xmax>8</xmax><ymax>4</ymax></bndbox></object>
</annotation>
]]

describe("VOC's annotations", function()
  local root = folder()
  for _, name in ipairs { '', '/Annotations', '/JPEGImages', '/ImageSets', '/ImageSets/Main' } do paths.mkdir(root .. name) end
  write(root .. '/ImageSets/Main/val.txt', 'x\ny  1\n')
  write(root .. '/Annotations/x.xml', annotation)
  write(root .. '/Annotations/y.xml', '<annotation></annotation>')
  for _, name in ipairs { 'x', 'y' } do image.save(('%s/JPEGImages/%s.jpg'):format(root, name), torch.rand(3, 7, 8)) end

  it('are samples', function()
    local set = vision.VocDetection(root, { set = 'val' })
    assert.equal(2, set:size())
    local sample = set:get(1)
    assert.same({ { 0, 1, 5, 6.5 }, { 2, 2, 8, 4 } }, sample.boxes:totable())
    assert.same({ 12, 8 }, sample.labels:totable())
    assert.same({ 1, 0 }, sample.difficult:totable())
    assert.same({ 3, 7, 8 }, sample.image:size():totable())
    assert.same({ 0, 4 }, set:get(2).boxes:size():totable())
    assert.same({ 2, 1 }, vision.VocDetection(root, { set = 'val', classes = { 'cat', 'dog' } }):get(1).labels:totable())
  end)

  it('name the file and the place of damage', function()
    local set = vision.VocDetection(root, { set = 'val' })
    local function fails(text, message)
      write(root .. '/Annotations/y.xml', text)
      local done, err = pcall(set.get, set, 2)
      assert.falsy(done)
      assert.truthy(err:find('y.xml', 1, true) and err:find(message, 1, true), err)
    end
    fails(annotation:gsub('dog', 'dragon'), 'object 1: name: "dragon", expected one of the classes')
    fails(annotation:gsub('<xmin>1</xmin>', '<xmin>one</xmin>'), 'object 1: xmin: "one", expected a number')
    fails(annotation:gsub('<xmax>5</xmax>', ''), 'object 1: xmax: none')
    fails(annotation:sub(1, 200), 'expected')
    fails('', 'expected an element')
    fails('<!DOCTYPE a [<!ENTITY x SYSTEM "/etc/passwd">]><a>&x;</a>', 'expected an element')
    assert.has_error(function() vision.VocDetection(root, { set = 'none' }) end)
    write(root .. '/ImageSets/Main/bad.txt', '../../secret\n')
    assert.has_error(function() vision.VocDetection(root, { set = 'bad' }) end)
  end)
end)

describe('XML', function()
  it('has elements and texts', function()
    local root = xml.decode ' <a>x &lt;&amp;&#65;&#x42; <b c="1"/><!-- <no> --><b>y</b></a> '
    assert.same('a', root.name)
    assert.same('x <&AB', root.text)
    assert.same('y', root[2].text)
    assert.same('', xml.child(root, 'b').text)
  end)
  it('is refused if it is not well-formed', function()
    for _, text in ipairs { '<a>', '</a>', '<a></b>', '<a/><b/>', 'x', '<a>&nbsp;</a>', '<a>&#0;</a>', '<a', '<1/>', '<!-- ', '<? ',
      '<a>]]>&', ('<a>'):rep(100) .. ('</a>'):rep(100) } do
      assert.falsy(pcall(xml.decode, text), text)
    end
  end)
end)
