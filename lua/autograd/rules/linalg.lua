-- Derivatives of decompositions and linear systems over the last two dimensions.
-- Sources: M. Giles (2008), "An extended collection of matrix derivative results for forward and reverse mode algorithmic
-- differentiation" (inverse, solve, det, symmetric eigenvalues); I. Murray (2016), "Differentiation of the Cholesky decomposition", eq. 10;
-- J. Townsend (2016), "Differentiating the singular value decomposition", sec. 1.1; S. Walter & L. Lehmann (2013), "Algorithmic
-- differentiation of linear algebra functions with application in optimum experimental design" (qr). Those of lu follow in the same way
-- from p' da = dl u + l du.
-- @module autograd.rules.linalg
local torch = require 'torch'
local rules, onDeviceOf = require 'autograd.rules', require 'autograd.on_device_of'
local C = require 'libmoontorch'

local saving = rules.saving

local product = torch.matmul
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
-- b u'^-1 and l'^-1 b
local function overUpper(b, u) return transposed(triangular(transposed(b), u, 'U')) end
local function underLower(b, l) return triangular(b, l, 'L', 'T') end

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
  local uplo, trans, diag = options({ 'UL', 'NT', 'NU' }, ...)
  local gb, ga
  if g[1] then
    gb = triangular(g[1], a, uplo, trans == 'N' and 'T' or 'N', diag)
    ga = negative(trans == 'N' and product(gb, transposed(x)) or product(x, transposed(gb)))
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
rules.eig = rules.refuse 'use symeig, which has one, where the matrix is symmetric'

local function symmetric(g) return torch.mul(torch.add(g, transposed(g)), 0.5) end

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

rules.symeig = { saving('result[1], result[2], a, ...', function(g, values, vectors, a, ...)
  local jobz, uplo = options({ 'NV', 'UL' }, ...)
  if jobz == 'N' then values, vectors = torch.symeig(a, 'V', uplo) end
  local inner = g[1] and diagonal(g[1])
  if jobz == 'V' and g[2] then
    inner = plus(inner, overDifferences(product(transposed(vectors), g[2]), values))
  end
  return inner and symmetric(product(product(vectors, inner), transposed(vectors)))
end) }

rules.svd = { saving('result[1], result[2], result[3], size(a)', function(g, u, s, v, size)
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
    local turn = product(transposed(basis), gradient)
    local share = quotient(values, torch.add(square(s, row), square(s, column)))
    return overDifferences(torch.cmul(share, torch.csub(turn, transposed(turn))), s)
  end
  if gu then inner = plus(inner, turning(u, gu, square(s, row))) end
  if gv then inner = plus(inner, turning(v, gv, square(s, column))) end
  if not inner then return nil end
  local ga = product(product(u, inner), transposed(v))
  -- Returns the part outside the space that the vectors span.
  local function outside(basis, gradient)
    local rest = torch.csub(gradient, product(basis, product(transposed(basis), gradient)))
    return quotient(rest, torch.expand(row(s), rest:size()))
  end
  if gu and size[#size - 1] > k then ga = torch.add(ga, product(outside(u, gu), transposed(v))) end
  if gv and size[#size] > k then ga = torch.add(ga, product(u, transposed(outside(v, gv)))) end
  return ga
end) }

rules.inverse = { 'neg(matmul(matmul(transpose(result, -2, -1), g), transpose(result, -2, -1)))' }

-- Returns the cofactors, even of a singular matrix: det(u) det(v) u diag(products of the other singular values) v'.
local function cofactors(a)
  local u, s, v = torch.svd(a)
  local n = s:size(-1)
  local others = torch.prod(torch.add(torch.cmul(square(s, row), mask(torch.ne, n, n, 0, s)), identity(n, s)), s:dim() + 1)
  local ofU, ofV = torch.slogdet(u), torch.slogdet(v)
  local signs = torch.cmul(numbers(ofU, a), numbers(ofV, a))
  return torch.cmul(signs, product(torch.cmul(u, transposed(others)), transposed(v)))
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
rules.slogdet = { saving('a', function(g, a)
  return g[2] and torch.cmul(numbers(g[2], a), transposed(torch.inverse(a)))
end) }

local function choleskyGradient(g, y, upper)
  local l, gl = upper and transposed(y) or y, upper and transposed(g) or g
  local inner = keepLower(product(transposed(l), gl))
  inner = torch.csub(inner, torch.mul(torch.cmul(inner, identity(l:size(-1), l)), 0.5))
  return symmetric(transposed(underLower(transposed(underLower(inner, l)), l)))
end
rules.potrf = { saving('result, uplo', function(g, y, uplo) return choleskyGradient(g, y, uplo:sub(1, 1):upper() ~= 'L') end) }
rules.cholesky = { saving('result, upper', choleskyGradient) }

-- Converts the gradient of l l' to that of the factor l, or u = l'; only one triangle of the factor matters.
local function factorGradient(ga, factor, uplo)
  local both = torch.add(ga, transposed(ga))
  if uplo:sub(1, 1):upper() == 'L' then return keepLower(product(both, keepLower(factor))) end
  return keepUpper(product(keepUpper(factor), both))
end

rules.potrs = saving('result, size(b), factor, uplo', function(g, x, bSize, factor, uplo)
  local gb = torch.potrs(g, factor, uplo)
  local ga = C.tracked(factor) and factorGradient(negative(product(gb, transposed(x))), factor, uplo)
  return folded(gb, bSize), ga and torch.expand_grad(ga, factor:size()) or nil
end)

rules.potri = { saving('result, factor, uplo', function(g, y, factor, uplo)
  return factorGradient(negative(product(product(transposed(y), g), transposed(y))), factor, uplo)
end) }

-- A wide a = q [u v] consists of a square x = q u, followed by q v.
rules.qr = { saving('result[1], result[2], a', function(g, q, r, a)
  local gq, gr = g[1], g[2]
  if not gq and not gr then return nil end
  local k, n = r:size(-2), r:size(-1)
  local u, gu, rest = r, gr
  gq = gq or torch.mul(q, 0)
  if n > k then
    u = torch.narrow(r, -1, 1, k)
    rest = gr and torch.narrow(gr, -1, k + 1, n - k) or torch.mul(torch.narrow(r, -1, k + 1, n - k), 0)
    gu = gr and torch.narrow(gr, -1, 1, k)
    gq = torch.add(gq, product(torch.narrow(a, -1, k + 1, n - k), transposed(rest)))    -- v = q' y
  end
  local inner = negative(product(transposed(gq), q))
  if gu then inner = torch.add(product(u, transposed(gu)), inner) end
  local mirrored = torch.add(keepLower(inner), transposed(keepLower(inner, -1)))
  local ga = overUpper(torch.add(gq, product(q, mirrored)), u)
  return rest and torch.cat({ ga, product(q, rest) }, ga:dim()) or ga
end) }
