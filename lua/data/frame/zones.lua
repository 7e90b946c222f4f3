--- Time zones by name, from the system's files (TZif, RFC 9636; Debian's package tzdata). A zone is a list of the times, in seconds since
-- 1970 in UTC, at which its offset changes, and of the offsets, in seconds east. Rules of the future are repeated with the 400 years after
-- which days and weekdays of the Gregorian calendar do.
-- @module data.frame.zones
local ffi = require 'ffi'
local check = require 'torch.check'
local dates = require 'data.frame.dates'

local zones = {}

local day, cycle = 86400, 146097 * 86400
local cycleYears, mostBytes, farthest = 400, 2 ^ 20, 2 ^ 45      -- a million years
local folders = { '/usr/share/zoneinfo', '/usr/lib/zoneinfo', '/usr/share/lib/zoneinfo', '/etc/zoneinfo' }

local function damaged(what) error({ damage = what }, 0) end

-- A big-endian integer of 4 or 8 bytes at a place from 1.
local function integer(bytes, at, size)
  local value = bytes:byte(at)
  if value > 127 then value = value - 256 end
  for i = at + 1, at + size - 1 do value = value * 256 + bytes:byte(i) end
  return value
end

-- The counts in a header: zones in UTC and in standard time, leap seconds, times, types, characters; and the place after it.
local function headerOf(bytes, at)
  if bytes:sub(at, at + 3) ~= 'TZif' or #bytes < at + 43 then damaged 'it has no header' end
  local counts = {}
  for i = 1, 6 do
    counts[i] = integer(bytes, at + 16 + 4 * i, 4)
    if counts[i] < 0 or counts[i] > #bytes then damaged 'its header has a wrong count' end
  end
  return counts, at + 44
end

-- The length of the data after a header, of which times have a size in bytes.
local function lengthOf(counts, size)
  return counts[4] * (size + 1) + counts[5] * 6 + counts[6] + counts[3] * (size + 4) + counts[2] + counts[1]
end

local function readData(bytes, at, counts, size)
  local times, types, letters = counts[4], counts[5], counts[6]
  if #bytes < at + lengthOf(counts, size) - 1 then damaged 'it ends early' end
  if types == 0 or types > 256 then damaged 'it has a wrong number of offsets' end
  if counts[3] > 0 then damaged 'its times count leap seconds' end
  local typesAt = at + times * (size + 1)
  local lettersAt = typesAt + types * 6
  local kinds = {}
  for i = 0, types - 1 do
    local place = typesAt + 6 * i
    local offset, name = integer(bytes, place, 4), bytes:byte(place + 5)
    if math.abs(offset) > 26 * 3600 or name >= letters then damaged 'an offset is out of range' end
    kinds[i] = { offset = offset, name = bytes:sub(lettersAt + name, lettersAt + letters - 1):match '^[^%z]*' }
  end
  local zone = { times = {}, [0] = kinds[0] }
  for i = 1, times do
    local time, kind = integer(bytes, at + (i - 1) * size, size), kinds[bytes:byte(at + times * size + i - 1)]
    if not kind then damaged 'a time has no offset' end
    if math.abs(time) > farthest then time = time < 0 and -farthest or farthest end      -- the big bang in some files
    if i > 1 and time <= zone.times[i - 1] then damaged 'its times are not in order' end
    zone.times[i], zone[i] = time, kind
  end
  return zone
end

-- Reads a time [+-]hh[:mm[:ss]] of a rule; returns seconds and the rest of the text.
local function clock(text, most)
  local sign, hours, rest = text:match '^([+-]?)(%d%d?%d?)(.*)$'
  if not hours or tonumber(hours) > most then damaged 'its last rule has a wrong time' end
  local seconds = tonumber(hours) * 3600
  for _, unit in ipairs { 60, 1 } do
    local part, after = rest:match '^:(%d%d)(.*)$'
    if not part then break end
    if tonumber(part) > 59 then damaged 'its last rule has a wrong time' end
    seconds, rest = seconds + tonumber(part) * unit, after
  end
  return sign == '-' and -seconds or seconds, rest
end

-- Reads the day and the time of a rule: M10.5.0/3, J60 or 59. Returns a function of the year, which returns local seconds, and the rest.
local function changeOf(text)
  local month, week, weekday, rest = text:match '^M(%d+)%.(%d)%.(%d)(.*)$'
  local julian, number
  if not month then
    julian, number, rest = text:match '^(J?)(%d+)(.*)$'
    if not number then damaged 'its last rule has a wrong day' end
  end
  month, week, weekday, number = tonumber(month), tonumber(week), tonumber(weekday), tonumber(number)
  if month and (month < 1 or month > 12 or week < 1 or week > 5 or weekday > 6) or number and number > 365 then
    damaged 'its last rule has a wrong day'
  end
  local time = 2 * 3600
  if rest:sub(1, 1) == '/' then time, rest = clock(rest:sub(2), 167) end
  return function(year)
    if month then
      local first = dates.daysOf(year, month, 1)
      local after = month == 12 and dates.daysOf(year + 1, 1, 1) or dates.daysOf(year, month + 1, 1)
      local found = first + (weekday - (first + 4)) % 7 + 7 * (week - 1)
      if found >= after then found = found - 7 end
      return found * day + time
    end
    local start = dates.daysOf(year, 1, 1)
    if julian == '' then return (start + number) * day + time end
    local isLeap = dates.daysOf(year, 3, 1) - start == 60
    return (start + number - 1 + (isLeap and number >= 60 and 1 or 0)) * day + time
  end, rest
end

local function nameOf(text)
  local name, rest = text:match '^<([%w+-]+)>(.*)$'
  if not name then name, rest = text:match '^(%a+)(.*)$' end
  if not name then damaged 'its last rule has no name' end
  return name, rest
end

-- Reads the rule for times after the last one, such as CET-1CEST,M3.5.0,M10.5.0/3: the kinds of the zone's time, and when they begin.
local function ruleOf(text)
  local standard, summer, changes, west = {}, {}, {}
  standard.name, text = nameOf(text)
  west, text = clock(text, 24)
  standard.offset = -west
  if text == '' then return standard end
  summer.name, text = nameOf(text)
  summer.offset = standard.offset + 3600
  if text:find '^[+-]?%d' then
    west, text = clock(text, 24)
    summer.offset = -west
  end
  for i = 1, 2 do
    if text:sub(1, 1) ~= ',' then damaged 'its last rule has no days' end
    changes[i], text = changeOf(text:sub(2))
  end
  if text ~= '' then damaged 'its last rule has more than days' end
  return standard, summer, changes[1], changes[2]
end

-- Adds the changes of a rule for 400 years.
local function extend(zone, text)
  local standard, summer, start, stop = ruleOf(text)
  local count = #zone.times
  local last = count > 0 and zone.times[count] or -math.huge
  if not summer then
    if count == 0 then zone[0] = standard end
    return
  end
  local year, changes = dates.dateOf(math.floor((count > 0 and last or 0) / day)), {}
  for each = year, year + cycleYears + 1 do
    changes[#changes + 1] = { start(each) - standard.offset, summer }
    changes[#changes + 1] = { stop(each) - summer.offset, standard }
  end
  table.sort(changes, function(a, b) return a[1] < b[1] end)
  for _, change in ipairs(changes) do
    if change[1] > last then
      count, last = count + 1, change[1]
      zone.times[count], zone[count] = last, change[2]
    end
  end
  zone.stop = dates.daysOf(year + cycleYears + 1, 1, 1) * day
end

local bytesOf

--- Reads a zone.
-- @string bytes of a file
-- @treturn table `times` from 1; and from 0 the `offset` in seconds and the `name` before the first time and from each on
-- @raise a table whose `damage` says what is wrong
function zones.parse(bytes)
  local counts, at = headerOf(bytes, 1)
  local size, version = 4, bytes:byte(5)
  if version >= 50 then      -- '2'
    counts, at = headerOf(bytes, at + lengthOf(counts, 4))
    size = 8
  end
  local zone = readData(bytes, at, counts, size)
  if size == 8 then
    local rule = bytes:sub(at + lengthOf(counts, 8)):match '^\n([^\n]*)\n'
    if not rule then damaged 'it has no last line' end
    if rule ~= '' then extend(zone, rule) end
  end
  local count = #zone.times
  zone.count, zone.at, zone.offsets = count, ffi.new('double[?]', count + 1), ffi.new('double[?]', count + 1)
  for i = 0, count do zone.at[i], zone.offsets[i] = zone.times[i] or -math.huge, zone[i].offset end
  return zone
end

local known = {}

-- The file of a zone, and its place; nil, and whether the system has any.
function bytesOf(name)
  local list, own, any = {}, os.getenv 'TZDIR', false
  if own and own ~= '' then list[1] = own end
  for _, folder in ipairs(folders) do list[#list + 1] = folder end
  for _, folder in ipairs(list) do
    local place = folder .. '/' .. name
    local file = io.open(place, 'rb')
    local bytes = file and file:read(mostBytes)
    if file then file:close() end
    if bytes then return bytes, place end
    local other = io.open(folder .. '/Etc/UTC', 'rb') or io.open(folder .. '/UTC', 'rb')
    if other then
      any = true
      other:close()
    end
  end
  return nil, any
end

-- A zone with one offset: UTC, or +05:30.
local function fixed(name)
  local sign, hours, minutes = name:match '^([+-])(%d%d):?(%d%d)$'
  if name == 'UTC' or name == 'Z' then sign, hours, minutes = '+', 0, 0 end
  if not sign or tonumber(hours) > 23 or tonumber(minutes) > 59 then return nil end
  local offset = (sign == '-' and -1 or 1) * (tonumber(hours) * 3600 + tonumber(minutes) * 60)
  local zone = { times = {}, [0] = { offset = offset, name = name == 'Z' and 'UTC' or name }, count = 0 }
  zone.at, zone.offsets = ffi.new('double[1]', -math.huge), ffi.new('double[1]', offset)
  return zone
end

--- Opens a zone, once.
-- @string op begins messages
-- @string name 'Europe/Berlin', 'UTC' or '+05:30'
-- @treturn table as from `parse`
-- @raise if there is no such zone, its file is damaged, or the system has no zones
function zones.open(op, name)
  name = check.text(op, 'zone', name)
  if known[name] then return known[name] end
  local zone = fixed(name)
  if not zone then
    local isName = name:find '^[%w_+-][%w_+%-/]*$' and #name < 256
    local bytes, place = nil, true
    if isName then bytes, place = bytesOf(name) end
    check.that(bytes or place, ("%s: zone: '%s': the system's time zones were not found in %s (Debian and Ubuntu: apt-get install tzdata)")
      :format(op, name, folders[1]))
    check.that(bytes, ("%s: zone: '%s', expected the name of a time zone such as Europe/Berlin, or an offset such as +02:00"):format(op,
      name))
    local good, found = pcall(zones.parse, bytes)
    if not good then
      if type(found) ~= 'table' or not found.damage then error(found, 0) end
      check.raise(("%s: zone: '%s': the file %s is damaged: %s"):format(op, name, place, found.damage))
    end
    zone = found
  end
  known[name] = zone
  return zone
end

-- The number of the offset of a time, which is before the end of the rules. The last one found is tried first: dates are often in order.
local function search(zone, seconds)
  local at, low, high = zone.at, zone.last or 0, zone.count
  if at[low] <= seconds and (low == high or seconds < at[low + 1]) then return low end
  low = 0
  while low < high do
    local middle = math.floor((low + high + 1) / 2)
    if at[middle] <= seconds then low = middle else high = middle - 1 end
  end
  zone.last = low
  return low
end

-- The seconds by which a time is put into the 400 years of the rules.
local function shiftOf(zone, seconds)
  if not zone.stop or seconds < zone.stop then return 0 end
  return math.floor((seconds - zone.stop) / cycle + 1) * cycle
end

--- The offset of a time.
-- @tparam table zone
-- @number seconds since 1970 in UTC
-- @treturn number seconds east of UTC
-- @treturn string the name, such as CEST
function zones.offset(zone, seconds)
  local i = search(zone, seconds - shiftOf(zone, seconds))
  return zone.offsets[i], zone[i].name
end

--- The times that have a local time: two if clocks were put back over it, none if they were put forward.
-- @tparam table zone
-- @number wall the local time, as seconds since 1970 if it were UTC
-- @treturn ?number the earlier time
-- @treturn ?number the later one
-- @treturn ?number if there is none, the time at which clocks were put forward
function zones.times(zone, wall)
  local shift = shiftOf(zone, wall)
  wall = wall - shift
  local i = search(zone, wall)
  local first, last, gap
  for j = math.max(i - 2, 0), math.min(i + 2, zone.count) do
    local seconds = wall - zone.offsets[j]
    if seconds >= zone.at[j] and (j == zone.count or seconds < zone.at[j + 1]) then
      first, last = first or seconds + shift, seconds + shift
    elseif j > 0 and wall < zone.at[j] + zone.offsets[j] and wall >= zone.at[j] + zone.offsets[j - 1] then
      gap = zone.at[j] + shift
    end
  end
  return first, last, gap
end

return zones
