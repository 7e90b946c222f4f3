-- Small ops on matrices and rows of numbers.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.check.expect'

declare {
  name = 'trace', signature = '[res] x:tensor', ulp = 4,
  doc = 'The sum of the diagonal of a matrix, a number; an exact integer for integers.',
  samples = '{randn(3, 3)}, {randn(3, 5)}, {randn(4, 2)}, {randn(0, 3)}',
  forward = function(x)
    expect.dim('trace', 'x', x, 2, 'a matrix')
    return x:nElement() == 0 and 0 or torch.sum(torch.diag(x))
  end,
}

declare {
  name = 'adjoint', signature = '[res] x:tensor', result = 'same', ulp = 1,
  doc = 'The conjugate transposes of matrices (…, m, n) -> (…, n, m), as a copy; of real ones, the transposes.',
  samples = '{randn(3, 4)}, {randn(2, 3, 3)}, {randn(0, 2)}',
  forward = function(x)
    expect.matrix('adjoint', 'x', x)
    local turned = torch.transpose(x, -2, -1)
    return x:isComplex() and torch.conj(turned) or torch.clone(turned)
  end,
}

declare {
  name = 'rot90', signature = '[res] x:tensor k:int=1 dim1:dim=first dim2:dim=1', result = 'same',
  doc = 'A copy rotated by 90 degrees, k times, in the plane of two dimensions, from the first towards the second.',
  samples = '{randn(3, 4)}, {randn(3, 4), 2}, {randn(3, 4), -1}, {randn(3, 4), 4}, {randn(2, 3, 4), 3, 2, 3}, {randn(2, 3, 4), 1, -1, 1}',
  forward = function(x, k, dim1, dim2)
    dim1, dim2 = expect.whichDim('rot90', 'dim1', x, dim1), expect.whichDim('rot90', 'dim2', x, dim2)
    if dim1 == dim2 then expect.range('rot90', 'dim2', 'dimension %d, expected another than dim1', dim2) end
    k = k % 4
    if k == 0 then return torch.clone(x) end
    if k == 2 then return torch.flip(x, dim1, dim2) end
    if k == 1 then return torch.contiguous(torch.transpose(torch.flip(x, dim2), dim1, dim2)) end
    return torch.flip(torch.transpose(x, dim1, dim2), dim2)
  end,
}

declare {
  name = 'diff', signature = '[res] x:tensor n:int=1 dim:dim=last', result = 'same', ulp = 4,
  doc = 'Differences of neighbours along dim, x[i + 1] - x[i], computed n times: the size of dim decreases by n. Integers wrap.',
  samples = '{randn(5)}, {randn(3, 4), 2}, {randn(3, 4), 1, 1}, {randn(2, 3, 4), 1, -2}, {randn(5), 0}, {randn(2), 3}',
  forward = function(x, n, dim)
    if n < 0 then expect.range('diff', 'n', '%d, expected 0 or more', n) end
    dim = expect.whichDim('diff', 'dim', x, dim)
    if n == 0 then return torch.clone(x) end
    if n >= x:size(dim) then return torch.clone(torch.narrow(x, dim, 1, 0)) end
    for _ = 1, n do
      local count = x:size(dim) - 1
      x = torch.csub(torch.narrow(x, dim, 2, count), torch.narrow(x, dim, 1, count))
    end
    return x
  end,
}
