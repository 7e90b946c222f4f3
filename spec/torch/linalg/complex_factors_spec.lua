-- Factors l d l' of complex matrices, and updates of Cholesky's and Q R factors: products, and factors of the changed matrix.
local torch = require 'torch'
local adjoint = require('torch.names.complex').adjoint

local linalg, product = torch.linalg, torch.matmul

local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end
local function assertNear(expected, actual, limit, what)
  assert.same(expected:size():totable(), actual:size():totable(), what)
  local worst = torch.abs(torch.csub(actual, expected)):max()
  assert.is_true(worst <= limit, ('%s: %g'):format(what or 'difference', worst))
end

describe('l d l of complex matrices', function()
  for _, case in ipairs { { true, false }, { true, true }, { false, false }, { false, true } } do
    local isHermitian, upper = unpack(case)
    it(('gives %s matrices back, and solves systems, by the %s triangle'):format(isHermitian and 'Hermitian' or 'symmetric',
      upper and 'upper' or 'lower'), function()
      local options = { hermitian = isHermitian }
      local function turned(x) return isHermitian and adjoint(x) or torch.transpose(x, -2, -1) end
      for n = 1, 8 do
        local z = noise(2, n, n)
        local a = torch.add(z, turned(z))
        if n > 2 then a:diagonal(0, 2, 3):mul(1e-3) end                 -- so that blocks have two rows
        local read = (upper and torch.triu or torch.tril)(a)
        local l, d, perm = linalg.ldl(read, { hermitian = isHermitian, upper = upper })
        assertNear(a, product(product(l, d), turned(l)), 1e-12, 'product')
        assert.is_true(d:equal(turned(d)))
        for m = 1, 2 do
          local ordered = l[m]:index(1, perm[m])
          assertNear(ordered, torch.tril(ordered), 0, 'triangle')
        end
        local ld, pivots = linalg.ldlFactor(a, options)
        local b = noise(2, n, 2)
        assertNear(b, product(a, linalg.ldlSolve(ld, pivots, b, options)), 1e-9, 'solution')
      end
    end)
  end

  it('has a status, and checks its options', function()
    local z = torch.diag(torch.ComplexDoubleTensor { 1, 0, 2 })
    assert.equal(2, (select(3, linalg.ldlFactorEx(z))))
    local regular = torch.ComplexDoubleTensor { { { 0, 1i }, { -1i, 0 } }, { { 2, 1i }, { -1i, 0 } } }
    assert.same({ 0, 0 }, (select(3, linalg.ldlFactorEx(regular))):totable())
    assert.error_matches(function() linalg.ldl(z, { hermitian = 1 }) end, 'ldl: hermitian: 1, expected true or false')
    local real = torch.DoubleTensor { { 1, 2 }, { 2, 1 } }
    local ld, pivots = linalg.ldlFactor(real)
    local b = noise(2)
    assertNear(b, torch.mv(real:complexdouble(), linalg.ldlSolve(ld, pivots, b)), 1e-14)
  end)
end)

describe("updated Cholesky's factors of complex matrices", function()
  it('are those of the changed matrix, and return', function()
    local a, x = noise(2, 5, 5), noise(2, 5)
    local l = torch.cholesky(torch.add(product(a, adjoint(a)), torch.eye(5):view(1, 5, 5):expand(2, 5, 5)))
    local column = x:view(2, 5, 1)
    local larger = linalg.choleskyUpdate(l, x)
    assertNear(torch.add(product(l, adjoint(l)), product(column, adjoint(column))), product(larger, adjoint(larger)), 1e-12)
    assertNear(larger, torch.tril(larger), 0)
    assert.equal(0, torch.abs(torch.imag(torch.diagonal(larger[1]))):max())
    assertNear(l, linalg.choleskyDowndate(larger, x), 1e-11)
    local tracked = l[1]:clone():requiresGrad()
    assertNear(larger[1], linalg.choleskyUpdate(tracked, x[1]):detach(), 1e-12)
    assert.equal('torch.ComplexFloatTensor', linalg.choleskyUpdate(torch.eye(2):float(), noise(2):complexfloat()):type())
    assert.error_matches(function() linalg.choleskyDowndate(torch.eye(2), torch.ComplexDoubleTensor { 1i, 1 }) end,
      'choleskyDowndate: x: the changed matrix is not positive definite')
  end)
end)

describe('updated Q R factors of complex matrices', function()
  local function without(a, dim, k)
    local parts = {}
    if k > 1 then parts[1] = a:narrow(dim, 1, k - 1) end
    if k < a:size(dim) then parts[#parts + 1] = a:narrow(dim, k + 1, a:size(dim) - k) end
    return torch.cat(parts, dim)
  end

  local function with(a, dim, k, x)
    local parts = { x }
    if k > 1 then table.insert(parts, 1, a:narrow(dim, 1, k - 1)) end
    if k <= a:size(dim) then parts[#parts + 1] = a:narrow(dim, k, a:size(dim) - k + 1) end
    return torch.cat(parts, dim)
  end

  local function holds(a, q, r)
    assertNear(a, product(q, r), 1e-12, 'product')
    assertNear(torch.eye(q:size(1)):complexdouble(), product(adjoint(q), q), 1e-13, 'q')
    assertNear(r, torch.triu(r), 0, 'r')
  end

  for _, size in ipairs { { 4, 4 }, { 5, 3 }, { 3, 5 }, { 1, 1 }, { 2, 1 } } do
    it(('are those of the changed matrix: %d x %d'):format(unpack(size)), function()
      local m, n = unpack(size)
      local a = noise(m, n)
      local q, r = linalg.qr(a, 'complete')
      local u, v = noise(m), noise(n)
      holds(torch.add(a, product(u:view(m, 1), adjoint(v:view(n, 1)))), linalg.qrUpdate(q, r, u, v))
      for k = 1, m + 1 do
        local x = noise(n)
        holds(with(a, 1, k, x:view(1, n)), linalg.qrInsert(q, r, x, k))
        if m > 1 and k <= m then holds(without(a, 1, k), linalg.qrDelete(q, r, k)) end
      end
      for k = 1, n + 1 do
        local x = noise(m)
        holds(with(a, 2, k, x:view(m, 1)), linalg.qrInsert(q, r, x, k, 'col'))
        if n > 1 and k <= n then holds(without(a, 2, k), linalg.qrDelete(q, r, k, 'col')) end
      end
    end)
  end

  it('are complex if a vector is', function()
    local a, u, v = torch.randn(3, 2), noise(3), noise(2)
    local q, r = linalg.qr(a, 'complete')
    holds(torch.add(a, product(u:view(3, 1), adjoint(v:view(2, 1)))), linalg.qrUpdate(q, r, u, v))
    assert.equal('torch.ComplexFloatTensor', (linalg.qrUpdate(q:float(), r:float(), u, v)):type())
    assert.equal('torch.DoubleTensor', (linalg.qrDelete(q, r, 1)):type())
  end)
end)

describe('factors and equations of complex matrices', function()
  it('exist without elements', function()
    local none, vector = torch.zeros(0, 0, 'complex128'), torch.zeros(0, 'complex128')
    for _, f in ipairs { linalg.ldl, linalg.ldlFactor, linalg.hessenberg, linalg.matrixBalance } do
      assert.same({ 0, 0 }, f(none):size():totable())
    end
    assert.same({ 0, 2 }, linalg.solveSylvester(none, torch.eye(2), torch.zeros(0, 2)):size():totable())
    assert.same({ 0, 0 }, linalg.choleskyUpdate(none, vector):size():totable())
    assert.same({ 0, 0 }, linalg.qrUpdate(none, none, vector, vector):size():totable())
  end)

  it('end with NaN and infinities', function()
    for _, value in ipairs { 0 / 0, math.huge } do
      local z = noise(4, 4)
      z[2][3], z[3][2] = value, value
      for name, f in pairs {
        ldl = function() return linalg.ldl(z) end, hessenberg = function() return linalg.hessenberg(z) end,
        balance = function() return linalg.matrixBalance(z) end, update = function() return linalg.choleskyUpdate(torch.eye(4), z[2]) end,
        sylvester = function() return linalg.solveSylvester(z, z, z) end, toeplitz = function() return linalg.solveToeplitz(z[2], z) end,
        bands = function() return linalg.solveBanded(2, 1, z, z) end, definite = function() return linalg.solvehBanded(z, z) end,
        qr = function() return linalg.qrUpdate(torch.eye(4), z, z[1], z[2]) end,
        riccati = function() return linalg.solveContinuousAre(z, z, z, torch.eye(4)) end,
      } do
        local good, result = pcall(f)
        assert.is_true(good or type(result) == 'string', name)
      end
    end
  end)
end)
