--- A synthetic sound like a voice.
-- @module audio.voice
local torch = require 'torch'

-- Formants, resonances of the mouth, of some vowels, in Hertz.
local vowels = { { 730, 1090, 2440 }, { 530, 1840, 2480 }, { 270, 2290, 3010 }, { 570, 840, 2410 }, { 300, 870, 2240 } }

-- The amplitude of a wave with this frequency in a vowel.
local function loudness(frequency, formants)
  local size = 0
  for i, formant in ipairs(formants) do
    local width = 60 + 30 * i
    size = size + width ^ 2 / ((frequency - formant) ^ 2 + width ^ 2) / i
  end
  return size
end

--- Five vowels in sequence, at a pitch that falls with a slight vibrato.
-- @treturn torch.Tensor samples x 1, with the default type and the scale of `audio.load`
-- @treturn int samples per second
local function samplevoice()
  local rate, seconds, pitch = 16000, 0.3, 120
  local count = seconds * rate
  local t = torch.range(0, count - 1):double() / rate
  local parts = {}
  for i, formants in ipairs(vowels) do
    local start = (i - 1) * seconds
    -- The integral of pitch (1 - 0.08 t + 0.02 sin(2 pi 5 t)).
    local phase = t * 1
    phase:apply(function(at)
      local now = start + at
      return 2 * math.pi * pitch * (now - 0.04 * now ^ 2 - 0.02 / (10 * math.pi) * math.cos(10 * math.pi * now))
    end)
    local wave = torch.DoubleTensor(count):zero()
    for k = 1, math.floor(4000 / pitch) do wave:add(loudness(k * pitch, formants), torch.sin(phase * k)) end
    -- Each vowel fades in and out.
    wave:cmul(torch.sin(t * (math.pi / seconds)):sqrt())
    parts[i] = wave / (4 * wave:std())
  end
  local voice = torch.cat(parts, 1):clamp(-1, 1) * 0.8
  return torch.to(voice:mul(2 ^ 15):round():mul(65536):view(-1, 1), torch.getdefaulttensortype()), rate
end

return { samplevoice = samplevoice }
