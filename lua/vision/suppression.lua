--- Non-maximum suppression: of boxes that overlap much, the one with the best score stays.
-- @module vision
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'vision.arguments'
local messages = require 'torch.check.message'

local suppression = {}

local function survivors(where, boxes, scores, groups, threshold)
  boxes = arguments.boxes(where, 'boxes', boxes):detach()
  local n = boxes:size(1)
  arguments.each(where, 'scores', scores, n)
  check.number(where, 'threshold', threshold, { min = 0 })
  if n == 0 then return torch.LongTensor(0) end
  local _, order = torch.sort(scores:detach(), 1, true)
  local mask = torch.nmsMask(torch.index(boxes, 1, order), threshold, groups and torch.index(groups, 1, order))
  return torch.maskedSelect(order, mask)
end

--- Which boxes survive: each whose intersection over union with every survivor of a better score is at most the threshold.
-- @tparam torch.Tensor boxes (n, 4)
-- @tparam torch.Tensor scores (n)
-- @number threshold 0 or more
-- @treturn torch.LongTensor their indices, the best score first
function suppression.nms(boxes, scores, threshold) return survivors('vision.nms', boxes, scores, nil, threshold) end

--- The same for each class alone.
-- @tparam torch.Tensor boxes (n, 4)
-- @tparam torch.Tensor scores (n)
-- @tparam torch.Tensor classes integers (n)
-- @number threshold
-- @treturn torch.LongTensor indices of all classes' survivors, the best score first
function suppression.batchedNms(boxes, scores, classes, threshold)
  local where = 'vision.batchedNms'
  arguments.each(where, 'classes', classes, arguments.boxes(where, 'boxes', boxes):size(1))
  if torch.isFloatingPoint(classes) then
    check.raise(('%s: classes: %s, expected integers'):format(where, messages.value(classes)), 'dtype')
  end
  return survivors(where, boxes, scores, classes, threshold)
end

return suppression
