--- Systems of equations whose matrices have a structure: triangles, Toeplitz matrices, circulants, bands.
-- @module torch.linalg.structured
local torch, ffi = require 'torch', require 'ffi'
local C = require 'libmoontorch'
local check, complex = require 'torch.check', require 'torch.names.complex'
local trueGradient = require 'torch.names.true_gradient'
local matrix, atCaller = require 'torch.linalg.matrix', require 'torch.linalg.at_caller'

local structured = {}

local pointer = ffi.typeof 'double *'
local function data(x) return ffi.cast(pointer, x:data()) end
local function negative(x) return torch.mul(x, -1) end
local conj = complex.conj
local function ofComplex() return require 'torch.linalg.complex_structured' end
local function asGiven(x, isVector) return isVector and torch.select(x, x:dim(), 1) or x end

--- Solves a x = b, or x a = b, for a triangular a.
-- @tparam torch.Tensor a square matrices (…, n, n); the other triangle is not read
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @tparam[opt] table options `upper` (default true), `transposed`: the transpose of a, without conjugates, `unitriangular`: the diagonal
-- counts as ones, `left` (default true): false for x a = b
-- @treturn torch.Tensor as large as b
-- @raise if a has a 0 on the diagonal
function structured.solveTriangular(a, b, options)
  options = check.options('solveTriangular', options, { 'upper', 'transposed', 'unitriangular', 'left' })
  for name, value in pairs(options) do check.flag('solveTriangular', name, value) end
  a = matrix.square('solveTriangular', 'a', a)
  local isUpper = options.upper ~= false
  local sides, isVector
  if options.left == false then
    sides = matrix.t(matrix.sized('solveTriangular', 'b', b, nil, a:size(-1)))
  else
    sides, isVector = matrix.sides('solveTriangular', 'b', b, a:size(-1))
  end
  local isTransposed = (options.transposed == true) ~= (options.left == false)
  local x = torch.trtrs(sides, a, isUpper and 'U' or 'L', isTransposed and 'T' or 'N', options.unitriangular and 'U' or 'N')
  return options.left == false and matrix.t(x) or asGiven(x, isVector)
end

-- Solves a Toeplitz system. v: the 2 n - 1 numbers of the matrix, v[n - 1 + i - j] is element (i, j). b: n by k, becomes the solution.
-- Source: N. Levinson (1947), in the form of Golub & Van Loan, Matrix Computations, 4th ed., 4.7.
local function levinson(v, n, b, k)
  local forward, backward = ffi.new('double[?]', n), ffi.new('double[?]', n)
  local x = ffi.new('double[?]', n * k)
  if v[n - 1] == 0 then return false end
  forward[0], backward[0] = 1 / v[n - 1], 1 / v[n - 1]
  for c = 0, k - 1 do x[c] = b[c] / v[n - 1] end
  for size = 1, n - 1 do
    local below, above = 0.0, 0.0        -- what the vectors of the smaller matrix leave in the new last, and first, row
    for i = 0, size - 1 do
      below = below + v[n - 1 + size - i] * forward[i]
      above = above + v[n - 2 - i] * backward[i]
    end
    local rest = 1 - below * above
    if rest == 0 then return false end
    local last = 0.0                     -- backward[i - 1] before its change
    for i = 0, size do
      local f, g = i < size and forward[i] or 0, last
      if i < size then last = backward[i] end
      forward[i], backward[i] = (f - below * g) / rest, (g - above * f) / rest
    end
    for c = 0, k - 1 do
      local sum = 0.0
      for i = 0, size - 1 do sum = sum + v[n - 1 + size - i] * x[i * k + c] end
      local missing = b[size * k + c] - sum
      x[size * k + c] = 0
      for i = 0, size do x[i * k + c] = x[i * k + c] + missing * backward[i] end
    end
  end
  ffi.copy(b, x, n * k * 8)
  return true
end

local function reversed(x) return torch.flip(x, x:dim()) end

-- The sums of the diagonals of matrices (…, n, n): (…, 2 n - 1), element n - 1 + i - j of those at (i, j), counted from 0.
local function diagonalSums(d)
  local n, dim = d:size(-1), d:dim()
  local sizes = d:size():totable()
  local wide = torch.cat({ torch.flip(d, dim), torch.mul(d, 0) }, dim)      -- a row further begins one place further
  sizes[dim - 1], sizes[dim] = 1, 2 * n * n
  wide = torch.narrow(torch.reshape(wide, torch.LongStorage(sizes)), dim, 1, n * (2 * n - 1))
  sizes[dim - 1], sizes[dim] = n, 2 * n - 1
  return torch.select(torch.sum(torch.reshape(wide, torch.LongStorage(sizes)), dim - 1), dim - 1, 1)
end

local toeplitzByNumbers
toeplitzByNumbers = matrix.recorded('solveToeplitz', { 'v', 'b' }, function(v, b)
  return matrix.each('solveToeplitz', { v, b }, { 1, 2 }, function(numbers, sides)
    local x
    if complex.is(sides) then
      x = ofComplex().levinson(numbers, sides)
    else
      x = sides:clone()
      x = levinson(data(numbers), sides:size(1), data(x), sides:size(2)) and x
    end
    if not x then matrix.refuse('solveToeplitz', 'c', 'a singular leading part, expected a matrix whose leading parts are regular') end
    return x
  end, true)
end, 'result, v, size(b)', function(g, x, v, size)
  local gb = toeplitzByNumbers(reversed(v), g)
  local gv = C.tracked(v) and torch.expand_grad(diagonalSums(negative(torch.matmul(gb, matrix.t(x)))), v:size()) or nil
  return gv, torch.expand_grad(gb, size)
end)

-- The numbers of a square Toeplitz matrix, from the upper right to the lower left corner.
local function numbersOf(where, c, r)
  c = matrix.of(where, 'c', c, 1)
  r = r and matrix.of(where, 'r', r, 1) or conj(c)
  local n = c:size(-1)
  if n == 0 or r:size(-1) ~= n or r:dim() ~= c:dim() then
    matrix.refuse(where, 'r', '%d elements in %d dimensions, expected as many as in c: %d', r:size(-1), r:dim(), n)
  end
  if n == 1 then return c, n end
  c, r = unpack(matrix.alike { c, r })
  return torch.cat({ reversed(torch.narrow(r, r:dim(), 2, n - 1)), c }, c:dim()), n
end

--- Solves a system with a Toeplitz matrix, by Levinson's recursion in n^2 steps, without the matrix. (For ill-conditioned matrices
-- `torch.solve` is more exact.)
-- @tparam torch.Tensor c the first column (…, n), real or complex
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @tparam[opt] torch.Tensor r the first row (…, n), by default the conjugate of c; its first element is ignored
-- @treturn torch.Tensor as large as b
-- @raise if a leading part of the matrix is singular
function structured.solveToeplitz(c, b, r)
  local numbers, n = numbersOf('solveToeplitz', c, r)
  local sides, isVector = matrix.sides('solveToeplitz', 'b', b, n)
  return asGiven(toeplitzByNumbers(unpack(matrix.alike { numbers, sides })), isVector)
end

-- Real and imaginary parts of the Fourier transforms of columns (…, n, k).
local function transform(x)
  local y = torch.fft_r2c(torch.contiguous(x), x:dim() - 1)
  return torch.select(y, y:dim(), 1), torch.select(y, y:dim(), 2)
end

local function inverseTransform(real, imaginary, n)
  local d = real:dim()
  return torch.fft_c2r(torch.contiguous(torch.stack({ real, imaginary }, d + 1)), d - 1, 'by_n', n)
end

-- Expands a and b to the same sizes.
local function alike(a, b)
  local longer, shorter = a:dim() >= b:dim() and a or b, a:dim() >= b:dim() and b or a
  local sizes, skipped = longer:size():totable(), longer:dim() - shorter:dim()
  for d = 1, shorter:dim() do sizes[skipped + d] = math.max(sizes[skipped + d], shorter:size(d)) end
  sizes = torch.LongStorage(sizes)
  return torch.expand(a, sizes), torch.expand(b, sizes)
end

-- (a + ai i) times (b + bi i), element by element, broadcast.
local function complexProduct(a, ai, b, bi)
  a, b = alike(a, b)
  ai, bi = alike(ai, bi)
  return torch.csub(torch.cmul(a, b), torch.cmul(ai, bi)), torch.add(torch.cmul(a, bi), torch.cmul(ai, b))
end

-- The product of two transforms, back in time: of columns (…, n, k) of complex numbers.
local function convolved(a, b) return torch.fft.ifft(torch.cmul(alike(a, b)), nil, a:dim() - 1) end

--- Solves a system with a circulant matrix, by Fourier transforms.
-- @tparam torch.Tensor c the first column (…, n), real or complex
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @treturn torch.Tensor as large as b
-- @raise if an eigenvalue, an element of c's transform, is next to 0
function structured.solveCirculant(c, b)
  c = matrix.of('solveCirculant', 'c', c, 1)
  local n = c:size(-1)
  local sides, isVector = matrix.sides('solveCirculant', 'b', b, n)
  local column, isComplex = torch.unsqueeze(c, c:dim() + 1), complex.is(c) or complex.is(sides)
  local spectrum, real, imaginary
  if isComplex then
    spectrum = torch.fft.fft(column, nil, column:dim() - 1)
    real, imaginary = torch.real(spectrum:detach()), torch.imag(spectrum:detach())
  else
    real, imaginary = transform(column)
  end
  local squares = torch.add(torch.cmul(real, real), torch.cmul(imaginary, imaginary))
  local plain = squares:detach()
  if torch.min(plain) <= torch.max(plain) * (n * matrix.epsilon(c)) ^ 2 then
    matrix.refuse('solveCirculant', 'c', 'an eigenvalue next to 0, expected a regular matrix')
  end
  if isComplex then
    return asGiven(convolved(torch.pow(spectrum, -1), torch.fft.fft(sides, nil, sides:dim() - 1)), isVector)
  end
  local x, xi = transform(sides)
  x, xi = complexProduct(torch.cdiv(real, squares), negative(torch.cdiv(imaginary, squares)), x, xi)
  return asGiven(inverseTransform(x, xi, n), isVector)
end

--- The product of a Toeplitz matrix and x, by Fourier transforms, without the matrix.
-- @tparam torch.Tensor c the first column (…, m), real or complex
-- @tparam torch.Tensor x (…, n, k), or (n)
-- @tparam[opt] torch.Tensor r the first row (…, n), by default the conjugate of c; its first element is ignored
-- @treturn torch.Tensor (…, m, k), or (m)
function structured.matmulToeplitz(c, x, r)
  c = matrix.of('matmulToeplitz', 'c', c, 1)
  r = r and matrix.of('matmulToeplitz', 'r', r, 1) or conj(c)
  if c:dim() ~= r:dim() then matrix.refuse('matmulToeplitz', 'r', '%d dimensions, expected as many as c has: %d', r:dim(), c:dim()) end
  local m, n = c:size(-1), r:size(-1)
  local sides, isVector = matrix.sides('matmulToeplitz', 'x', x, n)
  c, r = unpack(matrix.alike { c, r })
  local column, d = c, sides:dim() - 1
  if n > 1 then
    column = torch.cat({ c, reversed(torch.narrow(r, r:dim(), 2, n - 1)) }, c:dim())
  end
  if m > 1 then
    local zeros = sides:size():totable()
    zeros[d] = m - 1
    sides = torch.cat({ sides, torch.mul(torch.expand(torch.narrow(sides, d, 1, 1), torch.LongStorage(zeros)), 0) }, d)
  end
  column = torch.unsqueeze(column, column:dim() + 1)
  local y
  if complex.is(column) or complex.is(sides) then
    y = convolved(torch.fft.fft(column, nil, column:dim() - 1), torch.fft.fft(sides, nil, d))
  else
    local real, imaginary = transform(column)
    local product, productI = complexProduct(real, imaginary, transform(sides))
    y = inverseTransform(product, productI, m + n - 1)
  end
  return asGiven(torch.narrow(y, y:dim() - 1, 1, m), isVector)
end

-- Solves a banded system by LU factors with row exchanges. ab: element (i, j) in row u + i - j, column j; b: n by k, becomes the solution.
local function bandedElimination(l, u, ab, n, b, k)
  local width = l + u + l + 1                 -- exchanges move elements up to l columns to the right
  local rows = ffi.new('double[?]', n * width)         -- row i has columns i - l to i + u + l
  for i = 0, n - 1 do
    for j = math.max(0, i - l), math.min(n - 1, i + u) do rows[i * width + j - i + l] = ab[(u + i - j) * n + j] end
  end
  for p = 0, n - 1 do
    local best, last = p, math.min(n - 1, p + l)
    for i = p + 1, last do
      if math.abs(rows[i * width + p - i + l]) > math.abs(rows[best * width + p - best + l]) then best = i end
    end
    local pivot = rows[best * width + p - best + l]
    if pivot == 0 then return false end
    local right = math.min(n - 1, p + u + l)
    if best ~= p then
      for j = p, right do
        local at, other = p * width + j - p + l, best * width + j - best + l
        rows[at], rows[other] = rows[other], rows[at]
      end
      for c = 0, k - 1 do b[p * k + c], b[best * k + c] = b[best * k + c], b[p * k + c] end
    end
    for i = p + 1, last do
      local factor = rows[i * width + p - i + l] / pivot
      if factor ~= 0 then
        for j = p, math.min(right, i + u + l) do
          rows[i * width + j - i + l] = rows[i * width + j - i + l] - factor * rows[p * width + j - p + l]
        end
        for c = 0, k - 1 do b[i * k + c] = b[i * k + c] - factor * b[p * k + c] end
      end
    end
  end
  for i = n - 1, 0, -1 do
    for c = 0, k - 1 do
      local sum = b[i * k + c]
      for j = i + 1, math.min(n - 1, i + u + l) do sum = sum - rows[i * width + j - i + l] * b[j * k + c] end
      b[i * k + c] = sum / rows[i * width + l]
    end
  end
  return true
end

-- Elements of rows (…, r, n), moved: element (i, j) of the result is the one at place(i, j), counted from 0, or 0 if that is nil.
local function moved(ab, rows, place)
  local n, d = ab:size(-1), ab:dim()
  local positions, kept = torch.LongTensor(rows * n):fill(1), torch.DoubleTensor(rows * n):zero()
  for i = 0, rows - 1 do
    for j = 0, n - 1 do
      local r, c = place(i, j)
      if r then positions[i * n + j + 1], kept[i * n + j + 1] = r * n + c + 1, 1 end
    end
  end
  local sizes = ab:size():totable()
  local lead = {}
  for i = 1, d - 2 do lead[i] = sizes[i] end
  lead[d - 1] = sizes[d - 1] * n
  local picked = torch.index(torch.reshape(ab, torch.LongStorage(lead)), d - 1, positions)
  picked = torch.cmul(picked, torch.expand(matrix.like(kept, ab), picked:size()))
  sizes[d - 1] = rows
  return torch.reshape(picked, torch.LongStorage(sizes))
end

-- The bands of the transposed matrix.
local function transposedBands(ab, l, u)
  local n = ab:size(-1)
  return moved(ab, l + u + 1, function(row, j)
    local i = row - l + j                      -- element (i, j) of the transpose, (j, i) of the matrix
    if i >= 0 and i < n then return u + j - i, i end
  end)
end

-- Rows i of x (…, n, k) for the elements (i, j) of bands: (…, l + u + 1, n, k), 0 outside of the matrix.
local function rowsOfBands(x, l, u)
  local n, d = x:size(-2), x:dim()
  local positions, kept = torch.LongTensor((l + u + 1) * n):fill(1), torch.DoubleTensor((l + u + 1) * n):zero()
  for row = 0, l + u do
    for j = 0, n - 1 do
      local i = row - u + j
      if i >= 0 and i < n then positions[row * n + j + 1], kept[row * n + j + 1] = i + 1, 1 end
    end
  end
  local picked, sizes = torch.index(x, d - 1, positions), x:size():totable()
  picked = torch.cmul(picked, torch.expand(torch.unsqueeze(matrix.like(kept, x), 2), picked:size()))
  table.insert(sizes, d - 1, l + u + 1)
  return torch.reshape(picked, torch.LongStorage(sizes))
end

-- The elements within bands of the outer product y x'.
local function outerBands(y, x, l, u)
  local rows = rowsOfBands(y, l, u)
  return torch.select(torch.sum(torch.cmul(rows, torch.expand(torch.unsqueeze(x, x:dim() - 1), rows:size())), rows:dim()), rows:dim(), 1)
end

local bandedByBands
bandedByBands = matrix.recorded('solveBanded', { 'l', 'u', 'ab', 'b' }, function(l, u, ab, b)
  return matrix.each('solveBanded', { ab, b }, { 2, 2 }, function(bands, sides)
    local isComplex, below, above = complex.is(sides), l, u
    local x = isComplex and ofComplex().realSides(sides) or sides:clone()
    if isComplex then below, above, bands = 2 * l + 1, 2 * u + 1, ofComplex().realBands(bands) end
    if not bandedElimination(below, above, data(bands), x:size(1), data(x), x:size(2)) then
      matrix.refuse('solveBanded', 'ab', 'a singular matrix, expected a regular one')
    end
    return isComplex and ofComplex().complexSides(x) or x
  end, true)
end, 'result, l, u, ab, size(b)', function(g, x, l, u, ab, size)
  local gb = bandedByBands(u, l, transposedBands(ab, l, u), g)
  local bands = C.tracked(ab) and torch.expand_grad(negative(outerBands(gb, x, l, u)), ab:size()) or nil
  return nil, nil, bands, torch.expand_grad(gb, size)
end)

--- Solves a x = b for a banded matrix, by elimination with row exchanges: n (l + u) l steps.
-- @int l number of diagonals below the main one
-- @int u number above it
-- @tparam torch.Tensor ab the diagonals as rows (…, l + u + 1, n), real or complex: element (i, j) is ab[u + 1 + i - j][j]; others are
-- not read
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @treturn torch.Tensor as large as b
-- @raise if the matrix is singular
function structured.solveBanded(l, u, ab, b)
  check.int('solveBanded', 'l', l, { min = 0 })
  check.int('solveBanded', 'u', u, { min = 0 })
  ab = matrix.sized('solveBanded', 'ab', ab, l + u + 1)
  local sides, isVector = matrix.sides('solveBanded', 'b', b, ab:size(-1))
  if sides:size(-2) == 0 then return torch.clone(b) end
  return asGiven(bandedByBands(l, u, unpack(matrix.alike { ab, sides })), isVector)
end

-- Cholesky's factor l of a matrix from its lower bands, which it replaces. Returns the row of a failure, from 1.
local function bandedCholesky(bands, n, w)
  for j = 0, n - 1 do
    local pivot = bands[j]
    if not (pivot > 0 and pivot < math.huge) then return j + 1 end
    pivot = math.sqrt(pivot)
    bands[j] = pivot
    local last = math.min(w, n - 1 - j)
    for d = 1, last do bands[d * n + j] = bands[d * n + j] / pivot end
    for c = 1, last do
      for d = c, last do bands[(d - c) * n + j + c] = bands[(d - c) * n + j + c] - bands[d * n + j] * bands[c * n + j] end
    end
  end
end

-- Solves l l' x = b.
local function bandedCholeskySolve(bands, n, w, b, k)
  for c = 0, k - 1 do
    for j = 0, n - 1 do
      local x = b[j * k + c] / bands[j]
      b[j * k + c] = x
      for d = 1, math.min(w, n - 1 - j) do b[(j + d) * k + c] = b[(j + d) * k + c] - bands[d * n + j] * x end
    end
    for j = n - 1, 0, -1 do
      local sum = b[j * k + c]
      for d = 1, math.min(w, n - 1 - j) do sum = sum - bands[d * n + j] * b[(j + d) * k + c] end
      b[j * k + c] = sum / bands[j]
    end
  end
end

-- Upper bands as lower ones, and lower ones as upper ones, of the same Hermitian matrix.
local function turned(ab, toLower)
  local w, n = ab:size(-2) - 1, ab:size(-1)
  return conj(moved(ab, w + 1, function(row, j)
    local d = toLower and row or w - row                      -- the distance to the main diagonal
    local other = toLower and j + d or j - d
    if other >= 0 and other < n then return w - row, other end
  end))
end

-- Cholesky's factor of a matrix from its lower bands: bands of a real matrix in any case.
local function factorOfBands(where, bands)
  local own, isComplex = complex.is(bands) and ofComplex().realLowerBands(bands) or bands:clone(), complex.is(bands)
  local failed = bandedCholesky(data(own), own:size(2), own:size(1) - 1)
  if failed then
    if isComplex then failed = math.ceil(failed / 2) end
    matrix.refuse(where, 'ab', 'the leading minor of order %d is not positive definite', failed)
  end
  return own
end

-- Solves l l' x = b by such a factor.
local function solveByFactor(factor, b)
  local x = complex.is(b) and ofComplex().realSides(b) or b:clone()
  bandedCholeskySolve(data(factor), factor:size(2), factor:size(1) - 1, data(x), x:size(2))
  return complex.is(b) and ofComplex().complexSides(x) or x
end

local function lowerBands(where, ab, options)
  options = check.options(where, options, { 'lower' })
  check.flag(where, 'lower', options.lower)
  ab = matrix.of(where, 'ab', ab, 2)
  if ab:size(-2) == 0 or ab:size(-1) == 0 then matrix.refuse(where, 'ab', 'no elements, expected a matrix') end
  return options.lower and ab or turned(ab, true), options.lower
end

--- Cholesky's factor of a banded symmetric, or Hermitian, positive definite matrix.
-- @tparam torch.Tensor ab the diagonals as rows (…, w + 1, n), real or complex: the upper ones, element (i, j) is ab[w + 1 + i - j][j];
-- with `lower` the lower ones, ab[1 + i - j][j]
-- @tparam[opt] table options `lower`: true
-- @treturn torch.Tensor the factor's bands, in the same form
-- @raise if the matrix is not positive definite
function structured.choleskyBanded(ab, options)
  local lower, isLower = lowerBands('choleskyBanded', ab, options)
  local factor = matrix.each('choleskyBanded', { lower }, { 2 }, function(bands)
    local own = factorOfBands('choleskyBanded', bands)
    if not complex.is(bands) then return own end
    own = ofComplex().complexMatrix(own)
    torch.imag(own[1]):zero()                -- of the diagonal, without errors of rounding
    return own
  end, true)
  return isLower and factor or turned(factor, false)
end

--- Solves a x = b by the factor of `choleskyBanded`.
-- @tparam torch.Tensor factor its bands (…, w + 1, n)
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @tparam[opt] table options `lower`: true, as for `choleskyBanded`
-- @treturn torch.Tensor as large as b
function structured.choSolveBanded(factor, b, options)
  local lower = lowerBands('choSolveBanded', factor, options)
  local sides, isVector = matrix.sides('choSolveBanded', 'b', b, lower:size(-1))
  return asGiven(matrix.each('choSolveBanded', { lower, sides }, { 2, 2 }, function(bands, own)
    return solveByFactor(complex.is(bands) and ofComplex().realLowerBands(bands) or bands, own)
  end, true), isVector)
end

local definiteByBands
definiteByBands = matrix.recorded('solvehBanded', { 'lower', 'b' }, function(lower, b)
  return matrix.each('solvehBanded', { lower, b }, { 2, 2 }, function(bands, sides)
    return solveByFactor(factorOfBands('solvehBanded', bands), sides)
  end, true)
end, 'result, lower, size(b)', trueGradient(function(g, x, lower, size)
  local gb, w = definiteByBands(lower, g), lower:size(-2) - 1
  local bands
  if C.tracked(lower) then
    local both = torch.add(outerBands(gb, conj(x), w, 0), outerBands(x, conj(gb), w, 0))
    local halved = torch.DoubleTensor(w + 1, lower:size(-1)):fill(-1)
    halved[1]:fill(-0.5)
    bands = torch.expand_grad(torch.cmul(both, torch.expand(matrix.like(halved, both), both:size())), lower:size())
  end
  return bands, torch.expand_grad(gb, size)
end))

--- Solves a x = b for a banded symmetric, or Hermitian, positive definite matrix, by Cholesky's factor: n w^2 steps.
-- @tparam torch.Tensor ab as for `choleskyBanded`
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @tparam[opt] table options `lower`: true
-- @treturn torch.Tensor as large as b
-- @raise if the matrix is not positive definite
function structured.solvehBanded(ab, b, options)
  local lower = lowerBands('solvehBanded', ab, options)
  local sides, isVector = matrix.sides('solvehBanded', 'b', b, lower:size(-1))
  return asGiven(definiteByBands(unpack(matrix.alike { lower, sides })), isVector)
end

return atCaller(structured)
