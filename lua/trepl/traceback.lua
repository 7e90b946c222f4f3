--- The text of an error and its traceback, without the frames of th.
-- @module trepl.traceback

-- The user's code begins at the outermost native call from th.
local function programsPart(text) return (text:gsub("\n%s+%[C%]: in function 'call'\n[^\n]*trepl/[%w_]+%.lua.*$", '')) end

local two = 2      -- levels between `decorated` and the handler: pcall, and itself

-- The text of an error, with the program's line, a hint and the trace.
local function decorated(message)
  local rethrow = require 'torch.start.rethrow'
  local caught = rethrow.caught(message)
  local trace = caught and caught.trace or debug.traceback('', 2 + two)
  local good, hint = pcall(function() return require 'trepl.hints'.of(message, trace) end)
  local at
  if caught then at = caught.place else at = rethrow.place(2 + two) end
  if at and message:sub(1, #at) ~= at then message = at .. message end
  local text = (good and hint and message .. '\n' .. hint or message) .. trace
  -- Removes the hook that raised it.
  if message:find 'interrupted!$' then text = text:gsub('(\nstack traceback:)\n%s+%[C%]: at 0x%x+', '%1', 1) end
  -- Removes the frames of measurements, which run the program.
  text = text:gsub('\n[^\n]*trepl/measure%.lua.*$', ''):gsub('\n[^\n]*trepl/sampling%.lua.*$', '')
  return programsPart(text)
end

--- The handler for terminal.call and xpcall. If creating the text fails, for example because no file can be opened, returns the message.
-- @param message the error's value
-- @treturn ?string nil for an error without a value
local function traceback(message)
  if message == nil then return nil end     -- lua exits silently for it
  if type(message) ~= 'string' then
    local meta = debug.getmetatable(message)
    message = meta and meta.__tostring and tostring(message) or '(error object is a ' .. type(message) .. ' value)'
  end
  local good, text = pcall(decorated, message)
  return good and text or programsPart(message .. debug.traceback('', 2))
end

return traceback
