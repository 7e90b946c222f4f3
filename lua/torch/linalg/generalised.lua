--- Decompositions by LAPACK that torch itself has no op for: the generalised Schur form of two matrices, and the cosine-sine decomposition.
-- @module torch.linalg.generalised
local torch, ffi = require 'torch', require 'ffi'
local check, library = require 'torch.check', require 'torch.library'
local matrix, single = require 'torch.linalg.matrix', require 'torch.linalg.single_thread'
local sizesOf = require('torch.check.message').sizes

-- Fortran's functions take pointers, and after them the lengths of strings. `z`: complex numbers.
ffi.cdef [[
void dgges_(const char *, const char *, const char *, void *, const int *, double *, const int *, double *, const int *, int *, double *,
  double *, double *, double *, const int *, double *, const int *, double *, const int *, int *, int *, size_t, size_t, size_t);
void zgges_(const char *, const char *, const char *, void *, const int *, double *, const int *, double *, const int *, int *, double *,
  double *, double *, const int *, double *, const int *, double *, const int *, double *, int *, int *, size_t, size_t, size_t);
void dtgsen_(const int *, const int *, const int *, const int *, const int *, double *, const int *, double *, const int *, double *,
  double *, double *, double *, const int *, double *, const int *, int *, double *, double *, double *, double *, const int *, int *,
  const int *, int *);
void ztgsen_(const int *, const int *, const int *, const int *, const int *, double *, const int *, double *, const int *, double *,
  double *, double *, const int *, double *, const int *, int *, double *, double *, double *, double *, const int *, int *, const int *,
  int *);
void dorcsd_(const char *, const char *, const char *, const char *, const char *, const char *, const int *, const int *, const int *,
  double *, const int *, double *, const int *, double *, const int *, double *, const int *, double *, double *, const int *, double *,
  const int *, double *, const int *, double *, const int *, double *, const int *, int *, int *, size_t, size_t, size_t, size_t, size_t,
  size_t);
void zuncsd_(const char *, const char *, const char *, const char *, const char *, const char *, const int *, const int *, const int *,
  double *, const int *, double *, const int *, double *, const int *, double *, const int *, double *, double *, const int *, double *,
  const int *, double *, const int *, double *, const int *, double *, const int *, double *, const int *, int *, int *, size_t, size_t,
  size_t, size_t, size_t, size_t);
]]

local generalised = {}

local opened
local function lapack(who)
  if opened then return opened end
  single.prepare()
  for _, name in ipairs { 'openblas', 'lapack' } do
    local good, found = pcall(library.system, name, who)
    if good and pcall(function() return found.dgges_ end) then
      opened = found
      return opened
    end
  end
  opened = library.system('lapack', who)
  return opened
end

local function int(value) return ffi.new('int[1]', value) end
local function data(x) return ffi.cast('double *', x:data()) end

-- A copy with columns one after the other.
local function byColumns(x) return x:t():contiguous():clone() end

local function isComplexOf(...)
  for i = 1, select('#', ...) do
    if select(i, ...):isComplex() then return true end
  end
  return false
end

-- Calls f for each matrix of batches, whose leading dimensions are equal, as doubles or complex doubles; returns its results in `kind`.
local function each(where, tensors, isComplex, f)
  local first = tensors[1]
  local lead, count = {}, 1
  for d = 1, first:dim() - 2 do
    lead[d] = first:size(d)
    count = count * lead[d]
  end
  local own = isComplex and 'torch.ComplexDoubleTensor' or 'torch.DoubleTensor'
  local kind = first:type()
  for i, x in ipairs(tensors) do
    if x:dim() ~= first:dim() then
      check.raise(('%s: arguments: %s and %s, expected batches alike'):format(where, sizesOf(first), sizesOf(x)), 'shape')
    end
    for d, n in ipairs(lead) do
      if x:size(d) ~= n then
        check.raise(('%s: arguments: %s and %s, expected batches alike'):format(where, sizesOf(first), sizesOf(x)), 'shape')
      end
    end
    kind = torch.promoteTypes(kind, x:type())
    tensors[i] = torch.reshape(torch.to(x:detach(), own), count, x:size(-2), x:size(-1))
  end
  if count == 0 then check.raise(('%s: %s, expected at least one matrix'):format(where, sizesOf(first)), 'shape') end
  local isSmall = kind == 'torch.FloatTensor' or kind == 'torch.HalfTensor' or kind == 'torch.ComplexFloatTensor'
  local lists = {}
  for m = 1, count do
    local arguments = {}
    for i, x in ipairs(tensors) do arguments[i] = x[m] end
    for i, y in ipairs { f(unpack(arguments)) } do
      lists[i] = lists[i] or {}
      lists[i][m] = isSmall and y:type(y:isComplex() and 'torch.ComplexFloatTensor' or 'torch.FloatTensor') or y
    end
  end
  for i, list in ipairs(lists) do
    local sizes = { unpack(lead) }
    for d = 1, list[1]:dim() do sizes[#sizes + 1] = list[1]:size(d) end
    lists[i] = #lead == 0 and list[1] or torch.stack(list, 1):view(torch.LongStorage(sizes))
  end
  return unpack(lists)
end

local function failed(where, info, what) matrix.refuse(where, 'a', "LAPACK's status %d, expected %s", info, what) end

-- Calls a function twice: with a size of -1 for the work array, whose first element is then the size, and with an array.
local function withWork(isComplex, f)
  local size = ffi.new 'double[2]'
  f(size, int(-1))
  local count = math.max(1, math.floor(size[0] + 0.5))
  f(ffi.new('double[?]', isComplex and 2 * count or count), int(count))
end

local function eigenvalues(n, isComplex)
  local first, second, beta = torch.DoubleTensor(n, 2):zero(), torch.DoubleTensor(n):zero(), torch.DoubleTensor(isComplex and 2 * n or n)
  local held = { first = first, second = second, beta = beta }
  function held.alpha()
    if isComplex then return torch.viewAsComplex(first) end
    return torch.complex(first:view(-1):narrow(1, 1, n):clone(), second)
  end
  function held.betas() return isComplex and torch.viewAsComplex(beta:view(n, 2)) or beta end
  return held
end

-- The Schur form of one pair: memory by columns.
local function schurForm(where, a, b, isComplex)
  local n, lib = a:size(1), lapack(where)
  local s, t = byColumns(a), byColumns(b)
  local q, z = s:clone():zero(), s:clone():zero()
  local values, size, found, info = eigenvalues(n, isComplex), int(n), int(0), int(0)
  withWork(isComplex, function(work, length)
    if isComplex then
      single.call(lib.zgges_, 'V', 'V', 'N', nil, size, data(s), size, data(t), size, found, data(values.first), data(values.beta),
        data(q), size, data(z), size, work, length, ffi.new('double[?]', 8 * n), ffi.new('int[?]', n), info, 1, 1, 1)
    else
      single.call(lib.dgges_, 'V', 'V', 'N', nil, size, data(s), size, data(t), size, found, data(values.first), data(values.second),
        data(values.beta), data(q), size, data(z), size, work, length, ffi.new('int[?]', n), info, 1, 1, 1)
    end
  end)
  if info[0] ~= 0 then failed(where, info[0], 'matrices whose eigenvalues converge') end
  return s, t, q, z, values
end

local function pair(where, a, b, output)
  a = matrix.square(where, 'a', a)
  b = matrix.square(where, 'b', b, a:size(-1))
  if a:size(-1) == 0 then check.raise(('%s: a: %s, expected elements'):format(where, sizesOf(a)), 'shape') end
  output = check.choice(where, 'output', output or 'real', { 'real', 'complex' })
  if not torch.all(torch.isfinite(a)) or not torch.all(torch.isfinite(b)) then
    matrix.refuse(where, 'a', 'NaN or infinities, expected finite numbers')
  end
  return a, b, output == 'complex' or isComplexOf(a, b)
end

--- The generalised Schur form of two square matrices, a = q s z' and b = q t z' with orthogonal q and z: t is upper triangular, s as well,
-- but for a block of two rows for each complex pair of eigenvalues. SciPy's qz; LAPACK's gges.
-- @tparam torch.Tensor a (…, n, n), of floats or complex numbers
-- @tparam torch.Tensor b of the same sizes
-- @string[opt='real'] output 'complex' gives triangular complex s and t; always so for complex matrices, where z' is conjugate
-- @treturn torch.Tensor s
-- @treturn torch.Tensor t
-- @treturn torch.Tensor q
-- @treturn torch.Tensor z
function generalised.qz(a, b, output)
  local isComplex
  a, b, isComplex = pair('qz', a, b, output)
  return each('qz', { a, b }, isComplex, function(x, y)
    local s, t, q, z = schurForm('qz', x, y, isComplex)
    return s:t():contiguous(), t:t():contiguous(), q:t():contiguous(), z:t():contiguous()
  end)
end

local function modulus(x) return math.sqrt(x.re ^ 2 + x.im ^ 2) end

-- Whether eigenvalue alpha / beta comes first, by SciPy's words.
local sorts = {
  lhp = function(alpha, beta) return beta.re ^ 2 + beta.im ^ 2 > 0 and alpha.re * beta.re + alpha.im * beta.im < 0 end,
  rhp = function(alpha, beta) return beta.re ^ 2 + beta.im ^ 2 > 0 and alpha.re * beta.re + alpha.im * beta.im > 0 end,
  iuc = function(alpha, beta) return modulus(alpha) < modulus(beta) end,
  ouc = function(alpha, beta) return modulus(alpha) > modulus(beta) end,
}

local complexOf = ffi.typeof 'complex'

--- The generalised Schur form with chosen eigenvalues first. SciPy's ordqz; LAPACK's gges and tgsen.
-- @tparam torch.Tensor a (…, n, n), of floats or complex numbers
-- @tparam torch.Tensor b of the same sizes
-- @tparam[opt='lhp'] string|function sort eigenvalues alpha / beta that come first: 'lhp' with a negative real part, 'rhp' with a positive
--   one, 'iuc' inside the unit circle, 'ouc' outside; or a function of the complex numbers alpha and beta that returns a boolean
-- @string[opt='real'] output as of `qz`
-- @treturn torch.Tensor s
-- @treturn torch.Tensor t
-- @treturn torch.Tensor alpha (…, n), complex
-- @treturn torch.Tensor beta (…, n)
-- @treturn torch.Tensor q
-- @treturn torch.Tensor z
-- @raise if the reordering would change eigenvalues too much
function generalised.ordqz(a, b, sort, output)
  local where = 'ordqz'
  if type(sort) ~= 'function' then sort = sorts[check.choice(where, 'sort', sort or 'lhp', { 'lhp', 'rhp', 'iuc', 'ouc' })] end
  local first, second, isComplex = pair(where, a, b, output)
  return each(where, { first, second }, isComplex, function(x, y)
    local s, t, q, z, values = schurForm(where, x, y, isComplex)
    local n, lib = x:size(1), lapack(where)
    local alpha, beta, chosen = values.alpha(), values.betas(), ffi.new('int[?]', n)
    for i = 1, n do
      local own = beta[i]
      chosen[i - 1] = sort(alpha[i], isComplex and own or complexOf(own, 0)) and 1 or 0
    end
    local size, one, zero, count, info = int(n), int(1), int(0), int(0), int(0)
    local work, length, whole = ffi.new('double[?]', 8 * n + 32), int(4 * n + 16), ffi.new('int[?]', n + 6)
    local left, right, distance = ffi.new 'double[1]', ffi.new 'double[1]', ffi.new 'double[2]'
    if isComplex then
      single.call(lib.ztgsen_, zero, one, one, chosen, size, data(s), size, data(t), size, data(values.first), data(values.beta),
        data(q), size, data(z), size, count, left, right, distance, work, length, whole, int(n + 6), info)
    else
      single.call(lib.dtgsen_, zero, one, one, chosen, size, data(s), size, data(t), size, data(values.first), data(values.second),
        data(values.beta), data(q), size, data(z), size, count, left, right, distance, work, length, whole, int(n + 6), info)
    end
    if info[0] ~= 0 then failed(where, info[0], 'eigenvalues that can be reordered') end
    return s:t():contiguous(), t:t():contiguous(), values.alpha():clone(), values.betas():clone(), q:t():contiguous(), z:t():contiguous()
  end)
end

-- The middle factor: cosines and sines of the angles, and identities where a block is larger than another.
local function middle(m, p, q, theta, sign)
  local r = theta:size(1)
  local n11, n12, n21, n22 = math.min(p, q) - r, math.min(p, m - q) - r, math.min(m - p, q) - r, math.min(m - p, m - q) - r
  local cs = torch.DoubleTensor(m, m):zero()
  local function place(row, column, diagonal)
    if diagonal:nElement() == 0 then return end
    local count = diagonal:size(1)
    cs:narrow(1, row + 1, count):narrow(2, column + 1, count):copy(torch.diag(diagonal))
  end
  local function ones(count) return torch.DoubleTensor(count):fill(1) end
  local c, s = torch.cos(theta), torch.sin(theta)
  place(0, 0, ones(n11))
  place(n11, n11, c)
  place(n11, q + n22, s * -sign)
  place(n11 + r, q + n22 + r, ones(n12) * -sign)
  place(p, q, ones(n22))
  place(p + n22, n11, s * sign)
  place(p + n22, q + n22, c)
  place(p + n22 + r, n11 + r, ones(n21) * sign)
  return cs
end

--- The cosine-sine decomposition of an orthogonal (or unitary) matrix in four blocks, x = u cs v: u and v have two blocks on the diagonal,
-- cs cosines and sines of angles. SciPy's cossin; LAPACK's orcsd and uncsd.
-- @tparam torch.Tensor x (…, m, m), of floats or complex numbers
-- @int p rows of the upper left block
-- @int q columns of it
-- @tparam[opt] table options `separate` (false): returns the blocks of u, the angles and the blocks of v; `swapSign` (false): the sines of
--   the lower left block are negative instead of those of the upper right one
-- @treturn torch.Tensor u (…, m, m); with separate a table of (…, p, p) and (…, m - p, m - p)
-- @treturn torch.Tensor cs (…, m, m); with separate the angles in radians
-- @treturn torch.Tensor v (…, m, m); with separate a table of (…, q, q) and (…, m - q, m - q)
-- @raise if LAPACK finds no decomposition: the matrix is not orthogonal
function generalised.cossin(x, p, q, options)
  local where = 'cossin'
  x = matrix.square(where, 'x', x)
  local m = x:size(-1)
  p, q = check.int(where, 'p', p, { min = 1, max = m - 1 }), check.int(where, 'q', q, { min = 1, max = m - 1 })
  options = check.options(where, options, { 'separate', 'swapSign' })
  local swaps = check.flag(where, 'swapSign', options.swapSign or false)
  local isComplex = x:isComplex()
  if not torch.all(torch.isfinite(x)) then matrix.refuse(where, 'x', 'NaN or infinities, expected finite numbers') end
  local u1, u2, angles, v1, v2, cs = each(where, { x }, isComplex, function(own)
    local lib, info = lapack(where), int(0)
    local function block(row, rows, column, columns)
      return byColumns(own:narrow(1, row, rows):narrow(2, column, columns))
    end
    local x11, x12, x21, x22 = block(1, p, 1, q), block(1, p, q + 1, m - q), block(p + 1, m - p, 1, q), block(p + 1, m - p, q + 1, m - q)
    local theta = torch.DoubleTensor(math.min(p, m - p, q, m - q)):zero()
    local function factor(n) return own.new(n, n):zero() end
    local a, b, c, d = factor(p), factor(m - p), factor(q), factor(m - q)
    local P, R, Q, S = int(p), int(m - p), int(q), int(m - q)
    local whole = ffi.new('int[?]', m)
    withWork(isComplex, function(work, length)
      local arguments = { 'Y', 'Y', 'Y', 'Y', 'N', swaps and 'O' or 'D', int(m), P, Q, data(x11), P, data(x12), P, data(x21), R,
        data(x22), R, data(theta), data(a), P, data(b), R, data(c), Q, data(d), S, work, length }
      if isComplex then
        local real = ffi.new 'double[1]'
        local function call(rwork, rlength)
          arguments[29], arguments[30], arguments[31], arguments[32] = rwork, rlength, whole, info
          for i = 33, 38 do arguments[i] = 1 end
          single.call(lib.zuncsd_, unpack(arguments, 1, 38))
        end
        local asked = length[0]
        length[0] = -1
        local first = ffi.new 'double[2]'
        arguments[27] = first
        call(real, int(-1))
        length[0], arguments[27] = asked, work
        local count = math.max(1, math.floor(real[0] + 0.5))
        if asked == -1 then
          work[0] = first[0]
        else
          call(ffi.new('double[?]', count), int(count))
        end
      else
        arguments[29], arguments[30] = whole, info
        for i = 31, 36 do arguments[i] = 1 end
        single.call(lib.dorcsd_, unpack(arguments, 1, 36))
      end
    end)
    if info[0] ~= 0 then matrix.refuse(where, 'x', "LAPACK's status %d, expected an orthogonal matrix", info[0]) end
    local function turned(y) return y:t():contiguous() end
    return turned(a), turned(b), theta, turned(c), turned(d), middle(m, p, q, theta, swaps and -1 or 1)
  end)
  if options.separate then return { u1, u2 }, angles, { v1, v2 } end
  local function blocks(a, b)
    local n, k = a:size(-1), b:size(-1)
    local sizes = a:size():totable()
    local function zeros(rows, columns)
      sizes[#sizes - 1], sizes[#sizes] = rows, columns
      return a.new(torch.LongStorage(sizes)):zero()
    end
    return matrix.blocks { { a, zeros(n, k) }, { zeros(k, n), b } }
  end
  return blocks(u1, u2), cs, blocks(v1, v2)
end

return generalised
