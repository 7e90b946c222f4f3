--- Vision: boxes, masks and keypoints of objects in pictures, their transforms, files, measures and drawings, by torchvision's names.
-- Coordinates are continuous: the first pixel covers 0 to 1. Labels and indices count from 1.
-- @module vision
-- @usage local vision = require 'vision'
-- local kept = vision.nms(boxes, scores, 0.5)
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
require 'data'

local vision = {}
require 'torch.modules'.publish('vision', vision)

require 'torch.start.lazy_loader'(vision, [[
  vision.boxes: boxArea boxConvert clipBoxes removeSmallBoxes
  vision.overlap: boxIou completeBoxIou distanceBoxIou generalizedBoxIou
  vision.suppression: batchedNms nms
  vision.regions: roiAlign roiPool
  vision.anchors: anchors
  vision.coder: boxCoder
  vision.CocoDetection: CocoDetection
  vision.Video: Video
  vision.VocDetection: VocDetection
  vision.drawing: drawBoxes drawKeypoints drawMasks
  vision.precision: averagePrecision
  vision.segments: segmentation
  transforms = vision.transforms
  vision.masks: decodeMask encodeMask maskArea maskBox maskIou masksToBoxes mergeMasks polygonsToMask
]])

return vision
