-- Iterative methods of torch.linalg: solutions, iterations and eigenvalues of SciPy and of dense methods, preconditioners, messages.
local torch = require 'torch'
local figures = require 'spec.torch.linalg.figures'
local assertClose = require('spec.support.close').assertClose

local linalg = torch.linalg
local iterative = figures.iterative

-- The five-point Laplacian on a grid of 9 by 9, and a load.
local m = 9
local n = m * m
local grid, load = torch.zeros(n, n):double(), torch.DoubleTensor(n)
for i = 1, m do
  for j = 1, m do
    local k = (i - 1) * m + j
    grid[k][k] = 4
    if i > 1 then grid[k][k - m] = -1 end
    if i < m then grid[k][k + m] = -1 end
    if j > 1 then grid[k][k - 1] = -1 end
    if j < m then grid[k][k + 1] = -1 end
    load[k] = math.cos(k - 1)
  end
end
local sparse = grid:sparse 'csr'
local solution = torch.DoubleTensor(iterative.solution)
local lopsided = grid + torch.triu(grid, 1):mul(0.3)
local methods = { 'cg', 'bicg', 'cgs', 'bicgstab', 'gmres', 'minres' }
local function random(...) return torch.randn(...):double() end

describe('iterative solutions', function()
  for _, name in ipairs(methods) do
    it(name .. ' finds the solution, of dense and sparse matrices and operators, in iterations as many as SciPy takes', function()
      local own = linalg.LinearOperator(n, n, function(x) return sparse:mv(x) end, function(x) return sparse:t():mv(x) end)
      for _, a in ipairs { grid, sparse, own } do
        local seen = {}
        local x, info = linalg[name](a, load, { tol = 1e-8, callback = function(at, i, residual) seen[i] = { at:size(1), residual } end })
        assertClose(solution, x, 1e-6)
        assert.is_true(info.converged)
        assert.equal(('converged in %d iterations'):format(info.iterations), info.message)
        assert.equal(info.iterations, #seen)
        assertClose(torch.norm(grid * x - load), info.residual, 1e-12)
        assert.is_true(info.residual <= 1.0001e-8 * torch.norm(load))
        if iterative[name] then assert.is_true(math.abs(info.iterations - iterative[name]) <= 2, info.iterations .. ' iterations') end
      end
      if name ~= 'bicg' then
        assertClose(solution, (linalg[name](function(x) return sparse:mv(x) end, load, { tol = 1e-8 })), 1e-6)
      end
      local floats, told = linalg[name](grid:float(), load:float(), { tol = 1e-4 })
      assert.equal('torch.FloatTensor', floats:type())
      assert.is_true(told.converged)
      local near, info = linalg[name](grid, load, { x0 = solution })
      assert.equal(0, info.iterations)
      assertClose(solution, near)
    end)
  end

  it('of matrices without symmetry are those of solve', function()
    local expected = torch.solve(lopsided, load)
    for _, name in ipairs { 'bicg', 'cgs', 'bicgstab', 'gmres' } do
      local x, info = linalg[name](lopsided:sparse 'csr', load, { tol = 1e-11 })
      assertClose(expected, x, 1e-8, name)
      local faster, told = linalg[name](lopsided:sparse 'csr', load, { tol = 1e-11, preconditioner = linalg.ilu0(lopsided:sparse 'csr') })
      assertClose(expected, faster, 1e-8, name)
      assert.is_true(told.iterations < 0.7 * info.iterations, name)
    end
    assertClose(expected, linalg.factorized(lopsided:sparse 'csr')(load), 1e-12)
  end)

  it('minres solves indefinite systems', function()
    local a = torch.diag(torch.range(-5, 6):double()) + torch.ones(12, 12):double():mul(0.1)
    local b = random(12)
    assertClose(torch.solve(a, b), (linalg.minres(a, b, { tol = 1e-12 })), 1e-9)
  end)

  it('need fewer iterations with preconditioners', function()
    local scales = torch.pow(torch.mul(torch.range(1, n):double(), 0.1), 2)
    local scaled = torch.cmul(torch.cmul(grid, scales:view(n, 1):expand(n, n)), scales:view(1, n):expand(n, n))
    local _, plain = linalg.cg(scaled, load, { tol = 1e-8, maxIterations = 5000 })
    local x, jacobi = linalg.cg(scaled, load, { tol = 1e-8, preconditioner = linalg.jacobi(scaled:sparse 'csr') })
    assert.is_true(jacobi.converged and jacobi.iterations < 0.5 * plain.iterations)
    assertClose(load, scaled * x, 1e-6)
    assert.equal(jacobi.iterations, (select(2, linalg.cg(scaled, load, { tol = 1e-8, preconditioner = linalg.jacobi(scaled) }))).iterations)
    local _, ic = linalg.cg(sparse, load, { tol = 1e-8, preconditioner = linalg.ic0(sparse) })
    assert.is_true(ic.converged and ic.iterations <= 0.5 * iterative.cg)
    assert.is_true((select(2, linalg.minres(sparse, load, { preconditioner = linalg.ic0(sparse) }))).converged)
  end)

  it('incomplete factors are the factors where no entry is missing', function()
    local a = torch.diag(torch.DoubleTensor { 4, 5, 6, 7 })
    for i = 1, 3 do a[i][i + 1], a[i + 1][i] = -1, -2 end
    local b = random(4)
    local ilu = linalg.ilu0(a:sparse 'csr')
    assertClose(torch.solve(a, b), ilu:mv(b), 1e-13)
    assertClose(torch.solve(a:t(), b), ilu:rmv(b), 1e-13)
    local symmetric = torch.tril(a) + torch.tril(a, -1):t()
    for _, scale in ipairs { 1, 1e-6 } do
      assertClose(torch.solve(symmetric * scale, b) * scale, linalg.ic0((symmetric * scale):sparse 'csr'):mv(b) * scale, 1e-13)
    end
  end)

  it('say why they did not converge', function()
    local function message(name, ...) return (select(2, linalg[name](...))).message end
    for _, name in ipairs(methods) do
      assert.equal(name .. ': no convergence in 3 iterations: more of them, a preconditioner or a larger tol may help',
        message(name, grid, load, { tol = 1e-12, maxIterations = 3 }))
    end
    assert.matches('^cg: a direction with p\' a p = %-[%d.]+: the matrix or the preconditioner is not positive', message('cg', -grid, load))
    assert.matches('^gmres: no progress between restarts', message('gmres', torch.zeros(3, 3), torch.ones(3)))
    for _, name in ipairs(methods) do
      local _, info = linalg[name](torch.zeros(3, 3), torch.ones(3), { maxIterations = 5 })
      assert.is_false(info.converged, name)
      local x, none = linalg[name](grid, torch.zeros(n):double())
      assert.is_true(none.converged and x:eq(0):all() ~= 0)
    end
  end)

  it('refuse other arguments in words', function()
    local function fails(text, name, ...)
      local arguments = { ... }
      local line = debug.getinfo(1, 'l').currentline + 1
      local _, message = pcall(function() local x = linalg[name](unpack(arguments)) return x end)
      assert.matches(('iterative_spec%%.lua:%d: %s'):format(line, text), message)
    end
    fails('cg: a: 3, expected a matrix, an operator, or a function of vectors', 'cg', 3, load)
    fails('cg: a: %[81, 81%], expected 2 rows and 2 columns', 'cg', grid, torch.ones(2))
    fails('cg: b: 2 dimensions, expected a vector', 'cg', grid, grid)
    fails('cg: x0: 3 elements, expected 81', 'cg', grid, load, { x0 = torch.ones(3) })
    fails('gmres: .*tolerance', 'gmres', grid, load, { tolerance = 1 })
    fails('LinearOperator: mv: %[2%], expected a vector of 81 elements', 'cg', function() return torch.ones(2) end, load)
    fails('LinearOperator: rmv: nil, expected a function', 'bicg', function(x) return sparse:mv(x) end, load)
    fails('ilu0: a: .*, expected a sparse matrix', 'ilu0', grid)
    fails('ic0: a: a pivot of %-4 in row 1', 'ic0', torch.mul(grid, -1):sparse 'csr')
    fails('ilu0: a: no element at 1 on the diagonal', 'ilu0', torch.DoubleTensor { { 0, 1 }, { 1, 1 } }:sparse 'csr')
    fails('jacobi: a: 0 on the diagonal', 'jacobi', torch.zeros(2, 2))
    fails('factorized: a: U%(1,1%) is zero', 'factorized', torch.zeros(2, 2))
    fails('aslinearoperator: a: %[3%], expected a matrix', 'aslinearoperator', torch.ones(3))
    fails('lsqr: b: 81 elements, expected 3', 'lsqr', torch.ones(3, 2), load)
    fails('eigsh: a: a function, expected a matrix', 'eigsh', function(x) return x end, 2)
    fails("eigsh: which: 'LR', expected", 'eigsh', grid, 2, { which = 'LR' })
    fails('eigsh: k: 90, expected', 'eigsh', grid, 90)
    fails('lobpcg: x: %[3, 2%], expected a matrix', 'lobpcg', torch.eye(3), torch.ones(3, 2))
  end)
end)

describe('iterative least squares', function()
  it("have SciPy's solutions", function()
    for _, name in ipairs { 'lsqr', 'lsmr' } do
      local x, info = linalg[name](sparse, load, { damp = 0.5, tol = 1e-12 })
      assertClose(torch.DoubleTensor(iterative[name]), x, 1e-8, name)
      assert.is_true(info.converged and info.gradient < 1e-8)
    end
  end)

  it('of tall and wide matrices are those of lstsq', function()
    for _, sizes in ipairs { { 20, 6 }, { 6, 20 } } do
      local a, b = random(unpack(sizes)), random(sizes[1])
      for _, name in ipairs { 'lsqr', 'lsmr' } do
        local x, info = linalg[name](a, b, { tol = 1e-13 })
        assertClose(torch.lstsq(a, b), x, 1e-9)
        assertClose(torch.norm(a * x - b), info.residual, 1e-12)
        local _, short = linalg[name](a, b, { tol = 1e-13, maxIterations = 2 })
        assert.equal(name .. ': no convergence in 2 iterations: more of them or a larger tol may help', short.message)
      end
    end
    assertClose(torch.zeros(2), (linalg.lsqr(torch.eye(2), torch.zeros(2))))
  end)
end)

describe('some eigenvalues', function()
  it("of symmetric matrices are SciPy's", function()
    local uneven = grid + torch.diag(torch.range(0, n - 1):double():div(100))
    assertClose(torch.DoubleTensor(iterative['eigsh LM']), (linalg.eigsh(uneven, 3)), 1e-8)
    assertClose(torch.DoubleTensor(iterative['eigsh SA']), (linalg.eigsh(uneven:sparse 'csr', 3, { which = 'SA' })), 1e-8)
    local values, vectors, info = linalg.eigsh(uneven:sparse 'csr', 3, { sigma = 3.3 })
    assertClose(torch.DoubleTensor(iterative['eigsh sigma']), values, 1e-8)
    assertClose(uneven * vectors, vectors * torch.diag(values), 1e-8)
    assert.is_true(info.converged)
  end)

  it('are those of all, at every end', function()
    local a = random(40, 40)
    a = a + a:t()
    local all = torch.symeig(a)
    for which, expected in pairs { LA = all:narrow(1, 37, 4), SA = all:narrow(1, 1, 4) } do
      local values, vectors = linalg.eigsh(function(x) return a * x end, 4, { which = which, n = 40, maxIterations = 2000 })
      assertClose(expected, values, 1e-8)
      assertClose(torch.eye(4), vectors:t() * vectors, 1e-9)
      assertClose(a * vectors, vectors * torch.diag(values), 1e-7)
    end
    assertClose(torch.ones(3), (linalg.eigsh(torch.eye(5), 3)), 1e-13)
    assert.matches('^eigsh: no convergence in 1 restarts', (select(3, linalg.eigsh(grid, 3, { maxIterations = 1, vectors = 5 }))).message)
  end)

  it('of integers are those of doubles', function()
    local whole = torch.diag(torch.range(1, 30)):long()
    whole[1][2], whole[2][1] = 3, 3
    for _, own in ipairs { whole, whole:sparse 'csr', whole:byte() } do
      assertClose(torch.DoubleTensor { 29, 30 }, (linalg.eigsh(own, 2)), 1e-7)
      assertClose(torch.DoubleTensor { 30, 29 }, torch.real((linalg.eigs(own, 2))), 1e-6)
      assertClose(torch.DoubleTensor { 30, 29 }, (select(2, linalg.svds(own, 2))), 1e-6)
      assertClose(torch.DoubleTensor { 30, 29 }, (select(2, linalg.randomizedSvd(own, 2, { iterations = 60 }))), 1e-6)
    end
  end)

  it('of any matrix satisfy their equation', function()
    local a = random(30, 30)
    local all = torch.eig(a)
    local sizes = torch.sort(torch.norm(all, 2, 2):view(30), 1, true)
    for _, which in ipairs { 'LM', 'SM', 'LR', 'SR' } do
      local values, vectors, info = linalg.eigs(a, 3, { which = which })
      assert.is_true(info.converged)
      assert.is_true(torch.abs(torch.matmul(a:complexdouble(), vectors) - torch.matmul(vectors, torch.diag(values))):max() < 1e-9)
      if which == 'LM' then assertClose(sizes:narrow(1, 1, 3), torch.abs(values), 1e-9) end
      if which == 'SR' then assertClose(all:select(2, 1):min(), values[1].re, 1e-9) end
    end
    local far = torch.diag(torch.range(1, 400):double())
    far[400][400] = 1000
    local values, _, info = linalg.eigs(far:sparse 'csr', 1)
    assertClose(1000, values[1].re, 1e-7)
    assert.is_true(info.iterations < 60)
  end)

  it('by lobpcg are those of all, with preconditioners and pencils', function()
    local start = random(n, 2)
    local all = torch.symeig(grid)
    assertClose(all:narrow(1, 1, 2), (linalg.lobpcg(sparse, start, { largest = false, preconditioner = linalg.ic0(sparse) })), 1e-7)
    assertClose(all[n], (linalg.lobpcg(grid, start))[1], 1e-8)
    local b = torch.diag(torch.range(1, n):double())
    local values, vectors, info = linalg.lobpcg(grid, start, { b = b, maxIterations = 500, tol = 1e-7 })
    assert.is_true(info.converged)
    assertClose(grid * vectors, b * vectors * torch.diag(values), 1e-5)
    assertClose(torch.eye(2), vectors:t() * b * vectors, 1e-9)
    assert.matches('^lobpcg: no convergence in 2 iterations', (select(3, linalg.lobpcg(grid, start, { maxIterations = 2 }))).message)
  end)
end)

describe('some singular values', function()
  it("are SciPy's, and those of all", function()
    local tall = torch.DoubleTensor(figures.inputs.tall) * torch.DoubleTensor(figures.inputs.wide):narrow(2, 1, 4)
    local _, s = linalg.svds(tall, 2)
    assertClose(torch.DoubleTensor(iterative.svds), s, 1e-10)
    local a = random(30, 20)
    for _, x in ipairs { a, a:t(), a:sparse 'csr' } do
      local u, values, vh, info = linalg.svds(x, 3)
      local dense = torch.isTensor(x) and x or a
      assertClose(linalg.svdvals(a):narrow(1, 1, 3), values, 1e-10)
      assertClose(torch.diag(values), u:t() * dense * vh:t(), 1e-10)
      assertClose(torch.eye(3), vh * vh:t(), 1e-10)
      assert.is_true(info.converged)
    end
  end)

  it('by random projections are exact for a low rank, and close otherwise', function()
    local low = random(40, 4) * random(4, 30)
    local u, s, vh = linalg.randomizedSvd(low, 4)
    assertClose(low, u * torch.diag(s) * vh, 1e-10)
    u, s, vh = linalg.randomizedSvd(low:sparse 'csr', 4)
    assertClose(low, u * torch.diag(s) * vh, 1e-10)
    local a = random(60, 40)
    assertClose(linalg.svdvals(a):narrow(1, 1, 3), (select(2, linalg.randomizedSvd(a, 3, { iterations = 12 }))), 1e-2)
  end)
end)

describe('expmMultiply', function()
  it('is the product with the exponential', function()
    for _, t in ipairs { 0.1, 1, -2 } do
      local y, info = linalg.expmMultiply(sparse, load, t)
      local expected = torch.expm(torch.mul(grid, t)) * load
      assertClose(expected, y, 1e-11 * math.max(1, torch.norm(expected)))
      assert.is_true(info.converged and info.iterations < n)
    end
    local a, b = random(5, 5), random(5)
    assertClose(torch.expm(a) * b, (linalg.expmMultiply(function(x) return a * x end, b)), 1e-12)
    assertClose(torch.zeros(5), (linalg.expmMultiply(a, torch.zeros(5):double())))
    assert.matches('^expmMultiply: no convergence with 5 vectors', (select(2, linalg.expmMultiply(grid, load, 5, { vectors = 5 }))).message)
  end)
end)

describe('a linear operator', function()
  it('multiplies vectors and matrices, and has a transpose', function()
    local a = random(3, 2)
    local own = linalg.aslinearoperator(a)
    assert.equal(own, linalg.aslinearoperator(own))
    assert.same({ 3, 2, 3, 2 }, { own:size(1), own:size(2), own:size():totable()[1], own:size():totable()[2] })
    local x, y = random(2), random(3)
    assertClose(a * x, own:mv(x))
    assertClose(a:t() * y, own:rmv(y))
    assertClose(a:t() * y, own:t():mv(y))
    assertClose(a * x, own:t():rmv(x))
    assertClose(a * a:t(), own:mm(a:t()), 1e-14)
  end)
end)

describe('iterative methods', function()
  local names = { 'cg', 'bicg', 'bicgstab', 'cgs', 'gmres', 'lgmres', 'gcrotmk', 'minres', 'qmr', 'tfqmr', 'lsqr', 'lsmr',
    'expmMultiply' }
  local spectra = { 'eigsh', 'eigs', 'svds', 'randomizedSvd' }
  local square, b = torch.eye(6):double():mul(3), torch.ones(6):double()
  square[1][2], square[2][1] = 1, 1
  local missing = square:clone()
  missing[2][2] = 0 / 0

  local function refused(message, f, ...)
    local arguments = { ... }
    assert.error_matches(function() f(unpack(arguments)) end, (message:gsub('%p', '%%%0')))
  end

  it('record nothing', function()
    for _, f in ipairs(names) do
      local tracked = square:clone():requiresGrad()
      local function product(x) return torch.mv(tracked, x) end
      local x = linalg[f](tracked, b:clone():requiresGrad())
      assert.is_false(x:isTracked())
      assertClose((linalg[f](square, b)), x)
      assertClose(x, (linalg[f](tracked:sparse 'csr', b)))
      if f ~= 'lsqr' and f ~= 'lsmr' and f ~= 'bicg' and f ~= 'qmr' then assertClose(x, (linalg[f](product, b))) end
    end
    for _, f in ipairs(spectra) do
      for _, a in ipairs { square:clone():requiresGrad(), square:clone():requiresGrad():sparse 'csr' } do
        assert.is_false(linalg[f](a, 2):isTracked())
      end
    end
    assert.is_false(linalg.eigsh(square:clone():requiresGrad(), 2, { sigma = 0.5 }):isTracked())
    assert.is_false(linalg.lobpcg(square:clone():requiresGrad(), torch.randn(6, 2)):isTracked())
    local factors = linalg.splu(square:clone():requiresGrad())
    assert.is_false(linalg.cg(square, b, { preconditioner = factors }):isTracked())
  end)

  it('refuse matrices that are not square where values are those of squares', function()
    for _, f in ipairs { 'eigsh', 'eigs' } do
      refused(f .. ': a: [3, 2], expected a square matrix', linalg[f], torch.ones(3, 2), 1)
      refused(f .. ': a: [3, 2], expected a square matrix', linalg[f], torch.ones(3, 2):sparse 'csr', 1)
    end
  end)

  it('refuse NaN where no result follows, and matrices without elements', function()
    for _, f in ipairs(spectra) do refused(f .. ': a: NaN or infinities, expected finite numbers', linalg[f], missing, 2) end
    refused('lobpcg: a: NaN or infinities, expected finite numbers', linalg.lobpcg, missing, torch.randn(6, 2))
    refused('expmMultiply: a: NaN or infinities, expected finite numbers', linalg.expmMultiply, missing, b)
    refused('expmMultiply: b: NaN or infinities, expected finite numbers', linalg.expmMultiply, square, missing[2])
    refused('eigsh: start: NaN or infinities, expected finite numbers', linalg.eigsh, square, 2, { start = missing[2] })
    refused('eigsh: start: zeros, expected a vector with a direction', linalg.eigsh, square, 2, { start = torch.zeros(6) })
    refused('lobpcg: x: [3, 0], expected 1 or more columns', linalg.lobpcg, torch.eye(3), torch.zeros(3, 0))
    for _, a in ipairs { torch.zeros(0, 0), torch.zeros(0, 0):sparse(), torch.zeros(0) } do
      refused('jacobi: a: no elements, expected 1 or more', linalg.jacobi, a)
    end
  end)
end)
