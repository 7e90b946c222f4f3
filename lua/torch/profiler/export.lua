--- Files of a profile: trace events for chrome://tracing and Perfetto, and folded stacks for flame graphs.
-- @module torch.profiler.export
local check, encoded = require 'torch.check', require 'torch.file.json_text'
local averages = require 'torch.profiler.averages'

local export = {}

local PROCESS = 1      -- all threads are of one process
local kinds = averages.kinds

local function write(where, path, lines)
  local file, problem = io.open(check.name(where, 'path', path), 'w')
  if not file then check.raise(('%s: path: %s, expected a file that can be written'):format(where, problem), 'file') end
  local done
  done, problem = file:write(unpack(lines))
  done = file:close() and done
  if not done then check.raise(('%s: path: %s: %s'):format(where, path, tostring(problem)), 'file') end
end

-- unpack has room for a few thousand values.
local function joined(lines, separator)
  local parts, size = {}, 4000
  for first = 1, #lines, size do parts[#parts + 1] = table.concat(lines, separator, first, math.min(#lines, first + size - 1)) end
  return table.concat(parts, separator)
end

local function micro(nanoseconds) return ('%.3f'):format(nanoseconds / 1000) end

local function complete(lines, name, category, tid, start, finish, arguments)
  lines[#lines + 1] = ('{"ph":"X","name":%s,"cat":"%s","pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{%s}}'):format(encoded(name), category,
    PROCESS, tid, micro(start), micro(finish - start), arguments)
end

-- Appends the events of one Lua state; `shift`: nanoseconds from the beginning of the first one. Notes the threads.
local function addEvents(lines, columns, shift, threads)
  local texts, thread, slices = columns.texts, columns.thread, columns.slices
  threads[thread] = 'program'
  for i = 1, #columns.start do
    local arguments = {}
    local function argument(name, value)
      local text = type(value) == 'number' and ('%d'):format(value) or value and encoded(value)
      if text then arguments[#arguments + 1] = encoded(name) .. ':' .. text end
    end
    argument('line', columns.line[i] ~= 0 and texts[columns.line[i]])
    argument('module', columns.labels[columns.module[i]])
    argument('shapes', columns.shapes[i] ~= 0 and texts[columns.shapes[i]])
    argument('bytes', columns.bytes[i] ~= 0 and columns.bytes[i])
    local category = columns.backward[i] ~= 0 and columns.kind[i] ~= 2 and 'backward' or kinds[columns.kind[i]]
    complete(lines, texts[columns.name[i]], category, thread, shift + columns.start[i], shift + columns.finish[i],
      table.concat(arguments, ','))
  end
  for i = 1, #slices.event do
    local worker = slices.thread[i]
    if worker ~= thread then
      threads[worker] = threads[worker] or 'loops'
      complete(lines, texts[columns.name[slices.event[i]]], 'loop', worker, shift + slices.start[i], shift + slices.finish[i], '')
    end
  end
end

--- Writes trace events (JSON): a complete event for each event, in the thread of its Lua state, and for each part of a loop in another
-- thread; and counters of live bytes.
-- @string path
-- @tparam {table,...} parts columns of the binding, of each Lua state
-- @tparam {table,...} memory lists of nanoseconds and bytes, in order
function export.chromeTrace(path, parts, memory)
  local lines, threads, live = {}, {}, 0
  for _, columns in ipairs(parts) do addEvents(lines, columns, columns.origin - parts[1].origin, threads) end
  for _, event in ipairs(memory) do
    live = live + event.bytes
    lines[#lines + 1] = ('{"ph":"C","name":"memory","pid":%d,"ts":%s,"args":{"live":%d}}'):format(PROCESS, micro(event.time), live)
  end
  lines[#lines + 1] = ('{"ph":"M","name":"process_name","pid":%d,"args":{"name":"Moontorch"}}'):format(PROCESS)
  for tid, name in pairs(threads) do
    lines[#lines + 1] = ('{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"%s"}}'):format(PROCESS, tid, name)
  end
  write('torch.profiler: exportChromeTrace', path, { '{"displayTimeUnit":"ms","traceEvents":[\n', joined(lines, ',\n'), '\n]}\n' })
end

-- Adds the self times or bytes of events to the sums, by folded stack: the frames of Lua and the events around, separated by semicolons.
local function fold(sums, columns, metric)
  local selfTime, selfBytes = averages.own(columns)
  local own, names = metric == 'bytes' and selfBytes or selfTime, {}
  for i = 1, #columns.start do
    local parent = columns.parent[i]
    names[i] = (parent > 0 and names[parent] .. ';' or '') .. columns.texts[columns.name[i]]:gsub('[;%c]', ' ')
    local frames = averages.frames(columns, i)
    frames[#frames + 1] = names[i]
    local key = table.concat(frames, ';')
    sums[key] = (sums[key] or 0) + own[i]
  end
end

--- Writes folded stacks: a line for each stack, with nanoseconds or bytes.
-- @string path
-- @tparam {table,...} parts columns of the binding, of each Lua state
-- @tparam[opt='time'] string metric time or bytes
function export.stacks(path, parts, metric)
  local where = 'torch.profiler: exportStacks'
  check.choice(where, 'metric', metric or 'time', { 'time', 'bytes' })
  local sums, lines = {}, {}
  for _, columns in ipairs(parts) do fold(sums, columns, metric) end
  for key, sum in pairs(sums) do
    if sum > 0 then lines[#lines + 1] = ('%s %d\n'):format(key, sum) end
  end
  table.sort(lines)
  write(where, path, { joined(lines, '') })
end

return export
