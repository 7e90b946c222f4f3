-- signal's Fourier transforms, by closed forms.
local torch, signal = require 'torch', require 'signal'
local assertClose = require('spec.support.close').within(1e-12)

-- A wave of k periods in n points.
local function wave(n, k) return torch.range(0, n - 1):double():mul(2 * math.pi * k / n):cos() end

describe('signal.fft', function()
  it('has ones for an impulse', function()
    assertClose({ { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 } }, signal.fft(torch.Tensor { 1, 0, 0, 0 }))
  end)
  it('has exp(-i ...) forward, and no factor', function()
    assertClose({ { 1, 0 }, { 0, -1 }, { -1, 0 }, { 0, 1 } }, signal.fft(torch.Tensor { 0, 1, 0, 0 }))
  end)
  it('takes N x 2 for complex numbers', function()
    assertClose({ { 4, 6 }, { -2, -2 } }, signal.fft(torch.Tensor { { 1, 2 }, { 3, 4 } }))
  end)
  it('finds the frequency of a wave, for any length', function()
    for _, n in ipairs { 12, 35, 67, 128, 1009 } do
      local y = signal.fft(wave(n, 3))
      local expected = torch.zeros(n, 2)
      expected[4][1], expected[n - 2][1] = n / 2, n / 2
      assertClose(expected, y, 1e-11 * n)
      assertClose(expected:narrow(1, 1, math.floor(n / 2) + 1):contiguous(), signal.rfft(wave(n, 3)), 1e-11 * n)
      assertClose(wave(n, 3), signal.irfft(signal.rfft(wave(n, 3)), n))
      assertClose(wave(n, 3), signal.ifft(y):select(2, 1):contiguous())
    end
  end)
  it('keeps the type', function()
    assert.equal('torch.FloatTensor', signal.fft(torch.FloatTensor(4):zero()):type())
    assert.equal('torch.DoubleTensor', signal.rfft(torch.DoubleTensor(4):zero()):type())
  end)
  it('takes tensors that are not contiguous', function()
    local x = torch.randn(6, 5)
    assertClose(signal.fft(x:select(2, 3):contiguous()), signal.fft(x:select(2, 3)))
  end)
  it('transforms real numbers back as complex ones without imaginary parts', function()
    assertClose({ { 1, 0 }, { 0, 0.5 }, { 0, 0 }, { 0, -0.5 } }, signal.ifft(torch.Tensor { 1, 1, 1, 1 } + torch.Tensor { 0, 1, 0, -1 }))
  end)
  it('names the expected arguments in errors', function()
    assert.error_matches(function() signal.fft(torch.LongTensor(4)) end, 'signal.fft: x: Unsupported precision of input tensor')
    assert.error_matches(function() signal.fft(torch.zeros(4, 3)) end, 'signal.fft: x: .*Input has to be 1D Tensor of size N')
    assert.error_matches(function() signal.fft(3) end, 'signal.fft: x: number, expected a tensor')
    assert.error_matches(function() signal.rfft(torch.zeros(4, 2)) end, 'signal.rfft: x: .*Input has to be 1D')
    assert.error_matches(function() signal.irfft(torch.zeros(4, 2), 0) end, 'signal.irfft: size: 0, expected a whole number')
    assert.error_matches(function() signal.fft3(torch.zeros(4, 2)) end, 'signal.fft3: x: .*Input has to be 3D')
  end)
end)

describe('transforms of several dimensions', function()
  -- exp(2 pi i (a j / M + b k / N)) is one frequency.
  it('find a plane wave', function()
    local M, N = 6, 5
    local x, expected = torch.zeros(M, N, 2), torch.zeros(M, N, 2)
    for j = 1, M do
      for k = 1, N do
        local angle = 2 * math.pi * (2 * (j - 1) / M + 3 * (k - 1) / N)
        x[j][k][1], x[j][k][2] = math.cos(angle), math.sin(angle)
      end
    end
    expected[3][4][1] = M * N
    assertClose(expected, signal.fft2(x))
    assertClose(x, signal.ifft2(expected))
  end)
  it('agree with transforms of one dimension after the other', function()
    local x = torch.randn(4, 3, 6)
    local each = torch.zeros(4, 3, 6, 2)
    for i = 1, 4 do each[i]:copy(signal.fft2(x[i])) end
    local full = signal.fft3(x)
    for j = 1, 3 do
      for k = 1, 6 do
        assertClose(signal.fft(each:select(2, j):select(2, k):contiguous()), full:select(2, j):select(2, k):contiguous(), 1e-11)
      end
    end
    assertClose(x, signal.ifft3(full):select(4, 1):contiguous())
  end)
  it('transform the rows of a matrix', function()
    local x = torch.randn(3, 7)
    local y, half = signal.fftM(x), signal.rfftM(x)
    for i = 1, 3 do
      assertClose(signal.fft(x[i]), y[i])
      assertClose(signal.rfft(x[i]), half[i])
    end
    assertClose(x, signal.irfftM(half, 7))
    assertClose(x, signal.ifftM(y):select(3, 1):contiguous())
  end)
  it('halve the last dimension alone', function()
    local x = torch.randn(4, 7)
    assertClose(signal.fft2(x):narrow(2, 1, 4):contiguous(), signal.rfft2(x))
    assertClose(x, signal.irfft2(signal.rfft2(x), 7))
    assertClose(torch.randn(4, 6):size():totable(), torch.Tensor(signal.irfft2(signal.rfft2(torch.randn(4, 6))):size():totable()))
  end)
end)

describe('the tape', function()
  it("differentiates a signal's power: Parseval", function()
    local x = torch.randn(10):requiresGrad()
    local y = signal.fft(x)
    torch.sum(torch.cmul(y, y)):backward()
    assertClose(x:detach() * 20, x.grad, 1e-11)
  end)
end)
