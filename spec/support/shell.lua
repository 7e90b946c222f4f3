--- Runs a shell command.
-- @string command
-- @treturn string its standard output and error
-- @treturn int its exit status
return function(command)
  local pipe = io.popen('{ ' .. command .. '\n} 2>&1; echo " status $?"')
  local output, status = pipe:read('*a'):match '^(.*) status (%d+)\n$'
  pipe:close()
  return output, tonumber(status)
end
