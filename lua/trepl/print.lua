--- The global print of th. What has no parts and no colour is written here; for all else there is trepl.pretty.
-- @module trepl.print
local coloured = require 'trepl.coloured'

local module = { plain = print }      -- Lua's own

local opened = { table = true, userdata = true, cdata = true }

local function isPlain(x)
  local kind = type(x)
  return kind == 'string' or not (opened[kind] or coloured.on)
end

--- Prints values: each scalar is followed by a tab, and by a line's end where it is the last; tables, tensors and other objects end their
-- lines themselves. The system has it all before print returns: what child processes print comes in order, and a log can be followed.
-- @param ... anything
function module.print(...)
  local pretty = package.loaded['trepl.pretty']      -- once it is there, it may have been told how to print
  for i = 1, select('#', ...) do
    if not pretty and not isPlain((select(i, ...))) then pretty = require 'trepl.pretty' end
  end
  if pretty then
    pretty.print(...)
  else
    for i = 1, select('#', ...) do io.stdout:write(tostring((select(i, ...))), '\t') end
    io.stdout:write '\n'
  end
  io.stdout:flush()
end

return module
