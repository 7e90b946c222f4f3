--- Sums, variances and extremes of windows that move over rows, by additions alone: nothing cancels, and no rounding, overflow or large
-- number outlasts its window. A window is the end of a run of rows, of whose ends from each row on the state is stored, and the rows after.
-- Source: the two stacks of Tangwongsan, Hirzel and Schneider (2017), "Low-latency sliding-window aggregation in worst-case constant time".
-- Loops are made of the texts below for each statistic, so that LuaJIT keeps its state in registers.
-- @module data.frame.fold
local torch = require 'torch'
local loops = require 'data.frame.loops'

local fold = {}

-- Windows of a number of rows. The runs are blocks as long as a window, and the kept states those of the block before.
local rows = [[
local n, window, ahead, minimum, p, r, c, a, b = ...
local nan, huge, min, max, sqrt = 0 / 0, math.huge, math.min, math.max, math.sqrt
local s, l
for start = 0, n + ahead - 1, window do
  local own = 0
  s, l = $start, 0
  for k = 0, min(window, n + ahead - start) - 1 do
    local last = start + k
    if last < n then
      local x = p[last]
      if x - x == 0 then
        own = own + 1
        $add
      end
    end
    if last >= ahead then
      local at = k + 1
      local before = c[at]
      local count = before + own
      if count >= minimum then
        $value
        r[last - ahead] = v
      else
        r[last - ahead] = nan
      end
    end
  end
  own, s, l = 0, $start, 0
  for k = min(window, n - start) - 1, 0, -1 do
    local x = p[start + k]
    if x - x == 0 then
      own = own + 1
      $add
    end
    c[k], a[k], b[k] = own, s, l
  end
  for k = max(0, n - start), window - 1 do c[k], a[k], b[k] = 0, $start, 0 end
end]]

-- Windows of a length of time. The runs end when the window has left them.
local times = [[
local n, window, t, minimum, p, r, c, a, b = ...
local nan, huge, min, max, sqrt = 0 / 0, math.huge, math.min, math.max, math.sqrt
local left, middle, own, s, l = 0, 0, 0, $start, 0      -- the first row of the window, and the first one after the kept ones
for i = 0, n - 1 do
  local x, first = p[i], t[i] - window
  if x - x == 0 then
    own = own + 1
    $add
  end
  if left < i and t[left] <= first then
    left = left + 1
    while left < i and t[left] <= first do left = left + 1 end      -- seldom, so not part of the usual path
  end
  if left > middle then
    own, s, l = 0, $start, 0
    for row = i, left, -1 do
      local x = p[row]
      if x - x == 0 then
        own = own + 1
        $add
      end
      c[row], a[row], b[row] = own, s, l
    end
    middle, own, s, l = i + 1, 0, $start, 0
  end
  local at = left < middle and left or n
  local before = c[at]
  local count = before + own
  if count >= minimum then
    $value
    r[i] = v
  else
    r[i] = nan
  end
end]]

-- Sums `s`; what roundings lose is `l`, which is added at the end (Neumaier 1974).
local sums = {
  add = [[local total = s + x
    local part = total - s
    l = l + ((s - (total - part)) + (x - part))
    s = total]],
  value = [[local other = a[at]
    local v = s + other
    local part = v - s
    if v - v == 0 then v = v + (l + b[at] + ((s - (v - part)) + (other - part))) end
    $of]],
}

-- Means `s` and sums of squared distances from them `l`, by Welford's update, and put together.
-- Source: Chan, Golub and LeVeque (1983), "Algorithms for computing the sample variance".
local variances = {
  add = [[local distance = x - s
    s = s + distance / own
    l = l + distance * (x - s)]],
  value = [[local v = nan
    if count >= 2 then
      v = l + b[at]
      if before > 0 and own > 0 then
        local distance = s - a[at]
        v = v + distance * distance * (before / count * own)
      end
      v = v / (count - 1)
      $of
    end]],
}

-- Extremes `s`.
local function extremes(name)
  return { add = ('s = %s(s, x)'):format(name), value = ('local v = count > 0 and %s(s, a[at]) or nan'):format(name) }
end

local statistics = {
  sum = { state = sums, of = '' }, mean = { state = sums, of = 'v = v / count' },
  var = { state = variances, of = '' }, std = { state = variances, of = 'v = sqrt(v)' },
  count = { state = { add = '', value = 'local v = count' }, of = '' },
  min = { state = extremes 'min', of = '', start = math.huge }, max = { state = extremes 'max', of = '', start = -math.huge },
}

local compiled = {}

-- The loop of a statistic.
local function loopOf(name, source)
  local key = name .. (source == times and ' of times' or '')
  if not compiled[key] then
    local found = statistics[name]
    local text = source:gsub('%$add', (found.state.add:gsub('%%', '%%%%'))):gsub('%$value', (found.state.value:gsub('%%', '%%%%')))
    local start = not found.start and '0' or found.start > 0 and 'huge' or '-huge'
    compiled[key] = assert(loadstring((text:gsub('%$of', found.of):gsub('%$start', start)), '=fold'))
  end
  return compiled[key]
end

--- Computes a statistic of the window of each row.
-- @string name 'sum', 'mean', 'var', 'std' (with n - 1), 'min', 'max' or 'count'
-- @tparam table windows `window`, number of rows or length of time; `ahead`, number of rows after the row; `minimum`, the number of values
-- below which a result is NaN; and `times` of the rows
-- @tparam torch.DoubleTensor x missing and infinite values are left out
-- @tparam torch.DoubleTensor result
function fold.run(name, windows, x, result)
  local n, ahead = x:nElement(), windows.ahead
  if n == 0 then return end
  local window = windows.times and windows.window or math.min(windows.window, n + ahead)
  local kept = (windows.times and n or window) + 1
  local counts, second = loops.ints(kept):zero(), torch.DoubleTensor(kept):zero()
  local first = torch.DoubleTensor(kept):fill(statistics[name].start or 0)
  local third = windows.times and windows.times:data() or ahead
  loopOf(name, windows.times and times or rows)(n, window, third, windows.minimum, x:data(), result:data(), counts:data(), first:data(),
    second:data())
end

return fold
