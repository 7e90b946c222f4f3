--- Every op of the registry as the sweeps take it: a table with name, call (the function of torch), method (what x:name(...) runs, or nil),
-- info (its declaration), samples, reference and rule. A spec can write such a table by hand, to see whether a sweep finds what is wrong.
local C = require 'libmoontorch'
local torch = require 'torch'
local elementwise = require 'spec.reference.elementwise'
local elements = require 'spec.support.elements'

local registry = {}

-- The references of all families: every file of spec/reference that returns a table.
local references
local function referenceOf(name)
  if not references then
    references = {}
    local listing = assert(io.popen 'ls spec/reference')
    for file in listing:lines() do
      local family = file:match '^(.+)%.lua$'
      local found = family and require('spec.reference.' .. family)
      for op, reference in pairs(type(found) == 'table' and found or {}) do references[op] = references[op] or reference end
    end
    listing:close()
  end
  return type(references[name]) == 'function' and references[name] or nil
end

-- Random ops give the same numbers each time here, so that calls of them can be compared.
local function seeded(f)
  return function(...)
    torch.manualSeed(20)
    return f(...)
  end
end

--- @string name of an op
function registry.op(name)
  local info = C.opInfo(name)
  local op = { name = name, info = info, samples = info.samples, reference = referenceOf(name), rule = require('autograd.rules')[name] }
  op.call = torch[name]
  if info.method ~= 'none' then op.method = torch.getmetatable('torch.DoubleTensor')[name] end
  for _, param in ipairs(info.params) do
    op.random = op.random or param.name == 'generator'
  end
  op.composed = require('torch.op').find(name) ~= nil
  op.elementwise = elementwise.is(op.reference)
  if op.random then op.call, op.method = seeded(op.call), op.method and seeded(op.method) end
  return op
end

--- All ops, sorted by name.
function registry.ops()
  local names, list = torch.ops(), {}
  for i, name in ipairs(names) do list[i] = registry.op(name) end
  return list
end

local integers = { 'torch.ByteTensor', 'torch.IntTensor', 'torch.LongTensor' }
local floats = { 'torch.DoubleTensor', 'torch.FloatTensor', 'torch.HalfTensor' }

--- The dtypes that a sweep goes through for an op: those that differ in how they are computed.
function registry.types(op)
  if op.types then return op.types end
  local list = {}
  if op.info.floats then
    for _, kind in ipairs(floats) do list[#list + 1] = kind end
  end
  if op.info.integers then
    for _, kind in ipairs(integers) do list[#list + 1] = kind end
  end
  return list
end

--- The dtype in which most sweeps run an op.
function registry.mainType(op) return op.info.floats and 'torch.DoubleTensor' or 'torch.LongTensor' end

--- Results of a call as plain tensors and numbers.
function registry.results(...)
  local list = { n = select('#', ...) }
  for i = 1, list.n do
    local y = select(i, ...)
    list[i] = torch.isTensor(y) and elements.read(y) or y
  end
  return list
end

return registry
