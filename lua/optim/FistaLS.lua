--- FISTA with backtracking: minimises f + g, where f is smooth and the proximal step of g is known.
-- Source: Beck & Teboulle (2009), "A Fast Iterative Shrinkage-Thresholding Algorithm for Linear Inverse Problems", SIAM J. Imaging
-- Sciences 2(1), section 4, with backtracking.
-- @module optim.FistaLS
local torch, check = require 'torch', require 'torch.check'
local noGrad = require('autograd.mode').noGrad
local begin = require 'optim.begin'

-- Returns the model of f around y at p, plus g: f(y) + (p - y) . f'(y) + L/2 |p - y|^2 + g(p).
local function model(fy, gradient, difference, L, gp)
  return fy + difference:dot(gradient) + L / 2 * difference:dot(difference) + gp
end

-- Makes a proximal step from y, and increases L until the model is above the function. Changes params.ply; returns a record of the step.
local function step(f, g, pl, params)
  local y, ply = params.y, params.ply
  local fy, gradient = f(y, 'dx')
  local lines = 0
  while true do
    ply:copy(y):add(-1 / params.L, gradient)
    pl(ply, params.L)
    local fp, gp = f(ply), g(ply)
    local q = model(fy, gradient, torch.add(ply, -1, y), params.L, gp)
    if fp + gp <= q or lines >= params.maxline then return { nline = lines, L = params.L, F = fp + gp, Fply = fp, Gply = gp, Q = q } end
    lines = lines + 1
    params.L = params.L * params.Lstep
  end
end

local function run(f, g, pl, xinit, params)
  local history = {}
  local x = xinit
  params.xkm, params.y = params.xkm or xinit.new():resizeAs(xinit), params.y or xinit.new():resizeAs(xinit)
  params.ply = params.ply or xinit.new():resizeAs(xinit)
  params.xkm:copy(x)
  params.y:copy(x)
  local t, previous = 1, math.huge
  for iteration = 1, params.maxiter do
    local entry = step(f, g, pl, params)
    x:copy(params.ply)
    if params.doFistaUpdate then
      local nextT = (1 + math.sqrt(1 + 4 * t * t)) / 2
      params.y:copy(x):add((t - 1) / nextT, torch.add(x, -1, params.xkm))
      t = nextT
    else
      params.y:copy(x)
    end
    params.xkm:copy(x)
    if params.verbose then
      entry.xk, entry.y = x:clone(), params.y:clone()
      print(('<optim.FistaLS> %d: F = %g, L = %g, %d lines'):format(iteration, entry.F, entry.L, entry.nline))
    end
    history[iteration] = entry
    if math.abs(entry.F - previous) <= params.errthres then break end
    previous = entry.F
  end
  return x, history
end

--- Minimises f(x) + g(x).
-- @tparam function f (x, 'dx') -> value, gradient; (x) -> value
-- @tparam function g x -> value
-- @tparam function pl (x, L): changes x to argmin_z g(z) + L/2 |z - x|^2
-- @tparam torch.Tensor xinit start; changed in place
-- @tparam[opt] table params `L` (0.1, first guess of the gradient's Lipschitz constant), `Lstep` (1.5), `maxiter` (50), `maxline` (20),
--   `errthres` (1e-4: stop when f + g changes by no more), `doFistaUpdate` (nil: ISTA; true: with momentum), `verbose`; stores `L`, `xkm`,
--   `y`, `ply`
-- @treturn torch.Tensor x
-- @treturn {table,...} for each iteration `nline`, `L`, `F`, `Fply`, `Gply`, `Q`, with verbose also `xk` and `y`
return function(f, g, pl, xinit, params)
  check.callable('optim.FistaLS', 'f', f)
  check.callable('optim.FistaLS', 'g', g)
  check.callable('optim.FistaLS', 'pl', pl)
  check.tensor('optim.FistaLS', 'xinit', xinit)
  params = begin.tables('optim.FistaLS', params)
  params.L, params.Lstep = params.L or 0.1, params.Lstep or 1.5
  params.maxiter, params.maxline = params.maxiter or 50, params.maxline or 20
  params.errthres = params.errthres or 1e-4
  return noGrad(run, f, g, pl, xinit, params)
end
