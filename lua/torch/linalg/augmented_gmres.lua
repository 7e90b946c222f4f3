--- Iterative solutions of systems of equations by GMRES that keeps directions between restarts, with the arguments and results of
-- `torch.linalg.krylov`.
-- @module torch.linalg.augmented_gmres
local torch = require 'torch'
local check = require 'torch.check'
local arnoldi, start = require 'torch.linalg.arnoldi', require 'torch.linalg.krylov_run'

local methods = {}

-- Minimises the residual over directions: `m` of the Krylov space, and `more`, all made orthogonal to the vectors of `outer`. Returns the
-- directions' combination, and its products with the vectors of `outer`.
local function minimise(run, r, m, more, outer)
  local size = torch.norm(r)
  local vectors, directions, against = { torch.mul(r, 1 / size) }, {}, {}
  local problem = arnoldi.residual(size)
  for j = 1, m + #more do
    local z = j <= #more and more[j] or run:prepared(vectors[j])
    local w = run.a:mv(z):clone()
    local own = {}
    for i, c in ipairs(outer) do
      own[i] = torch.vdot(c, w)
      w:add(-own[i], c)
    end
    local column, length = arnoldi.orthogonalise(w, vectors, j)
    local rest = problem:add(column, length)
    if not rest then break end
    directions[j], against[j] = z, own
    run:after(rest)
    if rest <= run.limit or run.iterations >= run.most or length <= 1e-300 then break end
    vectors[j + 1] = w:mul(1 / length)
  end
  local y, sum, products = problem:solve(), torch.mul(run.b, 0), {}
  for i, factor in ipairs(y) do sum:add(factor, directions[i]) end
  for i = 1, #outer do
    products[i] = 0
    for k, factor in ipairs(y) do products[i] = products[i] + against[k][i] * factor end
  end
  return problem.count > 0 and sum, products
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
    local step = torch.vdot(c, r)
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
