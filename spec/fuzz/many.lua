-- Loads many damaged files, without the search for new lines of run.lua: `th spec/fuzz/many.lua COUNT [SEED [format ...]]`, from the root
-- of the repository. It prints counts, how long the slowest file took, and memory; failures and files that take longer than SLOW seconds
-- are printed, stored in /tmp, and set the exit status to 1. A crash leaves its file in /dev/shm.
local torch = require 'torch'
local formats = require 'spec.fuzz.formats'
local search = require 'spec.fuzz.search'
local files = require 'spec.support.files'

local count, seed = tonumber(arg[1] or 1000), tonumber(arg[2] or 1)
local chosen = search.chosen(formats, arg, 3)
local slow = tonumber(os.getenv 'SLOW' or 5)
torch.setnumthreads(1)
torch.memoryLimit(2 ^ 30)
rawset(io, 'stderr', { write = function() end })      -- warnings of unknown classes

local function residentMiB() return tonumber(files.read '/proc/self/status':match 'VmRSS:%s+(%d+)') / 1024 end

local problems = 0
for _, name in ipairs(chosen) do
  math.randomseed(seed)
  local format, corpus = formats[name], search.stored(name)
  for _, bytes in ipairs(format.seeds()) do corpus[#corpus + 1] = bytes end
  local place, clear = search.place(format)
  local shown, loaded, slowest, timer, warm = {}, 0, 0, torch.Timer(), nil
  local function report(problem, bytes)
    local sign = problem:gsub('%d+', '0'):gsub('/dev/shm/lua_%w+', ''):sub(1, 90)
    shown[sign] = (shown[sign] or 0) + 1
    problems = problems + 1
    if shown[sign] > 1 then return end
    local kept = ('/tmp/fuzz-%s-%d-%d'):format(name, seed, problems)
    files.write(kept, bytes)
    print(('%s: %s (%s)'):format(name, problem, kept))
  end
  for i = 1, count do
    local bytes = search.changed(format, corpus[math.random(#corpus)], corpus[math.random(#corpus)])
    local before = timer:time().real
    local problem, isLoaded = search.try(format, place, bytes)
    local passed = timer:time().real - before
    slowest = math.max(slowest, passed)
    if isLoaded then loaded = loaded + 1 end
    if problem then report(problem, bytes) end
    if passed > slow then report(('%.1f s'):format(passed), bytes) end
    if i == math.floor(count / 10) then
      collectgarbage()
      warm = residentMiB()
    end
  end
  clear()
  collectgarbage()
  print(('%s: %d files, %d loaded; %.0f s, the slowest %.2f s; %.0f MiB, then %.0f'):format(name, count, loaded, timer:time().real, slowest,
    warm or 0, residentMiB()))
  io.stdout:flush()
end
os.exit(problems == 0 and 0 or 1, true)
