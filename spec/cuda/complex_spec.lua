-- Complex tensors on an emulated GPU. Every op that the registry says takes them equals the CPU's, with its derivative; spec/torch compares
-- those with NumPy.
require 'spec.support.emulated_cuda'
local torch = require 'torch'
local complexSamples, without = require 'spec.support.complex_samples', require 'spec.cuda.without_kernel'
local figures, sampled = require 'spec.torch.complex_figures', require 'spec.support.sampled'
local elements, layouts, samples = require 'torch.sweep.elements', require 'torch.sweep.layouts', require 'torch.sweep.samples'

local device = 'cuda:1'
local kinds = { 'torch.ComplexFloatTensor', 'torch.ComplexDoubleTensor' }
local huge, nan = math.huge, 0 / 0

local function there(x) return x:to(device) end
local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end
local function numbers(list) return torch.viewAsComplex(torch.DoubleTensor(list):view(#list / 2, 2)) end

-- The numbers of a result, real and imaginary parts one after another, and its sizes and dtype.
local function plain(y)
  if type(y) == 'boolean' or type(y) == 'string' then return { data = {}, type = tostring(y), sizes = {} } end
  if not torch.isTensor(y) then y = torch.ComplexDoubleTensor { y } end
  local kind = elements.kind(y)
  y = y:to 'cpu'
  local parts = elements.read(y:isComplex() and torch.viewAsReal(y:contiguous()) or y)
  parts.type, parts.isComplex = kind, y:isComplex()
  return parts
end

-- The first difference of two results: of more than `units` units of a dtype's last digit, of the largest number in the sample and in the
-- result.
local function difference(expected, actual, units, kind, terms)
  local want, got = plain(expected), plain(actual)
  if want.type ~= got.type then return got.type .. ', expected ' .. want.type end
  if table.concat(want.sizes, ' ') ~= table.concat(got.sizes, ' ') then return 'other sizes' end
  local epsilon, scale = kind:find 'Float' and 2 ^ -23 or 2 ^ -52, terms or 0
  for _, v in ipairs(want.data) do
    if math.abs(v) < huge then scale = math.max(scale, math.abs(v)) end
  end
  for i, v in ipairs(want.data) do
    local w = got.data[i]
    local isClose = math.abs(v - w) <= units * epsilon * scale
    if not (v == w or v ~= v and w ~= w or isClose) then return ('number %d: %.17g, expected %.17g'):format(i, w, v) end
  end
end

-- The results of a call, and the tensors of the sample after it.
local function called(f, arguments)
  local results = { pcall(f, unpack(arguments, 1, arguments.n)) }
  for _, x in ipairs(samples.tensors(arguments)) do results[#results + 1] = x end
  return results
end

local function terms(sample)
  local most = 1
  for _, x in ipairs(samples.tensors(sample)) do
    for _, v in ipairs(plain(x).data) do
      if math.abs(v) < huge then most = math.max(most, math.abs(v)) end
    end
  end
  return most
end

-- Rounding errors of these grow with powers of their terms, or with the condition of a matrix.
local wide = { expm = 4000, matrix_power = 1000, pow = 1000, ldexp = 1000, xlogy = 400, prod = 400, cumprod = 400 }

-- Composed ops of whole numbers, which round their arguments.
local ofIntegers = { gcd = true, lcm = true }

describe('on an emulated GPU', function()
  for number, op in ipairs(complexSamples.ops()) do
    if sampled(number) and not without[op.name] and not ofIntegers[op.name] and op.samples ~= '' then
      it('an op of complex numbers equals that of the CPU: ' .. op.name, function()
        for _, kind in ipairs(kinds) do
          for _, sample in ipairs(complexSamples.of(op, kind)) do
            local expected = called(op.call, samples.copied(sample))
            local units, scale = math.max(wide[op.name] or 64, op.info.ulp), terms(sample)
            local function compare(arguments, layout)
              local actual = called(op.call, arguments)
              local what = ('%s of %s, %s: '):format(op.name, samples.describe(sample), layout)
              assert.equal(expected[1], actual[1], what .. tostring(actual[2]))
              assert.equal(#expected, #actual, what)
              for i = 2, expected[1] and #expected or 1 do
                local found = difference(expected[i], actual[i], units, kind, scale)
                assert.is_nil(found, found and what .. found)
              end
            end
            if #samples.tensors(sample) > 0 then
              compare(samples.map(sample, there), 'contiguous')
              for k = 1, expected[1] and kind == kinds[2] and 3 or 0 do
                compare(samples.map(sample, function(x)
                  local other = layouts.of(there(x))[k]
                  return other and other[2] or there(x)
                end), 'layout ' .. k)
              end
            end
          end
        end
      end)
    end
  end
end)

describe('complex tensors on an emulated GPU', function()
  before_each(function() torch.manualSeed(8) end)

  local function assertClose(expected, actual, units, what)
    local found = difference(expected, actual, units or 64, elements.kind(expected))
    assert.is_nil(found, found and ('%s: %s'):format(what, found))
  end

  -- Each element alone, in units of its last digit.
  local function assertRelative(expected, actual, units, what)
    local epsilon = actual:type():find 'Float' and 2 ^ -23 or 2 ^ -52
    actual = actual:to 'cpu'
    local distance, size = torch.abs(torch.csub(actual:to(expected:type()), expected)), torch.add(torch.abs(expected), 1e-300)
    local worst = torch.cdiv(distance, size):max() / epsilon
    assert.is_true(worst <= units, ('%s: %g units'):format(what, worst))
  end

  it('have the values and branch cuts of NumPy', function()
    local z, w = numbers(figures.z), numbers(figures.w)
    for name, list in pairs(figures) do
      local isBinary = name == 'add' or name == 'csub' or name == 'cmul' or name == 'cdiv' or name == 'pow'
      if torch[name] and (isBinary or #list == #figures.z) and name ~= 'cumsum' then
        assertRelative(numbers(list), isBinary and torch[name](there(z), there(w)) or torch[name](there(z)), isBinary and 200 or 24, name)
        local single = z:to(kinds[1])
        if not isBinary then assertRelative(torch[name](single:to(kinds[2])), torch[name](there(single)), 24, name) end
      end
    end
  end)

  it("have the CPU's results for infinities, NaN, zeros, and numbers near the limits of their dtype", function()
    for k, kind in ipairs(kinds) do
      local large, epsilon, smallest = k == 1 and 1e38 or 1e308, k == 1 and 2 ^ -23 or 2 ^ -52, k == 1 and 1e-38 or 1e-307
      local edges, re, im = { 0, 1, -2.5, huge, -huge, nan, large, 1 / large, k == 1 and 88.8 or 710 }, {}, {}
      for _, x in ipairs(edges) do
        for _, y in ipairs(edges) do re[#re + 1], im[#im + 1] = x, y end
      end
      local z = torch.complex(torch.DoubleTensor(re), torch.DoubleTensor(im)):to(kind)
      for _, name in ipairs { 'exp', 'log', 'sqrt', 'sinh', 'cosh', 'tanh', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'asinh', 'acosh',
        'atanh', 'abs', 'angle', 'square', 'cinv', 'neg', 'conj', 'isinf', 'isnan', 'isfinite' } do
        local expected, actual = plain(torch[name](z)), plain(torch[name](there(z)))
        for i, v in ipairs(expected.data) do
          local w, at = actual.data[i], expected.isComplex and math.ceil(i / 2) or i
          local hasNan = re[at] ~= re[at] or im[at] ~= im[at]          -- C leaves the signs of some infinities and of NaN open
          if hasNan then v, w = math.abs(v), math.abs(w) end
          local units = math.abs(v) < smallest and smallest or 64 * epsilon * math.abs(v)
          assert.is_true(v == w or v ~= v and w ~= w or math.abs(v - w) <= units,
            ('%s of %g %+gi in %s, number %d: %.17g, expected %.17g'):format(name, re[at], im[at], kind, i, w, v))
        end
      end
    end
  end)

  it('are filled, copied, converted, viewed and printed', function()
    local z = noise(3, 4)
    for _, kind in ipairs(kinds) do
      local y = there(z):to(kind:match 'Float' and 'complex64' or 'complex128')
      assert.equal(kind:gsub('torch.Complex', 'torch.CudaComplex'), y:type())
      assertClose(z:to(kind), y)
      assert.equal(tostring(z:to(kind)):gsub('%[.*', ''), tostring(y):gsub('%[.*', ''))
    end
    for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double', 'Bool' } do
      local x = torch.DoubleTensor { { 0, 1, 2 }, { 3, 4, 5 } }:type(('torch.%sTensor'):format(name))
      for _, kind in ipairs { 'complex64', 'complex128' } do
        assertClose(x:to(kind), there(x):to(kind), 0, name)
        assertClose(x:t():to(kind), there(x):t():to(kind), 0, name)
      end
    end
    assert.error_matches(function() there(z):to 'float64' end, 'to: x: torch.ComplexDoubleTensor, expected real numbers')
    local y = there(z)
    torch.imag(y):fill(2)
    torch.real(y):t():narrow(1, 1, 2):mul(3)
    y[{ 1, 1 }] = 5 - 1i
    assert.equal(5 - 1i, y[{ 1, 1 }])
    assert.equal(2, torch.imag(y):to('cpu'):narrow(1, 2, 2):max())
    assertClose(torch.viewAsReal(y):to 'cpu', torch.viewAsReal(y:to 'cpu'), 0)
    assert.is_true(y:equal(y:clone()) and not y:equal(there(z)))
    assert.equal(0 + 0i, torch.sum(y:fill(1i):zero()))
    assert.equal(24i, torch.sum(y:fill(2i)))
    local zeros = there(torch.ComplexDoubleTensor { torch.complex(-0.0, 0), 1i, torch.complex(0, -0.0), 3, torch.complex(nan, 0) })
    for _, kind in ipairs { 'complex64', 'complex128' } do
      assert.same({ { 2 }, { 4 }, { 5 } }, torch.nonzero(zeros:to(kind)):to('cpu'):totable())
    end
    assertClose(torch.polar(torch.ones(3), torch.range(1, 3)), torch.polar(there(torch.ones(3)), there(torch.range(1, 3))), 4)
    assert.equal(12, torch.sum(torch.abs(torch.ComplexDoubleTensor(3, 4):to(device):fill(-1i))))
  end)

  it('are written in place and to results', function()
    local z, w = noise(3, 4), noise(4)
    assertClose(z:clone():add(2i, w):exp():cmul(w):conj(), there(z):add(2i, there(w)):exp():cmul(there(w)):conj())
    local both = there(torch.zeros(4, 3, 2)):to 'complex128'
    local y = both:select(3, 2):t()
    assertClose(torch.sqrt(z), torch.sqrt(y, there(z)))
    assert.equal(0, torch.abs(both:select(3, 1)):max())
    local size = there(torch.zeros(4, 3)):t()
    torch.abs(size, there(z))
    assertClose(torch.abs(z), size:to 'cpu')
    assert.error_matches(function() there(z):abs() end, 'abs: res: torch.ComplexDoubleTensor, expected torch.DoubleTensor')
    assert.error_matches(function() there(torch.ones(2)):add(1i) end, 'add: res: torch.DoubleTensor, expected torch.ComplexDouble')
    local long = noise(70000)
    assertClose(torch.cumsum(long), torch.cumsum(there(long)), 200)
    local sum, dot = torch.sum(there(long)), torch.dot(there(long), there(long))
    assert.is_true((sum - torch.sum(long)):abs() < 1e-10 and (dot - torch.dot(long, long)):abs() < 1e-9)
    local function overlapping(x)      -- one thread writes its elements, in order
      x:unfold(1, 3, 1):mul(2i)
      return x
    end
    assertClose(overlapping(w:clone()), overlapping(there(w)))
  end)

  it('are multiplied as matrices of any layout, with complex factors', function()
    for _, kind in ipairs(kinds) do
      local a, b, m = noise(3, 4, 5):to(kind), noise(3, 5, 2):to(kind), noise(3, 4, 2):to(kind)
      local function same(f, ...)
        local list = { ... }
        local expected = f(unpack(list))
        for i, x in ipairs(list) do list[i] = torch.isTensor(x) and there(x) or x end
        assertClose(expected, f(unpack(list)), 64)
        for k = 1, 2 do
          local others = {}
          for i, x in ipairs(list) do others[i] = torch.isTensor(x) and layouts.of(x)[k][2] or x end
          assertClose(expected, f(unpack(others)), 64)
        end
      end
      same(torch.addmm, 3 - 1i, m[1], 2i, a[1], b[1])
      same(torch.baddbmm, 0.5i, m, 1 + 1i, a, b)
      same(torch.addbmm, 0.5i, m[1], 1 + 1i, a, b)
      same(torch.addmm, 0, m[1], 2i, a[1], b[1])
      same(torch.addmm, 1i, m[1], 0, a[1], b[1])
      same(torch.bmm, a, b)
      same(torch.matmul, a, b[1])
      same(torch.matmul, noise(2, 1, 4, 5):to(kind), b)
      same(torch.ger, noise(3):to(kind), noise(4):to(kind))
    end
  end)

  it('are solved and decomposed by the CPU', function()
    local a, b = noise(2, 4, 4), noise(2, 4, 3)
    local x = torch.solve(there(a), there(b))
    assert.equal('torch.CudaComplexDoubleTensor', x:type())
    assertClose(b, torch.matmul(there(a), x), 2000)
    local u, s, v = torch.svd(there(a[1]))
    assertClose(a[1], torch.mm(torch.mm(u, torch.diag(s):to 'complex128'), torch.adjoint(v)), 2000)
    assert.error_matches(function() torch.inverse(there(torch.zeros(2, 2):to 'complex128')) end, 'inverse: a: .*singular')
  end)

  it('have transforms', function()
    for _, n in ipairs { 8, 7 } do
      local z = noise(3, n)
      assertClose(torch.fft.fft(z), torch.fft.fft(there(z)), 64)
      assertClose(torch.fft.ifft(z, nil, 1), torch.fft.ifft(there(z), nil, 1), 64)
      assertClose(torch.fft.fft2(z), torch.fft.fft2(there(z)), 64)
      assertClose(torch.fft.rfft(torch.real(z):clone()), torch.fft.rfft(there(torch.real(z):clone())), 64)
      assertClose(torch.fft.irfft(z), torch.fft.irfft(there(z)), 64)
    end
  end)
end)

-- The derivative of a real number that depends on all parts of all results.
local function gradients(f, arguments)
  local leaves = {}
  local tracked = samples.map(arguments, function(x)
    if not x:isComplex() then return x end
    leaves[#leaves + 1] = x:clone():requiresGrad()
    return leaves[#leaves]
  end)
  local results, loss = { f(unpack(tracked, 1, tracked.n)) }, nil
  for _, y in ipairs(results) do
    if torch.isTensor(y) and y:isTracked() then
      local parts = (y:isComplex() and torch.viewAsReal(y) or y):contiguous():view(-1)
      local weights = parts:detach():clone():copy(torch.range(1, parts:nElement()):div(parts:nElement()))
      local sum = torch.sum(torch.cmul(parts, weights), 1)
      loss = loss and torch.add(loss, sum) or sum
    end
  end
  if not loss then return nil end
  loss:backward()
  for i, leaf in ipairs(leaves) do leaves[i] = leaf.grad or false end
  return leaves
end

describe('on an emulated GPU', function()
  for number, op in ipairs(complexSamples.ops()) do
    if sampled(number) and not without[op.name] and not ofIntegers[op.name] and op.samples ~= '' and op.info.differentiable then
      it('the derivative of an op of complex numbers equals that of the CPU: ' .. op.name, function()
        for _, sample in ipairs(complexSamples.of(op, kinds[2])) do
          local known, expected = pcall(gradients, op.call, samples.copied(sample))
          if known and expected then
            local actual = gradients(op.call, samples.map(sample, there))
            assert.equal(#expected, #actual)
            for i, g in ipairs(expected) do
              local found = g and difference(g, actual[i], 4 * math.max(wide[op.name] or 64, op.info.ulp), kinds[2], terms(sample))
              assert.is_falsy(found, found and op.name .. ' of ' .. samples.describe(sample) .. ': ' .. found)
            end
          end
        end
      end)
    end
  end
end)
