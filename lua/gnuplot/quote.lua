--- Lua values in gnuplot's language, quoted so that they can't contain commands.
-- @module gnuplot.quote
local quote = {}

local function octal(character) return ('\\%03o'):format(character:byte()) end

--- A text, also with several lines. Within double quotes gnuplot interprets escapes and executes text in backquotes, so special characters
-- are written as octal escapes.
-- @string text
-- @treturn string
function quote.text(text) return '"' .. text:gsub('%z', ''):gsub('[%c"\'\\`$@]', octal) .. '"' end

--- A file's name: one that begins with | would be a command.
-- @string name
-- @treturn string
function quote.file(name)
  return quote.text(name:find '^[/.]' and name or './' .. name)
end

--- A number; NaN and infinities are gaps in curves.
-- @number x
-- @treturn string
function quote.number(x)
  if x ~= x or x == math.huge or x == -math.huge then return 'NaN' end
  return ('%.10g'):format(x)
end

return quote
