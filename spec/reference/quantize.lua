-- Conversions between floats and integers of 8 bits in plain Lua. A tensor is { sizes = {...}, data = {...} }, row-major.
local reference = {}

local function trunc(v) return v < 0 and math.ceil(v) or math.floor(v) end

-- The nearest integer, half to even.
local function nearest(v)
  local down = math.floor(v)
  local rest = v - down
  if rest > 0.5 or (rest == 0.5 and down % 2 == 1) then return down + 1 end
  return down
end
reference.nearest = nearest

local function clamped(v, least, most) return math.min(math.max(v, least), most) end

-- Applies fn(x, scale, zero, i) to all elements.
local function mapped(x, scale, zero, axis, fn)
  local inner, result = 1, { sizes = x.sizes, data = {} }
  if axis and axis < 0 then axis = axis + #x.sizes + 1 end
  for d = (axis or 0) + 1, axis and #x.sizes or 0 do inner = inner * x.sizes[d] end
  for i, v in ipairs(x.data) do
    local slice = axis and math.floor((i - 1) / inner) % x.sizes[axis] + 1 or 1
    result.data[i] = fn(v, scale.data[slice], zero and trunc(zero.data[slice]) or 0, i)
  end
  return result
end

local bounds = { uint8 = { 0, 255 }, int8 = { -128, 127 } }

function reference.quantize(x, scale, zero, axis, dtype)
  local least, most = unpack(bounds[dtype or 'uint8'])
  return mapped(x, scale, zero, axis, function(v, s, z) return clamped(nearest(v / s) + z, least, most) end)
end

function reference.dequantize(q, scale, zero, axis)
  return mapped(q, scale, zero, axis, function(v, s, z) return (trunc(v) - z) * s end)
end

function reference.fakeQuantize(x, scale, zero, axis, least, most)
  return mapped(x, scale, zero, axis, function(v, s, z) return (clamped(nearest(v / s) + z, least or 0, most or 255) - z) * s end)
end

function reference.fakeQuantize_grad(g, x, scale, zero, axis, least, most)
  return mapped(x, scale, zero, axis, function(v, s, z, i)
    local q = nearest(v / s) + z
    return q >= (least or 0) and q <= (most or 255) and g.data[i] or 0
  end)
end

function reference.int8Map(x, values)
  local result = { sizes = x.sizes, data = {} }
  for i, v in ipairs(x.data) do result.data[i] = values.data[trunc(v) + 1] end
  return result
end

function reference.linear16(x, weight, bias)
  local depth, columns, data = weight.sizes[2], weight.sizes[1], {}
  local sizes = { unpack(x.sizes) }
  sizes[#sizes] = columns
  local rows = 1
  for d = 1, #sizes - 1 do rows = rows * sizes[d] end
  for r = 0, rows - 1 do
    for c = 0, columns - 1 do
      local sum = bias and bias.data[c + 1] or 0
      for k = 1, depth do sum = sum + x.data[r * depth + k] * weight.data[c * depth + k] end
      data[#data + 1] = sum
    end
  end
  return { sizes = sizes, data = data }
end

return reference
