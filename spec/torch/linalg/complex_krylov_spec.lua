-- Iterative methods with complex numbers: direct solutions and functions of dense matrices are the truth.
local torch = require 'torch'
local complex = require 'torch.names.complex'

local linalg, adjoint = torch.linalg, complex.adjoint
local n = 30

local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end

local function assertClose(x, y, limit, what)
  local difference, scale = torch.norm(torch.csub(x, y)), torch.norm(y)
  assert.is_true(difference <= limit * scale, ('%s: %g of %g'):format(what, difference, scale))
end

torch.manualSeed(5)
local one = torch.to(torch.eye(n), 'torch.ComplexDoubleTensor')
local part = noise(n, n)
local general = torch.add(torch.mul(part, 0.1), torch.mul(one, 2 + 1i))
local definite = torch.add(torch.mm(part, adjoint(part)), torch.mul(one, 5))
local indefinite = torch.add(torch.add(part, adjoint(part)), torch.mul(one, 0.5))
local b = noise(n)

local function operatorOf(a)
  return linalg.LinearOperator(n, n, function(x) return torch.mv(a, x) end, function(x) return torch.mv(adjoint(a), x) end)
end

describe('a complex system', function()
  local matrices = { cg = definite, minres = indefinite, bicg = general, cgs = general, bicgstab = general, gmres = general,
    qmr = general, tfqmr = general, lgmres = general, gcrotmk = general }
  for name, a in pairs(matrices) do
    local options = { tol = 1e-11, maxIterations = 1000 }
    local function solve(matrix, right, more)
      for key, value in pairs(options) do more[key] = value end
      local x, info = linalg[name](matrix, right, more)
      assert.is_true(info.converged, info.message)
      assert.equal('torch.ComplexDoubleTensor', x:type())
      return x
    end

    it('is solved by ' .. name .. ': dense, sparse, an operator', function()
      local truth = torch.linalg.solve(a, b)
      for form, matrix in pairs { dense = a, csr = a:sparse 'csr', csc = a:sparse 'csc', operator = operatorOf(a) } do
        assertClose(solve(matrix, b, {}), truth, 1e-9, form)
        assertClose(solve(matrix, b, { x0 = noise(n) }), truth, 1e-9, form)
      end
    end)

    it('has real parts for ' .. name, function()
      local right = torch.real(b):contiguous()
      local truth = torch.linalg.solve(a, torch.to(right, a:type()))
      for form, matrix in pairs { dense = a, operator = operatorOf(a) } do
        assertClose(solve(matrix, right, {}), truth, 1e-9, form)
      end
      local realMatrix = torch.real(a):contiguous()
      if name ~= 'minres' then
        assertClose(solve(realMatrix, b, {}), torch.linalg.solve(torch.to(realMatrix, a:type()), b), 1e-9, 'a real matrix')
      end
    end)

    it('is preconditioned for ' .. name, function()
      if name == 'minres' then return end                           -- which needs a positive definite one
      local truth = torch.linalg.solve(a, b)
      local jacobi = linalg.jacobi(name == 'cg' and torch.real(torch.diag(a)) or a)
      assertClose(solve(a, b, { preconditioner = jacobi }), truth, 1e-9, 'jacobi')
      assertClose(solve(a, torch.real(b):contiguous(), { preconditioner = jacobi }),
        torch.linalg.solve(a, torch.to(torch.real(b), a:type())), 1e-9, 'jacobi, a real b')
      local ilu = linalg.ilu0(torch.real(a):contiguous():sparse 'csr')
      if name ~= 'cg' then assertClose(solve(a, b, { preconditioner = ilu }), truth, 1e-9, 'real factors') end
    end)

    it('in complex64 has its precision: ' .. name, function()
      local x, info = linalg[name](torch.to(a, 'torch.ComplexFloatTensor'), torch.to(b, 'torch.ComplexFloatTensor'), { tol = 1e-5 })
      assert.is_true(info.converged, info.message)
      assert.equal('torch.ComplexFloatTensor', x:type())
      assertClose(torch.to(x, b:type()), torch.linalg.solve(a, b), 2e-3, 'complex64')
    end)
  end

  it('ends with a message if the conditions of cg do not hold', function()
    local _, info = linalg.cg(torch.mul(definite, -1), b)
    assert.is_false(info.converged)
    assert.truthy(info.message:find('not positive definite', 1, true))
  end)
end)

describe("Arnoldi's step", function()
  it('leaves a vector orthogonal that lay nearly in the space', function()
    local q = torch.qr(noise(n, 6))
    local vectors = {}
    for i = 1, 6 do vectors[i] = q:select(2, i):clone() end
    local w = torch.mv(q, noise(6)):mul(1e9):add(noise(n))
    local parts, length = require('torch.linalg.arnoldi').orthogonalise(w, vectors, 6)
    assert.equal(6, #parts)
    assert.is_true(math.abs(torch.norm(w) - length) <= 1e-15 * length)
    assert.is_true(torch.abs(torch.mv(adjoint(q), w)):max() <= 1e-14 * length)
  end)
end)

describe('complex least squares', function()
  local tall, right = noise(40, 12), noise(40)
  for _, name in ipairs { 'lsqr', 'lsmr' } do
    it('are those of the normal equations: ' .. name, function()
      for _, damp in ipairs { 0, 0.7 } do
        for _, side in ipairs { right, torch.real(right):contiguous() } do
          local normal = torch.add(torch.mm(adjoint(tall), tall), torch.mul(torch.to(torch.eye(12), tall:type()), damp ^ 2))
          local truth = torch.linalg.solve(normal, torch.mv(adjoint(tall), torch.to(side, tall:type())))
          for form, matrix in pairs { dense = tall, csr = tall:sparse 'csr' } do
            local x, info = linalg[name](matrix, side, { damp = damp, tol = 1e-13 })
            assert.is_true(info.converged, info.message)
            assertClose(x, truth, 1e-9, form)
          end
        end
      end
    end)
  end
end)

describe('functions of matrices times vectors', function()
  it('take complex matrices and times: expmMultiply', function()
    for _, t in ipairs { 1, 0.5i, -0.3 + 0.2i } do
      for _, a in ipairs { general, torch.real(general):contiguous() } do
        for _, v in ipairs { b, torch.real(b):contiguous() } do
          local y, info = linalg.expmMultiply(a, v, t)
          assert.is_true(info.converged, info.message)
          local exponential = torch.expm(torch.to(a, b:type()) * t)
          assertClose(y, torch.mv(exponential, torch.to(v, b:type())), 1e-11, 'expm')
          assert.equal(t ~= 1 or a:isComplex() or v:isComplex(), y:isComplex())
        end
      end
    end
  end)

  it('end when the space suffices, with an estimate of the error', function()
    local path = torch.sparse.diags({ torch.ones(199), torch.ones(200):mul(-2), torch.ones(199) }, { -1, 0, 1 }, { 200, 200 })
    local v = torch.randn(200)
    local y, info = linalg.expmMultiply(path, v, 0.5)
    local _, larger = linalg.expmMultiply(path, v * 1e6, 0.5)
    assert.is_true(info.converged and info.iterations < 40)
    assert.is_true(info.residual <= 1e-12 * torch.norm(v) and info.residual > 0)
    assert.is_true(math.abs(larger.residual / info.residual / 1e6 - 1) < 1e-3)
    assertClose(y, torch.mv(torch.expm(path:dense() * 0.5), v), 1e-12, 'expm')
  end)

  it('keep the norm of a state under a Hermitian matrix', function()
    for _, t in ipairs { -0.05i, -0.5i } do
      local y = linalg.expmMultiply(definite:sparse 'csr', b, t)
      assert.is_true(math.abs(torch.norm(y) / torch.norm(b) - 1) < 1e-11)
    end
  end)

  it('take complex matrices and times: funmMultiplyKrylov', function()
    for _, t in ipairs { 1, 2i } do
      local y = linalg.funmMultiplyKrylov(linalg.sqrtm, definite, b, t)
      assertClose(y, torch.mv(linalg.sqrtm(definite * t), b), 1e-10, 'sqrtm')
    end
  end)
end)
