--- Moving averages and smooth losses: the ops torch.ema and torch.pseudo_huber, and a module of one.
-- @module smooth
local torch, nn = require 'torch', require 'nn'

torch.loadOps 'smooth.ops'

local smooth = {}
rawset(_G, 'smooth', smooth)      -- torch.class looks up the package of a class's name here, as in Torch7

--- A moving average over time, the last dimension but one: rows are steps, columns features.
-- y[t] = y[t - 1] + alpha (x[t] - y[t - 1]), from y[0] = 0. Shapes: x (T, D) or (N, T, D), kept.
-- @tparam[opt=0.5] number alpha 0..1, the weight of the newest step
smooth.Average = nn.declare {
  name = 'smooth.Average',
  options = { { 'alpha', 'number', min = 0, max = 1, default = 0.5, field = 'alpha' } },
  formula = 'ema(input, alpha, -2)',
  dims = { 2, 3 },
  prints = function(self) return ('(%g)'):format(self.alpha) end,
  samples = { { 'Average(0.25)', { 4, 3 }, rows = true } },
}

return smooth
