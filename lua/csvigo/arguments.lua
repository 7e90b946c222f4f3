--- Arguments of csvigo: by position, or by name in one table; separators; and progress messages.
-- @module csvigo.arguments
local check = require 'torch.check'

local arguments = {}

--- The arguments of a call by name.
-- @string where prefix of error messages
-- @tparam {{string,default},...} names in the order of positions, with default values
-- @param ... of the call
-- @treturn table
function arguments.read(where, names, ...)
  local first = ...
  local byName, list = {}, {}
  for i, each in ipairs(names) do list[i] = each[1] end
  if select('#', ...) == 1 and type(first) == 'table' and #first == 0 then
    byName = check.options(where, first, list)
  else
    for i, name in ipairs(list) do byName[name] = (select(i, ...)) end
  end
  local found = {}
  for _, each in ipairs(names) do
    local value = byName[each[1]]
    if value == nil then value = each[2] end
    found[each[1]] = value
  end
  return found
end

--- A file's name; expands ~ to the home folder.
function arguments.path(where, path)
  path = check.name(where, 'path', path)
  if path:find '^~' then path = (os.getenv 'HOME' or '~') .. path:sub(2) end
  return path
end

--- The format for a separator, which was a Lua pattern in Torch7: one character, escaped or not, or white space.
-- @treturn table a format of `torch.file.delimited`
function arguments.format(where, separator)
  separator = check.text(where, 'separator', separator)
  if separator == ' ' or separator == '%s' or separator == '%s+' then return { separator = ' ', runs = true, ragged = true } end
  local character = separator:match '^%%(%p)$' or separator
  check.that(#character == 1 and not character:find '["\r\n]', ('%s: separator: %q, expected one character'):format(where, separator))
  return { separator = character, ragged = true }
end

--- Prints a progress message if `verbose`.
function arguments.tell(verbose, ...)
  if verbose then print('<csv>', ...) end
end

return arguments
