-- Some eigenvalues and singular values of complex matrices: SciPy's figures (complex_iterative_figures.py), equations, operators.
local torch = require 'torch'
local complex = require 'torch.names.complex'
local figures = require 'spec.torch.linalg.complex_iterative_figures'

local linalg, adjoint, product = torch.linalg, complex.adjoint, torch.matmul

local function assertSmall(x, limit, what)
  local largest = torch.abs(x):max()
  assert.is_true(largest <= limit, ('%s: %g'):format(what or 'difference', largest))
end

local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end

-- The matrices of the script, dense.
local n = 50
local general, hermitian, real = torch.zeros(n, n, 'complex128'), torch.zeros(n, n, 'complex128'), torch.zeros(n, n, 'float64')
local function turn(size, angle) return complex.number(size * math.cos(angle), size * math.sin(angle)) end
for i = 1, n do
  general[i][i], hermitian[i][i], real[i][i] = turn(i, i), i, math.cos(i) * i
  if i < n then
    general[i][i + 1] = 1 + 0.5i
    hermitian[i][i + 1], hermitian[i + 1][i] = turn(0.5 * i, 0.1 * i), turn(0.5 * i, -0.1 * i)
    real[i][i + 1], real[i + 1][i] = i, -i
  end
  if i < n - 1 then general[i + 2][i] = -0.3i * i end
end
local start = torch.ones(n)

-- Values by magnitude, then by imaginary part.
local function ordered(values)
  local list = values:totable()
  table.sort(list, function(x, y)
    local a, b = x:abs(), y:abs()
    if math.abs(a - b) > 1e-8 * a then return a > b end
    return x.im > y.im
  end)
  return torch.ComplexDoubleTensor(list)
end

local function pairsOf(list)
  if type(list[1]) == 'number' then return torch.DoubleTensor(list) end
  return torch.viewAsComplex(torch.DoubleTensor(list))
end

describe('eigs', function()
  for name, case in pairs {
    LM = { general, 4, { which = 'LM' } }, LR = { general, 3, { which = 'LR' } }, SI = { general, 3, { which = 'SI' } },
    sigma = { general, 3, { sigma = 3 + 2i } }, realLM = { real, 4, { which = 'LM' } }, realLI = { real, 4, { which = 'LI' } },
  } do
    it("has SciPy's values: " .. name, function()
      local a, k, options = unpack(case)
      options.start = start
      for _, own in ipairs { a, a:sparse 'csr', a:sparse 'csc' } do
        local values, vectors, info = linalg.eigs(own, k, options)
        assert.is_true(info.converged)
        assert.equal('torch.ComplexDoubleTensor', values:type())
        assert.same({ n, k }, vectors:size():totable())
        assertSmall(ordered(values) - pairsOf(figures[name]), 1e-7)
        assertSmall(product(a, vectors) - torch.cmul(vectors, values:view(1, k):expand(n, k)), 1e-7, 'residual')
        assertSmall(torch.norm(vectors, 2, 1) - 1, 1e-12, 'length')
      end
    end)
  end

  it('takes functions and operators of complex numbers, of any type of vectors', function()
    local expected = pairsOf(figures.LM):narrow(1, 1, 2)
    local types = {}
    local function f(x)
      types[x:type()] = true
      return torch.mv(general, x:complexdouble())
    end
    for _, options in ipairs { { n = n }, { n = n, type = 'torch.ComplexDoubleTensor' }, { n = n, start = noise(n) } } do
      local values, vectors = linalg.eigs(f, 2, options)
      assertSmall(ordered(values) - expected, 1e-7)
      assertSmall(product(general, vectors) - product(vectors, torch.diag(values)), 1e-7)
    end
    assert.same({ ['torch.DoubleTensor'] = true, ['torch.ComplexDoubleTensor'] = true }, types)
    assertSmall(ordered((linalg.eigs(linalg.LinearOperator(n, n, f), 2))) - expected, 1e-7)
    assertSmall(ordered((linalg.eigs(general:complexfloat(), 2, { tol = 1e-6 }))) - expected, 1e-3)
  end)

  it('of a real matrix takes a complex sigma, and finds all values', function()
    local a = torch.randn(8, 8)
    local all = linalg.eigvals(a)
    local values = linalg.eigs(a, 8)
    assertSmall(ordered(values) - ordered(all), 1e-10)
    local sigma = all[1] + 0.01i
    local nearest, vectors = linalg.eigs(a:float(), 1, { sigma = sigma })
    assertSmall(nearest - all:narrow(1, 1, 1), 1e-5)
    assertSmall(product(a, vectors) - torch.mul(vectors, nearest[1]), 1e-5)
    assert.error_matches(function() linalg.eigs(a, 1, { sigma = 'x' }) end, "eigs: sigma: 'x', expected a number")
    assert.error_matches(function() linalg.eigs(function(x) return x end, 1, { sigma = 1, n = 3 }) end,
      'eigs: sigma: a matrix of unknown elements, expected a dense or sparse one')
    assert.error_matches(function() linalg.eigs(a, 1, { which = 'LA' }) end, "eigs: which: 'LA', expected")
  end)
end)

describe('eigsh of a Hermitian matrix', function()
  for name, options in pairs { hermitianLA = { which = 'LA' }, hermitianSA = { which = 'SA' }, hermitianSigma = { sigma = 20 } } do
    it("has SciPy's values: " .. name, function()
      local k = #figures[name]
      options.maxIterations = 3000
      for _, own in ipairs { hermitian, hermitian:sparse 'csr' } do
        local values, vectors = linalg.eigsh(own, k, options)
        assert.equal('torch.DoubleTensor', values:type())
        assertSmall(values - pairsOf(figures[name]), 1e-7)
        assertSmall(product(hermitian, vectors) - product(vectors, torch.diag(values):complexdouble()), 1e-6, 'residual')
        assertSmall(product(adjoint(vectors), vectors) - torch.eye(k), 1e-9, 'lengths')
      end
    end)
  end

  it('takes functions that return complex numbers', function()
    local function f(x) return torch.mv(hermitian, x:complexdouble()) end
    local values = linalg.eigsh(f, 2, { n = n, which = 'LA', maxIterations = 3000 })
    assertSmall(values - pairsOf(figures.hermitianLA):narrow(1, 3, 2), 1e-7)
  end)
end)

describe('lobpcg of a Hermitian matrix', function()
  local a = torch.add(torch.mul(hermitian, 0.05), torch.diag(torch.range(1, n)):complexdouble())
  local b = torch.diag(torch.range(1, n) * 0.1 + 1):complexdouble()
  local all = torch.symeig(a)

  it('finds the smallest values by preconditioners, and those of pencils', function()
    local function f(x) return torch.mv(a, x:complexdouble()) end
    for _, own in ipairs { a, a:sparse 'csr', f } do
      for _, x in ipairs { torch.randn(n, 2), noise(n, 2) } do
        local values, vectors, info = linalg.lobpcg(own, x, { largest = false, preconditioner = linalg.jacobi(a) })
        assert.is_true(info.converged)
        assert.equal('torch.DoubleTensor', values:type())
        assertSmall(values - all:narrow(1, 1, 2), 1e-7)
        assertSmall(product(a, vectors) - product(vectors, torch.diag(values):complexdouble()), 1e-5, 'residual')
        values, vectors = linalg.lobpcg(own, x, { b = b, maxIterations = 500 })
        assertSmall(product(a, vectors) - product(product(b, vectors), torch.diag(values):complexdouble()), 1e-5, 'pencil')
        assertSmall(product(product(adjoint(vectors), b), vectors) - torch.eye(2), 1e-9, 'lengths')
      end
    end
  end)
end)

describe('incomplete factors of complex matrices', function()
  local function line(diagonal, above, below)
    local a = torch.mul(torch.eye(9, 9, 'complex128'), diagonal)
    for i = 1, 8 do a[i][i + 1], a[i + 1][i] = above, below end
    return a
  end

  it('are exact for three diagonals, also of the conjugate transpose', function()
    local x = noise(9)
    local any, definite = line(2i + 0.5, 1 - 1i, 0.3i), line(4, 1 + 1i, 1 - 1i)
    for a, m in pairs { [any] = linalg.ilu0(any:sparse 'csr'), [definite] = linalg.ic0(definite:sparse 'csr') } do
      assertSmall(torch.mv(a, m:mv(x)) - x, 1e-13)
      assertSmall(torch.mv(adjoint(a), m:rmv(x)) - x, 1e-13)
      assertSmall(torch.mv(a, m:mv(torch.real(x))) - torch.real(x), 1e-13)
    end
    for _, m in ipairs { linalg.splu(any), linalg.spilu(any, { dropTol = 0 }) } do
      assertSmall(torch.mv(any, m:mv(x)) - x, 1e-13)
      assertSmall(torch.mv(adjoint(any), m:rmv(x)) - x, 1e-13)
    end
    assert.equal('torch.ComplexFloatTensor', linalg.ilu0(any:sparse 'csr'):mv(torch.randn(9):float()):type())
    assert.error_matches(function() linalg.ic0((definite * -1):sparse 'csr') end, 'ic0: a: a pivot of %-4 in row 1, expected positive ones')
  end)

  it('make iterative methods faster', function()
    local size, entries, values = 12, { {}, {} }, {}
    local function add(i, j, value)
      entries[1][#values + 1], entries[2][#values + 1], values[#values + 1] = i, j, value
    end
    for i = 1, size ^ 2 do
      add(i, i, 4 + 0.2i)
      if i % size ~= 0 then
        add(i, i + 1, -1 + 0.1i)
        add(i + 1, i, -1 - 0.1i)
      end
      if i + size <= size ^ 2 then
        add(i, i + size, -1)
        add(i + size, i, -1)
      end
    end
    local a = torch.sparse.coo(torch.LongTensor(entries), torch.ComplexDoubleTensor(values), { size ^ 2, size ^ 2 }):csr()
    local b = noise(size ^ 2)
    local _, slow = linalg.gmres(a, b, { tol = 1e-8 })
    local x, fast = linalg.gmres(a, b, { tol = 1e-8, preconditioner = linalg.ilu0(a) })
    assert.is_true(fast.converged and 2 * fast.iterations < slow.iterations)
    assertSmall(a:mv(x) - b, 1e-6)
  end)
end)

describe('some singular values of complex matrices', function()
  local tall = general:narrow(2, 1, 30):contiguous()

  it("are SciPy's", function()
    for _, own in ipairs { tall, tall:sparse 'csr', linalg.aslinearoperator(tall) } do
      local u, s, vh = linalg.svds(own, 4)
      assertSmall(s - pairsOf(figures.svds), 1e-7)
      assertSmall(product(tall, adjoint(vh)) - torch.cmul(u, s:view(1, 4):expand(n, 4):complexdouble()), 1e-6)
      u, s, vh = linalg.svds(linalg.aslinearoperator(own):t(), 4)
      assertSmall(s - pairsOf(figures.svds), 1e-7)
      assertSmall(product(adjoint(tall), adjoint(vh)) - torch.cmul(u, s:view(1, 4):expand(30, 4):complexdouble()), 1e-6)
    end
  end)

  it('of low rank are found by random projections', function()
    local a = product(noise(20, 3), noise(3, 15))
    for _, own in ipairs { a, a:sparse 'csr', linalg.aslinearoperator(a) } do
      local u, s, vh = linalg.randomizedSvd(own, 3)
      assertSmall(product(torch.cmul(u, s:view(1, 3):expand(20, 3):complexdouble()), vh) - a, 1e-11)
      assert.equal('torch.DoubleTensor', s:type())
    end
  end)

  it('come from products with conjugate transposes', function()
    local a, x, y = noise(3, 2), noise(2), noise(3)
    for _, own in ipairs { linalg.aslinearoperator(a), linalg.aslinearoperator(a:sparse 'csr'), linalg.aslinearoperator(a:sparse()) } do
      assertSmall(own:mv(x) - torch.mv(a, x), 1e-14)
      assertSmall(own:rmv(y) - torch.mv(adjoint(a), y), 1e-14)
      assertSmall(own:t():mv(y) - torch.mv(adjoint(a), y), 1e-14)
    end
  end)
end)
