--- Values of pictures, or of features, in boxes: tensors of one size, for networks that classify them.
-- @module vision
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'vision.arguments'
local messages = require 'torch.check.message'

local regions = {}

-- The boxes of all pictures in one tensor, with the picture of each.
local function gathered(where, x, boxes)
  check.tensor(where, 'x', x)
  check.table(where, 'boxes', boxes)
  if x:dim() ~= 4 then
    check.raise(('%s: x: %s, expected (pictures, channels, height, width)'):format(where, messages.sizes(x)), 'shape')
  end
  check.that(#boxes == x:size(1), ('%s: boxes: a list of %d, expected boxes of each of %d pictures'):format(where, #boxes, x:size(1)))
  local all, index = {}, {}
  for i, each in ipairs(boxes) do
    all[i] = arguments.boxes(where, ('boxes[%d]'):format(i), each):typeAs(x)
    index[i] = torch.LongTensor(each:size(1)):fill(i)
  end
  if #all == 0 then return x.new(0, 4), torch.LongTensor(0) end
  return torch.cat(all, 1):detach(), torch.cat(index, 1)
end

--- Means of bilinear samples in equal bins of boxes, with the gradient by x. He et al. (2017), "Mask R-CNN", section 3.
-- @tparam torch.Tensor x (n, channels, height, width)
-- @tparam {torch.Tensor,...} boxes of each of the n pictures, (k, 4)
-- @tparam int|{int,int} size of the result: height and width
-- @tparam[opt] table options
--
-- - `scale`: of x to the coordinates of the boxes (1)
-- - `samples`: per bin and axis; 0 takes one per pixel (0)
-- - `aligned`: whether pixels have their middles at halves, as x's scale demands (false)
-- @treturn torch.Tensor (boxes of all pictures, channels, height, width)
function regions.roiAlign(x, boxes, size, options)
  local where = 'vision.roiAlign'
  options = check.options(where, options, { 'scale', 'samples', 'aligned' })
  local height, width = arguments.size(where, 'size', size)
  local scale = check.number(where, 'scale', options.scale or 1)
  local samples = check.int(where, 'samples', options.samples or 0, { min = 0, max = 1024 })
  local all, index = gathered(where, x, boxes)
  return torch.roiAlign(x, all, index, height, width, scale, samples, check.flag(where, 'aligned', options.aligned) or false)
end

--- Largest elements in bins of boxes, with the gradient by x. Girshick (2015), "Fast R-CNN", section 2.1.
-- @tparam torch.Tensor x (n, channels, height, width)
-- @tparam {torch.Tensor,...} boxes of each of the n pictures, (k, 4)
-- @tparam int|{int,int} size of the result: height and width
-- @tparam[opt] table options `scale`: of x to the coordinates of the boxes (1)
-- @treturn torch.Tensor (boxes of all pictures, channels, height, width)
function regions.roiPool(x, boxes, size, options)
  local where = 'vision.roiPool'
  options = check.options(where, options, { 'scale' })
  local height, width = arguments.size(where, 'size', size)
  local scale = check.number(where, 'scale', options.scale or 1)
  local all, index = gathered(where, x, boxes)
  return (torch.roiMax(x, all, index, height, width, scale))
end

return regions
