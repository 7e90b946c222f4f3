--- Equations whose unknown is a matrix: those of Sylvester, Lyapunov and Riccati.
-- @module torch.linalg.equations
local torch, ffi = require 'torch', require 'ffi'
local C = require 'libmoontorch'
local check, complex = require 'torch.check', require 'torch.names.complex'
local matrix, quasi = require 'torch.linalg.matrix', require 'torch.linalg.quasi_triangular'
local atCaller = require 'torch.linalg.at_caller'

local equations = {}

local pointer = ffi.typeof 'double *'
local product, t, adjoint = torch.matmul, matrix.t, complex.adjoint
local function negative(x) return torch.mul(x, -1) end

-- Solves r y + y s = f for upper triangular complex matrices, column by column. Returns nil if an eigenvalue of r is the negative of one
-- of s.
local function solveTriangles(r, s, f)
  local y = torch.mul(f, 0)
  if f:nElement() == 0 then return y end
  local diagonal = torch.diag(r)
  for j = 1, s:size(1) do
    local rest, own = torch.narrow(f, 2, j, 1), s[j][j]
    if j > 1 then rest = torch.csub(rest, torch.mm(torch.narrow(y, 2, 1, j - 1), matrix.part(s, 1, j - 1, j, 1))) end
    if torch.abs(torch.add(diagonal, own)):min() > 0 then
      y:narrow(2, j, 1):copy((torch.trtrs(rest, torch.add(r, torch.diag(torch.add(torch.mul(diagonal, 0), own))), 'U')))
    elseif torch.abs(rest):max() > 0 then
      return nil
    end
  end
  return y
end

-- The same for quasi-triangular real matrices.
local function solveQuasiTriangles(r, s, f)
  local y = torch.contiguous(f)
  r, s = torch.contiguous(r), torch.contiguous(s)
  local function data(x) return ffi.cast(pointer, x:data()) end
  return quasi.sylvester(data(r), r:size(1), data(s), s:size(1), data(y)) and y
end

local ofOneType
ofOneType = matrix.recorded('solveSylvester', { 'a', 'b', 'q' }, function(a, b, q)
  return matrix.each('solveSylvester', { a, b, q }, { 2, 2, 2 }, function(left, right, sum)
    local r, u = torch.schur(left)
    local s, v = torch.schur(right)
    local y = (complex.is(sum) and solveTriangles or solveQuasiTriangles)(r, s, product(product(adjoint(u), sum), v))
    if not y then matrix.refuse('solveSylvester', 'b', "an eigenvalue of a is the negative of one of b's, expected others") end
    return product(product(u, y), adjoint(v))
  end, true)
end, 'result, a, b, size(q)', function(g, x, a, b, size)
  local gq = ofOneType(t(a), t(b), g)
  local ga = C.tracked(a) and torch.expand_grad(negative(product(gq, t(x))), a:size()) or nil
  local gb = C.tracked(b) and torch.expand_grad(negative(product(t(x), gq)), b:size()) or nil
  return ga, gb, torch.expand_grad(gq, size)
end)

local function sylvester(a, b, q) return ofOneType(unpack(matrix.alike { a, b, q })) end

--- Solves a x + x b = q, by Schur forms of a and b, after Bartels and Stewart (1972).
-- @tparam torch.Tensor a square matrices (…, m, m), real or complex
-- @tparam torch.Tensor b square matrices (…, n, n)
-- @tparam torch.Tensor q (…, m, n)
-- @treturn torch.Tensor x (…, m, n)
-- @raise if an eigenvalue of a is the negative of one of b
function equations.solveSylvester(a, b, q)
  a, b = matrix.square('solveSylvester', 'a', a), matrix.square('solveSylvester', 'b', b)
  return sylvester(a, b, matrix.sized('solveSylvester', 'q', q, a:size(-1), b:size(-1)))
end

--- Solves a x + x a' = q, the equation of Lyapunov for processes in continuous time. Also named `solveLyapunov`.
-- @tparam torch.Tensor a square matrices (…, n, n), real or complex; a' is the conjugate transpose
-- @tparam torch.Tensor q (…, n, n)
-- @treturn torch.Tensor x (…, n, n)
-- @raise if an eigenvalue of a is the negative of another one, or of the conjugate of one that is complex
function equations.solveContinuousLyapunov(a, q)
  a = matrix.square('solveContinuousLyapunov', 'a', a)
  return sylvester(a, adjoint(a), matrix.square('solveContinuousLyapunov', 'q', q, a:size(-1)))
end

--- The same as `solveContinuousLyapunov`.
-- @tparam torch.Tensor a square matrices (…, n, n), real or complex
-- @tparam torch.Tensor q (…, n, n)
-- @treturn torch.Tensor x (…, n, n)
function equations.solveLyapunov(a, q) return equations.solveContinuousLyapunov(a, q) end

-- a x a' - x + q = 0, by Cayley's transform of a.
local function discreteLyapunov(a, q)
  local unit = matrix.identity(a)
  local inverse = torch.inverse(torch.add(a, unit))
  local b = product(inverse, torch.csub(a, unit))
  return sylvester(b, adjoint(b), torch.mul(product(product(inverse, q), adjoint(inverse)), -2))
end

--- Solves a x a' - x + q = 0, the equation of Lyapunov for processes in discrete time: x is the covariance of a state that a maps to the
-- next, with noise of covariance q. By a transform to continuous time.
-- @tparam torch.Tensor a square matrices (…, n, n), real or complex; none of the products of an eigenvalue and a conjugate of one is 1
-- @tparam torch.Tensor q (…, n, n)
-- @treturn torch.Tensor x (…, n, n)
-- @raise if -1 is an eigenvalue of a, or a product of an eigenvalue and a conjugate of one is 1
function equations.solveDiscreteLyapunov(a, q)
  a = matrix.square('solveDiscreteLyapunov', 'a', a)
  return discreteLyapunov(a, matrix.square('solveDiscreteLyapunov', 'q', q, a:size(-1)))
end

-- Solves for each system of a batch: `f` for one matrix each. Leading dimensions broadcast.
local function riccati(where, f, a, b, q, r)
  a = matrix.square(where, 'a', a)
  local n = a:size(-1)
  b = matrix.sized(where, 'b', b, n)
  q, r = matrix.square(where, 'q', q, n), matrix.square(where, 'r', r, b:size(-1))
  local given, lead = matrix.alike { a, b, q, r }, {}
  for _, x in ipairs(given) do
    local own = {}
    for d = 1, x:dim() - 2 do own[d] = x:size(d) end
    if #own > 0 then lead = #lead > 0 and torch.broadcastShapes(lead, own) or own end
    if torch.typename(lead) then lead = lead:totable() end
  end
  if #lead == 0 then return f(unpack(given)) end
  local count = 1
  for _, size in ipairs(lead) do count = count * size end
  check.that(count > 0, ('%s: a: no matrices, expected at least one'):format(where), 'shape')
  for i, x in ipairs(given) do
    local sizes = { unpack(lead) }
    sizes[#sizes + 1], sizes[#sizes + 2] = x:size(-2), x:size(-1)
    given[i] = torch.reshape(torch.expand(x, torch.LongStorage(sizes)), count, x:size(-2), x:size(-1))
  end
  local solutions = {}
  for m = 1, count do
    local own = {}
    for i, x in ipairs(given) do own[i] = torch.contiguous(torch.select(x, 1, m)) end
    solutions[m] = f(unpack(own))
  end
  local sizes = { unpack(lead) }
  sizes[#sizes + 1], sizes[#sizes + 2] = n, n
  return torch.reshape(torch.stack(solutions, 1), torch.LongStorage(sizes))
end

local function hermitian(x) return torch.mul(torch.add(x, adjoint(x)), 0.5) end

local function continuous(a, b, q, r)
  local n = a:size(1)
  local function step(x)                        -- one of Newton's
    local gain = torch.solve(r, product(adjoint(b), x))
    local closed = torch.csub(a, product(b, gain))
    local cost = torch.add(q, product(product(adjoint(gain), r), gain))
    return hermitian(sylvester(adjoint(closed), closed, negative(cost)))
  end
  local x = torch.noGrad(function()
    local hamiltonian = matrix.blocks { { a, negative(product(b, torch.solve(r, adjoint(b)))) }, { negative(q), negative(adjoint(a)) } }
    local isComplex, stable = complex.is(hamiltonian), {}
    local values, vectors = torch.eig(torch.to(hamiltonian, isComplex and 'torch.ComplexDoubleTensor' or 'torch.DoubleTensor'), 'V')
    local parts = isComplex and torch.real(values) or torch.select(values, 2, 1)
    for i = 1, 2 * n do
      if parts[i] < 0 then stable[#stable + 1] = i end      -- the two columns of a pair span its space
    end
    if #stable ~= n then
      matrix.refuse('solveContinuousAre', 'a', '%d stable eigenvalues of the Hamiltonian matrix, expected %d: no solution stabilises',
        #stable, n)
    end
    local basis = torch.index(vectors, 2, torch.LongTensor(stable))
    local upper, lower = torch.narrow(basis, 1, 1, n), torch.narrow(basis, 1, n + 1, n)
    return step(matrix.like(hermitian(t(torch.solve(t(upper), t(lower)))), a))
  end)
  return step(step(x))                         -- derivatives of the first two orders are right after two steps
end

--- Solves a' x + x a - x b r^-1 b' x + q = 0 for the x by which u = -r^-1 b' x s stabilises the state s in continuous time. From the
-- eigenvectors of the Hamiltonian matrix, refined by D. Kleinman's iteration (1968), whose last two steps have the derivative.
-- @tparam torch.Tensor a (…, n, n), real or complex; leading dimensions broadcast
-- @tparam torch.Tensor b (…, n, m)
-- @tparam torch.Tensor q (…, n, n), symmetric or Hermitian
-- @tparam torch.Tensor r (…, m, m), symmetric or Hermitian, and regular
-- @treturn torch.Tensor x (…, n, n), symmetric or Hermitian
-- @raise if no such x exists
function equations.solveContinuousAre(a, b, q, r) return riccati('solveContinuousAre', continuous, a, b, q, r) end

local function discrete(a, b, q, r)
  local function step(x)
    local gain = torch.solve(torch.add(r, product(product(adjoint(b), x), b)), product(product(adjoint(b), x), a))
    local closed = torch.csub(a, product(b, gain))
    return hermitian(discreteLyapunov(adjoint(closed), torch.add(q, product(product(adjoint(gain), r), gain))))
  end
  local x = torch.noGrad(function()
    local power, g, h = a, product(b, torch.solve(r, adjoint(b))), q
    local unit = matrix.identity(a)
    for _ = 1, 60 do
      local between = torch.add(unit, product(g, h))
      local solved, spread = torch.solve(between, power), torch.solve(between, g)
      local change = product(product(adjoint(power), h), solved)
      h, g = hermitian(torch.add(h, change)), hermitian(torch.add(g, product(product(power, spread), adjoint(power))))
      power = product(power, solved)
      if torch.max(torch.abs(change)) <= matrix.epsilon(a) * torch.max(torch.abs(h)) then return h end
    end
    matrix.refuse('solveDiscreteAre', 'a', 'no convergence, expected matrices for which a feedback stabilises')
  end)
  return step(step(x))
end

--- Solves a' x a - x - a' x b (r + b' x b)^-1 b' x a + q = 0 for the x that belongs to the best stabilising feedback in discrete time. By
-- the doubling of E. Chu, H. Fan, W. Lin & C. Wang (2004), "Structure-preserving algorithms for periodic discrete-time algebraic Riccati
-- equations", and two last steps of Newton's, which have the derivative.
-- @tparam torch.Tensor a (…, n, n), real or complex; leading dimensions broadcast
-- @tparam torch.Tensor b (…, n, m)
-- @tparam torch.Tensor q (…, n, n), symmetric or Hermitian
-- @tparam torch.Tensor r (…, m, m), symmetric or Hermitian, and regular
-- @treturn torch.Tensor x (…, n, n), symmetric or Hermitian
-- @raise if the iteration does not converge
function equations.solveDiscreteAre(a, b, q, r) return riccati('solveDiscreteAre', discrete, a, b, q, r) end

return atCaller(equations)
