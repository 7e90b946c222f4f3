--- Checks a text argument.
-- @module paths.text

--- A string, or a number as its text: paths.concat(folder, epoch).
-- @string op the function's name in paths
-- @string argument its name
-- @param value the argument's value
-- @treturn string
-- @raise at the level of the function's caller, if it is neither, or has a zero byte, at which the system would truncate it
return function(op, argument, value)
  if type(value) == 'number' then return tostring(value) end
  if type(value) ~= 'string' then error(('paths.%s: %s: %s, expected a string'):format(op, argument, type(value)), 3) end
  if value:find '%z' then error(('paths.%s: %s: a string with a zero byte, expected a name'):format(op, argument), 3) end
  return value
end
