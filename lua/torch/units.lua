--- Durations and bytes as text, in suitable units.
-- @module torch.units
local units = {}

local times = { { 1, 's' }, { 1e-3, 'ms' }, { 1e-6, 'µs' }, { 1e-9, 'ns' } }
local sizes = { 'B', 'KiB', 'MiB', 'GiB', 'TiB' }

--- A duration in a suitable unit.
-- @number seconds
-- @treturn string three digits and the unit
function units.duration(seconds)
  local unit = times[#times]
  for i = #times, 1, -1 do
    if seconds >= times[i][1] then unit = times[i] end
  end
  return ('%.3g %s'):format(seconds / unit[1], unit[2])
end

--- A number of bytes in a suitable unit.
-- @int bytes
-- @treturn string
function units.size(bytes)
  local unit = 1
  while bytes >= 1024 and sizes[unit + 1] do bytes, unit = bytes / 1024, unit + 1 end
  return (unit == 1 and '%d %s' or '%.1f %s'):format(bytes, sizes[unit])
end

return units
