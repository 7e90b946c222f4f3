--- Fourier transforms. As in Matlab, forward transforms have exp(-i ...) and no factor, inverse ones are divided by the number of points.
-- Functions whose names begin with r transform real numbers and return only the frequencies 0 .. n / 2; the others are conjugates.
-- @module signal.fourier
local torch = require 'torch'
local check, checks, withSlices = require 'torch.check', require 'signal.check', require 'torch.tensor.fitted'

local fourier = {}

local inWords = {
  'Input has to be 1D Tensor of size N (real) or 2D Tensor of size N x 2 (complex)',
  'Input has to be 2D Tensor of size M x N (real) or 3D Tensor of size M x N x 2 (complex)',
  'Input has to be 3D Tensor of size M x N x P (real) or 4D Tensor of size M x N x P x 2 (complex)',
}
local realInWords = { 'Input has to be 1D Tensor of size N', 'Input has to be 2D Tensor of size M x N' }
local complexInWords = { 'Input has to be 2D Tensor of size K x 2 (complex)', 'Input has to be 3D Tensor of size M x K x 2 (complex)' }

-- Transforms along `dims` dimensions from `first` on.
local function transform(where, x, first, dims, forward)
  local norm = forward and 'none' or 'by_n'
  local complex = checks.realOrComplex(where, 'x', x, dims, inWords[dims])
  local last = dims
  if not complex and forward then
    x, last = torch.fft_r2c(x, dims, norm, false), dims - 1
  elseif not complex then
    x = torch.stack({ x, torch.mul(x, 0) }, dims + 1)
  end
  for dim = last, first, -1 do x = torch.fft_c2c(x, dim, norm, forward) end
  return x
end

--- The Fourier transform y_k = sum_j x_j exp(-2 pi i j k / N).
-- @tparam torch.Tensor x N real numbers, or N x 2, which is always complex
-- @treturn torch.Tensor N x 2
-- @usage signal.fft(torch.Tensor { 1, 0, 0, 0 })      -- ones
function fourier.fft(x) return transform('signal.fft', x, 1, 1, true) end

--- The inverse of `fft`, divided by N.
-- @tparam torch.Tensor x N or N x 2
-- @treturn torch.Tensor N x 2
function fourier.ifft(x) return transform('signal.ifft', x, 1, 1, false) end

--- The Fourier transform along both dimensions.
-- @tparam torch.Tensor x M x N or M x N x 2
-- @treturn torch.Tensor M x N x 2
function fourier.fft2(x) return transform('signal.fft2', x, 1, 2, true) end

--- The inverse of `fft2`, divided by M N.
-- @tparam torch.Tensor x M x N or M x N x 2
-- @treturn torch.Tensor M x N x 2
function fourier.ifft2(x) return transform('signal.ifft2', x, 1, 2, false) end

--- The Fourier transform along three dimensions.
-- @tparam torch.Tensor x M x N x P or M x N x P x 2
-- @treturn torch.Tensor M x N x P x 2
function fourier.fft3(x) return transform('signal.fft3', x, 1, 3, true) end

--- The inverse of `fft3`, divided by M N P.
-- @tparam torch.Tensor x M x N x P or M x N x P x 2
-- @treturn torch.Tensor M x N x P x 2
function fourier.ifft3(x) return transform('signal.ifft3', x, 1, 3, false) end

--- The Fourier transform of each row.
-- @tparam torch.Tensor x N x M or N x M x 2
-- @treturn torch.Tensor N x M x 2
function fourier.fftM(x) return transform('signal.fftM', x, 2, 2, true) end

--- The inverse of `fftM`, divided by M.
-- @tparam torch.Tensor x N x M or N x M x 2
-- @treturn torch.Tensor N x M x 2
function fourier.ifftM(x) return transform('signal.ifftM', x, 2, 2, false) end

--- The frequencies 0 .. N / 2 of real numbers.
-- @tparam torch.Tensor x N
-- @treturn torch.Tensor (floor(N / 2) + 1) x 2
function fourier.rfft(x) return torch.fft_r2c(checks.dims('signal.rfft', 'x', x, 1, realInWords[1])) end

--- `rfft` of each row.
-- @tparam torch.Tensor x N x M
-- @treturn torch.Tensor N x (floor(M / 2) + 1) x 2
function fourier.rfftM(x) return torch.fft_r2c(checks.dims('signal.rfftM', 'x', x, 2, realInWords[2])) end

--- `fft2` of real numbers, with the frequencies 0 .. N / 2 of the last dimension.
-- @tparam torch.Tensor x M x N
-- @treturn torch.Tensor M x (floor(N / 2) + 1) x 2
function fourier.rfft2(x) return torch.fft_c2c(torch.fft_r2c(checks.dims('signal.rfft2', 'x', x, 2, realInWords[2])), 1) end

-- Frequencies 0 .. size / 2 along a dimension: truncates x or pads it with zeros.
local function fitted(where, x, dim, size)
  size = size and check.int(where, 'size', size, { min = 1 }) or math.max(1, 2 * (x:size(dim) - 1))
  return withSlices(x, dim, math.floor(size / 2) + 1), size
end

--- The inverse of `rfft`, divided by the number of points.
-- @tparam torch.Tensor x K x 2; imaginary parts that are 0 for real signals are not read
-- @int[opt=2 (K - 1)] size number of points, required if it is odd; frequencies are truncated or padded with 0 if K doesn't match
-- @treturn torch.Tensor size numbers
function fourier.irfft(x, size)
  x, size = fitted('signal.irfft', checks.complex('signal.irfft', 'x', x, 1, complexInWords[1]), 1, size)
  return torch.fft_c2r(x, 1, 'by_n', size)
end

--- The inverse of `rfftM`, divided by the number of points of a row.
-- @tparam torch.Tensor x N x K x 2
-- @int[opt=2 (K - 1)] size number of points per row
-- @treturn torch.Tensor N x size
function fourier.irfftM(x, size)
  x, size = fitted('signal.irfftM', checks.complex('signal.irfftM', 'x', x, 2, complexInWords[2]), 2, size)
  return torch.fft_c2r(x, 2, 'by_n', size)
end

--- The inverse of `rfft2`, divided by the number of points.
-- @tparam torch.Tensor x M x K x 2
-- @int[opt=2 (K - 1)] size number of points along the last dimension
-- @treturn torch.Tensor M x size
function fourier.irfft2(x, size)
  x, size = fitted('signal.irfft2', checks.complex('signal.irfft2', 'x', x, 2, complexInWords[2]), 2, size)
  return torch.fft_c2r(torch.fft_c2c(x, 1, 'by_n', false), 2, 'by_n', size)
end

-- Returns a list of dimensions of the first `rank` ones, by default all of them.
local function dimList(where, rank, dims)
  local list, met = {}, {}
  if dims == nil then
    for d = 1, rank do list[d] = d end
    return list
  end
  for i, dim in ipairs(type(dims) == 'number' and { dims } or check.table(where, 'dims', dims)) do
    check.int(where, 'dims', dim, { min = -rank, max = rank })
    list[i] = dim < 0 and dim + rank + 1 or dim
    if dim == 0 or met[list[i]] then
      check.raise(('%s: dims: %d, expected dimensions from 1 to %d, each once'):format(where, dim, rank), 'range')
    end
    met[list[i]] = true
  end
  if #list == 0 then check.raise(where .. ': dims: none, expected one or more', 'range') end
  return list
end

-- Checks pairs in any number of dimensions; returns that number.
local function pairsIn(where, x)
  checks.signal(where, 'x', x)
  if x:dim() < 2 or x:size(x:dim()) ~= 2 or x:nElement() == 0 then
    check.raise(('%s: x: [%s], expected complex numbers, a last dimension of 2'):format(where, table.concat(x:size():totable(), ', ')))
  end
  return x:dim() - 1
end

local function several(where, x, dims, norm, forward)
  for _, dim in ipairs(dimList(where, pairsIn(where, x), dims)) do x = torch.fft_c2c(x, dim, norm, forward) end
  return x
end

--- The Fourier transform of complex numbers along several dimensions. `rfftn` takes real ones.
-- @tparam torch.Tensor x (..., 2)
-- @tparam[opt] int|{int,...} dims default: all but the last
-- @treturn torch.Tensor of x's sizes
function fourier.fftn(x, dims) return several('signal.fftn', x, dims, 'none', true) end

--- The inverse of `fftn`, divided by the number of points.
-- @tparam torch.Tensor x (..., 2)
-- @tparam[opt] int|{int,...} dims default: all but the last
-- @treturn torch.Tensor of x's sizes
function fourier.ifftn(x, dims) return several('signal.ifftn', x, dims, 'by_n', false) end

--- The Fourier transform of real numbers along several dimensions, with the frequencies 0 .. N / 2 of the last one of `dims`.
-- @tparam torch.Tensor x
-- @tparam[opt] int|{int,...} dims default: all
-- @treturn torch.Tensor x's sizes, but floor(N / 2) + 1 for the last one of dims; then 2
function fourier.rfftn(x, dims)
  checks.signal('signal.rfftn', 'x', x)
  if x:nElement() == 0 then check.raise('signal.rfftn: x: no elements, expected one at least', 'shape') end
  local list = dimList('signal.rfftn', x:dim(), dims)
  local y = torch.fft_r2c(x, list[#list], 'none', true)
  for i = #list - 1, 1, -1 do y = torch.fft_c2c(y, list[i], 'none', true) end
  return y
end

--- The inverse of `rfftn`, divided by the number of points.
-- @tparam torch.Tensor x (..., 2)
-- @int[opt=2 (K - 1)] size number of points along the last one of dims
-- @tparam[opt] int|{int,...} dims default: all but the last
-- @treturn torch.Tensor real numbers
function fourier.irfftn(x, size, dims)
  local list = dimList('signal.irfftn', pairsIn('signal.irfftn', x), dims)
  for i = 1, #list - 1 do x = torch.fft_c2c(x, list[i], 'by_n', false) end
  local last = list[#list]
  x, size = fitted('signal.irfftn', x, last, size)
  return torch.fft_c2r(x, last, 'by_n', size)
end

-- The conjugates of pairs.
local function conjugated(x)
  return torch.cmul(x, torch.expand(torch.Tensor { 1, -1 }:typeAs(x):view(1, 2), x:size()))
end

--- The Fourier transform of a signal with x[-k] = conj(x[k]), given by its first half: real numbers.
-- @tparam torch.Tensor x K x 2
-- @int[opt=2 (K - 1)] size number of points
-- @treturn torch.Tensor size numbers
function fourier.hfft(x, size)
  x, size = fitted('signal.hfft', checks.complex('signal.hfft', 'x', x, 1, complexInWords[1]), 1, size)
  return torch.mul(torch.fft_c2r(conjugated(x), 1, 'by_n', size), size)
end

--- The inverse of `hfft`: the first half of a signal whose transform is real.
-- @tparam torch.Tensor x N
-- @treturn torch.Tensor (floor(N / 2) + 1) x 2
function fourier.ihfft(x)
  checks.dims('signal.ihfft', 'x', x, 1, realInWords[1])
  return torch.div(conjugated(torch.fft_r2c(x)), x:size(1))
end

return fourier
