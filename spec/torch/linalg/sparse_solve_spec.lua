-- Direct solutions of sparse systems: SciPy's figures, dense solutions, gradients by differences, with UMFPACK and without it.
local torch, autograd = require 'torch', require 'autograd'
local figures = require 'spec.torch.linalg.sparse_solve_figures'
local near = require('spec.support.close').within { rtol = 1e-11, atol = 1e-11 }

local linalg, sparse, n = torch.linalg, torch.sparse, figures.n

local function dense(name, columns) return torch.DoubleTensor(figures[name]):view(n, columns or n) end
local function complex(re, im, columns) return torch.complex(dense(re, columns), dense(im, columns)) end

local a, b = dense 'a', dense('b', 2)
local sides = complex('b', 'c', 2)
local zs = a:sparse('csr'):type 'torch.ComplexDoubleTensor'
zs = zs:_with(torch.complex(a:sparse('csr'):values(), dense('im')[a:ne(0)]))

-- The five-point Laplacian of a square of m x m points.
local function laplacian(m)
  local line = sparse.diags({ torch.DoubleTensor { -1 }, torch.DoubleTensor { 2 }, torch.DoubleTensor { -1 } }, { -1, 0, 1 }, { m, m })
  return sparse.kronsum(line, line):csr()
end

local function nearComplex(expected, actual)
  near(torch.viewAsReal(expected:contiguous()), torch.viewAsReal(actual:contiguous()))
end

local hasUmfpack = pcall(linalg.splu, a:sparse(), { solver = 'umfpack' })

describe('spsolveTriangular', function()
  local lower, upper = dense 'lower', dense 'upper'

  it('has the solutions of SciPy', function()
    for _, format in ipairs { 'coo', 'csr' } do
      near(dense('byLower', 2), linalg.spsolveTriangular(lower:sparse(format), b))
      near(dense('byUpper', 2), linalg.spsolveTriangular(upper:sparse(format), b, { lower = false }))
      near(dense('byUnit', 2), linalg.spsolveTriangular(lower:sparse(format), b, { unitDiagonal = true }))
      near(dense('byTransposedLower', 2), linalg.spsolveTriangular(lower:sparse(format), b, { transposed = true }))
      near(dense('byLower', 2):select(2, 1), linalg.spsolveTriangular(lower:sparse(format), b:select(2, 1)))
    end
  end)

  it('ignores the other triangle, and accepts dense matrices, many columns and complex numbers', function()
    local both = lower + torch.triu(upper, 1)
    near(dense('byLower', 2), linalg.spsolveTriangular(both, b))
    local wide = torch.randn(n, 100):double()
    near(torch.solve(upper, wide), linalg.spsolveTriangular(upper, wide, { lower = false }))
    local l = torch.tril(both):sparse 'csr'
    local lz = l:_with(torch.complex(l:values(), l:values() * 0.5))
    local x = linalg.spsolveTriangular(lz, sides)
    nearComplex(sides, torch.csrMatmul(lz:rows(), lz:columns(), lz:values(), x))
    assert.equal('torch.FloatTensor', linalg.spsolveTriangular(lower:float(), b:float()):type())
    near(torch.solve(lower:half():double(), b), linalg.spsolveTriangular(lower:half():sparse(), b))
  end)

  it('has gradients with respect to values and right-hand sides', function()
    local places = lower:sparse 'csr'
    for _, options in ipairs { {}, { transposed = true }, { unitDiagonal = true }, { unitDiagonal = true, transposed = true } } do
      local function f(values, side) return linalg.spsolveTriangular(places:_with(values), side, options) end
      assert(autograd.gradcheck(f, { places:values():clone(), b:clone() }, { order = 2 }))
    end
  end)

  it('names what does not fit', function()
    local function fails(text, ...)
      local arguments = { ... }
      assert.error_matches(function() linalg.spsolveTriangular(unpack(arguments)) end, text)
    end
    fails('csrSolveTriangular: values: 0 on the diagonal in row 2, expected another number', torch.tril(torch.ones(3, 3)) - torch.diag(
      torch.Tensor { 0, 1, 0 }), torch.ones(3))
    fails('spsolveTriangular: a: %[2, 3%], expected a square matrix', torch.ones(2, 3):sparse(), torch.ones(2))
    fails('spsolveTriangular: b: 2 rows, expected 3', torch.eye(3), torch.ones(2))
    fails('spsolveTriangular: a: 3, expected a matrix', 3, torch.ones(2))
    fails('spsolveTriangular: .*upper', torch.eye(3), torch.ones(3), { upper = true })
  end)
end)

for _, solver in ipairs { 'umfpack', 'plain' } do
  describe('sparse LU factors, ' .. solver, function()
    if solver == 'umfpack' and not hasUmfpack then return pending 'needs libumfpack' end
    local options = { solver = solver }

    it("have SciPy's solutions", function()
      for _, format in ipairs { 'coo', 'csr' } do
        near(dense('solution', 2), linalg.spsolve(a:sparse(format), b, options))
        near(dense('solution', 2):select(2, 2), linalg.spsolve(a:sparse(format), b:select(2, 2), options))
        local lu = linalg.splu(a:sparse(format), options)
        near(dense('solution', 2), lu:solve(b))
        near(dense('transposed', 2), lu:solve(b, 'T'))
        near(dense('transposed', 2), lu:solve(b, 'H'))
        assert.same({ n, n }, lu:size():totable())
      end
      near(dense('solution', 2), linalg.spsolve(a, b:sparse(), options))
    end)

    it("have SciPy's complex solutions", function()
      nearComplex(complex('solutionRe', 'solutionIm', 2), linalg.spsolve(zs, sides, options))
      nearComplex(complex('conjugateRe', 'conjugateIm', 2), linalg.splu(zs, options):solve(sides, 'H'))
      local x = linalg.spsolve(a:sparse(), sides, options)
      near(dense('solution', 2), torch.real(x))
      assert.equal('torch.ComplexFloatTensor', linalg.spsolve(zs:type 'torch.ComplexFloatTensor', b:float(), options):type())
    end)

    it('have the common type of matrix and side', function()
      assert.equal('torch.FloatTensor', linalg.spsolve(a:float():sparse(), b:float(), options):type())
      assert.equal('torch.DoubleTensor', linalg.spsolve(a:float():sparse(), b, options):type())
      local whole = torch.LongTensor { { 2, 0 }, { 1, 4 } }
      near(torch.DoubleTensor { 0.5, 0.125 }, linalg.spsolve(whole:sparse(), torch.LongTensor { 1, 1 }, options))
    end)

    it('are the factors of the matrix', function()
      for _, m in ipairs { a, laplacian(7):dense(), torch.eye(5):index(1, torch.LongTensor { 3, 1, 5, 2, 4 }):double() } do
        local lower, upper, rows, columns = linalg.splu(m:sparse(), options):factors()
        near(m:index(1, rows):index(2, columns), lower:dense() * upper:dense())
        near(torch.diag(lower:dense()), torch.ones(m:size(1)))
        assert.equal(0, torch.triu(lower:dense(), 1):abs():sum() + torch.tril(upper:dense(), -1):abs():sum())
      end
    end)

    it("have NumPy's determinant", function()
      local lu = linalg.splu(a:sparse(), options)
      local sign, size = lu:slogdet()
      near(figures.slogdet, { sign, size })
      near({ sign * math.exp(size) }, { lu:det() })
      near({ -1 }, { linalg.splu(torch.eye(3):index(1, torch.LongTensor { 2, 1, 3 }):sparse(), options):det() })
      if solver == 'umfpack' then
        local phase, magnitude = linalg.splu(zs, options):slogdet()
        near(figures.slogdetComplex, { phase.re, phase.im, magnitude })
      end
    end)

    it('have gradients with respect to values and sides', function()
      local places = a:sparse 'csr'
      local function solution(values, side) return linalg.spsolve(places:_with(values), side, options) end
      assert(autograd.gradcheck(solution, { places:values():clone(), b:clone() }, { order = 2 }))
      local function transposed(values, side) return linalg.splu(places:_with(values), options):solve(side, 'T') end
      assert(autograd.gradcheck(transposed, { places:values():clone(), b:select(2, 1):clone() }, { order = 2 }))
      local function logarithm(values) return select(2, linalg.splu(places:_with(values), options):slogdet()) end
      assert(autograd.gradcheck(logarithm, { places:values():clone() }, { order = 2 }))
      local function determinant(values) return linalg.splu(places:_with(values), options):det() end
      assert(autograd.gradcheck(determinant, { places:values():clone() }))
    end)

    it('have gradients of complex systems: those of the dense one by real numbers', function()
      local w = torch.randn(n, 2):double()
      local values, side = zs:values():clone():requiresGrad(), sides:clone():requiresGrad()
      torch.sum(torch.cmul(torch.real(linalg.spsolve(zs:_with(values), side, options)), w)):backward()
      local re, im = a:clone():requiresGrad(), dense('im'):clone():requiresGrad()
      local sideRe, sideIm = dense('b', 2):clone():requiresGrad(), dense('c', 2):clone():requiresGrad()
      local whole = torch.cat(torch.cat(re, torch.neg(im), 2), torch.cat(im, re, 2), 1)
      torch.sum(torch.cmul(torch.narrow(torch.solve(whole, torch.cat(sideRe, sideIm, 1)), 1, 1, n), w)):backward()
      near(sideRe.grad, torch.real(side.grad))
      near(sideIm.grad, torch.imag(side.grad))
      near(re.grad[a:ne(0)], torch.real(values.grad))
      near(im.grad[a:ne(0)], torch.imag(values.grad))
    end)

    it('solve systems of many patterns', function()
      local arrow = torch.eye(300):double() * 4
      arrow:select(1, 1):fill(1)
      arrow:select(2, 1):fill(1)
      arrow[1][1] = 400
      local scaled = sparse.random(150, 150, 0.03):double():add(sparse.eye(150):double():mul(1e-3)):csr()
      local shuffled = torch.eye(80):double():index(1, torch.randperm(80):long()) + sparse.random(80, 80, 0.01):dense():double() * 0.1
      local systems = { arrow = arrow, scaled = scaled:dense(), shuffled = shuffled, laplacian = laplacian(20):dense(),
        one = torch.ones(1, 1) }
      for name, m in pairs(systems) do
        local x = torch.randn(m:size(1)):double()
        local found = linalg.spsolve(m:sparse(), m * x, options)
        assert.is_true((m * found - m * x):norm() <= 1e-11 * (m:norm() * found:norm()), name)
      end
      assert.equal(0, linalg.spsolve(sparse.csr(torch.LongTensor { 1 }, torch.LongTensor(0), torch.Tensor(0), { 0, 0 }),
        torch.Tensor(0), options):nElement())
      assert.same({ 0, 0 }, (linalg.splu(sparse.csr(torch.LongTensor { 1 }, torch.LongTensor(0), torch.Tensor(0), { 0, 0 }), options)
        :factors()):size():totable())
    end)

    it('refuse singular matrices and numbers that are not finite', function()
      local message = 'a: a singular matrix, expected one that can be inverted'
      for _, m in ipairs { torch.zeros(3, 3), torch.ones(3, 3), torch.diag(torch.Tensor { 1, 0, 1 }), torch.tril(torch.ones(3, 3), -1) } do
        assert.error_matches(function() linalg.spsolve(m:sparse(), torch.ones(3), options) end, 'spsolve: ' .. message)
        assert.error_matches(function() linalg.splu(m:sparse(), options) end, 'splu: ' .. message)
      end
      local holes = torch.eye(3):clone()
      holes[2][2] = 0 / 0
      assert.error_matches(function() linalg.splu(holes:sparse(), options) end, 'splu: a: NaN or infinities, expected finite numbers')
    end)
  end)
end

local definite = torch.mm(a, a:t()) + torch.eye(n):double()
local hasCholmod = pcall(linalg.spcholesky, definite, { solver = 'cholmod' })

for _, solver in ipairs { 'cholmod', 'plain' } do
  describe('sparse Cholesky factors, ' .. solver, function()
    if solver == 'cholmod' and not hasCholmod then return pending 'needs libcholmod' end
    local options = { solver = solver }

    it('have the solutions and determinants of dense ones', function()
      for _, m in ipairs { definite, laplacian(8):dense(), torch.diag(torch.range(1, 5):double()), torch.ones(1, 1):double() * 3 } do
        for _, format in ipairs { 'coo', 'csr' } do
          local factors, side = linalg.spcholesky(m:sparse(format), options), torch.randn(m:size(1), 3):double()
          near(torch.solve(m, side), factors:solve(side))
          near(torch.solve(m, side:select(2, 1):clone()), factors:solve(side:select(2, 1), 'T'))
          local lower, order = factors:factors()
          near(m:index(1, order):index(2, order), torch.mm(lower:dense(), lower:dense():t()))
          assert.equal(0, torch.triu(lower:dense(), 1):abs():sum())
          local sign, size = factors:slogdet()
          near({ 1, torch.logdet(m) }, { sign, size })
          near({ torch.logdet(m) }, { math.log(factors:det()) })
        end
      end
      assert.equal('torch.FloatTensor', linalg.spcholesky(definite:float(), options):solve(torch.ones(n):float()):type())
      local z = linalg.spcholesky(definite, options):solve(complex('b', 'c', 2))
      near(torch.solve(definite, dense('b', 2)), torch.real(z))
    end)

    it('are those of the lower triangle, and a preconditioner', function()
      local lower = torch.tril(definite)
      near(torch.solve(definite, b), linalg.spcholesky(lower, options):solve(b))
      local grid, load = laplacian(12), torch.randn(144):double()
      local _, info = linalg.cg(grid, load, { preconditioner = linalg.spcholesky(grid, options), tol = 1e-10 })
      assert.is_true(info.converged and info.iterations <= 2)
    end)

    it('have gradients with respect to values and sides', function()
      local places = definite:sparse 'csr'
      -- Factors are those of a symmetric matrix: symmetric values keep it so.
      local function solution(root, side)
        local values = torch.add(torch.mm(root, torch.t(root)), torch.eye(n):double())
        return linalg.spcholesky(places:_with(torch.index(torch.reshape(values, n * n), 1, places:coo():_linear())), options):solve(side)
      end
      assert(autograd.gradcheck(solution, { a:clone(), b:clone() }))
      local function logarithm(root)
        local values = torch.add(torch.mm(root, torch.t(root)), torch.eye(n):double())
        local s = places:_with(torch.index(torch.reshape(values, n * n), 1, places:coo():_linear()))
        return select(2, linalg.spcholesky(s, options):slogdet())
      end
      local root = torch.DoubleTensor(n, n):normal()
      places = (torch.mm(root, root:t()) + torch.eye(n):double()):sparse 'csr'
      assert(autograd.gradcheck(logarithm, { root }))
    end)

    it('of Hermitian matrices have the solutions of dense ones, and those of conjugates for the transpose', function()
      local function adjoint(x) return torch.conj(x:t()) end
      for _, size in ipairs { 1, 5, 40 } do
        local root = torch.complex(torch.randn(size, size), torch.randn(size, size))
        root:cmul(torch.lt(torch.rand(size, size), 4 / size):double():complexdouble())
        local m = torch.mm(root, adjoint(root)) + torch.eye(size)
        local read = torch.tril(m) + torch.complex(torch.zeros(size, size), torch.eye(size))      -- the diagonal counts as real
        local factors, side = linalg.spcholesky(read:sparse 'csr', options), torch.complex(torch.randn(size, 2), torch.randn(size, 2))
        local function solves(matrix, x) assert.is_true(torch.abs(torch.mm(matrix, x) - side):max() < 1e-12) end
        solves(m, factors:solve(side))
        solves(m:t(), factors:solve(side, 'T'))
        solves(m, factors:solve(side, 'H'))
        assert.is_true(torch.abs(torch.mv(m, factors:solve(torch.real(side:select(2, 1)))) - torch.real(side:select(2, 1))):max() < 1e-12)
        if solver == 'cholmod' then
          local lower, order = factors:factors()
          lower = lower:dense()
          assert.is_true(torch.abs(torch.mm(lower, adjoint(lower)) - m:index(1, order):index(2, order)):max() < 1e-12)
          local sign, logarithm = factors:slogdet()
          assert.is_true((sign - 1):abs() < 1e-12 and math.abs(logarithm - (select(2, torch.slogdet(m)))[1]) < 1e-11)
        else
          assert.error_matches(function() factors:factors() end, 'spcholesky: a: factors of complex numbers, which only CHOLMOD has')
        end
        local all = m:sparse 'csr'
        local z = root:clone():requiresGrad()
        local function loss(own)
          local product = torch.mm(own, torch.conj(torch.t(own))) + torch.eye(size):complexdouble()
          local values = torch.index(torch.reshape(product, size * size), 1, all:coo():_linear())
          local x = linalg.spcholesky(all:_with(values), options):solve(side)
          return torch.sum(torch.cmul(torch.real(x), torch.real(side)), 1) + torch.sum(torch.imag(x), 1)
        end
        if size == 5 then
          torch.sum(loss(z)):backward()
          for _, step in ipairs { 1e-6, 1e-6i } do
            local above, below = root:clone(), root:clone()
            above[2][2], below[2][2] = root[2][2] + step, root[2][2] - step
            local slope = (torch.sum(loss(above)) - torch.sum(loss(below))) / 2e-6
            local own = step == 1e-6 and z.grad[2][2].re or z.grad[2][2].im
            assert.is_true(math.abs(slope - own) < 1e-5 * math.max(1, math.abs(slope)))
          end
        end
      end
    end)

    it('refuse matrices that are not positive definite', function()
      local grid = laplacian(30):dense() - torch.eye(900)
      for _, m in ipairs { torch.eye(3) * -1, torch.ones(2, 2) - torch.eye(2), torch.zeros(2, 2), grid } do
        assert.error_matches(function() linalg.spcholesky(m:sparse(), options) end,
          'spcholesky: a: a pivot in row %d+ that is not positive, expected a positive definite matrix')
      end
      local hermitian = torch.ComplexDoubleTensor { { 1, 2i }, { -2i, 1 } }
      assert.error_matches(function() linalg.spcholesky(hermitian, options) end, 'spcholesky: a: a pivot in row 2 that is not positive')
      assert.error_matches(function() linalg.spcholesky(torch.ones(2, 3), options) end, 'spcholesky: a: %[2, 3%], expected a square matrix')
      local none = sparse.csr(torch.LongTensor { 1 }, torch.LongTensor(0), torch.Tensor(0), { 0, 0 })
      assert.equal(0, linalg.spcholesky(none, options):solve(torch.Tensor(0)):nElement())
    end)
  end)
end

describe('sparse LU factors', function()
  it('in Lua create few entries', function()
    local count = 1000
    local steps = torch.range(2, count):long()
    local first = torch.LongTensor(count - 1):fill(1)
    local rows = torch.cat({ torch.range(1, count):long(), steps, first }, 1)
    local columns = torch.cat({ torch.range(1, count):long(), first, steps }, 1)
    local arrow = sparse.coo(torch.stack({ rows, columns }, 1), torch.ones(rows:size(1)):add(-0.5):double(), { count, count })
    local lower, upper = linalg.splu(arrow:add(sparse.eye(count):mul(count)), { solver = 'plain' }):factors()
    assert.is_true(lower:nnz() < 2 * count + 10 and upper:nnz() < 2 * count + 10)
    -- SciPy's minimum degree gives 185673 of a grid of 100 x 100.
    assert.is_true(linalg.splu(laplacian(30), { solver = 'plain' }):factors():nnz() < 14000)
  end)

  it('are those of factorized', function()
    local solve = linalg.factorized(a:sparse())
    near(dense('solution', 2), solve(b))
    near(dense('solution', 2):select(2, 1), solve(b:select(2, 1)))
    assert.error_matches(function() linalg.factorized(torch.zeros(2, 2):sparse()) end, 'factorized: a: a singular matrix')
  end)

  it('name what does not fit', function()
    assert.error_matches(function() linalg.spsolve(a:sparse(), torch.ones(2)) end, 'spsolve: b: 2 rows, expected 9')
    assert.error_matches(function() linalg.splu(torch.ones(2, 3):sparse()) end, 'splu: a: %[2, 3%], expected a square matrix')
    assert.error_matches(function() linalg.splu(a, { solver = 'lapack' }) end, "splu: solver: 'lapack', expected")
    assert.error_matches(function() linalg.splu(a):solve(b, 'X') end, "solve: trans: 'X', expected")
    assert.error_matches(function() linalg.splu(zs, { solver = 'plain' }):det() end, 'complex numbers, which only UMFPACK has')
  end)

  it('refuse places that a program moved outside of the matrix', function()
    local outside = 'a: columns: %-7 to %-7, expected 1 to 3, the number of columns'
    for _, name in ipairs { 'splu', 'spcholesky', 'spilu', 'ilu0', 'ic0', 'factorized' } do
      local c = torch.eye(3):sparse 'csr'
      c:columns():fill(-7)
      assert.error_matches(function() linalg[name](c) end, name .. ': ' .. outside)
    end
    for _, solver in ipairs { 'auto', 'plain' } do
      local c = torch.eye(3):sparse 'csr'
      c:rows()[2] = 100
      assert.error_matches(function() linalg.spsolve(c, torch.ones(3), { solver = solver }) end,
        'spsolve: a: rows: some are less than the one before, expected ascending positions')
    end
    local c, k = torch.eye(3):sparse 'csc', torch.eye(3):sparse 'coo'
    c:rows():fill(9)
    k:indices():fill(9)
    assert.error_matches(function() linalg.splu(c) end, 'splu: a: rows: 9 to 9, expected 1 to 3')
    assert.error_matches(function() linalg.splu(k) end, 'splu: a: indices: 9 in row 1, expected 1 to 3')
  end)

  it('serve after the matrix has changed', function()
    for _, solver in ipairs { 'auto', 'plain' } do
      for _, name in ipairs { 'splu', 'spcholesky' } do
        local c = torch.eye(3):mul(2):double():sparse 'csr'
        local factors = linalg[name](c, { solver = solver })
        c:values():fill(7)
        c:columns():fill(-7)
        near(torch.DoubleTensor(3):fill(0.5), factors:solve(torch.ones(3):double()))
      end
    end
  end)

  it('put entries in order that a program exchanged', function()
    local c = (torch.eye(3) + torch.ones(3, 3)):sparse 'csr'
    c:columns():copy(torch.LongTensor { 3, 2, 1, 3, 2, 1, 3, 2, 1 })
    for _, solver in ipairs { 'auto', 'plain' } do
      near(torch.DoubleTensor(3):fill(0.25), linalg.spsolve(c, torch.ones(3):double(), { solver = solver }))
    end
  end)
end)
