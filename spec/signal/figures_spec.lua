-- Compares signal with SciPy and librosa, whose figures figures.py wrote.
local torch, signal = require 'torch', require 'signal'
local figures = require 'spec.signal.figures'

local function given(n)
  local x = torch.DoubleTensor(n)
  for i = 1, n do x[i] = math.sin(0.1 * i) + 0.5 * math.cos(0.73 * i + 1) + 0.1 * math.sin(i * i % 7) end
  return x
end

local x, long, rate = given(100), given(4000), 8000
local function matrix(n, ...) return given(n):view(...) end
local function joined(b, a) return torch.cat(b, a, 1) end
local function second(_, y) return y end
local mel = { size = 512, stride = 128, mels = 40 }
local function with(options, name, value)
  local copy = { [name] = value }
  for k, v in pairs(options) do copy[k] = v end
  return copy
end
local function ramp() return torch.range(0, 99):double() / 50 end

local calls = {
  ['fft'] = function() return signal.fft(x) end,
  ['rfft2'] = function() return signal.rfft2(matrix(63, 9, 7)) end,
  ['fft3'] = function() return signal.fft3(matrix(60, 3, 4, 5)) end,
  ['dct'] = function() return signal.dct(x) end,
  ['dct1'] = function() return signal.dct(x, 1) end,
  ['dct3rd'] = function() return signal.dct(x, 3) end,
  ['dct4'] = function() return signal.dct(x, 4) end,
  ['dct1 ortho'] = function() return signal.dct(x, 1, 'ortho') end,
  ['dct ortho'] = function() return signal.dct(x, 2, 'ortho') end,
  ['dct3rd ortho'] = function() return signal.dct(x, 3, 'ortho') end,
  ['dct4 ortho'] = function() return signal.dct(x, 4, 'ortho') end,
  ['dct2'] = function() return signal.dct2(matrix(63, 9, 7)) end,
  ['idct3'] = function() return signal.idct3(matrix(60, 3, 4, 5)) end,
  ['hilbert'] = function() return signal.hilbert(x) end,
  ['hilbert odd'] = function() return signal.hilbert(x:narrow(1, 1, 99)) end,
  ['stft'] = function() return signal.stft(x, 20, 7, 'hann') end,
  ['unwrap'] = function() return signal.unwrap(torch.remainder(torch.cumsum(x), 2 * math.pi)) end,
  ['blackmanharris'] = function() return signal.blackmanharris(33) end,
  ['flattop periodic'] = function() return signal.flattop(32, 'periodic') end,
  ['tukey'] = function() return signal.tukey(33, 0.3) end,
  ['kaiser'] = function() return signal.kaiser(32, 7) end,
  ['gaussian periodic'] = function() return signal.gaussian(32, 5, 'periodic') end,
  ['bartlett'] = function() return signal.bartlett(30) end,
  ['fftconvolve same'] = function() return signal.fftconvolve(x, given(12), 'same') end,
  ['fftconvolve valid'] = function() return signal.fftconvolve(x, given(13), 'valid') end,
  ['butter'] = function() return joined(signal.butter(4, 0.2)) end,
  ['butter high'] = function() return joined(signal.butter(5, 1000, { type = 'high', rate = rate })) end,
  ['butter band'] = function() return joined(signal.butter(3, { 0.2, 0.4 }, { type = 'band' })) end,
  ['cheby1'] = function() return joined(signal.cheby1(4, 0.5, 0.3)) end,
  ['cheby1 stop'] = function() return joined(signal.cheby1(3, 1, { 0.2, 0.4 }, { type = 'bandstop' })) end,
  ['cheby2'] = function() return joined(signal.cheby2(5, 40, 0.3)) end,
  ['cheby2 band'] = function() return joined(signal.cheby2(4, 40, { 0.2, 0.4 }, { type = 'band' })) end,
  ['firwin'] = function() return signal.firwin(31, 0.3) end,
  ['firwin stop'] = function() return signal.firwin(31, { 0.3, 0.5 }, { type = 'stop' }) end,
  ['firwin band'] = function()
    return signal.firwin(30, { 1000, 2000 }, { type = 'band', rate = rate, window = signal.kaiser(30, 5) })
  end,
  ['firwin high'] = function() return signal.firwin(31, 0.3, { type = 'high' }) end,
  ['lfilter'] = function()
    local b, a = signal.butter(3, 0.2)
    return signal.lfilter(b, a, x)
  end,
  ['filtfilt'] = function()
    local b, a = signal.butter(3, 0.2)
    return signal.filtfilt(b, a, x)
  end,
  ['sosfilt'] = function() return signal.sosfilt(signal.butter(7, { 0.2, 0.4 }, { type = 'band', form = 'sos' }), x) end,
  ['sosfilt cheby2'] = function() return signal.sosfilt(signal.cheby2(6, 40, 0.3, { type = 'high', form = 'sos' }), x) end,
  ['freqz'] = function()
    local b, a = signal.butter(3, 0.2)
    return second(signal.freqz(b, a, 64))
  end,
  ['resample up'] = function() return signal.resample(x, 150) end,
  ['resample down'] = function() return signal.resample(x, 64) end,
  ['resample odd'] = function() return signal.resample(x:narrow(1, 1, 99), 60) end,
  ['resample_poly up'] = function() return signal.resample_poly(x, 3, 2) end,
  ['resample_poly down'] = function() return signal.resample_poly(x, 4, 10) end,
  ['resample_poly rates'] = function() return signal.resample_poly(long, 160, 147) end,
  ['welch'] = function() return second(signal.welch(long, { rate = rate, size = 200 })) end,
  ['welch plain'] = function()
    return second(signal.welch(long, { size = 129, overlap = 31, window = signal.hamming(129, 'periodic'), detrend = false }))
  end,
  ['chirp'] = function() return signal.chirp(ramp(), 1, 2, 20) end,
  ['chirp quadratic'] = function() return signal.chirp(ramp(), 1, 2, 20, 'quadratic') end,
  ['chirp logarithmic'] = function() return signal.chirp(ramp(), 1, 2, 20, 'logarithmic') end,
  ['fftfreq'] = function() return signal.fftfreq(9, 0.1) end,
  ['melFilters'] = function() return signal.melFilters(rate, 512, { mels = 40 }) end,
  ['melFilters htk'] = function()
    return signal.melFilters(rate, 512, { mels = 40, fmin = 50, fmax = 3000, scale = 'htk', norm = false })
  end,
  ['melSpectrogram'] = function() return signal.melSpectrogram(long, rate, mel) end,
  ['melSpectrogram reflect'] = function()
    return signal.melSpectrogram(long, rate, with(with(mel, 'pad', 'reflect'), 'power', 1))
  end,
  ['powerToDb'] = function() return signal.powerToDb(signal.melSpectrogram(long, rate, mel), { ref = 'max' }) end,
  ['mfcc'] = function() return signal.mfcc(long, rate, with(mel, 'count', 13)) end,
  ['cqt'] = function()
    return signal.complex.abs((signal.cqt(long, rate, { fmin = 500, bins = 24, stride = 128 })))
  end,
}

-- librosa's mel filters are float32; its constant-Q transform thins the signal out for each octave.
local tolerances = { cqt = 0.02, melSpectrogram = 1e-7, ['melSpectrogram reflect'] = 1e-7, mfcc = 1e-7, powerToDb = 1e-7 }

describe('signal beside SciPy and librosa', function()
  for name, figure in pairs(figures) do
    it(name, function()
      local y = calls[name]():double():contiguous()
      assert.equal(figure[1], table.concat(y:size():totable(), 'x'))
      local flat = y:view(-1)
      local tolerance = (tolerances[name] or 1e-9) * (figure[3] + 1e-3)
      local projection = flat:dot(torch.range(1, flat:size(1)):double():mul(0.37):add(0.5):sin())
      assert.near(figure[3], flat:norm(), tolerance)
      assert.near(figure[2], projection, tolerance)
    end)
  end
  it('compares all that it calls', function()
    for name in pairs(calls) do assert(figures[name], name) end
  end)
end)
