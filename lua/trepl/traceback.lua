--- The text of an error and of where it came from, without the frames of th itself.
-- @module trepl.traceback

-- The first native call from below that is th's own is where the user's code begins.
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
  -- The hook that raised it is nobody's.
  if message:find 'interrupted!$' then text = text:gsub('(\nstack traceback:)\n%s+%[C%]: at 0x%x+', '%1', 1) end
  -- What measures a program runs it, and is no part of it.
  text = text:gsub('\n[^\n]*trepl/measure%.lua.*$', ''):gsub('\n[^\n]*trepl/sampling%.lua.*$', '')
  return programsPart(text)
end

--- For terminal.call and xpcall. Where the text can't be made, as no file can be opened any more, it is the bare message.
-- @param message the error's value
-- @treturn ?string nil for an error without a value
local function traceback(message)
  if message == nil then return nil end     -- lua's silent way out
  if type(message) ~= 'string' then
    local meta = debug.getmetatable(message)
    message = meta and meta.__tostring and tostring(message) or '(error object is a ' .. type(message) .. ' value)'
  end
  local good, text = pcall(decorated, message)
  return good and text or programsPart(message .. debug.traceback('', 2))
end

return traceback
