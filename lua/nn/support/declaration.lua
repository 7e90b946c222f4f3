--- Checks of declarations (see nn.support.declare). Errors point to the declaration in the program.
-- @module nn.support.declaration
local check, messages = require 'torch.check', require 'torch.check.message'

local declaration = {}

-- The fields, and the types of their values.
local fields = {
  name = 'string', parent = 'string', options = 'table', parameters = 'table', buffers = 'table', formula = 'string or function',
  otherwise = 'function', gradient = 'string or table', byFields = 'function', values = 'table', keeps = 'table',
  compute = 'function', letsGo = 'boolean', widens = 'boolean',
  forward = 'function', backward = 'function', accepts = 'function', dims = 'table', skips = 'function', prepare = 'function',
  sparse = 'function', draws = 'string',
  resized = 'function', explain = 'function', shows = 'boolean', inplace = 'boolean', takes = 'string', once = 'boolean',
  unusedAsOne = 'boolean', transient = 'table', prints = 'function', samples = 'table',
}

local function refuse(spec, field, actual, expected)
  check.raise(('nn.declare: %s: %s: %s, expected %s'):format(tostring(spec.name), field, actual, expected))
end

local function checkOption(spec, option, kinds)
  if type(option) ~= 'table' or type(option[1]) ~= 'string' then
    refuse(spec, 'options', messages.value(option), "{name, kind}, such as { 'size', 'int', min = 1 },")
  end
  if not kinds[option[2]] then
    local known = {}
    for kind in pairs(kinds) do known[#known + 1] = kind end
    table.sort(known)
    refuse(spec, 'options: ' .. option[1], messages.value(option[2]), 'one of ' .. table.concat(known, ', '))
  end
end

-- Parameters and buffers. With a method `__init`, these are only names.
local function checkTensors(spec, field)
  for _, entry in ipairs(spec[field] or {}) do
    if type(entry) ~= 'table' or type(entry[1]) ~= 'string' then
      refuse(spec, field, messages.value(entry), "{name, sizes}, such as { 'weight', function(options) return options.size end },")
    end
    if entry[2] ~= nil and type(entry[2]) ~= 'function' then
      refuse(spec, ('%s: %s'):format(field, entry[1]), messages.value(entry[2]), 'a function (options) that gives the sizes')
    end
  end
end

--- Returns the declaration, or raises an error that says what is wrong with it.
-- @tparam table spec the declaration
-- @tparam table kinds of options, by name
-- @treturn table spec
function declaration.checked(spec, kinds)
  check.table('nn.declare', 'declaration', spec)
  check.text('nn.declare', 'name', spec.name)
  for field, value in pairs(spec) do
    local expected = fields[field]
    if not expected then check.raise(('nn.declare: %s: there is no field %s in a declaration'):format(spec.name, tostring(field))) end
    if not expected:find(type(value), 1, true) then refuse(spec, field, messages.value(value), 'a ' .. expected) end
  end
  for _, option in ipairs(spec.options or {}) do checkOption(spec, option, kinds) end
  checkTensors(spec, 'parameters')
  checkTensors(spec, 'buffers')
  if spec.values and type(spec.formula) == 'string' then
    refuse(spec, 'formula', 'an expression', 'a function, which gives the expression and then the values,')
  end
  return spec
end

--- Calls a function for the formula of a class. Its error names the class, and says what to write if no expression is possible.
-- @string name of the class
-- @tparam function f
-- @param ... its arguments
function declaration.explained(name, f, ...)
  local done, result = pcall(f, ...)
  if done then return result end
  check.raise(('%s: %s; if it is no expression, write it as `compute`, a function (self, input) of differentiable ops'):format(
    name, result))
end

return declaration
