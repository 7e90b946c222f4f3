--- Positions of the maxima of volumes' windows in Torch7's encoding: the offset in the window, from 0, with its depth in the first byte of
-- each index, its row in the second and its column in the third.
-- @module nn.support.packed
local torch = require 'torch'
local onDeviceOf = require 'autograd.on_device_of'

local packed = {}

-- Calls visit(axis's name, size of the volume, first positions of the windows along it, shaped to broadcast, factor of its byte) for W, H,
-- T.
-- All numbers are doubles: they are exact, and divide many times faster than integers.
local function eachAxis(pooling, outputs, visit)
  local sizes, first = { pooling.itime, pooling.iheight, pooling.iwidth }, outputs:size() - 3
  for i = 3, 1, -1 do
    local axis, shape = ({ 'T', 'H', 'W' })[i], { 1, 1, 1 }
    local count = outputs[first + i]
    shape[i] = count
    local starts = torch.DoubleTensor(count)
    for k = 1, count do starts[k] = (k - 1) * pooling['d' .. axis] - pooling['pad' .. axis] end
    visit(axis, sizes[i], starts:view(torch.LongStorage(shape)), 256 ^ (i - 1))
  end
end

-- Returns floor(x / divisor) of integers, and the remainder; adding one half makes rounding errors harmless.
local function divide(x, divisor)
  local quotient = torch.floor(torch.mul(torch.add(x, 0.5), 1 / divisor))
  return quotient, torch.add(x, -divisor, quotient)
end

local function sum(total, term) return total and torch.add(total, term) or term end

--- Encodes positions in volumes, counted from 1, as packed offsets.
-- @tparam nn.VolumetricMaxPooling pooling whose forward just ran
-- @tparam torch.LongTensor positions
-- @treturn torch.LongTensor of the same size
function packed.pack(pooling, positions)
  local left, result = torch.add(positions:_as 'Double', -1), nil
  eachAxis(pooling, positions:size(), function(axis, size, starts, place)
    local at
    left, at = divide(left, size)
    local offset = torch.csub(at, onDeviceOf(starts, at))
    result = sum(result, torch.mul(torch.div(offset, pooling['dilation' .. axis] or 1), place))
  end)
  return result:_as 'Long'
end

--- The inverse of pack.
function packed.unpack(pooling, indices)
  local left, offsets = indices:_as 'Double', {}
  for _, axis in ipairs { 'T', 'H', 'W' } do left, offsets[axis] = divide(left, 256) end
  local result, stride = nil, 1
  eachAxis(pooling, indices:size(), function(axis, size, starts)
    local at = torch.add(torch.mul(offsets[axis], pooling['dilation' .. axis] or 1), onDeviceOf(starts, left))
    result = sum(result, torch.mul(at, stride))
    stride = stride * size
  end)
  return torch.add(result, 1):_as 'Long'
end

return packed
