--- Iterative solutions of systems of equations by GMRES that keeps directions between restarts, with the arguments and results of
-- `torch.linalg.krylov`.
-- @module torch.linalg.augmented_gmres
local torch = require 'torch'
local check = require 'torch.check'
local start = require 'torch.linalg.krylov_run'

local methods = {}

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
function methods.lgmres(a, b, options)
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
function methods.gcrotmk(a, b, options)
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

return methods
