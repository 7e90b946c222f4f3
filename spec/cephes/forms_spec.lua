-- cephes: functions with several results, C's pointers, levels of errors, values at poles and outside the domain, vectors.
local ffi, torch, cephes = require 'ffi', require 'torch', require 'cephes'
local infinity = math.huge

local function isNan(x) return x ~= x end
local function near(wanted, got)
  assert.is_true(math.abs(wanted - got) <= 1e-13 * math.abs(wanted), ('%.17g, expected %.17g'):format(got, wanted))
end

describe('functions with several results', function()
  it('return numbers, or tensors of one dimension', function()
    local s, c = cephes.sincos(30)
    near(0.5, s)
    near(math.sqrt(3) / 2, c)
    local sn, cn, dn, phi = cephes.ellpj(torch.FloatTensor { { 0.5 }, { 1 } }, 0.25)
    for i, u in ipairs { 0.5, 1 } do
      assert.same({ cephes.ellpj(u, 0.25) }, { sn[i], cn[i], dn[i], phi[i] })
    end
    assert.same({ 2 }, phi:size():totable())
    assert.equal(0, select(4, cephes.airy(torch.Tensor())):nElement())
    assert.same({ 0.625, 4 }, { cephes.frexp(10) })
  end)

  it("set numbers at C's pointers", function()
    local s, c = ffi.new 'double[1]', ffi.new 'double[3]'
    assert.equal(0, cephes.sincos(60, s, c, 1))
    near(0.5, c[0])
    near(math.sqrt(3) / 2, s[0])
    local both = ffi.new 'double[2]'
    cephes.sici(2, both + 0, both + 1)
    assert.same({ cephes.sici(2) }, { both[0], both[1] })
    local exponent = ffi.new 'int[1]'
    assert.equal(0.75, cephes.frexp(3, exponent))
    assert.equal(2, exponent[0])
    local err = ffi.new 'double[1]'
    local value = cephes.hyp2f0(1, 1, -0.01, 1, err)
    near(100 * math.exp(100) * cephes.expn(1, 100), value)
    assert.is_true(err[0] > 0 and err[0] < 1e-12)
    assert.equal(value, cephes.hyp2f0(1, 1, -0.01))
    cephes.onef2(1, 2, 3, -350, err)
    assert.is_true(err[0] > 1e-19 and err[0] < 1e-10)
    cephes.threef0(1, 1, 1, -0.02, err)
    assert.is_true(err[0] > 1e-6 and err[0] < 1e-3)
    assert.equal(0, cephes.drand(err))
    assert.is_true(err[0] >= 1 and err[0] < 2)
  end)

  it('refuse other arguments', function()
    local cases = {
      ['cephes.airy: need 1 arguments, or 5 with pointers, got 2'] = function() cephes.airy(1, 2) end,
      ['cephes.sici: ci: a nil, expected a pointer to a double'] = function() cephes.sici(1, ffi.new 'double[1]') end,
      ['cephes.sici: x: a tensor, expected a number'] = function()
        cephes.sici(torch.ones(2), ffi.new 'double[1]', ffi.new 'double[1]')
      end,
      ['cephes.ellpj: m: a string, expected a number or a tensor'] = function() cephes.ellpj(1, 'x') end,
      ['cephes.onef2: b: a torch.DoubleTensor, expected a number'] = function()
        cephes.onef2(1, torch.ones(2), 3, 4, ffi.new 'double[1]')
      end,
      ['cephes.onef2: 2 arguments before the pointer, expected 4'] = function() cephes.onef2(1, 2, ffi.new 'double[1]') end,
      ['cephes.hyp2f0: CHKPARAMS: need 3 arguments'] = function() cephes.hyp2f0() end,
      ['cephes.hyp2f0: 3 arguments before the pointer, expected 4'] = function() cephes.hyp2f0(1, 2, 3, ffi.new 'double[1]') end,
      ['cephes.frexp: exponent: another value, expected a pointer to an int'] = function() cephes.frexp(1, ffi.new 'double[1]') end,
      ['cephes.frexp: exponent: another'] = function() cephes.frexp(1, ffi.cast('int *', nil)) end,
      ['cephes.drand: a: a number, expected a pointer to a double'] = function() cephes.drand(3) end,
      ['cephes.isinf: x: a string, expected a number'] = function() cephes.isinf 'x' end,
    }
    for message, f in pairs(cases) do assert.error_matches(f, message) end
    local pointer = ffi.cast('double *', nil)
    assert.is_false(pcall(cephes.sici, 1, pointer, pointer))
    assert.is_false(pcall(cephes.sici, 1, ffi.new 'double[0]', ffi.new 'double[0]'))
  end)
end)

describe('levels of errors', function()
  after_each(function() cephes.setErrorLevel 'off' end)

  it('are silence, warnings and errors', function()
    assert.equal('off', cephes.getErrorLevel())
    assert.is_true(isNan(cephes.log(-1)))
    local levels = { [0] = 'off', [1] = 'error', [2] = 'warning', err = 'error', warn = 'warning', error = 'error', off = 'off' }
    for given, level in pairs(levels) do
      cephes.setErrorLevel(given)
      assert.equal(level, cephes.getErrorLevel())
    end
    assert.error_matches(function() cephes.setErrorLevel 'x' end, "cephes.setErrorLevel: level: x, expected 'off', 'error' or 'warning'")
    local said, plain = {}, print
    rawset(_G, 'print', function(text) said[#said + 1] = text end)
    cephes.setErrorLevel 'warning'
    local good, value = pcall(cephes.log, torch.Tensor { -1, 1, 0 })
    rawset(_G, 'print', plain)
    assert.is_true(good and isNan(value[1]) and value[2] == 0 and value[3] == -infinity)
    assert.same({ 'CEPHES WARNING: log: domain error' }, said)
  end)

  it('name the function and the kind', function()
    cephes.setErrorLevel 'error'
    local cases = {
      { 'log', 'domain error', { -1 } }, { 'log', 'singularity', { 0 } }, { 'exp', 'overflow', { 1000 } },
      { 'exp', 'underflow', { -1000 } },
      { 'gamma', 'domain error', { -1 } }, { 'gamma', 'overflow', { 200 } }, { 'lgam', 'singularity', { 0 } },
      { 'jv', 'total loss of precision', { 2e6, 3e6 } }, { 'sici', 'singularity', { 0 } }, { 'hyperg', 'singularity', { 1, -2, 3 } },
      { 'hyperg', 'overflow', { 1, 2, 1000 } }, { 'hyp2f1', 'domain error', { 1, 2, 3, 1.5 } }, { 'expn', 'singularity', { 1, 0 } },
      { 'ei', 'singularity', { 0 } }, { 'ellpk', 'singularity', { 0 } }, { 'zetac', 'singularity', { 1 } },
      { 'polylog', 'singularity', { 1, 1 } }, { 'ei', 'overflow', { 1000 } }, { 'ellpj', 'domain error', { 1, 2 } },
      { 'stdtri', 'singularity', { 3, 1 } },
      { 'threef0', 'partial loss of precision', { 1, 1, 1, -0.02 } }, { 'onef2', 'total loss of precision', { 1, 2, 3, -1e5 } },
      { 'hyp2f1', 'singularity', { 1, 2, -1, 0.5 } }, { 'onef2', 'singularity', { 1, -2, 1, 1 } },
      { 'log', 'domain error', { torch.Tensor { 1, -1 } } }, { 'igam', 'domain error', { torch.Tensor(2), torch.Tensor { 1, -1 }, 1 } },
    }
    for _, case in ipairs(cases) do
      assert.error_matches(function() cephes[case[1]](unpack(case[3])) end, ("Cephes error '%s: %s'"):format(case[1], case[2]))
    end
    for name in ('y0 y1 k0 k0e k1 k1e'):gmatch '%w+' do
      assert.error_matches(function() cephes[name](0) end, ("Cephes error '%s: singularity'"):format(name))
    end
    for name, v in pairs { yn = 2, yv = 0.5, kn = 2, jv = -0.5 } do
      assert.error_matches(function() cephes[name](v, 0) end, ("Cephes error '%s: singularity'"):format(name))
    end
    assert.error_matches(function() cephes.yn(1000, 2) end, "Cephes error 'yn: overflow'")
    assert.error_matches(function() cephes.jv(torch.Tensor { 1, 2e6 }, 3e6) end, "Cephes error 'jv: total loss of precision'")
    assert.is_true(isNan(cephes.log(0 / 0)))
    assert.equal(infinity, cephes.exp(infinity))
    assert.equal(0, cephes.exp(-infinity))
    assert.equal(0, cephes.log(1))
    assert.equal(-infinity, cephes.ffi.log(0))      -- without levels
  end)
end)

it('ffi has functions of numbers without checks', function()
  near(cephes.ndtr(0.3), cephes.ffi.ndtr(0.3))
  near(cephes.hyp2f1(1, 2, 3, 0.3), cephes.ffi.hyp2f1(1, 2, 3, 0.3))
  near(cephes.smirnov(10, 0.2), cephes.ffi.smirnov(10, 0.2))
  assert.same({ cephes.airy(1) }, { cephes.ffi.airy(1) })
  assert.equal(5, cephes.ffi.cabs(cephes.new_cmplx(3, 4)))
  assert.equal(nil, cephes.ffi.nothing)
end)

describe('special arguments', function()
  it('of elliptic functions', function()
    assert.equal(infinity, cephes.ellpk(0))
    assert.equal(1, cephes.ellpe(0))
    assert.equal(0, cephes.ellpk(infinity))
    assert.is_true(isNan(cephes.ellpk(-1)) and isNan(cephes.ellpe(-1)) and isNan(cephes.ellik(1, 1.1)) and isNan(cephes.ellie(0 / 0, 0)))
    assert.equal(infinity, cephes.ellik(2, 1))
    near(2 - math.sin(2), cephes.ellie(2, 1))
    near(2 * math.pi, cephes.ellik(2 * math.pi, 0))
    assert.equal(-infinity, cephes.ellik(-infinity, 0.5))
    local sn, cn, dn, phi = cephes.ellpj(400, 1)
    assert.same({ 1, true, true }, { sn, cn == dn and cn < 1e-170, phi == math.pi / 2 })
  end)

  it('of integrals', function()
    assert.equal(-infinity, cephes.ei(0))
    assert.equal(infinity, cephes.ei(infinity))
    assert.equal(0, cephes.ei(-infinity))
    assert.same({ 0, -infinity }, { cephes.sici(0) })
    assert.same({ math.pi / 2, 0 }, { cephes.sici(infinity) })
    assert.same({ 0, -infinity }, { cephes.shichi(0) })
    assert.same({ -infinity, infinity }, { cephes.shichi(-infinity) })
    assert.same({ -0.5, -0.5 }, { cephes.fresnl(-infinity) })
    assert.same({ 0, 0 }, { cephes.fresnl(0) })
    assert.same({ 0.5, 0.25, infinity, 0 }, { cephes.expn(3, 0), cephes.expn(5, 0), cephes.expn(0, 0), cephes.expn(2, infinity) })
    assert.is_true(isNan(cephes.expn(1.5, 1)) and isNan(cephes.expn(1, -1)) and isNan(cephes.spence(-1)))
    near(math.pi ^ 2 / 6, cephes.spence(0))
    assert.equal(0, cephes.spence(1))
    assert.equal(0, cephes.dawsn(infinity))
    near(10 ^ 9 / 9, cephes.simpsn(torch.pow(torch.range(0, 8) * 1.25, 8), 1.25))      -- exact up to degree 9
    near(2, cephes.simpsn({ 0, 0, 0, 0, 28350 / -4540, 0, 0, 0, 0 }, 0.25))
    assert.error_matches(function() cephes.simpsn({ 1, 2 }, 1) end, 'cephes.simpsn: values: 2 numbers, expected 9')
  end)

  it('of Bessel functions', function()
    assert.same({ 1, 0, 0 }, { cephes.jv(0, 0), cephes.jv(2.5, 0), cephes.jn(-3, 0) })
    assert.equal(infinity, cephes.jv(-0.5, 0))
    assert.equal(-infinity, cephes.jv(-1.5, 0))
    assert.same({ -infinity, -infinity, infinity }, { cephes.yn(0, 0), cephes.yv(2.5, 0), cephes.yn(-3, 0) })
    assert.same({ 1, 0, infinity, 0 }, { cephes.iv(0, 0), cephes.iv(2, 0), cephes.kn(3, 0), cephes.kn(3, infinity) })
    assert.same({ 0, infinity }, { cephes.jv(2, infinity), cephes.iv(2, infinity) })
    assert.is_true(isNan(cephes.jv(0.5, -1)) and isNan(cephes.yv(1, -1)) and isNan(cephes.iv(0.5, -1)) and isNan(cephes.kn(1, -1)))
    assert.is_true(isNan(cephes.jn(0.5, 1)) and isNan(cephes.yn(0.5, 1)) and isNan(cephes.kn(0.5, 1)) and isNan(cephes.jv(0 / 0, 1)))
    assert.equal(0, cephes.jv(1000, 2))
    assert.equal(-infinity, cephes.yv(1000, 2))
    assert.same({ 0, 0, infinity, infinity }, { cephes.airy(infinity) })
    assert.same({ 0, 2 / math.pi, infinity }, { cephes.struve(1, 0), cephes.struve(-1, 0), cephes.struve(-1.2, 0) })
    near(cephes.jv(1.5, 3), cephes.struve(-1.5, 3) * -1)
    assert.is_true(isNan(cephes.struve(0.5, -1)))
  end)

  it('of hypergeometric functions', function()
    assert.same({ infinity, 1, 1, 1 },
      { cephes.hyperg(1, -2, 1), cephes.hyperg(0, -2, 1), cephes.hyperg(2, 3, 0), cephes.hyp2f1(0, 1, 2, 5) })
    assert.same({ infinity, infinity, -infinity },
      { cephes.hyp2f1(1, 2, -1, 0.5), cephes.hyp2f1(1, 2, 3, 1), cephes.hyp2f1(0.5, 0.5, -0.5, 1) })
    for _, x in ipairs { 1.5, -infinity, 0 / 0 } do assert.is_true(isNan(cephes.hyp2f1(1, 2, 3, x))) end
    near(9, cephes.hyp2f1(-2, 1.5, 0.5, 2))      -- 1 - 6x + 5x^2
    near(math.exp(2.5), cephes.hyperg(1.5, 1.5, 2.5))
    assert.equal(3.625, cephes.hyperg(-2, -2, 1.5))      -- ends with x^2
    assert.equal(0, cephes.hyp2f1(-3, 0.5, 0.5, 1))
    for _, case in ipairs { { 1e5, 2, 3 }, { 2, 1e5, 3 }, { 2, 3, 1e5 } } do
      assert.is_true(isNan(cephes.hyp2f1(case[1], case[2], case[3], 0.5)))
    end
    local err = ffi.new 'double[1]'
    local value = cephes.hyp2f0(7, 5, -30, 1, err)
    assert.is_true(err[0] > 0 and err[0] < 1e-13 * value)
    assert.is_true(isNan(cephes.hyp2f0(1, 1, -infinity)) and isNan(cephes.hyp2f0(2, -infinity, -1)))
    assert.equal(infinity, cephes.hyperg(1, 2, infinity))
    for i = 1, 3 do
      local parameters = { 1, 2, 3 }
      parameters[i] = 0 / 0
      assert.is_true(isNan(cephes.hyperg(unpack(parameters))))
    end
    assert.is_true(isNan(cephes.hyperg(infinity, 2, 1)) and isNan(cephes.hyperg(1, infinity, 1)))
    assert.is_true(isNan(cephes.hyp2f0(1, 1, 5)) and isNan(cephes.onef2(1, 0 / 0, 1, 1)) and isNan(cephes.threef0(1, 1, 1, 3)))
    assert.equal(infinity, cephes.onef2(1, -2, 1, 1))
  end)

  it('of zeta functions and distributions', function()
    assert.same({ infinity, 0, -1, -1.5 }, { cephes.zetac(1), cephes.zetac(infinity), cephes.zetac(-4), cephes.zetac(0) })
    assert.is_true(isNan(cephes.polylog(1.5, 0.5)) and isNan(cephes.polylog(2, 1.1)) and isNan(cephes.polylog(200, 0.5)))
    assert.same({ 0, infinity, infinity }, { cephes.polylog(3, 0), cephes.polylog(0, 1), cephes.polylog(1, 1) })
    assert.same({ 1, 0, 1, 0 }, { cephes.smirnov(5, 0), cephes.smirnov(5, 1), cephes.kolmogorov(-1), cephes.kolmogi(1) })
    assert.same({ infinity, 1, 0 }, { cephes.kolmogi(0), cephes.smirnovi(5, 0), cephes.smirnovi(5, 1) })
    assert.is_true(isNan(cephes.smirnov(2.5, 0.5)) and isNan(cephes.smirnov(2, 1.5)))
    assert.is_true(isNan(cephes.kolmogi(2)) and isNan(cephes.smirnovi(3, -1)))
    for _, p in ipairs { 1e-10, 0.01, 0.5, 0.99 } do
      near(p, cephes.kolmogorov(cephes.kolmogi(p)))
      near(p, cephes.smirnov(20, cephes.smirnovi(20, p)))
    end
    assert.is_true(isNan(cephes.lmvgam(1, 3)) and isNan(cephes.gamma(0)) and isNan(cephes.mvgam(1, 0)) and cephes.rgamma(-2) == 0)
  end)

  it('of elementary functions', function()
    assert.same({ 1, 0, 0, 1 }, { cephes.signbit(-0), cephes.signbit(0), cephes.signbit(0 / 0), cephes.signbit(-2) })
    assert.same({ 2, 2, -2, 4 }, { cephes.round(1.5), cephes.round(2.5), cephes.round(-2.5), cephes.round(3.5) })
    assert.same({ 8, 3, 10, 1000 }, { cephes.exp2(3), cephes.log2(8), cephes.ldexp(1.25, 3), cephes.exp10(3) })
    assert.same({ 0.25, 2, 5 }, { cephes.powi(2, -2), cephes.pow(4, 0.5), cephes.hypot(3, 4) })
    near(-3, cephes.cbrt(-27))
    assert.same({ 2, -2, -1, 1.5 }, { cephes.ceil(1.2), cephes.floor(-1.2), cephes.ceil(-1.2), cephes.fabs(-1.5) })
    assert.is_true(isNan(cephes.powi(2, 0.5)))
    near(math.pi * 3 / 4, cephes.atan2(1, -1))
    for name in ('sin cos tan asin acos atan sinh cosh tanh sqrt log log10 exp'):gmatch '%w+' do
      assert.equal(math[name](0.7), cephes[name](0.7))
    end
    near(0.5, cephes.asinh(math.sinh(0.5)))
    near(0.5, cephes.acosh(math.cosh(0.5)))
    near(0.5, cephes.atanh(math.tanh(0.5)))
    near(1 / math.tan(0.7), cephes.cot(0.7))
    near(1.0000000005e-9, cephes.expm1(1e-9))
    near(9.999999995e-10, cephes.log1p(1e-9))
    assert.same({ 0, 1, -1, 0 }, { cephes.sindg(180), cephes.cosdg(360), cephes.sindg(-90), cephes.cosdg(270) })
    assert.equal(infinity, cephes.tandg(90))
    torch.manualSeed(3)
    local first = cephes.drand()
    assert.is_true(first >= 1 and first < 2)
    torch.manualSeed(3)
    assert.equal(first, cephes.drand())
  end)
end)

describe('vectors of coefficients', function()
  it('are tables, tensors and arrays', function()
    local array = ffi.new('double[3]', { 2, 3, 4 })
    for _, vector in ipairs { { 2, 3, 4 }, torch.FloatTensor { 2, 3, 4 }, array } do
      assert.equal(2 * 25 + 3 * 5 + 4, cephes.polevl(5, vector, 2))
      assert.equal(5 ^ 3 + 2 * 25 + 3 * 5 + 4, cephes.p1evl(5, vector, 3))
      near(2 * (2 * 0.09 - 1) + 3 * 0.3 + 4 / 2, cephes.chbevl(0.6, vector, 3))
    end
    assert.same({ 18, 31 }, cephes.polevl(torch.Tensor { 2, 3 }, array, 2):totable())
  end)

  it('make polynomials', function()
    local a, b, c = { 1, 2 }, torch.Tensor { 3, 0, 1 }, ffi.new 'double[8]'      -- 1 + 2x, 3 + x^2
    local degree, result = cephes.polmul(a, 1, b, 2, c)
    assert.same({ 3, 3, 6, 1, 2 }, { degree, c[0], c[1], c[2], c[3] })
    assert.equal(c, result)
    assert.same({ 2, { 4, 2, 1 } }, { cephes.poladd(a, 1, b, 2, {}) })
    assert.same({ 2, { 2, -2, 1 } }, { cephes.polsub(a, 1, b, 2, {}) })
    assert.same({ 2, { 4, 4, 4 } }, { cephes.polsbt(a, 1, b, 2, {}) })      -- 3 + (1 + 2x)^2
    assert.same({ 2, { 7, 0, 2 } }, { cephes.polsbt(b, 2, a, 1, {}) })      -- 1 + 2 (3 + x^2)
    assert.equal(28, cephes.poleva(b, 2, 5))
    cephes.polini(4)
    assert.same({ 0, { 3, -6, 13, -26, 52 } }, { cephes.poldiv(a, 1, b, 2, {}) })
    assert.same({ 1, { 3, 0, 1, 0, 0 } }, { cephes.poldiv({ 0, 1 }, 1, b, 2, {}) })
    cephes.polini(16)
    local copy = torch.ones(4)
    assert.equal(copy, cephes.polmov(b, 2, copy))
    assert.same({ 3, 0, 1, 1 }, copy:totable())
    assert.same({ 0, 0, 0, 1 }, cephes.polclr(copy, 2):totable())
    assert.same({ 5 }, cephes.polmov({ 5 }, 0, torch.zeros(1)):totable())
    assert.equal(2, cephes.chbevl(0.3, { 4 }, 1))
  end)

  it('refuse other values', function()
    local cases = {
      ['cephes.polevl: coefficients: 2 numbers, expected 3'] = function() cephes.polevl(1, { 1, 2 }, 2) end,
      ['cephes.polevl: coefficients%[2%]: a string, expected a number'] = function() cephes.polevl(1, { 1, 'x' }, 1) end,
      ['cephes.polevl: n: %-1, expected a whole number, 0 or more'] = function() cephes.polevl(1, { 1 }, -1) end,
      ['cephes.polmul: c: 2 elements, expected 3 or more'] = function() cephes.polmul({ 1, 2 }, 1, { 1, 2 }, 1, ffi.new 'double[2]') end,
      ['cephes.polmul: c: nil, expected a table'] = function() cephes.polmul({ 1, 2 }, 1, { 1, 2 }, 1) end,
      ['cephes.polmov: b: 1 elements, expected 2 or more'] = function() cephes.polmov({ 1, 2 }, 1, torch.ones(1)) end,
      ['cephes.polmov: b: 2 dimensions, expected 1'] = function() cephes.polmov({ 1, 2 }, 1, torch.ones(2, 2)) end,
      ['cephes.poleva: a: a pointer, expected an array'] = function() cephes.poleva(ffi.new 'double[3]' + 0, 2, 1) end,
      ['cephes.poldiv: a: zero'] = function() cephes.poldiv({ 0, 0 }, 1, { 1 }, 0, {}) end,
      ['cephes.csin: z: a table, expected a number made by cephes.new_cmplx'] = function() cephes.csin {} end,
      ['cephes.csin: w: a number'] = function() cephes.csin(cephes.new_cmplx(1), 2) end,
      ['cephes.cadd: b: a nil'] = function() cephes.cadd(cephes.new_cmplx(1)) end,
      ['cephes.new_cmplx: im: a string, expected a number'] = function() cephes.new_cmplx(1, 'x') end,
    }
    for message, f in pairs(cases) do assert.error_matches(f, message) end
  end)
end)

it('complex numbers are structs, and results have a place', function()
  local z, w = cephes.new_cmplx(3, -4), cephes.new_cmplx()
  assert.equal(w, cephes.csqrt(z, w))
  assert.same({ 2, -1 }, { w.r, w.i })
  assert.equal(5, cephes.cabs(z))
  cephes.cmov(z, w)
  assert.same({ 3, -4 }, { w.r, w.i })
  cephes.cneg(w)
  assert.same({ -3, 4 }, { w.r, w.i })
  local root = cephes.csqrt(cephes.new_cmplx(-4, -0))
  assert.same({ 0, -2 }, { root.r, root.i })
  root = cephes.csqrt(cephes.new_cmplx(0, 8))
  assert.same({ 2, 2 }, { root.r, root.i })
  local huge = cephes.csqrt(cephes.new_cmplx(1e308, 1e308))
  near(1.0986841134678098e154, huge.r)
  local tiny = cephes.csqrt(cephes.new_cmplx(0, 2e-320))
  near(tiny.i, tiny.r)
  local power = cephes.cpow(cephes.new_cmplx(0, 0), cephes.new_cmplx(2, 0))
  assert.same({ 0, 0 }, { power.r, power.i })
  local tangent = cephes.ctan(cephes.new_cmplx(1, 400))
  assert.same({ 0, 1 }, { tangent.r, tangent.i })
end)
