--- Analytic signals, phases and cepstra.
-- @module signal.cepstrum
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'
local fourier = require 'signal.fourier'

local cepstrum = {}

local oneDim = 'Input has to be 1D tensor'

local function part(x, i) return torch.select(x, x:dim(), i) end
local function constants(list, x) return require 'autograd.on_device_of'(torch.to(torch.DoubleTensor(list), x:type()), x) end

--- The analytic signal: x without its negative frequencies and with the positive ones doubled.
-- @tparam torch.Tensor x N
-- @treturn torch.Tensor N x 2
function cepstrum.hilbert(x)
  checks.dims('signal.hilbert', 'x', x, 1, oneDim)
  local n, factors = x:size(1), {}
  for i = 0, n - 1 do factors[i + 1] = (i == 0 or 2 * i == n) and 1 or 2 * i < n and 2 or 0 end
  local y = fourier.fft(x)
  return torch.fft_c2c(torch.cmul(y, torch.expandAs(constants(factors, x):view(n, 1), y)), 1, 'by_n', false)
end

--- Angles without jumps: an angle that differs from the one before by more than tol is corrected by multiples of 2 pi.
-- @tparam torch.Tensor a N angles
-- @number[opt=pi] tol
-- @treturn torch.Tensor N
function cepstrum.unwrap(a, tol)
  checks.dims('signal.unwrap', 'a', a, 1, oneDim)
  tol = check.number('signal.unwrap', 'tol', tol or math.pi, { min = 0 })
  local values, shifts = torch.to(a:detach(), 'torch.DoubleTensor'):clone(), {}
  local turn, before = 2 * math.pi, nil
  for i = 1, values:size(1) do
    local value = values[i]
    local difference = before and value - before or 0
    shifts[i] = math.abs(difference) > tol and -turn * math.ceil((difference - tol) / turn) or 0
    before = value + shifts[i]
  end
  return torch.add(a, constants(shifts, a))
end

local function ramp(x, nd)
  local n = x:size(1)
  local half, list = math.floor((n + 1) / 2), {}
  for i = 0, n - 1 do list[i + 1] = math.pi * nd * i / half end
  return constants(list, x)
end

--- Unwrapped angles of a spectrum without their slope, which is a delay.
-- @tparam torch.Tensor x N angles
-- @treturn torch.Tensor N
-- @treturn int delay in points
function cepstrum.rcunwrap(x)
  checks.dims('signal.rcunwrap', 'x', x, 1, oneDim)
  local y, n = cepstrum.unwrap(x), x:size(1)
  local middle = y:detach()[math.min(math.floor((n + 1) / 2) + 1, n)] / math.pi
  local nd = middle < 0 and math.ceil(middle - 0.5) or math.floor(middle + 0.5)
  return torch.csub(y, ramp(x, nd)), nd
end

--- The inverse of `rcunwrap`, up to whole turns.
-- @tparam torch.Tensor y N angles
-- @int[opt=0] nd delay in points
-- @treturn torch.Tensor N
function cepstrum.rcwrap(y, nd)
  checks.dims('signal.rcwrap', 'y', y, 1, oneDim)
  return torch.add(y, ramp(y, check.number('signal.rcwrap', 'nd', nd or 0)))
end

local function logMagnitude(h) return torch.log(torch.hypot(part(h, 1), part(h, 2))) end
local function realInverse(h) return part(torch.fft_c2c(h, 1, 'by_n', false), 1) end

--- The complex cepstrum: the inverse transform of the spectrum's logarithm, with an angle without jumps and slope.
-- @tparam torch.Tensor x N or N x 2
-- @treturn torch.Tensor N
-- @treturn int delay in points, for `icceps`
function cepstrum.cceps(x)
  checks.realOrComplex('signal.cceps', 'x', x, 1, oneDim)
  local h = fourier.fft(x)
  local angle, nd = cepstrum.rcunwrap(torch.atan2(part(h, 2), part(h, 1)))
  return torch.clone(realInverse(torch.stack({ logMagnitude(h), angle }, 2))), nd
end

--- The signal of a complex cepstrum.
-- @tparam torch.Tensor xhat N
-- @int[opt=0] nd delay in points
-- @treturn torch.Tensor N
function cepstrum.icceps(xhat, nd)
  checks.dims('signal.icceps', 'xhat', xhat, 1, oneDim)
  local h = fourier.fft(xhat)
  local size, angle = torch.exp(part(h, 1)), cepstrum.rcwrap(torch.contiguous(part(h, 2)), nd)
  return torch.clone(realInverse(torch.stack({ torch.cmul(size, torch.cos(angle)), torch.cmul(size, torch.sin(angle)) }, 2)))
end

--- The real cepstrum: the inverse transform of the logarithm of the spectrum's magnitude.
-- @tparam torch.Tensor x N
-- @treturn torch.Tensor N
function cepstrum.rceps(x)
  checks.dims('signal.rceps', 'x', x, 1, oneDim)
  local h = torch.fft_r2c(x)
  local log = logMagnitude(h)
  return torch.fft_c2r(torch.stack({ log, torch.mul(log, 0) }, 2), 1, 'by_n', x:size(1))
end

return cepstrum
