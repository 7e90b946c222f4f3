--- Files of a profile: trace events for chrome://tracing and Perfetto, and folded stacks for flame graphs.
-- @module torch.profiler.export
local check = require 'torch.check'
local averages = require 'torch.profiler.averages'

local export = {}

local kinds = { [0] = 'op', 'unit', 'region' }

local escapes = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

local function quoted(text)
  return '"' .. text:gsub('[%z\1-\31"\\\127]', function(c) return escapes[c] or ('\\u%04x'):format(c:byte()) end) .. '"'
end

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

--- Writes trace events (JSON): a complete event for each event, in the thread of the program, and for each part of a loop in another
-- thread; and counters of live bytes.
-- @string path
-- @tparam table columns of the binding
-- @tparam {string,...} labels of modules
function export.chromeTrace(path, columns, labels)
  local where, process = 'torch.profiler: exportChromeTrace', 1
  local texts, thread, lines, threads = columns.texts, columns.thread, {}, {}
  local function add(format, ...) lines[#lines + 1] = format:format(...) end
  local function complete(name, category, tid, start, finish, arguments)
    threads[tid] = true
    add('{"ph":"X","name":%s,"cat":"%s","pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{%s}}', quoted(name), category, process, tid,
      micro(start), micro(finish - start), arguments)
  end
  threads[thread] = true
  for i = 1, #columns.start do
    local arguments = {}
    local function argument(name, value)
      local text = type(value) == 'number' and ('%d'):format(value) or value and quoted(value)
      if text then arguments[#arguments + 1] = quoted(name) .. ':' .. text end
    end
    argument('line', columns.line[i] ~= 0 and texts[columns.line[i]])
    argument('module', labels[columns.module[i]])
    argument('shapes', columns.shapes[i] ~= 0 and texts[columns.shapes[i]])
    argument('bytes', columns.bytes[i] ~= 0 and columns.bytes[i])
    local category = columns.backward[i] ~= 0 and columns.kind[i] ~= 2 and 'backward' or kinds[columns.kind[i]]
    complete(texts[columns.name[i]], category, thread, columns.start[i], columns.finish[i], table.concat(arguments, ','))
  end
  local slices = columns.slices
  for i = 1, #slices.event do
    if slices.thread[i] ~= thread then
      complete(texts[columns.name[slices.event[i]]], 'loop', slices.thread[i], slices.start[i], slices.finish[i], '')
    end
  end
  local live, memory = 0, columns.memory
  for i = 1, #memory.time do
    live = live + memory.bytes[i]
    add('{"ph":"C","name":"memory","pid":%d,"tid":%d,"ts":%s,"args":{"live":%d}}', process, thread, micro(memory.time[i]), live)
  end
  add('{"ph":"M","name":"process_name","pid":%d,"args":{"name":"Moontorch"}}', process)
  for tid in pairs(threads) do
    add('{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"%s"}}', process, tid, tid == thread and 'program' or 'loops')
  end
  write(where, path, { '{"displayTimeUnit":"ms","traceEvents":[\n', joined(lines, ',\n'), '\n]}\n' })
end

-- The self values of events by folded stack: the frames of Lua and the events around, separated by semicolons.
local function folded(columns, valueOf)
  local sums, order, own = {}, {}, {}
  for i = 1, #columns.start do
    own[i] = valueOf(i)
    local parent = columns.parent[i]
    if parent > 0 then own[parent] = own[parent] - own[i] end
  end
  local names = {}
  for i = 1, #columns.start do
    local parent = columns.parent[i]
    names[i] = (parent > 0 and names[parent] .. ';' or '') .. columns.texts[columns.name[i]]:gsub('[;%c]', ' ')
    local frames = averages.frames(columns, i)
    frames[#frames + 1] = names[i]
    local key = table.concat(frames, ';')
    if not sums[key] then order[#order + 1] = key end
    sums[key] = (sums[key] or 0) + own[i]
  end
  table.sort(order)
  return order, sums
end

--- Writes folded stacks: a line for each stack, with nanoseconds or bytes.
-- @string path
-- @tparam table columns of the binding
-- @tparam[opt='time'] string metric time or bytes
function export.stacks(path, columns, metric)
  local where = 'torch.profiler: exportStacks'
  metric = metric or 'time'
  if metric ~= 'time' and metric ~= 'bytes' then
    check.raise(('%s: metric: %s, expected time or bytes'):format(where, tostring(metric)))
  end
  local order, sums = folded(columns, function(i)
    return metric == 'bytes' and columns.bytes[i] or columns.finish[i] - columns.start[i]
  end)
  local lines = {}
  for _, key in ipairs(order) do
    if sums[key] > 0 then lines[#lines + 1] = ('%s %d\n'):format(key, sums[key]) end
  end
  write(where, path, { joined(lines, '') })
end

return export
