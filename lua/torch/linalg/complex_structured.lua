--- Structured systems of complex numbers: banded ones as real banded systems of twice the size, with blocks [re -im; im re] for the
-- elements, and Toeplitz systems by vectors.
-- @module torch.linalg.complex_structured
local torch, ffi = require 'torch', require 'ffi'

local structured = {}

local pointer = ffi.typeof 'double *'
local function parts(x) return ffi.cast(pointer, torch.viewAsReal(x):data()) end

--- The bands of the real matrix, with 2 l + 1 diagonals below the main one and 2 u + 1 above it.
-- @tparam torch.ComplexDoubleTensor bands contiguous (l + u + 1, n)
-- @treturn torch.DoubleTensor (2 (l + u) + 3, 2 n)
function structured.realBands(bands)
  local rows, n = bands:size(1), bands:size(2)
  local made = torch.DoubleTensor(2 * rows + 1, 2 * n):zero()
  local from, to = parts(bands), ffi.cast(pointer, made:data())
  for r = 0, rows - 1 do
    for j = 0, n - 1 do
      local re, im = from[2 * (r * n + j)], from[2 * (r * n + j) + 1]
      local at = (2 * r + 1) * 2 * n + 2 * j                        -- of the block's upper left element
      to[at], to[at + 1], to[at + 2 * n], to[at + 1 - 2 * n] = re, re, im, -im
    end
  end
  return made
end

--- The lower bands of the real matrix, from those of a Hermitian one or of its Cholesky factor, whose diagonals are real.
-- @tparam torch.ComplexDoubleTensor bands contiguous (w + 1, n)
-- @treturn torch.DoubleTensor (2 (w + 1), 2 n)
function structured.realLowerBands(bands)
  local made = structured.realBands(bands)
  made = made:narrow(1, 2, made:size(1) - 1)
  for j = 1, 2 * bands:size(2), 2 do made[2][j] = 0 end             -- the imaginary parts of the diagonal
  return made
end

--- The real matrix of twice the size.
-- @tparam torch.ComplexDoubleTensor z (m, n)
-- @treturn torch.DoubleTensor (2 m, 2 n)
function structured.realMatrix(z)
  local re, im, sizes = torch.real(z), torch.imag(z), { z:size(1), 2 * z:size(2) }
  local upper, lower = torch.stack({ re, torch.mul(im, -1) }, 3):view(unpack(sizes)), torch.stack({ im, re }, 3):view(unpack(sizes))
  return torch.stack({ upper, lower }, 2):view(2 * z:size(1), sizes[2])
end

--- The complex matrix, or lower bands, that `realMatrix` or `realLowerBands` made real.
-- @tparam torch.DoubleTensor made (2 m, 2 n)
-- @treturn torch.ComplexDoubleTensor (m, n)
function structured.complexMatrix(made)
  local m, n = made:size(1) / 2, made:size(2) / 2
  return torch.viewAsComplex(made:view(m, 2, n, 2):select(4, 1):transpose(2, 3):contiguous())
end

--- Right-hand sides of the real system.
-- @tparam torch.ComplexDoubleTensor b contiguous (n, k)
-- @treturn torch.DoubleTensor (2 n, k)
function structured.realSides(b)
  return torch.viewAsReal(b):transpose(2, 3):contiguous():view(2 * b:size(1), b:size(2))
end

--- Solutions of the complex system from those of the real one.
-- @tparam torch.DoubleTensor x (2 n, k)
-- @treturn torch.ComplexDoubleTensor (n, k)
function structured.complexSides(x)
  return torch.viewAsComplex(x:view(x:size(1) / 2, 2, x:size(2)):transpose(2, 3):contiguous())
end

--- Solves a Toeplitz system by Levinson's recursion, whose steps are sums of vectors. Source: Golub & Van Loan, Matrix Computations, 4.7.
-- @tparam torch.ComplexDoubleTensor v (2 n - 1): element n + i - j is that at (i, j) of the matrix
-- @tparam torch.ComplexDoubleTensor b (n, k)
-- @treturn ?torch.ComplexDoubleTensor (n, k); nil if a leading part of the matrix is singular
function structured.levinson(v, b)
  local n, first = b:size(1), v[b:size(1)]
  if first == 0 then return nil end
  local backwards, zero = torch.flip(v, 1), torch.ComplexDoubleTensor(1):zero()
  local forward = torch.ComplexDoubleTensor { 1 / first }
  local backward, x = forward, b:clone():zero()
  x:narrow(1, 1, 1):copy(b:narrow(1, 1, 1)):div(first)
  for size = 1, n - 1 do
    local row = backwards:narrow(1, n - size, size)                 -- the new last one, without its last element
    local below, above = torch.dot(row, forward), torch.dot(backwards:narrow(1, n + 1, size), backward)
    local rest = 1 - below * above
    if rest == 0 then return nil end
    local longer, later = torch.cat(forward, zero), torch.cat(zero, backward)
    forward = torch.div(torch.csub(longer, torch.mul(later, below)), rest)
    backward = torch.div(torch.csub(later, torch.mul(longer, above)), rest)
    local missing = torch.csub(b[size + 1], torch.mv(x:narrow(1, 1, size):t(), row))
    x:narrow(1, 1, size + 1):addr(backward, missing)
  end
  return x
end

return structured
