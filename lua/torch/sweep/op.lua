--- An op in the form for sweeps: a table with name, call (the function of torch), method (the function of x:name(...), or nil), info (its
-- declaration), samples, composed, random. Optional fields: reference (a function of plain tensors and numbers), elementwise (whether
-- the op is elementwise), types (the types to test, instead of all), and exceptions: poles and rounded (situation -> reason), constants
-- (positions of arguments -> reason), symmetric and needsLayout (reasons). A spec can write such a table by hand, to test whether a sweep
-- finds a fault.
-- @module torch.sweep.op
local C = require 'libmoontorch'
local torch = require 'torch'
local elements = require 'torch.sweep.elements'

local op = {}

-- Makes random ops return the same numbers each time, so that their calls can be compared.
local function seeded(f)
  return function(...)
    torch.manualSeed(20)
    return f(...)
  end
end

--- @string name of an op
-- @treturn table the op, without a reference
function op.of(name)
  local call, info = torch[name], C.opInfo(name)      -- in this order: the first loads declarations in Lua
  local made = { name = name, info = info, samples = info.samples, call = call }
  if info.method ~= 'none' then made.method = torch.getmetatable('torch.DoubleTensor')[name] end
  for _, param in ipairs(info.params) do
    made.random = made.random or param.name == 'generator'
  end
  made.composed = require('torch.op').find(name) ~= nil
  if made.random then made.call, made.method = seeded(call), made.method and seeded(made.method) end
  return made
end

local integers = { 'torch.ByteTensor', 'torch.IntTensor', 'torch.LongTensor' }
local floats = { 'torch.DoubleTensor', 'torch.FloatTensor', 'torch.HalfTensor' }

--- Returns the types that a sweep tests for an op: those with different code.
function op.types(swept)
  if swept.types then return swept.types end
  local list = {}
  if swept.info.floats then
    for _, kind in ipairs(floats) do list[#list + 1] = kind end
  end
  if swept.info.integers then
    for _, kind in ipairs(integers) do list[#list + 1] = kind end
  end
  return list
end

--- Returns the type that most sweeps use for an op.
function op.mainType(swept) return swept.info.floats and 'torch.DoubleTensor' or 'torch.LongTensor' end

--- Returns the results of a call as plain tensors and numbers.
function op.results(...)
  local list = { n = select('#', ...) }
  for i = 1, list.n do
    local y = select(i, ...)
    list[i] = torch.isTensor(y) and elements.read(y) or y
  end
  return list
end

return op
