--- Fourier transforms of real and complex tensors, with complex results: the names and arguments of NumPy's and PyTorch's `fft`.
-- Forward transforms have exp(-2 pi i j k / n). `norm` says which direction is divided: 'backward' (the default) the inverse one, by the
-- number of points, 'forward' the forward one, 'ortho' both by its root. A size n longer than the dimension adds zeros, a shorter one cuts.
-- @module torch.fft
local torch = require 'torch'
local check, fitted = require 'torch.check', require 'torch.tensor.fitted'

local fft = {}

-- Divisors of the engine's transforms by direction.
local divisors = {
  forward = { backward = 'none', ortho = 'by_root_n', forward = 'by_n' },
  inverse = { backward = 'by_n', ortho = 'by_root_n', forward = 'none' },
}

local function divisor(where, norm, direction)
  local found = divisors[direction][norm or 'backward']
  if found then return found end
  local given = type(norm) == 'string' and norm or check.describe(norm)
  check.raise(("%s: norm: %s, expected 'backward', 'ortho' or 'forward'"):format(where, given))
end

local function input(where, x)
  check.tensor(where, 'x', x)
  if x:dim() == 0 then check.raise(('%s: x: a tensor without dimensions, expected 1 or more'):format(where)) end
  if x:isComplex() then return x end
  if not x:isFloatingPoint() then return x:double() end
  return x:elementSize() < 4 and x:float() or x      -- complex numbers have parts of 32 and 64 bits
end

-- Returns a dimension counted from the first, by default the last.
local function place(where, x, dim)
  dim = check.int(where, 'dim', dim or -1)
  local found = dim < 0 and dim + x:dim() + 1 or dim
  if found >= 1 and found <= x:dim() then return found end
  check.raise(('%s: dim: %d, expected one of %d dimensions'):format(where, dim, x:dim()))
end

-- Returns x with n points along a dimension, by default its own.
local function sized(where, x, n, dim)
  if n ~= nil then return check.call(fitted, x, dim, check.int(where, 'n', n, { min = 1 })) end
  if x:size(dim) == 0 then check.raise(('%s: x: 0 points along dimension %d, expected 1 or more'):format(where, dim)) end
  return x
end

local function asPairs(z) return z:isComplex() and torch.viewAsReal(z) or torch.viewAsReal(torch.complex(z, 0)) end

local function transform(where, x, n, dim, norm, direction)
  x = input(where, x)
  dim = place(where, x, dim)
  x = sized(where, x, n, dim)
  local by = divisor(where, norm, direction)
  if direction == 'forward' and not x:isComplex() then return torch.viewAsComplex(torch.fft_r2c(x, dim, by, false)) end
  return torch.viewAsComplex(torch.fft_c2c(asPairs(x), dim, by, direction == 'forward'))
end

--- The Fourier transform along a dimension: y_k = sum_j x_j exp(-2 pi i j k / n).
-- @tparam torch.Tensor x real or complex
-- @int[opt] n points: the size of the dimension
-- @int[opt=-1] dim
-- @string[opt='backward'] norm
-- @treturn torch.Tensor complex
function fft.fft(x, n, dim, norm) return transform('torch.fft.fft', x, n, dim, norm, 'forward') end

--- The inverse of `fft`, with the same arguments.
function fft.ifft(x, n, dim, norm) return transform('torch.fft.ifft', x, n, dim, norm, 'inverse') end

local function realTransform(where, x, n, dim, norm, direction)
  x = input(where, x)
  if x:isComplex() then check.raise(('%s: x: %s, expected real numbers'):format(where, x:type())) end
  dim = place(where, x, dim)
  return torch.viewAsComplex(torch.fft_r2c(sized(where, x, n, dim), dim, divisor(where, norm, direction), true))
end

local function toReal(where, x, n, dim, norm, direction)
  x = input(where, x)
  dim = place(where, x, dim)
  n = check.int(where, 'n', n or 2 * (x:size(dim) - 1), { min = 1 })
  return torch.fft_c2r(asPairs(sized(where, x, math.floor(n / 2) + 1, dim)), dim, divisor(where, norm, direction), n)
end

--- The frequencies 0 .. floor(n / 2) of real numbers; the others are their conjugates.
-- @tparam torch.Tensor x real
-- @int[opt] n points: the size of the dimension
-- @int[opt=-1] dim
-- @string[opt='backward'] norm
-- @treturn torch.Tensor complex
function fft.rfft(x, n, dim, norm) return realTransform('torch.fft.rfft', x, n, dim, norm, 'forward') end

--- The inverse of `rfft`: n real numbers, by default 2 (k - 1) of k frequencies. The imaginary parts of the first frequency, and of the
-- last one for an even n, are not read.
function fft.irfft(x, n, dim, norm) return toReal('torch.fft.irfft', x, n, dim, norm, 'inverse') end

--- The transform of a signal whose second half is the conjugate of the first, in reverse order: n real numbers.
function fft.hfft(x, n, dim, norm)
  return toReal('torch.fft.hfft', torch.conj(input('torch.fft.hfft', x)), n, dim, norm, 'forward')
end

--- The inverse of `hfft`.
function fft.ihfft(x, n, dim, norm) return torch.conj(realTransform('torch.fft.ihfft', x, n, dim, norm, 'inverse')) end

-- Returns dimensions and sizes of a transform in several dimensions: the given ones, all, or the last ones.
local function several(where, x, sizes, dims)
  local count = sizes and #check.table(where, 'sizes', sizes) or x:dim()
  local along = {}
  if dims == nil then
    for i = 1, count do along[i] = place(where, x, i - count - 1) end
  else
    for i, dim in ipairs(check.table(where, 'dims', dims)) do along[i] = place(where, x, dim) end
  end
  if sizes and #sizes ~= #along then
    check.raise(('%s: sizes: %d numbers, expected one for each of %d dimensions'):format(where, #sizes, #along))
  end
  return along, sizes or {}
end

-- The same for a transform, which has at least one dimension.
local function oneOrMore(where, x, sizes, dims)
  local along, points = several(where, x, sizes, dims)
  if #along == 0 then check.raise(('%s: %s: an empty list, expected one with numbers'):format(where, dims and 'dims' or 'sizes')) end
  return along, points
end

local lastTwo = { -2, -1 }

-- A transform of each dimension in turn, the last one first.
local function ofAll(where, direction, x, sizes, dims, norm)
  x = input(where, x)
  local along, points = oneOrMore(where, x, sizes, dims)
  for i = #along, 1, -1 do x = transform(where, x, points[i], along[i], norm, direction) end
  return x
end

-- The frequencies of real numbers: of the last dimension half of them.
local function ofReal(where, x, sizes, dims, norm)
  x = input(where, x)
  local along, points = oneOrMore(where, x, sizes, dims)
  x = realTransform(where, x, points[#along], along[#along], norm, 'forward')
  for i = #along - 1, 1, -1 do x = transform(where, x, points[i], along[i], norm, 'forward') end
  return x
end

local function backToReal(where, x, sizes, dims, norm)
  x = input(where, x)
  local along, points = oneOrMore(where, x, sizes, dims)
  for i = 1, #along - 1 do x = transform(where, x, points[i], along[i], norm, 'inverse') end
  return toReal(where, x, points[#along], along[#along], norm, 'inverse')
end

--- The Fourier transform along several dimensions.
-- @tparam torch.Tensor x real or complex
-- @tparam[opt] {int,...} sizes points along each dimension
-- @tparam[opt] {int,...} dims by default all, or with sizes the last ones
-- @string[opt='backward'] norm
-- @treturn torch.Tensor complex
function fft.fftn(x, sizes, dims, norm) return ofAll('torch.fft.fftn', 'forward', x, sizes, dims, norm) end

--- The inverse of `fftn`, with the same arguments.
function fft.ifftn(x, sizes, dims, norm) return ofAll('torch.fft.ifftn', 'inverse', x, sizes, dims, norm) end

--- The frequencies of real numbers along several dimensions: of the last one those from 0 to floor(n / 2).
-- @tparam torch.Tensor x real
-- @tparam[opt] {int,...} sizes
-- @tparam[opt] {int,...} dims
-- @string[opt='backward'] norm
-- @treturn torch.Tensor complex
function fft.rfftn(x, sizes, dims, norm) return ofReal('torch.fft.rfftn', x, sizes, dims, norm) end

--- The inverse of `rfftn`: real numbers. An odd size of the last dimension must be given.
function fft.irfftn(x, sizes, dims, norm) return backToReal('torch.fft.irfftn', x, sizes, dims, norm) end

--- `fftn` along the last two dimensions.
function fft.fft2(x, sizes, dims, norm) return ofAll('torch.fft.fft2', 'forward', x, sizes, dims or lastTwo, norm) end

--- `ifftn` along the last two dimensions.
function fft.ifft2(x, sizes, dims, norm) return ofAll('torch.fft.ifft2', 'inverse', x, sizes, dims or lastTwo, norm) end

--- `rfftn` along the last two dimensions.
function fft.rfft2(x, sizes, dims, norm) return ofReal('torch.fft.rfft2', x, sizes, dims or lastTwo, norm) end

--- `irfftn` along the last two dimensions.
function fft.irfft2(x, sizes, dims, norm) return backToReal('torch.fft.irfft2', x, sizes, dims or lastTwo, norm) end

--- The frequencies of the elements of `fft`, in cycles per unit of the distance d: 0, 1, ..., -2, -1, each divided by n d.
-- @int n points
-- @number[opt=1] d distance of the samples
-- @treturn torch.Tensor
function fft.fftfreq(n, d)
  check.int('torch.fft.fftfreq', 'n', n, { min = 1 })
  d = check.number('torch.fft.fftfreq', 'd', d or 1)
  local half = math.floor((n - 1) / 2)
  local frequencies = check.call(torch.range, 0, n - 1)
  if n > half + 1 then frequencies:narrow(1, half + 2, n - half - 1):add(-n) end
  return frequencies:div(n * d)
end

--- The frequencies of the elements of `rfft`.
function fft.rfftfreq(n, d)
  check.int('torch.fft.rfftfreq', 'n', n, { min = 1 })
  d = check.number('torch.fft.rfftfreq', 'd', d or 1)
  return check.call(torch.range, 0, math.floor(n / 2)):div(n * d)
end

local function shifted(where, x, dims, half)
  check.tensor(where, 'x', x)
  local along = several(where, x, nil, type(dims) == 'number' and { dims } or dims)
  for _, dim in ipairs(along) do x = torch.roll(x, half(x:size(dim)), dim) end
  return x
end

--- Moves the frequency 0 to the middle of each dimension, or of those given.
-- @tparam torch.Tensor x
-- @tparam[opt] int|{int,...} dims
function fft.fftshift(x, dims) return shifted('torch.fft.fftshift', x, dims, function(n) return math.floor(n / 2) end) end

--- The inverse of `fftshift`.
function fft.ifftshift(x, dims) return shifted('torch.fft.ifftshift', x, dims, function(n) return -math.floor(n / 2) end) end

return fft
