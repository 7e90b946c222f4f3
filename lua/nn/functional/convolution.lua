--- Convolutions as functions, in nn.functional.
-- @module nn.functional.convolution
local torch, signature, support = require 'torch', require 'nn.support.signature', require 'nn.support.convolution'

local unpack = unpack

local convolution = {}

local function define(dims)
  local name = ('conv%dd'):format(dims)
  local where = 'nn.functional.' .. name
  convolution[name] = signature(where, {
    { 'input', 'tensor' }, { 'weight', 'tensor' }, { 'bias', 'tensor', optional = true },
    { 'stride', 'window', dims = dims, min = 1, default = 1 }, { 'padding', 'padding', dims = dims, min = 0, default = 0 },
    { 'dilation', 'window', dims = dims, min = 1, default = 1 }, { 'groups', 'int', min = 1, default = 1 },
  }, function(input, weight, bias, stride, padding, dilation, groups)
    return support.run(where, dims, input, weight, bias, stride, padding, dilation, groups, 'zeros')
  end)
end

local function defineTransposed(dims)
  local name = ('convTranspose%dd'):format(dims)
  local op = torch[name]
  convolution[name] = signature('nn.functional.' .. name, {
    { 'input', 'tensor' }, { 'weight', 'tensor' }, { 'bias', 'tensor', optional = true },
    { 'stride', 'window', dims = dims, min = 1, default = 1 }, { 'padding', 'window', dims = dims, min = 0, default = 0 },
    { 'outputPadding', 'window', dims = dims, min = 0, default = 0 }, { 'groups', 'int', min = 1, default = 1 },
    { 'dilation', 'window', dims = dims, min = 1, default = 1 },
  }, function(input, weight, bias, stride, padding, more, groups, dilation)
    local numbers = {}
    for _, list in ipairs { stride, padding } do
      for i = 1, dims do numbers[#numbers + 1] = list[i] end
    end
    if dims == 3 then numbers[#numbers + 1] = more end                        -- the op has a list here
    for i = 1, dims < 3 and dims or 0 do numbers[#numbers + 1] = more[i] end
    for i = 1, dims do numbers[#numbers + 1] = dilation[i] end
    numbers[#numbers + 1] = groups
    return op(input, weight, bias, unpack(numbers))
  end)
end

--- Convolution (cross-correlation) of sequences. Shapes: input (N, in, L) or (in, L), weight (out, in / groups, k) ->
-- (N, out, floor((L + 2 padding - dilation (k - 1) - 1) / stride) + 1). Padding 'same' adds dilation (k - 1) zeros, half of them, rounded
-- down, in front; it requires stride 1. Padding 'valid' is 0.
-- @function conv1d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int} stride
-- @tparam[opt=0] int|{int}|string padding zeros on both sides
-- @tparam[opt=1] int|{int} dilation
-- @tparam[opt=1] int groups
define(1)

--- The same for images: input (N, in, H, W) or (in, H, W), weight (out, in / groups, kH, kW).
-- @function conv2d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int,int} stride
-- @tparam[opt=0] int|{int,int}|string padding
-- @tparam[opt=1] int|{int,int} dilation
-- @tparam[opt=1] int groups
define(2)

--- The same for volumes: input (N, in, T, H, W) or (in, T, H, W), weight (out, in / groups, kT, kH, kW).
-- @function conv3d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int,int,int} stride
-- @tparam[opt=0] int|{int,int,int}|string padding
-- @tparam[opt=1] int|{int,int,int} dilation
-- @tparam[opt=1] int groups
define(3)

--- Transposed convolution of sequences: the gradient of conv1d by its input, plus bias. Shapes: input (N, in, L) or (in, L), weight
-- (in, out / groups, k).
-- @function convTranspose1d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int} stride of the output
-- @tparam[opt=0] int|{int} padding elements that are cut off at both sides
-- @tparam[opt=0] int|{int} outputPadding further elements behind, less than the stride
-- @tparam[opt=1] int groups
-- @tparam[opt=1] int|{int} dilation
defineTransposed(1)

--- The same for images. Shapes: input (N, in, H, W) or (in, H, W), weight (in, out / groups, kH, kW).
-- @function convTranspose2d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int,int} stride of the output
-- @tparam[opt=0] int|{int,int} padding elements that are cut off at both sides
-- @tparam[opt=0] int|{int,int} outputPadding further elements behind, less than the stride
-- @tparam[opt=1] int groups
-- @tparam[opt=1] int|{int,int} dilation
defineTransposed(2)

--- The same for volumes. Shapes: input (N, in, T, H, W) or (in, T, H, W), weight (in, out / groups, kT, kH, kW).
-- @function convTranspose3d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int,int,int} stride of the output
-- @tparam[opt=0] int|{int,int,int} padding elements that are cut off at both sides
-- @tparam[opt=0] int|{int,int,int} outputPadding further elements behind, less than the stride
-- @tparam[opt=1] int groups
-- @tparam[opt=1] int|{int,int,int} dilation
defineTransposed(3)

return convolution
