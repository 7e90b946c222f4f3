--- Spectrograms ordered like pictures: the highest frequency first, frequency 0 last.
-- @module audio.spectrum
local torch = require 'torch'
local signal = require 'signal'
local check = require 'torch.check'

local spectrum = {}

local windows = { rect = true, hamming = true, hann = true, bartlett = true }

-- Frequencies of frames, computed in doubles.
local function frames(where, count, input, size, kind, stride)
  check.that(count == 4, ('%s: incorrect arguments: %d, expected (input, window_size, window_type, stride)'):format(where, count))
  check.tensor(where, 'input', input)
  if input:dim() == 2 then
    check.that(input:size(2) == 1, ('%s: [stft_generic] Multi-channel stft not supported: %d channels'):format(where, input:size(2)))
    input = torch.select(input, 2, 1)
  end
  check.that(windows[kind], ("%s: window_type: %s, expected 'rect', 'hamming', 'hann' or 'bartlett'"):format(where, tostring(kind)))
  return signal.rstft(torch.to(input, 'torch.DoubleTensor'), size, stride, kind), input:type()
end

--- The Fourier transform of a sound's frames, not normalised.
-- @tparam torch.Tensor input N or N x 1
-- @int window_size points of a frame
-- @string window_type 'rect', 'hamming', 'hann' or 'bartlett'
-- @int stride points from one frame to the next
-- @treturn torch.Tensor W x (window_size / 2 + 1) x 2, the highest frequency first
function spectrum.stft(...)
  local y, kind = frames('audio.stft', select('#', ...), ...)
  return torch.to(torch.flip(y, 2), kind)
end

--- The power of frequencies over time, 10 ln(re^2 + im^2 + 0.01).
-- @tparam torch.Tensor input N or N x 1
-- @int window_size points of a frame
-- @string window_type 'rect', 'hamming', 'hann' or 'bartlett'
-- @int stride points from one frame to the next
-- @treturn torch.Tensor (window_size / 2 + 1) x W: a picture, low frequencies at the bottom
function spectrum.spectrogram(...)
  local y, kind = frames('audio.spectrogram', select('#', ...), ...)
  local power = torch.squeeze(torch.sum(torch.square(y), 3), 3)
  return torch.to(torch.transpose(torch.flip(torch.mul(torch.log(torch.add(power, 0.01)), 10), 2), 1, 2), kind)
end

--- The constant-Q transform between two frequencies, which lua---audio never computed.
-- @tparam torch.Tensor input N or N x 1
-- @number fmin the lowest frequency, in Hertz
-- @number fmax the highest
-- @int bins_per_octave
-- @int sample_rate samples per second
-- @treturn torch.Tensor bins x W x 2, the lowest frequency first: see `signal.cqt`
function spectrum.cqt(input, fmin, fmax, bins_per_octave, sample_rate)
  local where = 'audio.cqt'
  check.tensor(where, 'input', input)
  check.number(where, 'fmin', fmin, { min = 1e-300 })
  check.number(where, 'fmax', fmax, { min = fmin })
  check.int(where, 'bins_per_octave', bins_per_octave, { min = 1 })
  local bins = math.floor(bins_per_octave * math.log(fmax / fmin) / math.log(2) + 1e-9) + 1
  if input:dim() == 2 then input = torch.contiguous(torch.select(input, 2, 1)) end
  return (signal.cqt(input, sample_rate, { fmin = fmin, bins = bins, perOctave = bins_per_octave }))
end

return spectrum
