-- Derivatives of decompositions and linear systems over the last two dimensions.
-- Sources: M. Giles (2008), "An extended collection of matrix derivative results for forward and reverse mode algorithmic
-- differentiation" (inverse, solve, det, symmetric eigenvalues); I. Murray (2016), "Differentiation of the Cholesky decomposition", eq. 10;
-- J. Townsend (2016), "Differentiating the singular value decomposition", sec. 1.1; S. Walter & L. Lehmann (2013), "Algorithmic
-- differentiation of linear algebra functions with application in optimum experimental design" (qr). Those of lu follow in the same way
-- from p' da = dl u + l du. Of complex matrices: those with a complex derivative (inverse, solve, det, logdet, lu) are those of real ones;
-- the others have conjugate transposes for transposes, which a' stands for in comments.
-- @module autograd.rules.linalg
local torch = require 'torch'
local rules, onDeviceOf = require 'autograd.rules', require 'autograd.on_device_of'
local complex, trueGradient = require 'torch.names.complex', require 'torch.names.true_gradient'
local complexPairs = require 'torch.linalg.complex_pairs'
local C = require 'libmoontorch'

local saving = rules.saving
local function savingTrue(names, gradient) return saving(names, trueGradient(gradient)) end

local product = torch.matmul
local adjoint, conj = complex.adjoint, complex.conj
local function transposed(a) return torch.transpose(a, -2, -1) end
local function negative(a) return torch.mul(a, -1) end
local function plus(a, b) return a and b and torch.add(a, b) or a or b end

-- Returns constants of x's type: 1 if the column's number minus the row's compares true with the offset, else 0. (Tensors with equally many
-- elements are combined in order instead of broadcast: therefore this file expands explicitly.)
local function mask(compare, rows, cols, offset, x)
  local row, col = torch.reshape(torch.range(1, rows), { rows, 1 }), torch.reshape(torch.range(1, cols), { 1, cols })
  local constants = torch.to(compare(torch.csub(torch.expand(col, { rows, cols }), torch.expand(row, { rows, cols })), offset), x:type())
  return onDeviceOf(constants, x)
end
local keepUpper, keepLower = torch.triu, torch.tril
local function identity(n, x) return mask(torch.eq, n, n, 0, x) end

-- Vectors (…, n) as rows (…, 1, n) and columns (…, n, 1); one number per matrix as (…, 1, 1).
local function row(x) return torch.unsqueeze(x, x:dim()) end
local function column(x) return torch.unsqueeze(x, x:dim() + 1) end
local function square(x, place)
  local sizes = x:size():totable()
  sizes[#sizes + 1] = sizes[#sizes]
  return torch.expand(place(x), sizes)
end
local function diagonal(x) return torch.cmul(square(x, row), identity(x:size(-1), x)) end
local function numbers(g, a)
  local sizes = {}
  for d = 1, a:dim() - 2 do sizes[d] = a:size(d) end
  sizes[#sizes + 1], sizes[#sizes + 2] = 1, 1
  return torch.reshape(g, sizes)
end

-- Sums a gradient over the dimensions that were broadcast; a vector represents one column.
local function folded(g, size)
  if not g then return nil end
  if #size > 1 then return torch.expand_grad(g, size) end
  return torch.reshape(torch.expand_grad(g, torch.LongStorage { size[1], 1 }), size)
end

local function triangular(b, a, ...)
  local x = torch.trtrs(b, a, ...)
  return x
end
-- b u^-1 of the transpose of u, and l'^-1 b
local function overUpper(b, u) return transposed(triangular(transposed(b), u, 'U')) end
local function underLower(b, l) return triangular(b, conj(l), 'L', 'T') end

-- Returns options in the form that the engine expects: each in the next position whose letters include it.
local function options(choices, ...)
  local chosen, place = {}, 1
  for i, letters in ipairs(choices) do chosen[i] = letters:sub(1, 1) end
  for _, text in ipairs { ... } do
    local letter, fits = text:sub(1, 1):upper(), place
    while choices[fits] and not choices[fits]:find(letter, 1, true) do fits = fits + 1 end
    if choices[fits] then chosen[fits], place = letter, fits + 1 end
  end
  return unpack(chosen)
end

-- Gradient of a = p l u; one of gl and gu may be missing. If a is not square, l or u has a square part and a rest.
local function luGradient(gl, gu, p, l, u)
  local m, n = l:size(-2), u:size(-1)
  local k = math.min(m, n)
  local function top(x) return m > k and torch.narrow(x, -2, 1, k) or x end
  local function left(x) return n > k and torch.narrow(x, -1, 1, k) or x end
  local function bottom(x) return torch.narrow(x, -2, k + 1, m - k) end
  local function right(x) return torch.narrow(x, -1, k + 1, n - k) end
  local below, above
  if gl then below = product(transposed(top(l)), top(gl)) end
  if gu then above = product(left(gu), transposed(left(u))) end
  if gu and n > k then below = plus(below, negative(product(right(gu), transposed(right(u))))) end
  if gl and m > k then above = plus(above, negative(product(transposed(bottom(l)), bottom(gl)))) end
  local inner = plus(below and keepLower(below, -1), above and keepUpper(above))
  local g = triangular(overUpper(inner, left(u)), top(l), 'L', 'T', 'U')
  if n > k then
    local rest = gu and triangular(right(gu), l, 'L', 'T', 'U') or torch.mul(right(u), 0)
    g = torch.cat({ g, rest }, g:dim())
  end
  if m > k then
    local rest = gl and overUpper(bottom(gl), u) or torch.mul(bottom(l), 0)
    g = torch.cat({ g, rest }, g:dim() - 1)
  end
  return product(p, g)
end

rules.lu = { saving('result[1], result[2], result[3]', function(g, p, l, u)
  return (g[2] or g[3]) and luGradient(g[2], g[3], p:detach(), l, u)
end) }

-- Gradients of b and a in a x = b.
local function solveGradient(g, x, a)
  local gb = torch.solve(transposed(a), g)
  return gb, negative(product(gb, transposed(x)))
end

rules.gesv = saving('result[1], result[2], size(b), a', function(g, x, packed, bSize, a)
  local gb, ga
  if g[1] then gb, ga = solveGradient(g[1], x, a) end
  if g[2] and C.tracked(a) then
    local permutation = torch.lu(a:detach())
    local l = torch.add(keepLower(packed, -1), identity(packed:size(-1), packed))
    ga = plus(ga, luGradient(g[2], g[2], permutation, l, keepUpper(packed)))
  end
  return folded(gb, bSize), ga and torch.expand_grad(ga, a:size())
end)

rules.solve = saving('result, a, size(b)', function(g, x, a, bSize)
  if #bSize == 1 then g, x = column(g), column(x) end
  local gb, ga = solveGradient(g, x, a)
  return torch.expand_grad(ga, a:size()), folded(gb, bSize)
end)

rules.trtrs = saving('result[1], size(b), a, ...', function(g, x, bSize, a, ...)
  local uplo, trans, diag = options({ 'UL', 'NTC', 'NU' }, ...)
  local gb, ga
  if g[1] then
    local isAdjoint = trans == 'C' and complex.is(a)       -- of the conjugate: its gradient is conjugated
    gb = triangular(g[1], isAdjoint and conj(a) or a, uplo, trans == 'N' and 'T' or 'N', diag)
    ga = negative(trans == 'N' and product(gb, transposed(x)) or product(x, transposed(gb)))
    if isAdjoint then ga = conj(ga) end
    local offset = diag == 'U' and 1 or 0
    ga = uplo == 'U' and keepUpper(ga, offset) or keepLower(ga, -offset)
  end
  ga = plus(ga, g[2])
  return folded(gb, bSize), ga and torch.expand_grad(ga, a:size())
end)

rules.gels = rules.refuse 'use lstsq, which has one'
for _, name in ipairs { 'geqrf', 'orgqr', 'ormqr' } do rules[name] = rules.refuse 'use qr, which has one' end
rules.pstrf = rules.refuse 'use potrf or cholesky, which have one'
rules.schur = rules.refuse 'torch.linalg.sqrtm, logm and solveSylvester, which are based on it, have one'

local function symmetric(g) return torch.mul(torch.add(g, adjoint(g)), 0.5) end

-- Returns quotients that are 0 if the dividend is 0, for any divisor: an unused result must not contribute NaN.
local function quotient(dividend, divisor)
  local isZero = torch.eq(dividend:detach(), 0)
  return torch.where(isZero, 0, torch.cdiv(dividend, torch.where(isZero, 1, divisor)))
end

-- Returns the off-diagonal elements divided by x[j] - x[i], and 0 on the diagonal.
local function overDifferences(elements, x)
  local n = x:size(-1)
  local off = torch.cmul(elements, torch.expand(mask(torch.ne, n, n, 0, x), elements:size()))
  return quotient(off, torch.csub(square(x, row), square(x, column)))
end

-- The phase of each vector of a Hermitian matrix is arbitrary: a loss must not depend on it.
rules.symeig = { savingTrue('result[1], result[2], a, ...', function(g, values, vectors, a, ...)
  local jobz, uplo = options({ 'NV', 'UL' }, ...)
  if jobz == 'N' then values, vectors = torch.symeig(a, 'V', uplo) end
  local inner = g[1] and diagonal(g[1])
  if jobz == 'V' and g[2] then
    inner = plus(inner, overDifferences(product(adjoint(vectors), g[2]), values))
  end
  return inner and symmetric(product(product(vectors, inner), adjoint(vectors)))
end) }

-- Of complex matrices, u[j] and v[j] share an arbitrary phase, on which a loss must not depend.
rules.svd = { savingTrue('result[1], result[2], result[3], size(a)', function(g, u, s, v, size)
  local gu, gs, gv = g[1], g[2], g[3]
  local k = s:size(-1)
  if gu and u:size(-1) > k or gv and v:size(-1) > k then
    error("svd: gradient: vectors beyond the singular values' are not determined by the matrix; expected jobu 'S'", 0)
  end
  u, v = torch.narrow(u, -1, 1, k), torch.narrow(v, -1, 1, k)
  local inner = gs and diagonal(gs)
  -- Multiplies the rotation within the space of u by s[j] / (s[j]^2 - s[i]^2), that of v by s[i] / (s[j]^2 - s[i]^2). Avoids squares, which
  -- overflow and underflow.
  local function turning(basis, gradient, values)
    local turn = product(adjoint(basis), gradient)
    local share = quotient(values, torch.add(square(s, row), square(s, column)))
    return overDifferences(torch.cmul(share, torch.csub(turn, adjoint(turn))), s)
  end
  -- Returns the change of the phases, half of which u takes, and v the rest.
  local function phases(basis, gradient, sign)
    local along = torch.sum(torch.imag(torch.cmul(conj(basis), gradient)), -2)
    return diagonal(torch.mul(quotient(torch.select(along, along:dim() - 1, 1), s), complex.number(0, sign / 2)))
  end
  if gu then inner = plus(inner, turning(u, gu, square(s, row))) end
  if gv then inner = plus(inner, turning(v, gv, square(s, column))) end
  if gu and complex.is(u) then inner = plus(inner, phases(u, gu, 1)) end
  if gv and complex.is(v) then inner = plus(inner, phases(v, gv, -1)) end
  if not inner then return nil end
  local ga = product(product(u, inner), adjoint(v))
  -- Returns the part outside the space that the vectors span.
  local function outside(basis, gradient)
    local rest = torch.csub(gradient, product(basis, product(adjoint(basis), gradient)))
    return quotient(rest, torch.expand(row(s), rest:size()))
  end
  if gu and size[#size - 1] > k then ga = torch.add(ga, product(outside(u, gu), adjoint(v))) end
  if gv and size[#size] > k then ga = torch.add(ga, product(u, adjoint(outside(v, gv)))) end
  return ga
end) }

-- Vectors v of length 1 whose largest element is real: returns what a gradient by them is for changes without these two conditions.
local function ofNormalized(g, v)
  local along = torch.sum(torch.cmul(conj(v), g), -2)
  local magnitudes = torch.abs(v:detach())
  local _, places = torch.max(magnitudes, magnitudes:dim() - 1)
  local rows = torch.expand(column(torch.range(1, v:size(-2), 'int64')), v:size())
  local isLargest = torch.to(torch.eq(onDeviceOf(rows, v), torch.expand(places, v:size())), v:type())
  local turn = torch.cdiv(torch.mul(torch.imag(along), complex.number(0, -1)), torch.sum(torch.cmul(v, isLargest), -2))
  g = torch.csub(g, torch.cmul(v, torch.expand(torch.real(along), v:size())))
  return torch.add(g, torch.cmul(isLargest, torch.expand(turn, v:size())))
end

-- C. van der Aa, H. ter Morsche & R. Mattheij (2007), "Computation of eigenvalue and eigenvector derivatives for a general complex-valued
-- eigensystem", Electronic Journal of Linear Algebra 16: of simple eigenvalues.
local function ofEigen(gl, gv, values, vectors, a, jobz)
  if options({ 'NV' }, jobz) == 'N' then
    values, vectors = torch.eig(a, 'V')
    gv = nil
  end
  if not gl and not gv then return nil end
  if not complex.is(a) then
    local packed, first, second = gv
    values, vectors, first, second = complexPairs(values, vectors)
    gl = gl and torch.viewAsComplex(torch.contiguous(gl))
    if packed then
      local next = torch.roll(packed, -1, packed:dim())
      gv = torch.complex(torch.where(second, 0, packed), torch.where(first, next, 0))
    end
  end
  local inner = gl and diagonal(gl)
  if gv then inner = plus(inner, overDifferences(product(adjoint(vectors), ofNormalized(gv, vectors)), conj(values))) end
  local ga = torch.solve(adjoint(vectors), product(inner, adjoint(vectors)))
  return complex.is(a) and ga or torch.real(ga)
end

-- Other devices lack complex numbers: their eigenvalues are those of the host, and so is the gradient.
rules.eig = { savingTrue('result[1], result[2], a, jobz', function(g, values, vectors, a, jobz)
  local device = a:device()
  local function onHost(x) return x and (device == 'cpu' and x or torch.to(x, 'cpu')) end
  local ga = ofEigen(onHost(g[1]), onHost(g[2]), onHost(values), onHost(vectors), onHost(a), jobz)
  return ga and device ~= 'cpu' and torch.to(ga, device) or ga
end) }

rules.inverse = { 'neg(matmul(matmul(transpose(result, -2, -1), g), transpose(result, -2, -1)))' }

-- Returns the cofactors, even of a singular matrix: det(u) det(v) u diag(products of the other singular values) v'; of complex ones, the
-- conjugates of u, of the determinant of v, and of v' are in it.
local function cofactors(a)
  local u, s, v = torch.svd(a)
  local n = s:size(-1)
  local others = torch.prod(torch.add(torch.cmul(square(s, row), mask(torch.ne, n, n, 0, s)), identity(n, s)), s:dim() + 1)
  local ofU, ofV = torch.slogdet(u), torch.slogdet(v)
  local signs = torch.cmul(numbers(ofU, a), numbers(conj(ofV), a))
  return torch.cmul(signs, product(torch.cmul(conj(u), transposed(others)), transposed(v)))
end

-- Does the same with products and sums only: these have derivatives even if singular values are equal, or several are 0. Rounding errors
-- grow with the size of the matrix. Source: the method of Faddeev and Le Verrier (J. S. Frame, 1949, "A simple recursion formula for
-- inverting a matrix", Bull. Amer. Math. Soc. 55).
local function cofactorsByProducts(a)
  local n = a:size(-1)
  local unit = torch.expand(identity(n, a), a:size())
  local largest = torch.max(torch.max(torch.abs(a:detach()), -1), -2)
  local scale = torch.expand(torch.where(torch.eq(largest, 0), 1, largest), a:size())
  local scaled, sum = torch.cdiv(a, scale), unit
  for k = 2, n do
    local next = product(scaled, sum)
    local trace = torch.sum(torch.sum(torch.cmul(next, unit), -1), -2)
    sum = torch.csub(next, torch.cmul(torch.expand(torch.mul(trace, 1 / (k - 1)), a:size()), unit))
  end
  return torch.mul(torch.cmul(transposed(sum), torch.pow(scale, n - 1)), n % 2 == 1 and 1 or -1)
end

rules.det = { saving('result, a', function(g, y, a)
  if torch.prod(y:detach()) == 0 then
    return torch.cmul(numbers(g, a), C.gradMode() and cofactorsByProducts(a) or cofactors(a))
  end
  return torch.cmul(numbers(torch.cmul(g, y), a), transposed(torch.inverse(a)))
end) }
rules.logdet = { saving('a', function(g, a) return torch.cmul(numbers(g, a), transposed(torch.inverse(a))) end) }
-- The sign of a complex matrix turns with the imaginary part of the change of the logarithm.
rules.slogdet = { savingTrue('result[1], a', function(g, sign, a)
  local change = g[2]
  if g[1] and complex.is(a) then
    change = plus(change, torch.mul(torch.imag(torch.cmul(g[1], conj(sign))), complex.number(0, 1)))
  end
  return change and torch.cmul(numbers(change, a), adjoint(torch.inverse(a)))
end) }

local function choleskyGradient(g, y, upper)
  local l, gl = upper and adjoint(y) or y, upper and adjoint(g) or g
  local inner = keepLower(product(adjoint(l), gl))
  inner = torch.csub(inner, torch.mul(torch.cmul(inner, identity(l:size(-1), l)), 0.5))
  return symmetric(adjoint(underLower(adjoint(underLower(inner, l)), l)))
end
rules.potrf = { savingTrue('result, uplo', function(g, y, uplo) return choleskyGradient(g, y, uplo:sub(1, 1):upper() ~= 'L') end) }
rules.cholesky = { savingTrue('result, upper', choleskyGradient) }

-- Converts the gradient of l l' to that of the factor l, or u = l'; only one triangle of the factor matters.
local function factorGradient(ga, factor, uplo)
  local both = torch.add(ga, adjoint(ga))
  if uplo:sub(1, 1):upper() == 'L' then return keepLower(product(both, keepLower(factor))) end
  return keepUpper(product(keepUpper(factor), both))
end

rules.potrs = savingTrue('result, size(b), factor, uplo', function(g, x, bSize, factor, uplo)
  local gb = torch.potrs(g, factor, uplo)
  local ga = C.tracked(factor) and factorGradient(negative(product(gb, adjoint(x))), factor, uplo)
  return folded(gb, bSize), ga and torch.expand_grad(ga, factor:size()) or nil
end)

rules.potri = { savingTrue('result, factor, uplo', function(g, y, factor, uplo)
  return factorGradient(negative(product(product(adjoint(y), g), adjoint(y))), factor, uplo)
end) }

-- A matrix and its adjoint, from its lower half; the diagonal is real.
local function mirroredLower(a)
  local below = keepLower(a, -1)
  local half = complex.is(a) and torch.add(below, torch.cmul(torch.real(a), identity(a:size(-1), torch.real(a)))) or keepLower(a)
  return torch.add(half, adjoint(below))
end

-- A wide a = q [u v] consists of a square x = q u, followed by q v.
rules.qr = { savingTrue('result[1], result[2], a', function(g, q, r, a)
  local gq, gr = g[1], g[2]
  if not gq and not gr then return nil end
  local k, n = r:size(-2), r:size(-1)
  local u, gu, rest = r, gr
  gq = gq or torch.mul(q, 0)
  if n > k then
    u = torch.narrow(r, -1, 1, k)
    rest = gr and torch.narrow(gr, -1, k + 1, n - k) or torch.mul(torch.narrow(r, -1, k + 1, n - k), 0)
    gu = gr and torch.narrow(gr, -1, 1, k)
    gq = torch.add(gq, product(torch.narrow(a, -1, k + 1, n - k), adjoint(rest)))    -- v = q' y
  end
  local inner = negative(product(adjoint(gq), q))
  if gu then inner = torch.add(product(u, adjoint(gu)), inner) end
  local ga = overUpper(torch.add(gq, product(q, mirroredLower(inner))), conj(u))
  return rest and torch.cat({ ga, product(q, rest) }, ga:dim()) or ga
end) }
