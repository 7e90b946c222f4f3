--- Calls of a container's children: messages of errors start with the position of the child in the network.
-- @module nn.support.children
local C, explain = require 'libmoontorch', require 'nn.support.explain'

local function describe(message)
  if type(message) ~= 'string' or message:find '^\nIn %d+ module of ' then return message end
  local hint = 'WARNING: If you see a stack trace below, it does not point to the place where this error occurred. '
    .. 'Please use only the one above.'
  return debug.traceback(message, 2) .. '\n\n' .. hint
end

local function failed(container, module, index, message, input, place)
  if type(message) == 'string' then
    message = explain.message(module, message, input)
    if place and not message:find '^\nIn %d+ module of ' then message = ('%s: %s'):format(place, message) end
    message = explain.within(container, index, 'module', message)
  end
  error(message, 0)
end

local forwardRow, backwardRow, call = C.childCalls(describe, failed)

-- forwardRow(container, input): returns the output of a sequence of children.
-- backwardRow(container, method, keep, input, gradOutput, factor): returns the gradInput of the first. With `keep`, each child's field
-- gradInput is set to the result of its method.
-- call(container, module, index, method, ...): returns the result of a method of one child.
-- describe(message): the error handler of a protected call. failed(container, module, index, message, input, place): raises the caught
-- error again, with the child's position in the network and, if known, the position in the program.
return { forwardRow = forwardRow, backwardRow = backwardRow, call = call, describe = describe, failed = failed }
