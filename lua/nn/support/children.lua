--- Calls of a container's children: an error's message begins with the place of the child in the network.
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

-- forwardRow(container, input): the output of a row of children.
-- backwardRow(container, method, keep, input, gradOutput, factor): the gradInput of the first; with `keep` each child's field gradInput
-- becomes what its method returns.
-- call(container, module, index, method, ...): what the method of one child returns.
-- describe(message): the handler of a call that catches. failed(container, module, index, message, input, place): raises what it caught,
-- with the child's place in the network and, where there is one, in the program.
return { forwardRow = forwardRow, backwardRow = backwardRow, call = call, describe = describe, failed = failed }
