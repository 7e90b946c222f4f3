--- How wide the terminal is, and what is fitted to it: tensors, and texts of help.
-- @module trepl.screen
local terminal = require 'trepl.terminal'

local screen = {}

local USUAL = 80      -- columns of a tensor, where nobody says how many there are
local LEAST = 20

local chosen = USUAL  -- what `fit` has set last

--- Gives tensors the terminal's width, which may have changed, unless a program has said what width they have.
function screen.fit()
  local width = terminal.width()
  if not width or width < LEAST then return end
  local options = require 'torch.tensor.display'.options
  if options.linewidth ~= chosen then return end
  options.linewidth = width
  chosen = width
end

-- A line in pieces, which begin as far to the right as it does; words stay whole.
local function wrapLine(line, width)
  local indent = line:match '^%s*'
  local pieces, piece = {}, nil
  for blanks, word in line:sub(#indent + 1):gmatch '(%s*)(%S+)' do
    local letters = #(((piece or '') .. blanks .. word):gsub('[\128-\191]', ''))
    if piece and #indent + letters > width then
      pieces[#pieces + 1] = indent .. piece
      piece = word
    else
      piece = (piece or '') .. blanks .. word
    end
  end
  pieces[#pieces + 1] = piece and indent .. piece or line
  return table.concat(pieces, '\n')
end

--- Wraps lines that are longer than the terminal is wide.
-- @string text
-- @int[opt] width columns; the terminal's by default, where there is one
-- @treturn string
function screen.wrap(text, width)
  width = width or terminal.width()
  if not width or width < LEAST then return text end
  return (text:gsub('[^\n]+', function(line) return #line > width and wrapLine(line, width) or nil end))
end

--- The blanks before the time that a command took: as Torch7 has it, where there is room.
-- @treturn int
function screen.marginOfTime()
  local width = terminal.width()
  return width and width >= LEAST and math.min(70, width - 10) or 70
end

return screen
