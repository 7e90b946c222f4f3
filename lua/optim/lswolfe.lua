--- A line search for the strong Wolfe conditions.
-- Source: Nocedal & Wright (2006), "Numerical Optimization", 2nd edition, algorithms 3.5 and 3.6.
-- @module optim.lswolfe
local check = require 'torch.check'
local noGrad = require('autograd.mode').noGrad
local begin = require 'optim.begin'
local cubic, polyinterp = require 'optim.cubic', require 'optim.polyinterp'

local abs, min, max = math.abs, math.min, math.max

-- Moves x to start + t d and evaluates the function there.
local function evaluate(search, t)
  noGrad(function() search.x:copy(search.start):add(t, search.d) end)
  local f, g = search.opfunc(search.x)
  search.evaluations = search.evaluations + 1
  g = g:clone()
  return { t = t, f = f, g = g, slope = g:dot(search.d) }
end

local function interpolate(search, a, b, low, high)
  a, b = { a.t, a.f, a.slope }, { b.t, b.f, b.slope }
  if search.clamps then return cubic(a, b, low, high) end
  return polyinterp({ a, b }, low, high)
end

-- Increases t until the step satisfies the conditions or the interval contains such a step: returns the step, or the two ends.
local function bracket(search, t)
  local origin = search.origin
  local last, now = origin, evaluate(search, t)
  local round = 0
  while round < search.maxIter do
    if now.f > origin.f + search.c1 * now.t * origin.slope or (round > 1 and now.f >= last.f) or now.f ~= now.f then
      return nil, last, now, round
    elseif abs(now.slope) <= -search.c2 * origin.slope then
      return now, nil, nil, round
    elseif now.slope >= 0 then
      return nil, last, now, round
    end
    local longer = interpolate(search, last, now, now.t + 0.01 * (now.t - last.t), now.t * 10)
    last, now = now, evaluate(search, longer)
    round = round + 1
  end
  return nil, origin, now, round
end

-- Returns a point inside the bracket. If it is too near an end for the second time, it moves inwards.
local function inside(search, low, high, stuck)
  local t = interpolate(search, low, high)
  local left, right = min(low.t, high.t), max(low.t, high.t)
  if min(right - t, t - left) / (right - left) >= 0.1 then return t, false end
  if not stuck and t < right and t > left then return t, true end
  if abs(t - right) < abs(t - left) then return right - 0.1 * (right - left), false end
  return left + 0.1 * (right - left), false
end

-- Shrinks the bracket; returns its better end.
local function zoom(search, low, high, round)
  local origin, stuck = search.origin, false
  if high.f < low.f then low, high = high, low end
  while round < search.maxIter do
    local t
    t, stuck = inside(search, low, high, stuck)
    local now = evaluate(search, t)
    round = round + 1
    local done
    if now.f > origin.f + search.c1 * t * origin.slope or now.f >= low.f or now.f ~= now.f then
      high = now
    else
      done = abs(now.slope) <= -search.c2 * origin.slope
      if not done and now.slope * (high.t - low.t) >= 0 then high = low end
      low = now
    end
    if done or abs((high.t - low.t) * now.slope) < search.tolX then break end
  end
  return low
end

--- Searches along d for a step t that satisfies both conditions: f(x + t d) <= f + c1 t gtd and |slope there| <= -c2 gtd.
-- @tparam function opfunc x -> f, g
-- @tparam torch.Tensor x the start; changed to x + t d
-- @tparam number t first guess
-- @tparam torch.Tensor d direction
-- @tparam number f value at x
-- @tparam torch.Tensor g gradient at x
-- @tparam number gtd g . d, negative
-- @tparam[opt] table options `c1` (1e-4), `c2` (0.9), `tolX` (1e-9: least change of the slope's integral over the bracket), `maxIter` (20),
--   `verbose`, `clamps` (nil; true: a longer step is the cubic's minimiser, clamped, as in PyTorch, and not the best of it and the bounds)
-- @treturn number f there
-- @treturn torch.Tensor g there
-- @treturn torch.Tensor x
-- @treturn number t
-- @treturn int evaluations
return function(opfunc, x, t, d, f, g, gtd, options)
  local where = 'optim.lswolfe'
  check.callable(where, 'opfunc', opfunc)
  check.tensor(where, 'x', x)
  check.number(where, 't', t)
  check.tensor(where, 'd', d)
  check.number(where, 'f', f)
  check.tensor(where, 'g', g)
  check.number(where, 'gtd', gtd)
  options = begin.tables(where, options)
  local search = {
    opfunc = opfunc, x = x, d = d, start = x:clone(), evaluations = 0, origin = { t = 0, f = f, g = g:clone(), slope = gtd },
    c1 = options.c1 or 1e-4, c2 = options.c2 or 0.9, tolX = options.tolX or 1e-9, maxIter = options.maxIter or 20,
    clamps = options.clamps,
  }
  local best, low, high, round = bracket(search, t)
  best = best or zoom(search, low, high, round)
  if options.verbose then print(('<lswolfe> t = %g, f = %g after %d evaluations'):format(best.t, best.f, search.evaluations)) end
  noGrad(function() x:copy(search.start):add(best.t, d) end)
  return best.f, best.g, x, best.t, search.evaluations
end
