--- Optimisation algorithms.
-- An algorithm is a function `optim.name(opfunc, x, config, state)`, Torch7's protocol: `opfunc(x)` returns a loss and its gradient; the
-- algorithm changes x in place and returns it with a table of the losses. x may be one tensor, or a list of tensors with a list of
-- gradients: then one pass of the engine updates them all. `optim.Name(parameters, config)` creates an object of the same algorithm for
-- programs on the tape (optim.Optimizer). The file of an algorithm is read when a program first names it.
-- @module optim
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
require 'torch'

local optim = rawget(_G, 'optim') or {}
rawset(_G, 'optim', optim)
package.loaded.optim = optim

-- Algorithms of Torch7's protocol; each has a file.
local algorithms = ('sgd adam adamw adamax adagrad adadelta rmsprop rprop nag asgd nadam radam lion lamb lars adafactor muon shampoo '
  .. 'cg lbfgs lswolfe cmaes polyinterp FistaLS de checkgrad'):gsub('%S+', '%0 = optim.%0\n')

-- Classes for the tape; a line each, so that one is defined without the others.
local classes = ('SGD Adam AdamW Adamax Adagrad Adadelta RMSprop Rprop ASGD NAdam RAdam Lion LAMB LARS Adafactor Muon Shampoo '
  .. 'SparseAdam LBFGS CG'):gsub('%S+', 'optim.classes: %0\n')

require 'torch.start.lazy_loader'(optim, algorithms .. classes .. [[
  optim.Optimizer: Optimizer
  optim.Schedule: Schedule
  schedule = optim.schedules
  optim.clip: clipGradNorm clipGradValue clipGradAdaptive
  optim.averages: WeightAverage EMA SWA
  optim.Lookahead: Lookahead
  optim.ZeroRedundancyOptimizer: ZeroRedundancyOptimizer
  optim.decay_groups: decayGroups
  GradScaler = optim.GradScaler
  optim.ConfusionMatrix: ConfusionMatrix
  optim.Logger: Logger
]])

return optim
