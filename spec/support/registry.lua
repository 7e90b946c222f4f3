--- All ops of the registry for the sweeps (torch.sweep.op), with their references and exceptions (spec/support/exceptions.lua).
local torch = require 'torch'
local elementwise = require 'torch.sweep.elementwise'
local exceptions = require 'spec.support.exceptions'
local make = require('torch.sweep.op').of

local registry = {}

-- The references of all families: all files of spec/reference that return a table.
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

--- @string name of an op
function registry.op(name)
  local op = make(name)
  op.reference = referenceOf(name)
  op.elementwise = elementwise.is(op.reference)
  op.rounded = exceptions.rounded[name]
  op.poles, op.constants, op.symmetric = exceptions.poles[name], exceptions.constants[name], exceptions.symmetric[name]
  op.needsLayout = exceptions.layout[name]
  return op
end

-- References and samples have real numbers. spec/torch/complex_spec.lua tests complex ones.
local function isOfRealNumbers(info) return info.result ~= 'complex' and (info.floats or info.integers) end

--- All ops of real numbers, sorted by name.
function registry.ops()
  local list = {}
  for _, name in ipairs(torch.ops()) do
    local op = registry.op(name)
    if isOfRealNumbers(op.info) then list[#list + 1] = op end
  end
  return list
end

return registry
