--- Fits tensors and help texts to the width of the terminal.
-- @module trepl.screen
local terminal = require 'trepl.terminal'

local screen = {}

local USUAL = 80      -- columns of a tensor if the width is unknown
local LEAST = 20

local chosen = USUAL  -- the last value set by `fit`

--- Sets the width of tensors to the terminal's width, which may have changed, unless a program has set it.
function screen.fit()
  local width = terminal.width()
  if not width or width < LEAST then return end
  local options = require 'torch.tensor.display'.options
  if options.linewidth ~= chosen then return end
  options.linewidth = width
  chosen = width
end

-- Wraps a line at word boundaries; the new lines have the same indentation.
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
-- @int[opt] width columns; default: the terminal's, if there is one
-- @treturn string
function screen.wrap(text, width)
  width = width or terminal.width()
  if not width or width < LEAST then return text end
  return (text:gsub('[^\n]+', function(line) return #line > width and wrapLine(line, width) or nil end))
end

--- The number of blanks before the time of a command: as in Torch7, if there is room.
-- @treturn int
function screen.marginOfTime()
  local width = terminal.width()
  return width and width >= LEAST and math.min(70, width - 10) or 70
end

return screen
