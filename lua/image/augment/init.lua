--- Augmentations: changes of pictures, at random for training, as torchvision's transforms have them.
-- A transform is a function of a picture; each of these functions makes one. Pictures are channels x height x width, bytes or floats from 0
-- to 1, and keep their type; transforms of more than one picture (n x channels x height x width) change all alike. In the place of a
-- picture a transform takes a file: its name, what `image.open` gave, or its bytes. It is decoded to bytes of 3 channels, and of a JPEG
-- file no more than is needed.
--
-- Draws come from torch's generator, which a DataLoader sets anew for each sample, so that workers and their order change nothing. Where
-- options have `generator`, a torch.Generator, or `seed`, they come from a generator of the transform's own.
-- @module image.augment
-- @usage local augment = require 'image.augment'
-- local train = augment.compose {
--   augment.randomResizedCrop(224), augment.randomHorizontalFlip(), augment.normalize({ 0.485, 0.456, 0.406 }, { 0.229, 0.224, 0.225 }),
-- }
-- local x = train 'cat.jpg'
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
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
