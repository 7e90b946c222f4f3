--- Factorisations: LU in packed form, Cholesky's with a status, Hessenberg form, polar form, R Q, balancing.
-- @module torch.linalg.factors
local torch, ffi = require 'torch', require 'ffi'
local C = require 'libmoontorch'
local check, complex = require 'torch.check', require 'torch.names.complex'
local matrix, atCaller = require 'torch.linalg.matrix', require 'torch.linalg.at_caller'

local factors = {}

local pointer = ffi.typeof 'double *'
local function data(x) return ffi.cast(pointer, x:data()) end
local product, t, adjoint = torch.matmul, matrix.t, complex.adjoint
local function asGiven(x, isVector) return isVector and torch.select(x, x:dim(), 1) or x end

-- Returns LAPACK's exchanges, counted from 1, from a permutation matrix p (m, m) with a = p l u: step j exchanges rows j and pivots[j].
local function exchanges(p, count)
  local m, pivots = p:size(1), torch.DoubleTensor(count)
  local _, rows = torch.max(p, 1)                                  -- the row of a that each row of l u is
  local now, place = {}, {}
  for i = 1, m do now[i], place[i] = i, i end
  for j = 1, count do
    local wanted = tonumber(rows[1][j])
    local k = place[wanted]
    pivots[j] = k
    now[j], now[k] = now[k], now[j]
    place[now[j]], place[now[k]] = j, k
  end
  return pivots
end

--- LU factors in one matrix: u on the diagonal and above, l below it, without its ones.
-- @tparam torch.Tensor a (…, m, n), of floats
-- @treturn torch.Tensor (…, m, n)
-- @treturn torch.IntTensor (…, min(m, n)): at step j, rows j and pivots[j] were exchanged
function factors.luFactor(a)
  a = matrix.of('luFactor', 'a', a, 2)
  local p, l, u = torch.lu(a)
  local m, n = a:size(-2), a:size(-1)
  local k = math.min(m, n)
  local packed
  if m >= n then
    local upper = m > n and torch.cat({ u, torch.mul(torch.narrow(l, l:dim() - 1, 1, m - n), 0) }, u:dim() - 1) or u
    packed = torch.add(torch.tril(l, -1), upper)
  else
    local lower = torch.cat({ torch.tril(l, -1), torch.mul(torch.narrow(u, u:dim(), 1, n - k), 0) }, l:dim())
    packed = torch.add(lower, u)
  end
  local pivots = matrix.each('luFactor', { torch.real(C.detach(p)) }, { 2 }, function(one) return exchanges(one, k) end)
  return packed, pivots:int()
end

--- `luFactor` with LAPACK's status: 0, or the first position of a 0 on u's diagonal.
-- @tparam torch.Tensor a (…, m, n), of floats
-- @treturn torch.Tensor (…, m, n)
-- @treturn torch.IntTensor pivots
-- @treturn int|torch.IntTensor the status of each matrix
function factors.luFactorEx(a)
  local packed, pivots = factors.luFactor(a)
  local status = matrix.each('luFactorEx', { torch.abs(C.detach(packed)) }, { 2 }, function(one)
    local first = 0
    for i = math.min(one:size(1), one:size(2)), 1, -1 do
      if one[i][i] == 0 then first = i end
    end
    return torch.DoubleTensor { first }
  end)
  if packed:dim() == 2 then return packed, pivots, status[1] end
  return packed, pivots, torch.select(status, status:dim(), 1):int()
end

--- Solves a x = b by the factors of `luFactor`.
-- @tparam torch.Tensor lu (…, n, n)
-- @tparam torch.IntTensor pivots (…, n)
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @tparam[opt] table options `transposed`: for the transpose of a, without conjugates
-- @treturn torch.Tensor as large as b
-- @raise if u has a 0 on its diagonal
function factors.luSolve(lu, pivots, b, options)
  options = check.options('luSolve', options, { 'transposed' })
  lu = matrix.square('luSolve', 'lu', lu)
  local n = lu:size(-1)
  check.tensor('luSolve', 'pivots', pivots)
  if pivots:dim() ~= lu:dim() - 1 or pivots:size(-1) ~= n then
    matrix.refuse('luSolve', 'pivots', '%d numbers, expected %d for each matrix', pivots:size(-1), n)
  end
  local sides, isVector = matrix.sides('luSolve', 'b', b, n)
  local order = matrix.each('luSolve', { pivots:double() }, { 1 }, function(one)
    local permutation = torch.DoubleTensor(n, n):zero()
    local rows = {}
    for i = 1, n do rows[i] = i end
    for j = 1, n do
      local k = one[j]
      if not (k >= j and k <= n) then matrix.refuse('luSolve', 'pivots', '%g at %d, expected %d to %d', k, j, j, n) end
      rows[j], rows[k] = rows[k], rows[j]
    end
    for i = 1, n do permutation[i][rows[i]] = 1 end
    return permutation
  end)
  order = matrix.like(order, sides)
  if options.transposed then
    local y = torch.trtrs(sides, lu, 'U', 'T')
    y = torch.trtrs(y, lu, 'L', 'T', 'U')
    return asGiven(product(t(order), y), isVector)
  end
  local y = torch.trtrs(product(order, sides), lu, 'L', 'N', 'U')
  y = torch.trtrs(y, lu, 'U')
  return asGiven(y, isVector)
end

--- Cholesky's factor for `choSolve`: `torch.cholesky`.
-- @tparam torch.Tensor a (…, n, n), symmetric, of floats
-- @bool[opt=false] upper
-- @treturn torch.Tensor
-- @raise if a is not positive definite
function factors.choFactor(a, upper)
  check.flag('choFactor', 'upper', upper)
  return torch.cholesky(matrix.square('choFactor', 'a', a), upper or false)
end

--- Solves a x = b by a's Cholesky factor: `torch.choleskySolve` with the factor first.
-- @tparam torch.Tensor factor (…, n, n)
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @bool[opt=false] upper whether the factor is the upper one
-- @treturn torch.Tensor as large as b
function factors.choSolve(factor, b, upper)
  check.flag('choSolve', 'upper', upper)
  factor = matrix.square('choSolve', 'factor', factor)
  local sides, isVector = matrix.sides('choSolve', 'b', b, factor:size(-1))
  return asGiven(torch.potrs(sides, factor, upper and 'U' or 'L'), isVector)
end

-- Calls a function that raises errors for some matrices. Returns its result and 0, or NaN and the position that the error names.
local function status(where, f, a)
  a = matrix.square(where, 'a', a)
  local good, result = pcall(f, a)
  if good then return result, 0 end
  local place = tostring(result):match 'U%((%d+),' or tostring(result):match 'minor of order (%d+)'
  if not place then error(result, 0) end
  return torch.add(torch.mul(a, 0), 0 / 0), tonumber(place)
end

--- Cholesky's factor with LAPACK's status instead of an error.
-- @tparam torch.Tensor a (…, n, n), symmetric, of floats
-- @bool[opt=false] upper
-- @treturn torch.Tensor the factor; NaN if a matrix is not positive definite
-- @treturn int 0, or the order of the leading minor that is not positive
function factors.choleskyEx(a, upper)
  check.flag('choleskyEx', 'upper', upper)
  return status('choleskyEx', function(x) return torch.cholesky(x, upper or false) end, a)
end

--- The inverse with LAPACK's status instead of an error.
-- @tparam torch.Tensor a (…, n, n), of floats
-- @treturn torch.Tensor the inverse; NaN if a matrix is singular
-- @treturn int 0, or the position of a 0 on u's diagonal
function factors.invEx(a) return status('invEx', torch.inverse, a) end

--- Solves a x = b with LAPACK's status instead of an error.
-- @tparam torch.Tensor a (…, n, n), of floats
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @treturn torch.Tensor the solution; NaN if a matrix is singular
-- @treturn int 0, or the position of a 0 on u's diagonal
function factors.solveEx(a, b)
  a = matrix.square('solveEx', 'a', a)
  matrix.sides('solveEx', 'b', b, a:size(-1))
  local x, info = status('solveEx', function(own) return torch.solve(own, b) end, a)
  if info ~= 0 then x = torch.add(torch.mul(b, 0), 0 / 0) end
  return x, info
end

-- The reflector v, with 1 as its first element, the factor f, and the real multiple of the first unit vector that x - conj(f) v (v' x) is.
-- Nothing if x is such a multiple. As LAPACK's larfg.
local function reflectorOf(x)
  local largest = torch.abs(x):max()
  if largest == 0 then return nil end
  x = torch.mul(x, 1 / largest)
  local first, isComplex = x[1], complex.is(x)
  local rest = x:size(1) > 1 and torch.norm(x:narrow(1, 2, x:size(1) - 1)) or 0
  if rest == 0 and not (isComplex and first.im ~= 0) then return nil end
  local length = torch.norm(x)
  local target = (isComplex and first.re or first) > 0 and -length or length
  x:mul(1 / (first - target))
  x[1] = 1
  return x, (target - first) / target, target * largest
end

--- The Hessenberg form a = q h q': zeros below the first diagonal under the main one, which is real, by Householder's reflections.
-- @tparam torch.Tensor a (…, n, n), real or complex
-- @treturn torch.Tensor h (…, n, n)
-- @treturn torch.Tensor q (…, n, n), orthogonal, or unitary
function factors.hessenberg(a)
  return matrix.each('hessenberg', { matrix.square('hessenberg', 'a', a) }, { 2 }, function(one)
    local n = one:size(1)
    local h, q = one:clone(), torch.eye(n, n, one:type())
    for k = 1, n - 1 do
      local column = h:select(2, k):narrow(1, k + 1, n - k)
      local v, factor, target = reflectorOf(torch.contiguous(column))
      if v then
        local turned, rest = torch.conj(v), n - k
        local rows = h:narrow(1, k + 1, rest)
        rows:addr(-(complex.is(h) and factor:conj() or factor), v, torch.mv(rows:t(), turned))
        for _, x in ipairs { h, q } do
          local columns = x:narrow(2, k + 1, rest)
          columns:addr(-factor, torch.mv(columns, v), turned)
        end
        column:zero()
        column[1] = target
      end
    end
    return h, q
  end, true)
end

--- The polar form: a = u p with orthonormal columns in u (rows, if a is wide) and a symmetric p without negative eigenvalues. By the
-- singular value decomposition; the derivative exists if the singular values are different.
-- @tparam torch.Tensor a (…, m, n), of floats
-- @string[opt='right'] side 'right': a = u p, or 'left': a = p u
-- @treturn torch.Tensor u (…, m, n)
-- @treturn torch.Tensor p (…, n, n), or (…, m, m)
function factors.polar(a, side)
  a = matrix.of('polar', 'a', a, 2)
  side = check.choice('polar', 'side', side or 'right', { 'right', 'left' })
  local u, s, v = torch.svd(a)
  local basis = side == 'right' and v or u
  local scaled = torch.cmul(basis, torch.expand(torch.unsqueeze(s, s:dim()), basis:size()))
  return product(u, adjoint(v)), product(scaled, adjoint(basis))
end

--- a = r q with an upper triangular r and orthonormal rows in q: `torch.qr` from the last row up.
-- @tparam torch.Tensor a (…, m, n), m at most n, of floats
-- @treturn torch.Tensor r (…, m, m)
-- @treturn torch.Tensor q (…, m, n)
function factors.rq(a)
  a = matrix.of('rq', 'a', a, 2)
  if a:size(-2) > a:size(-1) then matrix.refuse('rq', 'a', '%d rows, expected at most as many as columns: %d', a:size(-2), a:size(-1)) end
  local d = a:dim()
  local q, r = torch.qr(torch.flip(t(torch.flip(a, d - 1)), d - 1))
  return torch.flip(torch.flip(t(r), d - 1), d), torch.flip(torch.flip(t(q), d), d - 1)
end

--- Scales rows and columns by powers of 2 so that they are about equally long: b = t^-1 a t. Source: B. Parlett & C. Reinsch (1969),
-- "Balancing a matrix for calculation of eigenvalues and eigenvectors". (Rows are not exchanged, as by SciPy with permute=False.)
-- @tparam torch.Tensor a (…, n, n), real or complex
-- @treturn torch.Tensor b (…, n, n)
-- @treturn torch.Tensor t (…, n, n), diagonal, real
function factors.matrixBalance(a)
  return matrix.each('matrixBalance', { matrix.square('matrixBalance', 'a', a) }, { 2 }, function(one)
    local n = one:size(1)
    local sizes, scales = complex.is(one) and torch.abs(one) or one:clone(), torch.DoubleTensor(n):fill(1)
    local b, changed = data(sizes), true
    while changed do
      changed = false
      for i = 0, n - 1 do
        local row, column = 0.0, 0.0
        for j = 0, n - 1 do
          row, column = row + b[i * n + j] * b[i * n + j], column + b[j * n + i] * b[j * n + i]
        end
        row, column = math.sqrt(row), math.sqrt(column)
        if row > 0 and column > 0 and row < math.huge and column < math.huge then
          local factor, before = 1, row + column
          while column < row / 2 do factor, column, row = factor * 2, column * 2, row / 2 end
          while column >= row * 2 do factor, column, row = factor / 2, column / 2, row * 2 end
          if column + row < 0.95 * before then
            changed = true
            scales[i + 1] = scales[i + 1] * factor
            for j = 0, n - 1 do b[j * n + i] = b[j * n + i] * factor end
            for j = 0, n - 1 do b[i * n + j] = b[i * n + j] / factor end
          end
        end
      end
    end
    return torch.cdiv(torch.cmul(one, scales:view(1, n):expand(n, n)), scales:view(n, 1):expand(n, n)), torch.diag(scales)
  end, true)
end

return atCaller(factors)
