--- Matrices with a structure, from few numbers: Toeplitz, Hankel, Hilbert, companion and others. Functions of tensors take batches of
-- vectors and have derivatives; those of sizes return tensors of the default type.
-- @module torch.linalg.matrices
local torch = require 'torch'
local check = require 'torch.check'
local matrix = require 'torch.linalg.matrix'
local atCaller = require 'torch.linalg.at_caller'

local matrices = {}

local conj = require('torch.names.complex').conj

-- Returns matrices of elements of vectors (…, k): element (i, j) is the one at position place(i, j), counted from 1.
local function arranged(vectors, rows, columns, place)
  local positions, n = torch.LongTensor(math.max(1, rows * columns)):fill(1), 0
  local p = positions:data()
  for i = 1, rows do
    for j = 1, columns do
      p[n] = place(i, j)
      n = n + 1
    end
  end
  local sizes = vectors:size():totable()
  sizes[#sizes], sizes[#sizes + 1] = rows, columns
  if n == 0 then return vectors.new():resize(torch.LongStorage(sizes)) end
  return torch.reshape(torch.index(vectors, vectors:dim(), positions), torch.LongStorage(sizes))
end

local function last(x) return x:size(-1) end

-- Expands vectors to the same leading dimensions, and joins them.
local function chained(a, b)
  local longer = a:dim() >= b:dim() and a or b
  local function fitted(x)
    local sizes = longer:size():totable()
    sizes[#sizes] = last(x)
    return torch.expand(x, torch.LongStorage(sizes))
  end
  return torch.cat({ fitted(a), fitted(b) }, longer:dim())
end

-- A vector that is not empty, or a batch of them.
local function vector(where, name, x, least)
  x = matrix.of(where, name, x, 1)
  if last(x) < (least or 1) then matrix.refuse(where, name, '%d elements, expected at least %d', last(x), least or 1) end
  return x
end

--- A Toeplitz matrix: element (i, j) depends on i - j alone.
-- @tparam torch.Tensor c the first column (…, m)
-- @tparam[opt] torch.Tensor r the first row (…, n), by default the conjugate of c; its first element is ignored
-- @treturn torch.Tensor (…, m, n)
function matrices.toeplitz(c, r)
  c = vector('toeplitz', 'c', c)
  r = r and vector('toeplitz', 'r', r) or conj(c)
  local m = last(c)
  return arranged(chained(c, r), m, last(r), function(i, j) return i >= j and i - j + 1 or m + j - i + 1 end)
end

--- A circulant matrix: each column is the one before, turned down by one place.
-- @tparam torch.Tensor c the first column (…, n)
-- @treturn torch.Tensor (…, n, n)
function matrices.circulant(c)
  c = vector('circulant', 'c', c)
  local n = last(c)
  return arranged(c, n, n, function(i, j) return (i - j) % n + 1 end)
end

--- A Hankel matrix: element (i, j) depends on i + j alone.
-- @tparam torch.Tensor c the first column (…, m)
-- @tparam[opt] torch.Tensor r the last row (…, n), whose first element is ignored; zeros by default
-- @treturn torch.Tensor (…, m, n)
function matrices.hankel(c, r)
  c = vector('hankel', 'c', c)
  r = r and vector('hankel', 'r', r) or torch.mul(c, 0)
  local m = last(c)
  return arranged(chained(c, r), m, last(r), function(i, j) return i + j - 1 <= m and i + j - 1 or i + j end)
end

--- The matrix of a convolution with a: its product with a vector of n elements is the convolution.
-- @tparam torch.Tensor a vectors (…, m)
-- @int n
-- @string[opt='full'] mode 'full' (m + n - 1 rows), 'same' (max(m, n)) or 'valid' (max(m, n) - min(m, n) + 1)
-- @treturn torch.Tensor (…, rows, n)
function matrices.convolutionMatrix(a, n, mode)
  a = vector('convolutionMatrix', 'a', a)
  check.int('convolutionMatrix', 'n', n, { min = 1 })
  mode = check.choice('convolutionMatrix', 'mode', mode or 'full', { 'full', 'same', 'valid' })
  local m = last(a)
  local rows = mode == 'full' and m + n - 1 or mode == 'same' and math.max(m, n) or math.max(m, n) - math.min(m, n) + 1
  local first = mode == 'full' and 0 or mode == 'same' and math.floor((math.min(m, n) - 1) / 2) or math.min(m, n) - 1
  local padded = torch.cat({ a, torch.mul(torch.narrow(a, a:dim(), 1, 1), 0) }, a:dim())
  return arranged(padded, rows, n, function(i, j)
    local place = i + first - j + 1
    return place >= 1 and place <= m and place or m + 1
  end)
end

--- The companion matrix of a polynomial, whose eigenvalues are its roots.
-- @tparam torch.Tensor a coefficients from the highest power (…, n + 1), n at least 1; the first one is not 0
-- @treturn torch.Tensor (…, n, n)
function matrices.companion(a)
  a = vector('companion', 'a', a, 2)
  local n, dim = last(a) - 1, a:dim()
  local first = torch.narrow(a, dim, 1, 1)
  if torch.any(torch.eq(first:detach(), 0)) then matrix.refuse('companion', 'a', 'the first coefficient is 0, expected another number') end
  local rest = torch.narrow(a, dim, 2, n)
  local row = torch.mul(torch.cdiv(rest, torch.expand(first, rest:size())), -1)
  local all = torch.cat({ row, torch.mul(first, 0), torch.add(torch.mul(first, 0), 1) }, dim)
  return arranged(all, n, n, function(i, j) return i == 1 and j or i == j + 1 and n + 2 or n + 1 end)
end

--- Fiedler's companion matrix of a polynomial: with five diagonals, and the same eigenvalues. Source: M. Fiedler (2003), "A note on
-- companion matrices", Linear Algebra Appl. 372.
-- @tparam torch.Tensor a coefficients from the highest power (…, n + 1), n at least 1; the first one is not 0
-- @treturn torch.Tensor (…, n, n)
function matrices.fiedlerCompanion(a)
  a = vector('fiedlerCompanion', 'a', a, 2)
  local n, dim = last(a) - 1, a:dim()
  local first = torch.narrow(a, dim, 1, 1)
  if torch.any(torch.eq(first:detach(), 0)) then
    matrix.refuse('fiedlerCompanion', 'a', 'the first coefficient is 0, expected another number')
  end
  local rest = torch.narrow(a, dim, 2, n)
  local all = torch.cat({ torch.mul(torch.cdiv(rest, torch.expand(first, rest:size())), -1), torch.mul(first, 0),
    torch.add(torch.mul(first, 0), 1) }, dim)
  local one, zero = n + 2, n + 1
  return arranged(all, n, n, function(i, j)
    if j == 1 and i <= 2 then return i == 1 and 1 or one end
    if i % 2 == 0 then return j == i - 2 and one or zero end
    return j == i - 1 and i or j == i + 1 and j or j == i + 2 and one or zero
  end)
end

--- A Leslie matrix: births in the first row, survival below the diagonal.
-- @tparam torch.Tensor f births of each age (…, n)
-- @tparam torch.Tensor s shares that reach the next age (…, n - 1)
-- @treturn torch.Tensor (…, n, n)
function matrices.leslie(f, s)
  f, s = vector('leslie', 'f', f, 2), vector('leslie', 's', s)
  local n = last(f)
  if last(s) ~= n - 1 then matrix.refuse('leslie', 's', '%d elements, expected %d', last(s), n - 1) end
  local all = chained(chained(f, s), torch.mul(torch.narrow(f, f:dim(), 1, 1), 0))
  return arranged(all, n, n, function(i, j) return i == 1 and j or i == j + 1 and n + j or 2 * n end)
end

--- Fiedler's symmetric matrix: the distances |a[i] - a[j]|.
-- @tparam torch.Tensor a vectors (…, n)
-- @treturn torch.Tensor (…, n, n)
function matrices.fiedler(a)
  a = vector('fiedler', 'a', a)
  local sizes = a:size():totable()
  sizes[#sizes + 1] = last(a)
  sizes = torch.LongStorage(sizes)
  return torch.abs(torch.csub(torch.expand(torch.unsqueeze(a, a:dim() + 1), sizes), torch.expand(torch.unsqueeze(a, a:dim()), sizes)))
end

--- Khatri and Rao's product: Kronecker's product of each column of a with the same column of b.
-- @tparam torch.Tensor a (m, k)
-- @tparam torch.Tensor b (n, k)
-- @treturn torch.Tensor (m n, k)
function matrices.khatriRao(a, b)
  a = matrix.of('khatriRao', 'a', a, 2)
  b = matrix.sized('khatriRao', 'b', b, nil, last(a))
  if a:dim() ~= 2 or b:dim() ~= 2 then matrix.refuse('khatriRao', 'a', '%d dimensions, expected matrices', math.max(a:dim(), b:dim())) end
  local sizes = torch.LongStorage { a:size(1), b:size(1), last(a) }
  return torch.reshape(torch.cmul(torch.expand(torch.unsqueeze(a, 2), sizes), torch.expand(torch.unsqueeze(b, 1), sizes)),
    a:size(1) * b:size(1), last(a))
end

--- Singular values as the middle factor of u s v'.
-- @tparam torch.Tensor s (…, k)
-- @int m rows
-- @int n columns; min(m, n) is k
-- @treturn torch.Tensor (…, m, n)
function matrices.diagsvd(s, m, n)
  s = vector('diagsvd', 's', s)
  check.int('diagsvd', 'm', m, { min = 1 })
  check.int('diagsvd', 'n', n, { min = 1 })
  if math.min(m, n) ~= last(s) then matrix.refuse('diagsvd', 's', '%d elements, expected min(m, n): %d', last(s), math.min(m, n)) end
  local all = torch.cat({ s, torch.mul(torch.narrow(s, s:dim(), 1, 1), 0) }, s:dim())
  return arranged(all, m, n, function(i, j) return i == j and i or last(s) + 1 end)
end

--- Vandermonde's matrix, powers of x as columns. In increasing order, as in `torch.linalg` of PyTorch; those of `torch.vander` decrease.
-- @tparam torch.Tensor x vectors (…, m)
-- @int[opt=m] n number of columns, at most m or 32768
-- @treturn torch.Tensor (…, m, n)
function matrices.vander(x, n)
  x = vector('vander', 'x', x)
  n = check.int('vander', 'n', n or last(x), { min = 1, max = math.max(2 ^ 15, last(x)) })
  local columns = { torch.unsqueeze(torch.add(torch.mul(x, 0), 1), x:dim() + 1) }
  for k = 2, n do columns[k] = torch.cmul(columns[k - 1], torch.unsqueeze(x, x:dim() + 1)) end
  return torch.cat(columns, x:dim() + 1)
end

-- Returns n by n numbers of the default type, computed in float64.
local function filled(where, n, value)
  check.int(where, 'n', n, { min = 1, max = 2 ^ 15 })
  local made = torch.DoubleTensor(n, n)
  local p, k = made:data(), 0
  for i = 1, n do
    for j = 1, n do
      p[k] = value(i, j)
      k = k + 1
    end
  end
  return made:type(torch.getdefaulttensortype())
end

--- Hilbert's matrix, 1 / (i + j - 1): positive definite, and hardly regular.
-- @int n
-- @treturn torch.Tensor (n, n), of the default type
function matrices.hilbert(n) return filled('hilbert', n, function(i, j) return 1 / (i + j - 1) end) end

-- n over k, exact below 2^53.
local function binomial(n, k)
  if k < 0 or k > n then return 0 end
  local result = 1
  for i = 1, math.min(k, n - k) do result = result * (n - i + 1) / i end
  return math.floor(result + 0.5)
end

--- The inverse of Hilbert's matrix, whole numbers; in float64 exact up to n = 13.
-- @int n
-- @treturn torch.Tensor (n, n), of the default type
function matrices.invhilbert(n)
  return filled('invhilbert', n, function(i, j)
    local sign = (i + j) % 2 == 0 and 1 or -1
    return sign * (i + j - 1) * binomial(n + i - 1, n - j) * binomial(n + j - 1, n - i) * binomial(i + j - 2, i - 1) ^ 2
  end)
end

-- The positions of i and j in which the kind of a Pascal matrix has them.
local function pascalKind(where, kind)
  return check.choice(where, 'kind', kind or 'symmetric', { 'symmetric', 'lower', 'upper' })
end

--- A matrix of binomial coefficients: the symmetric one, i + j - 2 over i - 1, or its Cholesky factors.
-- @int n
-- @string[opt='symmetric'] kind or 'lower' or 'upper'
-- @treturn torch.Tensor (n, n), of the default type
function matrices.pascal(n, kind)
  kind = pascalKind('pascal', kind)
  return filled('pascal', n, function(i, j)
    if kind == 'symmetric' then return binomial(i + j - 2, i - 1) end
    if kind == 'lower' then return binomial(i - 1, j - 1) end
    return binomial(j - 1, i - 1)
  end)
end

--- The inverse of `pascal`, whole numbers.
-- @int n
-- @string[opt='symmetric'] kind or 'lower' or 'upper'
-- @treturn torch.Tensor (n, n), of the default type
function matrices.invpascal(n, kind)
  kind = pascalKind('invpascal', kind)
  return filled('invpascal', n, function(i, j)
    local sign = (i + j) % 2 == 0 and 1 or -1
    if kind == 'lower' then return sign * binomial(i - 1, j - 1) end
    if kind == 'upper' then return sign * binomial(j - 1, i - 1) end
    local sum = 0
    for k = math.max(i, j), n do sum = sum + binomial(k - 1, i - 1) * binomial(k - 1, j - 1) end
    return sign * sum
  end)
end

--- Sylvester's Hadamard matrix: elements 1 and -1, orthogonal columns.
-- @int n a power of 2
-- @treturn torch.Tensor (n, n), of the default type
function matrices.hadamard(n)
  check.int('hadamard', 'n', n, { min = 1, max = 2 ^ 15 })
  local power = math.floor(math.log(n) / math.log(2) + 0.5)
  if 2 ^ power ~= n then matrix.refuse('hadamard', 'n', '%d, expected a power of 2', n) end
  local bit = require 'bit'
  return filled('hadamard', n, function(i, j)
    local common, sign = bit.band(i - 1, j - 1), 1
    while common > 0 do
      sign, common = -sign, bit.band(common, common - 1)
    end
    return sign
  end)
end

--- Helmert's matrix: orthonormal rows that compare an element with the mean of those before it.
-- @int n
-- @bool[opt=false] full whether the first row, of equal elements, is part of it
-- @treturn torch.Tensor (n - 1, n), or (n, n), of the default type
function matrices.helmert(n, full)
  check.int('helmert', 'n', n, { min = 2 })
  check.flag('helmert', 'full', full)
  local made = filled('helmert', n, function(i, j)
    if i == 1 then return 1 / math.sqrt(n) end
    return j < i and 1 / math.sqrt(i * (i - 1)) or j == i and -math.sqrt((i - 1) / i) or 0
  end)
  return full and made or torch.clone(torch.narrow(made, 1, 2, n - 1))
end

return atCaller(matrices)
