--- Reads WAV files as the networks for sounds expect them: one channel, 16 kHz.
-- @module published.recording
local data, signal = require 'data', require 'signal'

local wanted = 16000

local function divisor(a, b) return b == 0 and a or divisor(b, a % b) end

--- Reads a file; the channels' mean is resampled.
-- @string name
-- @treturn torch.Tensor samples from -1 to 1, of the default type
-- @raise if there is no such file, or it is damaged
return function(name)
  local sound, rate = data.wav.load(name)
  sound = sound:double():mean(2):view(-1)
  if rate ~= wanted then
    local common = divisor(wanted, rate)
    sound = signal.resample_poly(sound, wanted / common, rate / common)
  end
  return sound
end
