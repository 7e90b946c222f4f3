-- torch.fft against the sums of its definition, in complex numbers of Lua.
local torch = require 'torch'
local fft = torch.fft

local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end
local function complexOf(x) return x:isComplex() and x or torch.complex(x, 0) end

-- y_k = sum_j x_j exp(sign 2 pi i j k / n) of a list of complex numbers, divided.
local function sums(list, sign, divisor)
  local n, result = #list, {}
  for k = 0, n - 1 do
    local total = 0i
    for j = 0, n - 1 do
      local angle = sign * 2 * math.pi * (j * k % n) / n
      total = total + list[j + 1] * torch.complex(math.cos(angle), math.sin(angle))
    end
    result[k + 1] = total / divisor
  end
  return result
end

-- The same along a dimension.
local function along(x, dim, sign, divisor)
  local result = complexOf(x):clone()
  local lines = result:transpose(dim, result:dim())
  local flat = lines:contiguous():view(-1, x:size(dim))
  for i = 1, flat:size(1) do flat[i]:copy(torch.ComplexDoubleTensor(sums(flat[i]:totable(), sign, divisor))) end
  return flat:viewAs(lines):transpose(dim, result:dim())
end

local function assertClose(expected, actual, what)
  assert.same(expected:size():totable(), actual:size():totable(), what)
  local difference = torch.abs(complexOf(actual) - complexOf(expected)):max()
  assert.is_true(difference < 1e-12, ('%s: %g'):format(what or 'difference', difference))
end

describe('torch.fft', function()
  it('gives the sums of its definition, for any length, dimension and norm', function()
    torch.manualSeed(1)
    for _, size in ipairs { { 1 }, { 7 }, { 16 }, { 3, 5 }, { 2, 4, 3 } } do
      for _, x in ipairs { torch.randn(unpack(size)), noise(unpack(size)) } do
        for dim = 1, #size do
          local n = size[dim]
          for norm, divisors in pairs { backward = { 1, n }, ortho = { n ^ 0.5, n ^ 0.5 }, forward = { n, 1 } } do
            assertClose(along(x, dim, -1, divisors[1]), fft.fft(x, nil, dim, norm), 'fft ' .. norm)
            assertClose(along(x, dim, 1, divisors[2]), fft.ifft(x, nil, dim, norm), 'ifft ' .. norm)
          end
        end
        assertClose(fft.fft(x, nil, #size), fft.fft(x), 'the last dimension')
      end
    end
    assert.equal('torch.ComplexFloatTensor', fft.fft(torch.FloatTensor(4):fill(1)):type())
    assert.equal('torch.ComplexDoubleTensor', fft.fft(torch.LongTensor { 1, 2 }):type())
  end)

  it('cuts or adds zeros', function()
    local x = torch.randn(2, 5)
    assertClose(fft.fft(x:narrow(2, 1, 3)), fft.fft(x, 3), 'cut')
    assertClose(fft.fft(torch.cat(x, torch.zeros(2, 4), 2)), fft.fft(x, 9), 'zeros')
    assertClose(fft.fft(torch.cat(x, torch.zeros(2, 5), 1), nil, 1), fft.fft(x, 4, 1), 'rows')
  end)

  it('halves the frequencies of real numbers', function()
    for _, n in ipairs { 1, 2, 5, 8 } do
      local x = torch.randn(3, n)
      local whole, half = fft.fft(x), fft.rfft(x)
      assertClose(whole:narrow(2, 1, math.floor(n / 2) + 1), half, 'rfft')
      assertClose(x, fft.irfft(half, n), 'irfft')
      assertClose(torch.conj(half) / n, fft.ihfft(x), 'ihfft')
      assertClose(x, fft.hfft(fft.ihfft(x), n), 'hfft')
      assert.is_false(fft.irfft(half, n):isComplex())
    end
    assert.error_matches(function() fft.rfft(noise(3)) end, 'torch.fft.rfft: x: torch.ComplexDoubleTensor, expected real numbers')
  end)

  it('transforms several dimensions one after the other', function()
    local x = noise(2, 3, 4)
    local all = fft.fft(fft.fft(fft.fft(x, nil, 1), nil, 2), nil, 3)
    assertClose(all, fft.fftn(x), 'fftn')
    assertClose(x, fft.ifftn(all), 'ifftn')
    assertClose(fft.fft(fft.fft(x, nil, 2), nil, 3), fft.fft2(x), 'fft2')
    assertClose(x, fft.ifft2(fft.fft2(x)), 'ifft2')
    assertClose(fft.fft(fft.fft(x, 5, 1), 2, 3), fft.fftn(x, { 5, 2 }, { 1, 3 }), 'sizes and dims')
    assertClose(fft.fftn(x, nil, { -1 }), fft.fft(x), 'one dim')
    local y = torch.randn(2, 3, 5)
    assertClose(fft.fftn(y):narrow(3, 1, 3), fft.rfftn(y), 'rfftn')
    assertClose(y, fft.irfftn(fft.rfftn(y), { 2, 3, 5 }), 'irfftn')
    assertClose(y, fft.irfft2(fft.rfft2(y), { 3, 5 }), 'irfft2')
  end)

  it('knows its frequencies', function()
    assert.same({ 0, 0.5, -1, -0.5 }, fft.fftfreq(4, 0.5):totable())
    assert.same({ 0, 0.2, 0.4, -0.4, -0.2 }, fft.fftfreq(5):totable())
    assert.same({ 0, 0.2, 0.4 }, fft.rfftfreq(5):totable())
    for _, n in ipairs { 4, 5 } do
      local x = torch.range(0, n - 1)
      assert.same(x:totable(), fft.ifftshift(fft.fftshift(x)):totable())
      assert.equal(0, fft.fftshift(fft.fftfreq(n))[math.floor(n / 2) + 1])
    end
    assert.same({ { 4, 3 }, { 2, 1 } }, fft.fftshift(torch.Tensor { { 1, 2 }, { 3, 4 } }):totable())
    assert.same({ { 2, 1 }, { 4, 3 } }, fft.fftshift(torch.Tensor { { 1, 2 }, { 3, 4 } }, 2):totable())
  end)

  it('computes half precision in single', function()
    local x = torch.Tensor { 1, 2, 4 }
    for _, kind in ipairs { 'torch.HalfTensor', 'torch.BFloat16Tensor' } do
      local y = fft.rfft(x:type(kind))
      assert.equal('torch.ComplexFloatTensor', y:type())
      assert.is_true(torch.abs(y - fft.rfft(x)):max() < 1e-6)
    end
  end)

  it('has derivatives', function()
    torch.manualSeed(2)
    local weight = noise(4)
    local x = torch.randn(4):requiresGrad()
    torch.sum(torch.abs(torch.cmul(fft.fft(x, 6):narrow(1, 1, 4), weight)), 1):backward()
    local function loss(at) return torch.sum(torch.abs(torch.cmul(fft.fft(at, 6):narrow(1, 1, 4), weight))) end
    local point, step = x:detach():clone(), 1e-6
    for i = 1, 4 do
      local before = point[i]
      point[i] = before + step
      local above = loss(point)
      point[i] = before - step
      assert.is_true(math.abs((above - loss(point)) / (2 * step) - x.grad[i]) < 1e-7)
      point[i] = before
    end
    local z = noise(3):requiresGrad()
    torch.sum(torch.square(fft.irfft(fft.ifft(z))), 1):backward()
    assert.equal('torch.ComplexDoubleTensor', z.grad:type())
  end)

  it('names what it refuses', function()
    assert.error_matches(function() fft.fft(torch.Tensor()) end, 'torch.fft.fft: x: a tensor without dimensions')
    assert.error_matches(function() fft.fft(torch.ones(3), nil, 2) end, 'torch.fft.fft: dim: 2, expected one of 1 dimensions')
    assert.error_matches(function() fft.fft(torch.ones(3), 0) end, 'torch.fft.fft: n: 0')
    for _, tooLarge in ipairs { function() fft.fft(torch.ones(3), 2 ^ 45) end, function() fft.rfftfreq(2 ^ 45) end } do
      local _, message = pcall(tooLarge)
      assert.matches('fourier_spec.lua:%d+: .*out of memory', message)
    end
    assert.error_matches(function() fft.ihfft(torch.ones(3, 0)) end, 'torch.fft.ihfft: x: 0 points along dimension 2, expected 1 or more')
    assert.error_matches(function() fft.ifft(torch.ones(3), nil, nil, {}) end, "torch.fft.ifft: norm: a table, expected 'backward'")
    for _, name in ipairs { 'fftn', 'rfftn', 'irfftn', 'fft2' } do
      local message = 'torch.fft.' .. name .. ': dims: an empty list, expected one with numbers'
      assert.error_matches(function() fft[name](torch.ones(3, 3), nil, {}) end, message)
    end
    assert.error_matches(function() fft.ifft(torch.ones(3), nil, nil, 'x') end, "torch.fft.ifft: norm: x, expected 'backward'")
    assert.error_matches(function() fft.fftn(torch.ones(3, 2), { 1 }, { 1, 2 }) end, 'torch.fft.fftn: sizes: 1 numbers')
  end)
end)
