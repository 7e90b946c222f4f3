-- The generalised Schur form and the cosine-sine decomposition: products of the factors, their form, eigenvalues, and angles by singular
-- values.
local torch = require 'torch'
local near = require('spec.support.close').within { rtol = 1e-12, atol = 1e-12 }

local linalg = torch.linalg

if not pcall(linalg.qz, torch.eye(2), torch.eye(2)) then
  describe('generalised decompositions', function() pending('need LAPACK') end)
  return
end

local function random(...) return torch.DoubleTensor(...):normal() end
local function randomComplex(...) return torch.complex(random(...), random(...)) end
local function parts(z) return torch.viewAsReal(z:isComplex() and z or torch.complex(z, z * 0)) end
local function nearComplex(expected, actual) near(parts(expected:contiguous()), parts(actual:contiguous())) end
local function dagger(z) return z:isComplex() and torch.conj(z:t():contiguous()) or z:t():contiguous() end

-- q s z' and that q and z are unitary.
local function product(q, s, z)
  for _, u in ipairs { q, z } do nearComplex(torch.eye(u:size(1)):double(), torch.mm(u:contiguous(), dagger(u))) end
  return torch.mm(torch.mm(q, s), dagger(z))
end

describe('qz', function()
  it('has orthogonal factors and triangular forms', function()
    local a, b = random(6, 6), random(6, 6)
    local s, t, q, z = linalg.qz(a, b)
    nearComplex(a, product(q, s, z))
    nearComplex(b, product(q, t, z))
    assert.equal(0, torch.tril(t, -1):abs():sum() + torch.tril(s, -2):abs():sum())
    -- Blocks of two rows don't touch.
    for i = 1, 4 do assert.is_true(s[i + 1][i] == 0 or s[i + 2][i + 1] == 0) end
  end)

  it('is triangular for complex numbers', function()
    for _, case in ipairs { { randomComplex(5, 5), randomComplex(5, 5) }, { random(5, 5), randomComplex(5, 5) },
      { random(5, 5), random(5, 5), 'complex' } } do
      local s, t, q, z = linalg.qz(unpack(case))
      nearComplex(case[1], product(q, s, z))
      nearComplex(case[2], product(q, t, z))
      assert.equal('torch.ComplexDoubleTensor', s:type())
      assert.equal(0, torch.abs(torch.tril(s, -1)):sum() + torch.abs(torch.tril(t, -1)):sum())
    end
  end)

  it('has the eigenvalues of b⁻¹ a, in the order asked for', function()
    local a, b = random(7, 7), random(7, 7) + torch.eye(7):double() * 3
    local e = torch.eig(torch.solve(b, a))
    local function fits(sort, re, im)
      local size = math.sqrt(re ^ 2 + im ^ 2)
      return sort == 'lhp' and re < 0 or sort == 'rhp' and re > 0 or sort == 'iuc' and size < 1 or sort == 'ouc' and size > 1
    end
    for _, sort in ipairs { 'lhp', 'rhp', 'iuc', 'ouc' } do
      for _, output in ipairs { 'real', 'complex' } do
        local s, t, alpha, beta, q, z = linalg.ordqz(a, b, sort, output)
        nearComplex(a, product(q, s, z))
        nearComplex(b, product(q, t, z))
        local values, ended = torch.viewAsReal(torch.cdiv(alpha, beta:type(alpha:type()))), false
        for i = 1, 7 do
          local re, im = values[i][1], values[i][2]
          local least = math.huge
          for k = 1, 7 do least = math.min(least, (e[k][1] - re) ^ 2 + (e[k][2] - im) ^ 2) end
          assert.is_true(least < 1e-20)
          assert.is_true(not (ended and fits(sort, re, im)), sort)
          ended = ended or not fits(sort, re, im)
        end
      end
    end
    local _, _, alpha, beta = linalg.ordqz(torch.diag(torch.DoubleTensor { 1, 2, 3, 4 }), torch.eye(4):double(), function(x, y)
      return x.re / y.re > 2.5
    end)
    local order = torch.cdiv(torch.real(alpha):contiguous(), beta)
    assert.is_true(order[1] > 2.5 and order[2] > 2.5 and order[3] < 2.5 and order[4] < 2.5)
    near({ 1, 2, 3, 4 }, torch.sort(order):totable())
  end)

  it('accepts batches and floats', function()
    local a, b = random(2, 3, 4, 4), random(2, 3, 4, 4)
    local s, t, q, z = linalg.qz(a, b)
    assert.same({ 2, 3, 4, 4 }, s:size():totable())
    near(a, torch.matmul(torch.matmul(q, s), z:transpose(3, 4)))
    near(b, torch.matmul(torch.matmul(q, t), z:transpose(3, 4)))
    assert.equal('torch.FloatTensor', linalg.qz(torch.eye(2):float(), torch.eye(2):float()):type())
    assert.same({ 2, 3, 4 }, (select(3, linalg.ordqz(a, b))):size():totable())
  end)

  it('names what does not fit', function()
    local function fails(text, name, ...)
      local arguments = { ... }
      assert.error_matches(function() linalg[name](unpack(arguments)) end, text)
    end
    fails('qz: a: %[2, 3%], expected a square matrix', 'qz', torch.ones(2, 3), torch.ones(3, 3))
    fails('qz: b: %[3, 3%], expected 2 rows and columns', 'qz', torch.eye(2), torch.eye(3))
    fails("qz: output: 'imaginary', expected", 'qz', torch.eye(2), torch.eye(2), 'imaginary')
    fails('qz: a: NaN or infinities', 'qz', torch.eye(2) * (0 / 0), torch.eye(2))
    fails('qz: arguments: %[2, 2, 2%] and %[2, 2%], expected batches alike', 'qz', torch.ones(2, 2, 2), torch.eye(2))
    fails("ordqz: sort: 'up', expected", 'ordqz', torch.eye(2), torch.eye(2), 'up')
    fails('cossin: x: %[2, 3%], expected a square matrix', 'cossin', torch.ones(2, 3), 1, 1)
    fails('cossin: p: 3, expected', 'cossin', torch.eye(3), 3, 1)
    fails('cossin: q: 0, expected', 'cossin', torch.eye(3), 1, 0)
    fails('cossin: .*part', 'cossin', torch.eye(3), 1, 1, { part = true })
  end)
end)

describe('cossin', function()
  local sizes = { { 2, 2 }, { 4, 3 }, { 3, 4 }, { 1, 5 }, { 5, 1 }, { 3, 3 }, { 5, 2 }, { 1, 1 }, { 5, 5 } }

  it('has blocks, cosines and sines', function()
    local x = torch.qr(random(6, 6))
    local phases = torch.polar(torch.ones(6):double(), random(6) * 3)
    local z = torch.cmul(torch.complex(x, x * 0), torch.expand(phases:view(6, 1), 6, 6))
    z = torch.cmul(z, torch.expand(torch.conj(phases):view(1, 6), 6, 6))
    for _, m in ipairs { x, z } do
      for _, size in ipairs(sizes) do
        local p, q = unpack(size)
        for _, swapSign in ipairs { false, true } do
          local u, cs, v = linalg.cossin(m, p, q, { swapSign = swapSign })
          nearComplex(m, torch.mm(torch.mm(u, cs:type(u:type())), v))
          nearComplex(torch.eye(6):double(), torch.mm(u, dagger(u)))
          assert.equal(0, torch.abs(u:narrow(1, 1, p):narrow(2, p + 1, 6 - p)):sum())
          assert.equal(0, torch.abs(v:narrow(1, q + 1, 6 - q):narrow(2, 1, q)):sum())
          local upper, lower = cs:narrow(1, 1, p):narrow(2, q + 1, 6 - q), cs:narrow(1, p + 1, 6 - p):narrow(2, 1, q)
          assert.is_true((swapSign and lower or upper):max() <= 0 and (swapSign and upper or lower):min() >= 0)
        end
      end
    end
  end)

  it('has angles whose cosines are the singular values of a block', function()
    local x = torch.qr(random(7, 7))
    for _, size in ipairs { { 2, 2 }, { 3, 3 }, { 2, 3 } } do
      local p, q = unpack(size)
      local u, theta, v = linalg.cossin(x, p, q, { separate = true })
      local _, s = torch.svd(x:narrow(1, 1, p):narrow(2, 1, q):contiguous())
      near((torch.sort(s)), (torch.sort(torch.cos(theta))))
      assert.same({ p, 7 - p, q, 7 - q }, { u[1]:size(1), u[2]:size(1), v[1]:size(1), v[2]:size(1) })
    end
    local batch = torch.stack({ x, x:t():contiguous() }, 1)
    local u, cs, v = linalg.cossin(batch, 3, 2)
    near(batch, torch.matmul(torch.matmul(u, cs), v))
  end)
end)

describe('complex forms', function()
  it('of Schur are triangular', function()
    for n = 1, 7 do
      local a = random(n, n)
      local t, z = torch.schur(a)
      local tc, zc = linalg.rsf2csf(t, z)
      nearComplex(a, product(zc, tc, zc))
      assert.equal(0, torch.abs(torch.tril(tc, -1)):sum())
    end
    local t, z = linalg.rsf2csf(torch.DoubleTensor { { 1, 2 }, { 0, 3 } }, torch.eye(2):double())
    nearComplex(torch.DoubleTensor { { 1, 2 }, { 0, 3 } }, t)
    nearComplex(torch.eye(2):double(), z)
    assert.error_matches(function() linalg.rsf2csf(torch.eye(2), torch.eye(3)) end, 'rsf2csf: z: %[3, 3%], expected 2 rows and columns')
  end)

  it('of eigenvalues become real', function()
    local a = torch.DoubleTensor { { 1, 2, 0 }, { -3, 1, 1 }, { 0, 0, 4 } }
    local values, vectors = torch.eig(a, 'V')
    local w, v = torch.complex(values:select(2, 1):clone(), values:select(2, 2):clone()), torch.complex(vectors * 0, vectors * 0)
    for i = 1, 3 do
      local im = values[i][2]
      local first = im < 0 and i - 1 or i
      local re, other = vectors:select(2, first):clone(), im ~= 0 and vectors:select(2, first + 1):clone() or torch.zeros(3):double()
      v:select(2, i):copy(torch.complex(re, im < 0 and -other or other))
    end
    nearComplex(torch.mm(torch.complex(a, a * 0), v), torch.cmul(v, torch.expand(w:view(1, 3), 3, 3)))
    local b, x = linalg.cdf2rdf(w, v)
    near(a * x, x * b)
    assert.equal('torch.DoubleTensor', b:type())
    assert.error_matches(function() linalg.cdf2rdf(w:narrow(1, 1, 1), torch.complex(torch.ones(1, 1), 0)) end,
      'cdf2rdf: w: element 1 without its conjugate after it')
    assert.error_matches(function() linalg.cdf2rdf(w, torch.eye(2)) end, 'cdf2rdf: v: %[2, 2%], expected %[3, 3%]')
  end)

  it('of the Fourier transform multiply as it', function()
    for _, n in ipairs { 1, 2, 5, 8, 30 } do
      local x = randomComplex(n)
      nearComplex(torch.fft.fft(x), torch.mv(linalg.dft(n), x))
      nearComplex(torch.eye(n):double(), torch.mm(linalg.dft(n, 'sqrtn'), dagger(linalg.dft(n, 'sqrtn'))))
      nearComplex(linalg.dft(n) * (1 / n), linalg.dft(n, 'n'))
    end
    assert.error_matches(function() linalg.dft(2, 'all') end, "dft: scale: 'all', expected")
  end)
end)
