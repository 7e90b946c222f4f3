-- Magnets of spins: `th examples/ising.lua`, and --help for more. Spins of +1 and -1 on a square lattice, whose edges meet, point like
-- their neighbours more often than not; the colder, the more often. Plain loops over the elements of a tensor flip spins by Metropolis's
-- rule; LuaJIT compiles them. Below the critical temperature of 2.269 the lattice keeps a magnetization, above it hardly any. The picture
-- shows it next to the exact curve of an infinite lattice. The last line says in how many digits both agree at a temperature of 1.8.
-- Sources: Metropolis & al. (1953), "Equation of State Calculations by Fast Computing Machines", J. Chem. Phys. 21; Yang (1952), "The
-- Spontaneous Magnetization of a Two-Dimensional Ising Model", Phys. Rev. 85, equation 96.
local torch, plot = require 'torch', require 'plot'

local command = torch.CmdLine()
command:text 'Simulates a magnet of spins: th examples/ising.lua'
command:option('--size', 64, 'spins in each direction')
command:option('--sweeps', 1500, 'visits of all spins at each temperature, of which the last two thirds are measured')
command:option('--seed', 1, 'of the random numbers')
command:option('--curve', 'ising.svg', "where the picture goes; '' draws none")

-- Visits all spins once. `chances` has the probability of a flip for the number of equal neighbours less that of others, from -4 to 4.
local function sweep(spins, chances)
  local n = spins:size(1)
  for i = 1, n do
    local above, below = i > 1 and i - 1 or n, i < n and i + 1 or 1
    for j = 1, n do
      local left, right = j > 1 and j - 1 or n, j < n and j + 1 or 1
      local spin = spins[{ i, j }]
      local agreement = spin * (spins[{ above, j }] + spins[{ below, j }] + spins[{ i, left }] + spins[{ i, right }])
      if torch.uniform() < chances[agreement + 5] then spins[{ i, j }] = -spin end
    end
  end
end

-- Returns the magnetization per spin of a lattice that starts with equal spins.
local function magnetization(temperature, size, sweeps)
  local spins, chances = torch.ByteTensor(size, size):fill(1):char(), torch.Tensor(9)
  for k = 1, 9 do chances[k] = math.exp(-2 * (k - 5) / temperature) end
  local sum, measured = 0, 0
  for k = 1, sweeps do
    sweep(spins, chances)
    if k > sweeps / 3 then sum, measured = sum + math.abs(spins:sum()), measured + 1 end
  end
  return sum / measured / size ^ 2, spins
end

local function exact(temperature)
  local s = math.sinh(2 / temperature)
  return s > 1 and (1 - s ^ -4) ^ (1 / 8) or 0
end

local options = command:parse(arg or {})
if options.size < 2 or options.sweeps < 3 then
  io.stderr:write 'ising: --size: expected 2 or more, --sweeps: 3 or more\n'
  os.exit(2, true)
end
torch.manualSeed(options.seed)
local temperatures, found, last = {}, {}, nil
for k = 0, 6 do
  local temperature = 1.5 + 0.3 * k
  local timer = torch.Timer()
  temperatures[k + 1] = temperature
  found[k + 1], last = magnetization(temperature, options.size, options.sweeps)
  io.write(('temperature %.1f: magnetization %.4f, exact %.4f, %.1f ns per visit\n'):format(temperature, found[k + 1], exact(temperature),
    timer:time().real / options.sweeps / options.size ^ 2 * 1e9))
  io.flush()
end
if options.curve ~= '' then
  local figure, fine = plot.figure { width = 800, height = 360 }, torch.linspace(1.4, 3.4, 401)
  local curve = fine:clone():apply(exact)
  local axes = figure:subplot(1, 2, 1):plot(fine, curve, { label = 'exact' }):plot(temperatures, found, 'o', { label = 'found' })
  axes:title('magnetization'):xlabel('temperature'):legend():grid()
  figure:subplot(1, 2, 2):imshow(last:double(), { cmap = 'gray' }):title(('spins at %.1f'):format(temperatures[#temperatures]))
  figure:save(options.curve)
end
local error = math.abs(found[2] - exact(1.8))
io.write(('the magnetization agrees with the exact one in %.1f digits\n'):format(-math.log10(error)))
