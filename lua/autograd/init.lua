--- Automatic differentiation of tensor programs.
--
--     local w = torch.randn(3):requiresGrad()
--     local loss = torch.sum(torch.cmul(w, w))
--     loss:backward()
--     print(w.grad)                                  -- 2 w
--
-- or, as torch-autograd's programs write it:
--
--     local df = autograd(function(w) return torch.sum(torch.cmul(w, w)) end)
--     local gradient, loss = df(torch.randn(3))
--
-- Requiring it loads the tape (see autograd.core) and the functions that programs for torch-autograd expect (see autograd.classic). All
-- other modules are loaded at their first use.
-- @module autograd
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
local core = require 'autograd.core'
local classic = require 'autograd.classic'

local autograd = {
  VERSION = '0.1',
  noGrad = core.noGrad,
  enableGrad = core.enableGrad,
  optimizing = classic.optimizing,
}

--- Returns gradients of tracked tensors, `grad(y, xs, options)`, or torch-autograd's `grad(f, options)`: see autograd.backward and
-- autograd.classic.differentiate.
-- @param y a tracked tensor or a list of them; or a function
-- @param ... the tensors to differentiate by, and options; or options
function autograd.grad(y, ...)
  local metatable = type(y) == 'table' and getmetatable(y)
  if type(y) == 'function' or metatable and metatable.__call then return autograd(y, ...) end
  return core.grad(y, ...)
end

setmetatable(autograd, { __call = classic.call })
require 'torch.start.lazy_loader'(autograd, classic.parts .. [[
  autograd.anomaly: anomaly
  autograd.derivatives: vjp jvp hvp jacobian hessian
  vmap = autograd.vmap
  checkNaN = autograd.check_nan
  Function = autograd.function
  gradcheck = autograd.gradcheck
  rule = autograd.rule
  RowGradient = autograd.row_gradient
  checkpoint = autograd.checkpoint
]])

package.loaded.autograd = autograd
classic.install()
-- A class of autograd.nn in a file is created when it is first looked up.
require 'torch.extensions'.register('classes.autograd', function(name) return name end)

return autograd
