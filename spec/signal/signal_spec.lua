-- signal's other functions: closed forms, torch-signal's conventions, the tape.
local torch, signal = require 'torch', require 'signal'
local assertClose = require('spec.support.close').within(1e-12)

-- The derivative of f's result times fixed numbers, against differences.
local function checkGradient(f, x)
  local tracked = x:clone():requiresGrad()
  local y = f(tracked)
  local weights = torch.range(1, y:nElement()):double():mul(0.7):sin():viewAs(y:detach())
  torch.sum(torch.cmul(y, weights)):backward()
  local gradient = tracked.grad:view(-1):totable()
  for i = 1, x:nElement() do
    local function at(step)
      local moved = x:clone()
      moved:view(-1)[i] = moved:view(-1)[i] + step
      return torch.cmul(f(moved):detach(), weights):sum()
    end
    assert.near((at(1e-5) - at(-1e-5)) / 2e-5, gradient[i], 1e-6)
  end
end

describe('frames', function()
  it('are transformed one by one, what is left at the end being dropped', function()
    local x = torch.randn(23)
    local y, half = signal.stft(x, 6, 4), signal.rstft(x, 6, 4)
    assert.same({ 5, 6, 2 }, y:size():totable())
    for w = 1, 5 do
      assertClose(signal.fft(x:narrow(1, 4 * w - 3, 6)), y[w])
      assertClose(signal.rfft(x:narrow(1, 4 * w - 3, 6)), half[w])
    end
  end)
  it('leave the signal as it is', function()
    local x = torch.randn(40)
    local before = x:clone()
    signal.rstft(x, 10, 5, 'hann')
    assertClose(before, x)
  end)
  it('get the windows of torch-signal, and none for other names', function()
    local x, w = torch.ones(6), torch.Tensor(6)
    for i = 0, 5 do w[i + 1] = 0.53836 - 0.46164 * math.cos(2 * math.pi * i / 5) end
    assertClose(signal.fft(w):view(1, 6, 2), signal.stft(x, 6, 1, 'hamming'))
    assertClose(signal.stft(x, 6, 1), signal.stft(x, 6, 1, 'none'))
    assertClose(signal.stft(x, 6, 1, 'hamming'), signal.stft(x, 6, 1, w))
  end)
  it('make a spectrogram of 10 ln(power + 0.01), frequency 0 first', function()
    local y = signal.spectrogram(torch.ones(12), 4, 4)
    assert.same({ 3, 3 }, y:size():totable())
    assert.near(10 * math.log(16.01), y[1][2], 1e-12)
    assert.near(10 * math.log(0.01), y[3][1], 1e-12)
  end)
  it('come together again', function()
    local x = torch.randn(100)
    for _, size in ipairs { 20, 15 } do
      for _, window in ipairs { 'rect', 'hamming', 'hann' } do
        local back = signal.istft(signal.rstft(x, size, 5, window), size, 5, window)
        assert.equal(100, back:size(1))
        assertClose(x:narrow(1, 2, 98), back:narrow(1, 2, 98), 1e-11)
        assertClose(back, signal.istft(signal.stft(x, size, 5, window), size, 5, window))
      end
    end
  end)
  it('report invalid input', function()
    assert.error_matches(function() signal.stft(torch.ones(3), 4, 1) end, 'signal.stft: window_size: 4, expected no more than the 3 points')
    assert.error_matches(function() signal.stft(torch.ones(3, 2), 2, 1) end, 'signal.stft: x: .*Need 1D Tensor input')
    assert.error_matches(function() signal.stft(torch.ones(3), 2) end, 'signal.stft: window_stride: nil, expected a whole number')
    assert.error_matches(function() signal.istft(torch.ones(3, 4, 2), 4, 1, torch.ones(3)) end, 'signal.istft: window: 3 weights')
  end)
end)

describe('windows', function()
  it('are those of torch-signal', function()
    assertClose({ 0, 0.5, 1, 0.5, 0 }, signal.hann(5))
    assertClose({ 0, 0.5, 1, 0.5 }, signal.hann(4, 'periodic'))
    assertClose({ 1 }, signal.blackman(1))
    assertClose({ 0, 0.34, 1, 0.34, 0 }, signal.blackman(5), 1e-15)
    assert.near(0.00006, signal.blackmanharris(9)[1], 1e-15)
    assert.error_matches(function() signal.hann(4, 'round') end, "signal.hann: flag: round, expected 'symmetric' or 'periodic'")
  end)
end)

describe('angles', function()
  it('lose their jumps', function()
    local a = torch.range(0, 20):double():mul(0.9)
    assertClose(a, signal.unwrap(torch.remainder(a, 2 * math.pi)), 1e-12)
    assertClose({ 0, 3 }, signal.unwrap(torch.Tensor { 0, 3 }))
    assertClose({ 0, 3 - 2 * math.pi }, signal.unwrap(torch.Tensor { 0, 3 }, 1))
  end)
  it('of a delay become flat, with the delay told', function()
    local x = torch.zeros(8)
    x[4] = 1
    local y, nd = signal.rcunwrap(signal.complex.angle(signal.fft(x)))
    assert.equal(-3, nd)
    assertClose(torch.zeros(8), y)
    assertClose(torch.range(0, 7):mul(-3 * math.pi / 4), signal.rcwrap(y, nd))
  end)
end)

describe('cepstra', function()
  -- of 1 + a z^-1: (-1)^(n + 1) a^n / n
  it('of an echo are a series', function()
    local x, a = torch.zeros(256), 0.5
    x[1], x[2] = 1, a
    local c, nd = signal.cceps(x)
    assert.equal(0, nd)
    for n = 1, 20 do assert.near(-(-a) ^ n / n, c[n + 1], 1e-12) end
    assert.near(a / 2, signal.rceps(x)[2], 1e-12)
    assertClose(x, signal.icceps(c, nd))
  end)
  it('lead back to signals of positive sum', function()
    local x = torch.rand(32)
    local c, nd = signal.cceps(x)
    assertClose(x, signal.icceps(c, nd), 1e-12)
  end)
end)

describe('signal.complex', function()
  local h = torch.Tensor { { 3, 4 }, { 0, -2 } }
  it('has parts, sizes and angles', function()
    assertClose({ 5, 2 }, signal.complex.abs(h))
    assertClose({ math.atan2(4, 3), -math.pi / 2 }, signal.complex.angle(h))
    assertClose({ { 3, -4 }, { 0, 2 } }, signal.complex.conj(h))
    assertClose({ { math.exp(3) * math.cos(4), math.exp(3) * math.sin(4) }, { math.cos(2), -math.sin(2) } }, signal.complex.exp(h), 1e-12)
    assertClose({ { 5, 5 } }, signal.complex.abs(torch.Tensor { { { 3, 4 }, { 4, -3 } } }))
    local copy = h:clone()
    signal.complex.real(copy)[1] = 7
    assert.equal(7, copy[1][1])
    assert.error_matches(function() signal.complex.abs(torch.ones(3)) end, 'unsupported dimensions')
  end)
  it('multiplies', function()
    assertClose({ { 8, -6 } }, signal.complex.prod(h))
    assertClose({ { -7, 24 }, { -4, 0 } }, signal.complex.cmul(h, h))
    assertClose({ { 3, 4 }, { 0, -4 } }, signal.complex.cmul(h, torch.FloatTensor { 1, 2 }))
    assert.equal('torch.DoubleTensor', signal.complex.cmul(torch.FloatTensor { 1 }, torch.FloatTensor { 1 }):type())
    assertClose({ { -11, 24 } }, signal.complex.dot(h, h))
    assertClose(h:view(2, 1, 2), signal.complex.mm(torch.Tensor { { { 0, 0 }, { 1, 0 } }, { { 1, 0 }, { 0, 0 } } },
      torch.Tensor { { { 0, -2 } }, { { 3, 4 } } }))
    assert.error_matches(function() signal.complex.mm(torch.ones(2, 3, 2), torch.ones(2, 3, 2)) end, 'b: 2 rows, expected 3')
  end)
  it('makes diagonals and polynomials', function()
    local d = signal.complex.diag(h)
    assertClose({ { { 3, 4 }, { 0, 0 } }, { { 0, 0 }, { 0, -2 } } }, d)
    assertClose(h, signal.complex.diag(d))
    assertClose({ 1, -6, 11, -6 }, signal.complex.poly(torch.Tensor { 1, 2, 3 }))
    assertClose({ 1, 0, 1 }, signal.complex.poly(torch.Tensor { { 0, -1 }, { 1, 0 } }), 1e-12)
    assertClose({ { 1, 0 }, { 0, 0 }, { 1, 0 }, { 0, 0 } }, signal.complex.poly(torch.Tensor { { 0, 1 }, { 0, -1 }, { 0, 0 } }))
  end)
end)

describe('signal.wavelet', function()
  local phi, psi = signal.wavelet.haar1d()
  it('takes means and differences of neighbours', function()
    assertClose({ 2, 5 }, phi(torch.Tensor { 1, 3, 4, 6 }))
    assertClose({ -1, -1 }, psi(torch.Tensor { 1, 3, 4, 6 }))
  end)
  it('goes from fine to coarse, with zeros up to a power of 2', function()
    local list, rest = signal.wavelet.dwt1d(torch.Tensor { 1, 3, 4, 6, 8 }, phi, psi)
    assert.equal(3, #list)
    assertClose({ -1, -1, 4, 0 }, list[1])
    assertClose({ -1.5, 2 }, list[2])
    assertClose({ 0.75 }, list[3])
    assertClose({ 2.75 }, rest)
    assert.equal(1, #signal.wavelet.dwt1d(torch.ones(8), phi, psi, 1))
  end)
  it('has no wavelets of Daubechies', function()
    assert.error_matches(function() signal.wavelet.daubechies1d() end, 'implementation not finished')
  end)
end)

it('signal.kaiser is all ones where beta is 0', function()
  assertClose(torch.ones(5), signal.kaiser(5, 0))
  assert.error_matches(function() signal.kaiser(5, -1) end, 'signal.kaiser: beta: %-1')
end)

describe('signal.conv1d', function()
  local x, k = torch.range(1, 6), torch.Tensor { 1, 2, 4 }
  it('correlates', function()
    assertClose({ 17, 24, 31, 38 }, signal.conv1d(x, k, 1))
    assertClose({ 17, 31 }, signal.conv1d(x, k, 2, 'valid'))
  end)
  it("continues with zeros in mode 'same'", function()
    assertClose({ 10, 17, 24, 31, 38, 17 }, signal.conv1d(x, k, 1, 'same'))
    assertClose({ 10, 24, 38 }, signal.conv1d(x, k, 2, 'same'))
    assertClose({ 6, 15, 18 }, signal.conv1d(torch.range(1, 6), torch.ones(5), 2, 'same'))
  end)
  it('names the expected arguments in errors', function()
    assert.error_matches(function() signal.conv1d(x, k, 1, 'full') end, "Supported modes are 'valid' or 'same'")
    assert.error_matches(function() signal.conv1d(x, k) end, 'signal.conv1d: stride: nil, expected a whole number')
    assert.error_matches(function() signal.conv1d(k, x, 1) end, 'signal.conv1d: kernel: 6 points')
  end)
end)

describe('filters', function()
  it('go on with the state that they left', function()
    local b, a = signal.butter(3, 0.3)
    local x = torch.randn(40)
    local first, state = signal.lfilter(b, a, x:narrow(1, 1, 15), torch.zeros(3))
    local last = signal.lfilter(b, a, x:narrow(1, 16, 25), state)
    assertClose(signal.lfilter(b, a, x), torch.cat(first, last))
  end)
  it('take rows and floats', function()
    local b, a = signal.cheby1(2, 1, 0.3)
    local x = torch.randn(3, 20):float()
    local y = signal.lfilter(b, a, x)
    assert.equal('torch.FloatTensor', y:type())
    assertClose(signal.lfilter(b, a, x[2]), y[2])
  end)
  it('keep what a filter of both directions lets through where it is', function()
    local b, a = signal.butter(4, 0.3)
    local x = torch.range(1, 200):double():mul(0.05):sin()
    assertClose(x, signal.filtfilt(b, a, x), 1e-3)
  end)
  it('report invalid input', function()
    assert.error_matches(function() signal.butter(2, 1.5) end, 'signal.butter: cutoff: 1.5, expected a frequency between 0 and 1')
    assert.error_matches(function() signal.butter(2, 0.5, { type = 'wide' }) end, "signal.butter: type: wide, expected 'low'")
    assert.error_matches(function() signal.butter(2, 0.5, { kind = 'low' }) end, 'signal.butter: options: kind')
    assert.error_matches(function() signal.lfilter({ 1 }, { 0, 1 }, torch.ones(3)) end, 'signal.lfilter: a: 0 as the first coefficient')
    assert.error_matches(function() signal.firwin(30, 0.5, { type = 'high' }) end, 'signal.firwin: taps: 30, expected an odd number')
  end)
end)

describe('mel frequencies and octaves', function()
  it('show a tone where it is', function()
    local x = torch.range(0, 7999):double():mul(2 * math.pi * 440 / 8000):sin()
    local y, frequencies = signal.cqt(x, 8000, { fmin = 220, bins = 24, stride = 400 })
    local _, loudest = torch.max(signal.complex.abs(y):select(2, 10):contiguous(), 1)
    assert.near(440, frequencies[loudest[1]], 1e-9)
    local length = 8000 / 440 * (2 ^ (1 / 6) + 1) / (2 ^ (1 / 6) - 1)
    assert.near(math.sqrt(length) / 2, signal.complex.abs(y)[loudest[1]][10], 0.01 * math.sqrt(length))
  end)
  it('report invalid input', function()
    assert.error_matches(function() signal.cqt(torch.ones(10), 8000, { bins = 100 }) end, 'signal.cqt: bins: the highest frequency')
    assert.error_matches(function() signal.mfcc(torch.ones(10), 8000, { coefficients = 3 }) end, 'signal.mfcc: options: coefficients')
  end)
end)

describe('the tape', function()
  local b, a = signal.butter(2, 0.4)
  local x = torch.randn(24)
  local functions = {
    fft = signal.fft, dct = signal.dct, idct = signal.idct, hilbert = signal.hilbert, rceps = signal.rceps,
    ['dct of type 1'] = function(y) return signal.dct(y, 1) end, ['dct of type 4'] = function(y) return signal.dct(y, 4, 'ortho') end,
    spectrogram = function(y) return signal.spectrogram(y, 6, 3, 'hann') end,
    istft = function(y) return signal.istft(signal.stft(y, 6, 3, 'hamming'), 6, 3, 'hann') end,
    lfilter = function(y) return signal.lfilter(b, a, y) end, filtfilt = function(y) return signal.filtfilt(b, a, y) end,
    sosfilt = function(y) return signal.sosfilt(signal.butter(3, 0.3, { form = 'sos' }), y) end,
    fftconvolve = function(y) return signal.fftconvolve(y, y, 'same') end,
    conv1d = function(y) return signal.conv1d(y, torch.Tensor { 1, 2, 3 }, 2, 'same') end,
    resample = function(y) return signal.resample(y, 17) end, resample_poly = function(y) return signal.resample_poly(y, 3, 2) end,
    welch = function(y) return (select(2, signal.welch(y, { size = 8 }))) end,
    mfcc = function(y) return signal.mfcc(y, 100, { size = 8, mels = 4, count = 3 }) end,
    cqt = function(y) return (signal.cqt(y, 100, { fmin = 20, bins = 3, perOctave = 3, stride = 8 })) end,
  }
  for name, f in pairs(functions) do
    it('goes through ' .. name, function() checkGradient(f, x) end)
  end
end)

describe('arguments that are missing or wrong', function()
  local x = torch.ones(8)
  local calls = {
    ['signal.lfilter: b: nil'] = function() signal.lfilter(nil, { 1 }, x) end,
    ['signal.stft: window: 5, expected a name'] = function() signal.stft(x, 4, 2, 5) end,
    ['signal.chirp: f1: nil'] = function() signal.chirp(x, 1, 1) end,
    ['signal.fftshift: x: expected a tensor of one dimension'] = function() signal.fftshift(torch.Tensor()) end,
    ['signal.welch: size: 20, expected a whole number from 1 to 8'] = function() signal.welch(x, { size = 20 }) end,
    ['signal.complex.mm: a: nil'] = function() signal.complex.mm(nil, x) end,
    ['signal.gaussian: deviation: 0'] = function() signal.gaussian(5, 0) end,
    ['signal.resample: count: 0'] = function() signal.resample(x, 0) end,
  }
  for message, call in pairs(calls) do
    it('are named: ' .. message, function() assert.error_matches(call, message, 1, true) end)
  end
end)
