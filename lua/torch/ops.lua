--- torch.ops: what the declarations of all ops say, the composed ones included.
-- `torch.ops.add` is a table with the fields name, doc, params (each with name, kinds, tensor, optional), results, result, method, samples,
-- differentiable, ulp, alias, devices (the names of those that have its kernel; nil where it needs none and runs on all), integers and
-- floats (whether it takes such tensors), sharing ('view' where the result always has the first argument's memory, 'maybe', 'none'), extent
-- ('same': results have its sizes; 'alike': all results have the same; 'any'), broadcasts, accumulates (it can add its result onto a sum),
-- precision (of torch.autocast), dataDependent, family (the file that declares it). An unknown name gives nil; `torch.ops()` gives the
-- sorted names.
-- @module torch.ops
local C = require 'libmoontorch'
local composed = require 'torch.composed'

local function names()
  composed.loadAll()
  local all = C.opInfo()
  table.sort(all)
  return all
end

return setmetatable({}, {
  __index = function(_, name)
    composed.find(name)
    return C.opInfo(name)
  end,
  __call = names,
})
