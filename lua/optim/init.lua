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

-- Classes whose name is not their file's.
local files = { SGD = 'stepper', Adam = 'stepper' }

setmetatable(optim, {
  __index = function(_, key)
    local file = type(key) == 'string' and 'optim.' .. (files[key] or key)
    if not file or package.loaded[file] ~= nil then return nil end
    if not (package.preload[file] or package.searchpath(file, package.path)) then return nil end
    local loaded = require(file)
    if type(loaded) == 'function' then optim[key] = loaded end
    return rawget(optim, key)
  end,
})

return optim
