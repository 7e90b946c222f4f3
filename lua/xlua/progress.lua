--- A progress bar on one line of the terminal, and times as short text.
-- @module xlua.progress
local check = require 'torch.check'
local clock = require 'torch.clock'
local drawing = require 'xlua.drawing'

local progress = {}
local widest, beside = 120, 34      -- columns: the maximum, and those next to the bar

--- A time with at most two units: '1D2h', '3h5m', '2m1s', '4s250ms', '12ms'; fractions of a millisecond are cut.
-- @number seconds
-- @treturn string
function progress.formatTime(seconds)
  return drawing.time(check.number('xlua.formatTime', 'seconds', tonumber(seconds) or seconds))
end

local width           -- width of the last bar; nil before the first bar
local finished        -- whether it has reached its goal
local started         -- start time
local lastPercent     -- last percentage shown
local line            -- its output in a notebook
local steps, lastStep -- calls since the start, and time of the last one

--- Discards an unfinished bar: the next call starts a new one.
function progress.forget() width = nil end

--- Draws the bar. Call it once per step. After a bar is finished, nothing is drawn until the percentage decreases, which starts a new bar.
-- @number current steps done
-- @number goal total number of steps
-- @usage for i = 1, 100 do work(i); xlua.progress(i, 100) end
function progress.progress(current, goal)
  current = check.number('xlua.progress', 'current', tonumber(current) or current)
  goal = check.number('xlua.progress', 'goal', tonumber(goal) or goal)
  local percent = goal > 0 and math.floor(current * 100 / goal) or 100
  local now = clock.monotonic()
  if not width or percent < lastPercent then
    width, finished = math.max(1, math.min(drawing.columns(1), widest) - beside), false
    started, steps, lastStep = now, 0, now
    line = require 'torch.modules'.loaded 'notebook.kernel' and require 'notebook.line'()
  end
  if finished then return end
  lastPercent, steps = percent, steps + 1
  local bar = drawing.bar(width, current / math.max(goal, 1))
  local elapsed = now - started
  local step = progress.formatTime(now - lastStep)
  lastStep = now
  local tail
  if current >= goal then
    tail = ('Tot: %s | Step: %s'):format(progress.formatTime(elapsed), progress.formatTime(elapsed / math.max(steps - 1, 1)))
  else
    tail = ('ETA: %s | Step: %s'):format(progress.formatTime(current > 0 and elapsed / current * (goal - current) or 0), step)
  end
  finished = current >= goal
  if line then return line:draw(('%s/%s %s'):format(tostring(current), tostring(goal), tail), current / math.max(goal, 1), finished) end
  io.write('\r', (' [%s] %s/%s %s'):format(bar, tostring(current), tostring(goal), tail), '\27[K', finished and '\n' or '')
  io.flush()
end

return progress
