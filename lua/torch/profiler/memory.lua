--- Memory of a profile by Lua line: allocations, live bytes, the peak, and what is left at the end.
-- @module torch.profiler.memory
local averages = require 'torch.profiler.averages'

local memory = {}

local ByLine = {}
ByLine.__index = ByLine

-- Calls f(key, bytes) for each allocation and release, in order; a release has negative bytes and the key of its allocation.
local function each(columns, labels, group, f)
  local events = columns.memory
  for i = 1, #events.time do
    local line, module = columns.texts[events.line[i]], labels[events.module[i]]
    f(group == 'module' and (module or '(no module)') or line ~= '' and line or '(no line)', events.bytes[i])
  end
end

--- Returns the rows: key, allocations, bytes (of all of them), live (at the end), atPeak (of those that lived when most bytes did), and the
-- fields peak and live of all.
-- @tparam table columns of the binding
-- @tparam {string,...} labels of modules
-- @string group line or module
-- @treturn table
function memory.by(columns, labels, group)
  local rows, byKey, live, peak, steps, peakStep = {}, {}, 0, 0, 0, 0
  each(columns, labels, group, function(key, bytes)
    local row = byKey[key]
    if not row then
      row = { key = key, allocations = 0, bytes = 0, live = 0, atPeak = 0, blocks = 0 }
      byKey[key], rows[#rows + 1] = row, row
    end
    steps, live, row.live = steps + 1, live + bytes, row.live + bytes
    row.blocks = row.blocks + (bytes > 0 and 1 or -1)
    if bytes > 0 then row.allocations, row.bytes = row.allocations + 1, row.bytes + bytes end
    if live > peak then peak, peakStep = live, steps end
  end)
  local step = 0
  each(columns, labels, group, function(key, bytes)
    step = step + 1
    if step <= peakStep then byKey[key].atPeak = byKey[key].atPeak + bytes end
  end)
  table.sort(rows, function(a, b)
    if a.atPeak ~= b.atPeak then return a.atPeak > b.atPeak end
    if a.bytes ~= b.bytes then return a.bytes > b.bytes end
    return a.key < b.key
  end)
  rows.peak, rows.live, rows.group = peak, live, group
  return setmetatable(rows, ByLine)
end

--- Returns the rows with live bytes, most first: what the profiled code left behind.
-- @treturn table
function ByLine:leaks()
  local left = { peak = self.peak, live = self.live, group = self.group }
  for _, row in ipairs(self) do
    if row.live > 0 then left[#left + 1] = row end
  end
  table.sort(left, function(a, b)
    if a.live ~= b.live then return a.live > b.live end
    return a.key < b.key
  end)
  return setmetatable(left, ByLine)
end

function ByLine:__tostring()
  local rows = { { self.group, 'allocations', 'bytes', 'at peak', 'live' } }
  for i, row in ipairs(self) do
    rows[i + 1] = {
      row.key, tostring(row.allocations), averages.size(row.bytes), averages.size(row.atPeak), averages.size(row.live),
    }
  end
  return ('%s\npeak %s, live at the end %s'):format(averages.layout(rows), averages.size(self.peak), averages.size(self.live))
end

return memory
