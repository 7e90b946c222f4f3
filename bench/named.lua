--- Finds a workload of bench/run by its id and returns it as a function that does the work once.
-- @module named
local groups = { 'elementwise', 'reductions', 'matrices', 'overhead', 'layers', 'training', 'inference', 'protocol' }

--- Sets the defaults that all workloads need, and prepares one.
-- @string id
-- @treturn ?function nil if no workload has this id
return function(id)
  local torch = require 'torch'
  torch.setnumthreads(1)
  torch.setdefaulttensortype 'torch.FloatTensor'
  torch.manualSeed(0)
  local make
  local function nothing() end
  local function keep(name, f) make = name == id and f or make end
  local function keepStatement(name, setup, body)
    if name ~= id then return end
    make = assert(loadstring(('%s\nlocal i = 0\nreturn function()\n i = i + 1\n %s\nend'):format(setup, body), '=' .. id))
  end
  package.loaded.measure = { workload = keep, statement = keepStatement, attempt = nothing, save = nothing, time = nothing }
  for _, group in ipairs(groups) do require('workloads.' .. group) end
  return make and make()
end
