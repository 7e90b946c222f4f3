--- Scales and zero points: integers q represent the numbers scale (q - zero).
-- @module quantize.scales
-- @local
local ffi, torch = require 'ffi', require 'torch'
local check = require 'torch.check'

local scales = {}

-- Scales are float32 in all kernels.
local function float32(number) return ffi.new('float[1]', number)[0] end

--- Returns the scale and the zero point for numbers of a range, which 0 is always part of.
-- @tparam number least
-- @tparam number most
-- @bool[opt=false] symmetric whether the zero point is 0, and integers have a sign
-- @treturn number scale
-- @treturn int zero
-- @treturn string type of the integers: torch.ByteTensor, or torch.CharTensor if symmetric
function scales.ofRange(least, most, symmetric)
  least, most = math.min(0, least), math.max(0, most)
  if symmetric then
    local scale = float32(math.max(-least, most) / 127)
    return scale > 0 and scale or 1, 0, 'torch.CharTensor'
  end
  local scale = float32((most - least) / 255)
  if scale <= 0 then return 1, 0, 'torch.ByteTensor' end
  return scale, math.min(255, math.floor(-least / scale + 0.5)), 'torch.ByteTensor'
end

-- Returns the least and the largest elements of each slice of dimension 1, or of all.
local function extremes(x, perSlice)
  local flat = perSlice and x:reshape(x:size(1), x:nElement() / math.max(1, x:size(1))) or x:reshape(1, x:nElement())
  if flat:nElement() == 0 then return torch.zeros(flat:size(1)):float(), torch.zeros(flat:size(1)):float() end
  return torch.amin(flat, 2):view(-1):float(), torch.amax(flat, 2):view(-1):float()
end

--- Returns scales and zero points for a weight, in integers with a sign.
-- @tparam torch.Tensor weight
-- @bool perSlice one scale for each slice of dimension 1, instead of one
-- @bool symmetric whether zero points are 0
-- @string[opt='quantize.convert: weight'] where for messages
-- @treturn torch.FloatTensor scales
-- @treturn ?torch.IntTensor zero points; nil if symmetric
-- @raise if an element is not finite
function scales.ofWeight(weight, perSlice, symmetric, where)
  local least, most = extremes(weight:detach(), perSlice)
  least, most = torch.clamp(least, -math.huge, 0), torch.clamp(most, 0, math.huge)
  local scale = symmetric and torch.div(torch.cmax(torch.neg(least), most), 127) or torch.div(torch.csub(most, least), 255)
  scale:maskedFill(torch.le(scale, 0), 1)
  local isFinite = scale:nElement() == 0 or select(2, torch.aminmax(scale)) < math.huge
  if not isFinite then
    check.raise(('%s: elements from %g to %g, expected a finite range of float32'):format(where or 'quantize.convert: weight',
      least:min(), most:max()))
  end
  if symmetric then return scale, nil end
  return scale, torch.clamp(torch.round(torch.cdiv(torch.neg(least), scale)):add(-128), -128, 127):int()
end

return scales
