--- An op as the sweeps take it: a table with name, call (the function of torch), method (what x:name(...) runs, or nil), info (its
-- declaration), samples, rule, composed, random; and, where there are such, reference (a function of plain tensors and numbers),
-- elementwise (whether it pairs elements), types (those to be gone through, in place of all), and what is excepted: poles and rounded
-- (situation -> reason), constants (positions of arguments -> reason), symmetric and needsLayout (reasons). A spec can write such a table
-- by hand, to see whether a sweep finds what is wrong.
-- @module torch.sweep.op
local C = require 'libmoontorch'
local torch = require 'torch'
local elements = require 'torch.sweep.elements'
local isThere = require 'torch.modules'.isThere

local op = {}

-- Random ops give the same numbers each time here, so that calls of them can be compared.
local function seeded(f)
  return function(...)
    torch.manualSeed(20)
    return f(...)
  end
end

--- @string name of an op
-- @treturn table it, without a reference
function op.of(name)
  local call, info = torch[name], C.opInfo(name)      -- in this order: the first brings what is declared in Lua
  local made = { name = name, info = info, samples = info.samples, call = call }
  made.rule = isThere 'autograd' and require('autograd.rules')[name] or nil
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

--- The dtypes that a sweep goes through for an op: those that differ in how they are computed.
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

--- The dtype in which most sweeps run an op.
function op.mainType(swept) return swept.info.floats and 'torch.DoubleTensor' or 'torch.LongTensor' end

--- Results of a call as plain tensors and numbers.
function op.results(...)
  local list = { n = select('#', ...) }
  for i = 1, list.n do
    local y = select(i, ...)
    list[i] = torch.isTensor(y) and elements.read(y) or y
  end
  return list
end

return op
