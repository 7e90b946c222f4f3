--- Augmentations: random changes of pictures for training, like torchvision's transforms.
-- A transform is a function of a picture; each of these functions returns one. Pictures are channels x height x width, bytes or floats
-- from 0 to 1, and their type is unchanged; transforms of several pictures (n x channels x height x width) change all alike. Instead of
-- a picture a transform also accepts a file: its name, a result of `image.open`, or its bytes. The file is decoded to bytes with 3
-- channels, a JPEG file only as far as necessary.
--
-- Random draws use torch's generator, which a DataLoader seeds for each sample, so that the number and order of workers have no effect. If
-- the options have `generator`, a torch.Generator, or `seed`, the transform has a separate generator.
-- @module image.augment
-- @usage local augment = require 'image.augment'
-- local train = augment.compose {
--   augment.randomResizedCrop(224), augment.randomHorizontalFlip(), augment.normalize({ 0.485, 0.456, 0.406 }, { 0.229, 0.224, 0.225 }),
-- }
-- local x = train 'cat.jpg'
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local augment = {}
package.loaded['image.augment'] = augment

require 'torch.start.lazy_loader'(augment, [[
  image.augment.compose: compose lambda randomApply randomChoice randomOrder
  image.augment.crop: centerCrop fiveCrop pad randomCrop
  image.augment.resize: randomResizedCrop resize
  image.augment.flip: randomHorizontalFlip randomVerticalFlip
  image.augment.colour: colorJitter grayscale randomGrayscale randomInvert randomPosterize randomSolarize
  image.augment.maps: randomAffine randomPerspective randomRotation
  image.augment.blur: gaussianBlur
  image.augment.erase: randomErasing
  image.augment.convert: normalize toByte toFloat
]])

return augment
