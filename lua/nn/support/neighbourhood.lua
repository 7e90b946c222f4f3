--- Weighted means around each position of images, for local normalisations.
-- @module nn.support.neighbourhood
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local refuse = require 'torch.check.refuse'

local neighbourhood = {}

-- Returns a convolution without bias that preserves the size; all its filters are `kernel`.
local function filter(class, planes, outputs, kernel)
  local height, width = kernel:size(1), kernel:size(2)
  local convolution = class(planes, outputs, width, height, 1, 1, (width - 1) / 2, (height - 1) / 2):noBias()
  local weight = convolution.weight
  weight:copy(kernel:contiguous():view(1, kernel:nElement()):expand(weight:nElement() / kernel:nElement(), kernel:nElement()))
  return convolution
end

--- Checks a kernel and divides it, in place, by its sum and the number of planes.
-- @raise Torch7's messages, which start with the class in <>
function neighbourhood.normalised(class, planes, kernel)
  local dims = kernel:dim()
  if dims ~= 1 and dims ~= 2 then check.raise(('<%s> averaging kernel must be 2D or 1D'):format(class)) end
  for d = 1, dims do
    if kernel:size(d) % 2 == 0 then check.raise(('<%s> averaging kernel must have ODD dimensions'):format(class)) end
  end
  return kernel:div(kernel:sum() * planes)
end

--- Returns a module that computes means over all planes: (N, planes, H, W) -> (N, 1, H, W), with zeros around. A kernel of one dimension is
-- applied to columns, then rows.
function neighbourhood.estimator(planes, kernel)
  local estimator = nn.Sequential()
  if kernel:dim() == 2 then return estimator:add(filter(nn.SpatialConvolution, planes, 1, kernel)) end
  estimator:add(filter(nn.SpatialDepthWiseConvolution, planes, 1, kernel:view(1, -1)))
  return estimator:add(filter(nn.SpatialConvolution, planes, 1, kernel:view(-1, 1)))
end

--- Returns an estimator's output for ones: the part of the kernel that is inside the image. Computed once per size, and cached in `coef`.
-- @tparam nn.Module module with meanestimator and nInputPlane
-- @tparam torch.Tensor batch
function neighbourhood.coverage(module, batch)
  local height, width, coef = batch:size(3), batch:size(4), module.coef
  local fits = coef and coef:dim() == 4 and coef:type() == batch:type() and coef:size(3) == height and coef:size(4) == width
  if not fits then
    local ones = batch.new():resize(1, module.nInputPlane, height, width):fill(1)
    coef = torch.noGrad(function() return module.meanestimator:onTape(ones) end)
    module.coef = coef:detach()
  end
  return module.coef
end

--- Returns an image or batch as a batch; checks planes.
function neighbourhood.batchOf(module, input)
  require('nn.support.window').expectImages(module, input, 2)
  local planes = input:size(input:dim() - 2)
  if planes ~= module.nInputPlane then
    refuse.shape(('%s: input: %d planes, expected %d'):format(torch.type(module), planes, module.nInputPlane))
  end
  return input:dim() == 3 and torch.unsqueeze(input, 1) or input
end

return neighbourhood
