--- Where the largest values of volumes' windows are, as Torch7 keeps it: the offset in the window, from 0, its depth in the first byte
-- of each index, its row in the second and its column in the third.
-- @module nn.packed
local torch = require 'torch'

local packed = {}

-- Calls visit(axis's name, size of the volume, first positions of the windows along it, shaped to broadcast) for W, H, T.
local function eachAxis(pooling, sizes, outputs, visit)
  for i = 3, 1, -1 do
    local axis = ({ 'T', 'H', 'W' })[i]
    local shape = { 1, 1, 1 }
    shape[i] = outputs[i]
    local steps = torch.mul(torch.range(0, outputs[i] - 1):long(), pooling['d' .. axis])
    visit(axis, sizes[i], torch.add(steps, -pooling['pad' .. axis]):view(torch.LongStorage(shape)), 256 ^ (i - 1))
  end
end

local function sizesOf(pooling, positions)
  local size = positions:size():totable()
  return { pooling.itime, pooling.iheight, pooling.iwidth }, { unpack(size, #size - 2) }
end

--- Positions in volumes, counted from 1, as packed offsets.
-- @tparam nn.VolumetricMaxPooling pooling whose forward just ran
-- @tparam torch.LongTensor positions
-- @treturn torch.LongTensor of the same size
function packed.pack(pooling, positions)
  local left, result = torch.add(positions, -1), nil
  local sizes, outputs = sizesOf(pooling, positions)
  eachAxis(pooling, sizes, outputs, function(axis, size, starts, place)
    local offset = torch.csub(torch.remainder(left, size), starts)
    offset = torch.mul(torch.div(offset, pooling['dilation' .. axis] or 1), place)
    result = result and torch.add(result, offset) or offset
    left = torch.div(left, size)
  end)
  return result
end

--- The inverse of pack.
function packed.unpack(pooling, indices)
  local result, stride = nil, 1
  local sizes, outputs = sizesOf(pooling, indices)
  eachAxis(pooling, sizes, outputs, function(axis, size, starts, place)
    local offset = torch.remainder(torch.div(indices, place), 256)
    local at = torch.mul(torch.add(torch.mul(offset, pooling['dilation' .. axis] or 1), starts), stride)
    result = result and torch.add(result, at) or torch.add(at, 1)
    stride = stride * size
  end)
  return result
end

return packed
