-- A voice that does not exist: a tone that rises and wavers, with its overtones, and its spectrogram: `th examples/gallery/spectrogram.lua
-- [FILE]`.
local torch, signal, plot = require 'torch', require 'signal', require 'plot'
torch.manualSeed(1)

local rate = 8000
local t = torch.range(0, 2 * rate - 1) / rate
local pitch = t * 100 + 200 + torch.sin(t * (2 * math.pi * 5)) * 15            -- Hz
local phase = torch.cumsum(pitch) * (2 * math.pi / rate)
local voice = torch.randn(t:size(1)) * 0.02
for overtone = 1, 8 do voice = voice + torch.sin(phase * overtone) / overtone end

local power = signal.spectrogram(voice, 512, 64)
local figure = plot.figure { width = 800, height = 420 }
figure:subplot(2, 1, 1):plot(t[{ { 1, 400 } }], voice[{ { 1, 400 } }]):title 'the first 50 ms':xlabel 'time [s]'
figure:subplot(2, 1, 2):imshow(power, { cmap = 'inferno', origin = 'lower', extent = { 0, 2, 0, rate / 2 }, aspect = 'auto' })
  :xlabel 'time [s]':ylabel 'frequency [Hz]'
figure:save(arg[1] or 'spectrogram.svg')
