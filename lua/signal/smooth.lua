--- Smoothing and trends: the Savitzky-Golay filter, medians, and detrending. All functions support the tape.
-- @module signal.smooth
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'

local smooth = {}

local function rowsOf(where, x)
  checks.signal(where, 'x', x)
  check.that((x:dim() == 1 or x:dim() == 2) and x:nElement() > 0, where .. ': x: expected a signal, or rows of them')
  return x:dim() == 1 and torch.view(torch.contiguous(x), 1, -1) or x
end

local function factorial(n) return n < 2 and 1 or n * factorial(n - 1) end

-- Weights of `window` points: the weighted sum is the derivative at point `at` (from 0) of the best fitting polynomial.
-- The fit uses an orthonormal basis of the powers of positions, scaled to -1..1 around the point.
local function weightsAt(window, order, at, deriv, delta)
  local scale = math.max(at, window - 1 - at, 1)
  local t = (torch.range(0, window - 1):double() - at) / scale
  local powers = torch.DoubleTensor(window, order + 1)
  for k = 0, order do powers:select(2, k + 1):copy(torch.pow(t, k)) end
  local wanted = torch.DoubleTensor(order + 1, 1):zero()
  if deriv <= order then wanted[deriv + 1][1] = factorial(deriv) / (delta * scale) ^ deriv end
  local q, r = torch.qr(powers)
  return torch.view(q * torch.trtrs(wanted, r:t():contiguous(), 'L'), -1)
end

local modes = { interp = true, mirror = true, nearest = true, constant = true, wrap = true }

local function checkFit(where, window, order, deriv, delta)
  check.int(where, 'window', window, { min = 1 })
  check.that(window % 2 == 1, ('%s: window: %d, expected an odd number'):format(where, window))
  check.int(where, 'order', order, { min = 0 })
  check.that(order < window, ('%s: order: %d, expected less than the window, %d'):format(where, order, window))
  return check.int(where, 'deriv', deriv or 0, { min = 0 }), check.number(where, 'delta', delta or 1)
end

--- The weights of the Savitzky-Golay filter, in the order of a window's points.
-- @int window number of points, odd
-- @int order of the polynomials, less than the window
-- @int[opt=0] deriv order of the derivative
-- @number[opt=1] delta distance of the points
-- @treturn torch.DoubleTensor window
function smooth.savgolWeights(window, order, deriv, delta)
  deriv, delta = checkFit('signal.savgolWeights', window, order, deriv, delta)
  return weightsAt(window, order, (window - 1) / 2, deriv, delta)
end

local function lastPart(x, first, count) return torch.narrow(x, 2, first, count) end

-- Extends rows by `half` points at either end.
local function extended(x, half, mode, cval)
  if half == 0 then return x end
  local n = x:size(2)
  local before, after
  if mode == 'mirror' then
    before, after = torch.flip(lastPart(x, 2, half), 2), torch.flip(lastPart(x, n - half, half), 2)
  elseif mode == 'wrap' then
    before, after = lastPart(x, n - half + 1, half), lastPart(x, 1, half)
  elseif mode == 'nearest' then
    before, after = torch.expand(lastPart(x, 1, 1), x:size(1), half), torch.expand(lastPart(x, n, 1), x:size(1), half)
  else
    before = x.new(x:size(1), half):fill(cval)
    after = before
  end
  return torch.cat({ before, x, after }, 2)
end

-- Weighted sums of each window of the rows.
local function sums(x, weights)
  local kernel = torch.view(torch.to(weights, x:type()), 1, 1, -1)
  local y = torch.conv1d(torch.view(torch.contiguous(x), x:size(1), 1, -1), kernel)
  return torch.view(y, x:size(1), -1)
end

--- The Savitzky-Golay filter: at each point the value, or a derivative, of the polynomial that best fits the window around it.
-- Source: Savitzky & Golay (1964), "Smoothing and Differentiation of Data by Simplified Least Squares Procedures", Analytical Chemistry 36.
-- @tparam torch.Tensor x N, or rows of N
-- @int window number of points, odd
-- @int order of the polynomials, less than the window
-- @tparam[opt] table options
--
-- - `deriv`: order of the derivative (0)
-- - `delta`: distance of the points, for derivatives (1)
-- - `mode`: at the ends, 'interp' (default) uses the polynomials of the first and last window; others extend the signal: 'mirror' reflects
-- it at the last point, 'nearest' repeats that point, 'wrap' repeats the signal, 'constant' uses `cval` (0)
-- @treturn torch.Tensor as x
function smooth.savgol(x, window, order, options)
  local where = 'signal.savgol'
  local rows = rowsOf(where, x)
  options = check.options(where, options, { 'deriv', 'delta', 'mode', 'cval' })
  local deriv, delta = checkFit(where, window, order, options.deriv, options.delta)
  local mode, n, half = options.mode or 'interp', rows:size(2), (window - 1) / 2
  check.that(modes[mode], ("%s: mode: %s, expected 'interp', 'mirror', 'nearest', 'constant' or 'wrap'"):format(where, tostring(mode)))
  local least = mode == 'interp' and window or (mode == 'mirror' and half + 1 or mode == 'wrap' and half or 1)
  check.that(n >= least, ('%s: x: %d points, expected at least %d'):format(where, n, least))
  local weights = weightsAt(window, order, half, deriv, delta)
  local y
  if mode ~= 'interp' then
    y = sums(extended(rows, half, mode, check.number(where, 'cval', options.cval or 0)), weights)
  else
    y = sums(rows, weights)
    if half > 0 then
      local ends = torch.DoubleTensor(window, window - 1)
      for i = 0, half - 1 do
        ends:select(2, i + 1):copy(weightsAt(window, order, i, deriv, delta))
        ends:select(2, half + i + 1):copy(weightsAt(window, order, half + 1 + i, deriv, delta))
      end
      ends = torch.to(ends, x:type())
      local first = torch.mm(lastPart(rows, 1, window), ends:narrow(2, 1, half):contiguous())
      local last = torch.mm(lastPart(rows, n - window + 1, window), ends:narrow(2, half + 1, half):contiguous())
      y = torch.cat({ first, y, last }, 2)
    end
  end
  return x:dim() == 1 and torch.view(y, -1) or y
end

--- The median of a window around each point, with zeros beyond the ends.
-- @tparam torch.Tensor x N, or a picture H x W
-- @tparam[opt=3] int|table size of the window, odd; for a picture also {height, width}
-- @treturn torch.Tensor as x
function smooth.medfilt(x, size)
  local where = 'signal.medfilt'
  checks.signal(where, 'x', x)
  check.that((x:dim() == 1 or x:dim() == 2) and x:nElement() > 0, where .. ': x: expected a signal or a picture')
  local sizes = type(size) == 'table' and size or { size or 3, size or 3 }
  for d = 1, x:dim() do
    check.int(where, 'size', sizes[d], { min = 1 })
    check.that(sizes[d] % 2 == 1, ('%s: size: %d, expected an odd number'):format(where, sizes[d]))
  end
  local windows, count = x, 1
  for d = 1, x:dim() do
    local half = (sizes[d] - 1) / 2
    if half > 0 then
      local before = x:size()
      for earlier = 1, d - 1 do before[earlier] = windows:size(earlier) end
      before[d] = half
      local zeros = x.new(before):zero()
      windows = torch.cat({ zeros, windows, zeros }, d)
    end
    count = count * sizes[d]
  end
  for d = 1, x:dim() do windows = windows:unfold(d, sizes[d], 1) end
  local wanted = x:dim() == 1 and { x:size(1), count } or { x:size(1), x:size(2), count }
  local sorted = torch.sort(torch.reshape(windows, unpack(wanted)), x:dim() + 1)
  return torch.select(sorted, x:dim() + 1, (count + 1) / 2)
end

-- Rows minus their best fitting line, or their mean.
local function withoutTrend(rows, isLinear)
  local n = rows:size(2)
  local rest = torch.csub(rows, torch.expandAs(torch.mean(rows, 2), rows))
  if not isLinear or n < 2 then return rest end
  local t = torch.to(torch.range(1, n):double() - (n + 1) / 2, rows:type())
  local slope = torch.mul(torch.mm(rest, torch.view(t, n, 1)), 1 / t:dot(t))
  return torch.csub(rest, torch.mm(slope, torch.view(t, 1, n)))
end

--- The signal without its trend.
-- @tparam torch.Tensor x N, or rows of N
-- @string[opt='linear'] kind 'linear': subtracts the best fitting line; 'constant': subtracts the mean
-- @tparam[opt] table breaks positions at which a new line begins, in ascending order, each from 2 to N
-- @treturn torch.Tensor as x
function smooth.detrend(x, kind, breaks)
  local where = 'signal.detrend'
  local rows = rowsOf(where, x)
  kind = kind or 'linear'
  check.that(kind == 'linear' or kind == 'constant', ("%s: kind: %s, expected 'linear' or 'constant'"):format(where, tostring(kind)))
  breaks = torch.isTensor(breaks) and breaks:totable() or breaks or {}
  local n, first, parts = rows:size(2), 1, {}
  for i = 1, #breaks + 1 do
    local after = breaks[i] and check.int(where, 'breaks', breaks[i], { min = first + 1, max = n }) or n + 1
    parts[i] = withoutTrend(lastPart(rows, first, after - first), kind == 'linear')
    first = after
  end
  local y = #parts > 1 and torch.cat(parts, 2) or parts[1]
  return x:dim() == 1 and torch.view(y, -1) or y
end

return smooth
