--- A line of a notebook's output that changes while a loop runs: a progress bar and text.
-- @module notebook.line
local clock = require 'torch.clock'
local notebook = require 'notebook'

local INTERVAL = 0.1      -- seconds between drawings: frontends process few messages per second

local Line = {}
Line.__index = Line

local entities = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }

-- The content of the line, with a bar if the progress is known.
local function bundle(text, share)
  local bar = share and ('<progress value="%.4f" max="1" style="width: 16em; vertical-align: middle"></progress> '):format(share) or ''
  local words = (text:gsub('[&<>"]', entities):gsub('  ', '&nbsp; '))
  return notebook.data {
    ['text/html'] = text == '' and ' ' or ('<div style="font-family: monospace; white-space: nowrap">%s%s</div>'):format(bar, words),
    ['text/plain'] = text,
  }
end

--- Draws the line, unless it was drawn less than INTERVAL seconds ago.
-- @string text
-- @tparam[opt] number share progress from 0 to 1
-- @tparam[opt=false] boolean now whether to draw it in any case
function Line:draw(text, share, now)
  local time = clock.monotonic()
  if self.shown and not now and time - self.drawn < INTERVAL then return end
  self.drawn = time
  if self.shown then
    self.shown:update(bundle(text, share))
  else
    self.shown = notebook.display(bundle(text, share))
  end
end

--- Creates a line, which appears when it is first drawn.
-- @treturn table
return function() return setmetatable({}, Line) end
