--- Iterative solutions of systems of equations: conjugate gradients and their relatives. Matrices may be dense or sparse, operators
-- (`LinearOperator`) or Lua functions from a vector to its product with the matrix, of real or complex numbers: if one of a, b, x0 and the
-- preconditioner is complex, x is.
--
-- Options of all functions: `x0`, the start (default 0); `tol` (1e-5) and `atol` (0): the end is a residual of at most
-- max(tol |b|, atol); `maxIterations` (default 10 n); `preconditioner`: a matrix, operator or function that is close to the inverse;
-- `callback(x, iteration, residual)` after each iteration. All return the solution, and a table: `converged`, `iterations`, `residual`
-- (|b - a x|, computed anew), and `message`, why it ended.
-- @module torch.linalg.krylov
local torch, ffi = require 'torch', require 'ffi'
local check = require 'torch.check'
local operator, matrix, start = require 'torch.linalg.operator', require 'torch.linalg.matrix', require 'torch.linalg.krylov_run'
local arnoldi, scalars = require 'torch.linalg.arnoldi', require 'torch.linalg.scalars'
local promotion = require 'torch.linalg.promotion'
local complexNumber = require('torch.names.complex').number

local conj, real = scalars.conj, scalars.real

local breakdown = 'a breakdown: the residual is orthogonal to its shadow; gmres has none'

local krylov = {}

--- Conjugate gradients, for symmetric (Hermitian) positive definite matrices. Source: M. Hestenes & E. Stiefel (1952).
-- @param a (n, n): see the module
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see the module
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function krylov.cg(a, b, options)
  local run = start('cg', a, b, options)
  local x, r = run.x, run.r
  local z = run:prepared(r)
  local p, rz = z:clone(), real(torch.vdot(r, z))
  while not run:isDone(torch.norm(r)) do
    local q = run.a:mv(p)
    local curvature = real(torch.vdot(p, q))
    if curvature <= 0 or rz <= 0 then
      run:breakDown(('a direction with p\' a p = %g: the matrix or the preconditioner is not positive definite'):format(curvature))
      break
    end
    local step = rz / curvature
    x:add(step, p)
    r:add(-step, q)
    run:after(torch.norm(r))
    z = run:prepared(r)
    local before = rz
    rz = real(torch.vdot(r, z))
    p:mul(rz / before):add(z)
  end
  return run:finish()
end

--- Biconjugate gradients, with products of the (conjugate) transpose: operators need `rmv`; a function of vectors has none. Source:
-- R. Fletcher (1976).
-- @param a (n, n): see the module
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see the module; the preconditioner needs `rmv`, too
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function krylov.bicg(a, b, options)
  local run = start('bicg', a, b, options)
  local x, r = run.x, run.r
  local shadow, p, q, rho = r:clone(), nil, nil, nil
  while not run:isDone(torch.norm(r)) do
    local z = run:prepared(r)
    local zs = run.preconditioner and run.preconditioner:rmv(shadow) or shadow
    local before = rho
    rho = torch.vdot(zs, r)
    if rho == 0 then
      run:breakDown(breakdown)
      break
    end
    p = p and p:mul(rho / before):add(z) or z
    q = q and q:mul(conj(rho / before)):add(zs) or zs:clone()
    local ap = run.a:mv(p)
    local alpha = rho / torch.vdot(q, ap)
    x:add(alpha, p)
    r:add(-alpha, ap)
    shadow:add(-conj(alpha), run.a:rmv(q))
    run:after(torch.norm(r))
  end
  return run:finish()
end

--- Conjugate gradients squared. Source: P. Sonneveld (1989), "CGS, a fast Lanczos-type solver for nonsymmetric linear systems".
-- @param a (n, n): see the module
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see the module
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function krylov.cgs(a, b, options)
  local run = start('cgs', a, b, options)
  local x, r = run.x, run.r
  local shadow, p, q, rho = r:clone(), nil, nil, nil
  while not run:isDone(torch.norm(r)) do
    local before = rho
    rho = torch.vdot(shadow, r)
    if rho == 0 then
      run:breakDown(breakdown)
      break
    end
    local u = r:clone()
    if p then
      local beta = rho / before
      u:add(beta, q)
      p = torch.add(torch.add(u, torch.mul(q, beta)), torch.mul(p, beta * beta))
    else
      p = u:clone()
    end
    local v = run.a:mv(run:prepared(p))
    local alpha = rho / torch.vdot(shadow, v)
    q = torch.add(u, torch.mul(v, -alpha))
    local step = run:prepared(torch.add(u, q))
    x:add(alpha, step)
    r:add(-alpha, run.a:mv(step))
    run:after(torch.norm(r))
  end
  return run:finish()
end

--- Stabilised biconjugate gradients, for any regular matrix, without products of the transpose. Source: H. van der Vorst (1992),
-- "Bi-CGSTAB", SIAM J. Sci. Stat. Comput. 13.
-- @param a (n, n): see the module
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see the module
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function krylov.bicgstab(a, b, options)
  local run = start('bicgstab', a, b, options)
  local x, r = run.x, run.r
  local shadow, p, v, rho, alpha, omega = r:clone(), nil, nil, nil, nil, nil
  while not run:isDone(torch.norm(r)) do
    local before = rho
    rho = torch.vdot(shadow, r)
    if rho == 0 or omega == 0 then
      run:breakDown(breakdown)
      break
    end
    p = p and p:add(-omega, v):mul(rho / before * alpha / omega):add(r) or r:clone()
    local prepared = run:prepared(p)
    v = run.a:mv(prepared)
    alpha = rho / torch.vdot(shadow, v)
    r:add(-alpha, v)
    x:add(alpha, prepared)
    if torch.norm(r) > run.limit then
      prepared = run:prepared(r)
      local t = run.a:mv(prepared)
      omega = torch.vdot(t, r) / real(torch.vdot(t, t))
      x:add(omega, prepared)
      r:add(-omega, t)
    end
    run:after(torch.norm(r))
  end
  return run:finish()
end

--- Generalised minimal residuals, restarted, for any regular matrix; the preconditioner is applied from the right, so that residuals are
-- those of the system. Source: Y. Saad & M. Schultz (1986), SIAM J. Sci. Stat. Comput. 7.
-- @param a (n, n): see the module
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see the module; `restart`: the number of vectors that are kept, default min(n, 30)
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function krylov.gmres(a, b, options)
  local run = start('gmres', a, b, options, { 'restart' })
  local m = check.int('gmres', 'restart', run.options.restart or math.min(run.n, 30), { min = 1 })
  local x = run.x
  while true do
    local r = torch.csub(run.b, run.a:mv(x))
    local size = torch.norm(r)
    if run:isDone(size) then break end
    local began, vectors, problem = size, { torch.mul(r, 1 / size) }, arnoldi.residual(size)
    for j = 1, m do
      local w = run.a:mv(run:prepared(vectors[j])):clone()
      local column, length = arnoldi.orthogonalise(w, vectors, j)
      local rest = problem:add(column, length)
      if not rest then break end
      run:after(rest)
      if rest <= run.limit or run.iterations >= run.most or length <= 1e-300 then break end
      vectors[j + 1] = w:mul(1 / length)
    end
    local y, combined = problem:solve(), torch.mul(run.b, 0)
    for i, factor in ipairs(y) do combined:add(factor, vectors[i]) end
    x:add(run:prepared(combined))
    if problem.count == 0 or torch.norm(torch.csub(run.b, run.a:mv(x))) >= began * (1 - 1e-14) then
      if not run:isDone(began) then run:breakDown 'no progress between restarts: a larger restart or a preconditioner may help' end
      break
    end
  end
  return run:finish()
end

--- Minimal residuals, for symmetric (Hermitian) matrices, definite or not. Source: C. Paige & M. Saunders (1975), "Solution of sparse
-- indefinite systems of linear equations", SIAM J. Numer. Anal. 12.
-- @param a (n, n): see the module
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see the module; the preconditioner is positive definite; residuals during iterations are in its norm
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function krylov.minres(a, b, options)
  local run = start('minres', a, b, options)
  local x, r1 = run.x, run.r
  local y = run:prepared(r1)
  local beta = real(torch.vdot(r1, y))
  if beta < 0 then matrix.refuse('minres', 'preconditioner', 'a negative square, expected a positive definite matrix') end
  beta = math.sqrt(beta)
  local r2, before, phi, dbar, epsilon, cosine, sine = r1, 0, beta, 0, 0, -1, 0
  local w, w2 = torch.mul(x, 0), torch.mul(x, 0)
  local residual = torch.norm(r1)
  local first = residual
  local scale = beta > 0 and residual / beta or 1
  while not run:isDone(residual) do
    local v = torch.mul(y, 1 / beta)
    y = run.a:mv(v):clone()
    if before > 0 then y:add(-beta / before, r1) end
    local alpha = real(torch.vdot(v, y))
    y:add(-alpha / beta, r2)
    r1, r2 = r2, y
    y = run:prepared(r2)
    local square = real(torch.vdot(r2, y))
    if square < 0 then
      run:breakDown 'a negative square: the preconditioner is not positive definite'
      break
    end
    before, beta = beta, math.sqrt(square)
    local delta, gbar = cosine * dbar + sine * alpha, sine * dbar - cosine * alpha
    local old = epsilon
    epsilon, dbar = sine * beta, -cosine * beta
    local gamma = math.max(math.sqrt(gbar * gbar + beta * beta), first * 1e-300)
    cosine, sine = gbar / gamma, beta / gamma
    local step = cosine * phi
    phi = sine * phi
    local w1 = w2
    w2 = w
    w = v:add(-old, w1):add(-delta, w2):mul(1 / gamma)
    x:add(step, w)
    residual = math.abs(phi) * scale
    if run.preconditioner and residual <= run.limit then residual = torch.norm(torch.csub(run.b, run.a:mv(x))) end
    run:after(residual)
    if beta == 0 and not run:isDone(residual) then
      run:breakDown 'the vectors of the matrix and b are exhausted: b is not in its range'
      break
    end
  end
  return run:finish()
end

-- Refuses NaN and infinities by the length of a vector.
local function checkLength(where, name, length)
  if length ~= length or length == math.huge then matrix.refuse(where, name, 'NaN or infinities, expected finite numbers') end
end

-- A function of a matrix times a vector by Arnoldi's method: the space grows until the result settles. The function `examine` gets the
-- matrix h, times t, of a space of j vectors, the next element below its diagonal, and whether the space is the last one. It returns the
-- result's coordinates, an estimate of what they lack, and the size to which that is relative.
local function overSpace(where, a, b, t, options, examine)
  options = check.options(where, options, { 'tol', 'vectors' })
  b, t = operator.vector(where, 'b', b), t == nil and 1 or t
  local isComplex = ffi.istype(complexNumber, t)
  if not isComplex then t = check.number(where, 't', t) end
  local n, own = b:size(1), operator.of(where, 'a', a, b:size(1), b:size(1))
  if isComplex or promotion.hasComplexProducts(a, own, b) then b = promotion.complex(b) end
  local size = torch.norm(b)
  checkLength(where, 'b', size)
  local tol = check.number(where, 'tol', options.tol or 1e-12, { min = 0 })
  local most = check.int(where, 'vectors', options.vectors or math.min(n, 200), { min = 1, max = n })
  local vectors, h = { torch.mul(b, size > 0 and 1 / size or 0) }, torch.zeros(most + 1, most + 1, promotion.wide(b:type()))
  local y, info
  for j = 1, most do
    local w = own:mv(vectors[j]):clone()
    local parts, length = arnoldi.orthogonalise(w, vectors, j)
    for i = 1, j do h[i][j] = parts[i] end
    checkLength(where, 'a', length)
    local isLast = j == n or length <= 1e-14 * torch.norm(h:select(2, j))
    if isLast or j == most or j % 5 == 0 then
      local lacking, scale
      y, lacking, scale = examine(h:narrow(1, 1, j):narrow(2, 1, j) * t, length, isLast)
      info = { converged = lacking <= tol * scale, iterations = j, residual = lacking * size }
      if info.converged then break end
    end
    h[j + 1][j] = length
    vectors[j + 1] = w:mul(1 / length)
  end
  local result = torch.mul(y:isComplex() and promotion.complex(b) or b, 0)
  for i = 1, y:size(1) do result:add(y[i] * size, vectors[i]) end
  return result, info
end

--- The product of the exponential of a matrix and a vector, expm(t a) b, without the exponential: by Arnoldi's method, whose space grows
-- until the result settles. Source: Y. Saad (1992), "Analysis of some Krylov subspace approximations to the matrix exponential operator",
-- SIAM J. Numer. Anal. 29.
-- @param a (n, n): see the module
-- @tparam torch.Tensor b (n)
-- @tparam[opt=1] number|complex t
-- @tparam[opt] table options `tol` (1e-12, relative to b), `vectors`: the most that are kept, default min(n, 200)
-- @treturn torch.Tensor (n)
-- @treturn table converged, iterations, residual (an estimate of the error), message
function krylov.expmMultiply(a, b, t, options)
  local result, info = overSpace('expmMultiply', a, b, t, options, function(h, length, isLast)
    -- The last column of the exponential of [h e1; 0 0], times the next element, estimates what the space lacks.
    local j = h:size(1)
    local part = torch.zeros(j + 1, j + 1, h:type())
    part:narrow(1, 1, j):narrow(2, 1, j):copy(h)
    part[1][j + 1] = 1
    local e = torch.expm(part)
    local lacking = isLast and 0 or scalars.abs(e[j][j + 1] * (t or 1)) * length
    return e:select(2, 1):narrow(1, 1, j), lacking, 1
  end)
  info.message = info.converged and ('converged in %d iterations'):format(info.iterations)
    or ('expmMultiply: no convergence with %d vectors: more of them, a larger tol or a smaller t may help'):format(info.iterations)
  return result, info
end

--- The product of a function of a matrix and a vector, f(t a) b, without the function of the whole matrix: by Arnoldi's method, whose
-- space grows until the result settles. Source: Y. Saad (1992), as of `expmMultiply`.
-- @tparam function f from a dense matrix to its function, such as `torch.linalg.sqrtm`
-- @param a (n, n): see the module
-- @tparam torch.Tensor b (n)
-- @tparam[opt=1] number|complex t
-- @tparam[opt] table options `tol` (1e-12, relative to the result), `vectors`: the most that are kept, default min(n, 200)
-- @treturn torch.Tensor (n)
-- @treturn table converged, iterations, residual (the last change), message
function krylov.funmMultiplyKrylov(f, a, b, t, options)
  check.callable('funmMultiplyKrylov', 'f', f)
  local before
  local result, info = overSpace('funmMultiplyKrylov', a, b, t, options, function(h, _, isLast)
    local image = f(h):select(2, 1):clone()
    local change = image
    if before then
      local longer = torch.zeros(image:size(1), before:type())
      longer:narrow(1, 1, before:size(1)):copy(before)
      change = torch.csub(image, longer)
    end
    before = image
    return image, isLast and 0 or torch.norm(change), torch.norm(image)
  end)
  info.message = ('funmMultiplyKrylov: %s %d vectors'):format(info.converged and 'converged with' or 'no convergence with', info.iterations)
  return result, info
end

return krylov
