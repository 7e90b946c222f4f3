--- Tables of a profile: events by op, line, module, shapes or stack.
-- @module torch.profiler.averages
local check, units = require 'torch.check', require 'torch.units'

local averages = {}

local Averages = {}
Averages.__index = Averages

-- The kinds of events, by the binding's numbers.
local kinds = { [0] = 'op', 'unit', 'region' }
averages.kinds = kinds

-- Group -> the key of an event; nil: it has none.
local keys = {}

local function textOf(columns, column)
  return function(i)
    local number = columns[column][i]
    return number ~= 0 and columns.texts[number] or nil
  end
end

function keys.op(columns) return textOf(columns, 'name') end

function keys.line(columns) return textOf(columns, 'line') end

function keys.module(columns)
  return function(i) return columns.labels[columns.module[i]] end
end

function keys.shapes(columns)
  local name, shapes = textOf(columns, 'name'), textOf(columns, 'shapes')
  return function(i) return ('%s(%s)'):format(name(i), shapes(i) or '') end
end

--- The Lua functions of an event, the outermost first: those inside of the profiled one.
-- @tparam table columns
-- @int event
-- @treturn {string,...}
function averages.frames(columns, event)
  local frames = {}
  for _, number in ipairs(columns.stacks[columns.stack[event]]) do
    local frame = columns.texts[number]
    if frame:find 'torch/profiler%.lua:%d+%)$' then frames = {} else frames[#frames + 1] = (frame:gsub('[;%c]', ' ')) end
  end
  return frames
end

function keys.stack(columns)
  local name = textOf(columns, 'name')
  return function(i)
    local frames = averages.frames(columns, i)
    frames[#frames + 1] = name(i)
    return table.concat(frames, ';')
  end
end

local orders = {
  self = 'selfTime', time = 'total', total = 'total', selfTime = 'selfTime', calls = 'calls', bytes = 'bytes', mean = 'mean', name = 'key',
  selfBytes = 'selfBytes',
}

local function namesOf(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ', ')
end

local function choice(where, name, value, set)
  if set[value] == nil then check.raise(('%s: %s: %s, expected one of %s'):format(where, name, tostring(value), namesOf(set))) end
  return value
end

--- Times and bytes of events without those of events inside of them.
-- @tparam table columns
-- @treturn {number,...} nanoseconds
-- @treturn {number,...} bytes
function averages.own(columns)
  local selfTime, selfBytes = {}, {}
  local start, finish, bytes, parent = columns.start, columns.finish, columns.bytes, columns.parent
  for i = 1, #start do
    selfTime[i], selfBytes[i] = finish[i] - start[i], bytes[i]
    local around = parent[i]
    if around > 0 then
      selfTime[around] = selfTime[around] - selfTime[i]
      selfBytes[around] = selfBytes[around] - bytes[i]
    end
  end
  return selfTime, selfBytes
end

-- The threads that computed each event, as sets.
local function threadsOf(columns)
  local threads, slices = {}, columns.slices
  for i = 1, #slices.event do
    local event = slices.event[i]
    local set = threads[event] or {}
    threads[event] = set
    set[slices.thread[i]] = true
  end
  return threads
end

-- The number of threads of a row, from the set.
local function count(set)
  local n = 0
  for _ in pairs(set) do n = n + 1 end
  return n
end

-- Adds the events of one Lua state to the rows. Returns the sum of their self times.
local function add(rows, byKey, columns, group)
  local keyOf, sum, inside = keys[group](columns), 0, {}
  local selfTime, selfBytes = averages.own(columns)
  local threads = threadsOf(columns)
  for i = 1, #columns.start do
    local kind = kinds[columns.kind[i]]
    -- Regions and fused loops are rows of their own among ops; of lines and modules they would count their ops twice.
    local key = (kind ~= 'region' or group == 'op') and keyOf(i) or nil
    inside[i] = key
    if kind ~= 'region' then sum = sum + selfTime[i] end
    if key then
      local row = byKey[key]
      if not row then
        row = {
          key = key, kind = kind, calls = 0, total = 0, selfTime = 0, backward = 0, bytes = 0, selfBytes = 0, threads = {},
        }
        byKey[key], rows[#rows + 1] = row, row
      end
      row.calls, row.selfTime, row.selfBytes = row.calls + 1, row.selfTime + selfTime[i], row.selfBytes + selfBytes[i]
      if columns.backward[i] ~= 0 then row.backward = row.backward + selfTime[i] end
      row.threads[columns.thread] = true
      for thread in pairs(threads[i] or {}) do row.threads[thread] = true end
      -- An event inside of one with the same key is part of that one's total.
      local around = columns.parent[i]
      while around > 0 and inside[around] ~= key do around = columns.parent[around] end
      if around == 0 then
        row.total = row.total + columns.finish[i] - columns.start[i]
        row.bytes = row.bytes + columns.bytes[i]
      end
    end
  end
  return sum
end

--- Returns the rows of a profile's events.
-- @string where the start of messages
-- @tparam {table,...} parts columns of the binding, of each Lua state, with the labels of modules
-- @tparam[opt] table options groupBy (op), sortBy (self), limit
-- @treturn table
function averages.of(where, parts, options)
  options = check.options(where, options, { 'groupBy', 'sortBy', 'limit' })
  local group = choice(where, 'groupBy', options.groupBy or 'op', keys)
  local order = orders[choice(where, 'sortBy', options.sortBy or 'self', orders)]
  local limit = options.limit and check.int(where, 'limit', options.limit, { min = 1 })
  local rows, byKey, sum = {}, {}, 0
  for _, columns in ipairs(parts) do sum = sum + add(rows, byKey, columns, group) end
  for _, row in ipairs(rows) do
    row.threads = count(row.threads)
    row.total, row.selfTime, row.backward = row.total / 1e9, row.selfTime / 1e9, row.backward / 1e9
    row.mean, row.share = row.total / row.calls, sum > 0 and row.kind ~= 'region' and row.selfTime * 1e9 / sum or 0
  end
  table.sort(rows, function(a, b)
    if a[order] ~= b[order] then
      if order == 'key' then return a.key < b.key end
      return a[order] > b[order]
    end
    return a.key < b.key
  end)
  for i = limit and #rows or 0, (limit or 0) + 1, -1 do rows[i] = nil end
  rows.group = group
  return setmetatable(rows, Averages)
end

-- The number of characters of a text in UTF-8.
local function width(text) return select(2, text:gsub('[^\128-\191]', '')) end

--- Lines of a table: the first column is flush left, the others right.
-- @tparam {{string,...},...} rows the first one has the titles
-- @treturn string
function averages.layout(rows)
  local widths, lines = {}, {}
  for _, row in ipairs(rows) do
    for k, cell in ipairs(row) do widths[k] = math.max(widths[k] or 0, width(cell)) end
  end
  for i, row in ipairs(rows) do
    local cells = {}
    for k, cell in ipairs(row) do
      local gap = (' '):rep(widths[k] - width(cell))
      cells[k] = k == 1 and cell .. gap or gap .. cell
    end
    lines[i] = (table.concat(cells, '  '):gsub('%s+$', ''))
  end
  return table.concat(lines, '\n')
end

-- From here on a table advises against rows of matrices in loops over elements.
local MANY_ROWS = 1000

-- Advice for programs that read x[i][j] in loops: each x[i] is a call of `select`.
local function advice(self)
  for _, row in ipairs(self) do
    if row.key == 'select' and row.calls >= MANY_ROWS then
      return '\nselect: x[i] creates a tensor of a row; x[{ i, j }] and x:at(i, j) read an element in compiled code'
    end
  end
  return ''
end

function Averages:__tostring()
  local hasBytes, hasBackward = false, self.group ~= 'op' and self.group ~= 'shapes'
  for _, row in ipairs(self) do hasBytes = hasBytes or row.bytes > 0 end
  local titles = { self.group, 'calls', 'total', 'self', 'mean', 'threads', 'share' }
  if hasBackward then titles[#titles + 1] = 'backward' end
  if hasBytes then titles[#titles + 1] = 'bytes' end
  local rows = { titles }
  for i, row in ipairs(self) do
    local name = row.kind == 'region' and '[' .. row.key .. ']' or row.key
    local cells = {
      name, tostring(row.calls), units.duration(row.total), units.duration(row.selfTime), units.duration(row.mean),
      tostring(row.threads), row.kind == 'region' and '' or ('%.1f%%'):format(100 * row.share),
    }
    if hasBackward then cells[#cells + 1] = units.duration(row.backward) end
    if hasBytes then cells[#cells + 1] = units.size(row.bytes) end
    rows[i + 1] = cells
  end
  return averages.layout(rows) .. advice(self)
end

return averages
