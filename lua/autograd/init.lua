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
-- Requiring it installs the recorder, the tensor methods (see autograd.tensor), `torch.noGrad`, `torch.enableGrad`, and what functions
-- written for torch-autograd expect of torch: methods as functions. What else there is is read when it is first asked for.
-- @module autograd
require 'torch.luajit'
local C = require 'libmoontorch'
local torch, check, installed = require 'torch', require 'torch.check', require 'torch.installed'
local tape = require 'autograd.tape'
local mode = require 'autograd.mode'
local backward = require 'autograd.backward'
local tensor = require 'autograd.tensor'

C.setRecorder(tape.record, tape.before, true)
C.setTapeFields(tensor.getField, tensor.setField)
C.setScaler(function(...) return require('autograd.scalars').standIn(...) end)
require('torch.tensor').addMethods(tensor.methods)
require('torch.tensor').addMethods(require 'autograd.rebinding')
torch.noGrad, torch.enableGrad = mode.noGrad, mode.enableGrad

for _, name in ipairs { 'size', 'dim', 'nDimension', 'nElement', 'isSameSizeAs', 'long', 'typeAs', 'new' } do
  if torch[name] == nil then
    torch[name] = function(x, ...)
      if type(x) ~= 'userdata' and (type(x) ~= 'table' or x[name] == nil) then check.tensor('torch.' .. name, 'x', x) end
      return x[name](x, ...)
    end
  end
end

-- Classes that autograd.auto makes, which files may ask for before.
for _, kind in ipairs { 'module', 'criterion' } do
  local name = 'autograd.nn.' .. kind
  package.loaded[name] = package.loaded[name] or setmetatable({}, {
    __index = function(classes, key)
      require 'autograd.classic.auto'
      return classes[key]
    end,
  })
end

local autograd = {
  VERSION = '0.1',
  noGrad = mode.noGrad,
  enableGrad = mode.enableGrad,
}

--- Gradients of tracked tensors, `grad(y, xs, options)`, or torch-autograd's `grad(f, options)`: see autograd.backward and
-- autograd.classic.differentiate.
function autograd.grad(y, ...)
  local metatable = type(y) == 'table' and getmetatable(y)
  if type(y) == 'function' or metatable and metatable.__call then return autograd(y, ...) end
  return backward.grad(y, ...)
end

--- Whether `optimize` is on for functions that are made without saying so.
-- @treturn bool
function autograd.optimizing() return require('autograd.classic.differentiate').optimize() end

setmetatable(autograd, { __call = function(_, ...) return require('autograd.classic.differentiate').make(...) end })
require 'torch.parts'(autograd, [[
  autograd.classic.differentiate: optimize protected
  autograd.classic.inspection: profile
  autograd.anomaly: anomaly
  autograd.classic.nnwrapper: functionalize
  autograd.classic.auto: nn auto
  autograd.derivatives: vjp jvp jacobian hessian
  Function = autograd.function
  gradcheck = autograd.gradcheck
  checkpoint = autograd.checkpoint
  nnwrapper = autograd.classic.nnwrapper
  overload = autograd.classic.overload
  model = autograd.classic.model
  module = autograd.classic.module
  loss = autograd.classic.loss
  util = autograd.classic.util
  optim = autograd.classic.optim
]])

-- Programs for torch-autograd require its files, too.
local function classic(name) return require((name:gsub('^autograd%.', 'autograd.classic.'))) end
for name in ('loss model module nnwrapper optim overload util'):gmatch '%a+' do package.preload['autograd.' .. name] = classic end
package.preload['autograd.runtime.codegen.Value'] = function() return require 'autograd.classic.Value' end

-- Programs for torch-autograd use the globals nn and optim, which it set. (nn is being read where it asked for this; a rock of autograd
-- may be there without them.)
package.loaded.autograd = autograd
for _, name in ipairs { 'nn', 'optim' } do
  if package.loaded[name] == nil and installed(name) then require(name) end
end

return autograd
