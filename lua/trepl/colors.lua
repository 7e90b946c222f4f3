--- Escape strings for colours and weights; all are empty while colours are off.
-- @module trepl.colors
local coloured = require 'trepl.coloured'

local codes = { none = 0, bright = 1, dim = 2, underline = 4, blink = 5, reverse = 7, hidden = 8 }
for i, name in ipairs { 'black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white' } do
  codes[name] = '0;' .. 29 + i
  codes[name:sub(1, 1):upper() .. name:sub(2)] = '1;' .. 29 + i       -- bold
  codes['_' .. name] = 39 + i                                         -- background
end

local colors = {}

--- Turns all colours on or off, for every user of this table.
-- @tparam boolean on
local function switch(on)
  coloured.on = on
  for name, code in pairs(codes) do colors[name] = on and '\27[' .. code .. 'm' or '' end
end

switch(coloured.on)

return setmetatable(colors, { __index = { switch = switch } })
