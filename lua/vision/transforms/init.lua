--- Transforms of samples for detection and segmentation: pictures, and the boxes, masks and keypoints that move along.
-- A sample is a table with `image` (channels, height, width) and any of `boxes` (n, 4), `masks` (n, height, width), `mask` (height, width),
-- the classes of pixels, `keypoints` (n, k, 2 or more: x, y, ...), and other fields, which stay. A transform is a function of a sample that
-- returns another one. `labels`, `scores`, `area`, `isCrowd`, `boxes`, `masks` and `keypoints` lose the objects that a transform removes.
--
-- Random draws are those of `image.augment`: options have `generator` or `seed`, and a DataLoader seeds torch's generator for each sample.
-- @module vision.transforms
-- @usage local transforms = require 'vision.transforms'
-- local train = transforms.compose {
--   transforms.randomIouCrop(), transforms.randomHorizontalFlip(), transforms.resize { 300, 300 },
--   transforms.normalize({ 0.485, 0.456, 0.406 }, { 0.229, 0.224, 0.225 }),
-- }
-- local sample = train { image = image.load 'cat.jpg', boxes = boxes, labels = labels }
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local transforms = {}
package.loaded['vision.transforms'] = transforms

require 'torch.start.lazy_loader'(transforms, [[
  vision.transforms.compose: colorJitter compose normalize onImage toFloat
  vision.transforms.crops: centerCrop crop pad randomCrop randomIouCrop randomResizedCrop resize
  vision.transforms.maps: affine randomAffine randomHorizontalFlip randomRotation randomVerticalFlip
  vision.transforms.sample: sanitize
]])

return transforms
