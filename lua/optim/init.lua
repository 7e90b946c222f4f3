--- Optimisation algorithms.
-- An algorithm is a function `optim.name(opfunc, x, config, state)`, Torch7's protocol: `opfunc(x)` returns a loss and its gradient, x is
-- changed in place and returned with a table of the losses. x may be one tensor, or a list of tensors with a list of gradients: then
-- one pass of the engine updates them all. `optim.Name(parameters, config)` makes the same algorithm an object for programs on the
-- tape. A file is read when its algorithm is first asked for.
-- @module optim
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
require 'torch'

local optim = rawget(_G, 'optim') or {}
rawset(_G, 'optim', optim)
package.loaded.optim = optim

-- Those that Torch7's protocol names have a file each.
local algorithms = ('sgd adam adamw adamax adagrad adadelta rmsprop rprop nag asgd cg lbfgs lswolfe cmaes polyinterp FistaLS de checkgrad')
  :gsub('%S+', '%0 = optim.%0\n')

require 'torch.start.lazy_loader'(optim, algorithms .. [[
  optim.stepper: SGD Adam AdamW Adamax Adagrad Adadelta RMSprop
  optim.clip: clipGradNorm clipGradValue
  GradScaler = optim.GradScaler
  optim.ConfusionMatrix: ConfusionMatrix
  optim.Logger: Logger
]])

return optim
