-- Peaks, smoothing, trends, correlations, decimation and waves, number by number against SciPy's figures, from scipy_figures.py.
local torch, signal = require 'torch', require 'signal'
local figures = require 'spec.signal.scipy_figures'
local gradcheck = require 'autograd'.gradcheck

local function wave(n)
  local i = torch.range(1, n):double()
  return torch.sin(i * 0.1) + torch.cos(i * 0.73 + 1) * 0.5 + torch.sin(torch.remainder(torch.cmul(i, i), 7)) * 0.1
end

local x, short = wave(60), wave(7)
local steps = torch.floor(x * 3)
local t, shares = torch.linspace(-9, 9, 37), torch.linspace(0, 1, 37)

local function joined(...)
  local list = {}
  for i, part in ipairs { ... } do list[i] = part:double() end
  return torch.cat(list, 1)
end

local function peaks(y, options)
  local positions, found = signal.findPeaks(y, options)
  local list = { positions }
  for _, name in ipairs { 'heights', 'leftThresholds', 'rightThresholds', 'prominences', 'leftBases', 'rightBases', 'widths',
    'widthHeights', 'leftPositions', 'rightPositions', 'plateauSizes', 'leftEdges', 'rightEdges' } do
    list[#list + 1] = found[name]
  end
  return joined(unpack(list))
end

local every = { threshold = {}, prominence = {}, width = {}, plateauSize = {} }
local all = signal.findPeaks(x)

local calls = {
  ['findPeaks'] = function() return peaks(x) end,
  ['findPeaks all'] = function() return peaks(x, every) end,
  ['findPeaks plateaus'] = function() return peaks(steps, every) end,
  ['findPeaks height'] = function() return peaks(x, { height = { 0, 1 } }) end,
  ['findPeaks threshold'] = function() return peaks(x, { threshold = { 0.02, 0.3 } }) end,
  ['findPeaks distance'] = function() return peaks(x, { distance = 10.5 }) end,
  ['findPeaks distance plateaus'] = function() return peaks(steps, { distance = 7 }) end,
  ['findPeaks prominence'] = function() return peaks(x, { prominence = 0.3 }) end,
  ['findPeaks width'] = function() return peaks(x, { width = 2.5, relHeight = 0.7 }) end,
  ['findPeaks wlen'] = function() return peaks(x, { prominence = 0.2, width = {}, wlen = 8 }) end,
  ['findPeaks plateauSize'] = function() return peaks(steps, { plateauSize = { 2, 4 } }) end,
  ['peakProminences'] = function() return joined(signal.peakProminences(x, all)) end,
  ['peakProminences wlen'] = function() return joined(signal.peakProminences(x, all, 11)) end,
  ['peakWidths'] = function() return joined(signal.peakWidths(x, all)) end,
  ['peakWidths wlen'] = function() return joined(signal.peakWidths(x, all, 0.9, 15)) end,
  ['savgol'] = function() return signal.savgol(x, 7, 3) end,
  ['savgol first'] = function() return signal.savgol(x, 9, 4, { deriv = 1, delta = 0.25 }) end,
  ['savgol second mirror'] = function() return signal.savgol(x, 5, 2, { deriv = 2, mode = 'mirror' }) end,
  ['savgol nearest'] = function() return signal.savgol(x, 11, 2, { mode = 'nearest' }) end,
  ['savgol wrap'] = function() return signal.savgol(x, 11, 5, { mode = 'wrap' }) end,
  ['savgol constant'] = function() return signal.savgol(x, 11, 1, { mode = 'constant', cval = 0.5 }) end,
  ['savgol beyond'] = function() return signal.savgol(x, 5, 1, { deriv = 2 }) end,
  ['savgol rows'] = function() return signal.savgol(x:view(3, 20), 7, 2) end,
  ['savgol whole'] = function() return signal.savgol(short, 7, 6) end,
  ['savgol long'] = function() return signal.savgol(x, 51, 8) end,
  ['savgolWeights'] = function() return signal.savgolWeights(9, 3) end,
  ['savgolWeights third'] = function() return signal.savgolWeights(9, 4, 3, 0.5) end,
  ['medfilt'] = function() return signal.medfilt(x) end,
  ['medfilt 7'] = function() return signal.medfilt(x, 7) end,
  ['medfilt long'] = function() return signal.medfilt(short, 9) end,
  ['medfilt picture'] = function() return signal.medfilt(x:view(6, 10), { 3, 5 }) end,
  ['detrend'] = function() return signal.detrend(x) end,
  ['detrend constant'] = function() return signal.detrend(x, 'constant') end,
  ['detrend breaks'] = function() return signal.detrend(x, 'linear', { 11, 32 }) end,
  ['detrend rows'] = function() return signal.detrend(x:view(3, 20)) end,
  ['convolve'] = function() return signal.convolve(x, short) end,
  ['convolve same'] = function() return signal.convolve(x, short, 'same') end,
  ['convolve same swapped'] = function() return signal.convolve(short, x, 'same') end,
  ['convolve valid'] = function() return signal.convolve(short, x, 'valid') end,
  ['convolve fft'] = function() return signal.convolve(x, x, 'full', 'fft') end,
  ['correlate'] = function() return signal.correlate(x, short) end,
  ['correlate same'] = function() return signal.correlate(x, wave(6), 'same') end,
  ['correlate swapped'] = function() return signal.correlate(short, x) end,
  ['correlate valid'] = function() return signal.correlate(x, short, 'valid', 'fft') end,
  ['correlationLags'] = function() return signal.correlationLags(5, 8) end,
  ['correlationLags same'] = function() return signal.correlationLags(9, 5, 'same') end,
  ['correlationLags valid'] = function() return signal.correlationLags(9, 4, 'valid') end,
  ['sosfiltfilt'] = function() return signal.sosfiltfilt(signal.butter(5, 0.2, { form = 'sos' }), x) end,
  ['sosfiltfilt high'] = function() return signal.sosfiltfilt(signal.cheby1(4, 1, 0.3, { type = 'high', form = 'sos' }), x) end,
  ['decimate'] = function() return signal.decimate(x, 4) end,
  ['decimate order'] = function() return signal.decimate(x, 3, { order = 4 }) end,
  ['decimate delayed'] = function() return signal.decimate(x, 3, { zeroPhase = false }) end,
  ['decimate fir'] = function() return signal.decimate(x, 4, { kind = 'fir' }) end,
  ['decimate fir order'] = function() return signal.decimate(x, 5, { kind = 'fir', order = 30 }) end,
  ['decimate fir delayed'] = function() return signal.decimate(x, 5, { kind = 'fir', order = 15, zeroPhase = false }) end,
  ['square'] = function() return signal.square(t) end,
  ['square duty'] = function() return signal.square(t, 0.3) end,
  ['square duties'] = function() return signal.square(t, shares) end,
  ['sawtooth'] = function() return signal.sawtooth(t) end,
  ['sawtooth triangle'] = function() return signal.sawtooth(t, 0.5) end,
  ['sawtooth falling'] = function() return signal.sawtooth(t, 0) end,
  ['sawtooth widths'] = function() return signal.sawtooth(t, shares) end,
}

describe('signal next to SciPy', function()
  for name, figure in pairs(figures) do
    it(name, function()
      local y = calls[name]():double():contiguous():view(-1)
      assert.equal(#figure, y:size(1))
      for i = 1, #figure do assert.near(figure[i], y[i], 1e-9 * math.max(1, math.abs(figure[i]))) end
    end)
  end
  it('compares all that it calls', function()
    for name in pairs(calls) do assert(figures[name], name) end
  end)
end)

describe('signal', function()
  it('computes floats as floats', function()
    for _, call in ipairs {
      function(y) return signal.savgol(y, 7, 3) end, function(y) return signal.medfilt(y) end, function(y) return signal.detrend(y) end,
      function(y) return signal.correlate(y, y) end, function(y) return signal.decimate(y, 3) end,
      function(y) return signal.decimate(y, 3, { kind = 'fir' }) end, function(y) return signal.sawtooth(y, 0.3) end,
    } do
      local y, double = call(x:float()), call(x)
      assert.equal('torch.FloatTensor', y:type())
      assert.is_true((y:double() - double):abs():max() < 1e-4)
    end
  end)

  it('has gradients', function()
    local y = wave(33)
    for _, call in ipairs {
      function(z) return signal.savgol(z, 7, 3) end, function(z) return signal.savgol(z, 5, 2, { mode = 'mirror', deriv = 1 }) end,
      function(z) return signal.medfilt(z, 5) end, function(z) return signal.detrend(z, 'linear', { 9 }) end,
      function(z) return signal.correlate(z, short) end, function(z) return signal.convolve(short, z, 'same') end,
      function(z) return signal.decimate(z, 4, { order = 2 }) end, function(z) return signal.decimate(z, 4, { kind = 'fir' }) end,
      function(z) return signal.sosfiltfilt(signal.butter(2, 0.2, { form = 'sos' }), z) end,
    } do
      assert(gradcheck(call, { y:clone() }))
    end
  end)

  it('finds no peaks in data without peaks', function()
    for _, y in ipairs { torch.ones(5), torch.range(1, 5), torch.Tensor { 1 }, torch.Tensor { 1, 2 }, torch.Tensor { 0 / 0, 1, 0 / 0 },
      torch.Tensor { 3, 3, 2, 4, 4 } } do
      local positions, found = signal.findPeaks(y, every)
      assert.equal(0, positions:nElement())
      assert.equal(0, found.widths:nElement())
    end
  end)

  it('names the value that it refuses', function()
    for _, case in ipairs {
      { 'signal.findPeaks: height: a string, expected a number or {least, greatest}', 'findPeaks', x, { height = 'x' } },
      { 'signal.findPeaks: distance: 0', 'findPeaks', x, { distance = 0 } },
      { 'signal.findPeaks: .*hight', 'findPeaks', x, { hight = 1 } },
      { 'signal.findPeaks: x: .*1D', 'findPeaks', x:view(6, 10) },
      { 'signal.peakWidths: peaks: position 61, expected 1 to 60', 'peakWidths', x, torch.LongTensor { 61 } },
      { 'signal.savgol: window: 4, expected an odd number', 'savgol', x, 4, 2 },
      { 'signal.savgol: order: 5, expected less than the window, 5', 'savgol', x, 5, 5 },
      { 'signal.savgol: x: 7 points, expected at least 9', 'savgol', short, 9, 2 },
      { "signal.savgol: mode: x, expected 'interp'", 'savgol', x, 5, 2, { mode = 'x' } },
      { 'signal.medfilt: size: 2, expected an odd number', 'medfilt', x, 2 },
      { "signal.detrend: kind: x, expected 'linear' or 'constant'", 'detrend', x, 'x' },
      { 'signal.detrend: breaks: 61', 'detrend', x, 'linear', { 61 } },
      { "signal.convolve: mode: x, expected 'full', 'same' or 'valid'", 'convolve', x, short, 'x' },
      { "signal.correlate: method: x, expected 'auto', 'direct' or 'fft'", 'correlate', x, short, 'full', 'x' },
      { 'signal.decimate: q: 0', 'decimate', x, 0 },
      { "signal.decimate: kind: x, expected 'iir' or 'fir'", 'decimate', x, 2, { kind = 'x' } },
      { 'signal.decimate: order: 5, expected an even number', 'decimate', x, 2, { kind = 'fir', order = 5 } },
      { 'signal.square: duty: 2', 'square', t, 2 },
      { 'signal.sawtooth: width: expected sizes of t', 'sawtooth', t, torch.ones(3) },
    } do
      assert.error_matches(function() signal[case[2]](unpack(case, 3)) end, case[1])
    end
  end)
end)

describe('At their bounds', function()
  it('detrend leaves nothing of two samples', function()
    assert.same({ 0, 0 }, signal.detrend(torch.DoubleTensor { 3, 7 }):totable())
  end)

  it('waves change at their share of the period, and are NaN for shares that are none', function()
    assert.same({ 1, -1, 1 }, signal.square(torch.DoubleTensor { 0, math.pi, 2 * math.pi }):totable())
    local y = signal.square(torch.DoubleTensor { 0, 1, 1 }, torch.DoubleTensor { 0.5, 1.5, -0.5 })
    assert.equal(1, y[1])
    assert.is_true(torch.all(torch.isnan(y:narrow(1, 2, 2))))
  end)

  it('rows stay rows', function()
    local y = torch.range(1, 12):view(3, 4):double()
    for name, z in pairs {
      savgol = signal.savgol(y, 3, 1), medfilt = signal.medfilt(y, 3), detrend = signal.detrend(y),
    } do
      assert.same({ 3, 4 }, z:size():totable(), name)
    end
    assert.same({ 4 }, signal.savgol(y[1], 3, 1):size():totable())
  end)

  it('resample_poly cancels a common factor of its rates', function()
    local y = torch.DoubleTensor { 1, 2, 4, 3, 5, 7, 6, 8 }
    assert.same(signal.resample_poly(y, 2, 1):totable(), signal.resample_poly(y, 4, 2):totable())
    assert.same(signal.resample_poly(y, 2, 3):totable(), signal.resample_poly(y, 4, 6):totable())
    assert.same(y:totable(), signal.resample_poly(y, 3, 3):totable())
  end)

  it('the first and the last position are peaks without prominence', function()
    local y = torch.DoubleTensor { 1, 3, 2, 5 }
    assert.same({ 0, 1, 0 }, signal.peakProminences(y, torch.LongTensor { 1, 2, 4 }):totable())
    for _, position in ipairs { 0, 5 } do
      assert.error_matches(function() signal.peakProminences(y, torch.LongTensor { position }) end, 'peaks: position %d, expected 1 to 4')
    end
  end)
end)
