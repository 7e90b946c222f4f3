--- sys.split, which xlua gives to strings as well.
-- @module sys.split

--- Splits a string at a Lua pattern. Empty first and last pieces are dropped, empty inner ones are kept.
local function split(text, pattern)
  local check = require 'torch.check'      -- here, as this file is read at the start
  text, pattern = check.text('split', 'text', text), check.text('split', 'pattern', pattern)
  local pieces, start = {}, 1
  while true do
    local first, last = text:find(pattern, start)
    if not first or last < first then break end
    if first > 1 then pieces[#pieces + 1] = text:sub(start, first - 1) end
    start = last + 1
  end
  if start <= #text then pieces[#pieces + 1] = text:sub(start) end
  return pieces
end

return split
