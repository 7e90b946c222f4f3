--- Images in one folder per class: `root/cat/1.jpg`, `root/dog/2.png`. The package `image` reads them on demand.
-- @classmod data.ImageFolder
-- @usage local set = data.ImageFolder('photos', { size = { 3, 64, 64 } })
-- for batch in set:loader { batchSize = 32, shuffle = true, workers = 2 }() do step(batch.input, batch.target) end
local torch = require 'torch'
local check = require 'torch.check'
local data = require 'data'
require 'data.Dataset'
local paths, folders = require 'paths', require 'data.readers.folders'

local ImageFolder, parent = torch.class('data.ImageFolder', 'data.Dataset', data)

local where = 'data.ImageFolder'
local usualExtensions = { 'jpg', 'jpeg', 'png', 'ppm', 'pgm', 'bmp', 'gif', 'tif', 'tiff', 'webp' }

-- Adds the images in a folder and its subfolders.
local function collect(folder, extensions, found)
  for _, name in ipairs(folders.names(folder)) do
    local path = paths.concat(folder, name)
    if paths.dirp(path) then
      collect(path, extensions, found)
    elseif extensions[(name:match '%.(%w+)$' or ''):lower()] then
      found[#found + 1] = path
    end
  end
  return found
end

--- @string root the folder
-- @tparam[opt] table options
--
-- - `size`: { channels, height, width } to scale images to, or { channels } alone; default: unchanged
-- - `transform`: a function of the image that returns another image
-- - `decode`: whether the transform's argument is an image (default) or, if false, the file's name: transforms from `image.augment` accept
--   it, and decode only as much as they need
-- - `type`: of tensors, 'float' (from 0 to 1) or 'byte'
-- - `extensions`: of image files (jpg, jpeg, png, ppm, pgm, bmp, gif, tif, tiff and webp)
-- - `classes`: names of folders in the order of their numbers; default: all folders in alphabetical order
-- @raise if the folder doesn't exist or has no images
function ImageFolder:__init(root, options)
  parent.__init(self)
  options = check.options(where, options, { 'size', 'transform', 'decode', 'type', 'extensions', 'classes' })
  check.that(paths.dirp(check.name(where, 'root', root)), ('%s: root: %s, expected a folder'):format(where, root))
  local extensions = {}
  for _, extension in ipairs(options.extensions or usualExtensions) do extensions[extension:lower()] = true end
  self.root, self._transform, self.type = root, options.transform, options.type or 'float'
  check.that(self.type == 'float' or self.type == 'byte', ("%s: type: %s, expected 'float' or 'byte'"):format(where, tostring(self.type)))
  if options.size ~= nil then self.dimensions = check.table(where, 'size', options.size) end
  if options.transform ~= nil then check.callable(where, 'transform', options.transform) end
  self.decodes = check.flag(where, 'decode', options.decode) ~= false
  check.that(self.decodes or options.transform and not options.size, where .. ': decode: false, expected a transform without size')
  self.classes = options.classes or folders.within(root)
  self.files, self.targets, self.indexOf = {}, {}, {}
  for number, class in ipairs(self.classes) do
    self.indexOf[class] = number
    for _, file in ipairs(collect(paths.concat(root, class), extensions, {})) do
      self.files[#self.files + 1], self.targets[#self.targets + 1] = file, number
    end
  end
  check.that(#self.files > 0, ('%s: root: %s has no pictures in folders of classes, expected CLASS/NAME.jpg and so on'):format(where,
    root))
end

--- The number of images.
function ImageFolder:size() return #self.files end

local function package()
  local found, image = pcall(require, 'image')
  check.that(found, where .. ': the package image, which reads pictures, is not installed (luarocks install image)')
  return image
end

local function read(self, path)
  local image, wanted = package(), self.dimensions or {}
  local picture = image.load(path, wanted[1], self.type)
  if wanted[2] and (picture:size(2) ~= wanted[2] or picture:size(3) ~= wanted[3]) then
    picture = image.scale(picture, wanted[3], wanted[2])
  end
  return picture
end

--- An image and its class.
-- @int index
-- @treturn table `input` (channels x height x width), `target` (the class's number, from 1) and `path`
function ImageFolder:get(index)
  local path = self.files[self:checkIndex(index)]
  local picture = self.decodes and read(self, path) or path
  if self._transform then picture = self._transform(picture) end
  return { input = picture, target = self.targets[index], path = path }
end

return { ImageFolder = ImageFolder }
