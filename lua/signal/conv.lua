--- Convolutions.
-- @module signal.conv
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'

local conv = {}

local oneDim = 'Input has to be 1D tensor'

-- x with so many zeros before and after.
local function padded(x, before, after)
  local list = { x }
  if before > 0 then table.insert(list, 1, x.new(before):zero()) end
  if after > 0 then list[#list + 1] = x.new(after):zero() end
  return #list > 1 and torch.cat(list, 1) or x
end

conv.padded = padded

--- The cross-correlation of a signal with a kernel, which is not turned around.
-- @tparam torch.Tensor input N
-- @tparam torch.Tensor kernel K
-- @int stride from one result to the next
-- @string[opt='valid'] mode 'valid': floor((N - K) / stride) + 1 results; 'same': floor(max(N, K) / stride), the kernel's middle over the
-- points 1, 1 + stride, ..., zeros beyond the ends (torch-signal read beyond them)
-- @treturn torch.Tensor
function conv.conv1d(input, kernel, stride, mode)
  local where = 'signal.conv1d'
  checks.dims(where, 'input', input, 1, oneDim)
  checks.dims(where, 'kernel', kernel, 1, oneDim)
  check.int(where, 'stride', stride, { min = 1 })
  check.that(mode == nil or mode == 'valid' or mode == 'same',
    ("%s: mode: %s came. Supported modes are 'valid' or 'same'"):format(where, tostring(mode)))
  local n, k = input:size(1), kernel:size(1)
  local count = mode == 'same' and math.floor(math.max(n, k) / stride) or math.floor((n - k) / stride) + 1
  check.that(count >= 1, ('%s: kernel: %d points came, no more than the %d of the input were expected'):format(where, k, n))
  if mode == 'same' then
    local before = math.floor((k - 1) / 2)
    input = padded(input, before, math.max(0, (count - 1) * stride + k - before - n))
  end
  local y = torch.conv1d(torch.view(torch.contiguous(input), 1, -1), torch.view(torch.contiguous(kernel), 1, 1, k), nil, stride)
  return torch.narrow(torch.view(y, -1), 1, 1, count)
end

-- The least length from n on whose only factors are 2, 3 and 5.
local function quickLength(n)
  local best = math.huge
  local five = 1
  while five < best do
    local three = five
    while three < best do
      local two = three
      while two < n do two = 2 * two end
      best = math.min(best, two)
      three = 3 * three
    end
    five = 5 * five
    if five > 5 * n then break end
  end
  return best
end

--- The convolution of two signals by Fourier transforms: for long kernels much faster than sums of products.
-- @tparam torch.Tensor x N
-- @tparam torch.Tensor kernel K
-- @string[opt='full'] mode 'full': N + K - 1 points; 'same': the middle N of them; 'valid': N - K + 1 without the ends
-- @treturn torch.Tensor
function conv.fftconvolve(x, kernel, mode)
  local where = 'signal.fftconvolve'
  checks.dims(where, 'x', x, 1, oneDim)
  checks.dims(where, 'kernel', kernel, 1, oneDim)
  check.that(mode == nil or mode == 'full' or mode == 'same' or mode == 'valid',
    ("%s: mode: %s, expected 'full', 'same' or 'valid'"):format(where, tostring(mode)))
  local n, k = x:size(1), kernel:size(1)
  local whole = n + k - 1
  local size = quickLength(whole)
  local product = require('signal.complex').product(torch.fft_r2c(padded(x, 0, size - n)), torch.fft_r2c(padded(kernel, 0, size - k)))
  local y = torch.fft_c2r(product, 1, 'by_n', size)
  if mode == 'same' then return torch.narrow(y, 1, math.floor((k - 1) / 2) + 1, n) end
  if mode ~= 'valid' then return torch.narrow(y, 1, 1, whole) end
  check.that(k <= n, ('%s: kernel: %d points came, no more than the %d of x were expected'):format(where, k, n))
  return torch.narrow(y, 1, k, n - k + 1)
end

return conv
