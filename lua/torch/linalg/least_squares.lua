--- Iterative least squares, for dense and sparse matrices and operators of real or complex numbers: the x with minimal
-- |a x - b|^2 + damp^2 |x|^2.
-- @module torch.linalg.least_squares
local torch = require 'torch'
local check = require 'torch.check'
local operator, matrix = require 'torch.linalg.operator', require 'torch.linalg.matrix'
local promotion = require 'torch.linalg.promotion'

local squares = {}

-- Returns a unit vector in the direction of x, and x's length.
local function unit(x)
  local length = torch.norm(x)
  return length > 0 and torch.mul(x, 1 / length) or torch.mul(x, 0), length
end

-- Checks arguments, and returns what both methods share: the bidiagonalisation of G. Golub & W. Kahan (1965).
local function start(where, a, b, options)
  options = check.options(where, options, { 'damp', 'tol', 'maxIterations', 'callback' })
  b = operator.vector(where, 'b', b)
  local own = operator.of(where, 'a', a)
  if own:size(1) ~= b:size(1) then matrix.refuse(where, 'b', '%d elements, expected %d', b:size(1), own:size(1)) end
  if promotion.hasComplexProducts(a, own:t(), b) then b = promotion.complex(b) end
  local self = { a = own, b = b, where = where, iterations = 0 }
  self.damp = check.number(where, 'damp', options.damp or 0, { min = 0 })
  self.tol = check.number(where, 'tol', options.tol or 1e-8, { min = 0 })
  self.most = check.int(where, 'maxIterations', options.maxIterations or 4 * math.max(self.a:size(1), self.a:size(2)), { min = 1 })
  if options.callback ~= nil then check.callable(where, 'callback', options.callback) end
  self.callback = options.callback
  self.u, self.beta = unit(b)
  self.v, self.alpha = unit(self.a:rmv(self.u))
  self.x = torch.mul(self.v, 0)
  return self
end

local function step(run)
  run.u, run.beta = unit(torch.add(run.a:mv(run.v), torch.mul(run.u, -run.alpha)))
  run.v, run.alpha = unit(torch.add(run.a:rmv(run.u), torch.mul(run.v, -run.beta)))
end

local function finish(run)
  local rest = torch.csub(run.b, run.a:mv(run.x))
  local slope = torch.norm(torch.csub(run.a:rmv(rest), torch.mul(run.x, run.damp ^ 2)))
  return run.x, {
    converged = run.converged == true, iterations = run.iterations, residual = torch.norm(rest), gradient = slope,
    message = run.converged and ('converged in %d iterations'):format(run.iterations)
      or ('%s: no convergence in %d iterations: more of them or a larger tol may help'):format(run.where, run.iterations),
  }
end

-- Ends an iteration: by the sizes of the residual and of a' r, next to those of b and of the matrix so far.
local function isDone(run, residual, slope, size)
  run.iterations = run.iterations + 1
  if run.callback then run.callback(run.x, run.iterations, residual) end
  run.converged = residual <= run.tol * run.first + run.tol * size * torch.norm(run.x) or slope <= run.tol * size * residual
  return run.converged or run.iterations >= run.most
end

--- Least squares by bidiagonalisation, equal to conjugate gradients on the normal equations. Source: C. Paige & M. Saunders (1982), "LSQR",
-- ACM Trans. Math. Softw. 8.
-- @param a (m, n): dense or sparse, or an operator with `rmv`
-- @tparam torch.Tensor b (m)
-- @tparam[opt] table options `damp` (0), `tol` (1e-8, relative), `maxIterations` (4 max(m, n)), `callback(x, iteration, residual)`
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual |b - a x|, gradient |a' (b - a x) - damp^2 x|, message
function squares.lsqr(a, b, options)
  local run = start('lsqr', a, b, options)
  run.first = run.beta
  if run.alpha * run.beta == 0 then
    run.converged = true
    return finish(run)
  end
  local w, phi, rho, damped, size = run.v:clone(), run.beta, run.alpha, 0, 0
  repeat
    local before = run.alpha
    step(run)
    size = math.sqrt(size ^ 2 + before ^ 2 + run.beta ^ 2 + run.damp ^ 2)
    local length = math.sqrt(rho ^ 2 + run.damp ^ 2)                -- the damping is rotated away first
    local part = run.damp / length * phi
    phi = rho / length * phi
    damped = math.sqrt(damped ^ 2 + part ^ 2)
    local diagonal = math.sqrt(length ^ 2 + run.beta ^ 2)
    local c, s = length / diagonal, run.beta / diagonal
    local theta, along = s * run.alpha, c * phi
    rho, phi = -c * run.alpha, s * phi
    run.x:add(along / diagonal, w)
    w = torch.add(run.v, torch.mul(w, -theta / diagonal))
    local residual = math.sqrt(phi ^ 2 + damped ^ 2)
  until isDone(run, residual, run.alpha * math.abs(s * along), size) or run.alpha == 0
  if run.alpha == 0 then run.converged = true end
  return finish(run)
end

--- Least squares by bidiagonalisation, equal to minimal residuals on the normal equations: |a' r| descends. Source: D. Fong & M. Saunders
-- (2011), "LSMR", SIAM J. Sci. Comput. 33.
-- @param a (m, n): dense or sparse, or an operator with `rmv`
-- @tparam torch.Tensor b (m)
-- @tparam[opt] table options as for `lsqr`
-- @treturn torch.Tensor x (n)
-- @treturn table as from `lsqr`
function squares.lsmr(a, b, options)
  local run = start('lsmr', a, b, options)
  run.first = run.beta
  if run.alpha * run.beta == 0 then
    run.converged = true
    return finish(run)
  end
  local zetabar, alphabar, rho, rhobar, cbar, sbar = run.alpha * run.beta, run.alpha, 1, 1, 1, 0
  local h, hbar, size = run.v:clone(), torch.mul(run.v, 0), run.alpha ^ 2
  repeat
    step(run)
    local damped = math.sqrt(alphabar ^ 2 + run.damp ^ 2)
    local before = rho
    rho = math.sqrt(damped ^ 2 + run.beta ^ 2)
    local c, s = damped / rho, run.beta / rho
    local theta = s * run.alpha
    alphabar = c * run.alpha
    local barBefore, thetabar = rhobar, sbar * rho
    local turned = cbar * rho
    rhobar = math.sqrt(turned ^ 2 + theta ^ 2)
    cbar, sbar = turned / rhobar, theta / rhobar
    local zeta = cbar * zetabar
    zetabar = -sbar * zetabar
    hbar = torch.add(h, torch.mul(hbar, -thetabar * rho / (before * barBefore)))
    run.x:add(zeta / (rho * rhobar), hbar)
    h = torch.add(run.v, torch.mul(h, -theta / rho))
    size = size + run.beta ^ 2 + run.alpha ^ 2
    local residual = torch.norm(torch.csub(run.b, run.a:mv(run.x)))
  until isDone(run, residual, math.abs(zetabar), math.sqrt(size)) or run.alpha == 0
  if run.alpha == 0 then run.converged = true end
  return finish(run)
end

return squares
