--- Optimisation algorithms.
-- An algorithm is a function `optim.name(opfunc, x, config, state)`, Torch7's protocol: `opfunc(x)` returns a loss and its gradient, x is
-- changed in place and returned with a table of the losses. x may be one tensor, or a list of tensors with a list of gradients: then
-- one pass of the engine updates them all. `optim.Name(parameters, config)` makes the same algorithm an object for programs on the
-- tape. A file is read when its algorithm is first asked for.
-- @module optim
require 'torch'

local optim = rawget(_G, 'optim') or {}
rawset(_G, 'optim', optim)
package.loaded.optim = optim

-- The files of classes, and of functions that share a file.
local files = {
  SGD = 'stepper', Adam = 'stepper', AdamW = 'stepper', Adamax = 'stepper', Adagrad = 'stepper', Adadelta = 'stepper', RMSprop = 'stepper',
  clipGradNorm = 'clip', clipGradValue = 'clip', ConfusionMatrix = 'ConfusionMatrix', Logger = 'Logger',
}
-- Those that Torch7's protocol names.
local algorithms = {
  sgd = true, adam = true, adamw = true, adamax = true, adagrad = true, adadelta = true, rmsprop = true, rprop = true, nag = true,
  asgd = true, cg = true, lbfgs = true, lswolfe = true, cmaes = true, polyinterp = true, FistaLS = true, de = true, checkgrad = true,
}

setmetatable(optim, {
  __index = function(_, key)
    if algorithms[key] then
      optim[key] = require('optim.' .. key)
    elseif files[key] and package.loaded['optim.' .. files[key]] == nil then
      require('optim.' .. files[key])
    end
    return rawget(optim, key)
  end,
  __names = function()
    local names = {}
    for _, list in ipairs { files, algorithms } do
      for name in pairs(list) do names[#names + 1] = name end
    end
    return names
  end,
})
require 'torch.enumerate'(optim)

return optim
