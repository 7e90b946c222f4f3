--- The text of an error and of where it came from, without the frames of th itself.
-- @module trepl.traceback

--- For terminal.call and xpcall.
-- @param message the error's value
-- @treturn ?string nil for an error without a value
local function traceback(message)
  if message == nil then return nil end     -- lua's silent way out
  if type(message) ~= 'string' then
    local meta = debug.getmetatable(message)
    message = meta and meta.__tostring and tostring(message) or '(error object is a ' .. type(message) .. ' value)'
  end
  local rethrow = require 'torch.rethrow'
  local caught = rethrow.caught(message)
  local trace = caught and caught.trace or debug.traceback('', 2)
  local good, hint = pcall(function() return require 'trepl.hints'.of(message, trace) end)
  local at
  if caught then at = caught.place else at = rethrow.place(2) end
  if at and message:sub(1, #at) ~= at then message = at .. message end
  local text = (good and hint and message .. '\n' .. hint or message) .. trace
  -- The hook that raised it is nobody's.
  if message:find 'interrupted!$' then text = text:gsub('(\nstack traceback:)\n%s+%[C%]: at 0x%x+', '%1', 1) end
  -- What measures a program runs it, and is no part of it.
  text = text:gsub('\n[^\n]*trepl/measure%.lua.*$', ''):gsub('\n[^\n]*trepl/sampling%.lua.*$', '')
  -- The first native call from below that is ours is where the user's code begins.
  return (text:gsub("\n%s+%[C%]: in function 'call'\n[^\n]*trepl/[%w_]+%.lua.*$", ''))
end

return traceback
