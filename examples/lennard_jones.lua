-- Packs atoms: `th examples/lennard_jones.lua`, and --help for more. Atoms attract each other, and repel each other when they are near: the
-- energy of a pair at distance r is 4 (r^-12 - r^-6). L-BFGS, with gradients from the tape, moves atoms to the next minimum of the energy;
-- then all are displaced at random, and the lower of both minima stays: basin hopping. The last line printed is how many sizes reach the
-- lowest energy that is known. The picture shows the energies, and the last cluster: for 13 atoms, an icosahedron around an atom.
-- Sources: Wales & Doye (1997), "Global Optimization by Basin-Hopping and the Lowest Energy Structures of Lennard-Jones Clusters Containing
-- up to 110 Atoms", J. Phys. Chem. A 101, whose table 1 has the minima.
local torch, optim, plot = require 'torch', require 'optim', require 'plot'

local command = torch.CmdLine()
command:text 'Packs atoms with the lowest energy: th examples/lennard_jones.lua'
command:option('--most', 13, 'largest number of atoms, up to 13')
command:option('--hops', 40, 'minima of each number of atoms')
command:option('--step', 0.6, 'deviation of the displacements')
command:option('--seed', 1, 'of the starts')
command:option('--curve', 'lennard_jones.svg', "where the picture goes; '' draws none")

-- The lowest known energies of 2 to 13 atoms.
local known = {
  [2] = -1, [3] = -3, [4] = -6, [5] = -9.103852, [6] = -12.712062, [7] = -16.505384, [8] = -19.821489, [9] = -24.113360,
  [10] = -28.422532, [11] = -32.765970, [12] = -37.967600, [13] = -44.326801,
}

-- Positions (n, 3) of the first and the second atom of each pair, by index.
local function pairsOf(n)
  local first, second = {}, {}
  for i = 1, n do
    for j = i + 1, n do first[#first + 1], second[#second + 1] = i, j end
  end
  return torch.LongTensor(first), torch.LongTensor(second)
end

-- Goes from some places to a minimum. Returns its energy, the places, and the number of evaluations.
local function pack(start, first, second)
  local evaluations = 0
  local places, energies = optim.lbfgs(function(point)
    local own = point:clone():requiresGrad()
    local offsets = torch.index(own, 1, first) - torch.index(own, 1, second)
    local inverse6 = torch.pow(torch.sum(torch.cmul(offsets, offsets), 2), -3)
    local energy = torch.sum(torch.cmul(inverse6, inverse6 - 1)) * 4
    energy:backward()
    evaluations = evaluations + 1
    return energy:item(), own.grad
  end, start, { maxIter = 400, tolFun = 1e-6, tolX = 1e-12, lineSearch = optim.lswolfe })
  return energies[#energies], places, evaluations
end

-- Draws a cluster, seen along the direction in which it varies least; nearer atoms are larger.
local function drawCluster(axes, places)
  local centred = places - places:mean(1):expandAs(places)
  local _, _, directions = torch.svd(centred)
  local turned = torch.mm(centred, directions)
  for i = 1, turned:size(1) do
    for j = i + 1, turned:size(1) do
      if torch.dist(turned[i], turned[j]) < 1.2 then
        local ends = turned:index(1, torch.LongTensor { i, j })
        axes:plot(ends:select(2, 1), ends:select(2, 2), { color = 'gray', linewidth = 0.8 })
      end
    end
  end
  local depth = turned:select(2, 3)
  axes:scatter(turned:select(2, 1), turned:select(2, 2), { c = depth, s = (depth - depth:min()) * 60 + 60, cmap = 'viridis' })
  axes:title(('%d atoms'):format(places:size(1)))
end

local options = command:parse(arg or {})
if options.most < 2 or options.most > 13 or options.hops < 1 then
  io.stderr:write 'lennard_jones: --most: expected 2 to 13, --hops: 1 or more\n'
  os.exit(2, true)
end
torch.manualSeed(options.seed)
local sizes, energies, expected, reached, cluster = {}, {}, {}, 0, torch.zeros(1, 3)
for n = 2, options.most do
  local first, second = pairsOf(n)
  local lowest, places, hops, evaluations = math.huge, torch.cat(cluster, torch.randn(1, 3), 1), 0, 0
  for hop = 1, options.hops do
    local energy, minimum, count = pack(places + torch.randn(n, 3) * options.step, first, second)
    evaluations = evaluations + count
    if energy < lowest - 1e-6 then lowest, places, hops = energy, minimum, hop end
  end
  cluster = places
  if math.abs(lowest - known[n]) < 1e-5 then reached = reached + 1 end
  sizes[#sizes + 1], energies[#sizes + 1], expected[#sizes + 1] = n, lowest, known[n]
  io.write(('%2d atoms: %.6f after %2d hops of %.0f evaluations\n'):format(n, lowest, hops, evaluations / options.hops))
  io.flush()
end
if options.curve ~= '' then
  local figure = plot.figure { width = 800, height = 360 }
  local axes = figure:subplot(1, 2, 1):plot(sizes, expected, { label = 'lowest known' }):plot(sizes, energies, 'o', { label = 'found' })
  axes:title('energy of clusters'):xlabel('atoms'):legend():grid()
  drawCluster(figure:subplot(1, 2, 2), cluster)
  figure:save(options.curve)
end
io.write(('%d of %d sizes reach the lowest known energy\n'):format(reached, #sizes))
