--- Power spectra, frequencies, and frequency sweeps.
-- @module signal.spectrum
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'
local frames = require 'signal.stft'

local spectrum = {}

--- The power density of a signal by Welch's method: the mean over overlapping frames.
-- Source: P. Welch (1967), "The use of fast Fourier transform for the estimation of power spectra".
-- @tparam torch.Tensor x N
-- @tparam[opt] table options
--
-- - `rate`: points per second (1)
-- - `size`: points per frame (256, or N if that is less)
-- - `overlap`: common points of neighbouring frames (half the size)
-- - `window`: as in `stft`, periodic ('hann')
-- - `detrend`: false doesn't subtract each frame's mean
-- @treturn torch.Tensor frequencies
-- @treturn torch.Tensor power per Hertz
function spectrum.welch(x, options)
  local where = 'signal.welch'
  checks.dims(where, 'x', x, 1, 'Input has to be 1D tensor')
  options = check.options(where, options, { 'rate', 'size', 'overlap', 'window', 'detrend' })
  local rate = check.number(where, 'rate', options.rate or 1, { min = 1e-300 })
  local size = check.int(where, 'size', options.size or math.min(256, x:size(1)), { min = 1, max = x:size(1) })
  local overlap = check.int(where, 'overlap', options.overlap or math.floor(size / 2), { min = 0, max = size - 1 })
  local pieces = frames.framed(where, x, size, size - overlap)
  if options.detrend ~= false then pieces = torch.csub(pieces, torch.expandAs(torch.mean(pieces, 2), pieces)) end
  local w = require('signal.window').weights(where, options.window or 'hann', size, x, 'periodic') or x.new(size):fill(1)
  local power = frames.power(torch.fft_r2c(torch.cmul(pieces, torch.expandAs(w:view(1, size), pieces)), 2))
  local mean = torch.view(torch.mean(power, 1), -1)
  local factor = x.new(mean:size(1)):fill(2)
  factor[1] = 1
  if size % 2 == 0 then factor[mean:size(1)] = 1 end
  local scale = 1 / (rate * torch.sum(torch.cmul(w, w)))
  return spectrum.rfftfreq(size, 1 / rate), torch.cmul(mean, factor * scale)
end

--- The frequencies of `fft`: 0, 1, ..., then negative ones, divided by n times the spacing.
-- @int n number of points
-- @number[opt=1] spacing seconds from one point to the next
-- @treturn torch.Tensor n
function spectrum.fftfreq(n, spacing)
  check.int('signal.fftfreq', 'n', n, { min = 1 })
  spacing = check.number('signal.fftfreq', 'spacing', spacing or 1)
  local f = torch.Tensor(n)
  for i = 0, n - 1 do f[i + 1] = (2 * i < n and i or i - n) / (n * spacing) end
  return f
end

--- The frequencies of `rfft`.
-- @int n number of points
-- @number[opt=1] spacing seconds from one point to the next
-- @treturn torch.Tensor floor(n / 2) + 1
function spectrum.rfftfreq(n, spacing)
  check.int('signal.rfftfreq', 'n', n, { min = 1 })
  return torch.range(0, math.floor(n / 2)):div(n * check.number('signal.rfftfreq', 'spacing', spacing or 1))
end

local function shifted(where, x, sign)
  check.tensor(where, 'x', x)
  check.that(x:dim() > 0, where .. ': x: expected a tensor of one dimension or more')
  return torch.roll(x, sign * math.floor(x:size(1) / 2), 1)
end

--- Frequency 0 in the middle: each half of the first dimension in the other's place.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function spectrum.fftshift(x) return shifted('signal.fftshift', x, 1) end

--- The inverse of `fftshift`.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function spectrum.ifftshift(x) return shifted('signal.ifftshift', x, -1) end

local phases = {
  linear = function(t, f0, t1, f1) return f0 * t + (f1 - f0) / t1 * t ^ 2 / 2 end,
  quadratic = function(t, f0, t1, f1) return f0 * t + (f1 - f0) / t1 ^ 2 * t ^ 3 / 3 end,
  logarithmic = function(t, f0, t1, f1)
    if f0 == f1 then return f0 * t end
    local rate = math.log(f1 / f0) / t1
    return f0 * (math.exp(rate * t) - 1) / rate
  end,
}

--- A wave cos(2 pi f t) whose frequency changes from f0 to f1.
-- @tparam torch.Tensor t times
-- @number f0 at time 0
-- @number t1
-- @number f1 at time t1
-- @string[opt='linear'] method 'linear', 'quadratic' or 'logarithmic'
-- @treturn torch.Tensor as t
function spectrum.chirp(t, f0, t1, f1, method)
  local where = 'signal.chirp'
  checks.signal(where, 't', t)
  check.number(where, 'f0', f0)
  check.number(where, 'f1', f1)
  check.number(where, 't1', t1, { min = 1e-300 })
  local phase = phases[method or 'linear']
  check.that(phase, ("%s: method: %s, expected 'linear', 'quadratic' or 'logarithmic'"):format(where, tostring(method)))
  check.that(method ~= 'logarithmic' or f0 * f1 > 0, where .. ': f1: expected frequencies other than 0 and of one sign')
  return t:clone():apply(function(at) return math.cos(2 * math.pi * phase(at, f0, t1, f1)) end)
end

return spectrum
