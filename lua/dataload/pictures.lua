--- Pictures for loaders: reads them at one size, and crops or scales samples with another size from them.
-- @module dataload.pictures
local torch = require 'torch'
local check = require 'torch.check'

local pictures = {}

-- The package that reads pictures, loaded on first use.
local function image()
  local found, package = pcall(require, 'image')
  check.that(found, 'dataload: the package image, which reads pictures, is not installed (luarocks install image)')
  return package
end

--- Sizes as a list of channels, height and width.
function pictures.size(where, name, size)
  if torch.isStorage(size) then size = size:totable() end
  check.table(where, name, size)
  for i = 1, 3 do check.int(where, ('%s[%d]'):format(name, i), size[i], { min = 1 }) end
  return size
end

--- Reads a picture and scales its shorter side to match `size`.
-- @treturn torch.FloatTensor channels x height x width, from 0 to 1
function pictures.load(path, size)
  local picture = image().load(path, size[1], 'float')
  local shorter = math.min(size[2], size[3])
  if math.min(picture:size(2), picture:size(3)) == shorter then return picture end
  return image().scale(picture, '^' .. shorter)
end

--- Scales to height and width.
function pictures.scale(picture, height, width)
  if picture:size(2) == height and picture:size(3) == width then return picture end
  return image().scale(picture, width, height)
end

-- Enlarges a picture if it is smaller than the size of a crop.
local function atLeast(picture, height, width)
  local factor = math.max(height / picture:size(2), width / picture:size(3))
  if factor <= 1 then return picture end
  return image().scale(picture, math.max(width, math.ceil(picture:size(3) * factor)), math.max(height, math.ceil(picture:size(2) * factor)))
end

local function crop(picture, top, left, height, width) return picture:narrow(2, top, height):narrow(3, left, width) end

--- A random position of a crop with this size.
function pictures.place(picture, height, width)
  return torch.random(1, picture:size(2) - height + 1), torch.random(1, picture:size(3) - width + 1)
end

local function flipped(picture)
  return picture:index(3, torch.range(picture:size(3), 1, -1):long())
end

--- Functions that return the samples of a picture.
pictures.samples = {}

--- The full picture, scaled.
function pictures.samples.sampleDefault(picture, height, width) return { pictures.scale(picture, height, width) } end

--- A random part, mirrored with probability 1/2.
function pictures.samples.sampleTrain(picture, height, width)
  picture = atLeast(picture, height, width)
  local top, left = pictures.place(picture, height, width)
  local part = crop(picture, top, left, height, width)
  return { torch.uniform() < 0.5 and flipped(part) or part }
end

--- The middle and the four corners, each with its mirror image.
function pictures.samples.sampleTest(picture, height, width)
  picture = atLeast(picture, height, width)
  local bottom, right = picture:size(2) - height + 1, picture:size(3) - width + 1
  local places = { { math.ceil(bottom / 2), math.ceil(right / 2) }, { 1, 1 }, { 1, right }, { bottom, 1 }, { bottom, right } }
  local parts = {}
  for _, place in ipairs(places) do
    local part = crop(picture, place[1], place[2], height, width)
    parts[#parts + 1], parts[#parts + 2] = part, flipped(part)
  end
  return parts
end

return pictures
