--- Functions that are called when a class or module is created.
-- @module classic.events
local events = { names = { CLASS_INIT = 'CLASS_INIT', MODULE_INIT = 'MODULE_INIT' } }

local callbacks = {}

--- Adds a function to an event.
-- @string event one of `classic.events`
-- @tparam function f gets the class or module
function events.add(event, f)
  if not events.names[event] then error(('classic.addCallback: event: %s, expected one of classic.events'):format(tostring(event)), 2) end
  if type(f) ~= 'function' then error(('classic.addCallback: f: a %s, expected a function'):format(type(f)), 2) end
  callbacks[event] = callbacks[event] or {}
  table.insert(callbacks[event], f)
end

--- Calls the functions of an event, in order.
-- @string event
-- @param subject the class or module
function events.call(event, subject)
  for _, f in ipairs(callbacks[event] or {}) do f(subject) end
end

return events
