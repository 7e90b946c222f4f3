-- Changes bytes of models, and runs those that load with the inputs of their cases: each run gives results or one error message.
--
--   th spec/onnx/hostile.lua SECONDS [SEED]      prints problems; run it with a limit of memory (ulimit -v), or under sanitizers
local torch, onnx = require 'torch', require 'onnx'
local conformance, mutation = require 'spec.onnx.conformance', require 'spec.fuzz.mutation'
local files = require 'spec.support.files'

local seconds, seed = tonumber(arg[1] or 10), tonumber(arg[2] or 1)
math.randomseed(seed)
local cases, name = conformance.cases('spec/onnx/cases', 'node'), os.tmpname()
local timer, runs, loads, shown = torch.Timer(), 0, 0, {}

while timer:time().real < seconds do
  local case, other = cases[math.random(#cases)], cases[math.random(#cases)]
  if not conformance.reason(case.name) then
    files.write(name, case.data)
    local data = onnx.load(name):run {}
    files.write(name, mutation.of(case.model, other.model, { 'axes', 'axis', '\1', '\0', '\255\255\255\255\255\255\255\255\255\1' }))
    local loaded, model = pcall(onnx.load, name)
    if loaded then
      loads = loads + 1
      local inputs = {}
      for i, input in ipairs(model:inputs()) do inputs[input.name] = data[('in_%d'):format(i - 1)] end
      local good, message = pcall(model.run, model, inputs)
      runs = runs + (good and 1 or 0)
      message = tostring(message)
      if not good and not message:find 'onnx: ' or message:find 'own check failed' then
        local sign = message:gsub('%d+', '0'):sub(1, 80)
        if not shown[sign] then print(case.name, message) end
        shown[sign] = true
      end
    end
  end
end
os.remove(name)
print(('%d models loaded, %d ran'):format(loads, runs))
