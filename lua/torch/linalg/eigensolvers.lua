--- Some eigenvalues or singular values of large matrices, dense or sparse, or of operators: by Krylov spaces and random projections.
-- @module torch.linalg.eigensolvers
local torch, ffi = require 'torch', require 'ffi'
local check, complex = require 'torch.check', require 'torch.names.complex'
local operator, matrix, promotion = require 'torch.linalg.operator', require 'torch.linalg.matrix', require 'torch.linalg.promotion'

local solvers = {}

local adjoint, wide = complex.adjoint, promotion.wide

-- The type of the vectors that a matrix, an operator or a function gets.
local function vectorType(a, options)
  if options.type then return options.type end
  if torch.isTensor(a) then return (a:isFloatingPoint() or a:isComplex()) and a:type() or 'torch.DoubleTensor' end
  return torch.sparse.isSparse(a) and wide(a:type()) or 'torch.DoubleTensor'
end

-- Checks what these functions share: returns the operator, its size and the options.
local function started(where, a, k, options, names)
  options = check.options(where, options, names)
  local own = operator.of(where, 'a', a, options.n, options.n)
  local n = own:size(1)
  if own:size(2) ~= n then check.raise(('%s: a: [%d, %d], expected a square matrix'):format(where, n, own:size(2)), 'shape') end
  check.int(where, 'k', k, { min = 1, max = n })
  return own, n, options
end

-- Makes w orthogonal to the first `count` rows of `basis`, twice; returns the coefficients, a vector.
local function orthogonalise(w, basis, count)
  if count == 0 then return nil end
  local rows = torch.narrow(basis, 1, 1, count)
  local conjugates = complex.conj(rows)
  local first = torch.mv(conjugates, w)
  w:add(-1, torch.mv(rows:t(), first))
  local second = torch.mv(conjugates, w)
  w:add(-1, torch.mv(rows:t(), second))
  return first:add(second)
end

-- Writes a random unit vector, orthogonal to the rows before, to a row of the basis.
local function randomRow(basis, row)
  local w = torch.to(torch.randn(basis:size(2)), basis:type())
  orthogonalise(w, basis, row - 1)
  basis[row]:copy(w:mul(1 / torch.norm(w)))
end

-- Refuses NaN and infinities, of which no eigenvalues follow.
local function finite(where, name, y)
  if not torch.all(torch.isfinite(y)) then matrix.refuse(where, name, 'NaN or infinities, expected finite numbers') end
  return y
end

-- The product with a vector in float64, or in complex128.
local function product(where, a, x, like)
  if x:isComplex() and not like:find 'Complex' then like = 'torch.ComplexDoubleTensor' end
  local y = a:mv(torch.to(x, like))
  return finite(where, 'a', torch.to(y, wide(y:type())))
end

-- Makes a basis of m vectors, and sets the first one: that of the options, or a random one.
local function startBasis(where, m, n, like, wanted)
  local first = wanted ~= nil and finite(where, 'start', operator.vector(where, 'start', wanted))
  local basis = torch.zeros(m, n, wide(first and first:isComplex() and first:type() or like))
  if not first then
    randomRow(basis, 1)
    return basis
  end
  if first:size(1) ~= n then matrix.refuse(where, 'start', '%d elements, expected %d', first:size(1), n) end
  local size = torch.norm(first)
  if size == 0 then matrix.refuse(where, 'start', 'zeros, expected a vector with a direction') end
  basis[1]:copy(first):mul(1 / size)
  return basis
end

-- Makes numbers complex if a product is.
local function following(w, x) return w:isComplex() and not x:isComplex() and torch.to(x, w:type()) or x end

-- The operator (a - sigma)^-1, by factors.
local function inverseAt(where, a, n, sigma)
  if type(sigma) ~= 'number' and not ffi.istype(complex.number, sigma) then check.number(where, 'sigma', sigma) end
  local shifted
  if torch.sparse.isSparse(a) then
    shifted = a:_with(torch.to(a:values():detach(), wide(a:type()))) - torch.sparse.eye(n) * sigma
  elseif torch.isTensor(a) then
    shifted = torch.csub(torch.to(a:detach(), wide(a:type())), torch.mul(torch.eye(n), sigma))
  else
    matrix.refuse(where, 'sigma', 'a matrix of unknown elements, expected a dense or sparse one')
  end
  local solve = torch.linalg.factorized(shifted)
  local own = wide(shifted:type())
  return operator.LinearOperator(n, n, function(x) return solve(torch.to(x, x:isComplex() and x:type() or own)) end), own
end

local orders = {
  LM = function(x) return torch.abs(x) end, SM = function(x) return torch.mul(torch.abs(x), -1) end,
  LA = function(x) return x end, SA = function(x) return torch.mul(x, -1) end,
  LR = function(x) return torch.real(x) end, SR = function(x) return torch.mul(torch.real(x), -1) end,
}
-- Of real matrices the magnitudes count, so that pairs stay together, as in ARPACK.
function orders.LI(x, isComplex) return isComplex and torch.imag(x) or torch.abs(torch.imag(x)) end
function orders.SI(x, isComplex) return torch.mul(orders.LI(x, isComplex), -1) end

-- The function by which values are chosen, in descending order.
local function orderOf(where, value, choices) return orders[check.choice(where, 'which', value or 'LM', choices)] end

-- eigsh with the name of the function for messages.
local function lanczos(where, a, k, options)
  local own, n
  own, n, options = started(where, a, k, options, { 'which', 'sigma', 'tol', 'maxIterations', 'vectors', 'start', 'n', 'type' })
  local order = orderOf(where, options.which, { 'LM', 'SM', 'LA', 'SA' })
  local tol = check.number(where, 'tol', options.tol or 1e-10, { min = 0 })
  local most = check.int(where, 'maxIterations', options.maxIterations or 300, { min = 1 })
  local m = check.int(where, 'vectors', options.vectors or math.min(n, math.max(2 * k + 1, 20)), { min = math.min(n, k + 1), max = n })
  local like, sigma = vectorType(a, options), options.sigma
  if sigma ~= nil then
    check.number(where, 'sigma', sigma)
    own, like = inverseAt(where, a, n, sigma)
  end
  local basis = startBasis(where, m, n, like, options.start)
  local t = torch.zeros(m, m, basis:type())
  local count, iterations = 0, 0
  local converged, values, chosen, worst
  while true do
    local beta, w = 0, nil
    for j = count + 1, m do
      w = product(where, own, basis[j], like):clone()
      basis, t = following(w, basis), following(w, t)
      local h = orthogonalise(w, basis, j)
      t:select(2, j):narrow(1, 1, j):copy(h)
      t[j]:narrow(1, 1, j):copy(complex.conj(h))
      beta = torch.norm(w)
      if j < m then
        if beta > 1e-14 * torch.norm(h) then basis[j + 1]:copy(w):mul(1 / beta) else randomRow(basis, j + 1) end
      end
    end
    iterations = iterations + 1
    local ritz, vectors = torch.symeig(t, 'V')
    local _, best = torch.sort(order(ritz), 1, true)
    local kept = math.min(m - 1, k + math.floor((m - k) / 2))
    chosen = torch.index(vectors, 2, best:narrow(1, 1, math.max(kept, k)))
    values = torch.index(ritz, 1, best:narrow(1, 1, math.max(kept, k)))
    worst = beta * torch.max(torch.abs(torch.narrow(chosen[m], 1, 1, k)))
    local scale = torch.max(torch.abs(ritz))
    converged = m == n or worst <= tol * scale
    if converged or iterations >= most then break end
    local restarted = torch.mm(chosen:t(), basis)
    basis:narrow(1, 1, kept):copy(restarted)
    t:zero()
    for i = 1, kept do t[i][i] = values[i] end
    if beta > 1e-14 * scale then basis[kept + 1]:copy(w):mul(1 / beta) else randomRow(basis, kept + 1) end
    count = kept
  end
  values, chosen = values:narrow(1, 1, k), chosen:narrow(2, 1, k)
  if sigma then values = torch.add(torch.pow(values, -1), sigma) end
  local sorted, places = torch.sort(values)
  local found = torch.mm(basis:t(), torch.index(torch.contiguous(chosen), 2, places))
  return sorted, found, {
    converged = converged, iterations = iterations, residual = worst,
    message = converged and ('converged in %d restarts'):format(iterations)
      or ('%s: no convergence in %d restarts: more of them, more vectors or a larger tol may help'):format(where, iterations),
  }
end

--- Some eigenvalues of a symmetric or Hermitian matrix, ascending, and their eigenvectors: Lanczos's method with thick restarts (K. Wu &
-- H. Simon, 2000) and complete orthogonalisation. Of a multiple eigenvalue it may find fewer copies than there are.
-- @param a (n, n), symmetric or Hermitian: dense or sparse, an operator, or a function with the option n
-- @int k the number of eigenvalues
-- @tparam[opt] table options `which`: 'LM', the largest magnitudes (default), 'SM', the smallest, 'LA', the largest, 'SA', the smallest
-- values; `sigma`: those next to it, by factors of a dense or sparse a - sigma; `tol` (1e-10, relative), `maxIterations` (restarts, 300),
-- `vectors` (of the Krylov space, default max(2 k + 1, 20)), `start` (a vector), `n`, `type` of vectors ('torch.DoubleTensor')
-- @treturn torch.Tensor values (k), float64
-- @treturn torch.Tensor vectors (n, k), float64, or complex128
-- @treturn table converged, iterations, residual (the largest estimate), message
function solvers.eigsh(a, k, options) return lanczos('eigsh', a, k, options) end

--- Some eigenvalues of any square matrix, real or complex, by Arnoldi's method: the Krylov space grows until they have converged. They are
-- complex, as those of `torch.linalg.eig`: `torch.real(values)` has the real parts.
-- @param a (n, n): dense or sparse, an operator, or a function with the option n
-- @int k the number of eigenvalues; of a complex pair both or, as the last one, one
-- @tparam[opt] table options `which`: 'LM', the largest magnitudes (default), 'SM', the smallest, 'LR', the largest, 'SR', the smallest
-- real parts, 'LI', the largest, 'SI', the smallest imaginary parts, of real matrices their magnitudes; `sigma`, real or complex: values
-- next to it, by factors of a dense or sparse a - sigma, and `which` is of 1 / (value - sigma); `tol` (1e-10, relative), `vectors` (the
-- most, default min(n, max(20 k, 300))), `start`, `n`, `type`, as for `eigsh`
-- @treturn torch.ComplexDoubleTensor values (k), in the order of `which`
-- @treturn torch.ComplexDoubleTensor vectors (n, k), of length 1
-- @treturn table converged, iterations (products), residual (the largest estimate), message
function solvers.eigs(a, k, options)
  local own, n
  own, n, options = started('eigs', a, k, options, { 'which', 'sigma', 'tol', 'vectors', 'start', 'n', 'type' })
  local order = orderOf('eigs', options.which, { 'LM', 'SM', 'LR', 'SR', 'LI', 'SI' })
  local tol = check.number('eigs', 'tol', options.tol or 1e-10, { min = 0 })
  local m = check.int('eigs', 'vectors', options.vectors or math.min(n, math.max(20 * k, 300)), { min = k, max = n })
  local like, sigma = vectorType(a, options), options.sigma
  if sigma ~= nil then own, like = inverseAt('eigs', a, n, sigma) end
  local basis = startBasis('eigs', m, n, like, options.start)
  local h = torch.zeros(m, m, basis:type())
  local values, chosen, worst, size
  for j = 1, m do
    local w = product('eigs', own, basis[j], like):clone()
    basis, h = following(w, basis), following(w, h)
    h:select(2, j):narrow(1, 1, j):copy(orthogonalise(w, basis, j))
    local beta = torch.norm(w)
    size = j
    if j >= k and (j % 5 == 0 or j == m) then
      local ritz, vectors = torch.linalg.eig(h:narrow(1, 1, j):narrow(2, 1, j))
      local _, best = torch.sort(order(ritz, h:isComplex()), 1, true)
      best = best:narrow(1, 1, k)
      values, chosen = torch.index(ritz, 1, best), torch.index(vectors, 2, best)
      worst = beta * torch.max(torch.abs(chosen[j]))
      if worst <= tol * torch.max(torch.abs(ritz)) then break end
    end
    if j < m then
      if beta > 1e-14 * torch.norm(h:select(2, j)) then
        basis[j + 1]:copy(w):mul(1 / beta)
        h[j + 1][j] = beta
      else
        randomRow(basis, j + 1)
      end
    end
  end
  local converged = size == n or worst <= tol * math.max(torch.max(torch.abs(values)), 1e-300)
  if sigma ~= nil then values = torch.add(torch.pow(values, -1), sigma) end
  return values, torch.mm(torch.to(basis:narrow(1, 1, size):t(), chosen:type()), chosen), {
    converged = converged, iterations = size, residual = worst,
    message = converged and ('converged in %d products'):format(size)
      or ('eigs: no convergence with %d vectors: more of them or a larger tol may help'):format(size),
  }
end

--- The largest singular values, descending, and their vectors: `eigsh` of the smaller of a' a and a a', and a decomposition in their space.
-- @param a (m, n): dense or sparse, or an operator with `rmv`
-- @int k their number
-- @tparam[opt] table options `tol`, `maxIterations`, `vectors`, `type`, as for `eigsh`
-- @treturn torch.Tensor u (m, k), float64, or complex128
-- @treturn torch.Tensor s (k), float64
-- @treturn torch.Tensor vh (k, n)
-- @treturn table as from `eigsh`
function solvers.svds(a, k, options)
  options = check.options('svds', options, { 'tol', 'maxIterations', 'vectors', 'type' })
  local own = operator.of('svds', 'a', a)
  local rows, columns = own:size(1), own:size(2)
  check.int('svds', 'k', k, { min = 1, max = math.min(rows, columns) })
  local like = vectorType(a, options)
  local isTall = rows >= columns
  local gram = isTall and function(x) return own:rmv(own:mv(x)) end or function(x) return own:mv(own:rmv(x)) end
  local size = math.min(rows, columns)
  local _, basis, info = lanczos('svds', operator.LinearOperator(size, size, gram), k, {
    tol = options.tol, maxIterations = options.maxIterations, vectors = options.vectors, type = like })
  local images = {}
  if basis:isComplex() and not like:find 'Complex' then like = basis:type() end
  for i = 1, k do
    local vector = torch.to(torch.contiguous(basis:select(2, i)), like)
    local image = isTall and own:mv(vector) or own:rmv(vector)
    images[i] = torch.to(image, wide(image:type()))
  end
  local u, s, v = torch.svd(torch.stack(images, 2))
  local other = torch.mm(basis, v)
  if isTall then return u, s, adjoint(other), info end
  return other, s, adjoint(u), info
end

--- The largest singular values and their vectors, nearly: a decomposition in the range of a's products with random vectors. Source: N.
-- Halko, P. Martinsson & J. Tropp (2011), "Finding structure with randomness", SIAM Review 53.
-- @param a (m, n): dense or sparse, or an operator with `rmv`
-- @int k their number
-- @tparam[opt] table options `oversampling` (10): more vectors than k; `iterations` (2): products with a a' that sharpen the range; `type`
-- @treturn torch.Tensor u (m, k), float64, or complex128
-- @treturn torch.Tensor s (k), float64
-- @treturn torch.Tensor vh (k, n)
function solvers.randomizedSvd(a, k, options)
  options = check.options('randomizedSvd', options, { 'oversampling', 'iterations', 'type' })
  local own = operator.of('randomizedSvd', 'a', a)
  local rows, columns = own:size(1), own:size(2)
  check.int('randomizedSvd', 'k', k, { min = 1, max = math.min(rows, columns) })
  local more = check.int('randomizedSvd', 'oversampling', options.oversampling or 10, { min = 0 })
  local passes = check.int('randomizedSvd', 'iterations', options.iterations or 2, { min = 0 })
  local like = vectorType(a, options)
  local function each(x, f)
    if x:isComplex() and not like:find 'Complex' then like = x:type() end
    x = torch.to(x, like)
    local y
    if torch.isTensor(a) then
      y = torch.mm(f == 'mv' and a:detach() or adjoint(a:detach()), x)
    else
      local list = {}
      for i = 1, x:size(2) do list[i] = own[f](own, torch.contiguous(x:select(2, i))) end
      y = torch.stack(list, 2)
    end
    return finite('randomizedSvd', 'a', torch.to(y, wide(y:type())))
  end
  local q = torch.qr(each(torch.randn(columns, math.min(k + more, rows, columns)):double(), 'mv'))
  for _ = 1, passes do q = torch.qr(each((torch.qr(each(q, 'rmv'))), 'mv')) end
  local v, s, u = torch.svd(each(q, 'rmv'))                        -- of (q' a)'
  return torch.mm(q, u:narrow(2, 1, k)), s:narrow(1, 1, k):clone(), adjoint(v:narrow(2, 1, k))
end

-- Applies an operator of lobpcg to the columns of x.
local function columnsOf(name, a, x)
  local list = {}
  for i = 1, x:size(2) do list[i] = torch.to(a:mv(torch.contiguous(x:select(2, i))), x:type()) end
  return finite('lobpcg', name, torch.stack(list, 2))
end

--- Some extreme eigenvalues of a symmetric or Hermitian matrix, or of the pencil a x = value b x, from a start: locally optimal block
-- conjugate gradients. Source: A. Knyazev (2001), "Toward the optimal preconditioned eigensolver", SIAM J. Sci. Comput. 23.
-- @param a (n, n), symmetric or Hermitian: dense or sparse, an operator, or a function
-- @tparam torch.Tensor x (n, k): the start, with independent columns; 3 k is at most n
-- @tparam[opt] table options `b`: symmetric positive definite, as a; `preconditioner`: close to the inverse of a; `largest` (true): which
-- end; `tol` (1e-8, relative), `maxIterations` (200)
-- @treturn torch.Tensor values (k), descending, or ascending if not `largest`; float64
-- @treturn torch.Tensor vectors (n, k), float64, or complex128
-- @treturn table converged, iterations, residual (the largest |a x - value b x|), message
function solvers.lobpcg(a, x, options)
  options = check.options('lobpcg', options, { 'b', 'preconditioner', 'largest', 'tol', 'maxIterations' })
  check.flag('lobpcg', 'largest', options.largest)
  x = finite('lobpcg', 'x', matrix.of('lobpcg', 'x', x, 2):detach())
  x = torch.to(x, wide(x:type()))
  if x:dim() == 2 and x:size(2) == 0 then matrix.refuse('lobpcg', 'x', '[%d, 0], expected 1 or more columns', x:size(1)) end
  if x:dim() ~= 2 or 3 * x:size(2) > x:size(1) then
    matrix.refuse('lobpcg', 'x', '[%d, %d], expected a matrix with at least 3 times as many rows as columns', x:size(1), x:size(2))
  end
  local n, k = x:size(1), x:size(2)
  local function own(name, value)
    local made = operator.of('lobpcg', name, torch.isTensor(value) and torch.to(value, wide(value:type())) or value, n, n)
    if not x:isComplex() and promotion.hasComplexProducts(value, made, x:select(2, 1):contiguous()) then x = promotion.complex(x) end
    return made
  end
  a = own('a', a)
  local b = options.b ~= nil and own('b', options.b)
  local m = options.preconditioner ~= nil and own('preconditioner', options.preconditioner)
  local tol = check.number('lobpcg', 'tol', options.tol or 1e-8, { min = 0 })
  local most = check.int('lobpcg', 'maxIterations', options.maxIterations or 200, { min = 1 })
  local sign = options.largest == false and 1 or -1                 -- the smallest of sign a
  local function metric(y) return b and columnsOf('b', b, y) or y end
  -- Solves the problem in the space of s: returns values, vectors.
  local function project(s)
    s = torch.qr(s)
    local reduced = torch.mm(adjoint(s), columnsOf('a', a, s))
    local factor = torch.cholesky(torch.mm(adjoint(s), metric(s)))
    local half = torch.trtrs(reduced, factor, 'L')
    local standard = torch.trtrs(adjoint(half), factor, 'L')
    local values, vectors = torch.symeig(torch.mul(torch.add(standard, adjoint(standard)), 0.5 * sign), 'V')
    local back = torch.trtrs(vectors:narrow(2, 1, k), factor, 'L', 'C')
    return torch.mul(values:narrow(1, 1, k), sign), torch.mm(s, back)
  end
  local iterations, scale = 0, 0
  local direction, worst, values
  values, x = project(x)
  while true do
    local rest = torch.csub(columnsOf('a', a, x), torch.cmul(metric(x), torch.expand(values:view(1, k), n, k)))
    local lengths = torch.norm(rest, 2, 1)
    worst, scale = torch.max(lengths), math.max(scale, torch.max(torch.abs(values)))
    if worst <= tol * scale or iterations >= most then break end
    iterations = iterations + 1
    if m then rest = columnsOf('preconditioner', m, rest) end
    rest = torch.cdiv(rest, torch.expand(torch.clamp(torch.norm(rest, 2, 1), 1e-300, math.huge), n, k))
    local before, parts = x, { x, rest }
    if direction then parts[3] = direction end
    values, x = project(torch.cat(parts, 2))
    direction = torch.csub(x, torch.mm(before, torch.mm(adjoint(before), metric(x))))
    direction = torch.cdiv(direction, torch.expand(torch.clamp(torch.norm(direction, 2, 1), 1e-300, math.huge), n, k))
  end
  local converged = worst <= tol * scale
  return values, x, {
    converged = converged, iterations = iterations, residual = worst,
    message = converged and ('converged in %d iterations'):format(iterations)
      or ('lobpcg: no convergence in %d iterations: more of them, a preconditioner or a larger tol may help'):format(iterations),
  }
end

return solvers
