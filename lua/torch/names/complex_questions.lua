--- NumPy's functions about complex numbers: which elements have an imaginary part, and products that conjugate.
-- @module torch.names.complex_questions
local torch, check = require 'torch', require 'torch.check'

local complex = {}

--- Returns whether elements have an imaginary part other than 0.
-- @tparam torch.Tensor x
-- @treturn torch.ByteTensor
function complex.iscomplex(x)
  check.tensor('iscomplex', 'x', x)
  if x:isComplex() then return torch.ne(torch.imag(x), 0) end
  return torch.zeros(x:size(), 'uint8')
end

--- Returns whether elements have no imaginary part, or one of 0.
-- @tparam torch.Tensor x
-- @treturn torch.ByteTensor
function complex.isreal(x)
  check.tensor('isreal', 'x', x)
  if x:isComplex() then return torch.eq(torch.imag(x), 0) end
  return torch.ones(x:size(), 'uint8')
end

--- Returns whether x is a complex tensor or a complex number.
-- @param x
-- @treturn boolean
function complex.iscomplexobj(x)
  if torch.isTensor(x) then return x:isComplex() end
  return require('ffi').istype('complex', x)
end

--- Returns whether x is a tensor or number without imaginary parts.
-- @param x
-- @treturn boolean
function complex.isrealobj(x) return not complex.iscomplexobj(x) end

--- Returns the real parts of a complex tensor if all imaginary parts are small; otherwise x.
-- @tparam torch.Tensor x
-- @number[opt=100] tolerance limit of the imaginary parts, in units of the type's epsilon
-- @treturn torch.Tensor a view of the real parts, or x
function complex.realIfClose(x, tolerance)
  check.tensor('realIfClose', 'x', x)
  tolerance = check.number('realIfClose', 'tolerance', tolerance or 100)
  if not x:isComplex() or x:nElement() == 0 then return x end
  local limit = tolerance * torch.finfo(torch.real(x):type()).eps
  return torch.abs(torch.imag(x:detach())):max() < limit and torch.real(x) or x
end

--- Returns the product of two vectors with the first one conjugated: the sum of conj(a) b.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b
-- @return a number; on the tape a tensor of one element
function complex.vdot(a, b)
  if check.tensor('vdot', 'a', a):isComplex() then a = torch.conj(a) end
  return torch.dot(a, check.tensor('vdot', 'b', b))
end

return complex
