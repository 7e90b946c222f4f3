--- The call of a function in documentation: `torch.cumsum([res,] x [, dim])`.
-- @module trepl.call
local call = {}

local function names(argument) return argument.name end

--- A list of arguments, with optional ones in brackets.
-- @tparam {table,...} arguments with the fields `name` and `optional`
-- @tparam[opt] function write returns the text for an argument; default: its name
-- @treturn string
function call.list(arguments, write)
  write = write or names
  local text = ''
  for i, argument in ipairs(arguments) do
    local one, later = write(argument), arguments[i + 1]
    if not argument.optional then
      text = text .. (text == '' and '' or text:sub(-2) == ',]' and ' ' or ', ') .. one
    elseif text == '' and later and not later.optional then
      text = ('[%s,]'):format(one)
    else
      text = text .. (text == '' and '[%s]' or ' [, %s]'):format(one)
    end
  end
  return text
end

--- The names in a function's header, `function f(x, y)`, as arguments with no other fields.
-- @string header
-- @treturn ?{table,...} nil if it is not a header
function call.ofHeader(header)
  local list = header:match 'function[^(]*%(([^)]*)%)'
  if not list then return nil end
  local arguments = {}
  for name in list:gmatch '[^,%s]+' do arguments[#arguments + 1] = { name = name } end
  return arguments
end

--- The arguments of a function from its comment, if that has as many as the header.
-- @string header
-- @tparam {table,...} said arguments in the comment
-- @treturn ?{table,...} nil if unknown
function call.arguments(header, said)
  local written = call.ofHeader(header)
  if not written then return said[1] and said or nil end
  local open = written[#written] and written[#written].name == '...'
  local known = #said > 0 and (open or #said == #written)
  return known and said or written
end

return call
