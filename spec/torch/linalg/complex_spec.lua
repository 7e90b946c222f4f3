-- Linear algebra of complex matrices: figures of NumPy and SciPy (complex_figures.py), and products of factors.
local torch = require 'torch'
local complex = require 'torch.names.complex'
local figures = require 'spec.torch.linalg.complex_figures'

local linalg, adjoint, product = torch.linalg, complex.adjoint, torch.matmul
local kinds = { { 'torch.ComplexDoubleTensor', 1e-12 }, { 'torch.ComplexFloatTensor', 2e-4 } }

local function figure(name)
  local own = figures[name]
  local x = torch.DoubleTensor(own)
  if not own.complex then return x:view(unpack(own.size)) end
  return torch.viewAsComplex(x:view(x:nElement() / 2, 2)):view(unpack(own.size))
end

local function assertClose(expected, actual, tolerance, what)
  if not torch.isTensor(actual) then
    actual = type(actual) == 'number' and torch.DoubleTensor { actual } or torch.ComplexDoubleTensor { actual }
  end
  assert.equal(expected:isComplex(), actual:isComplex(), what)
  assert.same(expected:size():totable(), actual:size():totable(), what)
  local worst = torch.abs(torch.csub(torch.to(actual, expected:type()), expected)):max()
  assert.is_true(worst <= tolerance * math.max(1, torch.abs(expected):max()), ('%s: %g'):format(what or 'elements', worst))
end

local function numbers(...) return torch.DoubleTensor { ... } end

-- Eigenvalues by real, then by imaginary part.
local function ordered(values)
  local list = values:totable()
  table.sort(list, function(x, y) return math.abs(x.re - y.re) > 1e-3 and x.re < y.re or math.abs(x.re - y.re) <= 1e-3 and x.im < y.im end)
  return torch.ComplexDoubleTensor(list)
end

local alpha, beta = 2 - 1i, 0.5 + 3i

-- name of a figure -> function of converted figures; the first group needs no LAPACK
local plain = {
  norms = function(get)
    local z, list = get 'tall', {}
    for i, p in ipairs { 2, 1, 3, 0.5, -1, math.huge, -math.huge, 0 } do list[i] = torch.norm(z, p) end
    return torch.DoubleTensor(list)
  end,
  rowNorms = function(get) return torch.norm(get 'tall', 2, 2):view(5) end,
  moments = function(get)
    local z = get 'tall'
    return numbers(torch.var(z), torch.std(z), torch.var(z, true), torch.std(z, true))
  end,
  columnVar = function(get) return torch.var(get 'tall', 1):view(3) end,
  rowStd = function(get) return torch.std(get 'tall', 2, true):view(5) end,
  dist = function(get) return torch.dist(get 'c', get 'd') end,
  mean = function(get) return torch.mean(get 'tall') end,
  prod = function(get) return torch.prod(get 'tall') end,
  cumsum = function(get) return torch.cumsum(get 'tall', 1) end,
  cumprod = function(get) return torch.cumprod(get 'tall', 2) end,
  addmm = function(get) return torch.addmm(beta, get 'c', alpha, get 'a', get 'd') end,
  addmv = function(get) return torch.addmv(beta, get 'v', alpha, get 'a', get 'v') end,
  baddbmm = function(get)
    local function one(name) return torch.unsqueeze(get(name), 1) end
    return torch.baddbmm(beta, one 'c', alpha, one 'd', one 'a')[1]
  end,
  vdot = function(get) return torch.vdot(get 'v', get('b'):select(2, 1)) end,
  vecdot = function(get) return linalg.vecdot(get 'c', get 'd') end,
  kron = function(get) return torch.kron(get 'b', get('b'):narrow(1, 1, 2)) end,
  outer = function(get) return torch.outer(get 'v', get 'v') end,
  trace = function(get) return torch.trace(get 'a') end,
  cov = function(get) return torch.cov(get 'c') end,
}

local function hermitian(get) return torch.add(product(get 'a', adjoint(get 'a')), torch.eye(4, 4, get('a'):type())) end

local factored = {
  solve = function(get) return torch.solve(get 'a', get 'b') end,
  inverse = function(get) return torch.inverse(get 'a') end,
  det = function(get) return torch.det(get 'a') end,
  sign = function(get) return (torch.slogdet(get 'a')) end,
  logabs = function(get) return (select(2, torch.slogdet(get 'a'))) end,
  logdet = function(get) return torch.logdet(get 'a') end,
  lu = function(get) return (linalg.luFactor(get 'a')) end,
  cholesky = function(get) return torch.cholesky(hermitian(get)) end,
  upper = function(get) return torch.potrf(hermitian(get)) end,
  potri = function(get) return torch.potri(torch.potrf(hermitian(get))) end,
  eigh = function(get) return linalg.eigvalsh(hermitian(get)) end,
  eig = function(get) return ordered(linalg.eigvals(get 'a')) end,
  eigReal = function(get) return ordered(linalg.eigvals(torch.real(get 'real'))) end,
  svd = function(get) return linalg.svdvals(get 'tall') end,
  pinv = function(get) return torch.pinv(get 'tall') end,
  projection = function(get) return product(get 'tall', torch.pinv(get 'tall')) end,
  lstsq = function(get) return torch.lstsq(get 'tall', torch.cat(get 'b', get('v'):narrow(1, 1, 2):view(1, 2), 1)) end,
  r = function(get) return torch.abs((select(2, torch.qr(get 'tall')))) end,
  power = function(get) return torch.matrix_power(get 'a', 3) end,
  inversePower = function(get) return torch.matrix_power(get 'a', -2) end,
  expm = function(get) return torch.expm(get 'a') end,
  matrixNorms = function(get)
    local list = {}
    for i, p in ipairs { 'fro', 'nuc', 2, -2, 1, -1, math.huge, -math.huge } do list[i] = torch.matrix_norm(get 'a', p) end
    return torch.DoubleTensor(list)
  end,
  cond = function(get) return numbers(torch.cond(get 'a'), torch.cond(get 'a', 1)) end,
  upperSolve = function(get) return (torch.trtrs(get 'b', get 'a', 'U', 'C')) end,
  lowerSolve = function(get) return (torch.trtrs(get 'b', get 'a', 'L')) end,
  sqrtm = function(get) return linalg.sqrtm(get 'a') end,
  logm = function(get) return linalg.logm(get 'a') end,
  fractional = function(get) return linalg.fractionalMatrixPower(get 'a', 0.3) end,
  sinm = function(get) return linalg.sinm(get 'a') end,
  signm = function(get) return linalg.signm(get 'a') end,
  polar = function(get) return (select(2, linalg.polar(get 'a'))) end,
  hessenberg = function(get) return torch.stack({ linalg.hessenberg(get 'a') }, 1) end,
  ldl = function(get)
    local l, d = linalg.ldl(torch.add(get 'c', adjoint(get 'c')))
    return torch.stack({ l, d }, 1)
  end,
  ldlSymmetric = function(get)
    local l, d = linalg.ldl(torch.add(get 'c', get('c'):t()), { hermitian = false })
    return torch.stack({ l, d }, 1)
  end,
  ldlOrder = function(get) return (select(3, linalg.ldl(torch.add(get 'c', adjoint(get 'c'))))) end,
  balanced = function(get) return (linalg.matrixBalance(get 'unbalanced')) end,
}

local function effort(get) return torch.add(product(adjoint(get 'b'), get 'b'), torch.eye(2, 2, get('a'):type())) end

local solved = {
  sylvester = function(get) return linalg.solveSylvester(get 'a', get 'c', get 'd') end,
  lyapunov = function(get) return linalg.solveContinuousLyapunov(get 'a', get 'c') end,
  discreteLyapunov = function(get) return linalg.solveDiscreteLyapunov(get 'a', get 'c') end,
  continuousAre = function(get) return linalg.solveContinuousAre(get 'a', get 'b', hermitian(get), effort(get)) end,
  discreteAre = function(get) return linalg.solveDiscreteAre(get 'a', get 'b', hermitian(get), effort(get)) end,
  toeplitz = function(get) return linalg.solveToeplitz(get 'column', get 'b', get 'row') end,
  hermitianToeplitz = function(get) return linalg.solveToeplitz(get 'column', get 'v') end,
  circulant = function(get) return linalg.solveCirculant(get 'column', get 'b') end,
  matmulToeplitz = function(get) return linalg.matmulToeplitz(get('column'):narrow(1, 1, 3), get 'b', get 'row') end,
  banded = function(get) return linalg.solveBanded(2, 1, get 'bands', get 'b') end,
  definiteBanded = function(get) return linalg.solvehBanded(get 'definiteBands', get 'b') end,
  choleskyBanded = function(get) return linalg.choleskyBanded(get 'definiteBands') end,
}

local function compares(list)
  for name, f in pairs(list) do
    for _, kind in ipairs(kinds) do
      it(('agree with NumPy: %s of a %s'):format(name, kind[1]), function()
        local actual = f(function(own) return torch.to(figure(own), kind[1]) end)
        local expected = figure(name)
        if #figures[name].size == 0 then expected = expected:view(1) end
        assertClose(expected, actual, kind[2] * 10, name)
      end)
    end
  end
end

describe('norms, moments and products of complex numbers', function()
  compares(plain)

  it('have the type of the parts where they are real', function()
    local z = torch.ComplexFloatTensor(2, 3):fill(1 + 1i)
    for _, y in ipairs { torch.norm(z, 2, 1), torch.var(z, 1), torch.std(z, 2), (torch.varMean(z, 1)) } do
      assert.equal('torch.FloatTensor', y:type())
    end
    assert.equal('torch.ComplexFloatTensor', (select(2, torch.varMean(z, 1))):type())
    assert.equal('number', type(torch.norm(z)))
    local result = torch.FloatTensor()
    torch.norm(result, z, 2, 1)
    assert.is_true((result - math.sqrt(4)):abs():max() < 1e-6)
    torch.std(result, z, 2)
    assert.same({ 2, 1 }, result:size():totable())
    assert.error_matches(function() torch.norm(torch.ComplexFloatTensor(), z, 2, 1) end, 'norm: res: ')
  end)

  it('need complex tensors for complex factors', function()
    local x = torch.randn(2, 2)
    assert.error_matches(function() torch.addmm(1i, x, 1, x, x) end, 'addmm: beta: a complex number, expected a real one')
    assert.error_matches(function() torch.addmm(1, x, 1i, x, x) end, 'addmm: alpha: a complex number, expected a real one')
    local z = torch.complex(x, x)
    local own = z:clone():addmm(1i, 2i, z, z)
    assertClose(torch.add(torch.mul(z, 1i), 2i, torch.mm(z, z)), own, 1e-14)
  end)

  it('transpose and conjugate', function()
    local z = torch.complex(torch.randn(2, 3, 4), torch.randn(2, 3, 4))
    assert.is_true(torch.adjoint(z):equal(torch.conj(z:transpose(2, 3))))
    assert.is_true(z[1]:adjoint():equal(torch.conj(z[1]:t())))
    assert.is_true(torch.randn(2, 3):adjoint():isContiguous())
    assert.error_matches(function() torch.adjoint(torch.randn(3)) end, 'adjoint: x: %[3%], expected a matrix')
    local square = product(z[1], adjoint(z[1]))
    assert.is_true(linalg.ishermitian(square, 1e-12, 1e-12))
    assert.is_false(linalg.issymmetric(square, 1e-12, 1e-12))
    assert.is_true(linalg.issymmetric(product(z[1], z[1]:t()), 1e-12, 1e-12))
  end)
end)

describe('factors of complex matrices', function()
  compares(factored)

  local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end
  local function diagonal(x) return torch.diagEmbed(x) end

  for _, kind in ipairs(kinds) do
    local type, tolerance = kind[1], kind[2]
    it('give the matrix back, for each layout and for batches: ' .. type, function()
      torch.manualSeed(2)
      for _, size in ipairs { { 4, 4 }, { 5, 3 }, { 3, 5 }, { 2, 4, 3 }, { 2, 2, 3, 3 }, { 1, 1 } } do
        local x = noise(unpack(size)):to(type)
        for _, z in ipairs { x, adjoint(adjoint(x)), x:transpose(-2, -1):contiguous():transpose(-2, -1) } do
          local p, l, u = torch.lu(z)
          assertClose(z, product(product(p, l), u), tolerance, 'lu')
          local q, r = torch.qr(z)
          assertClose(z, product(q, r), tolerance, 'qr')
          assertClose(torch.eye(q:size(-1)):to(type):expand(product(adjoint(q), q):size()), product(adjoint(q), q), tolerance, 'q')
          local left, s, right = torch.svd(z)
          assert.equal(complex.partType(z), s:type())
          assertClose(z, product(product(left, diagonal(s)), adjoint(right)), tolerance, 'svd')
          left, s, right = linalg.svd(z)
          assert.equal(math.min(z:size(-1), z:size(-2)), s:size(-1))
          assertClose(torch.eye(left:size(-1)):to(type):expand(left:size()), product(adjoint(left), left), tolerance, 'u of svd')
          assertClose(torch.eye(right:size(-1)):to(type):expand(right:size()), product(adjoint(right), right), tolerance, 'v of svd')
          assertClose(z, product(product(z, torch.pinv(z)), z), tolerance * 10, 'pinv')
          if z:size(-1) == z:size(-2) then
            local e, v = linalg.eig(z)
            assertClose(product(z, v), product(v, diagonal(e)), tolerance * 10, 'eig')
            local t, basis = torch.schur(z)
            assertClose(z, product(product(basis, t), adjoint(basis)), tolerance * 10, 'schur')
            assertClose(t, torch.triu(t), 0, 'schur')
            local h = torch.add(z, adjoint(z))
            e, v = torch.symeig(h, 'V', 'L')
            assertClose(h, product(product(v, diagonal(e)), adjoint(v)), tolerance * 10, 'symeig')
            h = torch.add(product(z, adjoint(z)), torch.eye(z:size(-1)):to(type))
            for _, own in ipairs { h, h:transpose(-2, -1):contiguous():transpose(-2, -1) } do
              local lower, upper = torch.cholesky(own), torch.cholesky(own, true)
              assertClose(h, product(lower, adjoint(lower)), tolerance, 'lower')
              assertClose(h, product(adjoint(upper), upper), tolerance, 'upper')
            end
          end
        end
      end
    end)
  end

  it('of Hermitian matrices with pivots', function()
    local z = noise(4, 4)
    local h = product(z, adjoint(z))
    for _, uplo in ipairs { 'U', 'L' } do
      local factor, pivots = torch.pstrf(h, uplo)
      local own = h:index(1, pivots:long()):index(2, pivots:long())
      assertClose(own, uplo == 'U' and product(adjoint(factor), factor) or product(factor, adjoint(factor)), 1e-12)
    end
  end)

  it('multiply by packed reflectors', function()
    local z, c = noise(4, 3), noise(4, 2)
    local packed, tau = torch.geqrf(z)
    local q = torch.ormqr(packed, tau, torch.eye(4, 4, 'complex128'))
    assertClose(torch.orgqr(packed, tau), q:narrow(2, 1, 3), 1e-13)
    assertClose(product(q, c), torch.ormqr(packed, tau, c), 1e-13)
    assertClose(product(adjoint(q), c), torch.ormqr(packed, tau, c, 'L', 'C'), 1e-13)
    assertClose(product(adjoint(c), q), torch.ormqr(packed, tau, adjoint(c), 'R'), 1e-13)
  end)

  it('exist for matrices with equal, zero, huge and tiny eigenvalues, without a basis, and large ones', function()
    local function unit(n) return torch.eye(n, n, 'complex128') end
    local function relative(a, b) return torch.abs(torch.csub(a, b)):max() / math.max(1e-300, torch.abs(b):max()) end
    for name, a in pairs {
      random = noise(60, 60), zero = noise(5, 5) * 0, unit = unit(6), triangle = torch.triu(noise(7, 7)), below = torch.tril(noise(7, 7)),
      jordan = unit(5) * (2 + 1i) + torch.diagEmbed(torch.ones(4), 1):complexdouble(), cyclic = torch.roll(unit(6), 1, 1),
      huge = noise(5, 5) * 1e200, tiny = noise(5, 5) * 1e-200, rank1 = noise(6, 1) * noise(1, 6),
      real = torch.complex(torch.randn(8, 8), 0),
      graded = torch.diag(torch.ComplexDoubleTensor { 1, 1e-5, 1e-10, 1e-15i }) * noise(4, 4), single = noise(1, 1),
      skew = torch.complex(torch.zeros(4, 4), torch.randn(4, 4)), companion = linalg.companion(noise(12)),
      blocks = torch.kron(unit(3), torch.ComplexDoubleTensor { { 0, -1 }, { 1, 0 } }),
    } do
      local n, h = a:size(1), torch.add(a, adjoint(a))
      local e, v = linalg.eig(a)
      local t, basis = torch.schur(a)
      local u, s, w = torch.svd(a)
      local he, hv = torch.symeig(h, 'V')
      local q, r = torch.qr(a)
      local worst = math.max(relative(a * v, v * torch.diag(e)), math.abs(torch.norm(v) ^ 2 / n - 1),
        relative(basis * t * adjoint(basis), a), relative(basis * adjoint(basis), unit(n)), relative(adjoint(u) * u, unit(n)),
        relative(u * torch.diag(s):complexdouble() * adjoint(w), a), relative(hv * torch.diag(he):complexdouble() * adjoint(hv), h),
        relative(adjoint(hv) * hv, unit(n)), relative(q * r, a))
      assert.is_true(worst < 1e-13, ('%s: %g'):format(name, worst))
    end
  end)

  it('of Hessenberg have a real diagonal below the main one, for batches and numbers of any size', function()
    for _, scale in ipairs { 1, 1e200, 1e-200 } do
      for n = 1, 6 do
        local z = torch.mul(noise(2, n, n), scale)
        local h, q = linalg.hessenberg(z)
        assertClose(torch.div(z, scale), torch.div(product(product(q, h), adjoint(q)), scale), 1e-13)
        assertClose(torch.eye(n, n, 'complex128'):view(1, n, n):expand(2, n, n), product(q, adjoint(q)), 1e-13)
        assert.equal(0, torch.abs(torch.tril(h, -2)):max())
        assert.equal(0, n > 1 and torch.abs(torch.imag(torch.diagonal(h[1], -1))):max() or 0)
      end
    end
  end)

  it('by which rows and columns are balanced are real', function()
    local z = torch.cmul(noise(2, 3, 3), torch.DoubleTensor { { 1, 1e3, 1 }, { 1, 1, 1e-4 }, { 1e5, 1, 1 } }:view(1, 3, 3):expand(2, 3, 3))
    local balanced, scales = linalg.matrixBalance(z)
    assert.equal('torch.DoubleTensor', scales:type())
    assert.is_true(torch.matmul(scales, balanced):equal(product(z, scales)))
    assert.equal('torch.FloatTensor', (select(2, linalg.matrixBalance(z:complexfloat()))):type())
  end)

  it('give functions of matrices', function()
    local z = noise(2, 4, 4)
    local root = linalg.sqrtm(z)
    assertClose(z, product(root, root), 1e-12)
    assertClose(z, torch.expm(linalg.logm(z)), 1e-12)
    assertClose(torch.expm(z[1]), linalg.funm(z[1], torch.exp), 1e-11)
    local h = product(z, adjoint(z))
    root = linalg.matrixSqrth(h)
    assertClose(h, product(root, root), 1e-12)
    assertClose(root[1], linalg.funm(h[1], torch.sqrt), 1e-11)
    local turn = linalg.sqrtm(torch.DoubleTensor { { -4, 0 }, { 0, 9 } }:complexdouble())
    assertClose(torch.ComplexDoubleTensor { { 2i, 0 }, { 0, 3 } }, turn, 1e-14)
    assert.equal('torch.ComplexFloatTensor', linalg.sqrtm(z:complexfloat()):type())
    assert.is_true(math.abs(torch.norm(torch.renorm(z[1], 2, 1, 0.5)[2]) - 0.5) < 1e-6)
  end)

  it('solve triangular systems', function()
    local a, b = noise(3, 3), noise(3, 2)
    for _, uplo in ipairs { 'U', 'L' } do
      local t = uplo == 'U' and torch.triu(a) or torch.tril(a)
      for trans, own in pairs { N = t, T = t:t(), C = adjoint(t) } do
        assertClose(b, product(own, (torch.trtrs(b, a, uplo, trans))), 1e-12, uplo .. trans)
      end
    end
    local r = torch.randn(3, 3)
    assert.is_true(torch.trtrs(torch.ones(3, 1), r, 'U', 'C'):equal((torch.trtrs(torch.ones(3, 1), r, 'U', 'T'))))
  end)

  it('report matrices that have none', function()
    local zeros = torch.ComplexDoubleTensor(2, 2):zero()
    assert.error_matches(function() torch.inverse(zeros) end, 'inverse: a: U%(1,1%) is 0')
    assert.error_matches(function() torch.cholesky(zeros) end, 'cholesky: a: the leading minor of order 1')
    assert.error_matches(function() torch.svd(torch.div(zeros, 0)) end, 'svd: a: NaN or infinities')
    assert.same({ 0, -math.huge }, { torch.slogdet(zeros)[1].re, (select(2, torch.slogdet(zeros)))[1] })
    assert.equal(0, torch.matrix_rank(zeros))
    local nilpotent = torch.ComplexDoubleTensor { { 0, 1 }, { 0, 0 } }
    assert.error_matches(function() linalg.sqrtm(nilpotent) end, 'sqrtm: a: the eigenvalue 0 in a block, expected')
    assert.error_matches(function() linalg.logm(zeros) end, 'logm: a: an eigenvalue of 0, expected a regular matrix')
  end)

  it('take real and complex operands together, and vectors', function()
    local a, b, x = torch.randn(3, 3), noise(3, 2), noise(3)
    assertClose(b, product(torch.complex(a, 0), torch.solve(a, b)), 1e-12)
    assertClose(x:view(3, 1), product(noise(3, 3):copy(torch.complex(a, 0)), torch.solve(torch.complex(a, 0), x):view(3, 1)), 1e-12)
    assertClose(b, product(torch.complex(a, 0), (torch.gesv(b, a))), 1e-12)
    assert.same({ 2, 3, 1 }, torch.solve(noise(2, 3, 3), noise(3, 1)):size():totable())
  end)

  it('write to given results', function()
    local z, q, s, v = noise(3, 2), torch.ComplexDoubleTensor(), torch.DoubleTensor(), torch.ComplexDoubleTensor()
    torch.svd(q, s, v, z)
    assertClose(z, product(product(q, torch.diag(s)), adjoint(v)), 1e-12)
    local wrong = torch.ComplexDoubleTensor()
    assert.error_matches(function() torch.svd(q, wrong, v, z) end, 'svd: s: torch.ComplexDoubleTensor, expected torch.Double')
  end)

  it("eig of real matrices: complex in torch.linalg, Torch7's parts in torch", function()
    local turn = torch.DoubleTensor { { 0, -1 }, { 1, 0 } }
    local values, vectors = linalg.eig(turn)
    assert.equal('torch.ComplexDoubleTensor', values:type())
    assertClose(torch.ComplexDoubleTensor { 1i, -1i }, values, 1e-15)
    assertClose(product(torch.complex(turn, 0), vectors), product(vectors, torch.diag(values)), 1e-14)
    assert.equal('torch.ComplexFloatTensor', linalg.eigvals(turn:float()):type())
    assert.equal('torch.ComplexFloatTensor', linalg.eig(turn:half()):type())
    assert.equal('torch.ComplexDoubleTensor', linalg.eigvals(turn:long()):type())
    assert.same({ 2, 2 }, torch.eig(turn, 'V'):size():totable())
    assert.equal('torch.ComplexDoubleTensor', torch.eig(torch.complex(turn, 0)):type())
  end)
end)

describe('equations and structured systems of complex numbers', function()
  compares(solved)

  local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end

  it('leave no residual, for batches, and for real and complex operands together', function()
    for m = 1, 4 do
      for n = 1, 4 do
        local a, b, q = noise(2, m, m), noise(n, n), noise(2, m, n)
        local x = linalg.solveSylvester(a, b, q)
        assertClose(q, torch.add(product(a, x), product(x, b)), 1e-9)
        a = torch.randn(m, m)
        x = linalg.solveSylvester(a, b, torch.real(q))
        assertClose(torch.complex(torch.real(q), 0), torch.add(product(torch.complex(a, 0), x), product(x, b)), 1e-9)
      end
    end
    local a, q = noise(2, 3, 3), noise(2, 3, 3)
    local x = linalg.solveLyapunov(a, q)
    assertClose(q, torch.add(product(a, x), product(x, adjoint(a))), 1e-10)
    x = linalg.solveDiscreteLyapunov(a, q)
    assertClose(q, torch.csub(x, product(product(a, x), adjoint(a))), 1e-9)
    local twice = torch.add(torch.eye(2, 2, 'complex128'), torch.triu(noise(2, 2), 1))
    assert.error_matches(function() linalg.solveSylvester(twice, torch.mul(twice, -1), twice) end,
      "solveSylvester: b: an eigenvalue of a is the negative of one of b's, expected others")
    assert.equal(0, torch.abs(linalg.solveSylvester(twice, torch.mul(twice, -1), torch.mul(twice, 0))):max())
  end)

  it('of Riccati accept batches, and real matrices among them', function()
    local a, b, q, r = torch.randn(2, 1, 3, 3), noise(2, 3, 2), torch.eye(3), torch.eye(2)
    for _, name in ipairs { 'solveContinuousAre', 'solveDiscreteAre' } do
      local x = linalg[name](a, b, q, r)
      assert.same({ 2, 2, 3, 3 }, x:size():totable())
      assert.is_true(torch.abs(torch.csub(x, adjoint(x))):max() < 1e-12 * torch.abs(x):max())
      assertClose(linalg[name](a[2][1]:complexdouble(), b[1], q, r), x[2][1], 1e-12)
    end
    assert.error_matches(function() linalg.solveContinuousAre(torch.mul(noise(2, 2), 0), torch.mul(noise(2, 2), 0), r, r) end,
      'solveContinuousAre: a: 0 stable eigenvalues')
  end)

  it('of Toeplitz matrices and circulants leave no residual', function()
    for n = 1, 6 do
      local column, row, b = noise(2, n), noise(2, n), noise(2, n, 3)
      column:select(2, 1):add(6)
      row:select(2, 1):copy(column:select(2, 1))
      local full = linalg.toeplitz(column, row)
      assertClose(b, product(full, linalg.solveToeplitz(column, b, row)), 1e-12)
      assertClose(b, product(linalg.toeplitz(column), linalg.solveToeplitz(column, b)), 1e-12)
      assertClose(product(linalg.toeplitz(column), b), linalg.matmulToeplitz(column, b), 1e-12)
      assertClose(torch.conj(column[1]), linalg.toeplitz(torch.conj(column))[1]:select(2, 1), 0)
      assertClose(product(full, b), linalg.matmulToeplitz(column, b, row), 1e-12)
      assertClose(b, product(linalg.circulant(column), linalg.solveCirculant(column, b)), 1e-12)
      local real = torch.real(column):contiguous()
      assertClose(b, product(linalg.circulant(real):complexdouble(), linalg.solveCirculant(real, b)), 1e-12)
      assertClose(product(linalg.toeplitz(real):complexdouble(), b), linalg.matmulToeplitz(real, b), 1e-12)
      assertClose(b, product(linalg.toeplitz(real):complexdouble(), linalg.solveToeplitz(real, b)), 1e-11)
    end
    local zeros = torch.ComplexDoubleTensor(3):zero()
    assert.error_matches(function() linalg.solveToeplitz(zeros, zeros) end, 'solveToeplitz: c: a singular leading part')
    local ones = torch.ComplexDoubleTensor { 1i, 1i }
    assert.error_matches(function() linalg.solveToeplitz(ones, ones, ones) end, 'solveToeplitz: c: a singular leading part')
    assert.error_matches(function() linalg.solveCirculant(ones, ones) end, 'solveCirculant: c: an eigenvalue next to 0')
  end)

  it('of bands leave no residual, and read no other elements', function()
    for _, width in ipairs { { 0, 0 }, { 1, 1 }, { 2, 1 }, { 0, 3 }, { 4, 4 } } do
      local l, u = unpack(width)
      local bands, full, b = noise(2, l + u + 1, 5), torch.mul(noise(2, 5, 5), 0), noise(2, 5, 2)
      for m = 1, 2 do
        for j = 1, 5 do
          for i = j - u, j + l do
            if i >= 1 and i <= 5 then full[m][i][j] = bands[m][u + 1 + i - j][j] else bands[m][u + 1 + i - j][j] = 0 / 0 end
          end
        end
      end
      assertClose(b, product(full, linalg.solveBanded(l, u, bands, b)), 1e-9)
    end
    local exchanged = torch.ComplexDoubleTensor { { 0, 1i, 1 }, { 0, 0, 1 }, { 1, 1, 0 } }
    assertClose(torch.ComplexDoubleTensor { 1 - 1i, -1i, 1 + 1i },
      linalg.solveBanded(1, 1, exchanged, torch.ComplexDoubleTensor { 1, 2, 1 }), 1e-14)
    assert.error_matches(function() linalg.solveBanded(0, 0, torch.mul(exchanged:narrow(1, 1, 1), 0), exchanged[1]) end,
      'solveBanded: ab: a singular matrix')
  end)

  it('of Hermitian bands are solved from both triangles', function()
    local lower, b = noise(2, 3, 5), noise(2, 5, 2)
    torch.real(lower:select(2, 1)):fill(8)
    local full, upper = torch.mul(noise(2, 5, 5), 0), torch.mul(lower, 0)
    for m = 1, 2 do
      for d = 0, 2 do
        for j = 1, 5 - d do
          local z = lower[m][d + 1][j]
          if d == 0 then z = z.re end                      -- imaginary parts of the diagonal are not read
          full[m][j + d][j], full[m][j][j + d] = z, d == 0 and z or z:conj()
          upper[m][3 - d][j + d] = full[m][j][j + d]
        end
      end
    end
    local x = linalg.solvehBanded(lower, b, { lower = true })
    assertClose(b, product(full, x), 1e-12)
    assertClose(x, linalg.solvehBanded(upper, b), 1e-14)
    local factor = linalg.choleskyBanded(lower, { lower = true })
    assert.equal(0, torch.abs(torch.imag(factor:select(2, 1))):max())
    assertClose(x, linalg.choSolveBanded(factor, b, { lower = true }), 1e-14)
    assertClose(x, linalg.choSolveBanded(linalg.choleskyBanded(upper), b), 1e-14)
    assertClose(torch.diagonal(torch.cholesky(full[1]), -1), factor[1][2]:narrow(1, 1, 4), 1e-14)
    lower[2][1][3] = -1
    assert.error_matches(function() linalg.choleskyBanded(lower, { lower = true }) end,
      'choleskyBanded: ab: the leading minor of order 3 is not positive definite')
  end)
end)
