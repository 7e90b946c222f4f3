--- Nonlinear conjugate gradients with a line search by interpolation and extrapolation.
-- Options of optim.CG: those of optim.cg, except verbose. Its step needs a function that computes the loss and the gradients.
-- Source: Nocedal & Wright (2006), "Numerical Optimization", 2nd edition, section 5.2 for Polak and Ribiere's directions; a point is
-- accepted by the conditions of Wolfe and Powell.
-- @module optim.cg
local noGrad = require('autograd.mode').noGrad
local begin, lists, rules = require 'optim.begin', require 'optim.lists', require 'optim.rules'

local min, max, sqrt, huge = math.min, math.max, math.sqrt, math.huge

local function isFinite(v) return v == v and v < huge and v > -huge end

-- Returns coefficients of the cubic through points 2 and 3 of a search.
local function cubic(s)
  return 6 * (s.f2 - s.f3) / s.z3 + 3 * (s.d2 + s.d3), 3 * (s.f3 - s.f2) - s.z3 * (s.d3 + 2 * s.d2)
end

-- Moves by z along the direction from the search's present point.
local function move(run, s, z)
  s.z1 = s.z1 + z
  noGrad(run.x.add, run.x, z, run.s)
  local f, g = run.opfunc(run.x)
  run.evaluations, s.left = run.evaluations + 1, s.left - 1
  run.df2:copy(g)
  s.f2, s.d2 = f, run.df2:dot(run.s)
end

-- Whether point 2 is too high or too steep.
local function tooFar(run, s)
  local config = run.config
  return s.f2 > run.f1 + s.z1 * config.rho * run.d1 or s.d2 > -config.sig * run.d1
end

-- Interpolates: by a quadratic if the function has increased, else by a cubic.
local function interpolate(run, s)
  local limit = run.config.int
  s.limit = s.z1
  local z
  if s.f2 > run.f1 then
    z = s.z3 - 0.5 * s.d3 * s.z3 * s.z3 / (s.d3 * s.z3 + s.f2 - s.f3)
  else
    local a, b = cubic(s)
    z = (sqrt(b * b - a * s.d2 * s.z3 * s.z3) - b) / a
  end
  if not isFinite(z) then z = s.z3 / 2 end
  z = max(min(z, limit * s.z3), (1 - limit) * s.z3)
  move(run, s, z)
  s.z3 = s.z3 - z
end

-- Extrapolates: by a cubic, within the limits that earlier points set.
local function extrapolate(run, s)
  local config = run.config
  local a, b = cubic(s)
  local z = -s.d2 * s.z3 * s.z3 / (b + sqrt(b * b - a * s.d2 * s.z3 * s.z3))
  local bounded = s.limit > -0.5
  if not isFinite(z) or z < 0 then
    z = bounded and (s.limit - s.z1) / 2 or s.z1 * (config.ext - 1)
  elseif bounded and z + s.z1 > s.limit then
    z = (s.limit - s.z1) / 2
  elseif not bounded and z + s.z1 > s.z1 * config.ext then
    z = s.z1 * (config.ext - 1)
  elseif z < -s.z3 * config.int then
    z = -s.z3 * config.int
  elseif bounded and z < (s.limit - s.z1) * (1 - config.int) then
    z = (s.limit - s.z1) * (1 - config.int)
  end
  s.f3, s.d3, s.z3 = s.f2, s.d2, -z
  move(run, s, z)
end

-- Runs one line search from the first guess z1; returns whether it found an acceptable point, and the search. As in Torch7, only a count
-- of exactly 0 ends the extrapolation: if maxEval has a fraction, the count skips 0, and the search runs to its end.
local function lineSearch(run, z1)
  local config = run.config
  local s = { z1 = 0, limit = -1, left = min(config.maxIter, config.maxEval - run.evaluations - 1) + 1 }
  move(run, s, z1)
  s.f3, s.d3, s.z3 = run.f1, run.d1, -z1
  while true do
    while tooFar(run, s) and s.left > 0 do interpolate(run, s) end
    if tooFar(run, s) then return false, s end
    if s.d2 > config.sig * run.d1 then return true, s end
    if s.left == 0 or s.left < 0 and not isFinite(s.z1 + s.f2 + s.d2) then return false, s end
    extrapolate(run, s)
  end
end

-- Steepest descent.
local function restart(run)
  run.s:copy(run.df1):mul(-1)
  run.d1 = -run.s:dot(run.s)
end

-- Polak and Ribiere's direction after a successful search whose final slope is d2.
local function turn(run, s)
  local df1, df2 = run.df1, run.df2
  local factor = (df2:dot(df2) - df2:dot(df1)) / df1:dot(df1)
  run.s:mul(factor):add(-1, df2)
  run.df1, run.df2 = df2, df1
  local slope = run.df1:dot(run.s)
  local before = run.d1
  run.d1 = slope
  if slope > 0 then restart(run) end
  return s.z1 * min(run.config.ratio, before / (run.d1 - 2.2250738585072014e-308))
end

local defaults = { maxIter = 20, rho = 0.01, sig = 0.5, int = 0.1, ext = 3, ratio = 100 }

local minimise

-- The class.
rules.declare('CG', {
  module = 'optim.cg', counter = 'funcEval',
  defaults = { maxIter = 20, maxEval = false, rho = 0.01, sig = 0.5, int = 0.1, ext = 3, ratio = 100 },
  values = { maxEval = begin.optionalCount },
  search = function(opfunc, x, options, state)
    options.maxEval = options.maxEval or nil
    local _, _, evaluations = minimise(opfunc, x, options, state)
    state.funcEval = state.funcEval + evaluations
  end,
})

--- Minimises along conjugate directions until maxEval evaluations or a failed line search.
-- @tparam function opfunc x -> loss, gradient
-- @tparam torch.Tensor x changed in place
-- @tparam[opt] table config `maxIter` (20, evaluations per line search), `maxEval` (1.25 maxIter), `rho` (0.01) and `sig` (0.5): Wolfe's
--   constants; `int` (0.1) and `ext` (3): limits of inter- and extrapolation; `ratio` (100): largest ratio of slopes; `verbose` (0)
-- @tparam[opt=config] table state has the buffers `df0` to `df3`, `s`, `x0`
-- @return x
-- @treturn {number,...} the loss at the start and after each line search
-- @treturn int evaluations
function minimise(opfunc, x, config, state)
  config, state = begin.tables('optim.cg', config, state)
  local options = {}
  for name, value in pairs(defaults) do options[name] = config[name] or value end
  options.maxEval = config.maxEval or options.maxIter * 1.25
  local function buffer(name, like)
    state[name] = state[name] or like.new()
    return state[name]:resizeAs(like)
  end

  local f, g = lists.evaluate('optim.cg', opfunc, x)
  for _, name in ipairs { 'df0', 'df1', 'df2', 'df3', 's', 'x0' } do buffer(name, g) end
  local run = { opfunc = opfunc, x = x, config = options, evaluations = 1, f1 = f, df1 = state.df1:copy(g), df2 = state.df2, s = state.s }
  local losses, verbose = { f }, config.verbose and config.verbose ~= 0
  restart(run)
  local z1 = 1 / (1 - run.d1)
  while run.evaluations < math.abs(options.maxEval) do
    noGrad(state.x0.copy, state.x0, x)
    local f0 = run.f1
    state.df0:copy(run.df1)
    local found, s = lineSearch(run, z1)
    if not found then
      noGrad(x.copy, x, state.x0)
      run.f1 = f0
      losses[#losses + 1] = f0
      break
    end
    run.f1 = s.f2
    losses[#losses + 1] = s.f2
    z1 = turn(run, s)
    if verbose then print(('<optim.cg> %d evaluations, f = %g'):format(run.evaluations, run.f1)) end
  end
  return x, losses, run.evaluations
end

return minimise
