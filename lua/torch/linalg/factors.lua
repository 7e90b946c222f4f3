--- Factorisations: LU and L D L' in packed form, Cholesky's with a status, Hessenberg form, polar form, R Q, balancing.
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
-- @tparam[opt] table options `transposed`: a' x = b
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

-- Factors a symmetric matrix after J. Bunch & L. Kaufman (1977), "Some stable methods for calculating inertia and solving symmetric linear
-- systems", Math. Comp. 31. w: n by n, is overwritten; l: the identity, becomes the factor of the permuted matrix; d: zeros.
-- Returns the order of rows, from 0, and whether a block of two rows begins in each.
local function bunchKaufman(w, n, l, d)
  local order, pairs_, alpha = {}, {}, (1 + math.sqrt(17)) / 8
  for i = 0, n - 1 do order[i] = i end
  local function exchange(i, j, k)
    if i == j then return end
    order[i], order[j] = order[j], order[i]
    for c = 0, n - 1 do w[i * n + c], w[j * n + c] = w[j * n + c], w[i * n + c] end
    for c = 0, n - 1 do w[c * n + i], w[c * n + j] = w[c * n + j], w[c * n + i] end
    for c = 0, k - 1 do l[i * n + c], l[j * n + c] = l[j * n + c], l[i * n + c] end
  end
  local k = 0
  while k < n do
    local own, column, best, size = math.abs(w[k * n + k]), 0, k, 1
    for i = k + 1, n - 1 do
      if math.abs(w[i * n + k]) > column then column, best = math.abs(w[i * n + k]), i end
    end
    if own < alpha * column then
      local row = 0
      for j = k, n - 1 do
        if j ~= best then row = math.max(row, math.abs(w[best * n + j])) end
      end
      if own * row < alpha * column * column then
        if math.abs(w[best * n + best]) >= alpha * row then
          exchange(k, best, k)
        else
          size = 2
          exchange(k + 1, best, k)
        end
      end
    end
    local a, b, c = w[k * n + k], 0, 0
    d[k * n + k] = a
    if size == 2 then
      b, c = w[(k + 1) * n + k], w[(k + 1) * n + k + 1]
      d[(k + 1) * n + k], d[k * n + k + 1], d[(k + 1) * n + k + 1] = b, b, c
      pairs_[k] = true
    end
    for i = k + size, n - 1 do
      local x, y = w[i * n + k], size == 2 and w[i * n + k + 1] or 0
      if size == 2 then
        local low, high = a / b, c / b                              -- b is the largest of the three
        local determinant = b * (low * high - 1)
        l[i * n + k], l[i * n + k + 1] = (high * x - y) / determinant, (low * y - x) / determinant
      elseif a ~= 0 then
        l[i * n + k] = x / a
      end
    end
    for i = k + size, n - 1 do
      for j = k + size, n - 1 do
        local change = l[i * n + k] * w[j * n + k]
        if size == 2 then change = change + l[i * n + k + 1] * w[j * n + k + 1] end
        w[i * n + j] = w[i * n + j] - change
      end
    end
    k = k + size
  end
  return order, pairs_
end

-- The factors of one matrix: l of the permuted matrix, d, order, pairs.
local function symmetricFactors(one, useUpper)
  local n = one:size(1)
  local half = useUpper and torch.triu(one) or torch.tril(one)
  local other = useUpper and torch.triu(one, 1) or torch.tril(one, -1)
  local w = torch.contiguous(torch.add(half, other:t()))
  local l, d = torch.eye(n, n, 'float64'), torch.DoubleTensor(n, n):zero()
  local order, pairs_ = bunchKaufman(data(w), n, data(l), data(d))
  return l, d, order, pairs_
end

--- Factors a symmetric matrix, definite or not: a = l d l', with a d of blocks of one or two rows. l[perm] is lower triangular.
-- @tparam torch.Tensor a (…, n, n), of floats; only its lower triangle is read
-- @tparam[opt] table options `upper`: only the upper triangle is read
-- @treturn torch.Tensor l (…, n, n)
-- @treturn torch.Tensor d (…, n, n)
-- @treturn torch.LongTensor perm (…, n)
function factors.ldl(a, options)
  options = check.options('ldl', options, { 'upper' })
  a = matrix.square('ldl', 'a', a)
  local l, d, perm = matrix.each('ldl', { a }, { 2 }, function(one)
    local own, diagonal, order = symmetricFactors(one, options.upper)
    local rows, places = torch.DoubleTensor(own:size()), torch.DoubleTensor(own:size(1))
    for i = 1, own:size(1) do
      rows[order[i - 1] + 1]:copy(own[i])
      places[i] = order[i - 1] + 1
    end
    return rows, diagonal, places
  end)
  return l, d, perm:long()
end

--- The factors of `ldl` in one matrix, for `ldlSolve`: below the diagonal l with rows in the order of pivots, on the diagonal and below it
-- the blocks of d.
-- @tparam torch.Tensor a (…, n, n), symmetric, of floats; only its lower triangle is read
-- @treturn torch.Tensor (…, n, n)
-- @treturn torch.IntTensor pivots (…, n): the order of rows, from 1; negative for the rows of a block of two
function factors.ldlFactor(a)
  a = matrix.square('ldlFactor', 'a', a)
  local packed, pivots = matrix.each('ldlFactor', { a }, { 2 }, function(one)
    local l, d, order, pairs_ = symmetricFactors(one)
    local places = torch.DoubleTensor(one:size(1))
    for i = 0, one:size(1) - 1 do places[i + 1] = (order[i] + 1) * ((pairs_[i] or pairs_[i - 1]) and -1 or 1) end
    return torch.add(torch.tril(l, -1), torch.tril(d)), places
  end)
  return packed, pivots:int()
end

--- `ldlFactor` with LAPACK's status: 0, or the first position of a block of d that is 0.
-- @tparam torch.Tensor a (…, n, n), symmetric, of floats
-- @treturn torch.Tensor (…, n, n)
-- @treturn torch.IntTensor pivots
-- @treturn int|torch.IntTensor the status of each matrix
function factors.ldlFactorEx(a)
  local packed, pivots = factors.ldlFactor(a)
  local status = matrix.each('ldlFactorEx', { packed, pivots:double() }, { 2, 1 }, function(one, order)
    for i = 1, one:size(1) do
      if one[i][i] == 0 and order[i] > 0 then return torch.DoubleTensor { i } end
    end
    return torch.DoubleTensor { 0 }
  end)
  if packed:dim() == 2 then return packed, pivots, status[1] end
  return packed, pivots, torch.select(status, status:dim(), 1):int()
end

--- Solves a x = b by the factors of `ldlFactor`.
-- @tparam torch.Tensor ld (…, n, n)
-- @tparam torch.IntTensor pivots (…, n)
-- @tparam torch.Tensor b (…, n, k), or (n)
-- @treturn torch.Tensor as large as b
-- @raise if a block of d is singular
function factors.ldlSolve(ld, pivots, b)
  ld = matrix.square('ldlSolve', 'ld', ld)
  local n = ld:size(-1)
  check.tensor('ldlSolve', 'pivots', pivots)
  local sides, isVector = matrix.sides('ldlSolve', 'b', b, n)
  local x = matrix.each('ldlSolve', { ld, pivots:double(), sides }, { 2, 1, 2 }, function(packed, order, own)
    local l, d, rows = torch.tril(packed, -1), torch.diag(torch.diag(packed)), torch.DoubleTensor(own:size())
    local i = 1
    while i <= n do
      local from = math.abs(order[i])
      if not (from >= 1 and from <= n) then matrix.refuse('ldlSolve', 'pivots', '%g at %d, expected positions up to %d', order[i], i, n) end
      if order[i] < 0 and i < n then
        d[i + 1][i], d[i][i + 1], l[i + 1][i] = packed[i + 1][i], packed[i + 1][i], 0
        i = i + 1
      end
      i = i + 1
    end
    for k = 1, n do rows[k]:copy(own[math.abs(order[k])]) end
    local y = torch.solve(d, (torch.trtrs(rows, l, 'L', 'N', 'U')))
    y = torch.trtrs(y, l, 'L', 'T', 'U')
    local back = torch.DoubleTensor(own:size())
    for k = 1, n do back[math.abs(order[k])]:copy(y[k]) end
    return back
  end)
  return asGiven(x, isVector)
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
