-- Fuzzes the loaders: `build/asan/bin/th spec/fuzz/run.lua SECONDS [SEED [format ...]]`, from the root of the repository.
-- Interesting files are added to spec/fuzz/corpus/<format>; failures are printed, stored in /tmp, and set the exit status to 1.
local torch = require 'torch'
local paths = require 'paths'
local formats = require 'spec.fuzz.formats'
local search = require 'spec.fuzz.search'

local seconds, seed = tonumber(arg[1] or 10), tonumber(arg[2] or 1)
local chosen = search.chosen(formats, arg, 3)
jit.off()      -- lines are seen by a hook
math.randomseed(seed)
rawset(io, 'stderr', { write = function() end })      -- warnings of unknown classes

local problems = 0
for _, name in ipairs(chosen) do
  local format, corpus = formats[name], search.stored(name)
  local stored = #corpus
  for _, bytes in ipairs(format.seeds()) do corpus[#corpus + 1] = bytes end
  local seeds, timer, shown = #corpus, torch.Timer(), {}
  local function enough() return timer:time().real > seconds / #chosen end
  local function onProblem(problem, bytes)
    local sign = problem:gsub('%d+', '0'):sub(1, 100)
    if shown[sign] then return end
    shown[sign], problems = true, problems + 1
    local kept = ('/tmp/fuzz-%s-%d-%d'):format(name, seed, problems)
    local file = io.open(kept, 'wb')
    file:write(bytes)
    file:close()
    print(('%s: %s (%s)'):format(name, problem, kept))
  end
  local tries = search.run(format, corpus, enough, onProblem)
  local folder = 'spec/fuzz/corpus/' .. name
  paths.mkdir(folder)
  for i = seeds + 1, #corpus do
    local file = io.open(('%s/%03d'):format(folder, stored + i - seeds), 'wb')
    file:write(corpus[i])
    file:close()
  end
  print(('%s: %d tries, %d files added to %d'):format(name, tries, #corpus - seeds, stored))
end
os.exit(problems == 0 and 0 or 1, true)
