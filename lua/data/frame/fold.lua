--- Sums and variances of windows that move over rows, by additions alone: nothing cancels, and no rounding, overflow or large number
-- outlasts its window. A window is the end of a run of rows, of whose ends from each row on the state is stored, and the rows after it.
-- Source: the two stacks of Tangwongsan, Hirzel and Schneider (2017), "Low-latency sliding-window aggregation in worst-case constant time".
-- @module data.frame.fold
local torch = require 'torch'
local loops = require 'data.frame.loops'

local fold = {}

local nan = 0 / 0

--- Calls a function for the window of each row.
-- @tparam table windows `window`, number of rows or length of time; `ahead`, number of rows after the row; `minimum`, the number
-- of values below which a result is NaN; and `times` of the rows
-- @tparam torch.DoubleTensor x missing and infinite values are left out
-- @tparam torch.DoubleTensor result
-- @tparam table state `reset()`, `add(value, count)`, `keep(row)`, and `value(count, row, before, own)` of the `own` values added since
-- `reset` and, unless the row is nil, the `before` values kept for it
function fold.each(windows, x, result, state)
  local n, window, ahead, minimum, times = x:nElement(), windows.window, windows.ahead, windows.minimum, windows.times
  local reset, add, keep, value = state.reset, state.add, state.keep, state.value
  local counts = loops.ints(n)
  local p, r, c, t = x:data(), result:data(), counts:data(), times and times:data()
  local left, middle, right, own = 0, 0, -1, 0      -- the first row of the window, the first one after the kept ones, and the last one
  reset()
  for i = 0, n - 1 do
    for row = right + 1, math.min(i + ahead, n - 1) do
      local new = p[row]
      if new - new == 0 then
        own = own + 1
        add(new, own)
      end
      right = row
    end
    if t then
      while left < i and t[left] <= t[i] - window do left = left + 1 end
    else
      left = math.max(0, i + ahead - window + 1)
    end
    if left > middle then
      own = 0
      reset()
      for row = right, left, -1 do
        local old = p[row]
        if old - old == 0 then
          own = own + 1
          add(old, own)
        end
        keep(row)
        c[row] = own
      end
      middle, own = right + 1, 0
      reset()
    end
    if left < middle then
      local before = c[left]
      if before + own >= minimum then r[i] = value(before + own, left, before, own) else r[i] = nan end
    elseif own >= minimum then
      r[i] = value(own, nil, 0, own)
    else
      r[i] = nan
    end
  end
end

local function doubles(n)
  local x = torch.DoubleTensor():resize(n)
  return x:data(), x
end

local function nothing() end

-- Returns a sum, and what its rounding loses.
local function twoSum(a, b)
  local total = a + b
  local part = total - a
  return total, (a - (total - part)) + (b - part)
end

--- The state of numbers of values, as for `each`.
function fold.counts() return { reset = nothing, add = nothing, keep = nothing, value = function(count) return count end } end

--- The state of sums, as for `each`: what roundings lose is added at the end (Neumaier 1974).
-- @int n number of rows
-- @tparam function of of a sum and the number of its values; returns the result
-- @treturn table
function fold.sums(n, of)
  local highs, highsKept = doubles(n)
  local lows, lowsKept = doubles(n)
  local sum, lost = 0, 0
  return {
    kept = { highsKept, lowsKept },
    reset = function() sum, lost = 0, 0 end,
    add = function(x)
      local rest
      sum, rest = twoSum(sum, x)
      lost = lost + rest
    end,
    keep = function(row) highs[row], lows[row] = sum, lost end,
    value = function(count, row)
      local total, rest = sum, lost
      if row then
        total, rest = twoSum(sum, highs[row])
        rest = lost + lows[row] + rest
      end
      if total - total ~= 0 then return of(total, count) end      -- too large a sum
      return of(total + rest, count)
    end,
  }
end

--- The state of variances with n - 1, as for `each`: means and sums of squared distances from them, by Welford's update, and put together.
-- Source: Chan, Golub and LeVeque (1983), "Algorithms for computing the sample variance".
-- @int n number of rows
-- @tparam function of of a variance; returns the result
-- @treturn table
function fold.variances(n, of)
  local means, meansKept = doubles(n)
  local squares, squaresKept = doubles(n)
  local mean, square = 0, 0
  return {
    kept = { meansKept, squaresKept },
    reset = function() mean, square = 0, 0 end,
    add = function(x, count)
      local distance = x - mean
      mean = mean + distance / count
      square = square + distance * (x - mean)
    end,
    keep = function(row) means[row], squares[row] = mean, square end,
    value = function(count, row, before, own)
      if count < 2 then return nan end
      local total = square
      if row then
        total = total + squares[row]
        if before > 0 and own > 0 then
          local distance = mean - means[row]
          total = total + distance * distance * (before / count * own)
        end
      end
      return of(total / (count - 1))
    end,
  }
end

return fold
