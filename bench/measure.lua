--- Measures workloads by the rules of WORKLOADS.md: warm-up, 21 batches of about 10 ms, median, minimum and quartiles, and how many
-- processors other processes kept busy meanwhile.
-- @module measure
local ffi = require 'ffi'
local torch = require 'torch'
local now = require('torch.clock').monotonic

ffi.cdef [[
  int regcomp(void *compiled, const char *pattern, int flags);
  int regexec(const void *compiled, const char *text, size_t count, void *matches, int flags);
]]

local BATCHES, BATCH, WARM, TICKS, REG_EXTENDED = 21, 0.010, 0.1, 100, 1

local measure = { results = {}, ids = {}, only = '', patience = 0, now = now }
local answers = {}     -- id without its variant -> the number that the work returned

-- Returns whether the text matches an extended regular expression, as by grep -E.
local compiled = {}
local function matches(pattern, text)
  if not compiled[pattern] then
    compiled[pattern] = ffi.new 'char[512]'
    if ffi.C.regcomp(compiled[pattern], pattern, REG_EXTENDED) ~= 0 then
      error('--only: ' .. pattern .. ', expected a regular expression', 0)
    end
  end
  return ffi.C.regexec(compiled[pattern], text, 0, nil, 0) == 0
end

local function readAll(name)
  local file = assert(io.open(name))
  local text = file:read '*a'
  file:close()
  return text
end

-- Processor seconds so far: of all processes, with stolen time, and of this process with its ended children.
local function busy()
  local all, position = 0, 0
  for value in readAll('/proc/stat'):match('cpu +([^\n]+)'):gmatch '%d+' do
    position = position + 1
    if position <= 8 and position ~= 4 and position ~= 5 then all = all + value / TICKS end
  end
  local own, field = 0, 2
  for value in readAll('/proc/self/stat'):match('.*%) (.*)'):gmatch '%S+' do
    field = field + 1
    if field >= 14 and field <= 17 then own = own + value / TICKS end
  end
  return all, own
end

-- Seconds that f took, and the number of processors that other processes kept busy meanwhile.
local function during(f)
  local start, all, own = now(), busy()
  f()
  local spent = now() - start
  local allAfter, ownAfter = busy()
  return spent, math.max(0, (allAfter - all - ownAfter + own) / spent)
end

--- Seconds per call of each batch, and calls a batch.
-- @tparam function loop loop(n) makes n calls
function measure.time(loop)
  local n, start = 1, now()
  local spent
  while true do
    local before = now()
    loop(n)
    spent = now() - before
    if spent >= BATCH / 2 then break end
    n = math.max(2 * n, math.floor(n * math.min(100, BATCH / math.max(spent, 1e-9))))
  end
  n = math.max(1, math.floor(n * BATCH / spent + 0.5))
  while now() - start < WARM do loop(n) end
  local times = {}
  for i = 1, BATCHES do
    local before = now()
    loop(n)
    times[i] = (now() - before) / n
  end
  return times, n
end

--- Stores the figures of an id.
function measure.save(id, values, unit, extra)
  table.sort(values)
  local k = #values
  local middle = (values[math.floor((k + 1) / 2)] + values[math.floor(k / 2) + 1]) / 2
  local lower, upper = values[math.floor(k / 4) + 1], values[math.floor(3 * k / 4) + 1]
  local figures = { median = middle, min = values[1], q1 = lower, q3 = upper, unit = unit }
  for key, value in pairs(extra or {}) do figures[key] = value end
  measure.results[id] = figures
  io.stderr:write(('%-28s %12.6g %-4s min %.6g\n'):format(id, middle, unit, values[1]))
end

--- Runs one measurement if its id was requested. If other processes used the machine, waits until it is quiet and measures again, while
-- patience lasts.
function measure.attempt(id, run)
  measure.ids[#measure.ids + 1] = id
  if measure.list or not matches(measure.only, id) then return end
  local results, best = measure.results, nil
  while true do
    torch.manualSeed(0)
    collectgarbage()
    collectgarbage()
    torch.emptyCache()
    local message
    local spent, others = during(function()
      local done, problem = pcall(run)
      if not done then message = tostring(problem) end
    end)
    if message then
      results[id] = { error = message:sub(1, 200) }
      io.stderr:write(('%-28s FAILED %s\n'):format(id, message))
      return
    end
    results[id].others = math.floor(others * 100 + 0.5) / 100
    if best and best.median < results[id].median then results[id] = best end
    best = results[id]
    if others < 0.1 or measure.patience <= 0 then return end
    measure.patience = measure.patience - spent
    while others >= 0.1 and measure.patience > 0 do
      spent, others = during(function() os.execute 'sleep 0.5' end)
      measure.patience = measure.patience - spent
    end
  end
end

-- Checks that the variants of a workload agree: compares the numbers that their third calls return.
local function agree(id, f)
  f()
  f()
  local answer, base = f(), id:match '^[^@]+'
  if type(answer) ~= 'number' then return end
  local expected = answers[base] or answer
  answers[base] = expected
  if math.abs(answer - expected) > 1e-4 * math.abs(expected) then
    error(('%s gives %.9g, another variant %.9g'):format(id, answer, expected), 0)
  end
end

--- A workload whose call is a function, which make() prepares and returns.
-- @tparam string id
-- @tparam function make
-- @tparam[opt=0] int losses how many first results of the function are stored
function measure.workload(id, make, losses)
  measure.attempt(id, function()
    local f = make()
    local first
    for i = 1, losses or 0 do
      first = first or {}
      first[i] = f()
    end
    agree(id, f)
    local times, n = measure.time(function(count)
      for _ = 1, count do f() end
    end)
    measure.save(id, times, 's', { calls = n, losses = first })
  end)
end

--- A workload that is a statement, compiled into the bare loop, so that the time includes no call of a wrapper.
-- @tparam string id
-- @tparam string setup statements that declare locals
-- @tparam string body the statement; the loop's variable is i
function measure.statement(id, setup, body)
  measure.attempt(id, function()
    local chunk = ('%s\nreturn function(n)\n for i = 1, n do\n %s\n end\nend'):format(setup, body)
    local times, n = measure.time(assert(loadstring(chunk, '=' .. id))())
    measure.save(id, times, 's', { calls = n })
  end)
end

return measure
