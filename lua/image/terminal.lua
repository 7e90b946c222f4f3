--- Pictures in terminals: kitty's protocol, iTerm2's, and sixels.
-- @module image.terminal
local ffi = require 'ffi'
local torch = require 'torch'
local image = require 'image'

local terminal = { base64 = require 'torch.file.base64' }

local escape, chunk = '\27', 4096

local function png(picture)
  local bytes = image.compressPNG(picture)
  return ffi.string(bytes:data(), bytes:nElement())
end

--- Kitty's graphics protocol: a PNG file in chunks. Source: sw.kovidgoyal.net/kitty/graphics-protocol
function terminal.kitty(picture)
  local text, pieces = terminal.base64(png(picture)), {}
  for i = 1, #text, chunk do
    local more = i + chunk <= #text and 1 or 0
    local keys = i == 1 and ('a=T,f=100,m=%d'):format(more) or ('m=%d'):format(more)
    pieces[#pieces + 1] = ('%s_G%s;%s%s\\'):format(escape, keys, text:sub(i, i + chunk - 1), escape)
  end
  return table.concat(pieces) .. '\n'
end

--- iTerm2's inline images protocol. Source: iterm2.com/documentation-images.html
function terminal.iterm(picture)
  local bytes = png(picture)
  return ('%s]1337;File=inline=1;size=%d:%s\7\n'):format(escape, #bytes, terminal.base64(bytes))
end

-- Converts bytes of 3 x height x width to levels 0 to 5 of each colour: one number from 0 to 215 per pixel.
local function quantised(picture)
  local x = picture:isFloatingPoint() and torch.clamp(picture, 0, 1):mul(255) or picture:double()
  x = x:double()
  if x:dim() == 2 then x = x:unsqueeze(1) end
  local levels = torch.floor(torch.mul(x, 5 / 255):add(0.5))
  local red, green, blue = levels[1], levels[math.min(2, x:size(1))], levels[math.min(3, x:size(1))]
  return torch.mul(red, 36):add(6, green):add(blue):int():contiguous()
end

-- A run of a sixel as text.
local function run(character, count)
  local text = string.char(character + 63)
  return count > 3 and ('!%d%s'):format(count, text) or text:rep(count)
end

-- A band of six rows: the dots of its columns, for each of its colours.
local function band(colours, width, rows)
  local p, dots = colours:data(), {}
  for row = 0, rows - 1 do
    for column = 0, width - 1 do
      local colour = p[row * width + column]
      local columns = dots[colour]
      if not columns then
        columns = {}
        dots[colour] = columns
      end
      columns[column] = (columns[column] or 0) + 2 ^ row
    end
  end
  local lines = {}
  for colour = 0, 215 do
    local columns = dots[colour]
    if columns then
      local pieces, last, count = { '#' .. colour }, columns[0] or 0, 0
      for column = 0, width - 1 do
        local sixel = columns[column] or 0
        if sixel ~= last then
          pieces[#pieces + 1] = run(last, count)
          last, count = sixel, 0
        end
        count = count + 1
      end
      pieces[#pieces + 1] = last > 0 and run(last, count) or nil
      lines[#lines + 1] = table.concat(pieces)
    end
  end
  return table.concat(lines, '$')
end

--- Sixels, in 216 colours. Source: VT330/VT340 Programmer Reference Manual, volume 2, chapter 14.
function terminal.sixel(picture)
  local colours = quantised(picture)
  local height, width = colours:size(1), colours:size(2)
  local pieces = { ('%sPq"1;1;%d;%d'):format(escape, width, height) }
  for colour = 0, 215 do
    pieces[#pieces + 1] = ('#%d;2;%d;%d;%d'):format(colour, math.floor(colour / 36) * 20, math.floor(colour / 6) % 6 * 20, colour % 6 * 20)
  end
  local bands = {}
  for top = 1, height, 6 do
    local rows = math.min(6, height - top + 1)
    bands[#bands + 1] = band(colours:narrow(1, top, rows), width, rows)
  end
  return table.concat(pieces) .. table.concat(bands, '-') .. escape .. '\\\n'
end

local byProgram = { ['iTerm.app'] = 'iterm', WezTerm = 'kitty', ghostty = 'kitty', mintty = 'sixel', contour = 'sixel' }

--- The protocol of the terminal at standard output, from the environment; MOONTORCH_DISPLAY (kitty, iterm, sixel or file) overrides
-- it.
-- @treturn ?string 'kitty', 'iterm' or 'sixel'; nil to write a file
function terminal.protocol()
  local wish = os.getenv 'MOONTORCH_DISPLAY'
  if wish and wish ~= '' then return wish ~= 'file' and terminal[wish] and wish or nil end
  if not torch.isatty(io.stdout) then return nil end
  local name, program = os.getenv 'TERM' or '', os.getenv 'TERM_PROGRAM' or ''
  if os.getenv 'KITTY_WINDOW_ID' or name:find 'kitty' then return 'kitty' end
  if byProgram[program] then return byProgram[program] end
  if name:find 'sixel' or name:find '^mlterm' or name:find '^foot' or name:find '^yaft' then return 'sixel' end
end

return terminal
