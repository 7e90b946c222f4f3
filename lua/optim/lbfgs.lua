--- L-BFGS: quasi-Newton steps from the last few changes of x and of the gradient.
-- Options of optim.LBFGS: `learningRate` (1), `maxIter` (20, iterations per step), `maxEval` (1.25 maxIter), `tolFun` (1e-7: the largest
-- magnitude of the gradient), `tolX` (1e-9), `nCorrection` (100 stored steps), `lineSearch` (false, or 'strongWolfe'). Its step needs a
-- function that computes the loss and the gradients.
-- Source: Nocedal & Wright (2006), "Numerical Optimization", 2nd edition, algorithms 7.4 and 7.5.
-- @module optim.lbfgs
local torch, check = require 'torch', require 'torch.check'
local noGrad = require('autograd.mode').noGrad
local begin, lists, rules = require 'optim.begin', require 'optim.lists', require 'optim.rules'
local lswolfe = require 'optim.lswolfe'

local function sumOfMagnitudes(state, x) return torch.sum(torch.abs(state.tmp1, x)) end

-- The size that is compared with tolFun and tolX: Torch7's function adds magnitudes, PyTorch's class takes the largest.
local function sizeOf(config, state, x)
  if not config.largest then return sumOfMagnitudes(state, x) end
  return torch.max(torch.abs(state.tmp1, x))
end

-- Returns a copy of x, in a released tensor if there is one.
local function take(buffers, x) return (table.remove(buffers) or x.new():resizeAs(x)):copy(x) end

-- Stores the last step, s = t d and y = g - g_old, if the function curved upwards along it.
local function remember(config, state, g)
  local y, s = torch.add(g, -1, state.g_old), torch.mul(state.d, state.t)
  local curvature = y:dot(s)
  if curvature <= 1e-10 then return end
  local ys, ss = state.old_dirs, state.old_stps
  if #ys == config.nCorrection then
    table.insert(state.dir_bufs, table.remove(ys, 1))
    table.insert(state.stp_bufs, table.remove(ss, 1))
  end
  ys[#ys + 1], ss[#ss + 1] = take(state.dir_bufs, y), take(state.stp_bufs, s)
  state.Hdiag = curvature / y:dot(y)
end

-- d = -H g, where H is the approximation of the Hessian's inverse.
local function direction(state, g)
  local ys, ss, d = state.old_dirs, state.old_stps, state.d
  local ro, al = state.ro, state.al
  torch.mul(d, g, -1)
  for i = #ys, 1, -1 do
    ro[i] = 1 / ys[i]:dot(ss[i])
    al[i] = ss[i]:dot(d) * ro[i]
    d:add(-al[i], ys[i])
  end
  d:mul(state.Hdiag)
  for i = 1, #ys do d:add(al[i] - ys[i]:dot(d) * ro[i], ss[i]) end
end

local function start(state, g)
  state.d = take(state.dir_bufs, g)
  state.old_dirs, state.old_stps, state.Hdiag, state.ro, state.al = {}, {}, 1, {}, {}
end

local function search(opfunc, x, config, state, f, g, slope, isLast)
  if config.lineSearch then
    local newF, newG, newX, t, count = config.lineSearch(opfunc, x, state.t, state.d, f, g, slope, config.lineSearchOptions)
    if not rawequal(newX, x) then noGrad(x.copy, x, newX) end
    state.t = t
    return newF, newG, count
  end
  noGrad(x.add, x, state.t, state.d)
  if isLast then return f, g, 0 end
  local newF, newG = opfunc(x)
  return newF, newG, 1
end

-- Returns the reason to stop after a step, or nil.
local function reasonToStop(config, state, g, f, iterations, evaluations)
  if iterations == config.maxIter then return 'reached maximum number of iterations' end
  if evaluations >= config.maxEval then return 'max nb of function evals' end
  if sizeOf(config, state, g) <= config.tolFun then return 'optimality condition below tolFun' end
  if sizeOf(config, state, state.d) * math.abs(state.t) <= config.tolX then return 'step size below tolX' end
  if math.abs(f - state.f_old) < config.tolX then return 'function value changing less than tolX' end
end

local function setDefaults(config)
  config.maxIter = tonumber(config.maxIter) or 20
  config.maxEval = tonumber(config.maxEval) or config.maxIter * 1.25
  config.tolFun, config.tolX = config.tolFun or 1e-5, config.tolX or 1e-9
  config.nCorrection, config.learningRate = config.nCorrection or 100, config.learningRate or 1
end

local run

-- The class, whose line search is part of it.
rules.declare('LBFGS', {
  module = 'optim.lbfgs', counter = 'funcEval',
  defaults = {
    learningRate = 1, maxIter = 20, maxEval = false, tolFun = 1e-7, tolX = 1e-9, nCorrection = 100, lineSearch = false,
  },
  values = {
    maxEval = begin.optionalCount,
    lineSearch = function(where, value)
      check.that(not value or value == 'strongWolfe', ("%s: %s, expected 'strongWolfe' or false"):format(where, tostring(value)))
    end,
  },
  search = function(opfunc, x, options, state)
    options.largest, options.maxEval = true, options.maxEval or math.floor(options.maxIter * 1.25)
    local evaluations = 0
    local function counted(at)
      evaluations = evaluations + 1
      return opfunc(at)
    end
    options.lineSearch = options.lineSearch and function(f, at, t, d, value, g, slope)
      return lswolfe(f, at, t, d, value, g, slope, { tolX = options.tolX, clamps = true, maxIter = options.maxEval - evaluations })
    end or nil
    run(counted, x, options, state)
  end,
})

--- Runs iterations of L-BFGS.
-- Stops when the gradient's magnitudes add up to tolFun, when the slope along the direction is above -tolX, when a step's magnitudes add
-- up to tolX, when the loss changes by less than tolX, or after maxIter iterations or maxEval evaluations.
-- @tparam function opfunc x -> loss, gradient
-- @tparam torch.Tensor x 1 dimension; changed in place
-- @tparam[opt] table config `maxIter` (20), `maxEval` (1.25 maxIter), `tolFun` (1e-5), `tolX` (1e-9), `nCorrection` (100 stored steps),
--   `lineSearch` (a function, for example `optim.lswolfe`; default: none: steps of the learning rate), `lineSearchOptions`, `learningRate`
--   (1), `verbose`; the defaults are written into it. optim.LBFGS has PyTorch's defaults, and `lineSearch = 'strongWolfe'`; it compares the
--   largest magnitudes with tolFun and tolX
-- @tparam[opt=config] table state has `funcEval`, `nIter`, `old_dirs`, `old_stps`, `Hdiag`, `g_old`, `f_old`, `t`, `d`, ...: a later call
--   continues from there
-- @return x
-- @treturn {number,...} the loss at the start and after each step
-- @treturn int evaluations in this call
function run(opfunc, x, config, state)
  config, state = begin.tables('optim.lbfgs', config, state)
  setDefaults(config)
  state.funcEval, state.nIter = state.funcEval or 0, state.nIter or 0
  state.dir_bufs, state.stp_bufs = state.dir_bufs or {}, state.stp_bufs or {}
  local function finish(reason, ...)
    if config.verbose then print('<optim.lbfgs> ' .. reason) end
    return ...
  end

  local f, g = lists.evaluate('optim.lbfgs', opfunc, x)
  local losses, evaluations, iterations = { f }, 1, 0
  state.funcEval = state.funcEval + 1
  state.tmp1 = state.tmp1 or g.new():resizeAs(g)
  if sizeOf(config, state, g) <= config.tolFun then return finish('optimality condition below tolFun', x, losses, evaluations) end

  while iterations < config.maxIter do
    iterations, state.nIter = iterations + 1, state.nIter + 1
    if state.nIter == 1 then start(state, g) else noGrad(remember, config, state, g) end
    noGrad(direction, state, g)
    state.g_old = (state.g_old or g.new():resizeAs(g)):copy(g)
    state.f_old = f
    local slope = g:dot(state.d)
    if slope > -config.tolX then return finish('can not make progress along direction', x, losses, evaluations) end
    state.t = state.nIter == 1 and math.min(1, 1 / sumOfMagnitudes(state, g)) * config.learningRate or config.learningRate
    local count
    f, g, count = search(opfunc, x, config, state, f, g, slope, iterations == config.maxIter)
    if count > 0 then losses[#losses + 1] = f end
    evaluations, state.funcEval = evaluations + count, state.funcEval + count
    local reason = reasonToStop(config, state, g, f, iterations, evaluations)
    if reason then return finish(reason, x, losses, evaluations) end
  end
  return x, losses, evaluations
end

return run
