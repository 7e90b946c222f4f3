--- The text of an error and of where it came from, without the frames of th itself.
-- @module trepl.traceback

local here = debug.getinfo(1, 'S').source:match '^(.*/)trepl/'

local typed = { ['=stdin'] = true, ['=(command line)'] = true }      -- other texts are code that ours made

--- The program's line that led to an error inside of our own files or a native function; nil where the program raised it.
local function place()
  local first = debug.getinfo(3, 'Sf')
  local inside = first and first.what == 'C' and first.func ~= error and first.func ~= assert
  for level = 3, math.huge do
    local info = debug.getinfo(level, 'Sl')
    if not info then return nil end
    local ours = info.source:sub(1, #here) == here
    if not ours and (info.source:find '^@' or typed[info.source]) then
      return inside and ('%s:%d: '):format(info.short_src, info.currentline) or nil
    end
    inside = inside or ours
  end
end

--- For terminal.call and xpcall.
-- @param message the error's value
-- @treturn ?string nil for an error without a value
local function traceback(message)
  if message == nil then return nil end     -- lua's silent way out
  if type(message) ~= 'string' then
    local meta = debug.getmetatable(message)
    message = meta and meta.__tostring and tostring(message) or '(error object is a ' .. type(message) .. ' value)'
  end
  local trace = debug.traceback('', 2)
  local good, hint = pcall(function() return require 'trepl.hints'.of(message, trace) end)
  local at = place()
  if at and message:sub(1, #at) ~= at then message = at .. message end
  local text = (good and hint and message .. '\n' .. hint or message) .. trace
  if message == 'interrupted!' then text = text:gsub('\n%s+%[C%]: at 0x%x+', '', 1) end      -- the hook that raised it
  -- The first native call from below that is ours is where the user's code begins.
  return (text:gsub("\n%s+%[C%]: in function 'call'\n[^\n]*trepl/[%w_]+%.lua.*$", ''))
end

return traceback
