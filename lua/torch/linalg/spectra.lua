--- Eigenvalues, singular values, and what follows from them: angles and bases of subspaces, the nearest rotation.
-- @module torch.linalg.spectra
local torch = require 'torch'
local check = require 'torch.check'
local complex = require 'torch.names.complex'
local matrix, atCaller = require 'torch.linalg.matrix', require 'torch.linalg.at_caller'

local spectra = {}

local product, adjoint = torch.matmul, complex.adjoint

--- The eigenvalues and eigenvectors of square matrices, real or complex, as complex numbers: a v = v diag(e). Vectors are columns of
-- length 1, whose largest element is real. (`torch.eig` of a real matrix has Torch7's real results.) The derivative exists if the
-- eigenvalues are different. Source: LAPACK's geev.
-- @tparam torch.Tensor a (…, n, n)
-- @treturn torch.Tensor e (…, n)
-- @treturn torch.Tensor v (…, n, n)
-- @raise for NaN and infinities
function spectra.eig(a)
  a = matrix.square('eig', 'a', a)
  local values, vectors = torch.eig(a, 'V')
  if complex.is(a) then return values, vectors end
  values, vectors = require 'torch.linalg.complex_pairs'(values, vectors)
  return values, vectors
end

--- The eigenvalues of square matrices, real or complex, as complex numbers.
-- @tparam torch.Tensor a (…, n, n)
-- @treturn torch.Tensor (…, n)
-- @raise for NaN and infinities
function spectra.eigvals(a)
  a = matrix.square('eigvals', 'a', a)
  local values = torch.eig(a)
  return complex.is(a) and values or (require 'torch.linalg.complex_pairs'(values))
end

local function letter(where, upper)
  check.flag(where, 'upper', upper)
  return upper and 'U' or 'L'
end

--- Eigenvalues and eigenvectors of symmetric or Hermitian matrices, ascending: `torch.symeig` of the lower triangle.
-- @tparam torch.Tensor a (…, n, n)
-- @bool[opt=false] upper whether the upper triangle is read
-- @treturn torch.Tensor values (…, n)
-- @treturn torch.Tensor vectors (…, n, n), columns
function spectra.eigh(a, upper) return torch.symeig(matrix.square('eigh', 'a', a), 'V', letter('eigh', upper)) end

--- Eigenvalues of symmetric or Hermitian matrices, ascending.
-- @tparam torch.Tensor a (…, n, n)
-- @bool[opt=false] upper whether the upper triangle is read
-- @treturn torch.Tensor (…, n)
function spectra.eigvalsh(a, upper) return (torch.symeig(matrix.square('eigvalsh', 'a', a), 'N', letter('eigvalsh', upper))) end

-- The symmetric or Hermitian matrix of a main diagonal (…, n) and one below it (…, n - 1).
local function tridiagonal(where, d, e)
  d, e = matrix.of(where, 'd', d, 1), matrix.of(where, 'e', e, 1)
  if e:size(-1) ~= d:size(-1) - 1 then matrix.refuse(where, 'e', '%d elements, expected %d', e:size(-1), d:size(-1) - 1) end
  local a = torch.diagEmbed(d)
  return e:size(-1) > 0 and torch.add(a, torch.add(torch.diagEmbed(e, -1), torch.diagEmbed(complex.conj(e), 1))) or a
end

--- Eigenvalues and eigenvectors of symmetric tridiagonal matrices, which are made dense.
-- @tparam torch.Tensor d the main diagonal (…, n), of floats
-- @tparam torch.Tensor e the diagonal beside it (…, n - 1)
-- @treturn torch.Tensor values (…, n)
-- @treturn torch.Tensor vectors (…, n, n)
function spectra.eighTridiagonal(d, e) return torch.symeig(tridiagonal('eighTridiagonal', d, e), 'V', 'L') end

--- Eigenvalues of symmetric tridiagonal matrices, which are made dense.
-- @tparam torch.Tensor d the main diagonal (…, n), of floats
-- @tparam torch.Tensor e the diagonal beside it (…, n - 1)
-- @treturn torch.Tensor (…, n)
function spectra.eigvalshTridiagonal(d, e) return (torch.symeig(tridiagonal('eigvalshTridiagonal', d, e), 'N', 'L')) end

-- A symmetric matrix of bands.
local function ofBands(where, ab, options)
  options = check.options(where, options, { 'lower' })
  ab = matrix.of(where, 'ab', ab, 2)
  local w, n, a = ab:size(-2) - 1, ab:size(-1), nil
  if w < 0 or w >= n then matrix.refuse(where, 'ab', '%d rows and %d columns, expected 1 to %d rows', w + 1, n, n) end
  for d = 0, w do
    local row = torch.select(ab, ab:dim() - 1, options.lower and d + 1 or w + 1 - d)
    row = torch.narrow(row, row:dim(), options.lower and 1 or d + 1, n - d)
    local part = torch.diagEmbed(row, -d)
    if not options.lower then part = complex.conj(part) end      -- the elements of ab are above the diagonal
    if d > 0 then part = torch.add(part, adjoint(part)) end
    a = a and torch.add(a, part) or part
  end
  return a
end

--- Eigenvalues and eigenvectors of symmetric banded matrices, which are made dense.
-- @tparam torch.Tensor ab the upper diagonals (…, w + 1, n), as for `choleskyBanded`
-- @tparam[opt] table options `lower`: ab has the lower diagonals
-- @treturn torch.Tensor values (…, n)
-- @treturn torch.Tensor vectors (…, n, n)
function spectra.eigBanded(ab, options) return torch.symeig(ofBands('eigBanded', ab, options), 'V', 'L') end

--- Eigenvalues of symmetric banded matrices, which are made dense.
-- @tparam torch.Tensor ab the upper diagonals (…, w + 1, n), as for `choleskyBanded`
-- @tparam[opt] table options `lower`: ab has the lower diagonals
-- @treturn torch.Tensor (…, n)
function spectra.eigvalsBanded(ab, options) return (torch.symeig(ofBands('eigvalsBanded', ab, options), 'N', 'L')) end

--- a = u diag(s) vh, s real and descending. (`torch.svd` returns v, neither transposed nor conjugated.)
-- @tparam torch.Tensor a (…, m, n), of floats
-- @bool[opt=true] full whether u (…, m, m) and vh (…, n, n) are complete; else they have min(m, n) columns and rows
-- @treturn torch.Tensor u
-- @treturn torch.Tensor s (…, min(m, n))
-- @treturn torch.Tensor vh
function spectra.svd(a, full)
  check.flag('svd', 'full', full)
  local u, s, v = torch.svd(matrix.of('svd', 'a', a, 2), full == false and 'S' or 'A')
  return u, s, adjoint(v)
end

--- Singular values, descending.
-- @tparam torch.Tensor a (…, m, n), of floats
-- @treturn torch.Tensor (…, min(m, n))
function spectra.svdvals(a)
  local _, s = torch.svd(matrix.of('svdvals', 'a', a, 2))
  return s
end

--- a = q r with orthonormal columns in q and an upper triangular r.
-- @tparam torch.Tensor a (…, m, n), of floats
-- @string[opt='reduced'] mode 'reduced': q (…, m, k), k = min(m, n), which has a derivative; 'complete': q (…, m, m); 'r': only r
-- @treturn torch.Tensor q, or r if the mode is 'r'
-- @treturn torch.Tensor r
function spectra.qr(a, mode)
  a = matrix.of('qr', 'a', a, 2)
  mode = check.choice('qr', 'mode', mode or 'reduced', { 'reduced', 'complete', 'r' })
  if mode == 'reduced' or a:size(-2) <= a:size(-1) then
    local q, r = torch.qr(a)
    if mode == 'r' then return r end
    return q, r
  end
  if mode == 'r' then
    local _, r = torch.qr(a)
    return r
  end
  local packed, tau = torch.geqrf(a)
  local sizes = a:size():totable()
  sizes[#sizes] = a:size(-2)
  local unit = torch.clone(torch.expand(matrix.like(torch.eye(a:size(-2), a:size(-2), 'float64'), a), torch.LongStorage(sizes)))
  return torch.ormqr(packed, tau, unit), torch.triu(packed)
end

--- c q or q c for the complete q of a: `torch.geqrf` and `torch.ormqr`.
-- @tparam torch.Tensor a (…, m, n), of floats
-- @tparam torch.Tensor c (…, k, m), or (…, m, k) with the mode 'left'
-- @string[opt='right'] mode 'right': c q, or 'left': q c
-- @treturn torch.Tensor the product
-- @treturn torch.Tensor r (…, min(m, n), n)
function spectra.qrMultiply(a, c, mode)
  a = matrix.of('qrMultiply', 'a', a, 2)
  mode = check.choice('qrMultiply', 'mode', mode or 'right', { 'right', 'left' })
  c = matrix.sized('qrMultiply', 'c', c, mode == 'left' and a:size(-2) or nil, mode == 'right' and a:size(-2) or nil)
  local packed, tau = torch.geqrf(a)
  local r = torch.triu(torch.narrow(packed, packed:dim() - 1, 1, math.min(a:size(-1), a:size(-2))))
  return torch.ormqr(packed, tau, c, mode == 'left' and 'L' or 'R'), r
end

--- Orthonormal columns that span the range of a matrix. Singular values up to rcond times the largest count as 0.
-- @tparam torch.Tensor a (m, n), of floats
-- @number[opt] rcond by default max(m, n) epsilons
-- @treturn torch.Tensor (m, rank)
function spectra.orth(a, rcond)
  a = matrix.of('orth', 'a', a, 2)
  if a:dim() ~= 2 then matrix.refuse('orth', 'a', '%d dimensions, expected a matrix', a:dim()) end
  if rcond ~= nil then check.number('orth', 'rcond', rcond) end
  local u, s = torch.svd(a)
  local least = torch.max(s:detach()) * (rcond or math.max(a:size(1), a:size(2)) * matrix.epsilon(a))
  return torch.clone(torch.narrow(u, 2, 1, torch.sum(torch.gt(s:detach(), least))))
end

--- The pseudoinverse of symmetric matrices, from their eigenvalues: of those up to rcond times the largest magnitude, 0.
-- @tparam torch.Tensor a (…, n, n), of floats; only the lower triangle is read
-- @number[opt] rcond by default n epsilons
-- @treturn torch.Tensor (…, n, n)
function spectra.pinvh(a, rcond)
  a = matrix.square('pinvh', 'a', a)
  local values, vectors = torch.symeig(a, 'V', 'L')
  local sizes = torch.abs(values:detach())
  local least = torch.mul(torch.max(sizes, sizes:dim()), rcond or a:size(-1) * matrix.epsilon(a))
  local counts = torch.gt(sizes, torch.expand(least, sizes:size()))
  local inverse = torch.where(counts, torch.cdiv(torch.add(torch.mul(values, 0), 1), torch.where(counts, values, 1)), 0)
  return product(torch.cmul(vectors, torch.expand(torch.unsqueeze(inverse, inverse:dim()), vectors:size())), adjoint(vectors))
end

--- The angles between two subspaces, descending: by sines where they are small, after A. Knyazev & M. Argentati (2002), "Principal angles
-- between subspaces in an A-based scalar product", SIAM J. Sci. Comput. 23.
-- @tparam torch.Tensor a columns that span one (m, p), of floats
-- @tparam torch.Tensor b columns that span the other (m, q)
-- @treturn torch.Tensor min(p, q) angles, if the columns are independent
function spectra.subspaceAngles(a, b)
  a = matrix.of('subspaceAngles', 'a', a, 2)
  b = matrix.sized('subspaceAngles', 'b', b, a:size(-2))
  local qa, qb = spectra.orth(a), spectra.orth(b)
  local between = product(adjoint(qa), qb)
  local cosines = torch.clamp(spectra.svdvals(between), -1, 1)
  local rest = qa:size(2) >= qb:size(2) and torch.csub(qb, product(qa, between)) or torch.csub(qa, product(qb, adjoint(between)))
  local sines = torch.clamp(spectra.svdvals(rest), -1, 1)
  local count = cosines:size(1)
  local small = torch.flip(torch.narrow(sines, 1, 1, count), 1)    -- in the order of cosines
  local angles = torch.where(torch.ge(torch.cmul(cosines, cosines), 0.5), torch.asin(small), torch.acos(cosines))
  return torch.flip(angles, 1)
end

--- The orthogonal matrix r, unitary for complex ones, for which |a r - b| is least.
-- @tparam torch.Tensor a (m, n), of floats
-- @tparam torch.Tensor b (m, n)
-- @treturn torch.Tensor r (n, n)
-- @treturn number the sum of the singular values of a' b: the scale for b
function spectra.orthogonalProcrustes(a, b)
  a = matrix.of('orthogonalProcrustes', 'a', a, 2)
  b = matrix.sized('orthogonalProcrustes', 'b', b, a:size(-2), a:size(-1))
  local u, s, v = torch.svd(product(adjoint(b), a))
  return product(v, adjoint(u)), torch.sum(s)
end

return atCaller(spectra)
