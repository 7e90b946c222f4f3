--- Functions of matrices: square root, logarithm, sign, sine, and any function of a matrix with real eigenvalues.
-- @module torch.linalg.functions
local torch, ffi = require 'torch', require 'ffi'
local check, complex = require 'torch.check', require 'torch.names.complex'
local matrix, quasi = require 'torch.linalg.matrix', require 'torch.linalg.quasi_triangular'
local atCaller = require 'torch.linalg.at_caller'

local functions = {}

local pointer = ffi.typeof 'double *'
local product, t, adjoint = torch.matmul, matrix.t, complex.adjoint

-- The root of one complex matrix that is triangular, or the reason why there is none. Source: A. Bjorck & S. Hammarling (1983), "A Schur
-- method for the square root of a matrix", Linear Algebra Appl. 52.
local function complexRoot(upper)
  local n, rows = upper:size(1), upper:contiguous()
  local root = torch.mul(rows, 0)
  local a, r = ffi.cast(pointer, torch.viewAsReal(rows):data()), ffi.cast(pointer, torch.viewAsReal(root):data())
  for j = 0, n - 1 do
    local own = torch.sqrt(complex.number(a[2 * (j * n + j)], a[2 * (j * n + j) + 1]))
    r[2 * (j * n + j)], r[2 * (j * n + j) + 1] = own.re, own.im
    for i = j - 1, 0, -1 do
      local re, im = a[2 * (i * n + j)], a[2 * (i * n + j) + 1]
      for k = i + 1, j - 1 do
        local p, q = 2 * (i * n + k), 2 * (k * n + j)
        re, im = re - r[p] * r[q] + r[p + 1] * r[q + 1], im - r[p] * r[q + 1] - r[p + 1] * r[q]
      end
      local sumRe, sumIm = r[2 * (i * n + i)] + own.re, r[2 * (i * n + i) + 1] + own.im
      local size = math.max(math.abs(sumRe), math.abs(sumIm))
      if size == 0 and (re ~= 0 or im ~= 0) then return nil, 'the eigenvalue 0 in a block' end
      if size > 0 then
        sumRe, sumIm = sumRe / size, sumIm / size
        local square = (sumRe * sumRe + sumIm * sumIm) * size
        r[2 * (i * n + j)], r[2 * (i * n + j) + 1] = (re * sumRe + im * sumIm) / square, (im * sumRe - re * sumIm) / square
      end
    end
  end
  return root
end

-- The root of one matrix that is quasi-triangular, or the reason why there is none.
local function triangularRoot(upper)
  if complex.is(upper) then return complexRoot(upper) end
  local n = upper:size(1)
  local root = torch.DoubleTensor(n, n):zero()
  local rows = upper:contiguous()
  local reason = quasi.root(ffi.cast(pointer, rows:data()), n, ffi.cast(pointer, root:data()))
  return root, reason
end

local function plainRoot(a)
  return matrix.each('sqrtm', { a }, { 2 }, function(one)
    local upper, basis = torch.schur(one)
    local root, reason = triangularRoot(upper)
    if reason then
      matrix.refuse('sqrtm', 'a', '%s, expected a matrix with a %ssquare root', reason, complex.is(one) and '' or 'real ')
    end
    return product(product(basis, root), adjoint(basis))
  end, true)
end

local sqrtm
sqrtm = matrix.recorded('sqrtm', { 'a' }, plainRoot, 'a', function(g, a) return matrix.chain(sqrtm, g, a) end)

--- The principal square root of a matrix: the x with x x = a whose eigenvalues have no negative real part. By the Schur form, after
-- N. Higham (1987). Its derivative exists if a is regular.
-- @tparam torch.Tensor a square matrices (…, n, n), real or complex
-- @treturn torch.Tensor
-- @raise for a real matrix with a negative eigenvalue, which has no real root (that of `a:complexdouble()` is complex), NaN and infinities
function functions.sqrtm(a) return sqrtm(matrix.square('sqrtm', 'a', a)) end

-- Nodes and weights of Gauss's quadrature on (0, 1), as roots of the Legendre polynomial by Newton's method.
local function quadrature(count)
  local nodes = {}
  for i = 1, count do
    local x, slope = math.cos(math.pi * (i - 0.25) / (count + 0.5)), nil
    for _ = 1, 8 do
      local before, value = 1, x
      for k = 2, count do before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k end
      slope = count * (x * value - before) / (x * x - 1)
      x = x - value / slope
    end
    nodes[i] = { place = (1 + x) / 2, weight = 1 / ((1 - x * x) * slope * slope) }
  end
  return nodes
end
local nodes = quadrature(7)
local reach = 0.264      -- the largest 1-norm of a - 1 for which the Padé approximant of degree 7 is exact to 2^-53 (Higham, table 11.1)

local function plainLogarithm(a)
  return matrix.each('logm', { a }, { 2 }, function(one)
    local root, basis = torch.schur(one)
    local unit, roots = torch.eye(one:size(1), one:size(1), one:type()), 0
    local rest = torch.csub(root, unit)
    while torch.matrix_norm(rest, 1) > reach do
      local reason
      root, reason = triangularRoot(root)
      if reason or roots > 1100 then
        matrix.refuse('logm', 'a', '%s, expected a regular matrix%s', reason or 'an eigenvalue of 0',
          complex.is(one) and '' or ' without negative eigenvalues')
      end
      roots, rest = roots + 1, torch.csub(root, unit)
    end
    local sum
    for _, node in ipairs(nodes) do
      local term = torch.solve(torch.add(unit, torch.mul(rest, node.place)), torch.mul(rest, node.weight))
      sum = sum and torch.add(sum, term) or term
    end
    return torch.mul(product(product(basis, sum), adjoint(basis)), 2 ^ roots)
  end, true)
end

local logm
logm = matrix.recorded('logm', { 'a' }, plainLogarithm, 'a', function(g, a) return matrix.chain(logm, g, a) end)

--- The principal logarithm of a matrix: the x with expm(x) = a whose eigenvalues have imaginary parts between -pi and pi. By square roots
-- of the Schur form and a Padé approximant of degree 7. Source: N. Higham (2008), "Functions of matrices", algorithm 11.9.
-- @tparam torch.Tensor a square matrices (…, n, n), real or complex
-- @treturn torch.Tensor
-- @raise for a matrix with an eigenvalue that is 0, or a real one with a negative eigenvalue; for NaN and infinities
function functions.logm(a) return logm(matrix.square('logm', 'a', a)) end

-- |det x|^(-1/n) of each matrix, in the sizes of x.
local function determinantScale(x)
  local _, logarithm = torch.slogdet(x:detach())
  local sizes = x:size():totable()
  sizes[#sizes], sizes[#sizes - 1] = 1, 1
  return torch.expand(torch.reshape(torch.exp(torch.mul(logarithm, -1 / x:size(-1))), sizes), x:size())
end

--- The sign of a matrix: the same eigenvectors, and eigenvalues 1 and -1 for those with positive and negative real part. By Newton's method
-- with scaling by determinants. Source: N. Higham (2008), "Functions of matrices", section 5.6.
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @treturn torch.Tensor
-- @raise for a matrix with an eigenvalue on the imaginary axis
function functions.signm(a)
  local x = matrix.square('signm', 'a', a)
  local n, limit = x:size(-1), 10 * matrix.epsilon(x)
  for step = 1, 100 do
    local before = x
    if step <= 6 then x = torch.cmul(x, determinantScale(x)) end
    x = torch.mul(torch.add(x, torch.inverse(x)), 0.5)
    local change = torch.max(torch.abs(torch.csub(x:detach(), before:detach())))
    if change <= limit * n * torch.max(torch.abs(x:detach())) then return x end
  end
  matrix.refuse('signm', 'a', 'no convergence, expected a matrix without eigenvalues on the imaginary axis')
end

-- Returns cosine and sine: blocks of exp([0 -a; a 0]).
local function cosineSine(where, a)
  a = matrix.square(where, 'a', a)
  local n, zeros = a:size(-1), torch.mul(a, 0)
  local both = torch.expm(matrix.blocks { { zeros, torch.mul(a, -1) }, { a, zeros } })
  return matrix.part(both, 1, n, 1, n), matrix.part(both, n + 1, n, 1, n)
end

--- The cosine of a matrix, 1 - a^2 / 2 + ..., as a block of an exponential.
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @treturn torch.Tensor
function functions.cosm(a) return torch.contiguous((cosineSine('cosm', a))) end

--- The sine of a matrix, a - a^3 / 6 + ..., as a block of an exponential.
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @treturn torch.Tensor
function functions.sinm(a)
  local _, sine = cosineSine('sinm', a)
  return torch.contiguous(sine)
end

--- The tangent of a matrix: the x with cosm(a) x = sinm(a).
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @treturn torch.Tensor
-- @raise if the cosine is singular
function functions.tanm(a) return torch.solve(cosineSine('tanm', a)) end

local function exponentials(where, a)
  a = matrix.square(where, 'a', a)
  return torch.mul(torch.expm(a), 0.5), torch.mul(torch.expm(torch.mul(a, -1)), 0.5)
end

--- The hyperbolic cosine of a matrix.
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @treturn torch.Tensor
function functions.coshm(a) return torch.add(exponentials('coshm', a)) end

--- The hyperbolic sine of a matrix.
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @treturn torch.Tensor
function functions.sinhm(a) return torch.csub(exponentials('sinhm', a)) end

--- The hyperbolic tangent of a matrix: the x with coshm(a) x = sinhm(a).
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @treturn torch.Tensor
function functions.tanhm(a)
  local rising, falling = exponentials('tanhm', a)
  return torch.solve(torch.add(rising, falling), torch.csub(rising, falling))
end

--- A power of a matrix with any exponent: the product of an integer power and expm(fraction logm(a)).
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @number p
-- @treturn torch.Tensor
-- @raise if p is no integer, for a matrix with an eigenvalue that is 0 or negative; if p is negative, for a singular matrix
function functions.fractionalMatrixPower(a, p)
  a = matrix.square('fractionalMatrixPower', 'a', a)
  check.number('fractionalMatrixPower', 'p', p, { min = -2 ^ 53, max = 2 ^ 53 })
  local whole = math.floor(p)
  if p == whole then return torch.matrix_power(a, p) end
  if p == 0.5 then return sqrtm(a) end
  local power = torch.expm(torch.mul(logm(a), p - whole))
  return whole == 0 and power or product(torch.matrix_power(a, whole), power)
end

--- The exponential of a, and its directional derivative.
-- @tparam torch.Tensor a square matrices (…, n, n), of floats
-- @tparam torch.Tensor e the direction, as large
-- @treturn torch.Tensor expm(a)
-- @treturn torch.Tensor the derivative of expm(a + s e) by s at s = 0
function functions.expmFrechet(a, e)
  a = matrix.square('expmFrechet', 'a', a)
  e = matrix.square('expmFrechet', 'e', e, a:size(-1))
  local n = a:size(-1)
  if e:dim() ~= a:dim() then e = torch.expand(e, a:size()) end
  local both = torch.expm(matrix.blocks { { a, e }, { torch.mul(a, 0), a } })
  return torch.contiguous(matrix.part(both, 1, n, 1, n)), torch.contiguous(matrix.part(both, 1, n, n + 1, n))
end

--- The relative condition number of the exponential in the Frobenius norm: by how much a small relative change of a can be magnified. Of
-- one matrix; all n^2 directional derivatives are computed.
-- @tparam torch.Tensor a square matrix (n, n), of floats
-- @treturn number
function functions.expmCond(a)
  a = matrix.square('expmCond', 'a', a):detach()
  if a:dim() ~= 2 then matrix.refuse('expmCond', 'a', '%d dimensions, expected one matrix', a:dim()) end
  local n = a:size(1)
  local directions = torch.to(torch.eye(n * n, n * n, 'float64'), a:type()):view(n * n, n, n)
  local value, derivatives = functions.expmFrechet(torch.expand(torch.unsqueeze(a, 1), { n * n, n, n }), directions)
  local largest = torch.matrix_norm(derivatives:view(n * n, n * n), 2)
  return largest * torch.matrix_norm(a) / torch.matrix_norm(value[1])
end

--- The square root of a symmetric or Hermitian matrix without negative eigenvalues, by its eigenvectors. Negative eigenvalues from rounding
-- count as 0.
-- @tparam torch.Tensor a symmetric matrices (…, n, n), of floats
-- @treturn torch.Tensor symmetric
function functions.matrixSqrth(a)
  local values, vectors = torch.symeig(matrix.square('matrixSqrth', 'a', a), 'V')
  local roots = torch.sqrt(torch.clamp(values, 0, math.huge))
  return product(torch.cmul(vectors, torch.expand(torch.unsqueeze(roots, roots:dim()), vectors:size())), adjoint(vectors))
end

functions = atCaller(functions)

--- A function of a complex matrix, or of a real one with real eigenvalues: of a symmetric or Hermitian one by orthonormal eigenvectors; of
-- another one by its eigenvectors, which must be independent.
-- @tparam torch.Tensor a a square matrix (n, n)
-- @tparam function f from the vector of eigenvalues to one as long
-- @treturn torch.Tensor
-- @raise if an eigenvalue of a real matrix is complex
-- @usage torch.linalg.funm(a, torch.exp)      -- expm(a)
function functions.funm(a, f)
  a = matrix.square('funm', 'a', a)
  check.callable('funm', 'f', f)
  if a:dim() ~= 2 then matrix.refuse('funm', 'a', '%d dimensions, expected one matrix', a:dim()) end
  local values, vectors, isSymmetric
  isSymmetric = torch.equal(a:detach(), adjoint(a:detach()))
  if isSymmetric then
    values, vectors = torch.symeig(a, 'V')
  elseif complex.is(a) then
    values, vectors = torch.eig(a, 'V')
  else
    local pairs_
    pairs_, vectors = torch.eig(a, 'V')
    if torch.max(torch.abs(torch.select(pairs_, 2, 2))) > 0 then
      matrix.refuse('funm', 'a', 'complex eigenvalues, expected real ones')
    end
    values = torch.contiguous(torch.select(pairs_, 2, 1))
  end
  local results = check.tensor('funm', 'f', f(values))
  if results:nElement() ~= values:nElement() then
    matrix.refuse('funm', 'f', '%d values, expected %d', results:nElement(), values:nElement())
  end
  local scaled = torch.cmul(vectors, torch.expand(torch.reshape(results, { 1, values:nElement() }), vectors:size()))
  return isSymmetric and product(scaled, adjoint(vectors)) or t(torch.solve(t(vectors), t(scaled)))
end

return functions
