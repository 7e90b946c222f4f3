--- More iterative solutions of systems of equations, with the arguments and results of `torch.linalg.krylov`: quasi-minimal residuals, and
-- variants of GMRES that keep directions between restarts.
-- @module torch.linalg.krylov_further
local torch = require 'torch'
local check = require 'torch.check'
local start = require 'torch.linalg.krylov_run'

local further = {}

local breakdown = 'a breakdown: the residual is orthogonal to its shadow; gmres has none'

--- Quasi-minimal residuals, with products of the transpose: operators need `rmv`, as does the preconditioner. Source: R. Freund & N.
-- Nachtigal (1991), "QMR", Numer. Math. 60.
-- @param a (n, n): see `torch.linalg.cg`
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see `torch.linalg.cg`
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function further.qmr(a, b, options)
  local run = start('qmr', a, b, options)
  local x, r = run.x, run.r
  local right, left = r:clone(), r:clone()
  local rho, xi, gamma, eta, theta, epsilon = torch.norm(right), torch.norm(left), 1, -1, 0, nil
  local p, q, d, s
  while not run:isDone(torch.norm(r)) do
    local v, w = torch.mul(right, 1 / rho), torch.mul(left, 1 / xi)
    local delta = torch.dot(w, v)
    if rho == 0 or xi == 0 or delta == 0 then
      run:breakDown(breakdown)
      break
    end
    p = p and torch.add(v, -xi * delta / epsilon, p) or v
    q = q and torch.add(w, -rho * delta / epsilon, q) or w
    local prepared = run:prepared(p)
    local ap = run.a:mv(prepared):clone()
    epsilon = torch.dot(q, ap)
    local beta = epsilon / delta
    if epsilon == 0 then
      run:breakDown(breakdown)
      break
    end
    right = torch.add(ap, -beta, v)
    local before, turned = rho, run.a:rmv(q)
    rho = torch.norm(right)
    if run.preconditioner then turned = run.preconditioner:rmv(turned) end
    left = torch.add(turned, -beta, w)
    xi = torch.norm(left)
    local last, previous = gamma, theta
    theta = rho / (last * math.abs(beta))
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
function further.tfqmr(a, b, options)
  local run = start('tfqmr', a, b, options)
  local x, r = run.x, run.r
  local function product(u) return run.a:mv(run:prepared(u)):clone() end
  local u, w, shadow, d = r:clone(), r:clone(), r:clone(), torch.mul(r, 0)
  local au = product(u)
  local v, theta, eta, tau, rho, alpha = au:clone(), 0, 0, torch.norm(r), torch.dot(r, r), nil
  local residual, step = tau, 0
  while not run:isDone(residual) do
    if step % 2 == 0 then
      local along = torch.dot(shadow, v)
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
      rho = torch.dot(shadow, w)
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

-- Minimises the residual over directions: `m` of the Krylov space, and `more`, all made orthogonal to the vectors of `outer`. Returns the
-- directions' combination, and its products with the vectors of `outer`.
local function minimise(run, r, m, more, outer)
  local size = torch.norm(r)
  local vectors, directions, against = { torch.mul(r, 1 / size) }, {}, {}
  local h, cosines, sines, g, count = {}, {}, {}, { size }, 0
  for j = 1, m + #more do
    local z = j <= #more and more[j] or run:prepared(vectors[j])
    local w = run.a:mv(z):clone()
    local own, column = {}, {}
    for i, c in ipairs(outer) do
      own[i] = torch.dot(c, w)
      w:add(-own[i], c)
    end
    for _ = 1, 2 do                                                 -- twice, so that rounding leaves the vectors orthogonal
      for i = 1, j do
        local dot = torch.dot(w, vectors[i])
        column[i] = (column[i] or 0) + dot
        w:add(-dot, vectors[i])
      end
    end
    local next = torch.norm(w)
    for i = 1, j - 1 do
      local c, s, upper, lower = cosines[i], sines[i], column[i], column[i + 1]
      column[i], column[i + 1] = c * upper + s * lower, c * lower - s * upper
    end
    local length = math.sqrt(column[j] ^ 2 + next ^ 2)
    if length == 0 or length ~= length then break end
    cosines[j], sines[j] = column[j] / length, next / length
    column[j] = length
    g[j + 1], g[j] = -sines[j] * g[j], cosines[j] * g[j]
    h[j], directions[j], against[j], count = column, z, own, j
    local rest = math.abs(g[j + 1])
    run:after(rest)
    if rest <= run.limit or run.iterations >= run.most or next <= 1e-300 then break end
    vectors[j + 1] = w:mul(1 / next)
  end
  local y, sum, products = {}, torch.mul(run.b, 0), {}
  for i = count, 1, -1 do
    local rest = g[i]
    for k = i + 1, count do rest = rest - h[k][i] * y[k] end
    y[i] = rest / h[i][i]
    sum:add(y[i], directions[i])
  end
  for i = 1, #outer do
    products[i] = 0
    for k = 1, count do products[i] = products[i] + against[k][i] * y[k] end
  end
  return count > 0 and sum, products
end

local stuck = 'no progress between restarts: a larger restart or a preconditioner may help'

--- GMRES that adds the last corrections to the next space. Source: A. Baker, E. Jessup & T. Manteuffel (2005), "A technique for
-- accelerating the convergence of restarted GMRES", SIAM J. Matrix Anal. Appl. 26.
-- @param a (n, n): see `torch.linalg.cg`
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see `torch.linalg.cg`; `restart`: vectors between restarts, default min(n, 30); `kept`: corrections, default 3
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function further.lgmres(a, b, options)
  local run = start('lgmres', a, b, options, { 'restart', 'kept' })
  local m = check.int('lgmres', 'restart', run.options.restart or math.min(run.n, 30), { min = 1 })
  local most, kept = check.int('lgmres', 'kept', run.options.kept or 3, { min = 0 }), {}
  local r, before = run.r, math.huge
  local size = torch.norm(r)
  while not run:isDone(size) do
    local correction = minimise(run, r, m, kept, {})
    if not correction or size >= before * (1 - 1e-14) then
      run:breakDown(stuck)
      break
    end
    run.x:add(correction)
    if most > 0 then
      table.insert(kept, 1, torch.mul(correction, 1 / torch.norm(correction)))
      kept[most + 1] = nil
    end
    before, r = size, torch.csub(run.b, run.a:mv(run.x))
    size = torch.norm(r)
  end
  return run:finish()
end

--- GMRES whose space is orthogonal to products of the last corrections, which are kept (GCROT). Source: E. de Sturler (1999), "Truncation
-- strategies for optimal Krylov subspace methods", SIAM J. Numer. Anal. 36; the oldest corrections are dropped.
-- @param a (n, n): see `torch.linalg.cg`
-- @tparam torch.Tensor b (n)
-- @tparam[opt] table options see `torch.linalg.cg`; `restart`: vectors between restarts, default min(n, 20); `kept`: corrections, default
--   as many
-- @treturn torch.Tensor x (n)
-- @treturn table converged, iterations, residual, message
function further.gcrotmk(a, b, options)
  local run = start('gcrotmk', a, b, options, { 'restart', 'kept' })
  local m = check.int('gcrotmk', 'restart', run.options.restart or math.min(run.n, 20), { min = 1 })
  local most = check.int('gcrotmk', 'kept', run.options.kept or m, { min = 0 })
  local corrections, products, r, before = {}, {}, run.r, math.huge
  local size = torch.norm(r)
  while not run:isDone(size) do
    local u, along = minimise(run, r, m, {}, products)
    if not u or size >= before * (1 - 1e-14) then
      run:breakDown(stuck)
      break
    end
    for i, amount in ipairs(along) do u:add(-amount, corrections[i]) end
    local c = run.a:mv(u):clone()
    local length = torch.norm(c)
    c:mul(1 / length)
    u:mul(1 / length)
    local step = torch.dot(c, r)
    run.x:add(step, u)
    if most > 0 then
      table.insert(corrections, u)
      table.insert(products, c)
      if #products > most then
        table.remove(corrections, 1)
        table.remove(products, 1)
      end
    end
    before, r = size, torch.csub(run.b, run.a:mv(run.x))
    size = torch.norm(r)
  end
  return run:finish()
end

return further
