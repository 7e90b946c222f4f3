--- What classes and functions of convolutions in 1 to 3 dimensions have in common.
-- @module nn.support.convolution
local torch, check = require 'torch', require 'torch.check'
local border, refuse = require 'nn.support.border', require 'torch.check.refuse'

local unpack = unpack

local convolution = {}

local suffixes = { { '' }, { 'H', 'W' }, { 'T', 'H', 'W' } }

--- Returns the names of numbers by dimension: strideH, strideW, padH, ...
-- @int dims
-- @string ... prefixes
-- @treturn {string,...}
function convolution.names(dims, ...)
  local names = {}
  for _, prefix in ipairs { ... } do
    for _, suffix in ipairs(suffixes[dims]) do names[#names + 1] = prefix .. suffix end
  end
  return names
end

--- Returns the numbers of three lists and then `last`.
function convolution.numbers(dims, a, b, c, last)
  if dims == 1 then return a[1], b[1], c[1], last end
  if dims == 2 then return a[1], a[2], b[1], b[2], c[1], c[2], last end
  return a[1], a[2], a[3], b[1], b[2], b[3], c[1], c[2], c[3], last
end

--- Returns the zeros in front of each dimension for padding 'same', or the padding itself, and whether there are as many behind.
-- @string where prefix of messages
-- @tparam 'same'|{int,...} padding
-- @tparam {int,...} kernel sizes
-- @tparam {int,...} stride
-- @tparam {int,...} dilation
-- @treturn {int,...}
-- @treturn boolean
function convolution.before(where, padding, kernel, stride, dilation)
  if padding ~= 'same' then return padding, true end
  local list, isEven = {}, true
  for i = 1, #stride do
    if stride[i] ~= 1 then check.raise(("%s: padding: 'same', expected a stride of 1, which is %d"):format(where, stride[i])) end
    local total = dilation[i] * (kernel[i] - 1)
    list[i] = math.floor(total / 2)
    isEven = isEven and total % 2 == 0
  end
  return list, isEven
end

-- Returns the widths of the border in border.pad's order.
local function widthsOf(padding, kernel, dilation)
  local widths = {}
  for i = #dilation, 1, -1 do
    local total = padding == 'same' and dilation[i] * (kernel[i] - 1) or 2 * padding[i]
    widths[#widths + 1] = math.floor(total / 2)
    widths[#widths + 1] = total - math.floor(total / 2)
  end
  return widths
end

--- Checks the number of an input's dimensions.
function convolution.expectDims(where, input, dims)
  local found = input:dim()
  if found ~= dims + 1 and found ~= dims + 2 then
    refuse.shape(('%s: input: %d dimensions, expected %d, or %d with a batch'):format(where, found, dims + 1, dims + 2))
  end
end

--- Checks that groups divide the numbers of channels, for constructors.
-- @string where prefix of messages
-- @tparam table options inChannels, outChannels, groups
function convolution.expectGroups(where, options)
  for _, key in ipairs { 'inChannels', 'outChannels' } do
    if options[key] % options.groups ~= 0 then
      check.raise(('%s: %s: %d, expected a multiple of the %d groups'):format(where, key, options[key], options.groups))
    end
  end
end

--- Returns the text of a module's channels and kernel, for nn.declare.
-- @tparam nn.Module module
-- @treturn string
function convolution.text(module)
  return ('(%d, %d, {%s})'):format(module.inChannels, module.outChannels, table.concat(module.kernelSize, ', '))
end

--- Returns a function (where, input) that returns the number of channels of an input.
-- @int dims
-- @treturn function
function convolution.channels(dims)
  return function(where, input)
    convolution.expectDims(where, input, dims)
    return input:size(input:dim() - dims)
  end
end

local none = { 0, 0, 0 }
local modes = { zeros = 'constant', reflect = 'reflect', replicate = 'replicate', circular = 'circular' }

--- Convolution with any padding.
-- @string where prefix of messages
-- @int dims
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight
-- @tparam ?torch.Tensor bias
-- @tparam {int,...} stride
-- @tparam 'same'|{int,...} padding
-- @tparam {int,...} dilation
-- @int groups
-- @string mode zeros, reflect, replicate or circular
-- @treturn torch.Tensor
function convolution.run(where, dims, input, weight, bias, stride, padding, dilation, groups, mode)
  convolution.expectDims(where, input, dims)
  local kernel = { unpack(weight:size():totable(), 3) }
  local before, isEven = convolution.before(where, padding, kernel, stride, dilation)
  if mode ~= 'zeros' or not isEven then
    input, before = border.pad(where, input, widthsOf(padding, kernel, dilation), modes[mode]), none
  end
  return torch[('conv%dd'):format(dims)](input, weight, bias, convolution.numbers(dims, stride, before, dilation, groups))
end

return convolution
