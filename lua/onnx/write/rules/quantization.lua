--- ONNX nodes for numbers as integers of 8 bits, and for products of such integers.
-- @module onnx.write.rules.quantization
local rules = {}

-- A value with one element, or one for each slice of dimension `axis` of x, in sizes that are broadcast with x.
local function spread(o, step, x, value, dtype)
  value = o.cast(value, dtype)
  if not step.axis then return o.Reshape(value, o.integers {}) end
  local sizes = {}
  for d = 1, #x.sizes do sizes[d] = 1 end
  sizes[step:axisOf(x, step.axis) + 1] = -1
  return o.Reshape(value, o.integers(sizes))
end

-- The position of 0, a whole number.
local function zeroOf(o, step, x, dtype) return step.zero and spread(o, step, x, o.cast(step.zero, 'int32'), dtype) end

-- The integers of x as floats, before they are limited; the scale, and the position of 0.
local function integersOf(o, step, dtype)
  local x = step.x
  local scale = spread(o, step, x, step.scale, dtype)
  local zero = zeroOf(o, step, x, dtype)
  local rounded = o.Round(o.Div(o.cast(x, dtype), scale))
  return zero and o.Add(rounded, zero) or rounded, scale, zero
end

local bounds = { uint8 = { 0, 255 }, int8 = { -128, 127 } }

function rules.quantize(o, step)
  local least, most = unpack(bounds[step.dtype])
  local dtype = step.x.dtype == 'float64' and 'float64' or 'float32'
  local made = integersOf(o, step, dtype)
  made = o.Where(o.IsNaN(made), o.number(least, dtype), made)
  return o.cast(o.Clip(made, o.number(least, dtype), o.number(most, dtype)), step.dtype)
end

-- A matrix of a product of integers: uint8 or int8.
local function matrix(o, step, x)
  if x.dtype:find '^float' or x.dtype == 'bfloat16' then
    step:refuse('%s, which the run quantises, expected integers: export the network before it is quantised', x.dtype)
  end
  return x.dtype == 'uint8' and x or o.cast(x, 'int8')
end

function rules.int8Matmul(o, step)
  local x, y = matrix(o, step, step.x), matrix(o, step, step.y)
  local sum = o.MatMulInteger(x, y, o.number(step.xZero, x.dtype), o.number(step.yZero, y.dtype))
  if not step.multiplier then return sum end
  local scaled = o.Mul(o.cast(sum, 'float32'), step.multiplier)
  if not bounds[step.dtype] then return scaled end
  local least, most = unpack(bounds[step.dtype])
  return o.cast(o.Clip(o.Add(o.Round(scaled), step.outZero), o.number(least, 'float32'), o.number(most, 'float32')), step.dtype)
end

function rules.dequantize(o, step)
  local dtype = step.dtype
  local q, zero = o.cast(o.cast(step.q, 'int32'), dtype), zeroOf(o, step, step.q, dtype)
  return o.Mul(zero and o.Sub(q, zero) or q, spread(o, step, step.q, step.scale, dtype))
end

function rules.fakeQuantize(o, step)
  local made, scale, zero = integersOf(o, step, step.dtype)
  made = o.Clip(made, o.number(step.least, step.dtype), o.number(step.most, step.dtype))
  return o.Mul(zero and o.Sub(made, zero) or made, scale)
end

function rules.fakeQuantize_grad(o, step)
  local made = integersOf(o, step, step.dtype)
  local inside = o.And(o.GreaterOrEqual(made, step.least), o.LessOrEqual(made, step.most))
  return o.Where(inside, o.cast(step.g, step.dtype), o.number(0, step.dtype))
end

return rules
