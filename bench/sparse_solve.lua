-- Direct solutions of sparse systems, in turns with SciPy: th bench/sparse_solve.lua PYTHON. Prints medians of seconds of processor time:
-- of SciPy (SuperLU), of UMFPACK and of the plain solver. The Laplacian of 300 x 300 points, also with SciPy's minimum degree of a + a'; a
-- random matrix 10000 x 10000 with two entries per row beside the diagonal; the lower triangle of the Laplacian.
local torch = require 'torch'
local peer = dofile 'bench/peer.lua'

local own = peer.start 'sparse_solve_peer.py'
local function load(name) return own.load(name):coalesce() end
local laplacian, random = load 'laplacian', load 'random'
local function side(a) return torch.range(0, a:size(1) - 1):double():apply(math.cos) end
local triangle, load1, load2 = torch.sparse.tril(laplacian), side(laplacian), side(random)

local function solving(a, b)
  return function(solver) return torch.linalg.spsolve(a, b, { solver = solver }) end
end
local work = {
  { 'laplacian', solving(laplacian, load1) }, { 'laplacianMmd', solving(laplacian, load1) }, { 'random', solving(random, load2) },
  { 'triangle', function() return torch.linalg.spsolveTriangular(triangle, load1) end },
}

local function ours(f, solver)
  local timer = torch.Timer()
  f(solver)
  return timer:time().user
end

print(('%-14s %10s %10s %10s'):format('system', 'SciPy', 'UMFPACK', 'plain'))
for _, case in ipairs(work) do
  local name, f = unpack(case)
  local times = { {}, {}, {} }
  for i = 1, 3 do
    times[1][i] = tonumber(own.ask(name))
    times[2][i], times[3][i] = ours(f, 'umfpack'), ours(f, 'plain')
  end
  print(('%-14s %10.3f %10.3f %10.3f'):format(name, peer.median(times[1]), peer.median(times[2]), peer.median(times[3])))
end
own.stop()
