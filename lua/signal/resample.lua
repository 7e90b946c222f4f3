--- Signals at other sampling rates.
-- @module signal.resample
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'
local padded = require('signal.conv').padded

local resample = {}

local oneDim = 'Input has to be 1D tensor'

--- The signal with another number of points over the same time, resampled by its frequencies: exact for signals with period N.
-- @tparam torch.Tensor x N
-- @int count
-- @treturn torch.Tensor count
function resample.resample(x, count)
  local where = 'signal.resample'
  checks.dims(where, 'x', x, 1, oneDim)
  check.int(where, 'count', count, { min = 1 })
  local n = x:size(1)
  local y, least = torch.fft_r2c(x), math.min(n, count)
  local kept, wanted = math.floor(least / 2) + 1, math.floor(count / 2) + 1
  y = torch.narrow(y, 1, 1, kept)
  if least % 2 == 0 and n ~= count then      -- the middle frequency represents two frequencies in one of the spectra
    local last = torch.mul(torch.narrow(y, 1, kept, 1), count < n and 2 or 0.5)
    y = kept > 1 and torch.cat(torch.narrow(y, 1, 1, kept - 1), last, 1) or last
  end
  if wanted > kept then y = torch.cat(y, x.new(wanted - kept, 2):zero(), 1) end
  return torch.mul(torch.fft_c2r(y, 1, 'none', count), 1 / n)
end

local function divisor(a, b) return b == 0 and a or divisor(b, a % b) end

-- The signal at up / down of its rate by the filter h with an odd number of points: inserts zeros, filters, and drops points.
local function byFilter(x, up, down, h)
  local n, half = x:size(1), (h:size(1) - 1) / 2
  local count = math.ceil(n * up / down)
  -- Result m is the sum over j of h[half + m down - j up] x[j], from 0: all m = r + up t have the same coefficients, one filter.
  local parts, longest = {}, math.ceil(count / up)
  for r = 0, up - 1 do
    local first, last = math.ceil((r * down - half) / up), math.floor((r * down + half) / up)
    local taps = {}
    for j = first, last do taps[#taps + 1] = half + r * down - j * up + 1 end
    local kernel = torch.index(h, 1, torch.LongTensor(taps))
    local final = last + (longest - 1) * down
    local piece = padded(x, math.max(0, -first), math.max(0, final - n + 1))
    if first > 0 then piece = torch.narrow(piece, 1, first + 1, piece:size(1) - first) end
    local y = torch.conv1d(torch.view(torch.contiguous(piece), 1, -1), kernel:view(1, 1, -1), nil, down)
    parts[r + 1] = torch.narrow(torch.view(y, -1), 1, 1, longest)
  end
  return torch.narrow(torch.reshape(torch.stack(parts, 2), longest * up), 1, 1, count)
end

--- The signal at up / down of its rate: inserts zeros, applies an FIR filter (Kaiser's window, beta 5), and drops points.
-- @tparam torch.Tensor x N
-- @int up
-- @int down
-- @treturn torch.Tensor ceil(N up / down) points
function resample.resample_poly(x, up, down)
  local where = 'signal.resample_poly'
  checks.dims(where, 'x', x, 1, oneDim)
  check.int(where, 'up', up, { min = 1 })
  check.int(where, 'down', down, { min = 1 })
  local common = divisor(up, down)
  up, down = up / common, down / common
  if up == 1 and down == 1 then return torch.clone(x) end
  local length = 20 * math.max(up, down) + 1
  local window = require('signal.window').kaiser(length, 5)
  local h = require('signal.design').firwin(length, 1 / math.max(up, down), { window = window }) * up
  return byFilter(x, up, down, torch.to(h, x:type()))
end

local function everyOf(x, q) return torch.contiguous(torch.select(x:unfold(1, 1, q), 2, 1)) end

local function byFeedback(x, q, order, zeroPhase)
  local sos = require('signal.design').cheby1(order or 8, 0.05, 0.8 / q, { form = 'sos' })
  local filters = require 'signal.filter'
  return everyOf((zeroPhase and filters.sosfiltfilt or filters.sosfilt)(sos, x), q)
end

local function byWindow(x, q, order, zeroPhase)
  local h = torch.to(require('signal.design').firwin((order or 20 * q) + 1, 1 / q), x:type())
  if zeroPhase and h:size(1) % 2 == 1 then return byFilter(x, 1, q, h) end
  local y = require('signal.filter').lfilter(h:double(), { 1 }, x)
  return everyOf(y, q)
end

--- Every q-th point of a signal, after a filter that removes the frequencies above the new limit.
-- @tparam torch.Tensor x N
-- @int q
-- @tparam[opt] table options
--
-- - `kind`: 'iir' (default), a Chebyshev filter of `order` 8 with 0.05 dB of ripple up to 0.8 of the new limit; or 'fir', a Hamming window
-- of `order` 20 q
-- - `order`: of the filter; even for 'fir' without delay
-- - `zeroPhase`: whether to avoid a delay (true)
-- @treturn torch.Tensor ceil(N / q) points
function resample.decimate(x, q, options)
  local where = 'signal.decimate'
  checks.dims(where, 'x', x, 1, oneDim)
  check.int(where, 'q', q, { min = 1 })
  options = check.options(where, options, { 'kind', 'order', 'zeroPhase' })
  local order = options.order and check.int(where, 'order', options.order, { min = 1 })
  local kind, zeroPhase = options.kind or 'iir', check.flag(where, 'zeroPhase', options.zeroPhase) ~= false
  check.that(kind == 'iir' or kind == 'fir', ("%s: kind: %s, expected 'iir' or 'fir'"):format(where, tostring(kind)))
  check.that(kind == 'iir' or not zeroPhase or not order or order % 2 == 0,
    ('%s: order: %s, expected an even number'):format(where, tostring(order)))
  if q == 1 then return torch.clone(x) end
  return (kind == 'iir' and byFeedback or byWindow)(x, q, order, zeroPhase)
end

return resample
