--- The object of a profile: what was measured, as tables and files.
-- @classmod torch.profiler.Profile
local C, check, modules = require 'libmoontorch', require 'torch.check', require 'torch.modules'
local extensions, rethrow, units = require 'torch.extensions', require 'torch.start.rethrow', require 'torch.units'
local averages, memory, export = require 'torch.profiler.averages', require 'torch.profiler.memory', require 'torch.profiler.export'

local native = C.observation and C.observation()

local Profile = {}
Profile.__index = Profile

-- The profile that runs in this Lua state, if one does.
local running

local names = { 'threads', 'memory', 'lines', 'modules', 'stacks', 'shapes', 'synchronize', 'schedule', 'onTraceReady' }

-- Returns the modules that the profile observes: those of the option, or if it is true those that f knows.
local function observed(where, wanted, f)
  if not wanted then return nil, {} end
  local observer = extensions.get 'modules'
  if not observer then
    if wanted == true then return nil, {} end
    check.raise(where .. ': modules: nn is not loaded, expected modules of nn')
  end
  if wanted == true then return observer, observer.list(where, observer.found(f)) end
  return observer, observer.list(where, wanted, 'modules')
end

-- The job of a pool's thread that starts a profile there, and the one that ends it and returns its columns.
local function startInThread(options) require('torch').profiler.start(options) end

local function collectInThread() return require('torch.profiler.profile').collect() end

-- Runs a job in each thread of a pool; returns the results by thread.
local function inThreads(pool, job, ...)
  local results, wasSpecific = {}, pool:specific()
  pool:specific(true)
  for id = 1, pool.N do pool:addjob(id, job, function(result) results[id] = result end, ...) end
  pool:specific(wasSpecific)      -- after all jobs are done
  return results
end

local function checkPool(where, options)
  local pool = options.threads
  if pool == nil then return end
  check.that(type(pool) ~= 'string' and type(pool) ~= 'number' and type(pool) ~= 'boolean' and pool.addjob and pool.specific,
    ('%s: threads: %s, expected a pool of threads'):format(where, tostring(pool)))
  check.that(options.schedule == nil, where .. ': threads: a pool and a schedule, expected one of them')
end

local actions = { none = true, warmup = true, record = true, save = true }

-- What the schedule says of the step with the number self.steps.
local function actionOf(self)
  local action = self.schedule(self.steps)
  check.that(actions[action], ('torch.profiler: schedule: %s, expected none, warmup, record or save'):format(tostring(action)))
  return action
end

local function enter(self, action)
  self.action = action
  native.setProfile(action ~= 'none')
end

--- Starts a profile.
-- @string where the start of messages
-- @tparam[opt] table options
-- @tparam[opt] function f whose modules the option modules = true means
-- @treturn Profile
function Profile.start(where, options, f)
  options = check.options(where, options, names)
  check.that(native, where .. ': not in this build (MT_MINIMAL), expected the full library')
  checkPool(where, options)
  for _, name in ipairs { 'schedule', 'onTraceReady' } do
    if options[name] ~= nil then check.callable(where, name, options[name]) end
  end
  local observer, list = observed(where, options.modules, f)
  local self = setmetatable({
    steps = 1, labels = {}, onTraceReady = options.onTraceReady, schedule = options.schedule or function() return 'record' end,
    hasMemory = options.memory and true or false, hasStacks = options.stacks and true or false,
  }, Profile)
  for i, entry in ipairs(list) do self.labels[i] = entry.label end
  local measured = {
    lines = options.lines ~= false, stacks = self.hasStacks, shapes = options.shapes and true or false, memory = self.hasMemory,
    synchronize = options.synchronize ~= false,
  }
  check.call(native.beginProfile, measured, modules.folder, where)
  running = self
  self.stopModules = observer and observer.start(list, native.enterModule, native.leaveModule)
  local done, message = pcall(function()
    enter(self, actionOf(self))
    if options.threads then
      self.pool = options.threads
      inThreads(self.pool, startInThread, measured)
    end
  end)
  if not done then
    self:stop(true)
    error(message, 0)
  end
  return self
end

local recorded = { record = true, save = true }

-- What was measured in this Lua state until now.
local function own(self)
  local columns = native.profileColumns()
  columns.labels = self.labels
  return { columns }
end

local function partsOf(self) return self.parts or self.saved or own(self) end

--- Stops the profile, if it runs; calls `onTraceReady(p)` if a step was being recorded.
-- @tparam[opt] boolean quiet don't call it
-- @treturn Profile self
function Profile:stop(quiet)
  if running ~= self then return self end
  running = nil
  local done, problem, others = true, nil, {}
  if self.pool then
    done, problem = pcall(self.pool.synchronize, self.pool)      -- raises the errors of jobs
    local collected, found = pcall(inThreads, self.pool, collectInThread)
    if collected then others = found else done, problem = false, problem or found end
  end
  if self.stopModules then self.stopModules() end
  native.endProfile()
  if not self.saved and not recorded[self.action] then native.clearProfile() end
  self.parts = self.saved or own(self)
  for _, columns in ipairs(others) do
    columns.labels = {}
    self.parts[#self.parts + 1] = columns
  end
  if not done and not quiet then error(problem, 0) end
  if recorded[self.action] and not quiet and self.onTraceReady then self.onTraceReady(self) end
  return self
end

--- The profile that runs in this Lua state.
-- @treturn ?Profile
function Profile.current() return running end

--- Stops the profile that runs in this Lua state; for a pool whose profile includes it.
-- @treturn ?table columns of the binding
function Profile.collect()
  local self = running
  return self and self:stop(true).parts[1]
end

--- Ends a step of the program, for a profile with a schedule. At the end of a cycle it calls `onTraceReady(p)`; the next cycle forgets what
-- was measured.
function Profile:step()
  if running ~= self then return end
  local before = self.action
  if before == 'save' then
    native.setProfile(false)
    self.saved, self.action = own(self), 'none'
    if self.onTraceReady then self.onTraceReady(self) end
    if running ~= self then return end
  end
  self.steps = self.steps + 1
  local now = actionOf(self)
  if before ~= 'record' and now ~= 'none' then native.clearProfile() end
  if recorded[now] then self.saved = nil end
  enter(self, now)
end

--- The seconds that were measured.
-- @treturn number
function Profile:duration() return partsOf(self)[1].measured / 1e9 end

--- A table of what was measured: a list of rows with the fields key, kind ('op', 'unit' of a fused loop or prepared run, 'region'), calls,
-- total, selfTime (without ops inside), mean and backward (self time in backward passes) in seconds, bytes (allocated, with the option
-- memory), threads (that computed it) and share (of the self time of all).
-- The gradient of a call counts for the line and the module of this call.
-- @tparam[opt] table options groupBy: 'op' (default), 'line', 'module', 'shapes' (with the option shapes) or 'stack' (with stacks); sortBy:
--   'self' (default), 'time', 'calls', 'mean', 'bytes' or 'name'; limit: number of rows
-- @treturn table `print` shows it
-- @raise for other options
function Profile:keyAverages(options)
  return averages.of('torch.profiler: keyAverages', partsOf(self), options)
end

local function grouped(group)
  return function(self, options)
    local all = { groupBy = group }
    for name, value in pairs(options == nil and {} or check.table('torch.profiler', 'options', options)) do all[name] = value end
    return self:keyAverages(all)
  end
end

--- The table by Lua line: `keyAverages { groupBy = 'line' }`.
-- @function Profile:byLine
-- @tparam[opt] table options sortBy, limit
-- @treturn table
Profile.byLine = grouped 'line'

--- The table by module, with the option modules: `keyAverages { groupBy = 'module' }`.
-- @function Profile:byModule
-- @tparam[opt] table options sortBy, limit
-- @treturn table
Profile.byModule = grouped 'module'

local function refuseWithout(self, field, method, option)
  check.that(self[field], ('torch.profiler: %s: a profile without %s, expected the option %s = true'):format(method, option, option))
end

--- Memory of tensors by the Lua line that allocated it, with the option memory: rows with key, allocations, bytes, atPeak (of the blocks
-- that lived when most bytes did) and live (at the end of the profile); and the fields peak and live of all. `rows:leaks()` are those that
-- are still live.
-- @tparam[opt='line'] string group line or module
-- @treturn table `print` shows it
-- @raise without the option memory
function Profile:memoryBy(group)
  refuseWithout(self, 'hasMemory', 'memoryBy', 'memory')
  if group ~= nil and group ~= 'line' and group ~= 'module' then
    check.raise(('torch.profiler: memoryBy: group: %s, expected line or module'):format(tostring(group)))
  end
  return memory.by(partsOf(self), group or 'line')
end

--- Writes trace events, a JSON file for chrome://tracing and ui.perfetto.dev: each op, loop and region in its thread, parts of loops in
-- worker threads, and with the option memory a counter of live bytes.
-- @string path
-- @raise if the file can't be written
function Profile:exportChromeTrace(path)
  local parts = partsOf(self)
  export.chromeTrace(path, parts, memory.events(parts))
end

--- Writes folded stacks, with the option stacks: a line for each stack of Lua functions, regions and ops, with its self time in nanoseconds
-- or the bytes that it allocated. flamegraph.pl and speedscope.app draw it.
-- @string path
-- @tparam[opt='time'] string metric time, or bytes (with the option memory)
-- @raise without the option, or if the file can't be written
function Profile:exportStacks(path, metric)
  refuseWithout(self, 'hasStacks', 'exportStacks', 'stacks')
  if metric == 'bytes' then refuseWithout(self, 'hasMemory', 'exportStacks', 'memory') end
  export.stacks(path, partsOf(self), metric)
end

--- The events in the order of their beginnings.
-- @treturn {table,...} with name, kind, start and duration in seconds since the profile began, parent (position of the event around it, or
-- nil), line, module, shapes, backward, bytes, thread (the system's number)
function Profile:events()
  local parts, list = partsOf(self), {}
  for _, columns in ipairs(parts) do
    local before, shift = #list, columns.origin - parts[1].origin
    local function text(number) return number ~= 0 and columns.texts[number] or nil end
    for i = 1, #columns.start do
      list[before + i] = {
        name = columns.texts[columns.name[i]], kind = averages.kinds[columns.kind[i]], start = (shift + columns.start[i]) / 1e9,
        duration = (columns.finish[i] - columns.start[i]) / 1e9, parent = columns.parent[i] > 0 and before + columns.parent[i] or nil,
        line = text(columns.line[i]), module = columns.labels[columns.module[i]], shapes = text(columns.shapes[i]),
        backward = columns.backward[i] ~= 0, bytes = columns.bytes[i], thread = columns.thread,
      }
    end
  end
  return list
end

local SHOWN = 20      -- rows

function Profile:__tostring()
  local calls, inOps = 0, 0
  for _, columns in ipairs(partsOf(self)) do
    for i = 1, #columns.start do
      local around = columns.parent[i]
      if columns.kind[i] ~= 2 then
        calls = calls + 1
        if around == 0 or columns.kind[around] == 2 then inOps = inOps + columns.finish[i] - columns.start[i] end
      end
    end
  end
  return ('%s, %s of them in %d ops\n%s'):format(units.duration(self:duration()), units.duration(inOps / 1e9), calls,
    tostring(self:keyAverages { limit = SHOWN }))
end

local function ended(profile, event, done, ...)
  if running == profile then native.endRegion(event) end
  if not done then rethrow.raise((...)) end
  return ...
end

--- Calls f as a region of the profile that runs, if one does.
-- @string name
-- @tparam function f
-- @param ... its arguments
function Profile.region(name, f, ...)
  if not running then return f(...) end
  return ended(running, native.beginRegion(name), xpcall(f, rethrow.remember, ...))
end

return Profile
