--- Convolutions as functions, in nn.functional.
-- @module nn.functional.convolution
local torch, signature = require 'torch', require 'nn.support.signature'

local unpack = unpack

local convolution = {}

-- Passes the lists of numbers to an op, which has an argument for each dimension.
local function define(dims)
  local name = ('conv%dd'):format(dims)
  local op = torch[name]
  convolution[name] = signature('nn.functional.' .. name, {
    { 'input', 'tensor' }, { 'weight', 'tensor' }, { 'bias', 'tensor', optional = true },
    { 'stride', 'window', dims = dims, min = 1, default = 1 }, { 'padding', 'window', dims = dims, min = 0, default = 0 },
    { 'dilation', 'window', dims = dims, min = 1, default = 1 }, { 'groups', 'int', min = 1, default = 1 },
  }, function(input, weight, bias, stride, padding, dilation, groups)
    local numbers = {}
    for _, list in ipairs { stride, padding, dilation } do
      for i = 1, dims do numbers[#numbers + 1] = list[i] end
    end
    numbers[#numbers + 1] = groups
    return op(input, weight, bias, unpack(numbers))
  end)
end

--- Convolution (cross-correlation) of sequences. Shapes: input (N, in, L) or (in, L), weight (out, in / groups, k) ->
-- (N, out, floor((L + 2 padding - dilation (k - 1) - 1) / stride) + 1).
-- @function conv1d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int} stride
-- @tparam[opt=0] int|{int} padding zeros on both sides
-- @tparam[opt=1] int|{int} dilation
-- @tparam[opt=1] int groups
define(1)

--- The same for images: input (N, in, H, W) or (in, H, W), weight (out, in / groups, kH, kW).
-- @function conv2d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int,int} stride
-- @tparam[opt=0] int|{int,int} padding
-- @tparam[opt=1] int|{int,int} dilation
-- @tparam[opt=1] int groups
define(2)

--- The same for volumes: input (N, in, T, H, W) or (in, T, H, W), weight (out, in / groups, kT, kH, kW).
-- @function conv3d
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam[opt] torch.Tensor bias (out)
-- @tparam[opt=1] int|{int,int,int} stride
-- @tparam[opt=0] int|{int,int,int} padding
-- @tparam[opt=1] int|{int,int,int} dilation
-- @tparam[opt=1] int groups
define(3)

return convolution
