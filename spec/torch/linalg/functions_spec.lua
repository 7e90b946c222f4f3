-- Functions of matrices: SciPy's figures, identities, batches, derivatives.
local torch = require 'torch'
local gradcheck = require('autograd').gradcheck
local figures = require 'spec.torch.linalg.figures'
local assertClose = require('spec.support.close').assertClose

local linalg = torch.linalg
local input = {}
for name, rows in pairs(figures.inputs) do input[name] = torch.DoubleTensor(rows) end
local function relative(expected) return 1e-13 * math.max(1, torch.DoubleTensor(expected):abs():max()) end

local function identity(n) return torch.eye(n):double() end

describe("torch.linalg has SciPy's figures:", function()
  -- name of a figure -> a call, and the tolerance as a multiple of 1e-13 of the largest element
  local calls = {
    ['expm large'] = { function() return linalg.expm(torch.div(input.large, 30)) end },
    ['expm tiny'] = { function() return torch.csub(linalg.expm(input.tiny), identity(3)) end },
    ['fractionalMatrixPower rooted'] = { function()
      local list = {}
      for i, p in ipairs { 0.3, -1.7, 0.5, 2 } do list[i] = linalg.fractionalMatrixPower(input.rooted, p) end
      return torch.stack(list, 1)
    end, 100 },
    ['expmFrechet a'] = { function()
      local _, derivative = linalg.expmFrechet(input.a, torch.ones(5, 5):double():mul(input.large[1][1]))
      return derivative
    end },
    ['expmCond a'] = { function() return torch.DoubleTensor { linalg.expmCond(input.a) } end },
    ['funm symmetric'] = { function() return linalg.funm(input.symmetric, torch.sin) end },
    ['funm nonsymmetric'] = { function() return linalg.funm(input.triangular, torch.sqrt) end, 50 },
    ['sqrtm jordan'] = { nil, 50 }, ['logm jordan'] = { nil, 1e4 },
  }
  for name, figure in pairs(figures.functions) do
    it(name, function()
      local own, of = name:match '(%S+) (%S+)'
      local call, times = unpack(calls[name] or {})
      local found = call and call() or linalg[own](input[of])
      if type(figure) == 'number' then figure = { figure } end
      assertClose(torch.DoubleTensor(figure), found, relative(figure) * (times or 10))
    end)
  end
end)

describe('functions of matrices', function()
  local a = torch.expm(torch.randn(2, 4, 4):double():mul(0.5))

  it('undo each other', function()
    assertClose(a, torch.matmul(linalg.sqrtm(a), linalg.sqrtm(a)), 1e-12)
    assertClose(a, torch.expm(linalg.logm(a)), 1e-12)
    assertClose(a, torch.matmul(linalg.fractionalMatrixPower(a, 0.3), linalg.fractionalMatrixPower(a, 0.7)), 1e-12)
    local definite = torch.matmul(a, a:transpose(2, 3))
    assertClose(definite, torch.matmul(linalg.matrixSqrth(definite), linalg.matrixSqrth(definite)), 1e-11)
    assertClose(linalg.matrixSqrth(definite), linalg.sqrtm(definite), 1e-11)
  end)

  it('satisfy the identities of numbers', function()
    local unit = identity(4):expand(2, 4, 4)
    local function square(x) return torch.matmul(x, x) end
    assertClose(unit, square(linalg.cosm(a)) + square(linalg.sinm(a)), 1e-12)
    assertClose(unit, square(linalg.coshm(a)) - square(linalg.sinhm(a)), 1e-9)
    assertClose(linalg.sinm(a), torch.matmul(linalg.cosm(a), linalg.tanm(a)), 1e-12)
    assertClose(unit, square(linalg.signm(torch.randn(2, 4, 4):double())), 1e-10)
    assertClose(torch.diag(torch.DoubleTensor { 1, -1, 1 }), linalg.signm(torch.diag(torch.DoubleTensor { 5, -0.1, 1e-8 })), 1e-14)
  end)

  it('treat a batch as its matrices, and keep the type', function()
    for _, name in ipairs { 'sqrtm', 'logm', 'signm', 'cosm', 'sinm', 'tanm', 'coshm', 'sinhm', 'tanhm', 'matrixSqrth', 'expm' } do
      local whole = linalg[name](a)
      assert.same({ 2, 4, 4 }, whole:size():totable())
      for i = 1, 2 do assertClose(linalg[name](a[i]), whole[i], 1e-11, name) end
      local floats = linalg[name](a:float())
      assert.equal('torch.FloatTensor', floats:type())
      assertClose(whole, floats:double(), 2e-4 * math.max(1, torch.abs(whole):max()), name)
    end
  end)

  it('have derivatives', function()
    for _, name in ipairs { 'sqrtm', 'logm', 'signm', 'cosm', 'sinm', 'tanm', 'coshm', 'sinhm', 'tanhm' } do
      local x = torch.expm(torch.randn(2, 3, 3):double():mul(0.5)):requiresGrad()
      assert.is_true(gradcheck(linalg[name], { x }), name)
    end
    local x = torch.expm(torch.randn(3, 3):double():mul(0.5)):requiresGrad()
    assert.is_true(gradcheck(function(y) return linalg.fractionalMatrixPower(y, 1.3) end, { x }))
    assert.is_true(gradcheck(function(y) return linalg.funm(y + y:t(), torch.exp) end, { x }))
    assert.is_true(gradcheck(function(y, e) return (select(2, linalg.expmFrechet(y, e))) end,
      { x, torch.randn(3, 3):double():requiresGrad() }))
    assert.is_true(gradcheck(function(y) return linalg.matrixSqrth(torch.matmul(y, y:t()) + identity(3)) end, { x }))
  end)

  it('have second derivatives', function()
    local x = torch.expm(torch.randn(2, 2):double():mul(0.5)):requiresGrad()
    for _, name in ipairs { 'sqrtm', 'logm' } do
      local function slope(y)
        local g = require('autograd').vjp(linalg[name], y)
        return g
      end
      assert.is_truthy(slope(x))
    end
  end)

  it('refuse what has no real result, in words', function()
    local line = debug.getinfo(1, 'l').currentline + 1
    local _, message = pcall(function() linalg.sqrtm(-identity(2)) end)
    assert.equal(('functions_spec.lua:%d: sqrtm: a: a negative eigenvalue, expected a matrix with a real square root'):format(line),
      message:match '([^/]+)$')
    assert.error_matches(function() linalg.logm(torch.zeros(2, 2)) end, 'logm: a: an eigenvalue of 0, expected a regular matrix')
    assert.error_matches(function() linalg.logm(-identity(3)) end, 'logm: a: a negative eigenvalue, expected')
    assert.error_matches(function() linalg.sqrtm(torch.DoubleTensor { { 0, 1 }, { 0, 0 } }) end, 'sqrtm: a: the eigenvalue 0 in a block')
    assert.error_matches(function() linalg.sqrtm(torch.zeros(2, 3)) end, 'sqrtm: a: %[2, 3%], expected a square matrix')
    assert.error_matches(function() linalg.sqrtm(identity(2):mul(0 / 0)) end, 'schur: a: NaN or infinities, expected finite numbers')
    assert.error_matches(function() linalg.signm(torch.DoubleTensor { { 0, 1 }, { -1, 0 } }) end, 'signm: a: no convergence')
    assert.error_matches(function() linalg.funm(torch.DoubleTensor { { 0, 1 }, { -1, 0 } }, torch.exp) end, 'funm: a: complex eigenvalues')
    assert.error_matches(function() linalg.funm(identity(2), torch.sum) end, 'funm: f: number, expected a tensor')
    assert.error_matches(function() linalg.fractionalMatrixPower(identity(2)) end, 'fractionalMatrixPower: p: nil, expected a number')
    assertClose(torch.zeros(2, 2), linalg.sqrtm(torch.zeros(2, 2)))
  end)

  it("have PyTorch's and SciPy's names with underscores, too", function()
    assert.equal(linalg.fractionalMatrixPower, linalg.fractional_matrix_power)
    assert.equal(torch.expm, linalg.matrix_exp)
    assert.is_nil(linalg.randn)
  end)
end)
