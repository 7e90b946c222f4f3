--- Functions that rearrange elements of images, and normalise across channels, in nn.functional.
-- @module nn.functional.rearranging
local signature, pixels, patches = require 'nn.support.signature', require 'nn.support.pixels', require 'nn.support.patches'

local rearranging = {}

--- Rearranges groups of channels to squares of pixels: channel c r^2 + i r + j (from 0) becomes row i and column j of channel c's squares.
-- Source: Shi et al. (2016), "Real-Time Single Image and Video Super-Resolution Using an Efficient Sub-Pixel CNN", CVPR.
-- @function pixelShuffle
-- @tparam torch.Tensor input (…, C r^2, H, W)
-- @int upscaleFactor r
-- @treturn torch.Tensor (…, C, r H, r W)
rearranging.pixelShuffle = signature('nn.functional.pixelShuffle', {
  { 'input', 'tensor' }, { 'upscaleFactor', 'int', min = 1 },
}, function(...) return pixels.shuffle('nn.functional.pixelShuffle', ...) end)

--- The inverse of `pixelShuffle`.
-- @function pixelUnshuffle
-- @tparam torch.Tensor input (…, C, r H, r W)
-- @int downscaleFactor r
-- @treturn torch.Tensor (…, C r^2, H, W)
rearranging.pixelUnshuffle = signature('nn.functional.pixelUnshuffle', {
  { 'input', 'tensor' }, { 'downscaleFactor', 'int', min = 1 },
}, function(...) return pixels.unshuffle('nn.functional.pixelUnshuffle', ...) end)

--- Mixes groups of channels: the first channels of all groups, then the second ones, and so on.
-- Source: Zhang et al. (2018), "ShuffleNet: An Extremely Efficient Convolutional Neural Network for Mobile Devices", CVPR.
-- @function channelShuffle
-- @tparam torch.Tensor input (N, C, …), C a multiple of the groups
-- @int groups
-- @treturn torch.Tensor of the same size
rearranging.channelShuffle = signature('nn.functional.channelShuffle', {
  { 'input', 'tensor' }, { 'groups', 'int', min = 1 },
}, function(...) return pixels.channels('nn.functional.channelShuffle', ...) end)

local function window(name, least, default) return { name, 'window', dims = 2, min = least, default = default } end

--- The patches of images, as columns.
-- @function unfold
-- @tparam torch.Tensor input (N, C, H, W) or (C, H, W)
-- @tparam int|{int,int} kernelSize
-- @tparam[opt=1] int|{int,int} dilation
-- @tparam[opt=0] int|{int,int} padding zeros
-- @tparam[opt=1] int|{int,int} stride
-- @treturn torch.Tensor (N, C kH kW, patches), or without N
rearranging.unfold = signature('nn.functional.unfold', {
  { 'input', 'tensor' }, window('kernelSize', 1), window('dilation', 1, 1), window('padding', 0, 0), window('stride', 1, 1),
}, function(...) return patches.unfold('nn.functional.unfold', ...) end)

--- Adds patches at their places in images: the gradient of `unfold` by its input.
-- @function fold
-- @tparam torch.Tensor input (N, C kH kW, patches), or without N
-- @tparam int|{int,int} outputSize
-- @tparam int|{int,int} kernelSize
-- @tparam[opt=1] int|{int,int} dilation
-- @tparam[opt=0] int|{int,int} padding
-- @tparam[opt=1] int|{int,int} stride
-- @treturn torch.Tensor (N, C, H, W), or without N
rearranging.fold = signature('nn.functional.fold', {
  { 'input', 'tensor' }, window('outputSize', 1), window('kernelSize', 1), window('dilation', 1, 1), window('padding', 0, 0),
  window('stride', 1, 1),
}, function(...) return patches.fold('nn.functional.fold', ...) end)

--- x / (k + alpha / size * sum of x^2 over `size` channels around)^beta.
-- Source: Krizhevsky et al. (2012), "ImageNet Classification with Deep Convolutional Neural Networks", NeurIPS, section 3.3.
-- @function localResponseNorm
-- @tparam torch.Tensor input (N, C, …)
-- @int size
-- @tparam[opt=1e-4] number alpha
-- @tparam[opt=0.75] number beta
-- @tparam[opt=1] number k
-- @treturn torch.Tensor of the same size
rearranging.localResponseNorm = signature('nn.functional.localResponseNorm', {
  { 'input', 'tensor' }, { 'size', 'int', min = 1 }, { 'alpha', 'number', default = 1e-4 }, { 'beta', 'number', default = 0.75 },
  { 'k', 'number', default = 1 },
}, function(input, size, alpha, beta, k)
  local before, after = math.floor(size / 2), math.floor((size - 1) / 2)
  return require 'nn.support.response'('nn.functional.localResponseNorm', input, size, before, after, alpha, beta, k)
end)

return rearranging
