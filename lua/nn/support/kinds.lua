--- Kinds of arguments: the checks of values that declarations of classes (nn.support.declare) and functions (nn.support.signature) name.
-- A check is a function (where, name, value, argument) that returns the value or raises an error; `argument` is the declared argument with
-- its further fields: min, max, choices, dims.
-- @module nn.support.kinds
local check, messages = require 'torch.check', require 'torch.check.message'

local kinds = {}

-- A number for all dimensions, or a list with one number per dimension, in the order of tensors.
local function window(where, name, value, argument)
  if type(value) == 'number' then
    value = check.int(where, name, value, argument)
    local list = {}
    for i = 1, argument.dims do list[i] = value end
    return list
  end
  if type(value) ~= 'table' or #value ~= argument.dims then
    check.raise(('%s: %s: %s, expected an integer or a list of %d'):format(where, name, messages.value(value), argument.dims))
  end
  local list = {}
  for i = 1, argument.dims do list[i] = check.int(where, ('%s[%d]'):format(name, i), value[i], argument) end
  return list
end

-- The padding of a convolution: a window, 'valid' (none), or 'same'.
local function padding(where, name, value, argument)
  if value == 'same' then return value end
  if type(value) == 'string' and value ~= 'valid' then
    check.raise(("%s: %s: '%s', expected an integer, a list of %d, 'same' or 'valid'"):format(where, name, value, argument.dims))
  end
  return window(where, name, value == 'valid' and 0 or value, argument)
end

-- A window whose entries may be false: the size of the input. A list with nil in front is accepted, too.
local function target(where, name, value, argument)
  if type(value) ~= 'table' then return window(where, name, value, argument) end
  local list = {}
  for i = 1, argument.dims do
    local entry = value[i]
    list[i] = entry and check.int(where, ('%s[%d]'):format(name, i), entry, argument) or false
  end
  for key in pairs(value) do
    if not (type(key) == 'number' and list[key] ~= nil) then
      check.raise(('%s: %s: %s, expected an integer or a list of %d'):format(where, name, messages.value(value), argument.dims))
    end
  end
  return list
end

-- The widths of a border: a number for all sides, or a list of two for each dimension, from the last one on.
local function border(where, name, value, argument)
  local count, list = 2 * argument.dims, {}
  if type(value) == 'table' and #value ~= count then
    check.raise(('%s: %s: %s, expected an integer or a list of %d'):format(where, name, messages.value(value), count))
  end
  for i = 1, count do
    if type(value) == 'table' then
      list[i] = check.int(where, ('%s[%d]'):format(name, i), value[i])
    else
      list[i] = check.int(where, name, value)
    end
  end
  return list
end

-- Numbers for all dimensions, as for a window.
local function ratios(where, name, value, argument)
  if type(value) == 'table' and #value ~= argument.dims then
    check.raise(('%s: %s: %s, expected a number or a list of %d'):format(where, name, messages.value(value), argument.dims))
  end
  local list = {}
  for i = 1, argument.dims do
    local entry = type(value) == 'table' and value[i] or value
    list[i] = check.number(where, type(value) == 'table' and ('%s[%d]'):format(name, i) or name, entry, argument)
  end
  return list
end

-- A number, or a list of numbers.
local function numbers(where, name, value, argument)
  if type(value) == 'number' then return { check.number(where, name, value, argument) } end
  if type(value) ~= 'table' then
    check.raise(('%s: %s: %s, expected a number or a list of numbers'):format(where, name, messages.value(value)))
  end
  local list = {}
  for i = 1, #value do list[i] = check.number(where, ('%s[%d]'):format(name, i), value[i], argument) end
  return list
end

-- Sizes: a number, a list, or a torch.LongStorage.
local function sizes(where, name, value, argument)
  if type(value) == 'number' then return { check.int(where, name, value, argument) } end
  if type(value) ~= 'table' and not require('torch').isStorage(value) then
    check.raise(('%s: %s: %s, expected an integer or a list of integers'):format(where, name, messages.value(value)))
  end
  local list = {}
  for i = 1, #value do list[i] = check.int(where, ('%s[%d]'):format(name, i), value[i], argument) end
  return list
end

--- The checks by kind. `int` accepts fractions as Torch7 does; the classes and functions that Torch7 lacks have `exact`.
kinds.all = {
  int = check.whole, number = check.number,
  boolean = function(_, _, value) return value and true or false end,
  inplace = function(_, _, value) return check.inplace(value) end,
  string = check.text, tensor = check.tensor,
  module = function(where, name, value) return check.instance(where, name, value, 'a module') end,
  callable = check.callable,
  choice = function(where, name, value, argument)
    local also = argument.also and argument.also[value]               -- other values, and what they mean
    return also or check.choice(where, name, value, argument.choices)
  end,
  window = window, padding = padding, target = target, border = border, ratios = ratios, numbers = numbers, sizes = sizes,
  any = function(_, _, value) return value end,
}

--- The same, but fractions are errors.
kinds.exact = setmetatable({ int = check.int }, { __index = kinds.all })

return kinds
