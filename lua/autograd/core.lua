--- The tape: records ops on tracked tensors and runs backward passes over them. Requiring this module installs the recorder, the tensor
-- methods (see autograd.tensor), and some methods as functions of torch. Other packages build on it; programs call the functions of
-- autograd.
-- @module autograd.core
require 'torch.start.luajit'
local C = require 'libmoontorch'
local torch, check = require 'torch', require 'torch.check'
local tape = require 'autograd.tape'
local mode = require 'autograd.mode'
local backward, tensor = require 'autograd.backward', require 'autograd.tensor'

local tensors = require 'torch.tensor'
require 'torch.extensions'.register('tape', {
  getField = tensor.getField, setField = tensor.setField, declare = tape.declare,
  index = function(t, key) return require('autograd.indexing').index(t, key) end,
  newIndex = function(t, key, value) return require('autograd.indexing').newIndex(t, key, value) end,
})
C.setScaler(function(...) return require('autograd.scalars').standIn(...) end)
tensors.addMethods(tensor.methods)
tensors.addMethods(require 'autograd.rebinding')
torch.noGrad, torch.enableGrad = mode.noGrad, mode.enableGrad

-- Methods that functions of tensors may call as functions.
for _, name in ipairs { 'size', 'dim', 'nDimension', 'nElement', 'isSameSizeAs', 'long', 'typeAs', 'new' } do
  if torch[name] == nil then
    torch[name] = function(x, ...)
      if type(x) ~= 'userdata' and (type(x) ~= 'table' or x[name] == nil) then check.tensor('torch.' .. name, 'x', x) end
      return x[name](x, ...)
    end
  end
end

local core = { noGrad = mode.noGrad, enableGrad = mode.enableGrad, grad = backward.grad }
require 'torch.start.lazy_loader'(core, 'Function = autograd.function')

return core
