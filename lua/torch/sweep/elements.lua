--- Reads tensors without the engine's loops: a plain tensor is { sizes = {...}, data = {...}, type = 'torch.FloatTensor' }, with its
-- elements as numbers in row-major order.
local ffi = require 'ffi'
local bit = require 'bit'
local torch, C = require 'torch', require 'libmoontorch'
local canonical = require 'torch.index.canonical'

-- device: the name of the device on which `write` creates tensors, and from which `read` copies them; nil: the CPU
local elements = {}

local pointers = {
  ['torch.ByteTensor'] = 'uint8_t *', ['torch.CharTensor'] = 'int8_t *', ['torch.ShortTensor'] = 'int16_t *',
  ['torch.IntTensor'] = 'int32_t *', ['torch.LongTensor'] = 'int64_t *', ['torch.FloatTensor'] = 'float *',
  ['torch.DoubleTensor'] = 'double *', ['torch.BoolTensor'] = 'uint8_t *',
  ['torch.HalfTensor'] = 'uint16_t *', ['torch.BFloat16Tensor'] = 'uint16_t *',
}

-- IEEE 754 binary16.
local function half(bits)
  local sign, exponent, fraction = bits >= 0x8000 and -1 or 1, bit.band(bit.rshift(bits, 10), 31), bit.band(bits, 1023)
  if exponent == 31 then return fraction == 0 and sign * math.huge or 0 / 0 end
  if exponent == 0 then return sign * fraction * 2 ^ -24 end
  return sign * (1024 + fraction) * 2 ^ (exponent - 25)
end

-- The upper half of an IEEE 754 binary32.
local function bfloat16(bits)
  local sign, exponent, fraction = bits >= 0x8000 and -1 or 1, bit.band(bit.rshift(bits, 7), 255), bit.band(bits, 127)
  if exponent == 255 then return fraction == 0 and sign * math.huge or 0 / 0 end
  if exponent == 0 then return sign * fraction * 2 ^ -133 end
  return sign * (128 + fraction) * 2 ^ (exponent - 134)
end

local decoders = { ['torch.HalfTensor'] = half, ['torch.BFloat16Tensor'] = bfloat16 }

--- Returns the name of a tensor's type on the CPU, for any device: 'torch.FloatTensor' for a torch.CudaTensor.
function elements.kind(x) return 'torch.' .. C.dtypeOf(x) .. 'Tensor' end

--- @tparam torch.Tensor x any dtype and strides
-- @treturn table plain tensor
function elements.read(x)
  local kind, sizes, data = elements.kind(x), {}, {}
  if elements.device then x = x:to 'cpu' end
  for d = 1, x:dim() do sizes[d] = x:size(d) end
  local plain = { sizes = sizes, data = data, type = kind }
  local n = x:nElement()
  if n == 0 then return plain end
  local p = ffi.cast(pointers[kind], x:data())
  local decode, strides, readFloat = decoders[kind] or tonumber, {}, canonical[kind:match '%.(%a+)Tensor$']
  for d = 1, #sizes do strides[d] = x:stride(d) end
  for i = 0, n - 1 do
    local rest, at = i, 0
    for d = #sizes, 1, -1 do
      at = at + (rest % sizes[d]) * strides[d]
      rest = math.floor(rest / sizes[d])
    end
    data[i + 1] = readFloat and readFloat(p, at) or not readFloat and decode(p[at])
  end
  return plain
end

--- Returns the product of sizes, the number of elements; without sizes there are none.
-- @tparam {int,...} sizes
function elements.product(sizes)
  local n = #sizes > 0 and 1 or 0
  for _, size in ipairs(sizes) do n = n * size end
  return n
end

--- Creates a tensor from numbers, written one by one.
-- @tparam string kind such as 'torch.FloatTensor'
-- @tparam {int,...} sizes
-- @tparam {number,...} data in row-major order
-- @treturn torch.Tensor
function elements.write(kind, sizes, data)
  local x = torch[kind:match '%.(.+)$']()
  if #sizes > 0 then x:resize(unpack(sizes)) end
  local flat = x:nElement() > 0 and x:view(x:nElement())
  for i = 1, x:nElement() do flat[i] = data[i] end
  return elements.device and x:to(elements.device) or x
end

local floats = {
  ['torch.HalfTensor'] = 2 ^ -10, ['torch.BFloat16Tensor'] = 2 ^ -7, ['torch.FloatTensor'] = 2 ^ -23, ['torch.DoubleTensor'] = 2 ^ -52,
}
local largest = {
  ['torch.HalfTensor'] = 65504, ['torch.BFloat16Tensor'] = 3.3895313892515355e38, ['torch.FloatTensor'] = 3.4028234663852886e38,
  ['torch.DoubleTensor'] = 1.7976931348623157e308,
}
-- Vector code may return 0 for subnormal numbers; float16, which is computed as float, has subnormal numbers.
local smallest = {
  ['torch.HalfTensor'] = 2 ^ -24, ['torch.BFloat16Tensor'] = 2 ^ -126, ['torch.FloatTensor'] = 2 ^ -126, ['torch.DoubleTensor'] = 2 ^ -1022,
}
local ranges = {   -- lowest, number of values
  ['torch.ByteTensor'] = { 0, 2 ^ 8 }, ['torch.CharTensor'] = { -2 ^ 7, 2 ^ 8 }, ['torch.ShortTensor'] = { -2 ^ 15, 2 ^ 16 },
  ['torch.IntTensor'] = { -2 ^ 31, 2 ^ 32 }, ['torch.LongTensor'] = {},
}

--- Returns the distance from 1 to the next number of a float dtype; nil for others.
function elements.epsilon(kind) return floats[kind] end
function elements.isFloat(kind) return floats[kind] ~= nil end
--- Returns the largest finite number of a float dtype, or the error that is allowed next to 0.
function elements.largest(kind) return largest[kind] end
function elements.smallest(kind) return smallest[kind] end

--- Converts v to an integer dtype: truncated, and wrapped.
function elements.wrap(kind, v)
  local range = ranges[kind]
  if not range or v ~= v or v == math.huge or v == -math.huge then return v end
  local whole = v < 0 and math.ceil(v) or math.floor(v)
  if not range[1] then return whole end       -- no number in the sweeps is near 2^63
  return (whole - range[1]) % range[2] + range[1]
end

return elements
