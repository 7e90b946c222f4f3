--- Pictures and the objects of PASCAL VOC's annotations.
-- A folder has `Annotations/NAME.xml`, `JPEGImages/NAME.jpg` and `ImageSets/Main/SET.txt`, which lists names. Everingham et al. (2010),
-- "The PASCAL Visual Object Classes (VOC) Challenge", IJCV 88. The package `image` reads pictures on demand.
-- @classmod vision.VocDetection
-- @usage local set = vision.VocDetection('VOCdevkit/VOC2012', { set = 'val' })
local torch, check, vision = require 'torch', require 'torch.check', require 'vision'
require 'data.Dataset'
local outside = require 'torch.file.outside'
local paths = require 'paths'
local xml = require 'vision.xml'

local VocDetection, parent = torch.class('vision.VocDetection', 'data.Dataset', vision)

local where = 'vision.VocDetection'

local usualClasses = {
  'aeroplane', 'bicycle', 'bird', 'boat', 'bottle', 'bus', 'car', 'cat', 'chair', 'cow', 'diningtable', 'dog', 'horse', 'motorbike',
  'person', 'pottedplant', 'sheep', 'sofa', 'train', 'tvmonitor',
}

local function textOf(name)
  return outside.open(where, name, function(channel) return outside.text(channel, channel:size(), 'a text') end)
end

--- @string folder
-- @tparam[opt] table options
--
-- - `set`: the list of names in ImageSets/Main ('train')
-- - `classes`: names in the order of their labels (VOC's 20)
-- - `transform`: a function of the sample that returns another one
-- - `type`: of pictures, 'float' (from 0 to 1) or 'byte' ('float')
-- @raise if the list doesn't exist or has no names
function VocDetection:__init(folder, options)
  parent.__init(self)
  options = check.options(where, options, { 'set', 'classes', 'transform', 'type' })
  self.folder = check.name(where, 'folder', folder)
  if options.transform ~= nil then check.callable(where, 'transform', options.transform) end
  self._transform = options.transform
  self.type = check.choice(where, 'type', options.type or 'float', { 'float', 'byte' })
  self.classes = check.table(where, 'classes', options.classes or usualClasses)
  self.indexOf = {}
  for i, class in ipairs(self.classes) do self.indexOf[check.text(where, ('classes[%d]'):format(i), class)] = i end
  local list = paths.concat(folder, 'ImageSets', 'Main', check.name(where, 'set', options.set or 'train') .. '.txt')
  self.names = {}
  for line in textOf(list):gmatch '[^\r\n]+' do
    local name = line:match '^%s*(%S+)'
    if name then
      check.that(not name:find '[/%z]', ('%s: %s: %q, expected names without a folder'):format(where, list, name))
      self.names[#self.names + 1] = name
    end
  end
  check.that(#self.names > 0, ('%s: %s: no names, expected one a line'):format(where, list))
end

--- The number of pictures.
function VocDetection:size() return #self.names end

local sides = { 'xmin', 'ymin', 'xmax', 'ymax' }

-- The objects of an annotation: boxes in continuous coordinates, VOC's first pixel is 1.
local function objectsOf(self, file)
  local root = outside.open(where, file, function(channel) return xml.decode(outside.text(channel, channel:size(), 'an XML text')) end)
  local boxes, labels, difficult = {}, {}, {}
  for _, element in ipairs(root) do
    if element.name == 'object' then
      local at = ('%s: %s: object %d'):format(where, file, #labels + 1)
      local class, bounds = xml.child(element, 'name'), xml.child(element, 'bndbox')
      check.that(class and bounds, at .. ': no name or bndbox, expected both')
      local box = {}
      for k, side in ipairs(sides) do
        local value = xml.child(bounds, side)
        local shown = value and ('%q'):format(value.text) or 'none'
        box[k] = check.that(value and tonumber(value.text), ('%s: %s: %s, expected a number'):format(at, side, shown))
        if k <= 2 then box[k] = box[k] - 1 end
      end
      labels[#labels + 1] = check.that(self.indexOf[class.text], ('%s: name: %q, expected one of the classes'):format(at, class.text))
      boxes[#boxes + 1] = box
      local hard = xml.child(element, 'difficult')
      difficult[#labels] = hard and tonumber(hard.text) == 1 and 1 or 0
    end
  end
  return boxes, labels, difficult
end

--- A picture and its objects.
-- @int index
-- @treturn table `image`, `boxes` (n, 4), `labels` (n), `difficult` (n): 1 for objects that VOC does not count, and `name`
-- @raise with the file and the place if the annotation is damaged
function VocDetection:get(index)
  local name = self.names[self:checkIndex(index)]
  local boxes, labels, difficult = objectsOf(self, paths.concat(self.folder, 'Annotations', name .. '.xml'))
  local found, package = pcall(require, 'image')
  check.that(found, where .. ': the package image, which reads pictures, is not installed (luarocks install image)')
  local sample = {
    image = package.load(paths.concat(self.folder, 'JPEGImages', name .. '.jpg'), 3, self.type), name = name,
    boxes = #boxes > 0 and torch.FloatTensor(boxes) or torch.FloatTensor(0, 4), labels = torch.LongTensor(labels),
    difficult = torch.ByteTensor(difficult),
  }
  if self._transform then return self._transform(sample) end
  return sample
end

return { VocDetection = VocDetection }
