--- Reads tensors without the engine's loops: a plain tensor is { sizes = {...}, data = {...}, type = 'torch.FloatTensor' }, with its
-- elements as numbers in row-major order.
local ffi = require 'ffi'
local torch, C = require 'torch', require 'libmoontorch'
local canonical = require 'torch.index.canonical'
local kinds = require 'torch.file.kinds'

-- device: the name of the device on which `write` creates tensors, and from which `read` copies them; nil: the CPU
local elements = {}

local pointers = {}
for _, info in ipairs(C.dtypes) do
  local kind = kinds[info.torch]
  pointers['torch.' .. info.torch .. 'Tensor'] = kind.pointer
end

-- Decodes a float of a sign bit, exponent and fraction. With `isFinite` it has no infinity, and the largest code is NaN.
local function decoder(exponentBits, fractionBits, isFinite)
  local top, steps = 2 ^ exponentBits - 1, 2 ^ fractionBits
  local bias = (top - 1) / 2
  return function(bits)
    local sign, magnitude = bits >= steps * (top + 1) and -1 or 1, bits % (steps * (top + 1))
    local exponent, fraction = math.floor(magnitude / steps), magnitude % steps
    if isFinite and magnitude == steps * (top + 1) - 1 then return 0 / 0 end
    if exponent == top and not isFinite then return fraction == 0 and sign * math.huge or 0 / 0 end
    if exponent == 0 then return sign * fraction / steps * 2 ^ (1 - bias) end
    return sign * (1 + fraction / steps) * 2 ^ (exponent - bias)
  end
end

local decoders = {
  ['torch.HalfTensor'] = decoder(5, 10), ['torch.BFloat16Tensor'] = decoder(8, 7),
  ['torch.Float8E4m3Tensor'] = decoder(4, 3, true), ['torch.Float8E5m2Tensor'] = decoder(5, 2),
}

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
  local decode, strides, readFloat = decoders[kind] or tonumber, {}, canonical[kind:match '%.(%w+)Tensor$']
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
