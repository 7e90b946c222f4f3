--- Application of filters: difference equations, forward, and forward and backward.
-- @module signal.filter
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check, checks = require 'torch.check', require 'signal.check'
local padded = require('signal.conv').padded

local filter = {}

local doubles = ffi.typeof 'double *'

local function listed(where, name, x)
  if type(x) == 'table' then x = torch.DoubleTensor(x) end
  check.tensor(where, name, x)
  check.that(x:dim() == 1 and x:nElement() > 0, ('%s: %s: expected coefficients in one dimension'):format(where, name))
  return C.onHost(x:detach()):double()
end

-- Coefficients as two arrays of equal length, divided by the first of a.
local function coefficients(where, b, a)
  b, a = listed(where, 'b', b), listed(where, 'a', a)
  local first = a[1]
  check.that(first ~= 0, ('%s: a: 0 as the first coefficient, expected another number'):format(where))
  local n = math.max(b:size(1), a:size(1))
  local function whole(x) return padded(x / first, 0, n - x:size(1)):contiguous() end
  return whole(b), whole(a), n
end

-- Filters a row of n numbers with `order` delays, and updates the state z: direct form II, transposed.
local function run(x, y, n, b, a, z, order)
  if order == 0 then
    for i = 0, n - 1 do y[i] = b[0] * x[i] end
    return
  end
  for i = 0, n - 1 do
    local value = x[i]
    local result = b[0] * value + z[0]
    for k = 1, order - 1 do z[k - 1] = b[k] * value + z[k] - a[k] * result end
    z[order - 1] = b[order] * value - a[order] * result
    y[i] = result
  end
end

local function pointer(x) return ffi.cast(doubles, x:data()) end

-- Filters rows; z: (rows, order) doubles, updated.
local function filtered(b, a, x, z)
  local order, n = b:size(1) - 1, x:size(x:dim())
  local rows = x:nElement() / n
  local from = torch.to(C.onHost(x), 'torch.DoubleTensor'):contiguous()
  local to = torch.DoubleTensor(x:size())
  local keep = { C.lend(b), C.lend(a), C.lend(from), C.lend(to), C.lend(z) }
  local pb, pa, px, py, pz = pointer(keep[1]), pointer(keep[2]), pointer(keep[3]), pointer(keep[4]), pointer(keep[5])
  for row = 0, rows - 1 do run(px + row * n, py + row * n, n, pb, pa, pz + row * order, order) end
  return require 'autograd.on_device_of'(torch.to(to, x:type()), x)
end

local function stateOf(where, zi, rows, order)
  if zi == nil then return torch.DoubleTensor(rows, math.max(order, 1)):zero() end
  check.tensor(where, 'zi', zi)
  check.that(zi:nElement() == rows * order, ('%s: zi: %d numbers, expected %d'):format(where, zi:nElement(), rows * order))
  return order > 0 and C.onHost(zi:detach()):double():clone():view(rows, order) or torch.DoubleTensor(rows, 1)
end

local function backwards(x) return torch.flip(x, x:dim()) end

-- The filter without initial and final states, which the tape records: its adjoint is the filter on the reversed signal.
local onTape

local function plain(b, a, x)
  local n = x:size(x:dim())
  local order = b:size(1) - 1
  if not C.tracked(x) then return filtered(b, a, x, stateOf('', nil, x:nElement() / n, order)) end
  onTape = onTape or require 'autograd.function' {
    name = 'signal.lfilter',
    forward = function(ctx, y, ...)
      ctx.b, ctx.a = ...
      return filtered(ctx.b, ctx.a, y, stateOf('', nil, y:nElement() / y:size(y:dim()), ctx.b:size(1) - 1))
    end,
    backward = function(ctx, g) return backwards(plain(ctx.b, ctx.a, backwards(g))) end,
  }
  return onTape(x, b, a)
end

local function rowsOf(where, x)
  checks.signal(where, 'x', x)
  check.that((x:dim() == 1 or x:dim() == 2) and x:nElement() > 0, where .. ': x: expected a signal, or rows of them')
  return x:nElement() / x:size(x:dim())
end

--- A digital filter: a_1 y_n = b_1 x_n + b_2 x_(n - 1) + ... - a_2 y_(n - 1) - ... Gradients flow to x.
-- @param b coefficients, a tensor or a list
-- @param a coefficients; { 1 } for a filter without feedback
-- @tparam torch.Tensor x N, or rows of N; computed in doubles
-- @tparam[opt] torch.Tensor zi state before the first element, one number fewer than coefficients, for each row; with it the call is not
-- recorded on the tape
-- @treturn torch.Tensor as x
-- @treturn ?torch.Tensor with zi: the state after the last element, for the next part of the signal
function filter.lfilter(b, a, x, zi)
  local where = 'signal.lfilter'
  local rows = rowsOf(where, x)
  local numerator, denominator, n = coefficients(where, b, a)
  if zi == nil then return plain(numerator, denominator, x) end
  local z = stateOf(where, zi, rows, n - 1)
  local y = filtered(numerator, denominator, x:detach(), z)
  return y, z
end

-- The steady state of a filter for a constant signal of ones.
local function steady(b, a)
  local order = b:size(1) - 1
  -- z_k = z_(k + 1) + b_(k + 1) - a_(k + 1) y, y = sum(b) / sum(a)
  local y, z, after = b:sum() / a:sum(), torch.DoubleTensor(math.max(order, 1)):zero(), 0
  for k = order, 1, -1 do
    after = after + b[k + 1] - a[k + 1] * y
    z[k] = after
  end
  return z
end

-- Filters with the steady state of the first element as the initial state.
local function settled(b, a, x)
  local zero = torch.DoubleTensor(x:size(1)):zero()
  local response = torch.to(filtered(b, a, zero, steady(b, a):view(1, -1)), x:type())
  local first = torch.narrow(x, 1, 1, 1)
  return torch.add(plain(b, a, x), torch.cmul(torch.expand(first, x:size(1)), require 'autograd.on_device_of'(response, x)))
end

-- Extends the signal by point reflections about its first and last points.
local function extended(x, pad)
  if pad == 0 then return x end
  local n = x:size(1)
  local function mirrored(from, around)
    return torch.csub(torch.expand(torch.mul(torch.narrow(x, 1, around, 1), 2), pad), torch.flip(torch.narrow(x, 1, from, pad), 1))
  end
  return torch.cat({ mirrored(2, 1), x, mirrored(n - pad, n) }, 1)
end

--- Filters forward and then backward, without delay; the filter's gain applies twice. The ends are extended by point reflections about
-- the first and the last point, by 3 times the number of coefficients. Gradients flow to x.
-- @param b coefficients, a tensor or a list
-- @param a coefficients
-- @tparam torch.Tensor x N
-- @treturn torch.Tensor N
function filter.filtfilt(b, a, x)
  local where = 'signal.filtfilt'
  checks.dims(where, 'x', x, 1, 'Input has to be 1D tensor')
  local numerator, denominator, count = coefficients(where, b, a)
  local pad, n = 3 * count, x:size(1)
  check.that(n > pad, ('%s: x: %d points, expected more than %d'):format(where, n, pad))
  local forward = settled(numerator, denominator, extended(x, pad))
  local both = backwards(settled(numerator, denominator, backwards(forward)))
  return torch.narrow(both, 1, pad + 1, n)
end

--- Applies second-order filters in series, which are precise where a single filter of high order is not. Gradients flow to x.
-- @tparam torch.Tensor sos sections x 6: b_1 b_2 b_3 a_1 a_2 a_3 each, as from filter designs with form = 'sos'
-- @tparam torch.Tensor x N, or rows of N
-- @treturn torch.Tensor as x
function filter.sosfilt(sos, x)
  local where = 'signal.sosfilt'
  check.tensor(where, 'sos', sos)
  check.that(sos:dim() == 2 and sos:size(2) == 6, where .. ': sos: expected a tensor of size sections x 6')
  rowsOf(where, x)
  for section = 1, sos:size(1) do
    local b, a = coefficients(where, sos[section]:narrow(1, 1, 3), sos[section]:narrow(1, 4, 3))
    x = plain(b, a, x)
  end
  return x
end

--- Applies second-order sections forward and then backward, without delay; see `filtfilt`. Gradients flow to x.
-- @tparam torch.Tensor sos sections x 6
-- @tparam torch.Tensor x N
-- @treturn torch.Tensor N
function filter.sosfiltfilt(sos, x)
  local where = 'signal.sosfiltfilt'
  check.tensor(where, 'sos', sos)
  check.that(sos:dim() == 2 and sos:size(2) == 6, where .. ': sos: expected a tensor of size sections x 6')
  checks.dims(where, 'x', x, 1, 'Input has to be 1D tensor')
  local count, n = sos:size(1), x:size(1)
  local function zerosIn(i) return torch.eq(sos:select(2, i), 0):sum() end
  local pad = 3 * (2 * count + 1 - math.min(zerosIn(3), zerosIn(6)))
  check.that(n > pad, ('%s: x: %d points, expected more than %d'):format(where, n, pad))
  local sections = {}
  for i = 1, count do sections[i] = { coefficients(where, sos[i]:narrow(1, 1, 3), sos[i]:narrow(1, 4, 3)) } end
  local y = extended(x, pad)
  for _ = 1, 2 do
    for _, section in ipairs(sections) do y = settled(section[1], section[2], y) end
    y = backwards(y)
  end
  return torch.narrow(y, 1, pad + 1, n)
end

--- The frequency response of a filter. Not on the tape.
-- @param b coefficients, a tensor or a list
-- @param[opt={ 1 }] a coefficients
-- @int[opt=512] n number of frequencies, from 0 to pi exclusive
-- @treturn torch.Tensor n angles per point, 0 .. pi
-- @treturn torch.Tensor n x 2 complex factors
function filter.freqz(b, a, n)
  local where = 'signal.freqz'
  n = check.int(where, 'n', n or 512, { min = 1 })
  local numerator, denominator, count = coefficients(where, b, a or { 1 })
  local angles = torch.range(0, n - 1):double() * (math.pi / n)
  local turn = torch.ger(angles, torch.range(0, count - 1):double())
  local cos, sin = torch.cos(turn), torch.sin(turn)
  local br, bi, ar, ai = cos * numerator, sin * numerator * -1, cos * denominator, sin * denominator * -1
  local size = torch.cmul(ar, ar) + torch.cmul(ai, ai)
  local re = torch.cdiv(torch.cmul(br, ar) + torch.cmul(bi, ai), size)
  local im = torch.cdiv(torch.cmul(bi, ar) - torch.cmul(br, ai), size)
  return angles, torch.stack({ re, im }, 2)
end

return filter
