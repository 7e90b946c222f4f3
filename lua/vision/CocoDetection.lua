--- Pictures and the objects of COCO's annotations: boxes, masks, keypoints.
-- Format: cocodataset.org, "Data format". The package `image` reads pictures on demand.
-- @classmod vision.CocoDetection
-- @usage local set = vision.CocoDetection('val2017', 'annotations/instances_val2017.json')
-- local sample = set:get(1)
local torch, check, vision = require 'torch', require 'torch.check', require 'vision'
require 'data.Dataset'
local json = require 'torch.file.json'
local masks = require 'vision.masks'
local outside = require 'torch.file.outside'
local paths = require 'paths'

local CocoDetection, parent = torch.class('vision.CocoDetection', 'data.Dataset', vision)

local where = 'vision.CocoDetection'

-- Checks parts of the file, whose place is `name`.
local function expect(good, name, expected) return check.that(good, ('%s: %s, expected %s'):format(where, name, expected)) end

local function field(record, name, key, kind)
  expect(type(record) == 'table', name, 'an object')
  expect(type(record[key]) == kind, ('%s.%s: %s'):format(name, key, type(record[key])), 'a ' .. kind)
  return record[key]
end

local function numbers(list, name, count)
  expect(type(list) == 'table' and (not count or #list == count), name, count and ('%d numbers'):format(count) or 'a list of numbers')
  for i = 1, #list do expect(type(list[i]) == 'number', ('%s[%d]: %s'):format(name, i, type(list[i])), 'a number') end
  return list
end

local longest = 2 ^ 24      -- the longest side of a mask

local function side(record, name, key)
  local value = field(record, name, key, 'number')
  return expect(value >= 1 and value <= longest and value % 1 == 0 and value, ('%s.%s: %s'):format(name, key, value), 'a number of pixels')
end

local function listOf(file, contents, key, isOptional)
  if contents[key] == nil and isOptional then return {} end
  expect(type(contents[key]) == 'table', ('%s: %s: %s'):format(file, key, type(contents[key])), 'a list')
  return contents[key], ('%s: %s[%%d]'):format(file, key)
end

-- An annotation as the numbers of an object.
local function objectOf(record, name, numberOf)
  local box = numbers(field(record, name, 'bbox', 'table'), name .. '.bbox', 4)
  local category = field(record, name, 'category_id', 'number')
  return {
    box = { box[1], box[2], box[1] + box[3], box[2] + box[4] },
    label = expect(numberOf[category], ('%s.category_id: %s'):format(name, category), 'one of categories'),
    area = type(record.area) == 'number' and record.area or box[3] * box[4],
    isCrowd = (record.iscrowd == 1 or record.iscrowd == true) and 1 or 0,
    segmentation = type(record.segmentation) == 'table' and record.segmentation or nil,
    keypoints = type(record.keypoints) == 'table' and numbers(record.keypoints, name .. '.keypoints') or nil, name = name,
  }
end

--- @string folder of the pictures
-- @string file of the annotations, JSON
-- @tparam[opt] table options
--
-- - `transform`: a function of the sample that returns another one, such as those of `vision.transforms`
-- - `masks`: whether samples have masks (false)
-- - `type`: of pictures, 'float' (from 0 to 1) or 'byte' ('float')
-- @raise with the file and the place if it is no JSON, or a part is missing or of another kind
function CocoDetection:__init(folder, file, options)
  parent.__init(self)
  options = check.options(where, options, { 'transform', 'masks', 'type' })
  self.folder = check.name(where, 'folder', folder)
  file = check.name(where, 'file', file)
  if options.transform ~= nil then check.callable(where, 'transform', options.transform) end
  self._transform, self.hasMasks = options.transform, check.flag(where, 'masks', options.masks) or false
  self.type = check.choice(where, 'type', options.type or 'float', { 'float', 'byte' })
  local contents = outside.open(where, file, function(channel)
    return json.decode(outside.text(channel, channel:size(), 'a JSON text'))
  end)
  expect(type(contents) == 'table', file .. ': a ' .. type(contents), 'an object')
  local categories, at = listOf(file, contents, 'categories')
  local sorted, numberOf = {}, {}
  for i, category in ipairs(categories) do sorted[i] = { field(category, at:format(i), 'id', 'number'), category.name } end
  table.sort(sorted, function(a, b) return a[1] < b[1] end)
  -- Names of classes by label, and COCO's numbers of them.
  self.classes, self.categoryIds = {}, {}
  for i, pair in ipairs(sorted) do
    numberOf[pair[1]] = i
    self.categoryIds[i], self.classes[i] = pair[1], tostring(pair[2])
  end
  local images, imageAt = listOf(file, contents, 'images')
  local byId = {}
  self.images = {}
  for i, record in ipairs(images) do
    local name = imageAt:format(i)
    local id = field(record, name, 'id', 'number')
    local base = field(record, name, 'file_name', 'string')
    local isInside = not base:find '%z' and not ('/' .. base .. '/'):find '/%.%./'
    expect(isInside, ('%s.file_name: %q'):format(name, base), 'a name in the folder')
    local image = {
      id = id, file = base, height = side(record, name, 'height'), width = side(record, name, 'width'), objects = {},
    }
    expect(not byId[id], ('%s.id: %s again'):format(name, id), 'different numbers')
    self.images[i], byId[id] = image, image
  end
  local annotations, annotationAt = listOf(file, contents, 'annotations', true)
  for i, record in ipairs(annotations) do
    local name = annotationAt:format(i)
    local id = field(record, name, 'image_id', 'number')
    local image = expect(byId[id], ('%s.image_id: %s'):format(name, id), 'one of images')
    table.insert(image.objects, objectOf(record, name, numberOf))
  end
end

--- The number of pictures.
function CocoDetection:size() return #self.images end

-- A mask in COCO's form.
local function maskOf(object, image)
  local given = object.segmentation
  if not given then return masks.polygonsToMask({}, image.height, image.width) end
  if given.counts then
    local mask = { size = given.size, counts = given.counts }
    local _, height, width = masks.read(where, object.name .. '.segmentation', mask)
    expect(height == image.height and width == image.width, ('%s.segmentation: %d x %d'):format(object.name, height, width),
      ('%d x %d'):format(image.height, image.width))
    return masks.encodeMask(masks.decodeMask(mask))
  end
  for i, points in ipairs(given) do
    local name = ('%s.segmentation[%d]'):format(object.name, i)
    expect(#numbers(points, name) >= 6 and #points % 2 == 0, ('%s: %d numbers'):format(name, #points), 'x, y, ... of three corners or more')
    for k, value in ipairs(points) do
      expect(math.abs(value) <= longest, ('%s[%d]: %g'):format(name, k, value), 'a number of pixels')
    end
  end
  return masks.polygonsToMask(given, image.height, image.width)
end

--- The objects of a picture without the picture, as `vision.averagePrecision` expects the truth.
-- @int index
-- @treturn table `boxes` (n, 4), `labels`, `area` and `isCrowd` (n), `masks`, n masks in COCO's form, and `imageId`
function CocoDetection:truth(index)
  local image = self.images[self:checkIndex(index)]
  local n = #image.objects
  local found = {
    boxes = torch.FloatTensor(n, 4), labels = torch.LongTensor(n), area = torch.DoubleTensor(n), isCrowd = torch.ByteTensor(n),
    masks = {}, imageId = image.id,
  }
  for i, object in ipairs(image.objects) do
    found.boxes[i]:copy(torch.FloatTensor(object.box))
    found.labels[i], found.area[i], found.isCrowd[i] = object.label, object.area, object.isCrowd
    found.masks[i] = maskOf(object, image)
  end
  return found
end

-- Keypoints (n, k, 3) of objects that all have as many; nil otherwise.
local function keypointsOf(objects)
  local count = objects[1] and objects[1].keypoints and #objects[1].keypoints
  if not count or count == 0 or count % 3 ~= 0 then return nil end
  local points = torch.FloatTensor(#objects, count / 3, 3)
  for i, object in ipairs(objects) do
    if not object.keypoints or #object.keypoints ~= count then return nil end
    points[i]:copy(torch.FloatTensor(object.keypoints):view(count / 3, 3))
  end
  return points
end

--- A picture and its objects.
-- @int index
-- @treturn table `image`, `boxes` (n, 4), `labels` (n) from 1 in the order of COCO's numbers, `area`, `isCrowd`, `imageId`; `keypoints` (n,
-- k, 3: x, y, and 0 unknown, 1 hidden or 2 visible) if all objects have them; with the option also `masks`, a ByteTensor (n, height, width)
function CocoDetection:get(index)
  local sample, image = self:truth(index), self.images[index]
  local found, package = pcall(require, 'image')
  check.that(found, where .. ': the package image, which reads pictures, is not installed (luarocks install image)')
  sample.image = package.load(paths.concat(self.folder, image.file), 3, self.type)
  expect(sample.image:size(2) == image.height and sample.image:size(3) == image.width,
    ('%s: a picture of %d x %d'):format(image.file, sample.image:size(2), sample.image:size(3)),
    ('%d x %d as in its annotations'):format(image.height, image.width))
  local list = sample.masks
  sample.masks, sample.keypoints = nil, keypointsOf(image.objects)
  if self.hasMasks then
    sample.masks = torch.ByteTensor(#list, image.height, image.width)
    for i, mask in ipairs(list) do sample.masks[i]:copy(masks.decodeMask(mask)) end
  end
  if self._transform then return self._transform(sample) end
  return sample
end

return { CocoDetection = CocoDetection }
