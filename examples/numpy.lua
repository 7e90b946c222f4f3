-- NumPy and torch on the same memory: `th examples/numpy.lua`, and --help for more; Python's library and NumPy must be installed
-- (docs/exchange.md). NumPy draws noise in which three tones are hidden; torch finds their frequencies by a Fourier transform of the same
-- memory and their amplitudes by least squares; NumPy computes both from torch's memory. The last line is in how many digits they agree.
local torch = require 'torch'
local python = torch.python

local command = torch.CmdLine()
command:text 'NumPy and torch on the same memory: th examples/numpy.lua'
command:option('--points', 4096, 'points of the signal')
command:option('--noise', 2, 'standard deviation of the noise')
command:option('--seed', 1, 'of the noise')
local options = command:parse(arg or {})

local tones = { { 97, 1 }, { 460, 0.7 }, { 1201, 1.5 } }      -- periods in the signal, amplitudes

-- The signal: an array of NumPy, to which torch adds the tones.
local good, problem = pcall(python.run, ([[
import numpy as np
signal = np.random.default_rng(%d).normal(0, %g, %d)]]):format(options.seed, options.noise, options.points))
if not good then return print(problem) end
local signal = python.eval 'signal'
local phase = torch.range(0, options.points - 1):mul(2 * math.pi / options.points)
for _, tone in ipairs(tones) do signal:add(tone[2], torch.sin(phase * tone[1])) end

-- The frequencies of the largest coefficients.
local power = torch.abs(torch.fft.rfft(signal))
local _, places = power:topk(#tones, 1, true)
places = torch.sort(places)
print('periods by torch: ' .. table.concat(places:clone():add(-1):totable(), ', '))
python.set('power', power)
print('periods by NumPy: ' .. table.concat(python.eval(('np.sort(np.argsort(power)[-%d:])'):format(#tones)):totable(), ', '))
local difference = python.eval 'float(np.abs(np.abs(np.fft.rfft(signal)) - power).max() / power.max())'

-- Their amplitudes, from a design matrix of torch, whose memory NumPy reads.
local design = torch.zeros(options.points, #tones)
for j = 1, #tones do design:select(2, j):copy(torch.sin(phase * (places[j] - 1))) end
local amplitudes = torch.linalg.lstsq(design, signal:view(-1, 1)):view(-1)
python.set('design', design)
local theirs = python.eval 'np.linalg.lstsq(design, signal, rcond=None)[0]'
print(('amplitudes: %s'):format(table.concat(torch.round(amplitudes * 100):div(100):totable(), ', ')))
difference = math.max(difference, (theirs - amplitudes):abs():max())
python.run 'del signal, power, design'
print(('torch and NumPy agree in %.0f digits'):format(-math.log10(math.max(difference, 1e-16))))
