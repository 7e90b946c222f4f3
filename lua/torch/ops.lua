--- torch.ops: the declarations of all ops, including composed ops.
-- `torch.ops.add` is a table with the fields name, doc, params (each with name, kinds, kind, tensor, tensors, optional), results, result,
-- method, samples, differentiable, ulp, alias, devices (the names of those that have its kernel; nil if it needs none and runs on all),
-- integers and floats (whether it accepts such tensors), sharing ('view' if the result always has the first argument's memory, 'maybe',
-- 'none'), extent ('same': results have its sizes; 'alike': all results have the same; 'any'), broadcasts, accumulates (it can add its
-- result onto a sum), precision (for torch.autocast), dataDependent, family (the file that declares it). An unknown name returns nil;
-- `torch.ops()` returns the sorted names.
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
