--- Memory of a profile by Lua line: allocations, live bytes, the peak, and what is left at the end.
-- @module torch.profiler.memory
local averages, units = require 'torch.profiler.averages', require 'torch.units'

local memory = {}

local ByLine = {}
ByLine.__index = ByLine

--- Returns the allocations and releases of all parts in their order: lists with time (nanoseconds), bytes (negative: a release), line and
-- module of the allocation.
-- @tparam {table,...} parts columns of the binding, of each Lua state
-- @treturn {table,...}
function memory.events(parts)
  local events = {}
  for _, columns in ipairs(parts) do
    local found, shift = columns.memory, columns.origin - parts[1].origin
    for i = 1, #found.time do
      local line = columns.texts[found.line[i]]
      events[#events + 1] = {
        time = shift + found.time[i], bytes = found.bytes[i], line = line ~= '' and line or '(no line)',
        module = columns.labels[found.module[i]] or '(no module)', position = #events,
      }
    end
  end
  table.sort(events, function(a, b)
    if a.time ~= b.time then return a.time < b.time end
    return a.position < b.position
  end)
  return events
end

--- Returns the rows: key, allocations, bytes (of all of them), live (at the end), atPeak (of those that lived when most bytes did), and the
-- fields peak and live of all.
-- @tparam {table,...} parts columns of the binding, of each Lua state
-- @string group line or module
-- @treturn table
function memory.by(parts, group)
  local events = memory.events(parts)
  local rows, byKey, live, peak, peakStep = {}, {}, 0, 0, 0
  for step, event in ipairs(events) do
    local key, bytes = event[group], event.bytes
    local row = byKey[key]
    if not row then
      row = { key = key, allocations = 0, bytes = 0, live = 0, atPeak = 0 }
      byKey[key], rows[#rows + 1] = row, row
    end
    live, row.live = live + bytes, row.live + bytes
    if bytes > 0 then row.allocations, row.bytes = row.allocations + 1, row.bytes + bytes end
    if live > peak then peak, peakStep = live, step end
  end
  for step = 1, peakStep do
    local row = byKey[events[step][group]]
    row.atPeak = row.atPeak + events[step].bytes
  end
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
      row.key, tostring(row.allocations), units.size(row.bytes), units.size(row.atPeak), units.size(row.live),
    }
  end
  return ('%s\npeak %s, live at the end %s'):format(averages.layout(rows), units.size(self.peak), units.size(self.live))
end

return memory
