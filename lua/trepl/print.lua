--- The global print of th. Writes simple values without colour itself; trepl.pretty writes all others.
-- @module trepl.print
local coloured = require 'trepl.coloured'

local module = { plain = print }      -- Lua's print

local opened = { table = true, userdata = true, cdata = true }

local function isPlain(x)
  local kind = type(x)
  return kind == 'string' or not (opened[kind] or coloured.on)
end

--- Prints values: each scalar is followed by a tab, and the last by a line end; tables, tensors and other objects end their
-- lines themselves. print flushes its output before it returns, so that output of child processes is in order and logs are current.
-- @param ... anything
function module.print(...)
  local pretty = package.loaded['trepl.pretty']      -- once it is loaded, a program may have configured it
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
