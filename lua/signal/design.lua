--- The design of filters: Butterworth and Chebyshev filters, from analog prototypes by the bilinear transform, and windowed FIR filters.
-- Source: A. Oppenheim & R. Schafer, "Discrete-Time Signal Processing", ch. 7 and app. B.
-- @module signal.design
local torch = require 'torch'
local check = require 'torch.check'

local design = {}

-- ---- complex numbers as { re, im }

local function complex(re, im) return { re, im or 0 } end
local function plus(a, b) return { a[1] + b[1], a[2] + b[2] } end
local function minus(a, b) return { a[1] - b[1], a[2] - b[2] } end
local function times(a, b) return { a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1] } end
local function scaled(a, factor) return { a[1] * factor, a[2] * factor } end
local function divided(a, b)
  local size = b[1] * b[1] + b[2] * b[2]
  return { (a[1] * b[1] + a[2] * b[2]) / size, (a[2] * b[1] - a[1] * b[2]) / size }
end
local function root(a)
  local size, angle = math.sqrt(math.sqrt(a[1] * a[1] + a[2] * a[2])), math.atan2(a[2], a[1]) / 2
  return { size * math.cos(angle), size * math.sin(angle) }
end
local function product(list)
  local value = complex(1)
  for _, a in ipairs(list) do value = times(value, a) end
  return value
end
local function map(list, f)
  local result = {}
  for i, a in ipairs(list) do result[i] = f(a) end
  return result
end
local function negative(a) return scaled(a, -1) end

-- ---- analog prototypes: zeros, poles and gain of a lowpass with the edge 1

local function butterworth(order)
  local poles = {}
  for k = 1, order do
    local angle = math.pi * (2 * k + order - 1) / (2 * order)
    poles[k] = complex(math.cos(angle), 2 * k == order + 1 and 0 or math.sin(angle))
  end
  return {}, poles, 1
end

local function hyperbolic(order, ripple)
  local poles, mu = {}, math.log(1 / ripple + math.sqrt(1 / ripple ^ 2 + 1)) / order      -- asinh
  for k = 1, order do
    local angle = math.pi * (2 * k - 1) / (2 * order)
    poles[k] = complex(-math.sinh(mu) * math.sin(angle), 2 * k == order + 1 and 0 or math.cosh(mu) * math.cos(angle))
  end
  return poles
end

local function chebyshev1(order, decibels)
  local ripple = math.sqrt(10 ^ (decibels / 10) - 1)
  local poles = hyperbolic(order, ripple)
  local gain = product(map(poles, negative))[1]
  if order % 2 == 0 then gain = gain / math.sqrt(1 + ripple ^ 2) end
  return {}, poles, gain
end

local function chebyshev2(order, decibels)
  local zeros = {}
  for k = 1, order do
    if 2 * k ~= order + 1 then zeros[#zeros + 1] = complex(0, 1 / math.cos(math.pi * (2 * k - 1) / (2 * order))) end
  end
  local poles = map(hyperbolic(order, 1 / math.sqrt(10 ^ (decibels / 10) - 1)), function(p) return divided(complex(1), p) end)
  return zeros, poles, divided(product(map(poles, negative)), product(map(zeros, negative)))[1]
end

-- ---- from the prototype to the requested band

local bands = {}

local function filled(list, count, value)
  for _ = 1, count do list[#list + 1] = value end
  return list
end

function bands.low(zeros, poles, gain, edge)
  local function move(a) return scaled(a, edge) end
  return map(zeros, move), map(poles, move), gain * edge ^ (#poles - #zeros)
end

function bands.high(zeros, poles, gain, edge)
  local function move(a) return divided(complex(edge), a) end
  local factor = divided(product(map(zeros, negative)), product(map(poles, negative)))[1]
  return filled(map(zeros, move), #poles - #zeros, complex(0)), map(poles, move), gain * factor
end

-- Each number becomes two, around the middle of the band.
local function twice(list, middle, move)
  local result = {}
  for _, a in ipairs(list) do
    local half = move(a)
    local rest = root(minus(times(half, half), complex(middle ^ 2)))
    result[#result + 1] = plus(half, rest)
    result[#result + 1] = minus(half, rest)
  end
  return result
end

function bands.band(zeros, poles, gain, low, high)
  local width, middle = high - low, math.sqrt(low * high)
  local function move(a) return scaled(a, width / 2) end
  return filled(twice(zeros, middle, move), #poles - #zeros, complex(0)), twice(poles, middle, move), gain * width ^ (#poles - #zeros)
end

function bands.stop(zeros, poles, gain, low, high)
  local width, middle = high - low, math.sqrt(low * high)
  local function move(a) return divided(complex(width / 2), a) end
  local all = twice(zeros, middle, move)
  for _ = 1, #poles - #zeros do
    all[#all + 1] = complex(0, middle)
    all[#all + 1] = complex(0, -middle)
  end
  return all, twice(poles, middle, move), gain * divided(product(map(zeros, negative)), product(map(poles, negative)))[1]
end

-- s = 4 (z - 1) / (z + 1), for two points per second.
local function bilinear(zeros, poles, gain)
  local function above(a) return minus(complex(4), a) end
  local function move(a) return divided(plus(complex(4), a), above(a)) end
  local factor = divided(product(map(zeros, above)), product(map(poles, above)))[1]
  return filled(map(zeros, move), #poles - #zeros, complex(-1)), map(poles, move), gain * factor
end

-- ---- coefficients

local function polynomial(roots)
  local list = { complex(1) }
  for i, value in ipairs(roots) do
    list[i + 1] = complex(0)
    for k = i + 1, 2, -1 do list[k] = minus(list[k], times(value, list[k - 1])) end
  end
  return map(list, function(a) return a[1] end)
end

-- Pairs of roots with real polynomials: conjugates, or neighbours among the real roots. Pairs closest to the unit circle come last.
local function paired(roots)
  local upper, real, result = {}, {}, {}
  for _, a in ipairs(roots) do
    local list = math.abs(a[2]) <= 1e-10 * (1 + math.abs(a[1])) and real or a[2] > 0 and upper
    if list then list[#list + 1] = a end
  end
  table.sort(real, function(a, b) return a[1] < b[1] end)
  for i = 1, #real, 2 do result[#result + 1] = { real[i], real[i + 1] } end
  for _, a in ipairs(upper) do result[#result + 1] = { a, { a[1], -a[2] } } end
  local function radius(two) return two[1][1] ^ 2 + two[1][2] ^ 2 end
  table.sort(result, function(a, b) return radius(a) < radius(b) end)
  return result
end

local function sections(zeros, poles, gain)
  local above, below = paired(zeros), paired(poles)
  local sos = torch.zeros(math.max(#above, #below), 6):double()
  for i = 1, sos:size(1) do
    local b, a = polynomial(above[i] or {}), polynomial(below[i] or {})
    for k = 1, 3 do sos[i][k], sos[i][k + 3] = (b[k] or 0) * (i == 1 and gain or 1), a[k] or 0 end
  end
  return sos
end

-- Edges as fractions of half the rate.
local function edgesOf(where, cutoff, options, two)
  local list = type(cutoff) == 'table' and cutoff or { cutoff }
  local half = options.rate and check.number(where, 'rate', options.rate, { min = 1e-300 }) / 2 or 1
  check.that(#list == (two and 2 or 1), ('%s: cutoff: %d frequencies, expected %d'):format(where, #list, two and 2 or 1))
  local edges = {}
  for i, value in ipairs(list) do
    edges[i] = check.number(where, 'cutoff', value) / half
    check.that(edges[i] > 0 and edges[i] < 1, ('%s: cutoff: %s, expected a frequency between 0 and %s'):format(where, value, half))
  end
  check.that(not two or edges[1] < edges[2], where .. ': cutoff: expected rising frequencies of a band')
  return edges
end

local kinds = {
  low = 'low', high = 'high', band = 'band', stop = 'stop', lowpass = 'low', highpass = 'high', bandpass = 'band', bandstop = 'stop',
}

local function designed(where, order, cutoff, options, prototype, decibels)
  check.int(where, 'order', order, { min = 1, max = 100 })
  options = check.options(where, options, { 'type', 'rate', 'form' })
  local kind = kinds[options.type or 'low']
  check.that(kind, ("%s: type: %s, expected 'low', 'high', 'band' or 'stop'"):format(where, tostring(options.type)))
  check.that(options.form == nil or options.form == 'ba' or options.form == 'sos',
    ("%s: form: %s, expected 'ba' or 'sos'"):format(where, tostring(options.form)))
  local edges = edgesOf(where, cutoff, options, kind == 'band' or kind == 'stop')
  local warped = map(edges, function(edge) return 4 * math.tan(math.pi * edge / 2) end)
  local zeros, poles, gain = prototype(order, decibels)
  zeros, poles, gain = bands[kind](zeros, poles, gain, unpack(warped))
  zeros, poles, gain = bilinear(zeros, poles, gain)
  if options.form == 'sos' then return sections(zeros, poles, gain) end
  return torch.DoubleTensor(polynomial(zeros)) * gain, torch.DoubleTensor(polynomial(poles))
end

--- Butterworth filter, maximally flat in the passband.
-- @int order
-- @param cutoff edge with gain -3 dB: a fraction of half the sampling rate, or a frequency if `rate` is given; two for a band
-- @tparam[opt] table options
--
-- - `type`: 'low' (default), 'high', 'band' or 'stop'
-- - `rate`: points per second (2)
-- - `form`: 'ba' (default; coefficients for `lfilter`) or 'sos' (sections for `sosfilt`, better from order 6 on)
-- @treturn torch.DoubleTensor b, or sections x 6
-- @treturn ?torch.DoubleTensor a
-- @usage local b, a = signal.butter(4, 1000, { rate = 8000 })
function design.butter(order, cutoff, options) return designed('signal.butter', order, cutoff, options, butterworth) end

--- Chebyshev filter with ripple in the passband (type I).
-- @int order
-- @number ripple dB, above 0
-- @param cutoff last edge with gain -ripple; see `butter`
-- @tparam[opt] table options as in `butter`
-- @treturn torch.DoubleTensor b, or sections x 6
-- @treturn ?torch.DoubleTensor a
function design.cheby1(order, ripple, cutoff, options)
  check.number('signal.cheby1', 'ripple', ripple, { min = 1e-6 })
  return designed('signal.cheby1', order, cutoff, options, chebyshev1, ripple)
end

--- Chebyshev filter with ripple in the stopband (type II).
-- @int order
-- @number attenuation dB, above 0
-- @param cutoff first edge with gain -attenuation; see `butter`
-- @tparam[opt] table options as in `butter`
-- @treturn torch.DoubleTensor b, or sections x 6
-- @treturn ?torch.DoubleTensor a
function design.cheby2(order, attenuation, cutoff, options)
  check.number('signal.cheby2', 'attenuation', attenuation, { min = 1e-6 })
  return designed('signal.cheby2', order, cutoff, options, chebyshev2, attenuation)
end

local function sinc(x) return x == 0 and 1 or math.sin(math.pi * x) / (math.pi * x) end

--- An FIR filter: the ideal filter's response times a window. Its gain is 1 in the middle of the passband.
-- @int taps number of coefficients; odd if the filter passes the highest frequency
-- @param cutoff edge with gain one half: a fraction of half the sampling rate, or a frequency if `rate` is given; two for a band
-- @tparam[opt] table options
--
-- - `type`: 'low' (default), 'high', 'band' or 'stop'
-- - `rate`: points per second (2)
-- - `window`: a tensor of `taps` weights (`signal.hamming(taps)`)
-- @treturn torch.DoubleTensor taps
function design.firwin(taps, cutoff, options)
  local where = 'signal.firwin'
  check.int(where, 'taps', taps, { min = 1 })
  options = check.options(where, options, { 'type', 'rate', 'window' })
  local kind = kinds[options.type or 'low']
  check.that(kind, ("%s: type: %s, expected 'low', 'high', 'band' or 'stop'"):format(where, tostring(options.type)))
  local edges = edgesOf(where, cutoff, options, kind == 'band' or kind == 'stop')
  check.that(taps % 2 == 1 or kind == 'low' or kind == 'band', ('%s: taps: %d, expected an odd number for %s'):format(where, taps, kind))
  local weights = options.window or require('signal.window').hamming(taps)
  check.that(weights:nElement() == taps, ('%s: window: %d weights, expected %d'):format(where, weights:nElement(), taps))
  local low, high = { 0, edges[1] }, { edges[#edges], 1 }
  local passes = ({ low = { low }, high = { high }, band = { edges }, stop = { low, high } })[kind]
  local h, middle, total = torch.DoubleTensor(taps), (taps - 1) / 2, 0
  local first = passes[1]
  local full = first[1] == 0 and 0 or first[2] == 1 and 1 or (first[1] + first[2]) / 2      -- the frequency with gain 1
  for i = 0, taps - 1 do
    local t, value = i - middle, 0
    for _, pass in ipairs(passes) do value = value + pass[2] * sinc(pass[2] * t) - pass[1] * sinc(pass[1] * t) end
    h[i + 1] = value * weights[i + 1]
    total = total + h[i + 1] * math.cos(math.pi * t * full)
  end
  return h / total
end

return design
