--- CMA-ES: points drawn from a normal distribution, whose centre, size and shape adapt to the best of them. It uses no gradient.
-- Source: Hansen (2016), "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, figure 6, with equal treatment of all ranks below the
-- best half and the constants of its table 1 (without negative weights).
-- @module optim.cmaes
local torch, check = require 'torch', require 'torch.check'
local noGrad = require('autograd.mode').noGrad
local begin = require 'optim.begin'
local refuse = require 'torch.check.refuse'

local log, min, sqrt = math.log, math.min, math.sqrt

-- Returns the constants of the strategy for n dimensions and a number of points.
local function constants(n, popsize)
  local mu = math.floor(popsize / 2)
  local weights = torch.DoubleTensor(mu)
  for i = 1, mu do weights[i] = log(popsize / 2 + 0.5) - log(i) end
  weights:div(weights:sum())
  local mueff = 1 / weights:dot(weights)
  local c = { mu = mu, weights = weights, mueff = mueff }
  c.cc = (4 + mueff / n) / (n + 4 + 2 * mueff / n)
  c.cs = (mueff + 2) / (n + mueff + 5)
  c.c1 = 2 / ((n + 1.3) ^ 2 + mueff)
  c.cmu = min(1 - c.c1, 2 * (mueff - 2 + 1 / mueff) / ((n + 2) ^ 2 + mueff))
  c.damps = 2 * mueff / popsize + 0.3 + c.cs
  c.chiN = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
  return c
end

-- Computes the axes and their lengths, and C^-1/2, of the present covariance.
local function decompose(s)
  local values, axes = torch.symeig(torch.div(torch.add(s.C, s.C:t()), 2), 'V')
  s.lengths, s.axes = torch.sqrt(torch.clamp(values, 1e-300, math.huge)), axes:contiguous()
  local scaled = torch.cmul(s.axes, torch.expandAs(torch.cinv(s.lengths):view(1, -1), s.axes))
  s.whiten = torch.mm(scaled, s.axes:t())
  s.decomposedAt = s.evaluations
end

-- Returns points around the mean, one per row, and the draws for them.
local function draw(s, popsize)
  local n = s.mean:nElement()
  local z = torch.DoubleTensor(popsize, n):normal()
  local steps = torch.mm(torch.cmul(z, torch.expandAs(s.lengths:view(1, n), z)), s.axes:t())
  return torch.add(torch.mul(steps, s.sigma), torch.expandAs(s.mean:view(1, n), steps)), steps
end

-- Updates mean, paths, covariance and step size by the best steps (rows, best first).
local function adapt(s, c, steps, popsize)
  local n = s.mean:nElement()
  local move = torch.mv(steps:t(), c.weights)
  s.mean:add(s.sigma, move)
  s.ps:mul(1 - c.cs):add(sqrt(c.cs * (2 - c.cs) * c.mueff), torch.mv(s.whiten, move))
  local length = s.ps:norm()
  local settled = length / sqrt(1 - (1 - c.cs) ^ (2 * s.evaluations / popsize)) / c.chiN < 1.4 + 2 / (n + 1)
  local hs = settled and 1 or 0
  s.pc:mul(1 - c.cc):add(hs * sqrt(c.cc * (2 - c.cc) * c.mueff), move)
  local weighted = torch.cmul(steps, torch.expandAs(c.weights:view(-1, 1), steps))
  s.C:mul(1 - c.c1 - c.cmu + (1 - hs) * c.c1 * c.cc * (2 - c.cc))
  s.C:add(c.c1, torch.ger(s.pc, s.pc)):add(c.cmu, torch.mm(steps:t(), weighted))
  s.sigma = s.sigma * math.exp(min(1, c.cs / c.damps * (length / c.chiN - 1)))
end

-- Returns the reason to stop, or nil.
local function reasonToStop(s, options, values)
  if s.evaluations >= options.maxEval then return 'maxEval' end
  if options.ftarget and values[1] <= options.ftarget then return 'ftarget' end
  if s.lengths:max() > 1e7 * s.lengths:min() then return 'condition' end
  if #values > 1 and values[#values] - values[1] < 1e-12 then return 'tolfun' end
  if s.sigma * s.lengths:max() < 1e-11 then return 'tolx' end
end

-- Runs one generation; returns the values, best first, and the best point.
local function generation(s, c, evaluate, popsize)
  if s.evaluations - s.decomposedAt > popsize / (c.c1 + c.cmu) / s.mean:nElement() / 10 then decompose(s) end
  local points, steps = draw(s, popsize)
  local order, values = {}, {}
  for k = 1, popsize do
    values[k], order[k] = evaluate(points[k]), k
  end
  table.sort(order, function(a, b)
    if values[a] == values[b] then return a < b end
    return values[a] < values[b]
  end)
  s.evaluations = s.evaluations + popsize
  local best, sorted = torch.LongTensor(c.mu), {}
  for rank = 1, popsize do
    sorted[rank] = values[order[rank]]
    if rank <= c.mu then best[rank] = order[rank] end
  end
  adapt(s, c, steps:index(1, best), popsize)
  return sorted, points[order[1]]
end

local function run(opfunc, x, options, state)
  local n = x:nElement()
  local popsize = options.popsize
  local c = constants(n, popsize)
  local s = {
    mean = x:double():contiguous():view(-1):clone(), sigma = options.sigma, C = torch.eye(n):double(), evaluations = 0, decomposedAt = 0,
    pc = torch.DoubleTensor(n):zero(), ps = torch.DoubleTensor(n):zero(),
  }
  decompose(s)
  local function evaluate(point)
    local loss = opfunc(point:typeAs(x):viewAs(x))
    return torch.isTensor(loss) and loss:item() or loss
  end
  local bestPoint, bestValue, history = s.mean:clone(), math.huge, {}
  for iteration = 1, math.huge do
    local values, point = generation(s, c, evaluate, popsize)
    if values[1] < bestValue then
      bestValue = values[1]
      bestPoint:copy(point)
    end
    history[iteration] = values[1]
    if options.verbDisp > 0 and iteration % options.verbDisp == 0 then
      print(('<optim.cmaes> generation %d, %d evaluations, best %g, sigma %g'):format(iteration, s.evaluations, bestValue, s.sigma))
    end
    local reason = reasonToStop(s, options, values)
    if reason and (iteration >= options.minIterations or reason == 'maxEval') then
      state.stopReason = reason
      break
    end
  end
  return bestPoint:typeAs(x):viewAs(x), history, s.evaluations
end

--- Minimises a function by its values.
-- Stops after maxEval evaluations, at ftarget, if the axes' lengths differ by more than a factor of 1e7, if a generation's values differ
-- by less than 1e-12, or if all axes are shorter than 1e-11.
-- @tparam function opfunc x -> loss; a gradient is ignored
-- @tparam torch.Tensor x Float or Double: the initial centre; not changed
-- @tparam table config `sigma` (required: the first step size), `verb_disp` (required: number of generations between prints; 0: never),
--   `maxEval` (1000 n^2), `ftarget`, `popsize` (4 + floor(3 ln n)), `min_iterations` (1)
-- @tparam[opt=config] table state gets `stopReason`
-- @treturn torch.Tensor the best point
-- @treturn {number,...} the best value of each generation
-- @treturn int evaluations
-- @raise for other types of x, or if sigma or verb_disp is missing
return function(opfunc, x, config, state)
  config, state = begin.tables('optim.cmaes', config, state)
  if check.tensor('optim.cmaes', 'x', x):type() ~= 'torch.FloatTensor' and x:type() ~= 'torch.DoubleTensor' then
    refuse.dtype('Unsupported Tensor type: ' .. x:type() .. '; optim.cmaes: x: expected a FloatTensor or DoubleTensor', 2)
  end
  local function option(name) return config[name] or state[name] end
  for _, name in ipairs { 'sigma', 'verb_disp' } do
    if type(option(name)) ~= 'number' then
      error(('optim.cmaes: %s: %s, expected a number'):format(name, tostring(option(name))), 2)
    end
  end
  local n = x:nElement()
  return noGrad(run, opfunc, x, {
    sigma = option 'sigma', verbDisp = option 'verb_disp', maxEval = option 'maxEval' or 1e3 * n * n, ftarget = option 'ftarget',
    popsize = option 'popsize' or 4 + math.floor(3 * log(n)), minIterations = option 'min_iterations' or 1,
  }, state)
end
