--- Iterative solutions of systems of equations by quasi-minimal residuals, with the arguments and results of `torch.linalg.krylov`.
-- @module torch.linalg.quasi_minimal
local torch = require 'torch'
local scalars, start = require 'torch.linalg.scalars', require 'torch.linalg.krylov_run'

local abs, conj = scalars.abs, scalars.conj

local methods = {}

local breakdown = 'a breakdown: the residual is orthogonal to its shadow; gmres has none'

--- Quasi-minimal residuals, with products of the (conjugate) transpose: operators need `rmv`, as does the preconditioner. Source:
-- R. Freund & N. Nachtigal (1991), "QMR", Numer. Math. 60.
-- @param a (n, n): see `torch.linalg.cg`
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see `torch.linalg.cg`
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function methods.qmr(a, b, options)
  local run = start('qmr', a, b, options)
  local x, r = run.x, run.r
  local right, left = r:clone(), r:clone()
  local rho, xi, gamma, eta, theta, epsilon = torch.norm(right), torch.norm(left), 1, -1, 0, nil
  local p, q, d, s
  while not run:isDone(torch.norm(r)) do
    local v, w = torch.mul(right, 1 / rho), torch.mul(left, 1 / xi)
    local delta = torch.vdot(w, v)
    if rho == 0 or xi == 0 or delta == 0 then
      run:breakDown(breakdown)
      break
    end
    p = p and torch.add(v, -xi * delta / epsilon, p) or v
    q = q and torch.add(w, -conj(rho * delta / epsilon), q) or w
    local prepared = run:prepared(p)
    local ap = run.a:mv(prepared):clone()
    epsilon = torch.vdot(q, ap)
    local beta = epsilon / delta
    if epsilon == 0 then
      run:breakDown(breakdown)
      break
    end
    right = torch.add(ap, -beta, v)
    local before, turned = rho, run.a:rmv(q)
    rho = torch.norm(right)
    if run.preconditioner then turned = run.preconditioner:rmv(turned) end
    left = torch.add(turned, -conj(beta), w)
    xi = torch.norm(left)
    local last, previous = gamma, theta
    theta = rho / (last * abs(beta))
    gamma = 1 / math.sqrt(1 + theta * theta)
    eta = -eta * before * gamma * gamma / (beta * last * last)
    local kept = (previous * gamma) ^ 2
    d = d and d:mul(kept):add(eta, prepared) or torch.mul(prepared, eta)
    s = s and s:mul(kept):add(eta, ap) or torch.mul(ap, eta)
    x:add(d)
    r:add(-1, s)
    run:after(torch.norm(r))
  end
  return run:finish()
end

--- Transpose-free quasi-minimal residuals. Source: R. Freund (1993), "A transpose-free quasi-minimal residual algorithm for non-Hermitian
-- linear systems", SIAM J. Sci. Comput. 14.
-- @param a (n, n): see `torch.linalg.cg`
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see `torch.linalg.cg`; residuals during iterations are bounds
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function methods.tfqmr(a, b, options)
  local run = start('tfqmr', a, b, options)
  local x, r = run.x, run.r
  local function product(u) return run.a:mv(run:prepared(u)):clone() end
  local u, w, shadow, d = r:clone(), r:clone(), r:clone(), torch.mul(r, 0)
  local au = product(u)
  local v, theta, eta, tau, rho, alpha = au:clone(), 0, 0, torch.norm(r), torch.vdot(r, r), nil
  local residual, step = tau, 0
  while not run:isDone(residual) do
    if step % 2 == 0 then
      local along = torch.vdot(shadow, v)
      if along == 0 or rho == 0 then
        run:breakDown(breakdown)
        break
      end
      alpha = rho / along
    end
    w:add(-alpha, au)
    d:mul(theta * theta * eta / alpha):add(u)
    theta = torch.norm(w) / tau
    local c = 1 / math.sqrt(1 + theta * theta)
    tau = tau * theta * c
    eta = c * c * alpha
    x:add(eta, run:prepared(d))
    if step % 2 == 0 then
      u = torch.add(u, -alpha, v)
      au = product(u)
    else
      local before = rho
      rho = torch.vdot(shadow, w)
      local beta = rho / before
      u = torch.add(w, beta, u)
      v:mul(beta):add(au):mul(beta)
      au = product(u)
      v:add(au)
    end
    step = step + 1
    residual = tau * math.sqrt(step + 1)
    if residual <= 10 * run.limit then residual = torch.norm(torch.csub(run.b, run.a:mv(x))) end
    run:after(residual)
  end
  return run:finish()
end

return methods
