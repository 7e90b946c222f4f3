--- Perceptual spectrograms: over mel frequencies and over octaves, and their cepstra.
-- @module signal.mel
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'
local frames = require 'signal.stft'

local mel = {}

-- ---- scales
-- Source: M. Slaney (1998), "Auditory Toolbox": linear up to 1000 Hz, logarithmic above; 'htk': 2595 log10(1 + f / 700).

local perMel, knee, step = 200 / 3, 1000, math.log(6.4) / 27

local scales = {
  slaney = {
    to = function(f) return f < knee and f / perMel or knee / perMel + math.log(f / knee) / step end,
    from = function(m) return m < knee / perMel and m * perMel or knee * math.exp(step * (m - knee / perMel)) end,
  },
  htk = {
    to = function(f) return 2595 * math.log10(1 + f / 700) end,
    from = function(m) return 700 * (10 ^ (m / 2595) - 1) end,
  },
}

local filterOptions = { 'mels', 'fmin', 'fmax', 'scale', 'norm' }

--- Triangular filters over the frequencies of `rfft`, equally spaced in mels.
-- @int rate points per second
-- @int size points per frame
-- @tparam[opt] table options
--
-- - `mels`: number of filters (128)
-- - `fmin`, `fmax`: in Hertz (0 and half the rate)
-- - `scale`: 'slaney' (default) or 'htk'
-- - `norm`: 'slaney' (default) for triangles of equal area, or false for heights of 1
-- @treturn torch.Tensor mels x (floor(size / 2) + 1)
function mel.melFilters(rate, size, options)
  local where = 'signal.melFilters'
  check.number(where, 'rate', rate, { min = 1e-300 })
  check.int(where, 'size', size, { min = 1 })
  options = check.options(where, options, filterOptions)
  local count = check.int(where, 'mels', options.mels or 128, { min = 1 })
  local fmin = check.number(where, 'fmin', options.fmin or 0, { min = 0 })
  local fmax = check.number(where, 'fmax', options.fmax or rate / 2, { min = fmin })
  local scale = scales[options.scale or 'slaney']
  check.that(scale, ("%s: scale: %s, expected 'slaney' or 'htk'"):format(where, tostring(options.scale)))
  check.that(options.norm == nil or options.norm == false or options.norm == 'slaney',
    ("%s: norm: %s, expected 'slaney' or false"):format(where, tostring(options.norm)))
  local edges = {}
  local low, high = scale.to(fmin), scale.to(fmax)
  for i = 0, count + 1 do edges[i] = scale.from(low + (high - low) * i / (count + 1)) end
  local bins = math.floor(size / 2) + 1
  local filters = torch.zeros(count, bins)
  for i = 1, count do
    local height = options.norm == false and 1 or 2 / (edges[i + 1] - edges[i - 1])
    for k = 1, bins do
      local f = (k - 1) * rate / size
      local weight = math.min((f - edges[i - 1]) / (edges[i] - edges[i - 1]), (edges[i + 1] - f) / (edges[i + 1] - edges[i]))
      if weight > 0 then filters[i][k] = weight * height end
    end
  end
  return filters
end

-- Pads x on both sides, with zeros or by reflection, so that frames are centred on their points.
local function centred(where, x, size, pad)
  local half = math.floor(size / 2)
  if pad ~= 'reflect' then return require('signal.conv').padded(x, half, half) end
  local n = x:size(1)
  check.that(n > half, ('%s: x: %d points, expected more than %d to be mirrored'):format(where, n, half))
  if half == 0 then return x end
  return torch.cat({ torch.flip(torch.narrow(x, 1, 2, half), 1), x, torch.flip(torch.narrow(x, 1, n - half, half), 1) }, 1)
end

local spectrogramOptions = { 'size', 'stride', 'window', 'center', 'pad', 'power', unpack(filterOptions) }

local function subset(options, names)
  local result = {}
  for _, name in ipairs(names) do result[name] = options[name] end
  return result
end

local function melSpectrogram(where, x, rate, options)
  checks.dims(where, 'x', x, 1, 'Input has to be 1D tensor')
  local size = check.int(where, 'size', options.size or 2048, { min = 1 })
  local stride = check.int(where, 'stride', options.stride or math.max(1, math.floor(size / 4)), { min = 1 })
  local exponent = check.number(where, 'power', options.power or 2, { min = 0 })
  local filters = torch.to(mel.melFilters(rate, size, subset(options, filterOptions)), x:type())
  if options.center ~= false then x = centred(where, x, size, options.pad) end
  local y = torch.fft_r2c(frames.framed(where, x, size, stride, options.window or 'hann', 'periodic'), 2)
  local power = frames.power(y)
  if exponent ~= 2 then power = torch.pow(power, exponent / 2) end
  return torch.mm(filters, torch.t(power))
end

--- The power of a signal over mel frequencies and time.
-- @tparam torch.Tensor x N
-- @int rate points per second
-- @tparam[opt] table options those of `melFilters`, and
--
-- - `size`: points per frame (2048)
-- - `stride`: points from one frame to the next (a quarter of the size)
-- - `window`: as in `stft`, periodic ('hann')
-- - `center`: false uses only frames inside x; otherwise frames are centred on points 1, 1 + stride, ..., with zeros beyond the ends, or
--   x reflected if `pad` is 'reflect'
-- - `power`: the exponent of magnitudes (2)
-- @treturn torch.Tensor mels x frames
function mel.melSpectrogram(x, rate, options)
  return melSpectrogram('signal.melSpectrogram', x, rate, check.options('signal.melSpectrogram', options, spectrogramOptions))
end

--- Power in decibels, 10 log10(x / ref).
-- @tparam torch.Tensor x
-- @tparam[opt] table options
--
-- - `ref`: the value of 0 dB, a number, or 'max' for the largest of x (1)
-- - `amin`: replaces smaller numbers (1e-10)
-- - `top`: lower limit in decibels below the largest value, or false (80)
-- @treturn torch.Tensor as x
function mel.powerToDb(x, options)
  local where = 'signal.powerToDb'
  checks.signal(where, 'x', x)
  options = check.options(where, options, { 'ref', 'amin', 'top' })
  local amin = check.number(where, 'amin', options.amin or 1e-10, { min = 1e-300 })
  local ref = options.ref == 'max' and torch.max(x:detach()) or check.number(where, 'ref', options.ref or 1)
  local y = torch.mul(torch.log10(torch.clamp(x, amin, math.huge)), 10)
  y = torch.add(y, -10 * math.log10(math.max(amin, ref)))
  if options.top == false then return y end
  local top = check.number(where, 'top', options.top or 80, { min = 0 })
  return torch.clamp(y, torch.max(y:detach()) - top, math.huge)
end

--- Cepstral coefficients of a signal over mel frequencies: the cosine transform of each frame's decibels.
-- @tparam torch.Tensor x N
-- @int rate points per second
-- @tparam[opt] table options those of `melSpectrogram`, and `count`: number of coefficients (20)
-- @treturn torch.Tensor count x frames
function mel.mfcc(x, rate, options)
  local where = 'signal.mfcc'
  options = check.options(where, options, { 'count', unpack(spectrogramOptions) })
  local decibels = mel.powerToDb(melSpectrogram(where, x, rate, options))
  local mels = decibels:size(1)
  local count = check.int(where, 'count', options.count or 20, { min = 1, max = mels })
  local basis = torch.DoubleTensor(count, mels)
  for k = 0, count - 1 do
    local factor = math.sqrt((k == 0 and 1 or 2) / mels)
    for j = 0, mels - 1 do basis[k + 1][j + 1] = factor * math.cos(math.pi * (j + 0.5) * k / mels) end
  end
  return torch.mm(require 'autograd.on_device_of'(torch.to(basis, x:type()), x), decibels)
end

--- The constant-Q transform: frequencies equally spaced in octaves, each with a filter over the same number of its periods.
-- Source: J. Brown & M. Puckette (1992), "An efficient algorithm for the calculation of a constant Q transform".
-- @tparam torch.Tensor x N
-- @int rate points per second
-- @tparam[opt] table options
--
-- - `fmin`: the lowest frequency, in Hertz (32.70, the note C1)
-- - `bins`: number of frequencies (84)
-- - `perOctave`: frequencies per octave (12)
-- - `stride`: points from one frame to the next; frames are centred on points 1, 1 + stride, ... (512)
-- - `window`: as in `stft`, periodic ('hann')
-- @treturn torch.Tensor bins x frames x 2; a wave of amplitude 1 has the magnitude sqrt(length of its filter) / 2
-- @treturn torch.Tensor frequencies, in Hertz
function mel.cqt(x, rate, options)
  local where = 'signal.cqt'
  checks.dims(where, 'x', x, 1, 'Input has to be 1D tensor')
  check.number(where, 'rate', rate, { min = 1e-300 })
  options = check.options(where, options, { 'fmin', 'bins', 'perOctave', 'stride', 'window' })
  local fmin = check.number(where, 'fmin', options.fmin or 440 * 2 ^ (-45 / 12), { min = 1e-300 })
  local bins = check.int(where, 'bins', options.bins or 84, { min = 1 })
  local perOctave = check.int(where, 'perOctave', options.perOctave or 12, { min = 1 })
  local stride = check.int(where, 'stride', options.stride or 512, { min = 1 })
  local highest = fmin * 2 ^ ((bins - 1) / perOctave)
  check.that(highest < rate / 2,
    ('%s: bins: the highest frequency is %.6g, expected less than half the rate, %g'):format(where, highest, rate / 2))
  -- The relative distance of neighbours, and the filter length needed to separate them.
  local apart = 2 ^ (2 / perOctave)
  local quality = (apart + 1) / (apart - 1)
  local size = 1
  while size < quality * rate / fmin do size = 2 * size end
  local kernels, frequencies = torch.zeros(bins, size, 2):double(), torch.Tensor(bins)
  for bin = 1, bins do
    local f = fmin * 2 ^ ((bin - 1) / perOctave)
    frequencies[bin] = f
    local length = quality * rate / f
    local first, last = math.floor(-length / 2), math.floor(length / 2) - 1
    local count = last - first + 1
    local w = require('signal.window').weights(where, options.window or 'hann', count, kernels, 'periodic')
      or torch.DoubleTensor(count):fill(1)
    local kernel, sum = kernels[bin], w:sum()
    for i = first, last do
      local at, angle, weight = size / 2 + i + 1, 2 * math.pi * i * f / rate, w[i - first + 1] / sum * math.sqrt(length)
      kernel[at][1], kernel[at][2] = weight * math.cos(angle), weight * math.sin(angle)
    end
  end
  -- By Parseval's theorem: products with the kernel's conjugate over the real signal's frequencies, half of which are conjugates.
  local spectra = torch.fft_c2c(kernels, 2, 'by_n')
  local pieces = frames.framed(where, centred(where, x, size), size, stride)
  local y = torch.fft_r2c(pieces, 2, 'none', false)
  local kr, ki = torch.to(spectra:select(3, 1), x:type()), torch.to(spectra:select(3, 2), x:type())
  local yr, yi = torch.t(torch.select(y, 3, 1)), torch.t(torch.select(y, 3, 2))
  local re = torch.add(torch.mm(kr, yr), torch.mm(ki, yi))
  local im = torch.csub(torch.mm(kr, yi), torch.mm(ki, yr))
  return torch.stack({ re, im }, 3), frequencies
end

return mel
