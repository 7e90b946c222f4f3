-- Complex tensors: values against NumPy's (complex_figures.py), exactly computed products, derivatives against differences along both
-- axes, views, files, numbers of LuaJIT.
local torch = require 'torch'
local figures = require 'spec.torch.complex_figures'

local huge, nan = math.huge, 0 / 0
local floats, doubles = 'torch.ComplexFloatTensor', 'torch.ComplexDoubleTensor'

local function numbers(list) return torch.viewAsComplex(torch.DoubleTensor(list):view(#list / 2, 2)) end
local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end

-- Asserts that the elements agree to some units of the last digit of their magnitudes.
local function assertClose(expected, actual, what, units)
  assert.same(expected:size():totable(), actual:size():totable(), what)
  local limit = (units or 8) * (actual:type():find 'Float' and 2 ^ -23 or 2 ^ -52)
  local difference = torch.abs(torch.csub(actual, expected:to(actual:type())))
  local worst = torch.cdiv(difference, torch.add(torch.abs(expected):to(difference:type()), 1e-300)):max()
  assert.is_true(worst <= limit, ('%s: %g of %g'):format(what or 'elements', worst, limit))
end

describe('an elementwise op on complex numbers', function()
  local z, w = numbers(figures.z), numbers(figures.w)
  -- Units of the last digit; functions that multiply rounding errors of their arguments have more.
  local units = { pow = 200, exp2 = 40, expm1 = 20, tan = 20, tanh = 20 }

  for name, list in pairs(figures) do
    local isBinary = name == 'add' or name == 'csub' or name == 'cmul' or name == 'cdiv' or name == 'pow'
    if torch[name] and (isBinary or #list == #figures.z) and name ~= 'cumsum' then
      it('has the values and branch cuts of NumPy: ' .. name, function()
        local expected = numbers(list)
        assertClose(expected, isBinary and torch[name](z, w) or torch[name](z), name, units[name])
        local single = z:to(floats)
        if not isBinary and name ~= 'expm1' then
          assertClose(torch[name](single:to(doubles)), torch[name](single), name .. ' in floats', units[name])
        end
        -- The bits are those of a vector for each length and place, and of other layouts.
        local wide = torch.ComplexDoubleTensor(z:size(1), 2):fill(1)
        local strided = wide:select(2, 2):copy(z)
        local whole = isBinary and torch[name](z, w) or torch[name](z)
        local other = isBinary and torch[name](strided, w) or torch[name](strided)
        assert.is_true(torch.viewAsReal(whole):equal(torch.viewAsReal(other)))
        for i = 1, z:size(1) do
          local one = isBinary and torch[name](z[{ { i, i } }], w[{ { i, i } }]) or torch[name](z[{ { i, i } }])
          assertClose(whole[{ { i, i } }], one, name .. ' of one', 4)
        end
      end)
    end
  end

  it('has real magnitudes and angles', function()
    for _, name in ipairs { 'abs', 'angle' } do
      local actual = torch[name](z)
      assert.equal('torch.DoubleTensor', actual:type())
      assert.is_true(torch.abs(actual - torch.DoubleTensor(figures[name])):max() < 1e-14)
      assert.equal('torch.FloatTensor', torch[name](z:to(floats)):type())
      local strided = torch.zeros(z:size(1), 3)
      torch[name](strided:select(2, 2), z)
      assert.is_true(strided:select(2, 2):equal(actual))
    end
    assert.error_matches(function() z:clone():abs() end, 'abs: res: torch.ComplexDoubleTensor, expected torch.DoubleTensor')
    assert.same({ 0, math.pi, 0 }, torch.angle(torch.Tensor { 2, -3, 0 }):totable())
  end)

  it('keeps infinities, zeros and NaN as Annex G of C99 has them', function()
    local function at(f, re, im)
      local y = f(torch.ComplexDoubleTensor { torch.complex(re, im) })[1]
      return y.re, y.im
    end
    assert.same({ huge, 0 }, { at(torch.exp, huge, 0) })
    assert.same({ 0, 0 }, { at(torch.exp, -huge, 5) })
    assert.same({ -huge, math.pi }, { at(torch.log, torch.mul(torch.zeros(1), -1)[1], 0) })
    assert.same({ huge, huge }, { at(torch.sqrt, 3, huge) })
    assert.same({ 0, 0 }, { at(torch.sqrt, 0, 0) })
    assert.same({ 1, 0 }, { at(torch.tanh, huge, 1) })
    assert.equal(huge, torch.abs(torch.ComplexDoubleTensor { torch.complex(nan, huge) })[1])
    for _, scale in ipairs { 1e200, 1e-200, 1e-310 } do
      local size = torch.abs(torch.ComplexDoubleTensor { 3 * scale + 4 * scale * 1i })[1]
      assert.is_true(math.abs(size / (5 * scale) - 1) < 1e-12)
    end
    local infinite = torch.ComplexDoubleTensor { torch.complex(huge, 1) }
    assert.same({ huge, 2 }, { (infinite * 2 * 0.5 + 1i)[1].re, (infinite * 2 * 0.5 + 1i)[1].im })
    assert.same({ -huge, -1 }, { (-infinite)[1].re, (-infinite)[1].im })
    assert.same({ 1 }, torch.isinf(torch.ComplexDoubleTensor { torch.complex(nan, huge) }):totable())
    assert.same({ 1 }, torch.isnan(torch.ComplexDoubleTensor { torch.complex(nan, huge) }):totable())
  end)

  it('divides large and small numbers as others: powers of 2 change no bit of the mantissa', function()
    local a, b = noise(500), noise(500)
    local quotient = torch.cdiv(a, b)
    assertClose(a, torch.cmul(quotient, b), 'a / b * b', 16)
    for _, powers in ipairs { { 900, 950 }, { -900, -950 }, { 500, -450 }, { -500, 450 }, { 1015, 1015 } } do
      local up, down = 2 ^ powers[1], 2 ^ powers[2]
      assert.is_true(torch.cdiv(torch.mul(a, up), torch.mul(b, down)):equal(torch.mul(quotient, up / down)))
    end
  end)

  it('promotes integers and floats', function()
    local function typeOf(a, b) return torch.add(a, b):type() end
    assert.equal(floats, typeOf(torch.ComplexFloatTensor(1), torch.FloatTensor(1)))
    assert.equal(floats, typeOf(torch.FloatTensor(1), torch.ComplexFloatTensor(1)))
    assert.equal(doubles, typeOf(torch.ComplexDoubleTensor(1), torch.ComplexFloatTensor(1)))
    local parts = { Bool = floats, Byte = floats, Short = floats, Half = floats, BFloat16 = floats, Int = doubles, Long = doubles }
    parts.Double = doubles                                                     -- as NumPy's complex64 with other types
    for name, expected in pairs(parts) do
      local x = torch.ones(1):type('torch.' .. name .. 'Tensor')
      assert.equal(expected, typeOf(torch.ComplexFloatTensor { 1i }, x))
      assert.equal(expected, typeOf(x, torch.ComplexFloatTensor { 1i }))
    end
    local tiny = torch.ComplexFloatTensor { 1i } + torch.Tensor { 1 + 2 ^ -40 }
    assert.equal(1 + 2 ^ -40, tiny[1].re)
    assert.equal(floats, (torch.FloatTensor { 1 } * 1i):type())
    assert.equal(doubles, (torch.LongTensor { 1 } + 1i):type())
    assert.error_matches(function() torch.FloatTensor { 1 }:add(1i) end, 'add: res: torch.FloatTensor, expected torch.ComplexFloat')
    assert.error_matches(function() torch.ones(2):copy(noise(2)) end, 'copy: .*torch.real')
    assert.error_matches(function() noise(2):double() end, 'to: x: torch.ComplexDoubleTensor, expected real numbers')
    assert.error_matches(function() torch.ones(2):fill(1i) end, 'torch.ComplexDoubleTensor')
  end)

  it('has no order', function()
    for _, name in ipairs { 'max', 'min', 'sort', 'argmax', 'median', 'cummax', 'topk' } do
      assert.error_matches(function() torch[name](noise(3)) end, name .. ': x: torch.ComplexDoubleTensor, expected a tensor of real')
    end
    assert.error_matches(function() torch.unique(noise(3)) end, 'unique: sort: x: torch.ComplexDoubleTensor, expected a tensor of real')
    for _, name in ipairs { 'lt', 'le', 'gt', 'ge', 'cmax' } do
      assert.error_matches(function() torch[name](noise(3), noise(3)) end, name .. ': x: torch.ComplexDoubleTensor, expected')
    end
    local x = noise(4)
    assert.same({ 1, 1, 1, 1 }, torch.eq(x, x):totable())
    assert.same({ 0, 0, 0, 0 }, torch.ne(x, x):totable())
    assert.is_true(x:equal(x:clone()))
    assert.is_false(x:equal(x + 1i))
  end)
end)

describe('sums and products of complex numbers', function()
  local z, w = numbers(figures.z), numbers(figures.w)

  it('are those of NumPy', function()
    local all = numbers(figures.sum)
    assertClose(all, torch.ComplexDoubleTensor { torch.sum(z), torch.mean(z), torch.prod(z[{ { 1, 6 } }]) }, 'sum, mean, prod')
    assertClose(numbers(figures.cumsum), torch.cumsum(z), 'cumsum', 16)
    assertClose(numbers(figures.cumprod), torch.cumprod(z[{ { 1, 6 } }]), 'cumprod', 16)
    assertClose(numbers(figures.mm):view(3, 3), torch.mm(z[{ { 1, 12 } }]:view(3, 4), w[{ { 1, 12 } }]:view(4, 3)), 'mm', 32)
  end)

  it('are the sums of real and imaginary parts, for each size, layout and dimension', function()
    torch.manualSeed(3)
    for _, size in ipairs { { 1, 1 }, { 3, 70 }, { 200, 5 }, { 65, 129 } } do
      for _, kind in ipairs { floats, doubles } do
        local x = noise(unpack(size)):to(kind)
        for _, y in ipairs { x, x:t(), x:clone():t():contiguous():t() } do
          for dim = 1, 2 do
            local sum = torch.sum(y, dim)
            local re, im = torch.sum(torch.real(y):double(), dim), torch.sum(torch.imag(y):double(), dim)
            local scale = torch.sum(torch.abs(y):double(), dim):max()
            local tolerance = kind == floats and 1e-6 or 1e-14
            assert.is_true((torch.real(sum):double() - re):abs():max() <= tolerance * scale)
            assert.is_true((torch.imag(sum):double() - im):abs():max() <= tolerance * scale)
          end
        end
      end
    end
  end)

  it('have cross products, which are not conjugated', function()
    local a, b = torch.ComplexDoubleTensor { 1 + 2i, 3, -1i }, torch.ComplexDoubleTensor { 2, 1i, 1 - 1i }
    assert.same({ 2 - 3i, -3 - 3i, -8 + 1i }, torch.cross(a, b):totable())                      -- NumPy's
    local x, y, u, v = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)
    local function cross(p, q) return torch.cross(p, q, 2) end
    local expected = torch.complex(cross(x, u) - cross(y, v), cross(x, v) + cross(y, u))
    assert.is_true(torch.abs(cross(torch.complex(x, y), torch.complex(u, v)) - expected):max() < 1e-14)
    assert.equal(doubles, torch.linalg.cross(a:complexfloat(), torch.randn(3)):type())
  end)

  it('multiply matrices of any layout as their real parts do', function()
    torch.manualSeed(4)
    for _, sizes in ipairs { { 1, 1, 1 }, { 2, 3, 4 }, { 5, 1, 7 }, { 70, 33, 65 }, { 130, 64, 3 }, { 130, 90, 1 }, { 1, 90, 70 } } do
      local m, k, n = unpack(sizes)
      for _, kind in ipairs { floats, doubles } do
        local function layouts(rows, columns)
          local x = noise(rows, columns):to(kind)
          local inside = torch.zeros(rows + 1, 2 * columns, kind):narrow(1, 2, rows):index(2, torch.range(1, 2 * columns, 2):long())
          return { x, x:t():contiguous():t(), inside:copy(x), torch.zeros(rows, columns, 2, kind):select(3, 2):copy(x) }
        end
        for _, a in ipairs(layouts(m, k)) do
          for _, b in ipairs(layouts(k, n)) do
            local ar, ai = torch.real(a):double(), torch.imag(a):double()
            local br, bi = torch.real(b):double(), torch.imag(b):double()
            local expected = torch.complex(torch.mm(ar, br) - torch.mm(ai, bi), torch.mm(ar, bi) + torch.mm(ai, br))
            local product = torch.mm(a, b)
            assert.equal(kind, product:type())
            local limit = kind == floats and 2e-4 or 1e-12
            assert.is_true(torch.abs(product:to(doubles) - expected):max() < limit * math.max(1, k ^ 0.5))
            local turned = torch.zeros(n, m, kind):t()
            assert.is_true(torch.abs(torch.mm(turned, a, b) - product):max() < limit)
          end
        end
      end
    end
    local a, b, m = noise(3, 4, 5), noise(3, 5, 2), noise(4, 2)
    for i = 1, 3 do assertClose(torch.mm(a[i], b[i]), torch.bmm(a, b)[i], 'bmm', 64) end
    assertClose(torch.mm(a[1], b[1]) * 2 + m * 3, torch.addmm(3, m, 2, a[1], b[1]), 'addmm', 64)
    assertClose(torch.mm(a[1], b[1]):select(2, 1), torch.mv(a[1], b[1]:select(2, 1)), 'mv', 64)
    assertClose(torch.matmul(a, b[1]), torch.matmul(a, b[{ { 1 } }]), 'matmul', 64)
    local u, v = noise(6), noise(6)
    assert.is_true((torch.dot(u, v) - torch.sum(torch.cmul(u, v))):abs() < 1e-14)
    assertClose(torch.mm(a[1], b[1]) * 2i + m * (3 - 1i), torch.addmm(3 - 1i, m, 2i, a[1], b[1]), 'complex factors', 64)
  end)

  it('multiply matrices and vectors of any layout as their real parts do', function()
    torch.manualSeed(5)
    for _, sizes in ipairs { { 130, 70 }, { 3, 200 }, { 64, 1 }, { 1, 300 }, { 100, 65 } } do
      local m, k = unpack(sizes)
      local a = noise(m, k)
      for _, matrix in ipairs { a, a:t():contiguous():t(), torch.zeros(m, k, 2, doubles):select(3, 2):copy(a) } do
        for _, x in ipairs { noise(k), noise(k, 3):select(2, 2), noise(1):expand(k) } do
          local ar, ai, xr, xi = torch.real(a), torch.imag(a), torch.real(x), torch.imag(x)
          local expected = torch.complex(torch.mv(ar, xr) - torch.mv(ai, xi), torch.mv(ar, xi) + torch.mv(ai, xr))
          local out, y = torch.zeros(m, 2, doubles):fill(0 / 0):select(2, 1), noise(m)
          torch.mv(out, matrix, x)
          assert.is_true(torch.abs(out - expected):max() < 1e-12)
          assert.is_true(torch.abs(torch.addmv(2 - 1i, y, 1i, matrix, x) - (y * (2 - 1i) + expected * 1i)):max() < 1e-12)
        end
      end
    end
  end)

  it('have the norm of both parts', function()
    torch.manualSeed(6)
    local both = noise(30, 20)
    for _, x in ipairs { both, both:t(), both:narrow(2, 3, 7), both:select(1, 4), torch.zeros(2, 2, doubles) } do
      local magnitudes = torch.abs(x)
      assert.is_true(math.abs(torch.norm(x) - torch.norm(magnitudes)) <= 1e-14 * torch.norm(magnitudes))
      assert.is_true(math.abs(torch.norm(x, 1) - torch.sum(magnitudes)) <= 1e-13 * torch.sum(magnitudes))
    end
    assert.equal(5, torch.norm(torch.tensor { 3 - 4i }))
    assert.equal(0, torch.norm(torch.zeros(2, doubles)))
    assert.equal(0, torch.norm(torch.ComplexFloatTensor()))
  end)
end)

describe('parts of complex numbers', function()
  it('are views', function()
    local z = noise(3, 4)
    local re, im = torch.real(z), torch.imag(z)
    im:fill(2)
    assert.equal(2, z[{ 2, 3 }].im)
    re:t()[{ 1, 2 }] = 7
    assert.equal(7, z[{ 2, 1 }].re)
    re:add(1)
    assert.equal(8, z[{ 2, 1 }].re)
    local both = torch.viewAsReal(z)
    assert.same({ 3, 4, 2 }, both:size():totable())
    both:zero()
    assert.equal(0, torch.abs(z):max())
    local x = torch.randn(5, 2)
    local back = torch.viewAsComplex(x)
    back:mul(1i)
    assert.equal(back[3].re, x[{ 3, 1 }])
    assert.is_true(torch.real(x):equal(x))
    assert.error_matches(function() torch.imag(x) end, 'imag: z: torch.DoubleTensor, expected a tensor of complex numbers')
    assert.error_matches(function() torch.viewAsComplex(torch.randn(3)) end, 'viewAsComplex: x: .*the last one of size 2')
    assert.error_matches(function() torch.viewAsComplex(torch.randn(2, 3):t()) end, 'viewAsComplex: x: .*pairs of adjacent numbers')
    assert.error_matches(function() torch.viewAsComplex(torch.IntTensor(3, 2)) end, 'viewAsComplex: x: torch.IntTensor, expected')
  end)

  it('have diagonals and other strides, which are views, too', function()
    local z = torch.viewAsComplex(torch.randn(3, 3, 2))
    local own = z:clone()
    assert.is_true(torch.diagonal(z, 1):equal(torch.diagonal(own, 1)))
    assert.is_true(torch.diagonal(torch.imag(own), -1):equal(torch.imag(torch.diagonal(own, -1))))
    assert.is_true(torch.asStrided(z, { 2, 2 }, { 3, 1 }, 2):equal(own:narrow(1, 1, 2):narrow(2, 2, 2)))
    assert.is_true(torch.asStrided(torch.imag(own), { 2, 2 }, { 6, 2 }, 4):equal(torch.imag(own):narrow(1, 1, 2):narrow(2, 2, 2)))
    torch.diagonal(torch.real(z)):zero()
    torch.diagonal(z, 2):fill(5i)
    assert.same({ 0, 0, 5 }, { z[1][1].re, z[3][3].re, z[1][3].im })
    for _, case in ipairs { { z, { 3, 3 }, { 3, 1 }, 2 }, { torch.imag(own), { 3, 3 }, { 6, 2 }, 3 }, { z, { 2, 2 }, { -3, 1 }, 5 },
                            { z, { 2, 2 ^ 52 }, { 1, 2 ^ 52 } }, { z, { 2 ^ 40, 2 ^ 40 }, { 0, 0 } } } do
      assert.error_matches(function() torch.asStrided(unpack(case)) end, 'as_strided: ')
    end
  end)

  it('resize, copy, move to threads and files as tensors of their own', function()
    local z = noise(4)
    local re = torch.real(z)
    local copy = re:clone()
    assert.is_true(copy:equal(torch.deserialize(torch.serialize(re))))
    local set = torch.Tensor():set(re)
    assert.is_true(set:equal(re))
    assert.equal('torch.DoubleTensor', set:type())
    re:resize(20)
    assert.equal(20, re:nElement())
    local name = os.tmpname()
    torch.npy.save(name, torch.imag(z))
    assert.is_true(torch.npy.load(name):equal(torch.imag(z):clone()))
    os.remove(name)
  end)

  it('make complex numbers', function()
    assert.equal(floats, torch.complex(torch.FloatTensor { 1 }, 2):type())
    assert.equal(doubles, torch.complex(torch.IntTensor { 1 }, torch.FloatTensor { 2 }):type())
    assert.same({ 2, 3 }, torch.complex(torch.ones(2, 1), torch.ones(3)):size():totable())
    assert.equal(3 + 4i, torch.complex(3, 4))
    local angle = torch.Tensor { 1, 2, 3 }
    assertClose(torch.exp(torch.complex(torch.zeros(3), angle)), torch.polar(torch.ones(3), angle), 'polar')
    assert.error_matches(function() torch.complex(torch.ones(2), torch.Tensor()) end, 'complex: im: ')
    assert.error_matches(function() torch.complex(noise(2), 1) end, 'complex: re: torch.ComplexDoubleTensor, expected')
  end)
end)

describe('derivatives of complex numbers', function()
  -- Differences along the real and the imaginary axis: the gradient is dL/dx + i dL/dy.
  local function check(name, f, z)
    local x = z:clone():requiresGrad()
    f(x):backward()
    local g, parts, step = torch.viewAsReal(x.grad):contiguous():view(-1), torch.viewAsReal(z):view(-1), 1e-6
    local function loss() return f(z):detach():sum() end
    for i = 1, parts:nElement() do
      local before = parts[i]
      parts[i] = before + step
      local above = loss()
      parts[i] = before - step
      local slope = (above - loss()) / (2 * step)
      parts[i] = before
      assert.is_true(math.abs(slope - g[i]) < 1e-6 * math.max(1, math.abs(slope)), ('%s: %g, not %g'):format(name, g[i], slope))
    end
  end

  it('agree with differences', function()
    torch.manualSeed(5)
    local weight, c, m = torch.randn(3), noise(3), noise(3, 3)
    local function mixed(y) return torch.sum(torch.cmul(weight, torch.add(torch.real(y), 0.7, torch.imag(y))), 1) end
    local function size(y) return torch.sum(torch.abs(y):view(-1), 1) end
    for _, name in ipairs { 'exp', 'expm1', 'exp2', 'log', 'log1p', 'log2', 'log10', 'sqrt', 'rsqrt', 'cinv', 'square', 'neg', 'sin', 'cos',
      'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'sgn', 'conj', 'cumsum', 'cumprod' } do
      check(name, function(z) return mixed(torch[name](z)) end, noise(3))
    end
    for name, f in pairs {
      abs = function(z) return torch.sum(torch.cmul(weight, torch.abs(z)), 1) end,
      angle = function(z) return torch.sum(torch.cmul(weight, torch.angle(z)), 1) end,
      cmul = function(z) return mixed(torch.cmul(z, torch.cmul(c, z))) end,
      cdiv = function(z) return mixed(torch.cdiv(torch.cdiv(c, z), z)) end,
      number = function(z) return mixed(z * (2 - 3i) + 1i) end,
      scaled = function(z) return mixed(torch.add(c, 2i, z)) end,
      pow = function(z) return mixed(torch.pow(z, 3)) end,
      powers = function(z) return mixed(torch.pow(z, c)) end,
      exponents = function(z) return mixed(torch.pow(c, z)) end,
      sum = function(z) return size(torch.sum(z, 1)) end,
      mean = function(z) return size(torch.mean(z, 1)) end,
      prod = function(z) return size(torch.prod(z, 1)) end,
      index = function(z) return mixed(torch.index(z, 1, torch.LongTensor { 1, 1, 3 })) end,
      slice = function(z) return size(torch.cmul(z[{ { 2, 3 } }], c[{ { 1, 2 } }])) end,
      where = function(z) return mixed(torch.where(torch.gt(weight, 0), z, c)) end,
      lerp = function(z) return mixed(torch.lerp(z, c, 0.3)) end,
      addcmul = function(z) return mixed(torch.addcmul(c, 2, z, z)) end,
      addcdiv = function(z) return mixed(torch.addcdiv(c, 2, c, z)) end,
      mv = function(z) return mixed(torch.mv(m, z)) end,
      mm = function(z) return size(torch.mm(torch.mm(z:view(1, 3), m), torch.conj(z):view(3, 1))) end,
      reals = function(z) return torch.sum(torch.cmul(torch.viewAsReal(z), torch.viewAsReal(c)):view(-1), 1) end,
      complex = function(z) return mixed(torch.cmul(torch.complex(torch.abs(z), torch.angle(z)), c)) end,
      pairs = function(z) return mixed(torch.cmul(torch.viewAsComplex(torch.viewAsReal(z):contiguous()), z)) end,
    } do
      check(name, f, noise(3))
    end
  end)

  it('of real numbers are real', function()
    local c = noise(3)
    local x = torch.randn(3):requiresGrad()
    torch.sum(torch.abs(torch.cmul(x, c))):backward()
    assert.equal('torch.DoubleTensor', x.grad:type())
    assert.is_true((x.grad - torch.cmul(torch.abs(c), torch.sign(x:detach()))):abs():max() < 1e-14)
    local y = torch.Tensor { 0.3 }:requiresGrad()
    torch.sum(torch.imag(torch.exp(y * 2i)), 1):backward()
    assert.is_true(math.abs(y.grad[1] - 2 * math.cos(0.6)) < 1e-15)
  end)

  it('of derivatives agree with differences', function()
    local autograd = require 'autograd'
    torch.manualSeed(6)
    local z = noise(3)
    local function slope(x, create)
      local y = torch.sum(torch.cmul(torch.real(torch.exp(torch.cmul(x, x))), torch.abs(x)), 1)
      return autograd.grad(y, x, { createGraph = create })
    end
    check('second', function(x)
      local tracked = x:isTracked() and x or x:clone():requiresGrad()
      return torch.sum(torch.abs(slope(tracked, true)), 1)
    end, z)
  end)

  it('need a real result', function()
    assert.error_matches(function() torch.sum(noise(2):requiresGrad(), 1):backward() end,
      'backward: y: torch.ComplexDoubleTensor, expected a real result')
  end)
end)

describe('complex numbers in Lua', function()
  it('are elements', function()
    local z = torch.ComplexDoubleTensor { 1, 2i, 3 - 1i }
    assert.equal(3 - 1i, z[3])
    z[1] = 5i
    assert.equal(5i, z[1])
    z[2] = 4
    assert.equal(4 + 0i, z[2])
    assert.same({ 5, 0, -1 }, torch.imag(z):totable())
    assert.equal(3 - 1i, z:totable()[3])
    z:fill(1 + 2i)
    assert.equal(3 + 6i, torch.sum(z))
    assert.equal(doubles, torch.tensor({ 1, 2i }):type())
    assert.equal(2i, torch.tensor({ { 1, 2i } })[{ 1, 2 }])
    assert.error_matches(function() torch.DoubleTensor { 1i } end, 'expected a real number')
    assert.error_matches(function() torch.ones(2 + 1i) end, 'ones: ')
  end)

  it('have arithmetic', function()
    local a, b = 3 + 4i, 1 - 2i
    assert.equal(4 + 2i, a + b)
    assert.equal(2 + 6i, a - b)
    assert.equal(11 - 2i, a * b)
    assert.equal(-1 + 2i, a / b)
    assert.equal(-3 - 4i, -a)
    assert.equal(-7 + 24i, a ^ 2)
    assert.equal(1 / a, a ^ -1)
    assert.is_true(((1i) ^ 1i - math.exp(-math.pi / 2)):abs() < 1e-15)
    assert.equal(5, a:abs())
    assert.equal(3 - 4i, a:conj())
    assert.equal(math.atan2(4, 3), a:angle())
    assert.equal(a, 3 + 4i)
    assert.is_true(a ~= 3)
    assert.equal(2 * torch.ComplexDoubleTensor { 1i }[1], (2 * torch.ComplexDoubleTensor { 1i })[1])
    assert.equal(floats, (a * torch.FloatTensor { 1 }):type())
    assert.equal(5, torch.abs(a))
    assert.is_true((torch.exp(1i * math.pi) + 1):abs() < 1e-15)
    assert.error_matches(function() return a + 'x' end, 'complex: operand: string, expected a number')
  end)

  it('are left operands of tensors, as right ones are', function()
    local z, s = torch.ComplexDoubleTensor { 1 + 2i, 4 }, torch.eye(2):sparse()
    assert.same({ 1 + 3i, 4 + 1i }, (1i + z):totable())
    assert.same({ -1 - 1i, -4 + 1i }, (1i - z):totable())
    assert.same({ 2 + 1i, 1.25i }, (5i / z):totable())
    assert.same({ -2 + 1i, 4i }, (1i * z):totable())
    assert.same({ -1 + 1i }, (1i - torch.ones(1)):totable())
    assert.same({ 1 + 1i }, (1i + torch.LongTensor { 1 }):totable())
    local half = 1i / torch.FloatTensor { 2 }
    assert.equal(floats, half:type())
    assert.equal(0.5i, half[1])
    assert.is_true((1i * s):equal(s * 1i))
    assert.error_matches(function() return 1i - s end, '%-: the left operand: complex number, expected a tensor')
    assert.error_matches(function() return 1i / s end, '/: the left operand: 0%+1i, expected a sparse tensor')
    local shown = ', torch.ComplexDoubleTensor %[2%]%), expected %(x: tensor'
    assert.error_matches(function() return torch.add(1i, z) end, 'add: arguments: %(0%+1i' .. shown)
    assert.error_matches(function() return torch.mul(0.5 - 2i, z) end, 'mul: arguments: %(0.5%-2i' .. shown)
    assert.error_matches(function() return torch.cat(9007199254740993LL, z) end, 'cat: arguments: %(9007199254740993LL, torch.Complex')
    assert.error_matches(function() return torch.linalg.eigh(1i) end, 'eigh: a: complex number, expected a tensor')
    assert.error_matches(function() return 1i + {} end, 'complex: operand: table, expected a number')
  end)

  it('are printed', function()
    assert.equal(' 1.0000+0.5000i\n-2.0000-0.0000i\n[torch.ComplexDoubleTensor of size 2]\n',
      tostring(torch.ComplexDoubleTensor { 1 + 0.5i, torch.complex(-2, -0.0) }))
  end)
end)

describe('files with complex numbers', function()
  it('of NumPy, PyTorch, safetensors and Torch7 give them back', function()
    for _, kind in ipairs { floats, doubles } do
      local z = noise(3, 4):to(kind)
      local name = os.tmpname()
      for _, x in ipairs { z, z:t(), torch.ComplexFloatTensor() } do
        torch.save(name, x)
        assert.is_true(x:equal(torch.load(name)))
        torch.save(name, x, 'ascii')
        local back = torch.load(name, 'ascii')
        assert.equal(x:type(), back:type())
        assert.is_true(x:nElement() == 0 or torch.abs(x - back):max() < 1e-6)
      end
      torch.npy.save(name, z:t())
      assert.is_true(z:t():equal(torch.npy.load(name)))
      torch.pt.save(name, { z = z, re = torch.real(z) })
      local state = torch.pt.load(name)
      assert.is_true(z:equal(state.z) and torch.real(z):equal(state.re))
      if kind == floats then
        torch.safetensors.save(name, { z = z })
        assert.is_true(z:equal(torch.safetensors.load(name).z))
      else
        assert.error_matches(function() torch.safetensors.save(name, { z = z }) end, 'complex64, not complex128')
      end
      os.remove(name)
    end
  end)
end)

describe("NumPy's functions of complex numbers", function()
  it('know which elements have an imaginary part', function()
    local z = torch.ComplexDoubleTensor { 1 + 2i, 3 }
    assert.same({ 1, 0 }, torch.iscomplex(z):totable())
    assert.same({ 0, 1 }, torch.isreal(z):totable())
    assert.same({ 1, 1 }, torch.isreal(torch.ones(2)):totable())
    assert.is_true(torch.iscomplexobj(z) and torch.iscomplexobj(1i) and torch.isrealobj(3) and torch.isrealobj(torch.ones(1)))
    assert.equal('torch.DoubleTensor', torch.realIfClose(torch.ComplexDoubleTensor { 1 + 1e-15i }):type())
    assert.equal(doubles, torch.realIfClose(torch.ComplexDoubleTensor { 1 + 1e-13i }):type())
    assert.equal('torch.FloatTensor', torch.realIfClose(torch.ComplexFloatTensor { 1 + 1e-6i }):type())
    assert.is_true(torch.realIfClose(torch.complex(torch.ones(2):requiresGrad(), torch.zeros(2))):isTracked())
    assert.is_true(torch.isdtype('complex64', 'complex floating') and torch.issubdtype('complex128', 'inexact'))
    assert.is_false(torch.isdtype('complex64', 'real floating'))
  end)

  it('conjugate', function()
    local a, b = torch.ComplexDoubleTensor { 1 + 2i, 3 }, torch.ComplexDoubleTensor { 2 - 1i, 1i }
    assert.equal((1 - 2i) * (2 - 1i) + 3i, torch.vdot(a, b))
    assert.equal(11, torch.vdot(torch.Tensor { 1, 2 }, torch.Tensor { 3, 4 }))
    assert.is_true(torch.conjugate(a):equal(torch.conj(a)))
  end)
end)

describe("NumPy's functions of complex numbers", function()
  local function near(expected, actual)
    assert.same(expected:size():totable(), actual:size():totable())
    assert.is_true(torch.abs(actual - expected):max() < 1e-13)
  end

  it('conjugate one vector of products, where NumPy does', function()
    local a, b, m = noise(5), noise(3), noise(5, 2)
    near(torch.mv(m:t(), torch.conj(a)), torch.vecmat(a, m))
    near(torch.mv(m:t(), a), torch.matvec(m:t(), a))
    local expected = torch.ComplexDoubleTensor(7):zero()
    for k = 1, 7 do
      for i = 1, 3 do
        local at = i + k - 3
        if at >= 1 and at <= 5 then expected[k] = expected[k] + a[at] * b[i]:conj() end
      end
    end
    near(expected, torch.correlate(a, b, 'full'))
    near(expected:narrow(1, 3, 3), torch.correlate(a, b))
    near(torch.cat({ a, torch.ComplexDoubleTensor(2):zero() }, 1) * (1 - 2i), torch.convolve(a, torch.ComplexDoubleTensor { 1 - 2i, 0, 0 }))
  end)

  it('round both parts', function()
    local z = torch.ComplexDoubleTensor { 1.5 - 2.5i, 0.5 + 3.7i, -1.26 + 2.34i }
    assert.same({ 2 - 2i, 4i, -1 + 2i }, torch.rint(z):totable())
    assert.same({ 2 - 2i, 4i, -1 + 2i }, torch.around(z):totable())
    near(torch.ComplexDoubleTensor { 1.5 - 2.5i, 0.5 + 3.7i, -1.3 + 2.3i }, torch.around(z, 1))
    assert.equal(floats, torch.rint(z:complexfloat()):type())
  end)

  it('have sinc, also next to its zeros', function()
    local z = noise(4, 3) * 3
    local angle = z * math.pi
    assert.is_true(torch.abs(torch.cdiv(torch.sinc(z), torch.cdiv(torch.sin(angle), angle)) - 1):max() < 1e-11)
    assert.same({ 1, 0, 0 }, torch.real(torch.sinc(torch.ComplexDoubleTensor { 0, 7, -12 })):totable())
    near(torch.complex(torch.sinc(torch.real(z)), 0), torch.sinc(torch.complex(torch.real(z), 0)))
    assert.error_matches(function() torch.roots(z[1]) end, 'roots: p: complex coefficients, expected real ones: torch.linalg.eigvals')
  end)
end)
