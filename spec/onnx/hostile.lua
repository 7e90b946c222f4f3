-- Changes bytes of models, and runs those that load with the inputs of their cases: each gives results or one error message.
--
--   th spec/onnx/hostile.lua SECONDS [SEED [MODELS]]      prints problems and counts; MODELS: ends after so many. Run it with a limit of
--                                                         memory (ulimit -v), or under sanitizers
local torch, onnx = require 'torch', require 'onnx'
local conformance, mutation = require 'spec.onnx.conformance', require 'spec.fuzz.mutation'
local files = require 'spec.support.files'

local seconds, seed, most = tonumber(arg[1] or 10), tonumber(arg[2] or 1), tonumber(arg[3] or math.huge)
local slow = 5                        -- seconds of a model
local words = { 'axes', 'axis', '\1', '\0', '\255\255\255\255\255\255\255\255\255\1' }

math.randomseed(seed)
torch.setnumthreads(1)
torch.memoryLimit(2 ^ 30)
local name = os.tmpname()
os.remove(name)
name = '/dev/shm/' .. name:match '[^/]+$'

local cases = {}
for _, case in ipairs(conformance.cases('spec/onnx/cases', 'node')) do
  if not conformance.reason(case.name) then cases[#cases + 1] = case end
end

local function inputsOf(case)
  if not case.inputs then
    files.write(name, case.data)
    case.inputs = onnx.load(name):run {}
  end
  return case.inputs
end

local function residentMiB() return tonumber(files.read '/proc/self/status':match 'VmRSS:%s+(%d+)') / 1024 end

local shown = {}
local function show(case, message)
  local sign = message:gsub('%d+', '0'):sub(1, 80)
  if shown[sign] then return end
  shown[sign] = true
  local kept = ('/tmp/hostile-%d-%s'):format(seed, case.name)
  os.execute(('cp %s %s'):format(name, kept))
  print(('%s: %s (%s)'):format(case.name, message, kept))
end

-- Errors begin with the function or the node, and have one sentence.
local function judge(case, good, message)
  message = tostring(message)
  if good then return end
  if not message:find 'onnx[.:]' or message:find 'own check failed' or message:find '[\1-\9\11-\31]' then show(case, message) end
end

local timer, counts, slowest, began = torch.Timer(), { models = 0, loaded = 0, ran = 0 }, 0, nil
while timer:time().real < seconds and counts.models < most do
  local case, other = cases[math.random(#cases)], cases[math.random(#cases)]
  local data = inputsOf(case)
  os.remove(name)
  files.write(name, mutation.of(case.model, other.model, words))
  counts.models = counts.models + 1
  local start = timer:time().real
  local loaded, model = pcall(onnx.load, name)
  judge(case, loaded, model)
  if loaded then
    counts.loaded = counts.loaded + 1
    local inputs = {}
    for i, input in ipairs(model:inputs()) do inputs[input.name] = data[('in_%d'):format(i - 1)] end
    local good, message
    for _ = 1, 2 do      -- node by node, and captured
      good, message = pcall(model.run, model, inputs)
      if not good then break end
    end
    judge(case, good, message)
    if good then counts.ran = counts.ran + 1 end
  end
  local passed = timer:time().real - start
  slowest = math.max(slowest, passed)
  if passed > slow then show(case, ('%.1f s'):format(passed)) end
  if counts.models % 20000 == 0 then
    collectgarbage()
    began = began or residentMiB()
    print(('%d models, %d loaded, %d ran; the slowest took %.2f s; %.0f MiB, then %.0f'):format(counts.models, counts.loaded, counts.ran,
      slowest, began, residentMiB()))
    io.stdout:flush()
  end
end
os.remove(name)
print(('%d models: %d loaded, %d ran'):format(counts.models, counts.loaded, counts.ran))
