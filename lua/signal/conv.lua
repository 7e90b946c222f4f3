--- Convolutions.
-- @module signal.conv
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'

local conv = {}

local oneDim = 'Input has to be 1D tensor'

-- x padded with zeros before and after it.
local function padded(x, before, after)
  local list = { x }
  if before > 0 then table.insert(list, 1, x.new(before):zero()) end
  if after > 0 then list[#list + 1] = x.new(after):zero() end
  return #list > 1 and torch.cat(list, 1) or x
end

conv.padded = padded

--- The cross-correlation of a signal with a kernel, which is not reversed.
-- @tparam torch.Tensor input N
-- @tparam torch.Tensor kernel K
-- @int stride from one result to the next
-- @string[opt='valid'] mode 'valid': floor((N - K) / stride) + 1 results; 'same': floor(max(N, K) / stride), with the kernel's middle at
-- points 1, 1 + stride, ..., and zeros beyond the ends (torch-signal read beyond them)
-- @treturn torch.Tensor
function conv.conv1d(input, kernel, stride, mode)
  local where = 'signal.conv1d'
  checks.dims(where, 'input', input, 1, oneDim)
  checks.dims(where, 'kernel', kernel, 1, oneDim)
  check.int(where, 'stride', stride, { min = 1 })
  check.that(mode == nil or mode == 'valid' or mode == 'same',
    ("%s: mode: %s. Supported modes are 'valid' or 'same'"):format(where, tostring(mode)))
  local n, k = input:size(1), kernel:size(1)
  local count = mode == 'same' and math.floor(math.max(n, k) / stride) or math.floor((n - k) / stride) + 1
  check.that(count >= 1, ('%s: kernel: %d points, expected no more than the %d of the input'):format(where, k, n))
  if mode == 'same' then
    local before = math.floor((k - 1) / 2)
    input = padded(input, before, math.max(0, (count - 1) * stride + k - before - n))
  end
  local y = torch.conv1d(torch.view(torch.contiguous(input), 1, -1), torch.view(torch.contiguous(kernel), 1, 1, k), nil, stride)
  return torch.narrow(torch.view(y, -1), 1, 1, count)
end

-- The smallest length from n on whose only factors are 2, 3 and 5.
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

--- The convolution of two signals by Fourier transforms, for long kernels much faster than sums of products.
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
  check.that(k <= n, ('%s: kernel: %d points, expected no more than the %d of x'):format(where, k, n))
  return torch.narrow(y, 1, k, n - k + 1)
end

-- The first position and the number of points of a full convolution for a mode.
local function keptBy(mode, n, k)
  if mode == 'same' then return math.floor((k - 1) / 2) + 1, n end
  if mode == 'valid' then return math.min(n, k), math.abs(n - k) + 1 end
  return 1, n + k - 1
end

local methods = { auto = true, direct = true, fft = true }

-- If the shorter signal has fewer points, sums of products are faster than transforms, and they are exact for integers.
local longestDirect = 128

local function convolved(where, x, y, mode, method)
  checks.dims(where, 'x', x, 1, oneDim)
  checks.dims(where, 'y', y, 1, oneDim)
  mode, method = mode or 'full', method or 'auto'
  check.that(mode == 'full' or mode == 'same' or mode == 'valid',
    ("%s: mode: %s, expected 'full', 'same' or 'valid'"):format(where, tostring(mode)))
  check.that(methods[method], ("%s: method: %s, expected 'auto', 'direct' or 'fft'"):format(where, tostring(method)))
  local n, k = x:size(1), y:size(1)
  local first, count = keptBy(mode, n, k)
  if method == 'fft' or method == 'auto' and math.min(n, k) > longestDirect then
    return torch.narrow(conv.fftconvolve(x, y, 'full'), 1, first, count)
  end
  local long, short = x, y
  if k > n then long, short = y, x end
  local ends = short:size(1) - 1
  local input = torch.view(padded(torch.contiguous(long), ends, ends), 1, -1)
  local whole = torch.conv1d(input, torch.view(torch.flip(short, 1), 1, 1, -1))
  return torch.narrow(torch.view(whole, -1), 1, first, count)
end

--- The convolution of two signals: z_k = sum over j of x_j y_(k - j + 1).
-- @tparam torch.Tensor x N
-- @tparam torch.Tensor y K
-- @string[opt='full'] mode 'full': N + K - 1 points; 'same': the middle N of them; 'valid': |N - K| + 1, where they overlap completely
-- @string[opt='auto'] method 'direct', by sums of products; 'fft', by transforms; 'auto', the faster one
-- @treturn torch.Tensor
function conv.convolve(x, y, mode, method) return convolved('signal.convolve', x, y, mode, method) end

--- The cross-correlation of two signals: z_k = sum over j of x_(j + k) y_j, for lags k from 1 - K to N - 1; see `correlationLags`.
-- @tparam torch.Tensor x N
-- @tparam torch.Tensor y K
-- @string[opt='full'] mode as for `convolve`
-- @string[opt='auto'] method as for `convolve`
-- @treturn torch.Tensor
function conv.correlate(x, y, mode, method)
  checks.dims('signal.correlate', 'y', y, 1, oneDim)
  return convolved('signal.correlate', x, torch.flip(y, 1), mode, method)
end

--- The lags of the results of `correlate`: the number of points by which x is ahead.
-- @int n number of points of x
-- @int k number of points of y
-- @string[opt='full'] mode
-- @treturn torch.LongTensor
function conv.correlationLags(n, k, mode)
  local where = 'signal.correlationLags'
  check.int(where, 'n', n, { min = 1 })
  check.int(where, 'k', k, { min = 1 })
  check.that(mode == nil or mode == 'full' or mode == 'same' or mode == 'valid',
    ("%s: mode: %s, expected 'full', 'same' or 'valid'"):format(where, tostring(mode)))
  local first, count = keptBy(mode, n, k)
  return torch.range(first - k, first - k + count - 1):long()
end

return conv
