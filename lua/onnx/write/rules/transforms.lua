--- ONNX nodes for Fourier transforms, whose complex numbers are pairs in a last dimension, as those of DFT.
-- @module onnx.write.rules.transforms
local rules = {}

-- DFT of x (..., 1 or 2) along dimension dim (from 0), with a dimension of examples in front, which ONNX demands. The inverse has no
-- factor.
local function transformed(o, x, sizes, dim, options)
  local list = { 1, unpack(sizes) }
  local attributes = { inverse = options.inverse and 1 or 0, onesided = options.onesided and 1 or 0 }
  local made
  if o.opset >= 20 then
    made = o.DFT(o.reshape(x, list), false, o.number(dim + 1, 'int64'), attributes)
  else
    attributes.axis = dim + 1
    made = o.DFT(o.reshape(x, list), attributes)
  end
  return options.inverse and o.Mul(made, sizes[dim + 1]) or made
end

-- Divides sums over n elements as the op's argument norm says.
local function normalized(o, step, x, n)
  local divisors = { none = 1, by_n = n, by_root_n = math.sqrt(n) }
  local divisor = divisors[step.norm]
  return divisor == 1 and x or o.Div(x, divisor)
end

function rules.fft_c2c(o, step)
  local sizes = step:fixed(step.x)
  local dim = step.dim and step:axisOf(step.x, step.dim) or #sizes - 2
  local made = transformed(o, o.cast(step.x, step.dtype), sizes, dim, { inverse = not step.forward })
  return normalized(o, step, o.reshapeTo(made, step.results[1]), sizes[dim + 1])
end

function rules.fft_r2c(o, step)
  local sizes, dim = { unpack(step:fixed(step.x)) }, step:axisOf(step.x, step.dim)
  sizes[#sizes + 1] = 1
  local made = transformed(o, o.cast(step.x, step.dtype), sizes, dim, { onesided = step.onesided })
  return normalized(o, step, o.reshapeTo(made, step.results[1]), sizes[dim + 1])
end

-- The missing frequencies are conjugates of those at the other end; then the real part of the inverse.
function rules.fft_c2r(o, step)
  local sizes = { unpack(step:fixed(step.x)) }
  local dim = step.dim and step:axisOf(step.x, step.dim) or #sizes - 2
  local n = step.results[1].sizes[dim + 1]
  local mirrored = {}
  for j = sizes[dim + 1], n - 1 do mirrored[#mirrored + 1] = n - j end
  local x = o.cast(step.x, step.dtype)
  if #mirrored > 0 then
    local conjugates = o.Gather(x, o.integers(mirrored), { axis = dim })
    local real, imaginary = o.slice(conjugates, #sizes - 1, 0, 1), o.slice(conjugates, #sizes - 1, 1, 2)
    x = o.Concat(x, o.Concat(real, o.Neg(imaginary), { axis = #sizes - 1 }), { axis = dim })
  end
  sizes[dim + 1] = n
  local made = transformed(o, x, sizes, dim, { inverse = true })
  return normalized(o, step, o.reshapeTo(o.slice(made, #sizes, 0, 1), step.results[1]), n)
end

return rules
