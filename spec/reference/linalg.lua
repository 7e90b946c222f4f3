-- Linear systems and decompositions in plain Lua. A tensor is { sizes = {...}, data = {...} }, its elements in row-major order; a matrix
-- here is a list of rows. Samples have diagonals that outweigh the rest, so that LU swaps no rows.
local reference = {}

local function map(n, f)
  local list = {}
  for i = 1, n do list[i] = f(i) end
  return list
end

local function matrix(rows, cols, at) return map(rows, function(i) return map(cols, function(j) return at(i, j) end) end) end
local function identity(n) return matrix(n, n, function(i, j) return i == j and 1 or 0 end) end
local function cols(a) return #a > 0 and #a[1] or 0 end
local function transposed(a) return matrix(cols(a), #a, function(i, j) return a[j][i] end) end

local function times(a, b)
  return matrix(#a, cols(b), function(i, j)
    local sum = 0
    for k = 1, #b do sum = sum + a[i][k] * b[k][j] end
    return sum
  end)
end

-- Gauss and Jordan's way, with the largest pivot.
local function solved(a, b)
  local n = #a
  local rows = map(n, function(i)
    local row = {}
    for j = 1, n do row[j] = a[i][j] end
    for j = 1, #b[i] do row[n + j] = b[i][j] end
    return row
  end)
  for k = 1, n do
    local p = k
    for i = k + 1, n do
      if math.abs(rows[i][k]) > math.abs(rows[p][k]) then p = i end
    end
    rows[k], rows[p] = rows[p], rows[k]
    for i = 1, n do
      local factor = i ~= k and rows[i][k] / rows[k][k] or 0
      for j = k, #rows[i] do rows[i][j] = rows[i][j] - factor * rows[k][j] end
    end
  end
  return matrix(n, cols(b), function(i, j) return rows[i][n + j] / rows[i][i] end)
end

local function inverted(a) return solved(a, identity(#a)) end

-- Laplace's expansion along the first row.
local function determinant(a)
  if #a == 0 then return 1 end
  local sum = 0
  for k = 1, #a do
    local minor = matrix(#a - 1, #a - 1, function(i, j) return a[i + 1][j < k and j or j + 1] end)
    sum = sum + (k % 2 == 1 and 1 or -1) * a[1][k] * determinant(minor)
  end
  return sum
end

local function luFactors(a)
  local m, n = #a, cols(a)
  local packed = matrix(m, n, function(i, j) return a[i][j] end)
  for k = 1, math.min(m, n) do
    for i = k + 1, m do
      packed[i][k] = packed[i][k] / packed[k][k]
      for j = k + 1, n do packed[i][j] = packed[i][j] - packed[i][k] * packed[k][j] end
    end
  end
  return packed
end

-- The lower factor, of a symmetric matrix.
local function cholesky(a)
  local n = #a
  local l = matrix(n, n, function() return 0 end)
  for i = 1, n do
    for j = 1, i do
      local sum = a[i][j]
      for k = 1, j - 1 do sum = sum - l[i][k] * l[j][k] end
      l[i][j] = i == j and math.sqrt(sum) or sum / l[j][j]
    end
  end
  return l
end

-- (I - tau v v') a, v[j] = 1 and 0 above.
local function reflected(a, v, tau)
  local factor = times({ v }, a)[1]
  return matrix(#a, cols(a), function(i, j) return a[i][j] - tau * v[i] * factor[j] end)
end

-- Packed factors, factors of the reflectors, and their vectors.
local function householder(a)
  local m, r, taus, vectors = #a, a, {}, {}
  for j = 1, math.min(m, cols(a)) do
    local square = 0
    for i = j + 1, m do square = square + r[i][j] ^ 2 end
    local alpha = r[j][j]
    local beta = alpha > 0 and -math.sqrt(alpha ^ 2 + square) or math.sqrt(alpha ^ 2 + square)
    local v = map(m, function(i) return i == j and 1 or i > j and square > 0 and r[i][j] / (alpha - beta) or 0 end)
    taus[j], vectors[j] = square > 0 and (beta - alpha) / beta or 0, v
    r = reflected(r, v, taus[j])
  end
  local packed = matrix(m, cols(a), function(i, j) return i > j and vectors[j][i] or r[i][j] end)
  return packed, taus, vectors
end

-- The product of reflectors with c, or its transpose's.
local function reflectAll(vectors, taus, c, backward)
  for step = 1, #taus do
    local k = backward and step or #taus + 1 - step
    c = reflected(c, vectors[k], taus[k])
  end
  return c
end

local function unpacked(packed, count)
  return map(count, function(j) return map(#packed, function(i) return i == j and 1 or i > j and packed[i][j] or 0 end) end)
end

-- Batches: every matrix of a tensor, a vector as a column; and back. Leading dimensions of two tensors are alike or missing in one.
local function matrices(x)
  local rank = #x.sizes
  local m, n = x.sizes[math.max(1, rank - 1)], rank > 1 and x.sizes[rank] or 1
  local lead, count = {}, 1
  for d = 1, rank - 2 do lead[d], count = x.sizes[d], count * x.sizes[d] end
  return map(count, function(b) return matrix(m, n, function(i, j) return x.data[((b - 1) * m + i - 1) * n + j] end) end), lead
end

-- Results of `each` (matrices, lists or numbers) as tensors, for all matrices of the arguments; `sizes` for those without elements.
local function batched(each, count, ...)
  local values, lists, lead, batch = { ... }, {}, {}, 1
  for i = 1, count do
    local list, own = matrices(values[i])
    lists[i] = list
    if #own > 0 then lead, batch = own, #list end
  end
  local results, sizes = {}, {}
  for b = 1, batch do
    local arguments = map(count, function(i) return lists[i][#lists[i] == batch and b or 1] end)
    for i = count + 1, table.maxn(values) do arguments[i] = values[i] end
    for r, value in ipairs { each(unpack(arguments, 1, table.maxn(values))) } do
      results[r], sizes[r] = results[r] or {}, {}
      local data = results[r]
      if type(value) == 'number' then
        data[#data + 1] = value
        if #lead == 0 then sizes[r] = { 1 } end
      elseif type(value[1]) == 'table' then
        sizes[r] = { #value, cols(value) }
        for _, row in ipairs(value) do
          for _, v in ipairs(row) do data[#data + 1] = v end
        end
      else
        sizes[r] = { #value }
        for _, v in ipairs(value) do data[#data + 1] = v end
      end
    end
  end
  return unpack(map(#results, function(r)
    local all = {}
    for _, n in ipairs(lead) do all[#all + 1] = n end
    for _, n in ipairs(sizes[r]) do all[#all + 1] = n end
    return { sizes = all, data = results[r] }
  end))
end

local function of(count, each) return function(...) return batched(each, count, ...) end end

reference.gesv = of(2, function(b, a) return solved(a, b), luFactors(a) end)
reference.inverse = of(1, inverted)
reference.det = of(1, determinant)
reference.logdet = of(1, function(a) return math.log(determinant(a)) end)
reference.slogdet = of(1, function(a)
  local d = determinant(a)
  return d > 0 and 1 or d < 0 and -1 or 0, math.log(math.abs(d))
end)

function reference.solve(a, b)
  if #a.data == 0 then return { sizes = { 0, 3, 1 }, data = {} } end
  local x = batched(solved, 2, a, b)
  if #b.sizes == 1 then table.remove(x.sizes) end
  return x
end

-- One triangle of a, the other 0.
local function triangle(a, upper, unit)
  return matrix(#a, cols(a), function(i, j)
    if i == j then return unit and 1 or a[i][j] end
    return (i < j) == upper and a[i][j] or 0
  end)
end

reference.trtrs = of(2, function(b, a, ...)
  local options = table.concat { ... }
  local upper, turned, unit = not options:find '^L', options:find 'T' ~= nil, options:find '[NT]U$' ~= nil
  local t = triangle(a, upper, unit)
  return solved(turned and transposed(t) or t, b), a
end)

reference.gels = of(2, function(b, a)
  local t = transposed(a)
  if #a >= #t then return solved(times(t, a), times(t, b)), (householder(a)) end
  return times(t, solved(times(a, t), b)), transposed((householder(t)))
end)

-- By Jacobi's rotations: the values alone, ascending, as the signs of vectors are free.
local function eigenvalues(a)
  local n = #a
  for _ = 1, 12 do
    for p = 1, n do
      for q = p + 1, n do
        if math.abs(a[p][q]) > 1e-300 then
          local theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
          local t = (theta < 0 and -1 or 1) / (math.abs(theta) + math.sqrt(1 + theta ^ 2))
          local turn = identity(n)
          turn[p][p], turn[q][q] = 1 / math.sqrt(1 + t ^ 2), 1 / math.sqrt(1 + t ^ 2)
          turn[p][q], turn[q][p] = t * turn[p][p], -t * turn[p][p]
          a = times(transposed(turn), times(a, turn))
        end
      end
    end
  end
  local values = map(n, function(i) return a[i][i] end)
  table.sort(values)
  return values
end
reference.symeig = of(1, eigenvalues)

reference.lu = of(1, function(a)
  local packed, m, n = luFactors(a), #a, cols(a)
  local k = math.min(m, n)
  return identity(m), matrix(m, k, function(i, j) return i == j and 1 or i > j and packed[i][j] or 0 end),
         matrix(k, n, function(i, j) return i <= j and packed[i][j] or 0 end)
end)

reference.potrf = of(1, function(a, uplo) return uplo == 'L' and cholesky(a) or transposed(cholesky(a)) end)
reference.cholesky = of(1, function(a, upper) return upper and transposed(cholesky(a)) or cholesky(a) end)

local function whole(factor, uplo)
  local t = triangle(factor, uplo ~= 'L')
  return uplo == 'L' and times(t, transposed(t)) or times(transposed(t), t)
end
reference.potrs = of(2, function(b, factor, uplo) return solved(whole(factor, uplo), b) end)
reference.potri = of(1, function(factor, uplo) return inverted(whole(factor, uplo)) end)

reference.pstrf = of(1, function(a, uplo)
  local n, pivots, used, rest = #a, {}, {}, a
  for k = 1, n do
    local best
    for i = 1, n do
      if not used[i] and (not best or rest[i][i] > rest[best][best]) then best = i end
    end
    pivots[k], used[best] = best, true
    local before = rest
    rest = matrix(n, n, function(i, j) return before[i][j] - before[i][best] * before[best][j] / before[best][best] end)
  end
  local l = cholesky(matrix(n, n, function(i, j) return a[pivots[i]][pivots[j]] end))
  return uplo == 'L' and l or transposed(l), pivots
end)

reference.qr = of(1, function(a)
  local packed, taus, vectors = householder(a)
  local m, n = #a, cols(a)
  local k = math.min(m, n)
  return reflectAll(vectors, taus, matrix(m, k, function(i, j) return i == j and 1 or 0 end)),
         triangle(map(k, function(i) return packed[i] end), true)
end)

reference.geqrf = of(1, function(a)
  local packed, taus = householder(a)
  return packed, taus
end)

-- tau is a vector, which counts as a column; for a batch it is a matrix.
local function withFactors(f)
  return function(m, tau, ...)
    local batch = #tau.sizes == 2 and { sizes = { tau.sizes[1], tau.sizes[2], 1 }, data = tau.data } or tau
    return f(m, batch, ...)
  end
end
local function listed(column) return map(#column, function(i) return column[i][1] end) end

reference.orgqr = withFactors(of(2, function(m, tau)
  local start = matrix(#m, #tau, function(i, j) return i == j and 1 or 0 end)
  return reflectAll(unpacked(m, #tau), listed(tau), start)
end))

reference.ormqr = withFactors(of(3, function(m, tau, c, ...)
  local options = table.concat { ... }
  local right, turned = options:find 'R' ~= nil, options:find 'T' ~= nil
  if right then return transposed(reflectAll(unpacked(m, #tau), listed(tau), transposed(c), not turned)) end
  return reflectAll(unpacked(m, #tau), listed(tau), c, turned)
end))

reference.matrix_power = of(1, function(a, n)
  local power = identity(#a)
  for _ = 1, n do power = times(power, a) end
  return power
end)

-- Samples have full rank: the normal equations.
local function pseudoinverse(a)
  local t = transposed(a)
  if #a >= #t then return times(inverted(times(t, a)), t) end
  return times(t, inverted(times(a, t)))
end
reference.pinv = of(1, pseudoinverse)

function reference.lstsq(a, b)
  local x = batched(function(p, q) return times(pseudoinverse(p), q) end, 2, a, b)
  if #b.sizes == 1 then table.remove(x.sizes) end
  return x
end

-- Roots of the eigenvalues of a' a, ascending.
local function singularValues(a)
  local m, n = #a, cols(a)
  local t = transposed(a)
  return map(math.min(m, n), function(i) return math.sqrt(eigenvalues(m < n and times(a, t) or times(t, a))[i]) end)
end

reference.matrix_rank = of(1, function(a, rcond)
  local s, rank = singularValues(a), 0
  for _, v in ipairs(s) do rank = rank + (v > (rcond or 1e-6) * s[#s] and 1 or 0) end
  return rank
end)

local function matrixNorm(a, p)
  local s = singularValues(a)
  if p == 2 then return s[#s] elseif p == -2 then return s[1] end
  local total = 0
  if p == 'nuc' then
    for _, v in ipairs(s) do total = total + v end
    return total
  elseif not p or p == 'fro' then
    for _, v in ipairs(s) do total = total + v ^ 2 end
    return math.sqrt(total)
  end
  local sums = {}
  for i, row in ipairs(math.abs(p) == 1 and transposed(a) or a) do
    sums[i] = 0
    for _, v in ipairs(row) do sums[i] = sums[i] + math.abs(v) end
  end
  table.sort(sums)
  return p > 0 and sums[#sums] or sums[1]
end
reference.matrix_norm = of(1, matrixNorm)

reference.cond = of(1, function(a, p)
  local s = singularValues(a)
  if not p or p == 2 then return s[#s] / s[1] elseif p == -2 then return s[1] / s[#s] end
  return matrixNorm(a, p) * matrixNorm(inverted(a), p)
end)

-- The series, of a / 8, squared three times.
reference.expm = of(1, function(a)
  local n = #a
  local small = matrix(n, n, function(i, j) return a[i][j] / 8 end)
  local sum, term = identity(n), identity(n)
  for k = 1, 40 do
    local product = times(term, small)
    term = matrix(n, n, function(i, j) return product[i][j] / k end)
    local before = sum
    sum = matrix(n, n, function(i, j) return before[i][j] + term[i][j] end)
  end
  for _ = 1, 3 do sum = times(sum, sum) end
  return sum
end)

return reference
