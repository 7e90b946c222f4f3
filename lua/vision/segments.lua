--- Measures of segmentation: how well the class of each pixel is found.
-- @module vision
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local segments = {}

--- Compares the classes of pixels.
-- @tparam torch.Tensor prediction integers from 1 to `classes`, of any sizes
-- @tparam torch.Tensor target likewise; what is outside of 1 to `classes` is ignored
-- @int classes
-- @treturn table `matrix`, the numbers of pixels by target (rows) and prediction (columns), a LongTensor; `pixelAccuracy`; `iou` of each
-- class, a DoubleTensor, NaN of a class that occurs in neither; `meanIou` over those that occur
-- @raise if sizes differ, or a prediction that counts is outside of 1 to `classes`
function segments.segmentation(prediction, target, classes)
  local where = 'vision.segmentation'
  check.tensor(where, 'prediction', prediction)
  check.tensor(where, 'target', target)
  check.int(where, 'classes', classes, { min = 1, max = 2 ^ 15 })
  if not prediction:isSameSizeAs(target) then
    check.raise(('%s: target: %s, expected %s'):format(where, messages.sizes(target), messages.sizes(prediction)), 'shape')
  end
  local matrix = torch.LongTensor(classes, classes):zero()
  if target:nElement() > 0 then
    local truth, found = target:contiguous():view(-1):long(), prediction:contiguous():view(-1):long()
    local counts = torch.cmul(torch.ge(truth, 1), torch.le(truth, classes))
    if counts:sum() > 0 then
      truth, found = torch.maskedSelect(truth, counts), torch.maskedSelect(found, counts)
      check.that(found:min() >= 1 and found:max() <= classes,
        ('%s: prediction: %d to %d, expected 1 to %d'):format(where, found:min(), found:max(), classes))
      local cells = (truth - 1) * classes + found
      matrix:view(-1):indexAdd(1, cells, torch.LongTensor(cells:size(1)):fill(1))
    end
  end
  local cells = matrix:double()
  local right = torch.diag(cells)
  local union = cells:sum(1):view(-1) + cells:sum(2):view(-1) - right
  local iou = torch.cdiv(right, union)
  local present = torch.nonzero(torch.gt(union, 0)):view(-1)
  return {
    matrix = matrix, pixelAccuracy = right:sum() / cells:sum(), iou = iou,
    meanIou = present:nElement() > 0 and iou:index(1, present):mean() or 0 / 0,
  }
end

return segments
