--- Converts an error's message for C and C++: to one sentence. In Lua a message has lines for the modules in a network, positions in files
-- and a stack.
-- @module torch.check.sentence
local accident = require 'torch.check.accident'

-- Returns the lines that containers put in front, one per container from the outside in; and the rest.
local function placesOf(text)
  local places = {}
  while true do
    local index, kind, owner, rest = text:match '^\n*In (%d+) (%a+) of ([^\n]-):(.*)$'
    if not index then return places, text end
    table.insert(places, 1, ('%s %s of %s'):format(kind, index, owner))
    text = rest
  end
end

--- Returns the sentence of a message, with the positions of modules at its end, from the inside out.
-- @string message
-- @treturn string
-- @treturn boolean whether it has the form of a check's message: `op: argument: actual, expected ...`
return function(message)
  local places, text = placesOf(message)
  text = text:gsub('\n+stack traceback:.*$', ''):gsub('\n+WARNING: If you see a stack trace.*$', '')
  text = (accident.withoutPlace(text:gsub('^%s+', '')) or text):gsub('%s*\n%s*', ' '):gsub('^%s+', ''):gsub('%s+$', '')
  local isCheck = text:find '^[%w_.]+: [%w_]+: ' ~= nil
  if #places > 0 then text = ('%s (in %s)'):format(text, table.concat(places, ' in ')) end
  return text, isCheck
end
