--- Errors on their way through code that has to put something back: `call` in the place of pcall, then `raise`.
-- The stack of an error is gone once it is caught, so that it is written down before, for who shows the error in the end (trepl.traceback).
-- @module torch.start.rethrow
local guard = require 'torch.check.guard'

local debug, error, rawequal, xpcall = debug, error, rawequal, xpcall

local rethrow = {}

local typed = { ['=stdin'] = true, ['=(command line)'] = true }      -- and a notebook's cells; other texts are code that ours made

-- What was caught last: {message, trace, place}.
local caught

--- Raises what `call` has caught, as it is.
function rethrow.raise(message) error(message, 0) end
local raise = rethrow.raise

--- The program's line that led to an error inside of our own files or a native function; nil where the program raised it.
-- @tparam int first level of the stack where the error was raised, 1 the caller's
-- @treturn ?string such as "net.lua:12: "
function rethrow.place(first)
  local top = debug.getinfo(first + 1, 'Sf')
  local inside = top and top.what == 'C' and top.func ~= error and top.func ~= assert
  for level = first + 1, math.huge do
    local info = debug.getinfo(level, 'Sl')
    if not info then return nil end
    local ours = guard.isOurSource(info.source)
    if not ours and (info.source:find '^@' or info.source:find '^=In%[' or typed[info.source]) then
      return inside and ('%s:%d: '):format(info.short_src, info.currentline) or nil
    end
    inside = inside or ours
  end
end

--- In a handler of xpcall: what was written down of the error under way where it was caught first.
-- @param message the error's value
-- @treturn ?table {message, trace: text, place: as of rethrow.place}; nil for one that comes from where it was raised
function rethrow.caught(message)
  if not caught or not rawequal(caught.message, message) then return nil end
  for level = 2, 6 do
    local info = debug.getinfo(level, 'f')
    if info and info.func == raise then return caught end
  end
end

--- The handler of `call`, for xpcall where a call more would be felt.
function rethrow.remember(message)
  if not rethrow.caught(message) then caught = { message = message, trace = debug.traceback('', 2), place = rethrow.place(2) } end
  return message
end

local remember = rethrow.remember

--- As pcall.
function rethrow.call(f, ...) return xpcall(f, remember, ...) end

return rethrow
