--- Images of a FITS file as tensors, whose last dimension is the file's first one.
-- @module fits.image
local ffi = require 'ffi'
local torch = require 'torch'
local damage = require 'torch.file.damage'
local raw = require 'torch.file.raw_elements'

local image = {}

local mostDimensions = 64      -- of a tensor

--- BITPIX -> the elements.
image.types = {
  [8] = raw.types.U8, [16] = raw.types.I16, [32] = raw.types.I32, [64] = raw.types.I64, [-32] = raw.types.F32, [-64] = raw.types.F64,
}

--- BITPIX -> the type of the other sign, and the BZERO that means it.
image.shifted = {
  [8] = { raw.types.I8, -128 }, [16] = { raw.types.U16, 2 ^ 15 }, [32] = { raw.types.U32, 2 ^ 31 }, [64] = { raw.types.U64, 2 ^ 63 },
}

--- Changes the highest bit of elements in memory: adds or subtracts half the range of integers.
-- @tparam torch.Tensor x contiguous
-- @treturn torch.Tensor x
function image.flip(x)
  local size, count = x:elementSize(), x:nElement()
  if count == 0 then return x end
  local p = ffi.cast('uint8_t *', x:data())
  local top = ffi.abi 'le' and size - 1 or 0
  for i = 0, count - 1 do p[i * size + top] = bit.bxor(p[i * size + top], 0x80) end
  return x
end

-- Returns the elements with BSCALE, BZERO and BLANK applied.
local function scaled(x, scale, zero, blank, bits)
  local kind = bits > 0 and bits <= 16 and 'torch.FloatTensor' or bits == -32 and 'torch.FloatTensor' or 'torch.DoubleTensor'
  local y = x:double()
  local mask = blank and y:eq(blank)
  if scale ~= 1 then y = y * scale end
  if zero ~= 0 then y = y + zero end
  if mask then y:maskedFill(mask, 0 / 0) end
  return y:type(kind)
end

--- Reads an image.
-- @tparam table block
-- @tparam table part of `fits.parts`
-- @tparam table options `scale = false`: elements as they are stored
-- @treturn ?torch.Tensor nil if the part has no data
function image.read(block, part, options)
  if #part.sizes == 0 then return nil end
  if #part.sizes > mostDimensions then
    damage.raise(part.at + 1, ('an image of at most %d dimensions'):format(mostDimensions), tostring(#part.sizes), true)
  end
  local type, shifted = image.types[part.bits], image.shifted[part.bits]
  local scale, zero, blank = part.header:get 'BSCALE' or 1, part.header:get 'BZERO' or 0, part.header:get 'BLANK'
  if tonumber(scale) == nil or tonumber(zero) == nil then
    damage.raise(part.at + 1, 'numbers as BSCALE and BZERO', ('%s and %s'):format(tostring(scale), tostring(zero)))
  end
  local sizes = {}
  for i = 1, #part.sizes do sizes[i] = part.sizes[#part.sizes + 1 - i] end
  local isShifted = options.scale ~= false and shifted and shifted[1] and scale == 1 and zero == shifted[2] and blank == nil
  if isShifted then type = shifted[1] end
  if part.count == 0 then return torch[type.kind.name .. 'Tensor']():resize(torch.LongStorage(sizes)) end
  local x = block:copied(type, part.first, part.count)
  if isShifted then
    image.flip(x)
  elseif options.scale ~= false and (scale ~= 1 or zero ~= 0 or part.bits > 0 and tonumber(blank)) then
    x = scaled(x, scale, zero, part.bits > 0 and tonumber(blank), part.bits)
  end
  return x:view(torch.LongStorage(sizes))
end

return image
