--- Peaks of a signal, by their height, distance, prominence and width. These functions are not on the tape.
-- The rules are those of SciPy; positions count from 1.
-- @module signal.peaks
local ffi, torch, C = require 'ffi', require 'torch', require 'libmoontorch'
local check, checks = require 'torch.check', require 'signal.check'

local peaks = {}

local doubles = ffi.typeof 'double[?]'

-- The signal as an array of doubles, by position from 0.
local function values(where, x)
  checks.dims(where, 'x', x, 1, 'Input has to be 1D tensor')
  local host, n = C.lend(C.onHost(x:detach()):double():contiguous()), x:size(1)
  local copy = doubles(n)
  ffi.copy(copy, host:data(), n * ffi.sizeof 'double')
  return copy, n
end

-- Points higher than both neighbours. For a plateau, its middle, rounded down; the ends of a signal are not peaks.
local function maxima(v, n)
  local found, i = {}, 1
  while i < n - 1 do
    if v[i - 1] < v[i] then
      local after = i + 1
      while after < n - 1 and v[after] == v[i] do after = after + 1 end
      if v[after] < v[i] then
        found[#found + 1] = { at = math.floor((i + after - 1) / 2), left = i, right = after - 1 }
        i = after
      end
    end
    i = i + 1
  end
  return found
end

-- Converts a bound: a number is the minimum; {minimum, maximum} sets both, either of which may be nil or false.
local function bounds(where, name, bound)
  if type(bound) == 'number' then return bound, math.huge end
  if type(bound) ~= 'table' then
    check.raise(('%s: %s: a %s, expected a number or {least, greatest}'):format(where, name, torch.type(bound)))
  end
  if #bound > 2 then check.raise(('%s: %s: a list of %d, expected a number or {least, greatest}'):format(where, name, #bound)) end
  for i = 1, 2 do
    if bound[i] then check.number(where, name, bound[i]) end
  end
  return bound[1] or -math.huge, bound[2] or math.huge
end

-- The peaks whose value from `of` is within bounds.
local function within(where, name, bound, list, of)
  if bound == nil then return list end
  local least, greatest = bounds(where, name, bound)
  local kept = {}
  for _, peak in ipairs(list) do
    local value = of(peak)
    if least <= value and value <= greatest then kept[#kept + 1] = peak end
  end
  return kept
end

-- Removes peaks nearer than `distance` to a higher peak, beginning at the highest.
local function apart(v, list, distance)
  local order, removed = {}, {}
  for i = 1, #list do order[i] = i end
  table.sort(order, function(a, b)
    local x, y = v[list[a].at], v[list[b].at]
    if x ~= y then return x > y end
    return a > b
  end)
  for _, i in ipairs(order) do
    if not removed[i] then
      for _, step in ipairs { -1, 1 } do
        local k = i + step
        while list[k] and math.abs(list[k].at - list[i].at) < distance do
          removed[k] = true
          k = k + step
        end
      end
    end
  end
  local kept = {}
  for i, peak in ipairs(list) do
    if not removed[i] then kept[#kept + 1] = peak end
  end
  return kept
end

-- The lowest point between a peak and the next higher one, or the end, in a direction; the first one of several.
local function base(v, at, last, step)
  local lowest, i = at, at
  while i ~= last + step and v[i] <= v[at] do
    if v[i] < v[lowest] then lowest = i end
    i = i + step
  end
  return lowest
end

local function setProminence(v, n, peak, reach)
  local first, last = 0, n - 1
  if reach then
    first, last = math.max(0, peak.at - reach), math.min(n - 1, peak.at + reach)
  end
  peak.leftBase, peak.rightBase = base(v, peak.at, first, -1), base(v, peak.at, last, 1)
  peak.prominence = v[peak.at] - math.max(v[peak.leftBase], v[peak.rightBase])
end

-- The position where the signal falls to a height between a peak and its base, interpolated linearly.
local function crossing(v, at, last, height, step)
  local i = at
  while i ~= last and height < v[i] do i = i + step end
  if v[i] < height then return i - step * (height - v[i]) / (v[i - step] - v[i]) end
  return i
end

local function setWidth(v, peak, share)
  local height = v[peak.at] - peak.prominence * share
  peak.widthHeight = height
  peak.leftPosition = crossing(v, peak.at, peak.leftBase, height, -1)
  peak.rightPosition = crossing(v, peak.at, peak.rightBase, height, 1)
  peak.width = peak.rightPosition - peak.leftPosition
end

-- The number of points on either side within the option wlen.
local function reachOf(where, wlen)
  return wlen and math.floor(math.ceil(check.number(where, 'wlen', wlen, { min = 1.0000001 })) / 2)
end

local function shareOf(where, relHeight) return check.number(where, 'relHeight', relHeight or 0.5, { min = 0 }) end

-- A column of the result: positions, from 1, or values.
local function column(list, field, isPosition)
  local made = isPosition and torch.LongTensor(#list) or torch.DoubleTensor(#list)
  for i, peak in ipairs(list) do made[i] = peak[field] + (isPosition and 1 or 0) end
  return made
end

local function withProminences(list)
  return column(list, 'prominence'), column(list, 'leftBase', true), column(list, 'rightBase', true)
end

local function withWidths(list)
  return column(list, 'width'), column(list, 'widthHeight'), column(list, 'leftPosition') + 1, column(list, 'rightPosition') + 1
end

local optionNames = { 'height', 'threshold', 'distance', 'prominence', 'width', 'wlen', 'relHeight', 'plateauSize' }

--- The peaks of a signal: points higher than both neighbours, and the middles of plateaus. NaN is not a peak.
-- A bound is a number, the minimum, or {minimum, maximum}; `{}` requests the numbers without a bound.
-- @tparam torch.Tensor x N
-- @tparam[opt] table options
--
-- - `height`: a bound of the peak's value
-- - `threshold`: a bound of the difference to the neighbour with the nearer value
-- - `distance`: minimum number of points between peaks, 1 or more; lower peaks are removed
-- - `prominence`: a bound of the height above the higher of its bases, the lowest points towards a higher peak on either side
-- - `width`: a bound of the width at `relHeight` (0.5) of its prominence below the peak
-- - `wlen`: number of points around the peak in which to search its bases
-- - `plateauSize`: a bound of the number of points of a plateau
-- @treturn torch.LongTensor positions, from 1
-- @treturn table tensors with one element per peak: heights; with threshold leftThresholds and rightThresholds; with prominence or width
-- prominences, leftBases, rightBases; with width widths, widthHeights, leftPositions, rightPositions; with plateauSize plateauSizes,
-- leftEdges, rightEdges
-- @usage signal.findPeaks(torch.Tensor { 0, 2, 1, 3, 0 })        --> 2, 4
function peaks.findPeaks(x, options)
  local where = 'signal.findPeaks'
  options = check.options(where, options, optionNames)
  local v, n = values(where, x)
  local list = maxima(v, n)
  list = within(where, 'plateauSize', options.plateauSize, list, function(peak) return peak.right - peak.left + 1 end)
  list = within(where, 'height', options.height, list, function(peak) return v[peak.at] end)
  if options.threshold ~= nil then
    local least, greatest = bounds(where, 'threshold', options.threshold)
    for _, peak in ipairs(list) do peak.leftDrop, peak.rightDrop = v[peak.at] - v[peak.at - 1], v[peak.at] - v[peak.at + 1] end
    list = within(where, 'threshold', { least }, list, function(peak) return math.min(peak.leftDrop, peak.rightDrop) end)
    list = within(where, 'threshold', { nil, greatest }, list, function(peak) return math.max(peak.leftDrop, peak.rightDrop) end)
  end
  if options.distance ~= nil then
    list = apart(v, list, math.ceil(check.number(where, 'distance', options.distance, { min = 1 })))
  end
  local hasWidth = options.width ~= nil
  local hasProminence = hasWidth or options.prominence ~= nil
  if hasProminence then
    local reach = reachOf(where, options.wlen)
    for _, peak in ipairs(list) do setProminence(v, n, peak, reach) end
    list = within(where, 'prominence', options.prominence, list, function(peak) return peak.prominence end)
  end
  if hasWidth then
    local share = shareOf(where, options.relHeight)
    for _, peak in ipairs(list) do setWidth(v, peak, share) end
    list = within(where, 'width', options.width, list, function(peak) return peak.width end)
  end
  for _, peak in ipairs(list) do peak.height, peak.size = v[peak.at], peak.right - peak.left + 1 end
  local found = { heights = column(list, 'height') }
  if options.threshold ~= nil then
    found.leftThresholds, found.rightThresholds = column(list, 'leftDrop'), column(list, 'rightDrop')
  end
  if hasProminence then found.prominences, found.leftBases, found.rightBases = withProminences(list) end
  if hasWidth then found.widths, found.widthHeights, found.leftPositions, found.rightPositions = withWidths(list) end
  if options.plateauSize ~= nil then
    found.plateauSizes, found.leftEdges, found.rightEdges = column(list, 'size'), column(list, 'left', true), column(list, 'right', true)
  end
  return column(list, 'at', true), found
end

-- The peaks at positions from a program.
local function given(where, positions, n)
  check.tensor(where, 'peaks', positions)
  local list = {}
  for i, position in ipairs(positions:totable()) do
    if not (position >= 1 and position <= n and position % 1 == 0) then
      check.raise(('%s: peaks: position %s, expected 1 to %d'):format(where, position, n))
    end
    list[i] = { at = position - 1 }
  end
  return list
end

--- The prominence of peaks: their height above the higher of their bases, the lowest points towards a higher peak on either side.
-- @tparam torch.Tensor x N
-- @tparam torch.LongTensor positions from `findPeaks`
-- @number[opt] wlen number of points around the peak in which to search its bases; default: all
-- @treturn torch.DoubleTensor prominences
-- @treturn torch.LongTensor positions of the left bases
-- @treturn torch.LongTensor positions of the right bases
function peaks.peakProminences(x, positions, wlen)
  local where = 'signal.peakProminences'
  local v, n = values(where, x)
  local list, reach = given(where, positions, n), reachOf(where, wlen)
  for _, peak in ipairs(list) do setProminence(v, n, peak, reach) end
  return withProminences(list)
end

--- The widths of peaks.
-- @tparam torch.Tensor x N
-- @tparam torch.LongTensor positions from `findPeaks`
-- @number[opt=0.5] relHeight height of the width, as a fraction of the prominence below the peak
-- @number[opt] wlen as in `peakProminences`
-- @treturn torch.DoubleTensor widths, in points
-- @treturn torch.DoubleTensor heights of the widths
-- @treturn torch.DoubleTensor positions of the left ends, interpolated linearly
-- @treturn torch.DoubleTensor positions of the right ends
function peaks.peakWidths(x, positions, relHeight, wlen)
  local where = 'signal.peakWidths'
  local v, n = values(where, x)
  local list, reach, share = given(where, positions, n), reachOf(where, wlen), shareOf(where, relHeight)
  for _, peak in ipairs(list) do
    setProminence(v, n, peak, reach)
    setWidth(v, peak, share)
  end
  return withWidths(list)
end

return peaks
