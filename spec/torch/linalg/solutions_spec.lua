-- Systems with a structure, equations of matrices: SciPy's figures, residuals, batches, derivatives, errors.
local torch = require 'torch'
local gradcheck = require('autograd').gradcheck
local figures = require 'spec.torch.linalg.figures'
local assertClose = require('spec.support.close').assertClose

local linalg = torch.linalg
local input = {}
for name, rows in pairs(figures.inputs) do input[name] = torch.DoubleTensor(rows) end
local c, r, sides = input.c, input.r, input.sides

local calls = {
  ['solveTriangular upper'] = function() return linalg.solveTriangular(input.triangular, input.control) end,
  ['solveTriangular lower'] = function()
    return linalg.solveTriangular(input.square, input.control, { upper = false, transposed = true, unitriangular = true })
  end,
  solveToeplitz = function() return linalg.solveToeplitz(c, sides, r) end,
  ['solveToeplitz symmetric'] = function() return linalg.solveToeplitz(c, sides:select(2, 1)) end,
  solveCirculant = function() return linalg.solveCirculant(c, sides) end,
  matmulToeplitz = function() return linalg.matmulToeplitz(c:narrow(1, 1, 4), sides, r) end,
  solveBanded = function() return linalg.solveBanded(2, 1, input.bands, sides) end,
  solvehBanded = function() return linalg.solvehBanded(input.definiteBands, sides) end,
  choleskyBanded = function() return linalg.choleskyBanded(input.definiteBands) end,
  solveSylvester = function() return linalg.solveSylvester(input.square, input.other, input.sum) end,
  solveContinuousLyapunov = function() return linalg.solveContinuousLyapunov(input.square, input.cost) end,
  solveDiscreteLyapunov = function() return linalg.solveDiscreteLyapunov(input.square, input.cost) end,
  solveContinuousAre = function() return linalg.solveContinuousAre(input.square, input.control, input.cost, input.effort) end,
  solveDiscreteAre = function() return linalg.solveDiscreteAre(input.square, input.control, input.cost, input.effort) end,
}

describe("torch.linalg has SciPy's solutions:", function()
  for name, figure in pairs(figures.solutions) do
    it(name, function() assertClose(torch.DoubleTensor(figure), calls[name](), { rtol = 1e-11, atol = 1e-11 }) end)
  end
end)

local function random(...) return torch.randn(...):double() end
local function tracked(...)
  local list = { ... }
  for i, x in ipairs(list) do list[i] = x:clone():requiresGrad() end
  return list
end

-- The matrices (2, 6, 6) of random bands.
local function bandsAndMatrix(l, u)
  local bands, full = random(2, l + u + 1, 6), torch.zeros(2, 6, 6):double()
  bands:select(2, u + 1):add(5)
  for m = 1, 2 do
    for i = 1, 6 do
      for j = math.max(1, i - l), math.min(6, i + u) do full[m][i][j] = bands[m][u + 1 + i - j][j] end
    end
  end
  return bands, full
end

describe('systems with a structure', function()
  it('of Toeplitz matrices and circulants leave no residual', function()
    local column, row, b = random(2, 6), random(2, 6), random(2, 6, 3)
    column:select(2, 1):add(5)
    row:select(2, 1):copy(column:select(2, 1))
    local full = linalg.toeplitz(column, row)
    assertClose(b, torch.matmul(full, linalg.solveToeplitz(column, b, row)), 1e-13)
    assertClose(torch.matmul(full, b), linalg.matmulToeplitz(column, b, row), 1e-13)
    assertClose(b, torch.matmul(linalg.circulant(column), linalg.solveCirculant(column, b)), 1e-13)
    assert.is_true(gradcheck(linalg.solveToeplitz, tracked(column, b, row)))
    assert.is_true(gradcheck(function(x, y) return linalg.solveToeplitz(x, y) end, tracked(column[1], b[1])))
    assert.is_true(gradcheck(linalg.solveCirculant, tracked(column, b)))
    assert.is_true(gradcheck(linalg.matmulToeplitz, tracked(column, b, row)))
    assertClose(torch.DoubleTensor { 2 }, linalg.solveToeplitz(torch.DoubleTensor { 3 }, torch.DoubleTensor { 6 }))
  end)

  it('of bands leave no residual, in both triangles', function()
    for _, width in ipairs { { 0, 0 }, { 1, 1 }, { 2, 1 }, { 0, 3 }, { 5, 5 } } do
      local bands, full = bandsAndMatrix(width[1], width[2])
      local b = random(2, 6, 3)
      assertClose(b, torch.matmul(full, linalg.solveBanded(width[1], width[2], bands, b)), 1e-12)
      if width[1] == 2 then
        assert.is_true(gradcheck(function(x, y) return linalg.solveBanded(2, 1, x, y) end, tracked(bands, b)))
      end
    end
    local bands, upper = bandsAndMatrix(0, 2)
    bands:select(2, 3):add(2)
    for m = 1, 2 do
      for i = 1, 6 do upper[m][i][i] = bands[m][3][i] end
    end
    local full = upper + torch.tril(upper:transpose(2, 3), -1)
    local b = random(2, 6)[1]
    assertClose(b, torch.matmul(full, linalg.solvehBanded(bands, b)[1])[1], 1e-12)
    local factor = linalg.choleskyBanded(bands)
    assertClose(linalg.solvehBanded(bands, b), linalg.choSolveBanded(factor, b), 1e-14)
    local lower = torch.zeros(2, 3, 6):double()
    for m = 1, 2 do
      for d = 0, 2 do
        for j = 1, 6 - d do lower[m][d + 1][j] = bands[m][3 - d][j + d] end
      end
    end
    assertClose(linalg.solvehBanded(bands, b), linalg.solvehBanded(lower, b, { lower = true }), 1e-14)
    assert.is_true(gradcheck(linalg.solvehBanded, tracked(bands, random(2, 6, 2))))
  end)

  it('exchange rows where a pivot is small', function()
    local bands = torch.DoubleTensor { { 0, 1, 1 }, { 0, 0, 1 }, { 1, 1, 0 } }       -- [0 1 0; 1 0 1; 0 1 1]
    assertClose(torch.DoubleTensor { -1, 1, 2 }, linalg.solveBanded(1, 1, bands, torch.DoubleTensor { 1, 1, 3 }))
  end)

  it('of triangles are solved from both sides', function()
    local a, b = random(4, 4) + torch.eye(4):double():mul(4), random(3, 4)
    for _, isUpper in ipairs { true, false } do
      local half = isUpper and torch.triu(a) or torch.tril(a)
      for _, isTransposed in ipairs { true, false } do
        local x = linalg.solveTriangular(a, b, { upper = isUpper, transposed = isTransposed, left = false })
        assertClose(b, x * (isTransposed and half:t() or half), 1e-12)
      end
    end
    assert.is_true(gradcheck(function(m, s) return linalg.solveTriangular(m, s, { left = false }) end, tracked(a, b)))
  end)
end)

describe('equations of matrices', function()
  it('leave no residual, for batches of any sizes', function()
    for m = 1, 5 do
      for n = 1, 5 do
        local a, b, q = random(2, m, m), random(n, n), random(2, m, n)
        local x = linalg.solveSylvester(a, b, q)
        assertClose(q, torch.matmul(a, x) + torch.matmul(x, b), 1e-9)
      end
    end
    local a, q = random(2, 4, 4), random(2, 4, 4)
    local at = a:transpose(2, 3)
    local x = linalg.solveLyapunov(a, q)
    assertClose(q, torch.matmul(a, x) + torch.matmul(x, at), 1e-9)
    x = linalg.solveDiscreteLyapunov(a, q)
    assertClose(q, x - torch.matmul(torch.matmul(a, x), at), 1e-8)
    assert.equal('torch.FloatTensor', linalg.solveSylvester(a:float(), a:float(), q:float()):type())
  end)

  it('of Riccati leave no residual, and their feedback stabilises', function()
    local a, b, q, s = random(5, 5), random(5, 2), torch.eye(5):double(), torch.eye(2):double()
    local x = linalg.solveContinuousAre(a, b, q, s)
    assertClose(torch.zeros(5, 5):double(), a:t() * x + x * a - x * b * b:t() * x + q, 1e-9 * torch.abs(x):max())
    assert.is_true(torch.eig(a - b * b:t() * x):select(2, 1):max() < 0)
    x = linalg.solveDiscreteAre(a, b, q, s)
    local gain = torch.inverse(s + b:t() * x * b) * b:t() * x * a
    assertClose(x, a:t() * x * a - a:t() * x * b * gain + q, 1e-9 * torch.abs(x):max())
    local values = torch.eig(a - b * gain)
    assert.is_true(torch.norm(values, 2, 2):max() < 1)
  end)

  it('of Riccati accept batches, which broadcast', function()
    local a, b, q, effort = random(2, 1, 3, 3), random(4, 3, 2), torch.eye(3):double(), torch.eye(2):double()
    for _, name in ipairs { 'solveContinuousAre', 'solveDiscreteAre' } do
      local x = linalg[name](a, b, q, effort)
      assert.same({ 2, 4, 3, 3 }, x:size():totable())
      for i = 1, 2 do
        for j = 1, 4 do assertClose(linalg[name](a[i][1], b[j], q, effort), x[i][j], 1e-12) end
      end
      local e = torch.eye(2):double()
      assert.is_true(gradcheck(linalg[name], tracked(random(2, 2, 2), e * 2, e, e)), name)
    end
  end)

  it('have derivatives', function()
    local a, b, q = random(2, 3, 3), random(2, 2, 2), random(2, 3, 2)
    assert.is_true(gradcheck(linalg.solveSylvester, tracked(a, b, q)))
    assert.is_true(gradcheck(linalg.solveDiscreteLyapunov, tracked(a[1]:clone():mul(0.3), a[2])))
    local e = torch.eye(2):double()
    for _, name in ipairs { 'solveContinuousAre', 'solveDiscreteAre' } do
      assert.is_true(gradcheck(linalg[name], tracked(a[1]:narrow(1, 1, 2):narrow(2, 1, 2), b[1] + e:clone():mul(2), e, e)), name)
    end
  end)

  it('refuse other arguments in words', function()
    local e = torch.eye(2)
    local function fails(message, name, ...)
      local arguments = { ... }
      assert.error_matches(function() linalg[name](unpack(arguments)) end, message)
    end
    fails("solveSylvester: b: an eigenvalue of a is the negative of one of b's", 'solveSylvester', e, -e, e)
    fails('solveSylvester: q: %[3, 3%], expected 2 rows and 2 columns', 'solveSylvester', e, e, torch.eye(3))
    fails('solveContinuousAre: b: %[3, 3%], expected 2 rows', 'solveContinuousAre', e, torch.eye(3), e, e)
    fails('solveContinuousAre: a: .* stable eigenvalues', 'solveContinuousAre', torch.zeros(2, 2), torch.zeros(2, 2), e, e)
    fails('solveDiscreteAre: a: ', 'solveDiscreteAre', e:clone():mul(2), torch.zeros(2, 2), e, e)
    fails('solveToeplitz: c: a singular leading part', 'solveToeplitz', torch.zeros(3), torch.ones(3))
    fails('solveToeplitz: r: 2 elements in 1 dimensions', 'solveToeplitz', torch.ones(3), torch.ones(3), torch.ones(2))
    fails('solveToeplitz: b: %[2%], expected 3 rows', 'solveToeplitz', torch.ones(3), torch.ones(2))
    fails('solveCirculant: c: an eigenvalue next to 0', 'solveCirculant', torch.ones(3), torch.ones(3))
    fails('solveBanded: ab: %[2, 4%], expected 3 rows', 'solveBanded', 1, 1, torch.ones(2, 4), torch.ones(4))
    fails('solveBanded: ab: a singular matrix', 'solveBanded', 0, 0, torch.zeros(1, 4), torch.ones(4))
    fails('solveBanded: l: %-1, expected', 'solveBanded', -1, 0, torch.zeros(1, 4), torch.ones(4))
    fails('solvehBanded: ab: the leading minor of order 1', 'solvehBanded', torch.zeros(1, 4), torch.ones(4))
    fails('choleskyBanded: ab: the leading minor of order 2', 'choleskyBanded', torch.Tensor { { 1, -1 } })
    fails('solveTriangular: .*wide', 'solveTriangular', e, e, { wide = true })
    fails('matmulToeplitz: x: %[2%], expected 3 rows', 'matmulToeplitz', torch.ones(3), torch.ones(2))
  end)
end)
