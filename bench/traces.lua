-- Counts the work of LuaJIT's compiler and collector for a program: `build/release/bin/th bench/traces.lua WORKLOAD|PROGRAM [STEPS]`.
-- WORKLOAD is an id of bench/run; PROGRAM is a Lua file: it may return its step as a function, otherwise all of it is one step. Prints
-- traces begun, finished, aborted (with place and reason) and flushed, in all and for a step of the last half; machine code; objects of
-- tensors and storages created in a step; and the collector's share of the time.
local here = arg[0]:match '^(.*)/[^/]*$'
package.path = here .. '/?.lua;' .. package.path

require 'torch'
local counts, named, now = require 'counts', require 'named', require('torch.clock').monotonic

local function program(name)
  local chunk = assert(loadfile(name))
  rawset(_G, 'arg', { [0] = name, unpack(arg, 3) })
  local step = chunk()
  return type(step) == 'function' and step or nil
end

local function line(name, all, perStep) print(('%-14s %10s %12s'):format(name, all, perStep or '')) end

local function report(seen, half, steps)
  line('', 'in all', 'a late step')
  for _, what in ipairs { 'start', 'stop', 'abort', 'flush' } do
    line(what, seen[what], half and ('%.3f'):format((seen[what] - half[what]) / steps))
  end
  local bytes, traces = counts.code()
  print(('%d KiB of machine code in %d traces'):format(bytes / 1024, traces))
  local places = {}
  for place in pairs(seen.places) do places[#places + 1] = place end
  table.sort(places, function(a, b) return seen.places[a] > seen.places[b] end)
  for i = 1, math.min(#places, 20) do print(('%6d  %s'):format(seen.places[places[i]], places[i])) end
end

-- Measures the time of the work that doubles Lua's heap while the collector is stopped, and the time of the collection that follows.
local function collectorShare(step)
  collectgarbage()
  local limit = 2 * collectgarbage 'count'
  collectgarbage 'stop'
  local start = now()
  repeat step() until collectgarbage 'count' > limit or now() - start > 5
  local work = now() - start
  collectgarbage 'restart'
  start = now()
  collectgarbage()
  local collection = now() - start
  return collection / (work + collection)
end

local function refuse(problem)
  io.stderr:write('bench/traces.lua: ', problem, ', expected an id of bench/run --list, or a program whose name ends in .lua\n')
  os.exit(2, true)
end

local function copyOf(seen) return { start = seen.start, stop = seen.stop, abort = seen.abort, flush = seen.flush } end

local function reportSteps(seen, step, steps)
  local half
  for i = 1, steps do
    if i == math.ceil(steps / 2) then half = copyOf(seen) end
    step()
  end
  report(seen, half, steps - math.ceil(steps / 2) + 1)
  local userdata, kibibytes = counts.garbage(step, 10)
  print(('a step makes %.1f objects of tensors and storages and %.2f KiB of Lua\'s heap; the collector takes %.0f %% of the time'):format(
    userdata, kibibytes, 100 * collectorShare(step)))
end

local name, steps = arg[1], tonumber(arg[2] or 1000)
if not name then refuse 'no workload' end
if not steps or steps < 1 then refuse(tostring(arg[2]) .. ' steps') end
local isProgram = name:find '%.lua$'
local seen = counts.watch()
local step = isProgram and program(name) or not isProgram and named(name) or nil
if step then
  reportSteps(seen, step, steps)
elseif isProgram then
  report(seen)
else
  refuse(name)
end
