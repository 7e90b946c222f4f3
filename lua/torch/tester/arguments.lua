--- Arguments of assertions after the values to compare, and the start of their messages.
-- @module torch.tester.arguments
local check = require 'torch.check'

local arguments = {}

--- Returns the tolerance and the message among the arguments after the values; they may be in either order.
-- @number default the default tolerance
-- @param ... the arguments after the values
-- @treturn number
-- @treturn ?string
function arguments.toleranceAndMessage(default, ...)
  local tolerance, message
  for i = 1, select('#', ...) do
    local option = select(i, ...)
    if type(option) == 'string' then
      if message then check.raise 'Unexpected string argument; already have message' end
      message = option
    elseif type(option) == 'number' then
      if tolerance then check.raise 'Unexpected number argument; already have tolerance' end
      if option < 0 then check.raise 'tolerance cannot be negative' end
      tolerance = option
    elseif option ~= nil then
      check.raise 'Unrecognized argument; should be a tolerance or message'
    end
  end
  return tolerance or default, message
end

--- Raises an error if there are arguments after an assertion's last one.
function arguments.expectNoMore(...)
  for i = 1, select('#', ...) do
    if select(i, ...) ~= nil then check.raise 'Unexpected arguments passed to test function' end
  end
end

--- Joins a program's message, if any, and the reason for which an assertion failed.
function arguments.join(message, reason)
  if message == nil or message == '' then return reason end
  return tostring(message) .. '\n' .. reason
end

return arguments
