-- Converts all 16-bit floats to floats and back, and compares bits with the formats' definitions. Prints `all right` or the failures.
local ffi = require 'ffi'
local torch = require 'torch'

local formats = {
  Half = { fraction = 10, bias = 15, largest = 65504 }, BFloat16 = { fraction = 7, bias = 127, largest = (2 - 2 ^ -7) * 2 ^ 127 },
}

-- The number that 16 bits represent; nil for NaN.
local function numberOf(bits, format)
  local magnitude, sign = bits % 0x8000, bits >= 0x8000 and -1 or 1
  local scale = 2 ^ format.fraction
  local fraction, exponent = magnitude % scale, math.floor(magnitude / scale)
  if exponent == 2 * format.bias + 1 then return fraction == 0 and sign * math.huge or nil end
  if exponent == 0 then return sign * fraction * 2 ^ (1 - format.bias - format.fraction) end
  return sign * (1 + fraction / scale) * 2 ^ (exponent - format.bias)
end

-- The nearest multiple of the spacing at x; of two, the even one.
local function rounded(x, format)
  local magnitude = math.abs(x)
  local _, exponent = math.frexp(magnitude)
  local spacing = 2 ^ (math.max(exponent - 1, 1 - format.bias) - format.fraction)
  local steps = magnitude / spacing
  local down = math.floor(steps)
  if steps - down > 0.5 or steps - down == 0.5 and down % 2 == 1 then down = down + 1 end
  local result = down * spacing
  return (x < 0 and -1 or 1) * (result > format.largest and math.huge or result)
end

local function same(a, b) return a == b and 1 / a == 1 / b end       -- distinguishes the zeros

local wrong
local function expect(condition, ...) if not condition then wrong = wrong or ('%s: %s gave %s'):format(...) end end

for name, format in pairs(formats) do
  local class = torch[name .. 'Tensor']
  local all = class(65536)
  local bits = ffi.cast('uint16_t *', all:data())
  for i = 0, 65535 do bits[i] = i end
  local floats = all:float()
  local words, numbers = ffi.cast('uint32_t *', floats:data()), floats:data()
  for i = 0, 65535 do
    local number = numberOf(i, format)
    if number then
      expect(same(number, tonumber(numbers[i])), name, i, tonumber(numbers[i]))
    else                                                             -- NaN keeps its sign and the upper bits of the float's fraction
      local kept = bit.rshift(words[i], 23 - format.fraction)
      local fraction, sign = bit.band(kept, 2 ^ format.fraction - 1), bit.rshift(words[i], 31)
      expect(fraction == i % 2 ^ format.fraction and sign == bit.rshift(i, 15), name, i, words[i])
    end
  end
  local back = class(65536):copy(floats)
  local again = ffi.cast('uint16_t *', back:data())
  for i = 0, 65535 do
    if numberOf(i, format) then expect(again[i] == i, name .. ' again', i, again[i])
    else expect(numberOf(again[i], format) == nil and bit.rshift(again[i], 15) == bit.rshift(i, 15), name .. ' again', i, again[i]) end
  end

  -- Numbers halfway between neighbours, and the floats on both sides of them.
  local between = torch.FloatTensor(65536 * 3):zero()
  local patterns, values = ffi.cast('uint32_t *', between:data()), between:data()
  for i = 0, 65534 do
    local low, high = numberOf(i, format), numberOf(i + 1, format)
    if low and high and math.abs(low) < math.huge then
      local edge = math.abs(high) == math.huge and low + (low - numberOf(i - 1, format)) or high
      values[3 * i + 1] = (low + edge) / 2
      patterns[3 * i], patterns[3 * i + 2] = patterns[3 * i + 1] - 1, patterns[3 * i + 1] + 1
    end
  end
  local made = class(between:size()):copy(between):double():data()
  for i = 0, between:nElement() - 1 do
    local value = tonumber(values[i])
    if value == value and math.abs(value) < math.huge then
      expect(same(rounded(value, format), made[i]), name, value, made[i])
    end
  end
end

io.write(wrong or 'all right', '\n')
