--- Functions that wrap a text in a colour: `colorize.red('text')`.
-- @module trepl.colorize
local colors = require 'trepl.colors'

local colorize = {}

for name in pairs(colors) do
  colorize[name] = function(text) return colors[name] .. tostring(text) .. colors.none end
end

return colorize
