--- Differential evolution: a population of points; a combination of others competes with each. It uses no gradient.
-- Source: Storn & Price (1997), "Differential Evolution", J. Global Optimization 11: variant best/1/bin.
-- @module optim.de
local torch = require 'torch'
local noGrad = require('autograd.mode').noGrad
local begin = require 'optim.begin'

-- Returns distinct numbers from 1 to n.
local function distinct(generator, n, count, except)
  local chosen, taken = {}, { [except] = true }
  while #chosen < count do
    local k = torch.random(generator, n)
    if not taken[k] then
      taken[k] = true
      chosen[#chosen + 1] = k
    end
  end
  return chosen
end

-- Returns a competitor of member i: best + scale (a - b) in at least one of the dimensions.
local function challenger(generator, population, i, best, config)
  local size, dims = population:size(1), population:size(2)
  local others = distinct(generator, size, 2, i)
  local trial, sure = population[i]:clone(), torch.random(generator, dims)
  local mutant = torch.add(population[best], config.scaleFactor, torch.csub(population[others[1]], population[others[2]]))
  for d = 1, dims do
    if d == sure or torch.uniform(generator) < config.crossoverRate then trial[d] = mutant[d] end
  end
  return trial:clamp(config.minRegion, config.maxRegion)
end

local function run(opfunc, x, config)
  local generator = torch.Generator()
  torch.manualSeed(generator, 1)
  local dims = x:nElement()
  local size = math.max(config.popsize or 10 * dims, 4)
  local population = x.new(size, dims):uniform(generator, config.minRegion, config.maxRegion)
  local function evaluate(point)
    local loss = opfunc(point:viewAs(x))
    return torch.isTensor(loss) and loss:item() or loss
  end

  local values, evaluations, best, history = {}, 0, 1, {}
  local function note(i, value)
    values[i], evaluations = value, evaluations + 1
    if value < values[best] then best = i end
    history[evaluations] = values[best]
  end
  for i = 1, size do note(i, evaluate(population[i])) end
  while evaluations < config.maxFEs do
    for i = 1, size do
      if evaluations >= config.maxFEs then break end
      local trial = challenger(generator, population, i, best, config)
      local value = evaluate(trial)
      if value <= values[i] then
        population[i]:copy(trial)
        note(i, value)
      else
        evaluations = evaluations + 1
        history[evaluations] = values[best]
      end
    end
  end
  return population[best]:clone(), x.new(history)
end

--- Minimises a function within a box.
-- @tparam function opfunc x -> loss; a gradient is ignored
-- @tparam torch.Tensor x defines the number of dimensions; not changed
-- @tparam table config `maxFEs` (required: evaluations), `popsize` (10 for each dimension), `scaleFactor` (0.5), `crossoverRate` (0.9),
--   `minRegion` (-30), `maxRegion` (30)
-- @treturn torch.Tensor the best point, 1 dimension
-- @treturn torch.Tensor the best value after each evaluation
-- @raise if maxFEs is missing
return function(opfunc, x, config)
  config = begin.tables('optim.de', config)
  if type(config.maxFEs) ~= 'number' then
    error(('optim.de: maxFEs: %s, expected a number of evaluations'):format(tostring(config.maxFEs)), 2)
  end
  local options = {
    maxFEs = config.maxFEs, popsize = config.popsize, scaleFactor = config.scaleFactor or 0.5, crossoverRate = config.crossoverRate or 0.9,
    minRegion = config.minRegion or -30, maxRegion = config.maxRegion or 30,
  }
  return noGrad(run, opfunc, x, options)
end
