-- Gradients of linear algebra with complex matrices against differences along the real and the imaginary axis: dL/dx + i dL/dy.
local torch = require 'torch'
local complex = require 'torch.names.complex'

local linalg, adjoint, product = torch.linalg, complex.adjoint, torch.matmul

local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end

-- Asserts that the gradient of a real loss of a tensor, real or complex, agrees with differences.
local function check(name, loss, z, tolerance)
  local x = z:clone():requiresGrad()
  loss(x):backward()
  assert.equal(z:type(), x.grad:type(), name)
  local function parts(y) return (y:isComplex() and torch.viewAsReal(y) or y):contiguous():view(-1) end
  local g, own, step = parts(x.grad), parts(z), 1e-6
  if z:isComplex() then own = torch.viewAsReal(z):view(-1) end
  for i = 1, own:nElement() do
    local before = own[i]
    own[i] = before + step
    local above = loss(z):detach():sum()
    own[i] = before - step
    local slope = (above - loss(z):detach():sum()) / (2 * step)
    own[i] = before
    local limit = (tolerance or 1e-6) * math.max(1, math.abs(slope))
    assert.is_true(math.abs(slope - g[i]) < limit, ('%s: element %d: %g, not %g'):format(name, i, g[i], slope))
  end
end

-- A real loss of numbers, real or complex, in which each part has a weight of its own.
local function weigher()
  local weights = {}
  return function(y, key)
    key = key or 1
    if not torch.isTensor(y) then y = type(y) == 'number' and torch.DoubleTensor { y } or torch.ComplexDoubleTensor { y } end
    local parts = (y:isComplex() and torch.viewAsReal(y) or y):contiguous()
    parts = torch.reshape(parts, parts:nElement())
    weights[key] = weights[key] or torch.randn(parts:nElement())
    return torch.sum(torch.cmul(parts, weights[key]), 1)
  end
end

local function hermitian(z) return torch.mul(torch.add(z, adjoint(z)), 0.5) end
local function definite(z) return torch.add(product(z, adjoint(z)), torch.eye(z:size(-1), z:size(-1), 'complex128')) end

-- name -> loss of a 3 x 3 matrix; `w` weighs parts.
local square = {
  inverse = function(z, w) return w(torch.inverse(z)) end,
  det = function(z, w) return w(torch.det(z)) end,
  logdet = function(z, w) return w(torch.logdet(z)) end,
  slogdet = function(z, w)
    local sign, logarithm = torch.slogdet(z)
    return w(sign) + w(logarithm, 2)
  end,
  solve = function(z, w) return w(torch.solve(z, product(z, product(z, z)))) + w(torch.solve(z, torch.narrow(z, 2, 1, 2)), 2) end,
  gesv = function(z, w)
    local x, packed = torch.gesv(torch.narrow(z, 2, 1, 1), z)
    return w(x) + w(packed, 2)
  end,
  lu = function(z, w)
    local _, l, u = torch.lu(z)
    return w(l) + w(u, 2)
  end,
  cholesky = function(z, w) return w(torch.cholesky(definite(z))) end,
  potrf = function(z, w) return w(torch.potrf(definite(z))) end,
  potrs = function(z, w) return w(torch.potrs(z, torch.potrf(definite(z)))) end,
  ['potrs of a lower factor'] = function(z, w) return w(torch.potrs(z, torch.add(z, torch.eye(3, 3, 'complex128')), 'L')) end,
  potri = function(z, w) return w(torch.potri(torch.potrf(definite(z)))) end,
  ['potri of a lower factor'] = function(z, w) return w(torch.potri(torch.cholesky(definite(z)), 'L')) end,
  qr = function(z, w)
    local q, r = torch.qr(z)
    return w(q) + w(r, 2)
  end,
  ['symeig of values'] = function(z, w) return w((torch.symeig(hermitian(z)))) end,
  ['symeig of projections'] = function(z, w)
    local values, vectors = torch.symeig(hermitian(z), 'V')
    local first = torch.narrow(vectors, 2, 1, 2)
    return w(values) + w(product(first, adjoint(first)), 2)
  end,
  ['eig of values'] = function(z, w) return w(linalg.eigvals(z)) end,
  ['eig of vectors'] = function(z, w)
    local values, vectors = linalg.eig(z)
    return w(vectors) + w(values, 2)
  end,
  ['svd of values'] = function(z, w) return w(linalg.svdvals(z)) end,
  ['svd of projections'] = function(z, w)
    local u, s, v = torch.svd(z)
    local a, b = torch.narrow(u, 2, 1, 2), torch.narrow(v, 2, 1, 2)
    return w(product(a, adjoint(b))) + w(product(a, adjoint(a)), 2) + w(product(b, adjoint(b)), 3) + w(s, 4)
  end,
  pinv = function(z, w) return w(torch.pinv(torch.narrow(z, 2, 1, 2))) end,
  ['pinv of a wide matrix'] = function(z, w) return w(torch.pinv(torch.narrow(z, 1, 1, 2))) end,
  lstsq = function(z, w) return w(torch.lstsq(torch.narrow(z, 2, 1, 2), torch.narrow(z, 2, 2, 2))) end,
  expm = function(z, w) return w(torch.expm(z)) end,
  power = function(z, w) return w(torch.matrix_power(z, 3)) + w(torch.matrix_power(z, -2), 2) end,
  ['nuclear norm'] = function(z, w) return w(torch.matrix_norm(z, 'nuc')) end,
  ['norm of rows'] = function(z, w) return w(torch.matrix_norm(z, math.huge)) end,
  cond = function(z, w) return w(torch.cond(z)) end,
  polar = function(z, w)
    local u, p = linalg.polar(z)
    return w(u) + w(p, 2)
  end,
  rq = function(z, w)
    local r, q = linalg.rq(z)
    return w(r) + w(q, 2)
  end,
  sqrtm = function(z, w) return w(linalg.sqrtm(z)) end,
  logm = function(z, w) return w(linalg.logm(z)) end,
  matrixSqrth = function(z, w) return w(linalg.matrixSqrth(definite(z))) end,
  solveSylvester = function(z, w) return w(linalg.solveSylvester(z, product(z, z), torch.narrow(z, 1, 1, 3))) end,
  solveLyapunov = function(z, w) return w(linalg.solveLyapunov(z, product(z, z))) end,
  solveDiscreteLyapunov = function(z, w) return w(linalg.solveDiscreteLyapunov(z, product(z, z))) end,
  solveContinuousAre = function(z, w)
    local b = torch.narrow(z, 2, 1, 2)
    return w(linalg.solveContinuousAre(product(z, z), b, definite(z), definite(torch.narrow(b, 1, 1, 2))))
  end,
  solveDiscreteAre = function(z, w)
    local b = torch.narrow(z, 2, 1, 2)
    return w(linalg.solveDiscreteAre(product(z, z), b, definite(z), definite(torch.narrow(b, 1, 1, 2))))
  end,
  solveToeplitz = function(z, w)
    local c, r = torch.select(z, 2, 1), torch.select(z, 1, 1)
    return w(linalg.solveToeplitz(c, z, r)) + w(linalg.solveToeplitz(c, torch.select(z, 2, 2)), 2)
  end,
  solveCirculant = function(z, w) return w(linalg.solveCirculant(torch.select(z, 2, 1), z)) end,
  matmulToeplitz = function(z, w) return w(linalg.matmulToeplitz(torch.select(z, 2, 1), z, torch.select(z, 1, 1))) end,
  solveBanded = function(z, w)
    return w(linalg.solveBanded(1, 1, torch.add(z, 4), product(z, z))) + w(linalg.solveBanded(2, 0, torch.add(z, 4), z), 2)
  end,
  solvehBanded = function(z, w)
    local bands = torch.add(torch.narrow(z, 1, 1, 2), torch.ComplexDoubleTensor { { 9, 9, 9 }, { 9, 9, 9 } })
    local lower = torch.narrow(z, 1, 1, 2)
    lower = torch.add(lower, torch.ComplexDoubleTensor { { 12, 12, 12 }, { 0, 0, 0 } })
    bands = torch.csub(bands, torch.ComplexDoubleTensor { { 9, 9, 9 }, { 0, 0, 0 } })
    return w(linalg.solvehBanded(bands, z)) + w(linalg.solvehBanded(lower, z, { lower = true }), 2)
  end,
  pinvh = function(z, w) return w(linalg.pinvh(hermitian(z))) end,
  ['trtrs'] = function(z, w)
    local sum
    for _, uplo in ipairs { 'U', 'L' } do
      for _, trans in ipairs { 'N', 'T', 'C' } do
        local part = w(torch.trtrs(torch.narrow(z, 2, 1, 2), z, uplo, trans), uplo .. trans)
        sum = sum and sum + part or part
      end
    end
    return sum
  end,
}

describe('the gradient of complex matrices', function()
  for name, loss in pairs(square) do
    it('agrees with differences: ' .. name, function()
      local w = weigher()
      local z = noise(3, 3)
      z[1][1] = z[1][1] + 3
      check(name, function(x) return loss(x, w) end, z, 1e-5)
    end)
  end

  it('agrees with differences for other shapes, and for batches', function()
    local w
    for _, size in ipairs { { 4, 2 }, { 2, 4 }, { 2, 3, 2 } } do
      w = weigher()
      check('qr', function(z)
        local q, r = torch.qr(z)
        return w(q) + w(r, 2)
      end, noise(unpack(size)), 1e-5)
      check('svd', function(z)
        local u, s, v = torch.svd(z)
        return w(product(u, adjoint(v)), 6) + w(s, 3)
      end, noise(unpack(size)), 1e-5)
      check('lu', function(z)
        local _, l, u = torch.lu(z)
        return w(l, 4) + w(u, 5)
      end, noise(unpack(size)), 1e-5)
    end
    w = weigher()
    check('eig', function(z)
      local values, vectors = linalg.eig(z)
      return w(values) + w(vectors, 2)
    end, noise(2, 3, 3), 1e-5)
    check('slogdet', function(z)
      local sign, logarithm = torch.slogdet(z)
      return w(sign, 3) + w(logarithm, 4)
    end, noise(2, 3, 3), 1e-5)
  end)

  it('of a singular matrix: det', function()
    local rows = noise(3, 3)
    rows[2]:zero()
    local w = weigher()
    check('det', function(z) return w(torch.det(z)) end, rows)
  end)

  it('of real and complex operands together has the type of each', function()
    local w, a, b = weigher(), torch.randn(3, 3), noise(3, 2)
    check('a real matrix', function(x) return w(torch.solve(x, b)) end, a)
    check('complex sides', function(x) return w(torch.solve(a, x)) end, b)
    local c, row, column = noise(2, 2), torch.randn(3), torch.DoubleTensor { 5, 1, 2 }
    check('Sylvester', function(x) return w(linalg.solveSylvester(x, c, b), 2) end, a)
    check('Riccati', function(x) return w(linalg.solveContinuousAre(x, b, torch.eye(3), torch.eye(2)), 5) end, a, 1e-5)
    check('Toeplitz', function(x) return w(linalg.solveToeplitz(x, b, row), 3) end, column)
    check('circulant', function(x) return w(linalg.solveCirculant(x, b), 3) end, column)
    check('product', function(x) return w(linalg.matmulToeplitz(x, b), 3) end, column)
    check('bands', function(x) return w(linalg.solveBanded(1, 1, x, b), 3) end, torch.randn(3, 3):add(3))
    check('definite bands', function(x) return w(linalg.solvehBanded(x, b), 3) end, torch.DoubleTensor { { 1, 1, 2 }, { 5, 6, 7 } })
  end)

  it('of derivatives agrees with differences', function()
    local autograd = require 'autograd'
    local w = weigher()
    for name, f in pairs {
      inverse = torch.inverse, eig = linalg.eigvals, eigh = function(z) return linalg.eigvalsh(hermitian(z)) end,
      cholesky = function(z) return torch.cholesky(definite(z)) end, svd = linalg.svdvals,
      sylvester = function(z) return linalg.solveSylvester(z, product(z, z), z) end,
      toeplitz = function(z) return linalg.solveToeplitz(torch.add(torch.select(z, 2, 1), 2), z, torch.select(z, 1, 1)) end,
      banded = function(z) return linalg.solveBanded(1, 0, torch.add(z, 3), z) end,
      definiteBanded = function(z)
        return linalg.solvehBanded(torch.add(z, torch.ComplexDoubleTensor { { 0, 0 }, { 9, 9 } }), z)
      end,
    } do
      local function slope(x)
        local tracked = x:isTracked() and x or x:clone():requiresGrad()
        local g = autograd.grad(w(f(tracked), name), tracked, { createGraph = true })
        return w(torch.cmul(g, torch.conj(g)), name .. ' of g')
      end
      check(name, slope, noise(2, 2), 1e-4)
    end
  end)
end)

describe('the gradient of eig of a real matrix', function()
  local function real(loss, a) check('eig', loss, a, 1e-5) end
  local turned = torch.DoubleTensor { { 1, 2, 0.3 }, { -2, 1.5, 0.1 }, { 0.4, -0.7, 3 } }      -- one pair and a real value

  it('agrees with differences in complex form', function()
    local w = weigher()
    real(function(x)
      local values, vectors = linalg.eig(x)
      return w(values) + w(vectors, 2)
    end, turned)
    real(function(x) return w(linalg.eigvals(x)) end, turned)
    real(function(x)
      local values, vectors = linalg.eig(x)
      return w(values, 3) + w(vectors, 4)
    end, torch.stack({ turned, torch.mul(turned:t(), 0.7) }, 1):contiguous())
  end)

  it("agrees with differences in Torch7's form", function()
    local w = weigher()
    real(function(x)
      local values, vectors = torch.eig(x, 'V')
      return w(values) + w(vectors, 2)
    end, turned)
    real(function(x) return w((torch.eig(x))) end, turned)
  end)
end)

describe('the gradient of norms and products of complex numbers', function()
  it('agrees with differences', function()
    local w = weigher()
    local function along(name, f) check(name, function(z) return w(f(z), name) end, noise(3, 4)) end
    for _, p in ipairs { 2, 1, 3, 0.5, -1, math.huge, -math.huge } do
      along('norm ' .. p, function(z) return torch.norm(z, p, 2) end)
      along('norm of all ' .. p, function(z) return torch.norm(z, p) end)
    end
    for _, name in ipairs { 'var', 'std' } do
      along(name, function(z) return torch[name](z, 1) end)
      along(name .. ' of all', function(z) return torch[name](z) end)
      along(name .. ' biased', function(z) return torch[name](z, 2, true) end)
    end
    along('varMean', function(z) return torch.cmul(torch.varMean(z, 1)) end)
    along('stdMean', function(z) return torch.cmul(torch.stdMean(z, 2)) end)
    local other = noise(3, 4)
    along('cross', function(z) return torch.cross(z, torch.mul(torch.roll(z, 1, 2), 2 - 1i), 1) end)
    along('dist', function(z) return torch.dist(z, other) end)
    along('vdot', function(z) return torch.vdot(z:view(12), torch.cmul(z, other):view(12)) end)
    along('kron', function(z) return torch.kron(z, other) end)
    along('trace', function(z) return torch.trace(product(z, adjoint(other))) end)
    along('adjoint', function(z) return product(torch.adjoint(z), other) end)
    along('addmm', function(z) return torch.addmm(2 - 1i, z, 1 + 3i, torch.cmul(z, z), product(adjoint(z), other)) end)
    along('addmv', function(z) return torch.addmv(0.5i, torch.select(z, 2, 1), -1i, z, torch.select(z, 1, 2)) end)
    along('baddbmm', function(z) return torch.baddbmm(1i, torch.unsqueeze(product(z, adjoint(z)), 1), 2i, torch.unsqueeze(z, 1),
      torch.unsqueeze(adjoint(z), 1)) end)
  end)
end)
