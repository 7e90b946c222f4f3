--- Convolutional sparse coding of images: convolving the code's maps with kernels reconstructs the image.
-- @classmod unsup.SpatialConvFistaL1
local torch = require 'torch'
local nn = require 'nn'
local check = require 'torch.check'
require 'unsup.FistaL1'

local SpatialConvFistaL1, parent = torch.class('unsup.SpatialConvFistaL1', 'unsup.FistaL1')

-- The number of kernel positions that cover each pixel of a row or column.
local function covering(size, kernel)
  local counts = torch.Tensor(size)
  for i = 1, size do counts[i] = math.min(i, kernel, size - kernel + 1, size - i + 1) end
  return counts
end

--- @tparam torch.Tensor conntable connections in rows: map of the code, plane of the image
-- @int kw width of kernels
-- @int kh height of kernels
-- @int iw width of images
-- @int ih height of images
-- @number lambda weight of the code's absolute sum
-- @tparam[opt] table params as FistaL1's
function SpatialConvFistaL1:__init(conntable, kw, kh, iw, ih, lambda, params)
  local where = 'unsup.SpatialConvFistaL1'
  check.tensor(where, 'conntable', conntable)
  kw, kh = check.whole(where, 'kw', kw, { min = 1 }), check.whole(where, 'kh', kh, { min = 1 })
  iw, ih = check.whole(where, 'iw', iw, { min = kw }), check.whole(where, 'ih', ih, { min = kh })
  local maps, planes = conntable:select(2, 1):max(), conntable:select(2, 2):max()
  local weight = torch.ger(covering(ih, kh), covering(iw, kw))
  weight:div(weight:max())
  local criterion = nn.WeightedMSECriterion(weight:view(1, ih, iw):expand(planes, ih, iw))
  criterion.sizeAverage = false
  parent.__init(self, nn.SpatialFullConvolutionMap(conntable, kw, kh, 1, 1), criterion, lambda, params)
  self.D.bias:zero()
  self.code:resize(maps, ih - kh + 1, iw - kw + 1):zero()
end

-- A search starts at the given code, or at zero.
function SpatialConvFistaL1:start(code)
  if code then return parent.start(self, code) end
  self.code:zero()
end

return SpatialConvFistaL1
