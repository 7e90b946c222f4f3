--- Factors of symmetric and Hermitian matrices that need not be definite: l d l', as they are or in packed form, and systems with them.
-- @module torch.linalg.ldl
local torch = require 'torch'
local check, complex = require 'torch.check', require 'torch.names.complex'
local matrix, scalars, atCaller = require 'torch.linalg.matrix', require 'torch.linalg.scalars', require 'torch.linalg.at_caller'

local ldl = {}

-- Factors a symmetric or Hermitian matrix after J. Bunch & L. Kaufman (1977), "Some stable methods for calculating inertia and solving
-- symmetric linear systems", Math. Comp. 31. w: n by n, is overwritten; l: the identity, becomes the factor of the permuted matrix; d:
-- zeros. Returns the order of rows, from 0, and whether a block of two rows begins in each.
local function bunchKaufman(w, n, l, d, hasRealDiagonal)
  local order, pairs_, alpha = {}, {}, (1 + math.sqrt(17)) / 8
  for i = 1, n do order[i - 1] = i - 1 end
  local function swap(x, dim, i, j)
    local kept = x:select(dim, i):clone()
    x:select(dim, i):copy(x:select(dim, j))
    x:select(dim, j):copy(kept)
  end
  local function exchange(i, j, k)
    if i == j then return end
    order[i - 1], order[j - 1] = order[j - 1], order[i - 1]
    swap(w, 1, i, j)
    swap(w, 2, i, j)
    if k > 1 then swap(l:narrow(2, 1, k - 1), 1, i, j) end
  end
  -- Sizes of numbers, of complex ones the sum of their parts', as LAPACK chooses rows.
  local function size(x) return type(x) == 'number' and math.abs(x) or math.abs(x.re) + math.abs(x.im) end
  local function largest(x)                                         -- size, and position
    local sizes = x:isComplex() and torch.add(torch.abs(torch.real(x)), torch.abs(torch.imag(x))) or torch.abs(x)
    local value, place = torch.max(sizes, 1)
    return value[1], tonumber(place[1])
  end
  local k = 1
  while k <= n do
    if hasRealDiagonal then torch.imag(torch.diagonal(w)):zero() end      -- without errors of rounding
    local own, column, best, count = size(w[k][k]), 0, k, 1
    if k < n then
      column, best = largest(w:select(2, k):narrow(1, k + 1, n - k))
      best = best + k
    end
    if own < alpha * column then
      local beside = w[best]:narrow(1, k, n - k + 1):clone()
      beside[best - k + 1] = 0
      local row = largest(beside)
      if own * row < alpha * column * column then
        if size(w[best][best]) >= alpha * row then
          exchange(k, best, k)
        else
          count = 2
          exchange(k + 1, best, k)
        end
      end
    end
    if count == 2 then w[k][k + 1] = hasRealDiagonal and scalars.conj(w[k + 1][k]) or w[k + 1][k] end
    d:narrow(1, k, count):narrow(2, k, count):copy(w:narrow(1, k, count):narrow(2, k, count))
    local rest = n - k - count + 1
    if count == 2 then pairs_[k - 1] = true end
    if rest > 0 and (count == 2 or w[k][k] ~= 0) then
      local below, a = w:narrow(1, k + count, rest):narrow(2, k, count), w[k][k]
      local own_ = l:narrow(1, k + count, rest):narrow(2, k, count)
      if count == 2 then
        local upper, lower = w[k][k + 1], w[k + 1][k]                -- the largest of the four
        local low, high = a / upper, w[k + 1][k + 1] / lower
        local determinant = low * high - 1
        local x, y = below:select(2, 1), below:select(2, 2)
        own_:select(2, 1):copy(x):mul(high):csub(y):mul(1 / (upper * determinant))
        own_:select(2, 2):copy(y):mul(low):csub(x):mul(1 / (lower * determinant))
      else
        own_:copy(below):mul(1 / a)
      end
      w:narrow(1, k + count, rest):narrow(2, k + count, rest):addmm(-1, own_, w:narrow(1, k, count):narrow(2, k + count, rest))
    end
    k = k + count
  end
  return order, pairs_
end

-- The factors of one matrix: l of the permuted matrix, d, order, pairs.
local function symmetricFactors(one, useUpper, isHermitian)
  local n = one:size(1)
  local half = useUpper and torch.triu(one) or torch.tril(one)
  local other = (useUpper and torch.triu(one, 1) or torch.tril(one, -1)):t()
  if isHermitian then other = complex.conj(other) end
  local l, d = torch.eye(n, n, one:type()), torch.mul(one, 0)
  local order, pairs_ = bunchKaufman(torch.contiguous(torch.add(half, other)), n, l, d, isHermitian and complex.is(one))
  return l, d, order, pairs_
end

-- Whether complex matrices are Hermitian, rather than symmetric.
local function isHermitianBy(where, options) return options.hermitian == nil or check.flag(where, 'hermitian', options.hermitian) end

--- Factors a symmetric or Hermitian matrix, definite or not: a = l d l', with a d of blocks of one or two rows. l[perm] is lower
-- triangular.
-- @tparam torch.Tensor a (…, n, n), real or complex; only its lower triangle is read
-- @tparam[opt] table options `upper`: only the upper triangle is read; `hermitian` (default true): false for a complex matrix that equals
-- its transpose, of which l' is the transpose, too
-- @treturn torch.Tensor l (…, n, n)
-- @treturn torch.Tensor d (…, n, n)
-- @treturn torch.LongTensor perm (…, n)
function ldl.ldl(a, options)
  options = check.options('ldl', options, { 'upper', 'hermitian' })
  local isHermitian = isHermitianBy('ldl', options)
  a = matrix.square('ldl', 'a', a)
  local l, d, perm = matrix.each('ldl', { a }, { 2 }, function(one)
    local own, diagonal, order = symmetricFactors(one, options.upper, isHermitian)
    local rows, places = torch.mul(own, 0), torch.DoubleTensor(own:size(1))
    for i = 1, own:size(1) do
      rows[order[i - 1] + 1]:copy(own[i])
      places[i] = order[i - 1] + 1
    end
    return rows, diagonal, places
  end, true)
  return l, d, perm:long()
end

--- The factors of `ldl` in one matrix, for `ldlSolve`: below the diagonal l with rows in the order of pivots, on the diagonal and below it
-- the blocks of d.
-- @tparam torch.Tensor a (…, n, n), symmetric or Hermitian; only its lower triangle is read
-- @tparam[opt] table options `hermitian` (default true), as for `ldl`
-- @treturn torch.Tensor (…, n, n)
-- @treturn torch.IntTensor pivots (…, n): the order of rows, from 1; negative for the rows of a block of two
function ldl.ldlFactor(a, options)
  local isHermitian = isHermitianBy('ldlFactor', check.options('ldlFactor', options, { 'hermitian' }))
  a = matrix.square('ldlFactor', 'a', a)
  local packed, pivots = matrix.each('ldlFactor', { a }, { 2 }, function(one)
    local l, d, order, pairs_ = symmetricFactors(one, false, isHermitian)
    local places = torch.DoubleTensor(one:size(1))
    for i = 0, one:size(1) - 1 do places[i + 1] = (order[i] + 1) * ((pairs_[i] or pairs_[i - 1]) and -1 or 1) end
    return torch.add(torch.tril(l, -1), torch.tril(d)), places
  end, true)
  return packed, pivots:int()
end

--- `ldlFactor` with LAPACK's status: 0, or the first position of a block of d that is 0.
-- @tparam torch.Tensor a (…, n, n), symmetric or Hermitian
-- @tparam[opt] table options `hermitian` (default true), as for `ldl`
-- @treturn torch.Tensor (…, n, n)
-- @treturn torch.IntTensor pivots
-- @treturn int|torch.IntTensor the status of each matrix
function ldl.ldlFactorEx(a, options)
  local packed, pivots = ldl.ldlFactor(a, options)
  local status = matrix.each('ldlFactorEx', { torch.abs(packed), pivots:double() }, { 2, 1 }, function(one, order)
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
-- @tparam[opt] table options `hermitian` (default true), as for `ldlFactor`
-- @treturn torch.Tensor as large as b
-- @raise if a block of d is singular
function ldl.ldlSolve(ld, pivots, b, options)
  local isHermitian = isHermitianBy('ldlSolve', check.options('ldlSolve', options, { 'hermitian' }))
  ld = matrix.square('ldlSolve', 'ld', ld)
  local n = ld:size(-1)
  check.tensor('ldlSolve', 'pivots', pivots)
  local sides, isVector = matrix.sides('ldlSolve', 'b', b, n)
  local x = matrix.each('ldlSolve', { ld, pivots:double(), sides }, { 2, 1, 2 }, function(packed, order, own)
    local l, d, rows = torch.tril(packed, -1), torch.diag(torch.diag(packed)), torch.mul(own, 0)
    if complex.is(order) then order = torch.real(order) end
    local i = 1
    while i <= n do
      local from = math.abs(order[i])
      if not (from >= 1 and from <= n) then matrix.refuse('ldlSolve', 'pivots', '%g at %d, expected positions up to %d', order[i], i, n) end
      if order[i] < 0 and i < n then
        local below = packed[i + 1][i]
        d[i + 1][i], d[i][i + 1], l[i + 1][i] = below, isHermitian and scalars.conj(below) or below, 0
        i = i + 1
      end
      i = i + 1
    end
    for k = 1, n do rows[k]:copy(own[math.abs(order[k])]) end
    local y = torch.solve(d, (torch.trtrs(rows, l, 'L', 'N', 'U')))
    y = torch.trtrs(y, l, 'L', isHermitian and 'C' or 'T', 'U')
    local back = torch.mul(own, 0)
    for k = 1, n do back[math.abs(order[k])]:copy(y[k]) end
    return back
  end, true)
  return isVector and torch.select(x, x:dim(), 1) or x
end

return atCaller(ldl)
