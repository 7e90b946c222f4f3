--- Complex tensors and numbers, for functions with a case of their own for these.
-- @module torch.names.complex
local torch, C = require 'torch', require 'libmoontorch'
local class = require 'torch.class'
local number = require('ffi').typeof 'complex'

local complex = { number = number }

--- Returns whether a value is a tensor of complex numbers.
function complex.is(x) return C.isTensor(x) and C.dtypeOf(x):find('^Complex') ~= nil end

--- Returns the type of the real and imaginary parts of a tensor; of a real tensor, its type.
function complex.partType(x)
  return (x:type():gsub('Complex', ''))
end

--- Returns the conjugate of a tensor of complex numbers; x itself if it is real.
function complex.conj(x) return complex.is(x) and torch.conj(x) or x end

--- Returns the conjugate transposes of matrices (…, m, n); of real ones, a view.
function complex.adjoint(x) return complex.conj(torch.transpose(x, -2, -1)) end

--- Returns x if its storage has elements of its type; a copy of a view of the parts of complex numbers, or of parts as complex numbers.
function complex.apart(x)
  local storage = x:storage()
  if not storage or class.typename(storage) == class.typename(x):gsub('Tensor$', 'Storage') then return x end
  return x:clone()
end

return complex
