--- Functions with arguments by name or by position, and their help.
-- @module dok
local check, class = require 'torch.check', require 'torch.class'
local described, colours = require 'xlua.arguments', require 'dok.colours'

local arguments = {}

local most = 64      -- values that unpack returns

--- The help text of a function.
-- @function dok.usage
-- @string funcname
-- @string[opt] description
-- @string[opt] example
-- @tparam table ... of each argument { arg = name, type =, help =, req =, default =, defaulta = }
-- @treturn string
function arguments.usage(funcname, description, example, ...)
  check.text('dok.usage', 'funcname', funcname)
  if description ~= nil then check.text('dok.usage', 'description', description) end
  if example ~= nil then check.text('dok.usage', 'example', example) end
  local list, named = { ... }, {}
  for i, descriptor in ipairs(list[1] and list[1].tabled or list) do
    named[i] = setmetatable({ arg = check.table('dok.usage', 'descriptor ' .. i, descriptor).arg or '' }, { __index = descriptor })
  end
  local text = described.usage(funcname, description, example, { tabled = named })
  return colours.now().none == '' and colours.plain(text) or text
end

-- Arguments by name: the only argument, if it is a table without a list part.
local function named(given)
  local first = given[1]
  if #given == 1 and type(first) == 'table' and not class.typename(first) and #first == 0 then return first end
end

--- Assigns the arguments of a call to their descriptors. Types are not checked.
-- @function dok.unpack
-- @tparam table given {...} of the function: positional, or one table of names
-- @string funcname
-- @string[opt] description
-- @tparam table ... of each argument { arg = name, type =, help =, req =, default =, defaulta = name of the argument whose value it is }
-- @treturn table the values by name and by position, and `usage`
-- @return the values in their order, up to 64
-- @raise 'error', after printing 'missing argument: NAME' and the usage, if a required one is missing
function arguments.unpack(given, funcname, description, ...)
  check.table('dok.unpack', 'given', given)
  local usage = arguments.usage(funcname, description, nil, ...)
  local list, byName = { ... }, named(given)
  list = list[1] and list[1].tabled or list
  local result, values = { usage = usage }, {}
  for i, descriptor in ipairs(list) do
    local value
    if byName then value = byName[descriptor.arg] else value = given[i] end
    if value == nil then value = descriptor.default end
    if value == nil and descriptor.defaulta then value = result[descriptor.defaulta] end
    if value == nil and descriptor.req then
      print(('%smissing argument: %s%s\n%s'):format(colours.now().Red, descriptor.arg, colours.now().none, usage))
      error('error', 2)
    end
    values[i], result[descriptor.arg], result[i] = value, value, value
  end
  return result, unpack(values, 1, most)
end

--- Raises an error, in colours.
-- @function dok.error
-- @string message
-- @string[opt] domain what it is about
function arguments.error(message, domain)
  message = check.text('dok.error', 'message', message)
  local now = colours.now()
  error(('%s%s%s%s'):format(now.Red, domain and ('<%s> '):format(domain) or '', message, now.none), 2)
end

return arguments
