-- Decompositions and linear systems: the meaning of results (their product is the matrix), Torch7's forms of calls, and errors.
local torch = require 'torch'
local program = require 'spec.support.program'
local assertClose = require('spec.support.close').assertClose

local plain = os.getenv 'MOONTORCH_BLAS' == '0'     -- our own loops, not LAPACK's routines
local types = { { 'torch.DoubleTensor', 1e-12 }, { 'torch.FloatTensor', 2e-4 } }

local function random(...) return torch.randn(...) end
local function definite(n)
  local a = random(n, n)
  return torch.mm(a, a:t()) + torch.eye(n)
end

local function eye(n, like) return torch.eye(n):type(like:type()) end
local function upper(a)
  local row, col = torch.range(1, a:size(1)):view(-1, 1):expandAs(a), torch.range(1, a:size(2)):view(1, -1):expandAs(a)
  return torch.cmul(a, torch.le(row, col):type(a:type()))
end
local function lower(a) return upper(a:t()):t() end

-- name -> a check of its results, given matrices' type and the allowed error
local laws = {
  ['gesv solves a x = b'] = function(to, tol)
    local a, b = to(definite(6)), to(random(6, 2))
    local x, lu = torch.gesv(b, a)
    assertClose(a * x, b, 100 * tol)
    assert.same({ 6, 6 }, lu:size():totable())
  end,
  ['trtrs solves for each triangle, way round and diagonal'] = function(to, tol)
    local a, b = to(random(5, 5) + torch.eye(5) * 8), to(random(5, 2))
    for uplo, half in pairs { U = upper, L = lower } do
      for trans in ('NT'):gmatch '.' do
        for diag in ('NU'):gmatch '.' do
          local t = half(a)
          if diag == 'U' then t = t - torch.diag(torch.diag(t)) + eye(5, a) end
          local x = torch.trtrs(b, a, uplo, trans, diag)
          assertClose((trans == 'T' and t:t() or t) * x, b, 100 * tol * 8 ^ 4)
        end
      end
    end
  end,
  ['gels leaves a residual that no column explains'] = function(to, tol)
    local a, b = to(random(9, 4)), to(random(9, 2))
    local x = torch.gels(b, a)
    assertClose(a:t() * (a * x - b), to(torch.zeros(4, 2)), 50 * tol)
  end,
  ['gels gives the shortest of many solutions'] = function(to, tol)
    local a, b = to(random(3, 5)), to(random(3, 1))
    local x = torch.gels(b, a)
    assertClose(a * x, b, 50 * tol)
    assertClose(a:t() * (torch.inverse(a * a:t()) * b), x, 200 * tol)
  end,
  ['symeig gives orthonormal vectors that a only stretches'] = function(to, tol)
    local a = to(definite(12))
    for _, uplo in ipairs { 'U', 'L' } do
      local e, v = torch.symeig(uplo == 'U' and upper(a) or lower(a), 'V', uplo)
      assertClose(a * v, v * torch.diag(e), 100 * tol)
      assertClose(v:t() * v, eye(12, a), 10 * tol)
      assertClose(torch.symeig(a), e, 100 * tol)
      assert.is_true(torch.le(e:narrow(1, 1, 11), e:narrow(1, 2, 11)):all())
    end
  end,
  ['schur gives the matrix back, orthonormal vectors and blocks of two rows for complex pairs'] = function(to, tol)
    for n = 1, 9 do
      local a = to(random(n, n))
      local t, z = torch.schur(a)
      assertClose(z * t * z:t(), a, 50 * tol)
      assertClose(z:t() * z, eye(n, a), 20 * tol)
      local values, pairs_ = torch.eig(a), 0
      for i = 1, n do
        for j = 1, i - 2 do assert.equal(0, t[i][j]) end
        if i < n and t[i + 1][i] ~= 0 then
          pairs_ = pairs_ + 1
          assert.equal(t[i][i], t[i + 1][i + 1])
          assert.is_true(t[i + 1][i] * t[i][i + 1] < 0)
        end
      end
      assert.equal(2 * pairs_, torch.ne(values:select(2, 2), 0):sum())
      assertClose(torch.sort(torch.diag(t)), torch.sort(values:select(2, 1):clone()), 2000 * tol)
    end
  end,
  ['svd gives the matrix back, and orthonormal vectors'] = function(to, tol)
    for _, sizes in ipairs { { 5, 5 }, { 7, 4 }, { 3, 6 } } do
      local m, n = unpack(sizes)
      local a, k = to(random(m, n)), math.min(m, n)
      local u, s, v = torch.svd(a)
      assert.same({ m, k, k, n, k }, { u:size(1), u:size(2), s:size(1), v:size(1), v:size(2) })
      assertClose(u * torch.diag(s) * v:t(), a, 20 * tol)
      assertClose(v:t() * v, eye(k, a), 10 * tol)
      local wholeU, _, wholeV = torch.svd(a, 'A')
      assertClose(wholeU:t() * wholeU, eye(m, a), 10 * tol)
      assertClose(wholeV:t() * wholeV, eye(n, a), 10 * tol)
      assertClose(wholeU:narrow(2, 1, k) * torch.diag(s) * wholeV:narrow(2, 1, k):t(), a, 20 * tol)
    end
  end,
  ['svd of a matrix of lower rank has orthonormal vectors, too'] = function(to, tol)
    local a = to(random(6, 2) * random(2, 4))
    local u, s, v = torch.svd(a)
    assertClose(u * torch.diag(s) * v:t(), a, 50 * tol)
    assertClose(u:t() * u, eye(4, a), 10 * tol)
    assertClose(v:t() * v, eye(4, a), 10 * tol)
    assert.is_true(s[3] < 50 * tol)
    for m = 1, 8 do      -- of whole numbers, whose columns depend on each other exactly
      for rank = 1, m do
        a = to(torch.floor(torch.rand(m, rank) * 7 - 3) * torch.floor(torch.rand(rank, 5) * 3 - 1))
        u, s, v = torch.svd(a)
        local k = math.min(m, 5)
        assertClose(u * torch.diag(s) * v:t(), a, 500 * tol)
        assertClose(u:t() * u, eye(k, a), 10 * tol)
        assertClose(v:t() * v, eye(k, a), 10 * tol)
        assert.is_true(rank >= k or s[rank + 1] < 500 * tol)
      end
    end
  end,
  ['svd, symeig and qr scale with the matrix, where squares overflow or vanish, too'] = function(to)
    local a = to(random(4, 3))
    local square = a:t() * a
    local e = torch.symeig(square)
    local far = a:type() == 'torch.DoubleTensor' and 2 ^ 600 or 2 ^ 100
    local _, s = torch.svd(a)
    local q, r = torch.qr(a)
    for _, scale in ipairs { far, 1 / far } do
      local u, values, v = torch.svd(a * scale)
      local same, tolerance = values * (1 / scale), 1e-5
      assertClose(same, s, tolerance)
      assertClose(u * torch.diag(same) * v:t(), a, tolerance)
      local basis, triangle = torch.qr(a * scale)
      assertClose(basis, q, tolerance)
      assertClose(triangle * (1 / scale), r, tolerance)
      local stretched, vectors = torch.symeig(square * scale, 'V')
      assertClose(stretched * (1 / scale), e, tolerance)
      assertClose(square * vectors, vectors * torch.diag(e), tolerance)
    end
  end,
  ['inverse and det agree with each other'] = function(to, tol)
    local a = to(random(4, 4))
    assertClose(a * torch.inverse(a), eye(4, a), 500 * tol)
    local d = torch.det(a)
    assert.is_true(math.abs(d * torch.det(torch.inverse(a)) - 1) < 500 * tol)
    local sign, logarithm = torch.slogdet(a)
    assert.is_true(math.abs(sign[1] * math.exp(logarithm[1]) - d) < 100 * tol)
  end,
  ['lu puts the largest pivot first'] = function(to, tol)
    for _, sizes in ipairs { { 5, 5 }, { 6, 3 }, { 3, 6 } } do
      local a = to(random(unpack(sizes)))
      local p, l, u = torch.lu(a)
      assertClose(p * l * u, a, 20 * tol)
      assertClose(p:t() * p, eye(sizes[1], a), 0)
      assert.is_true(torch.max(torch.abs(l)) <= 1)
    end
  end,
  ['potrf, potrs and potri belong together'] = function(to, tol)
    local a, b = to(definite(7)), to(random(7, 3))
    for _, uplo in ipairs { 'U', 'L' } do
      local factor = torch.potrf(a, uplo)
      assertClose(uplo == 'U' and factor:t() * factor or factor * factor:t(), a, 50 * tol)
      assertClose(uplo == 'U' and upper(factor) or lower(factor), factor, 0)
      assertClose(a * torch.potrs(b, factor, uplo), b, 500 * tol)
      assertClose(a * torch.potri(factor, uplo), eye(7, a), 500 * tol)
    end
    assertClose(torch.cholesky(a), torch.potrf(a, 'L'), 0)
    assertClose(torch.cholesky(a, true), torch.potrf(a), 0)
  end,
  ['pstrf takes the largest of the diagonal first'] = function(to, tol)
    local a = to(definite(6))
    for _, uplo in ipairs { 'U', 'L' } do
      local factor, pivots = torch.pstrf(a, uplo)
      assert.equal('torch.IntTensor', pivots:type())
      local order = pivots:long()
      assertClose(uplo == 'U' and factor:t() * factor or factor * factor:t(), a:index(1, order):index(2, order), 50 * tol)
      assert.equal(torch.max(torch.diag(a)), a[order[1]][order[1]])
    end
  end,
  ['qr, geqrf, orgqr and ormqr belong together'] = function(to, tol)
    for _, sizes in ipairs { { 5, 5 }, { 7, 3 }, { 3, 7 } } do
      local a = to(random(unpack(sizes)))
      local m, k = sizes[1], math.min(unpack(sizes))
      local q, r = torch.qr(a)
      assertClose(q * r, a, 20 * tol)
      assertClose(q:t() * q, eye(k, a), 10 * tol)
      assertClose(upper(r), r, 0)
      local packed, tau = torch.geqrf(a)
      assertClose(torch.orgqr(packed, tau), q, 10 * tol)
      local c = to(random(m, 2))
      local qc = torch.ormqr(packed, tau, c)
      assertClose(torch.ormqr(packed, tau, qc, 'L', 'T'), c, 20 * tol)
      assertClose(q:t() * qc, c:narrow(1, 1, k), 20 * tol)
      assertClose(torch.ormqr(packed, tau, c:t():clone(), 'R', 'T'), qc:t(), 20 * tol)
    end
  end,
  ['batches give what their matrices give one by one'] = function(to)
    local a, b = to(random(3, 4, 4)), to(random(4, 2))
    local inverses, solutions = torch.inverse(a), torch.solve(a, b)
    local q, r = torch.qr(a)
    local _, s = torch.svd(a)
    for i = 1, 3 do
      assertClose(inverses[i], torch.inverse(a[i]), 0)
      assertClose(solutions[i], torch.solve(a[i], b), 0)
      assertClose(q[i], torch.qr(a[i]), 0)
      assertClose(r[i], select(2, torch.qr(a[i])), 0)
      assertClose(s[i], select(2, torch.svd(a[i])), 0)
    end
    local e = torch.symeig(torch.bmm(a, a:transpose(2, 3)))
    assert.same({ 3, 4 }, e:size():totable())
    local values, vectors = torch.eig(a, 'V')
    for i = 1, 3 do
      local value, vector = torch.eig(a[i], 'V')
      assertClose(values[i], value, 0)
      assertClose(vectors[i], vector, 0)
    end
  end,
  ['eig has complex pairs, and the vectors packed'] = function(to, tol)
    local turn = to(torch.Tensor { { 0, -2, 0 }, { 2, 0, 0 }, { 0, 0, 3 } })
    local e, v = torch.eig(turn, 'V')
    assert.same({ 3, 2 }, e:size():totable())
    local pair = math.abs(e[1][2]) > 1 and 1 or 2
    assert.is_true(math.abs(e[pair][2] - 2) < tol and math.abs(e[pair + 1][2] + 2) < tol and math.abs(e[pair][1]) < tol)
    -- a (re + i im) = i 2 (re + i im)
    local re, im = v:select(2, pair), v:select(2, pair + 1)
    assertClose(turn * re, im * -2, 10 * tol)
    assertClose(turn * im, re * 2, 10 * tol)
    local values, none = torch.eig(turn)
    assertClose(values, e, 10 * tol)
    assert.equal(0, none:dim())
  end,
  ['eig gives vectors of length 1 that a only stretches and turns'] = function(to, tol)
    local few = torch.Tensor(6, 6):apply(function() return torch.random(0, 3) == 0 and torch.random(-2, 2) or 0 end)
    local unlike = torch.diag(torch.Tensor { 1e-3, 1, 1e3, 1e-2, 10, 1 })
    local ones = torch.ones(4, 4)
    local shift = torch.zeros(5, 5)      -- its eigenvalues are the roots of 1; shifts alone never reach them
    for i = 1, 5 do shift[i][i % 5 + 1] = 1 end
    local pairs = 0
    for _, matrix in ipairs { random(1, 1), random(7, 7), random(20, 20), random(35, 35), few, unlike * random(6, 6), ones, shift,
      torch.zeros(3, 3), upper(random(5, 5)), lower(random(5, 5)) } do
      local a, n = to(matrix), matrix:size(1)
      local scale = math.max(1, a:norm())
      local e, v = torch.eig(a, 'V')
      local i = 1
      while i <= n do
        local isPair = e[i][2] ~= 0
        local re = v:select(2, i)
        local im = isPair and v:select(2, i + 1) or re * 0
        assertClose((a * re) * (1 / scale), (re * e[i][1] - im * e[i][2]) * (1 / scale), 100 * tol)
        assertClose((a * im) * (1 / scale), (im * e[i][1] + re * e[i][2]) * (1 / scale), 100 * tol)
        assert.is_true(math.abs(re:norm() ^ 2 + im:norm() ^ 2 - 1) < 100 * tol)
        if isPair then
          assert.same({ e[i][1], -e[i][2] }, { e[i + 1][1], e[i + 1][2] })
          assert.is_true(e[i][2] > 0)
          local lengths = torch.cmul(re, re) + torch.cmul(im, im)
          local _, at = torch.max(lengths, 1)
          assert.is_true(math.abs(im[at[1]]) < 100 * tol or torch.max(torch.cmul(re, re)) >= (1 - 100 * tol) * torch.max(lengths))
          pairs = pairs + 1
        end
        i = i + (isPair and 2 or 1)
      end
      assert.is_true(math.abs(torch.sum(e:select(2, 1)) - torch.trace(a)) <= 100 * tol * scale)
      assertClose((torch.eig(a)) * (1 / scale), e * (1 / scale), 500 * tol)
    end
    assert.is_true(pairs > 15)
  end,
  ['eig is exact for triangular matrices, in any order of rows, and keeps its digits if rows and columns scale'] = function(to)
    local a = to(torch.Tensor { { 2, 0, 0, 0 }, { 1, 2, 0, 0 }, { 5, 1, 2, 0 }, { 3, 4, 1, 7 } })
    local order = torch.LongTensor { 3, 1, 4, 2 }
    for _, matrix in ipairs { a, a:t(), a:index(1, order):index(2, order) } do
      for _, scale in ipairs { 1, 2 ^ 100, 2 ^ -100 } do
        local e = torch.eig(matrix * scale)
        assert.same({ 2 * scale, 2 * scale, 2 * scale, 7 * scale }, (torch.sort(e:select(2, 1))):totable())
        assert.equal(0, e:select(2, 2):norm())
      end
    end
    a = torch.randn(5, 5)
    local far = torch.diag(torch.pow(torch.Tensor(5):fill(2), torch.Tensor { -30, 14, 0, 30, -16 }))
    local function real(matrix) return (torch.sort((torch.eig(to(matrix))):select(2, 1))) end
    assertClose(real(far * a * torch.inverse(far)), real(a), 1e-4)
    local e, v = torch.eig(to(torch.Tensor { { 1, 1e6 }, { 0, 1 } }), 'V')      -- one vector alone
    assert.same({ { 1, 0 }, { 1, 0 } }, e:totable())
    assert.is_true(math.abs(math.abs(v[1][2]) - 1) < 1e-6)
  end,
}

describe('of doubles and floats,', function()
  for law, check in pairs(laws) do
    it(law, function()
      for _, kind in ipairs(types) do
        torch.manualSeed(3)
        check(function(x) return x:type(kind[1]) end, kind[2])
      end
    end)
  end

  if not plain then
    it('all of this holds without LAPACK', function()
      local text, status = program.run({ 'spec/run.lua', '--ignore-lua', 'spec/torch/linalg_spec.lua' }, nil, 'MOONTORCH_BLAS=0')
      assert.equal(0, status, text)
    end)
  end
end)

it('eig converges where the squares of couplings underflow', function()
  local a = torch.Tensor { { 1e-144, 3e-117, -2e-61 }, { 1.5e-109, -7e-101, 2e85 }, { 2e-106, 4e98, -1e30 } }
  local e = torch.sort((torch.eig(a)):select(2, 1))
  assertClose(torch.Tensor { e[1], e[3] } * 1e-92, torch.Tensor { -math.sqrt(0.8), math.sqrt(0.8) }, 1e-12)
  assert.is_true(math.abs(e[2]) < 1e76)
end)

describe('results', function()
  local b, a = random(3, 2), definite(3)

  it('are column-major as in Torch7, but for v of svd, r of qr and the values of eig', function()
    local function strides(...)
      local list = {}
      for i, x in ipairs { ... } do list[i] = table.concat(x:stride():totable(), ' ') end
      return list
    end
    assert.same({ '1 3', '1 3' }, strides(torch.gesv(b, a)))
    assert.same({ '1 3' }, strides(torch.inverse(a)))
    assert.same({ '1 4', '1', '2 1' }, strides(torch.svd(random(4, 2))))
    assert.same({ '1 4', '2 1' }, strides(torch.qr(random(4, 2))))
    assert.same({ '1 3' }, strides(torch.potrf(a)))
    assert.same({ '2 1', '1 3' }, strides(torch.eig(a, 'V')))
  end)

  it('of a diagonal matrix print as they are: the zeros of inverses are not negative', function()
    for _, kind in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do
      local inverse = torch.inverse(torch.diag(torch.Tensor { 2, 4, -8 }):type(kind))
      assert.equal(' 0.5000  0.0000  0.0000\n 0.0000  0.2500  0.0000\n 0.0000  0.0000 -0.1250\n',
        (tostring(inverse):gsub('%[.*', '')))
      assert.is_nil(tostring(torch.potri(torch.diag(torch.Tensor { 2, 1.5, 3 }):type(kind))):find('-', 1, true))
    end
  end)

  it('that are given come back, resized', function()
    local x, lu = torch.Tensor(), torch.Tensor(2, 2)
    local x1, lu1 = torch.gesv(x, lu, b, a)
    assert.is_true(rawequal(x, x1) and rawequal(lu, lu1))
    local x2, lu2 = torch.gesv(b, a)
    assertClose(x, x2, 0)
    assertClose(lu, lu2, 0)
    assert.same({ 1, 3 }, x:stride():totable())
    local inverse = torch.Tensor(3, 3)
    assertClose(torch.inverse(inverse, a), torch.inverse(a), 0)
    local u, s, v = torch.Tensor(), torch.Tensor(), torch.Tensor()
    torch.svd(u, s, v, b)
    assertClose(u * torch.diag(s) * v:t(), b, 1e-12)
    local factor, pivots = torch.Tensor(), torch.IntTensor()
    torch.pstrf(factor, pivots, a)
    assert.same({ 3 }, pivots:size():totable())
  end)

  it('may be the arguments themselves', function()
    local matrix, side = a:clone(), b:clone()
    torch.gesv(side, matrix, side, matrix)
    assertClose(side, (torch.gesv(b, a)), 0)
    matrix:copy(a)
    assertClose(torch.inverse(matrix, matrix), torch.inverse(a), 0)
  end)

  it('of a vector have one column, as Torch7 has it; solve gives a vector', function()
    local y = random(3)
    assert.same({ 3, 1 }, torch.gesv(y, a):size():totable())
    assert.same({ 3, 1 }, torch.potrs(y, torch.potrf(a)):size():totable())
    assert.same({ 3, 1 }, torch.trtrs(y, a):size():totable())
    assert.same({ 3 }, torch.solve(a, y):size():totable())
  end)

  it('of det are numbers, of a batch tensors', function()
    assert.equal(-2, torch.det(torch.Tensor { { 0, 1 }, { 2, 0 } }))
    assert.is_true(math.abs(torch.logdet(torch.diag(torch.Tensor { 2, 8 })) - math.log(16)) < 1e-15)
    assert.same({ 1 }, torch.det(torch.eye(2):view(1, 2, 2)):size():totable())
    local sign, logarithm = torch.slogdet(torch.zeros(2, 2))
    assert.same({ 0, -math.huge }, { sign[1], logarithm[1] })
    assert.equal(1, torch.det(torch.zeros(0, 0)))
    assert.is_true(torch.logdet(torch.diag(torch.Tensor { 2, -8 })) ~= torch.logdet(torch.diag(torch.Tensor { 2, -8 })))
  end)

  it('leave options out as Torch7 does, where the letter tells which it is', function()
    assertClose((torch.trtrs(b, a, 'T')), (torch.trtrs(b, a, 'U', 'T', 'N')), 0)
    assertClose((torch.symeig(a, 'L')), (torch.symeig(a, 'N', 'L')), 0)
    assertClose(torch.pstrf(a, 1e-9), torch.pstrf(a, 'U', 1e-9), 0)
  end)
end)

describe('an error names', function()
  local nan, singular, b = 0 / 0, torch.Tensor { { 1, 2 }, { 2, 4 } }, random(2, 1)
  local cases = {
    { 'gesv: a: U%(2,2%) is zero, singular U', torch.gesv, b, singular },
    { 'solve: a: U%(1,1%) is zero', torch.solve, torch.zeros(2, 2), b },
    { 'inverse: a: U%(2,2%) is 0, U is singular', torch.inverse, singular },
    { 'trtrs: a: A%(2,2%) is zero, singular A', torch.trtrs, b, torch.diag(torch.Tensor { 1, 0 }) },
    { 'potrf: a: the leading minor of order 2 is not positive definite', torch.potrf, torch.Tensor { { 1, 2 }, { 2, 1 } } },
    { 'potri: factor: A%(1,1%) is 0', torch.potri, torch.zeros(2, 2) },
    { 'pstrf: a: .*rank deficient', torch.pstrf, singular },
    { 'gels: a: diagonal element 2 .*expected a matrix of full rank', torch.gels, torch.ones(2, 1),
      torch.Tensor { { 1, 0 }, { 1, 0 } } },
    { 'svd: a: NaN or infinities', torch.svd, torch.Tensor { { nan, 1 }, { 2, 3 } } },
    { 'symeig: a: NaN or infinities', torch.symeig, torch.Tensor { { 1 / 0, 1 }, { 1, 3 } } },
    { 'eig: a: NaN or infinities', torch.eig, torch.Tensor { { nan, 1 }, { 1, 3 } } },
    { 'gesv: b: %[3, 1%], expected 2 rows', torch.gesv, random(3, 1), singular },
    { 'inverse: a: %[2, 3%], expected a square matrix', torch.inverse, random(2, 3) },
    { 'qr: a: %[3%], expected a matrix', torch.qr, random(3) },
    { "potrf: uplo: 'X', expected one of the letters UL", torch.potrf, singular, 'X' },
    { 'inverse: a: torch.IntTensor, expected a tensor of floats', torch.inverse, torch.IntTensor(2, 2):fill(1) },
    { 'pstrf: pivots: torch.LongTensor, expected torch.IntTensor', torch.pstrf, torch.Tensor(), torch.LongTensor(), singular },
    { 'ormqr: c: %[2, 2%], expected 4 rows', torch.ormqr, random(4, 3), random(3), random(2, 2) },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      local ok, message = pcall(unpack(case, 2))
      assert.is_false(ok)
      assert.truthy(message:find(case[1]), message)
    end)
  end

  it("a batch's first matrix that fails, with any number of threads, and leaves results alone", function()
    local threads, n = torch.getnumthreads(), 3000
    local batch, given = torch.eye(12):view(1, 12, 12):expand(n, 12, 12):clone(), torch.Tensor { 7 }
    for matrix, zero in pairs { [n / 2 - 1] = 5, [n / 2 + 1] = 2, [n] = 3 } do batch[matrix][zero][zero] = 0 end
    for count = 1, 4 do
      torch.setnumthreads(count)
      for name, expected in pairs { inverse = 'U%(5,5%) is 0', potrf = 'the leading minor of order 5 ' } do
        local ok, message = pcall(torch[name], given, batch)
        assert.is_false(ok)
        assert.truthy(message:find(expected), message)
        assert.same({ 7 }, given:totable())
      end
    end
    torch.setnumthreads(threads)
  end)

  it('nothing where NaN only spreads', function()
    local a = torch.Tensor { { nan, 1 }, { 1, 3 } }
    for _, f in ipairs { torch.inverse, function(x) return (torch.gesv(b, x)) end, torch.qr } do
      local ok, x = pcall(f, a)
      assert.is_true(not ok or x[1][1] ~= x[1][1])
    end
    assert.is_true(torch.det(a) ~= torch.det(a))
  end)
end)

describe('the gradient', function()
  it('of det is that of the cofactors, for a singular matrix too', function()
    local a = torch.Tensor { { 1, 2 }, { 2, 4 } }:requiresGrad()
    torch.det(a):backward()
    assertClose(a.grad, torch.Tensor { { 4, -2 }, { -2, 1 } }, 1e-12)
  end)
  it('of svd with whole bases is refused', function()
    local a = random(3, 2):requiresGrad()
    local u = torch.svd(a, 'A')
    local ok, message = pcall(function() torch.sum(u):backward() end)
    assert.is_false(ok)
    assert.truthy(message:find "svd: gradient: vectors beyond the singular values'")
  end)
end)
