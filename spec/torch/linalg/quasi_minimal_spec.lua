-- Quasi-minimal residuals, GMRES that keeps directions, incomplete factors, functions of matrices by Krylov's spaces, and questions about
-- sparse matrices: direct solutions, SciPy's matrices, closed forms.
local torch = require 'torch'
local figures = require 'spec.torch.linalg.sparse_solve_figures'
local assertClose = require('spec.support.close').assertClose

local linalg, sparse = torch.linalg, torch.sparse
local methods = { 'qmr', 'tfqmr', 'lgmres', 'gcrotmk' }

local grid = linalg.LaplacianNd({ 9, 9 }, 'dirichlet'):mul(-1)
local lopsided = grid:add(sparse.triu(grid, 1), 0.3):csr()
local load = torch.range(0, 80):double():apply(math.cos)

describe('iterative solutions', function()
  for _, name in ipairs(methods) do
    it(name .. ' finds the solution, of dense and sparse matrices and operators', function()
      for _, a in ipairs { grid, lopsided } do
        local expected = linalg.spsolve(a, load)
        local own = linalg.LinearOperator(81, 81, function(x) return a * x end, function(x) return a:t() * x end)
        for _, form in ipairs { a, a:dense(), own } do
          local seen = 0
          local x, info = linalg[name](form, load, { tol = 1e-11, callback = function() seen = seen + 1 end })
          assertClose(expected, x, 1e-8)
          assert.is_true(info.converged)
          assert.equal(info.iterations, seen)
          assert.equal(('converged in %d iterations'):format(info.iterations), info.message)
          assertClose(torch.norm(a * x - load), info.residual, 1e-12)
        end
        local _, plain = linalg[name](a, load, { tol = 1e-10 })
        for _, preconditioner in ipairs { linalg.ilu0(a), linalg.spilu(a, { dropTol = 0.05 }) } do
          local x, info = linalg[name](a, load, { tol = 1e-11, preconditioner = preconditioner })
          assertClose(expected, x, 1e-7)
          assert.is_true(info.converged and info.iterations < 0.7 * plain.iterations, info.message)
        end
        local near, info = linalg[name](a, load, { x0 = expected })
        assert.equal(0, info.iterations)
        assertClose(expected, near)
      end
    end)

    it(name .. ' says why it did not converge', function()
      local _, info = linalg[name](lopsided, load, { tol = 1e-14, maxIterations = 3 })
      assert.equal(name .. ': no convergence in 3 iterations: more of them, a preconditioner or a larger tol may help', info.message)
      local _, none = linalg[name](torch.zeros(3, 3), torch.ones(3), { maxIterations = 20 })
      assert.is_false(none.converged)
      local x, zero = linalg[name](grid, torch.zeros(81):double())
      assert.is_true(zero.converged and x:eq(0):all() ~= 0)
      assert.error_matches(function() linalg[name](grid, torch.ones(2)) end, name .. ': a: %[81, 81%], expected 2 rows and 2 columns')
      local floats, told = linalg[name](grid:float(), load:float(), { tol = 1e-4 })
      assert.equal('torch.FloatTensor', floats:type())
      assert.is_true(told.converged)
    end)
  end

  it('keep directions where restarts of gmres lose them', function()
    local _, plain = linalg.gmres(lopsided, load, { tol = 1e-10, restart = 8 })
    for _, name in ipairs { 'lgmres', 'gcrotmk' } do
      local _, info = linalg[name](lopsided, load, { tol = 1e-10, restart = 8 })
      assert.is_true(info.converged and info.iterations < 0.5 * plain.iterations, info.message)
      local _, without = linalg[name](lopsided, load, { tol = 1e-10, restart = 40, kept = 0 })
      assert.is_true(without.converged)
    end
    assert.error_matches(function() linalg.lgmres(grid, load, { kept = -1 }) end, 'lgmres: kept: %-1, expected')
  end)
end)

describe('spilu', function()
  it('has the factors where it drops nothing, and fewer entries with a larger tolerance', function()
    local last = math.huge
    for _, tol in ipairs { 0, 1e-2, 1e-1 } do
      local lu = linalg.spilu(lopsided, { dropTol = tol })
      local lower, upper, rows, columns = lu:factors()
      assert.is_true(lower:nnz() < last)
      last = lower:nnz()
      local product = lower:dense() * upper:dense()
      assertClose(load:index(1, rows), product * lu:solve(load):index(1, columns), 1e-12)
      assertClose(load:index(1, columns), product:t() * lu:rmv(load):index(1, rows), 1e-12)
      if tol == 0 then assertClose(lopsided:dense():index(1, rows):index(2, columns), product, 1e-13) end
    end
    assert.error_matches(function() linalg.spilu(torch.zeros(2, 2):sparse()) end, 'spilu: a: a singular matrix')
    assert.error_matches(function() linalg.spilu(grid, { dropTol = -1 }) end, 'spilu: dropTol: %-1, expected')
  end)
end)

describe('funmMultiplyKrylov', function()
  it('is the product with the function of the whole matrix', function()
    local y, info = linalg.funmMultiplyKrylov(linalg.sqrtm, grid, load)
    assertClose(linalg.sqrtm(grid:dense()) * load, y, 1e-10)
    assert.is_true(info.converged and info.iterations < 50)
    assertClose(torch.expm(lopsided:dense() * -0.5) * load, (linalg.funmMultiplyKrylov(torch.expm, lopsided, load, -0.5)), 1e-11)
    local _, few = linalg.funmMultiplyKrylov(linalg.sqrtm, grid, load, 1, { vectors = 4 })
    assert.equal('funmMultiplyKrylov: no convergence with 4 vectors', few.message)
    assert.error_matches(function() linalg.funmMultiplyKrylov(3, grid, load) end, 'funmMultiplyKrylov: f: number, expected a function')
    assertClose(torch.zeros(81):double(), (linalg.funmMultiplyKrylov(torch.expm, grid, torch.zeros(81):double())))
  end)
end)

describe('questions about sparse matrices', function()
  it('are those of the dense matrix', function()
    local s = torch.DoubleTensor { { 1, 0, 2 }, { 0, 3, 0 }, { 0, -4, 0 } }:sparse()
    assert.same({ 1, 2 }, { linalg.spbandwidth(s) })
    assert.same({ linalg.bandwidth(s:dense()) }, { linalg.spbandwidth(s) })
    assert.same({ 0, 0 }, { linalg.spbandwidth(torch.zeros(3, 3):sparse()) })
    assert.same({ false, false }, { linalg.isSptriangular(s) })
    assert.same({ true, false }, { linalg.isSptriangular(sparse.tril(s)) })
    assert.same({ false, true }, { linalg.isSptriangular(sparse.triu(s):csr()) })
    assert.same({ true, true }, { linalg.isSptriangular(torch.eye(2)) })
    assert.equal(7, linalg.onenormest(s))
    assert.equal(7, linalg.onenormest(s:dense()))
    assert.error_matches(function() linalg.spbandwidth(3) end, 'spbandwidth: a: 3, expected a matrix')
  end)

  it('estimate a norm by products', function()
    for _, a in ipairs { grid, lopsided, torch.randn(30, 30):double() } do
      local n, exact = a:size(1), linalg.onenormest(a)
      local own = linalg.LinearOperator(n, n, function(x) return a * x end, function(x) return a:t() * x end)
      local estimate = linalg.onenormest(own)
      assert.is_true(estimate <= exact * (1 + 1e-12) and estimate >= exact / 3)
    end
  end)

  it('have the Laplacians that SciPy has', function()
    for _, boundary in ipairs { 'neumann', 'dirichlet', 'periodic' } do
      assertClose(torch.DoubleTensor(figures[boundary]):view(24, 24), linalg.LaplacianNd({ 3, 4, 2 }, boundary):dense())
    end
    assertClose(torch.DoubleTensor { { -1, 1 }, { 1, -1 } }, linalg.LaplacianNd({ 2 }):dense())
    assert.error_matches(function() linalg.LaplacianNd {} end, 'LaplacianNd: shape: no dimensions')
    assert.error_matches(function() linalg.LaplacianNd({ 2 }, 'open') end, "LaplacianNd: boundary: 'open', expected")
  end)
end)
