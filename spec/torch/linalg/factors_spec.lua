-- Factorisations, their updates, eigenvalues, norms and products of torch.linalg: figures of SciPy and NumPy, identities, errors.
local torch = require 'torch'
local gradcheck = require('autograd').gradcheck
local figures = require 'spec.torch.linalg.figures'
local assertClose = require('spec.support.close').assertClose

local linalg = torch.linalg
local input = {}
for name, rows in pairs(figures.inputs) do input[name] = torch.DoubleTensor(rows) end
local square, tall, wide, cost, observed = input.square, input.tall, input.wide, input.cost, input.observed
local rolled = torch.cat({ tall:narrow(1, 5, 1), tall:narrow(1, 1, 4) }, 1)
local shears = input.shears:view(2, 3, 6)
local outer = torch.ger(input.c, input.c)
local function column(x) return x:select(2, 1) end

local calls = {
  luFactor = function() return (linalg.luFactor(square)) end,
  ['luFactor pivots'] = function() return select(2, linalg.luFactor(square)):double() end,
  choFactor = function() return linalg.choFactor(cost) end,
  choSolve = function() return linalg.choSolve(torch.cholesky(cost), input.control) end,
  ['polar right'] = function() return torch.cat({ linalg.polar(tall) }, 1) end,
  ['polar left'] = function() return (select(2, linalg.polar(wide, 'left'))) end,
  matrixBalance = function() return (linalg.matrixBalance(input.unbalanced)) end,
  eigvalshTridiagonal = function() return linalg.eigvalshTridiagonal(input.c, input.r:narrow(1, 1, 5)) end,
  eigvalsBanded = function() return linalg.eigvalsBanded(input.bandsSymmetric) end,
  svdvals = function() return linalg.svdvals(tall) end, pinvh = function() return linalg.pinvh(outer) end,
  subspaceAngles = function() return linalg.subspaceAngles(tall, observed) end,
  orthogonalProcrustes = function() return (linalg.orthogonalProcrustes(tall, rolled)) end,
  ['orthogonalProcrustes scale'] = function() return torch.DoubleTensor { (select(2, linalg.orthogonalProcrustes(tall, rolled))) } end,
  lstsq = function() return (linalg.lstsq(tall, observed)) end,
  ['lstsq residuals'] = function() return (select(2, linalg.lstsq(tall, observed))) end,
  ['lstsq singular values'] = function() return (select(4, linalg.lstsq(tall, observed))) end,
  vectorNorm = function()
    local list = {}
    for i, p in ipairs { 2, 1, 3.5, 0, math.huge, -math.huge, -1 } do list[i] = linalg.vectorNorm(tall, p) end
    return torch.DoubleTensor(list)
  end,
  norm = function()
    return torch.DoubleTensor { linalg.norm(tall), linalg.norm(tall, 1), linalg.norm(tall, 2), linalg.norm(input.c, 3) }
  end,
  multiDot = function() return linalg.multiDot { observed:t(), tall, wide } end,
  tensorsolve = function() return linalg.tensorsolve(shears, column(input.sides):clone():view(2, 3)) end,
  tensorinv = function() return linalg.tensorinv(shears, 2):view(6, 6) end,
  choleskyUpdate = function() return linalg.choleskyUpdate(torch.cholesky(cost), column(input.control)) end,
  ['qr complete'] = function() return torch.abs((select(2, linalg.qr(tall, 'complete')))) end,
}

describe("torch.linalg has SciPy's and NumPy's results:", function()
  for name, figure in pairs(figures.factors) do
    it(name, function()
      if type(figure) == 'number' then figure = { figure } end
      assertClose(torch.DoubleTensor(figure), calls[name](), { rtol = 1e-12, atol = 1e-12 })
    end)
  end
end)

local function random(...) return torch.randn(...):double() end
local function eye(n) return torch.eye(n):double() end

describe('factors', function()
  it('of LU solve systems and their transposes, in batches', function()
    local a, b = random(2, 5, 5), random(2, 5, 2)
    a:add(6, torch.flip(eye(5), { 1 }):view(1, 5, 5):expand(2, 5, 5))      -- which pivots exchange, and well conditioned
    local lu, pivots = linalg.luFactor(a)
    assert.equal('torch.IntTensor', pivots:type())
    assertClose(b, torch.matmul(a, linalg.luSolve(lu, pivots, b)), 1e-11)
    assertClose(b, torch.matmul(a:transpose(2, 3), linalg.luSolve(lu, pivots, b, { transposed = true })), 1e-11)
    for _, sizes in ipairs { { 5, 3 }, { 3, 5 } } do
      local x = random(unpack(sizes))
      local packed, order = linalg.luFactor(x)
      local _, l, u = torch.lu(x)
      local k = math.min(unpack(sizes))
      assertClose(torch.tril(l, -1), torch.tril(packed, -1):narrow(2, 1, k))
      assertClose(u, torch.triu(packed):narrow(1, 1, k))
      assert.equal(k, order:size(1))
    end
    local _, _, status = linalg.luFactorEx(torch.zeros(2, 2))
    assert.equal(1, status)
    assert.is_true(gradcheck(function(x, y)
      local f, p = linalg.luFactor(x)
      return linalg.luSolve(f, p, y)
    end, { a[1]:clone():requiresGrad(), b[1]:clone():requiresGrad() }))
  end)

  it('of symmetric matrices multiply to the matrix, with blocks of one and two rows', function()
    for n = 1, 9 do
      local a = random(n, n)
      a = a + a:t()
      for i = 1, n, 2 do a[i][i] = n == 1 and 1 or 0 end
      for _, upper in ipairs { false, true } do
        local half = upper and torch.triu(a) or torch.tril(a)
        local l, d, perm = linalg.ldl(half, { upper = upper })
        assertClose(a, l * d * l:t(), 1e-12)
        assert.equal(0, torch.triu(l:index(1, perm), 1):abs():sum())
        assert.equal(0, torch.triu(d, 2):abs():sum())
      end
      local b = random(n, 2)
      assertClose(b, a * linalg.ldlSolve(linalg.ldlFactor(a), select(2, linalg.ldlFactor(a)), b), 1e-9)
    end
    local batch = random(2, 4, 4)
    batch = batch + batch:transpose(2, 3)
    local ld, pivots = linalg.ldlFactor(batch)
    local b = random(4)
    assertClose(torch.expand(b:view(4, 1), 2, 4, 1), torch.matmul(batch, linalg.ldlSolve(ld, pivots, b):view(2, 4, 1)), 1e-10)
    assert.equal(2, (select(3, linalg.ldlFactorEx(torch.diag(torch.DoubleTensor { 1, 0, 0 })))))
    assert.equal(0, (select(3, linalg.ldlFactorEx(torch.DoubleTensor { { 0, 1 }, { 1, 0 } }))))
  end)

  it('with a status raise no error', function()
    local factor, status = linalg.choleskyEx(cost)
    assertClose(torch.cholesky(cost), factor)
    assert.equal(0, status)
    assert.equal(2, (select(2, linalg.choleskyEx(torch.diag(torch.DoubleTensor { 1, -1 })))))
    assert.equal(1, (select(2, linalg.invEx(torch.zeros(2, 2)))))
    local x, info = linalg.solveEx(torch.diag(torch.DoubleTensor { 1, 0 }), torch.DoubleTensor { 1, 2 })
    assert.equal(2, info)
    assert.is_true(torch.isnan(x):all() ~= 0)
    assert.error_matches(function() linalg.invEx(torch.zeros(2, 3)) end, 'invEx: a: %[2, 3%], expected a square matrix')
  end)

  it('of other forms multiply to the matrix', function()
    for n = 1, 7 do
      local a = random(2, n, n)
      local h, q = linalg.hessenberg(a)
      local qt = q:transpose(2, 3)
      assertClose(a, torch.matmul(torch.matmul(q, h), qt), 1e-12)
      assertClose(eye(n):expand(2, n, n), torch.matmul(q, qt), 1e-13)
      assert.equal(0, torch.tril(h, -2):abs():sum())
    end
    local r, q = linalg.rq(wide)
    assertClose(wide, r * q, 1e-13)
    assertClose(eye(3), q * q:t(), 1e-13)
    assert.equal(0, torch.tril(r, -1):abs():sum())
    local u, p = linalg.polar(wide, 'left')
    assertClose(wide, p * u, 1e-13)
    local b, t = linalg.matrixBalance(input.unbalanced)
    assertClose(input.unbalanced, t * b * torch.inverse(t))
    local whole, triangle = linalg.qr(tall, 'complete')
    assertClose(eye(5), whole * whole:t(), 1e-13)
    assertClose(tall, whole * triangle, 1e-13)
    assertClose(linalg.qr(tall, 'r'), triangle:narrow(1, 1, 3), 1e-13)
    local c = random(2, 5)
    assertClose(c * whole, (linalg.qrMultiply(tall, c)), 1e-12)
    assertClose(whole * c:t(), (linalg.qrMultiply(tall, c:t(), 'left')), 1e-12)
    local full, s, vh = linalg.svd(wide)
    assertClose(wide, full * linalg.diagsvd(s, 3, 5) * vh, 1e-13)
    assert.same({ 3, 5 }, linalg.svd(wide, false) and (select(3, linalg.svd(wide, false))):size():totable())
  end)

  it('have derivatives', function()
    local function tracked(x) return { x:clone():requiresGrad() } end
    assert.is_true(gradcheck(linalg.polar, tracked(tall)))
    assert.is_true(gradcheck(linalg.rq, tracked(wide)))
    assert.is_true(gradcheck(function(x) return linalg.choleskyUpdate(x, x[1]) end, tracked(torch.cholesky(cost))))
    assert.is_true(gradcheck(function(x) return linalg.eigvalshTridiagonal(x, x:narrow(1, 1, 5)) end, tracked(input.c)))
    assert.is_true(gradcheck(linalg.eigvalsBanded, tracked(input.bandsSymmetric)))
    assert.is_true(gradcheck(function(x) return linalg.lstsq(x, observed) end, tracked(tall)))
    assert.is_true(gradcheck(function(x) return linalg.vectorNorm(x, 3, 1) end, tracked(tall)))
  end)
end)

describe('updated factors', function()
  it("of Cholesky are those of the changed matrix, and return", function()
    local a, x = random(2, 5, 5), random(2, 5)
    local l = torch.cholesky(torch.matmul(a, a:transpose(2, 3)) + eye(5):expand(2, 5, 5))
    local larger = linalg.choleskyUpdate(l, x)
    local xs = x:view(2, 5, 1)
    local function squared(y) return torch.matmul(y, y:transpose(2, 3)) end
    assertClose(squared(l) + squared(xs), squared(larger), 1e-12)
    assertClose(l, linalg.choleskyDowndate(larger, x), 1e-11)
    assert.error_matches(function() linalg.choleskyDowndate(eye(2), torch.DoubleTensor { 1, 1 }) end,
      'choleskyDowndate: x: the changed matrix is not positive definite')
  end)

  for _, sizes in ipairs { { 4, 4 }, { 5, 3 }, { 3, 5 }, { 1, 1 } } do
    local m, n = unpack(sizes)
    it(('of Q R are those of the changed matrix, %d by %d'):format(m, n), function()
      local a = random(m, n)
      local q, r = linalg.qr(a, 'complete')
      local function holds(expected, basis, upper)
        assertClose(expected, basis * upper, 1e-12)
        assertClose(eye(basis:size(1)), basis * basis:t(), 1e-12)
        assert.is_true(torch.tril(upper, -1):abs():max() < 1e-13)
      end
      local u, v = random(m), random(n)
      holds(a + torch.ger(u, v), linalg.qrUpdate(q, r, u, v))
      local function with(x, k, dim)
        local parts = {}
        if k > 1 then parts[1] = a:narrow(dim, 1, k - 1) end
        parts[#parts + 1] = x
        if k <= a:size(dim) then parts[#parts + 1] = a:narrow(dim, k, a:size(dim) - k + 1) end
        return torch.cat(parts, dim)
      end
      local function without(k, dim)
        local parts = {}
        if k > 1 then parts[1] = a:narrow(dim, 1, k - 1) end
        if k < a:size(dim) then parts[#parts + 1] = a:narrow(dim, k + 1, a:size(dim) - k) end
        return torch.cat(parts, dim)
      end
      for k = 1, m + 1 do holds(with(v:view(1, n), k, 1), linalg.qrInsert(q, r, v, k)) end
      for k = 1, n + 1 do holds(with(u:view(m, 1), k, 2), linalg.qrInsert(q, r, u, k, 'col')) end
      if m > 1 then
        for k = 1, m do holds(without(k, 1), linalg.qrDelete(q, r, k)) end
      end
      if n > 1 then
        for k = 1, n do holds(without(k, 2), linalg.qrDelete(q, r, k, 'col')) end
      end
    end)
  end
end)

describe('spectra and products', function()
  it('agree with each other', function()
    local a = square + square:t()
    local values, vectors = linalg.eigh(a)
    assertClose(a, vectors * torch.diag(values) * vectors:t(), 1e-12)
    assertClose(values, linalg.eigvalsh(torch.triu(a), true), 1e-12)
    assertClose(values, linalg.eigvalsh(torch.tril(a)), 1e-12)
    assert.same({ 4 }, linalg.eigvals(square):size():totable())
    local d, v = linalg.eighTridiagonal(input.c, input.r:narrow(1, 1, 5))
    assertClose(linalg.eigvalshTridiagonal(input.c, input.r:narrow(1, 1, 5)), d, 1e-12)
    assertClose(eye(6), v:t() * v, 1e-12)
    local lower = torch.DoubleTensor { { 2, 2, 2 }, { -1, -1, 0 } }
    assertClose((linalg.eigBanded(lower, { lower = true })), linalg.eigvalsBanded(torch.DoubleTensor { { 0, -1, -1 }, { 2, 2, 2 } }), 1e-13)
    local basis = linalg.orth(tall * torch.ones(3, 4):double())
    assert.same({ 5, 1 }, basis:size():totable())
    assertClose(1, torch.norm(basis), 1e-13)
    local x = random(2, 3)
    assertClose(torch.sum(torch.cmul(x, x), 2):view(2), linalg.vecdot(x, x), 1e-14)
    assertClose(x:t(), linalg.matrixTranspose(x))
    local vector, chain = random(3), { random(3), random(3, 4), random(4, 2), random(2) }
    assertClose(chain[1] * (chain[2] * (chain[3] * chain[4])), linalg.multiDot(chain), 1e-12)
    assertClose(chain[2]:t() * vector, linalg.multiDot { vector, chain[2] }, 1e-13)
    local found, residuals, rank, s = linalg.lstsq(random(2, 5, 3), random(5))
    assert.same({ { 2, 3 }, { 2, 1 }, { 2 }, { 2, 3 } },
      { found:size():totable(), residuals:size():totable(), rank:size():totable(), s:size():totable() })
    assert.equal(2, (select(3, linalg.lstsq(torch.diag(torch.DoubleTensor { 1, 1, 1e-20 }), random(3)))))
    assert.equal(1, (select(3, linalg.lstsq(torch.diag(torch.DoubleTensor { 1, 0.1 }), random(2), 0.5))))
  end)

  it('say how a matrix is filled', function()
    assert.same({ 2, 1 }, { linalg.bandwidth(torch.Tensor { { 1, 2, 0 }, { 3, 4, 5 }, { 1, 2, 3 } }) })
    assert.same({ 0, 0 }, { linalg.bandwidth(torch.zeros(3, 2)) })
    assert.is_true(linalg.issymmetric(cost) and linalg.ishermitian(cost))
    assert.is_false(linalg.issymmetric(square))
    assert.is_false(linalg.issymmetric(tall))
    assert.is_true(linalg.issymmetric(torch.Tensor { { 1, 2 }, { 2.01, 1 } }, 0, 0.1))
  end)

  it('refuse other arguments in words', function()
    local function fails(message, name, ...)
      local arguments = { ... }
      assert.error_matches(function() linalg[name](unpack(arguments)) end, message)
    end
    fails('luSolve: pivots: 2 numbers, expected 3', 'luSolve', torch.eye(3), torch.IntTensor { 1, 2 }, torch.ones(3))
    fails('luSolve: pivots: 9 at 1, expected 1 to 2', 'luSolve', torch.eye(2), torch.IntTensor { 9, 2 }, torch.ones(2))
    fails('ldlSolve: pivots: 7 at 1', 'ldlSolve', torch.eye(2), torch.IntTensor { 7, 2 }, torch.ones(2))
    fails("polar: side: 'up', expected", 'polar', torch.eye(2), 'up')
    fails('rq: a: 3 rows', 'rq', torch.ones(3, 2))
    fails('qrInsert: k: 5, expected a whole number from 1 to 3', 'qrInsert', torch.eye(2), torch.eye(2), torch.ones(2), 5)
    fails('qrDelete: k: the only row', 'qrDelete', torch.eye(1), torch.eye(1), 1)
    fails('qrUpdate: r: %[3, 2%], expected 2 rows', 'qrUpdate', torch.eye(2), torch.ones(3, 2), torch.ones(2), torch.ones(2))
    fails('eighTridiagonal: e: 3 elements, expected 2', 'eighTridiagonal', torch.ones(3), torch.ones(3))
    fails('eigBanded: ab: 3 rows and 2 columns', 'eigBanded', torch.ones(3, 2))
    fails('multiDot: list%[2%]: %[2, 2%], expected 3 rows', 'multiDot', { torch.ones(2, 3), torch.ones(2, 2) })
    fails('multiDot: list: 1 tensors', 'multiDot', { torch.ones(2, 3) })
    fails('tensorsolve: a: %[2, 3%], expected the sizes of b', 'tensorsolve', torch.ones(2, 3), torch.ones(2))
    fails('tensorinv: a: %[2, 3%], expected as many', 'tensorinv', torch.ones(2, 3), 1)
    fails('vectorNorm: dim: dimension 3 out of range', 'vectorNorm', torch.ones(2, 3), 2, 3)
  end)
end)
