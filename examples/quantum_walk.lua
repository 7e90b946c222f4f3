-- A quantum walk on a line: `th examples/quantum_walk.lua`, and --help for more. A walker has complex amplitudes for each site and two
-- directions. A step mixes the directions by Hadamard's matrix and moves each amplitude one site in its direction; probabilities are
-- squared magnitudes. A walker that throws coins spreads with the root of the number of steps, this one in proportion to it. The
-- distribution of the walker's velocity tends to a density without waves, whose standard deviation is sqrt(1 - 1 / sqrt 2); the last line
-- printed is in how many digits the walk agrees.
-- Source: Konno (2002), "Quantum random walks in one dimension", Quantum Information Processing 1.
local torch, plot = require 'torch', require 'plot'

local command = torch.CmdLine()
command:text 'A quantum walk with complex amplitudes: th examples/quantum_walk.lua'
command:option('--steps', 1000, 'steps of the walk')
command:option('--curve', 'quantum_walk.svg', "where the picture goes; '' draws none")
local options = command:parse(arg or {})

local steps = options.steps
local sites = 2 * steps + 1
local coin = torch.ComplexDoubleTensor { { 1, 1 }, { 1, -1 } } / math.sqrt(2)

-- Rows: moving to the left, to the right. The start in the middle has no side that it prefers.
local amplitudes = torch.zeros(2, sites, 'complex128')
amplitudes[{ 1, steps + 1 }] = math.sqrt(0.5)
amplitudes[{ 2, steps + 1 }] = 1i * math.sqrt(0.5)

for _ = 1, steps do
  amplitudes = torch.mm(coin, amplitudes)
  amplitudes[1] = torch.roll(amplitudes[1], -1, 1)
  amplitudes[2] = torch.roll(amplitudes[2], 1, 1)
end

local probabilities = torch.square(torch.abs(amplitudes)):sum(1):view(-1)
local positions = torch.range(-steps, steps)
local mean = torch.dot(probabilities, positions)
local deviation = math.sqrt(torch.dot(probabilities, torch.square(positions - mean)))
io.write(('%d steps: the probabilities add up to 1 with an error of %.0e\n'):format(steps, math.abs(probabilities:sum() - 1)))
io.write(('standard deviation %.2f sites, that of coins %.2f\n'):format(deviation, math.sqrt(steps)))

if options.curve ~= '' then
  local figure = plot.figure { width = 500, height = 380 }
  local reached = torch.range(1, sites, 2):long()      -- after an even number of steps the others have no probability
  local x = positions:index(1, reached)
  local axes = figure:subplot(1, 1, 1):plot(x, probabilities:index(1, reached), '-', { label = 'quantum' })
  axes:plot(x, torch.exp(torch.square(x) / (-2 * steps)) * (2 / math.sqrt(2 * math.pi * steps)), '-', { label = 'coins' })
  axes:title(('a walk of %d steps'):format(steps)):xlabel 'site':ylabel 'probability':legend()
  figure:save(options.curve)
end

local limit = math.sqrt(1 - math.sqrt(0.5))
io.write(('the velocity agrees with its limit in %.1f digits\n'):format(-math.log10(math.abs(deviation / steps - limit) / limit)))
