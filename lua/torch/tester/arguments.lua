--- What comes to assertions beside the values that they compare, and how their messages begin.
-- @module torch.tester.arguments
local check = require 'torch.check'

local arguments = {}

--- The tolerance and the message among what follows the values; they may come in either order.
-- @number default the tolerance where none came
-- @param ... what follows the values
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

--- Refuses what follows an assertion's last argument.
function arguments.expectNoMore(...)
  for i = 1, select('#', ...) do
    if select(i, ...) ~= nil then check.raise 'Unexpected arguments passed to test function' end
  end
end

--- A message of the program's, if any, and why an assertion does not hold.
function arguments.join(message, reason)
  if message == nil or message == '' then return reason end
  return tostring(message) .. '\n' .. reason
end

return arguments
