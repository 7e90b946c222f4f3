--- What Whisper hears of a sound: logarithms of its power over mel frequencies, in steps of 10 ms.
-- Source: Radford et al. (2023), "Robust Speech Recognition via Large-Scale Weak Supervision", ICML, section 2.2, and its program:
-- windows of 25 ms; at most 80 dB below the loudest; scaled to about -1 to 1. As transformers' WhisperFeatureExtractor.
-- @module zoo.log_mel
local torch, check, signal = require 'torch', require 'torch.check', require 'signal'

local rate, size, stride = 16000, 400, 160
local where = 'zoo: features'

local function ofSound(sound, mels, frames)
  local x, count = torch.zeros(frames * stride), math.min(sound:nElement(), frames * stride)
  if count > 0 then x:narrow(1, 1, count):copy(sound:narrow(1, 1, count)) end
  local power = signal.melSpectrogram(x, rate, { size = size, stride = stride, mels = mels, fmax = rate / 2, pad = 'reflect' })
  local y = torch.log10(power:narrow(2, 1, frames):cmax(1e-10))
  return y:cmax(y:max() - 8):add(4):div(4)
end

--- Computes features of sounds, which are cut or filled up with silence.
-- @tparam torch.Tensor|{torch.Tensor,...} sounds samples at 16 kHz from -1 to 1, a vector or several
-- @int mels number of frequencies
-- @int frames of 10 ms
-- @treturn torch.Tensor (N, mels, frames), of the default type
return function(sounds, mels, frames)
  local list = torch.isTensor(sounds) and { sounds } or check.table(where, 'sounds', sounds)
  check.that(#list > 0, where .. ': sounds: none, expected a vector or more')
  local results = {}
  for i, sound in ipairs(list) do
    check.tensor(where, 'sounds', sound)
    check.that(sound:dim() == 1, ('%s: sounds: %d dimensions in place %d, expected vectors of samples'):format(where, sound:dim(), i))
    results[i] = ofSound(sound:double(), mels, frames)
  end
  return torch.stack(results, 1):to(torch.getdefaulttensortype())
end
