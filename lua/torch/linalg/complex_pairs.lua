--- Eigenvalues and eigenvectors of real matrices as complex numbers.
-- @module torch.linalg.complex_pairs
local torch = require 'torch'

--- Converts the results of `torch.eig` of real matrices.
-- @tparam torch.Tensor parts real and imaginary parts of the eigenvalues (…, n, 2)
-- @tparam[opt] torch.Tensor vectors columns (…, n, n): of a pair, the real and the imaginary part of the first one's vector
-- @treturn torch.Tensor complex values (…, n)
-- @treturn torch.Tensor complex vectors, if there are vectors
-- @treturn torch.Tensor 1 in the columns (…, n, n) of the first value of a pair, else 0
-- @treturn torch.Tensor 1 in the columns of the second value of a pair, else 0
return function(parts, vectors)
  if parts:elementSize() == 2 then
    parts, vectors = torch.to(parts, 'torch.FloatTensor'), vectors and torch.to(vectors, 'torch.FloatTensor')
  end
  local values = torch.viewAsComplex(torch.contiguous(parts))
  if not vectors then return values end
  local signs = torch.imag(values):detach()
  signs = torch.expand(torch.unsqueeze(signs, signs:dim()), vectors:size())
  local first, second = torch.gt(signs, 0), torch.lt(signs, 0)
  local function beside(step) return torch.roll(vectors, step, vectors:dim()) end
  local re = torch.where(second, beside(1), vectors)
  local im = torch.where(first, beside(-1), torch.where(second, torch.mul(vectors, -1), 0))
  return values, torch.complex(re, im), first, second
end
