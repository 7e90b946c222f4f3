--- Automatic differentiation of tensor programs.
--
--     local w = torch.randn(3):requiresGrad()
--     local loss = torch.sum(torch.cmul(w, w))
--     loss:backward()
--     print(w.grad)                                  -- 2 w
--
-- Requiring it installs the recorder, the tensor methods (see autograd.tensor) and `torch.noGrad`, `torch.enableGrad`.
-- @module autograd
local C = require 'libmoontorch'
local torch = require 'torch'
local tape = require 'autograd.tape'
local mode = require 'autograd.mode'
local backward = require 'autograd.backward'
local tensor = require 'autograd.tensor'

C.setRecorder(tape.record, tape.before)
C.setTapeFields(tensor.getField, tensor.setField)
require('torch.tensor').addMethods(tensor.methods)
torch.noGrad, torch.enableGrad = mode.noGrad, mode.enableGrad

return {
  gradcheck = require 'autograd.gradcheck',
  grad = backward.grad,
  Function = require 'autograd.function',
  noGrad = mode.noGrad,
  enableGrad = mode.enableGrad,
}
