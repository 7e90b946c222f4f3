--- Functions with declared arguments: by position, in PyTorch's order, or by name in a table at the end.
--
--     functional.elu = signature('nn.functional.elu', {
--       { 'input', 'tensor' }, { 'alpha', 'number', default = 1 }, { 'inplace', 'boolean', default = false },
--     }, function(input, alpha, inplace) ... end)
--
--     functional.elu(x, 0.5)    functional.elu(x, { alpha = 0.5 })
--
-- An argument is {name, kind, default =, optional =, min =, max =, choices =, dims =, other =}; the kinds are those of nn.support.kinds,
-- and `other` is a second name. Names are compared without case and `_`, so that PyTorch's spelling is accepted.
-- @module nn.support.signature
local check, kinds, options = require 'torch.check', require 'nn.support.kinds', require 'nn.support.options'
local signatures = require 'nn.support.signatures'

local select, type, unpack, pairs = select, type, unpack, pairs

local exact, areOptions, folded = kinds.exact, options.areOptions, options.folded

local function refuseName(where, parameters, name)
  local known = {}
  for i = 2, #parameters do known[#known + 1] = parameters[i][1] end
  table.sort(known)
  check.raise(('%s: options: %s, expected one of %s'):format(where, tostring(name), table.concat(known, ', ')))
end

-- Moves the entries of a table of options to the positions of their arguments.
local function place(where, parameters, positions, given, count, values)
  values[count] = nil
  for name, value in pairs(given) do
    local position = type(name) == 'string' and positions[folded(name)]
    if not position then refuseName(where, parameters, name) end
    if position < count then check.raise(('%s: options: %s, which is argument %d already'):format(where, name, position)) end
    values[position] = value
  end
end

--- Returns a function that reads and checks its arguments, and passes their values to `f` by position.
-- @string where the function's name in messages
-- @tparam {table,...} parameters the declared arguments, in order
-- @tparam function f called with a value for each argument
-- @treturn function
return function(where, parameters, f)
  local count, positions = #parameters, {}
  for i = 1, count do
    positions[folded(parameters[i][1])] = i
    if parameters[i].other then positions[folded(parameters[i].other)] = i end
  end
  local function called(...)
    local given, values = select('#', ...), { ... }
    if given > 0 and areOptions(values[given]) then
      place(where, parameters, positions, values[given], given, values)
    elseif given > count then
      check.raise(('%s: arguments: %d, expected at most %d'):format(where, given, count))
    end
    for i = 1, count do
      local parameter, value = parameters[i], values[i]
      if value == nil then value = parameter.default end
      if value ~= nil or not (parameter.optional or parameter.default ~= nil) then
        value = exact[parameter[2]](where, parameter[1], value, parameter)
      end
      values[i] = value
    end
    return f(unpack(values, 1, count))
  end
  signatures[called] = parameters
  return called
end
