--- Functions with named or positional arguments that describe themselves.
-- A descriptor is {arg=name, type=, help=, default=, defaulta=name of the argument whose value is the default, req=}.
-- @module xlua.arguments
local check = require 'torch.check'
local class = require 'torch.class'
local colors = require 'sys.colors'

local arguments = {}
local most = 64      -- values that unpack returns

-- Descriptors are passed directly, or as one {tabled = {...}}.
local function listOf(...)
  local first = ...
  if type(first) == 'table' and first.tabled then return first.tabled end
  return { ... }
end

-- A string between descriptors is copied unchanged; a positional argument has no name.
local function line(descriptor)
  if type(descriptor) ~= 'table' then return tostring(descriptor) end
  local name = descriptor.arg and tostring(descriptor.arg) or ''
  if #name > 0 then name = name .. (' '):rep(16 - #name) end
  local kind = descriptor.type and ('(%s)'):format(descriptor.type) or ''
  local default = ''
  if descriptor.default ~= nil then
    default = ('  [default = %s]'):format(tostring(descriptor.default))
  elseif descriptor.defaulta then
    default = ('  [default == %s]'):format(descriptor.defaulta)
  end
  local help = descriptor.help and '-- ' .. descriptor.help or ''
  return ('  %s%s %s %s %s%s'):format(colors.Green, name, colors.none .. kind, help, default, descriptor.req and '  [REQUIRED]' or '')
end

--- The help text of a function.
-- @string funcname
-- @string[opt] description
-- @string[opt] example
-- @tparam table|string ... descriptors, and texts between them, which part the forms of a call
-- @treturn string
function arguments.usage(funcname, description, example, ...)
  local lines = { colors.magenta .. check.text('xlua.usage', 'funcname', funcname) .. colors.none }
  if description then table.insert(lines, description) end
  local descriptors = listOf(...)
  if #descriptors > 0 then
    table.insert(lines, '')
    table.insert(lines, 'usage:')
    table.insert(lines, colors.magenta .. funcname .. colors.none .. '{')
    for _, descriptor in ipairs(descriptors) do table.insert(lines, line(descriptor)) end
    table.insert(lines, '}')
  end
  if example then
    table.insert(lines, '')
    table.insert(lines, 'example:')
    table.insert(lines, example)
  end
  return table.concat(lines, '\n')
end

-- Whether the caller passed one plain table of names.
local function named(args)
  local first = args[1]
  return #args == 1 and type(first) == 'table' and not class.typename(first) and #first == 0
end

-- The values by position, nil if absent.
local function collect(args, descriptors)
  local values = {}
  for i, descriptor in ipairs(descriptors) do
    if named(args) then values[i] = args[1][descriptor.arg] else values[i] = args[i] end
  end
  local byName = {}
  for i, descriptor in ipairs(descriptors) do byName[descriptor.arg] = values[i] end
  for i, descriptor in ipairs(descriptors) do
    if values[i] == nil then
      if descriptor.default ~= nil then
        values[i] = descriptor.default
      elseif descriptor.defaulta then
        values[i] = byName[descriptor.defaulta]
      end
      byName[descriptor.arg] = values[i]
    end
  end
  return values, byName
end

--- Assigns the arguments of a call to their descriptors.
-- @tparam table args {...} of the function
-- @string funcname
-- @string description
-- @tparam table ... descriptors
-- @treturn table the values by name and by position, and `usage`
-- @return the values, up to 64
-- @raise without arguments, or if a required one is missing, after printing the usage
function arguments.unpack(args, funcname, description, ...)
  check.table('xlua.unpack', 'args', args)
  check.text('xlua.unpack', 'funcname', funcname)
  local descriptors = listOf(...)
  local usage = arguments.usage(funcname, description, nil, { tabled = descriptors })
  local function refuse(message)
    print(usage)
    error(funcname .. ': ' .. message, 3)
  end
  if next(args) == nil then refuse('no arguments') end
  local values, result = collect(args, descriptors)
  for i, descriptor in ipairs(descriptors) do
    if descriptor.req and values[i] == nil then refuse(descriptor.arg .. ': missing, it is required') end
    result[i] = values[i]
  end
  result.usage = usage
  return result, unpack(values, 1, most)
end

--- Like unpack; the values also become fields of an object, and so does `usage`.
-- @tparam table object
-- @tparam table args what the function was called with
-- @string funcname
-- @string description
-- @param ... descriptors
function arguments.unpack_class(object, args, funcname, description, ...)
  local results = { arguments.unpack(args, funcname, description, ...) }
  for name, value in pairs(results[1]) do
    if type(name) == 'string' then object[name] = value end
  end
  return unpack(results, 1, most + 1)
end

--- Sets the help text that tostring returns for a module.
-- @treturn string the text
function arguments.usage_module(module, name, description)
  check.table('xlua.usage_module', 'module', module)
  check.text('xlua.usage_module', 'name', name)
  local text = colors.magenta .. name .. colors.none .. '\n' .. check.text('xlua.usage_module', 'description', description)
  local metatable = getmetatable(module) or {}
  metatable.__tostring = function() return text end
  setmetatable(module, metatable)
  return text
end

return arguments
