--- ANSI escape strings for coloured text: print(colors.red .. 'text' .. colors.none).
-- A capital letter is bold, a leading underscore colours the background.
-- @module sys.colors
local colors = { none = '\27[0m' }

for i, name in ipairs { 'black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white' } do
  local code = i - 1
  colors[name] = '\27[0;3' .. code .. 'm'
  colors[name:gsub('^%l', string.upper)] = '\27[1;3' .. code .. 'm'
  colors['_' .. name] = '\27[4' .. code .. 'm'
end

return colors
