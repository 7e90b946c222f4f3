--- Inputs for a trial forward of a module, from their sizes, and the forward itself.
-- @module nn.support.sample_input
local C, torch = require 'libmoontorch', require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'

local sample = {}

local function isSizes(value)
  if torch.typename(value) == 'torch.LongStorage' then return true end
  if type(value) ~= 'table' or #value == 0 then return false end
  for i = 1, #value do
    if type(value[i]) ~= 'number' then return false end
  end
  return true
end

--- Appends a tensor for each description of an input to a list. Returns the input's shape: true for a tensor, else a list of shapes.
-- @string where for messages
-- @param value a tensor, sizes, or a table of these
-- @string dtype the type of tensors that are given by their sizes
-- @tparam {torch.Tensor,...} list
-- @return the shape
function sample.describe(where, value, dtype, list)
  if C.isTensor(value) then
    list[#list + 1] = value
    return true
  end
  if isSizes(value) then
    list[#list + 1] = torch.getmetatable(dtype).new(type(value) == 'table' and torch.LongStorage(value) or value):zero()
    return true
  end
  if type(value) ~= 'table' or torch.typename(value) or #value == 0 then
    check.raise(('%s: sizes: %s, expected sizes or tensors'):format(where, messages.value(value)))
  end
  local shape = {}
  for i = 1, #value do shape[i] = sample.describe(where, value[i], dtype, list) end
  return shape
end

--- Returns the input of a shape.
-- @param shape result of `describe`
-- @tparam {torch.Tensor,...} list of all tensors
-- @int at the position of its first tensor
-- @return the input
-- @treturn int the position after its last tensor
function sample.assembled(shape, list, at)
  if shape == true then return list[at], at + 1 end
  local input = {}
  for i = 1, #shape do input[i], at = sample.assembled(shape[i], list, at) end
  return input, at
end

-- Calls f for the name of each field that a forward sets, as in clearState.
local function eachTransient(module, f)
  f 'output'
  f 'gradInput'
  for _, name in ipairs(type(module.transient) == 'table' and module.transient or {}) do f(name) end
end

--- Calls f with all modules in evaluation mode and without the results of earlier passes, and restores their fields afterwards.
-- @tparam nn.Module module
-- @tparam function f
-- @return its first result
function sample.inEvaluation(module, f)
  local modules, fields = module:listModules(), {}
  for i, each in ipairs(modules) do
    local kept = {}
    for name, value in pairs(each) do kept[name] = value end
    fields[i] = kept
    eachTransient(each, function(name)
      local value = rawget(each, name)
      if C.isTensor(value) then each[name] = value.new() elseif type(value) == 'table' then each[name] = {} end
    end)
  end
  module:evaluate()
  local done, result = pcall(f)
  for i, each in ipairs(modules) do
    for name in pairs(each) do
      if fields[i][name] == nil then each[name] = nil end
    end
    for name, value in pairs(fields[i]) do each[name] = value end
  end
  if not done then error(result, 0) end
  return result
end

return sample
